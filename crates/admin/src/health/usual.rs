//! The usual duration of COMMIT: the median of the 99th percentiles of the minutes of the last day.

use std::collections::VecDeque;
use std::time::Duration;

use forebay_pool::Distribution;

/// The period of one value.
const PERIOD: Duration = Duration::from_secs(60);
/// The number of values kept: a day.
const VALUES_MAX: usize = 1440;
/// With fewer values nothing is usual yet.
const VALUES_MIN: usize = 10;
/// A minute with fewer COMMITs has no value.
const COMMITS_MIN: u64 = 20;

/// See the module.
#[derive(Debug, Default)]
pub struct Usual {
    since: Duration,
    before: Distribution,
    values: VecDeque<Duration>,
}

impl Usual {
    /// Adds the counts at a time since the start.
    pub fn add(&mut self, now: Duration, commits: &Distribution) {
        if now.saturating_sub(self.since) < PERIOD {
            return;
        }
        let minute = commits.since(&self.before);
        if minute.count() >= COMMITS_MIN {
            if self.values.len() >= VALUES_MAX {
                self.values.pop_front();
            }
            self.values.push_back(minute.percentile(99));
        }
        (self.since, self.before) = (now, commits.clone());
    }

    /// The usual duration, once it is known.
    pub fn value(&self) -> Option<Duration> {
        if self.values.len() < VALUES_MIN {
            return None;
        }
        let mut sorted: Vec<Duration> = self.values.iter().copied().collect();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied()
    }
}

#[cfg(test)]
mod tests {
    use forebay_pool::Histogram;

    use super::*;

    #[test]
    fn the_usual_value_is_the_median_of_minutes_that_had_commits() {
        let (mut usual, histogram) = (Usual::default(), Histogram::default());
        for minute in 1..=20_u64 {
            let slow = minute % 5 == 0;
            for _ in 0..30 {
                histogram.record(Duration::from_millis(if slow { 900 } else { 20 }));
            }
            usual.add(Duration::from_secs(minute * 60), &histogram.distribution());
            assert_eq!(usual.value().is_some(), minute >= 10);
        }
        let value = usual.value().unwrap();
        assert!((20..=30).contains(&value.as_millis()), "{value:?}");
        for minute in 21..=40_u64 {
            usual.add(Duration::from_secs(minute * 60), &histogram.distribution());
        }
        assert_eq!(usual.values.len(), 20, "minutes without COMMITs do not count");
    }
}
