//! Counters of operations: how many, what became of them, and how long they took.
//!
//! Counting takes two readings of the clock and one or two additions without a lock, so it is always on. Times
//! are kept in a histogram of four classes for each doubling; a percentile is exact to a fifth of its value.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::xdr::Status;
use crate::xdr::nfs4::OpCode;

/// Operation numbers are below this; what is not an operation counts as number 0.
const OPERATIONS: usize = 80;
/// Statuses have two dense ranges: from 0, and from 10000.
const STATUSES: usize = 256;
const STATUS_SECOND_RANGE: u32 = 10_000;
/// Times below this many binary digits of nanoseconds are not told apart: about a microsecond.
const DIGITS_MIN: u32 = 10;
/// Classes for each doubling, and all of them: up to more than a minute.
const CLASSES_PER_DOUBLING: u64 = 4;
const CLASSES: usize = 106;

/// The counters of one server since it started.
pub struct Statistics {
    operations: Box<[Counters]>,
}

struct Counters {
    /// Executions by how long they took.
    times: [AtomicU64; CLASSES],
    /// Failed ones by status.
    failures: [AtomicU64; STATUSES],
    /// Those that waited for the limit of a volume, and how long, in nanoseconds. That time is not in `times`.
    waits: AtomicU64,
    waits_ns: AtomicU64,
}

/// What was counted of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationStatistics {
    /// The operation; `None` for numbers that are none.
    pub operation: Option<OpCode>,
    /// How often it was executed.
    pub count: u64,
    /// How often it failed, by status.
    pub failures: Vec<(Status, u64)>,
    /// Half took no longer.
    pub p50: Duration,
    /// 99 of 100 took no longer.
    pub p99: Duration,
    /// How many waited before, because their volume has a limit.
    pub waits: u64,
    /// How long they waited, all together.
    pub waited: Duration,
}

impl Default for Statistics {
    fn default() -> Self {
        let counters = || Counters {
            times: [const { AtomicU64::new(0) }; CLASSES],
            failures: [const { AtomicU64::new(0) }; STATUSES],
            waits: AtomicU64::new(0),
            waits_ns: AtomicU64::new(0),
        };
        Statistics { operations: (0..OPERATIONS).map(|_| counters()).collect() }
    }
}

impl Statistics {
    /// Counts an operation that began at `begin` and has just ended.
    pub fn count(&self, operation: u32, begin: Instant, status: Status) {
        let Some(counters) = self.of(operation) else { return };
        add(&counters.times, class_of(begin.elapsed()));
        if status != Status::Ok {
            add(&counters.failures, status_index(status as u32));
        }
    }

    /// Counts that an operation waited for the limit of a volume.
    pub fn count_wait(&self, operation: u32, waited: Duration) {
        let Some(counters) = self.of(operation) else { return };
        counters.waits.fetch_add(1, Ordering::Relaxed);
        counters.waits_ns.fetch_add(u64::try_from(waited.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn of(&self, operation: u32) -> Option<&Counters> {
        let number = usize::try_from(operation).unwrap_or(0);
        self.operations.get(number).or_else(|| self.operations.first())
    }

    /// What was counted of the operations that were executed at all, by number.
    pub fn snapshot(&self) -> Vec<OperationStatistics> {
        let counted = (0u32..).zip(&*self.operations).map(|(number, counters)| counters.snapshot(number));
        counted.filter(|operation| operation.count > 0).collect()
    }
}

fn add(counters: &[AtomicU64], index: usize) {
    if let Some(counter) = counters.get(index) {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

impl Counters {
    fn snapshot(&self, number: u32) -> OperationStatistics {
        let times: Vec<u64> = self.times.iter().map(|counter| counter.load(Ordering::Relaxed)).collect();
        let failures = (0..).zip(&self.failures).filter_map(|(index, counter)| {
            let count = counter.load(Ordering::Relaxed);
            Some((status_at(index)?, count)).filter(|_| count > 0)
        });
        OperationStatistics {
            operation: OpCode::try_from(number).ok(),
            count: times.iter().sum(),
            failures: failures.collect(),
            p50: percentile(&times, 50),
            p99: percentile(&times, 99),
            waits: self.waits.load(Ordering::Relaxed),
            waited: Duration::from_nanos(self.waits_ns.load(Ordering::Relaxed)),
        }
    }
}

fn status_index(status: u32) -> usize {
    let half = STATUSES / 2;
    let index = match status.checked_sub(STATUS_SECOND_RANGE) {
        None => status as usize,
        Some(second) => (second as usize).saturating_add(half),
    };
    index.min(STATUSES - 1)
}

fn status_at(index: u32) -> Option<Status> {
    let half = STATUSES as u32 / 2;
    let status = index.checked_sub(half).map_or(index, |second| second + STATUS_SECOND_RANGE);
    Status::try_from(status).ok()
}

/// The class of a time: by its highest binary digit, and the two after it.
fn class_of(time: Duration) -> usize {
    let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let Some(doublings) = nanoseconds.checked_ilog2().and_then(|digits| digits.checked_sub(DIGITS_MIN))
    else {
        return 0;
    };
    let quarter = (nanoseconds >> (doublings + DIGITS_MIN - 2)) % CLASSES_PER_DOUBLING;
    let class = u64::from(doublings) * CLASSES_PER_DOUBLING + quarter + 1;
    usize::try_from(class).unwrap_or(CLASSES).min(CLASSES - 1)
}

/// The longest time of a class.
fn longest(class: usize) -> Duration {
    let class = class as u64;
    let (doublings, quarter) = (class / CLASSES_PER_DOUBLING, class % CLASSES_PER_DOUBLING);
    Duration::from_nanos((CLASSES_PER_DOUBLING + quarter) << (doublings + u64::from(DIGITS_MIN) - 2))
}

/// The time that `percent` of a hundred do not exceed.
fn percentile(times: &[u64], percent: u64) -> Duration {
    let total: u64 = times.iter().sum();
    let rank = u128::from(total) * u128::from(percent);
    let mut seen = 0u128;
    for (class, count) in times.iter().enumerate() {
        seen += u128::from(*count) * 100;
        if seen >= rank && seen > 0 {
            return longest(class);
        }
    }
    Duration::ZERO
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut times = vec![0; CLASSES];
        times[class_of(Duration::from_micros(10))] = 98;
        times[class_of(Duration::from_millis(10))] = 2;
        assert!(percentile(&times, 50) < Duration::from_micros(13));
        assert!(percentile(&times, 99) >= Duration::from_millis(10));
        assert_eq!(percentile(&[0; CLASSES], 50), Duration::ZERO);
    }

    #[test]
    fn failures_are_counted_by_status() {
        let statistics = Statistics::default();
        let now = Instant::now();
        for status in [Status::Ok, Status::NoEnt, Status::NoEnt, Status::BadStateid] {
            statistics.count(OpCode::Lookup as u32, now, status);
        }
        statistics.count(u32::MAX, now, Status::OpIllegal);
        let counted = statistics.snapshot();
        let [illegal, lookup] = &counted[..] else { panic!("{counted:?}") };
        assert_eq!((illegal.operation, illegal.count), (None, 1));
        assert_eq!((lookup.operation, lookup.count), (Some(OpCode::Lookup), 4));
        assert_eq!(lookup.failures, [(Status::NoEnt, 2), (Status::BadStateid, 1)]);
    }

    #[test]
    fn every_status_has_a_counter_of_its_own() {
        let statuses: Vec<u32> = (0..20_000).filter(|code| Status::try_from(*code).is_ok()).collect();
        for status in statuses {
            let index = u32::try_from(status_index(status)).unwrap();
            assert_eq!(status_at(index).map(|found| found as u32), Some(status));
        }
    }
}
