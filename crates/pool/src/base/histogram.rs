//! Latencies: a lock-free histogram with four classes for each doubling.
//!
//! The pool's syncs and the operations of the protocols use the same type, so that all are counted and reported alike.
//! Recording is two additions. A percentile is exact to a fifth of its value. The bounds that are powers of two
//! ([`Distribution::within_power_of_two`]) fall between classes, so a histogram with those bounds is exact.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Times below two to the power of this, in nanoseconds, share one class: up to about a microsecond.
const DIGITS_MIN: u32 = 10;
/// Classes for each doubling, and in total: up to more than a minute.
const CLASSES_PER_DOUBLING: u64 = 4;
const CLASSES: usize = 106;

/// Counts times.
#[derive(Debug)]
pub struct Histogram {
    classes: [AtomicU64; CLASSES],
    sum_ns: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram { classes: [const { AtomicU64::new(0) }; CLASSES], sum_ns: AtomicU64::new(0) }
    }
}

impl Histogram {
    /// Records that something took `time`.
    pub fn record(&self, time: Duration) {
        if let Some(class) = self.classes.get(class_of(time)) {
            class.fetch_add(1, Ordering::Relaxed);
        }
        self.sum_ns.fetch_add(nanoseconds(time), Ordering::Relaxed);
    }

    /// The counts so far. A concurrent recording may be in the counts and not yet in the sum.
    pub fn distribution(&self) -> Distribution {
        Distribution {
            classes: self.classes.iter().map(|class| class.load(Ordering::Relaxed)).collect(),
            sum_ns: self.sum_ns.load(Ordering::Relaxed),
        }
    }

    /// Resets all counts.
    pub fn clear(&self) {
        self.classes.iter().for_each(|class| class.store(0, Ordering::Relaxed));
        self.sum_ns.store(0, Ordering::Relaxed);
    }
}

/// The counts of a [`Histogram`] at one time, or between two times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// Empty, or [`CLASSES`] of them.
    classes: Vec<u64>,
    sum_ns: u64,
}

impl Distribution {
    /// How many times were counted.
    pub fn count(&self) -> u64 {
        self.classes.iter().sum()
    }

    /// The sum of all times.
    pub fn sum(&self) -> Duration {
        Duration::from_nanos(self.sum_ns)
    }

    /// The time that `percent` per cent of the recorded times do not exceed; zero if nothing was recorded.
    pub fn percentile(&self, percent: u64) -> Duration {
        let rank = u128::from(self.count()) * u128::from(percent);
        let mut seen = 0u128;
        for (class, count) in self.classes.iter().enumerate() {
            seen += u128::from(*count) * 100;
            if seen >= rank && seen > 0 {
                return longest(class);
            }
        }
        Duration::ZERO
    }

    /// How many times were shorter than 2 to the power of `digits` nanoseconds, exactly. `digits` is from 10 to 36.
    pub fn within_power_of_two(&self, digits: u32) -> u64 {
        let doublings = usize::try_from(digits.saturating_sub(DIGITS_MIN)).unwrap_or(CLASSES);
        let classes = doublings.saturating_mul(CLASSES_PER_DOUBLING as usize).saturating_add(1);
        self.classes.iter().take(classes).sum()
    }

    /// What was counted since `before`; everything, if the histogram was cleared since.
    pub fn since(&self, before: &Distribution) -> Distribution {
        if before.count() > self.count() {
            return self.clone();
        }
        let before_of = |class: usize| before.classes.get(class).copied().unwrap_or_default();
        let classes = self.classes.iter().enumerate();
        Distribution {
            classes: classes.map(|(class, count)| count.saturating_sub(before_of(class))).collect(),
            sum_ns: self.sum_ns.saturating_sub(before.sum_ns),
        }
    }

    /// Adds the counts of another distribution.
    pub fn add(&mut self, other: &Distribution) {
        if self.classes.len() < other.classes.len() {
            self.classes.resize(other.classes.len(), 0);
        }
        for (class, more) in self.classes.iter_mut().zip(&other.classes) {
            *class = class.saturating_add(*more);
        }
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The class of a time: its highest binary digit and the two digits after it.
fn class_of(time: Duration) -> usize {
    let nanoseconds = nanoseconds(time);
    let Some(doublings) = nanoseconds.checked_ilog2().and_then(|digits| digits.checked_sub(DIGITS_MIN))
    else {
        return 0;
    };
    let quarter = (nanoseconds >> (doublings + DIGITS_MIN - 2)) % CLASSES_PER_DOUBLING;
    let class = u64::from(doublings) * CLASSES_PER_DOUBLING + quarter + 1;
    usize::try_from(class).unwrap_or(CLASSES).min(CLASSES - 1)
}

/// The longest time in a class.
fn longest(class: usize) -> Duration {
    let class = class as u64;
    let (doublings, quarter) = (class / CLASSES_PER_DOUBLING, class % CLASSES_PER_DOUBLING);
    Duration::from_nanos((CLASSES_PER_DOUBLING + quarter) << (doublings + u64::from(DIGITS_MIN) - 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distribution(times: &[(u64, Duration)]) -> Distribution {
        let histogram = Histogram::default();
        for (count, time) in times {
            (0..*count).for_each(|_| histogram.record(*time));
        }
        histogram.distribution()
    }

    #[test]
    fn every_time_is_in_a_class_that_it_does_not_exceed_by_more_than_a_quarter() {
        for nanoseconds in (10..36).flat_map(|digits| {
            let power = 1u64 << digits;
            [power, power + 1, power + power / 3, power * 2 - 1]
        }) {
            let time = Duration::from_nanos(nanoseconds);
            let upper = longest(class_of(time));
            assert!(upper >= time, "{time:?} {upper:?}");
            assert!(upper.as_nanos() <= u128::from(nanoseconds) * 5 / 4, "{time:?} {upper:?}");
        }
        assert_eq!(class_of(Duration::ZERO), 0);
        assert_eq!(class_of(Duration::MAX), CLASSES - 1);
    }

    #[test]
    fn percentiles_leave_out_the_rest() {
        let times = distribution(&[(98, Duration::from_micros(10)), (2, Duration::from_millis(10))]);
        assert!(times.percentile(50) < Duration::from_micros(13));
        assert!(times.percentile(99) >= Duration::from_millis(10));
        assert_eq!(Distribution::default().percentile(50), Duration::ZERO);
        assert_eq!(times.sum(), Duration::from_micros(98 * 10 + 2 * 10_000));
    }

    #[test]
    fn bounds_that_are_powers_of_two_are_exact() {
        for digits in 10..36 {
            let power = 1u64 << digits;
            let times = [power - 1, power, power + 1].map(Duration::from_nanos);
            let times = distribution(&times.map(|time| (1, time)));
            assert_eq!(times.within_power_of_two(digits), 1, "2^{digits} ns");
            assert_eq!(times.within_power_of_two(digits + 1), 3, "2^{digits} ns");
        }
        assert_eq!(distribution(&[(3, Duration::MAX)]).within_power_of_two(36), 0);
    }

    #[test]
    fn what_was_counted_in_between_is_the_difference() {
        let (fast, slow) = (Duration::from_micros(20), Duration::from_millis(70));
        let before = distribution(&[(5, fast)]);
        let after = distribution(&[(5, fast), (3, slow)]);
        let between = after.since(&before);
        assert_eq!((between.count(), between.sum()), (3, slow * 3));
        assert!(between.percentile(1) >= slow);
        assert_eq!(before.since(&after), before, "counting began anew");
        let mut sum = before.clone();
        sum.add(&between);
        assert_eq!(sum, after);
        let mut none = Distribution::default();
        none.add(&after);
        assert_eq!(none, after);
    }

    #[test]
    fn a_histogram_that_was_cleared_has_counted_nothing() {
        let histogram = Histogram::default();
        histogram.record(Duration::from_secs(1));
        histogram.clear();
        assert_eq!((histogram.distribution().count(), histogram.distribution().sum()), (0, Duration::ZERO));
    }
}
