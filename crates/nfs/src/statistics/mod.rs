//! The server's counters: operations, data transferred, connections and requests.
//!
//! Counting takes a few relaxed additions and no lock, so it is always on. Durations are kept in
//! [`Histogram`]s.
//!
//! - this module: operations, their number, results and durations,
//! - `traffic`: bytes read from and written to each volume,
//! - `failures`: what stops brokers, by volume and client,
//! - `events`: connections, refusals, waits,
//! - `status`: classes of statuses.

mod events;
mod failures;
mod status;
mod traffic;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use forebay_pool::{Distribution, Histogram};

pub(crate) use events::{Count, Events};
pub use events::{EventCounts, Refusals};
pub(crate) use failures::Failures;
pub use failures::{FailureCounts, FailureKey};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::OpCode;
pub use status::StatusClass;
pub(crate) use traffic::{Direction, Traffic};
pub use traffic::{Transfers, VolumeTraffic};

/// Operation numbers are below this; an invalid number is counted as 0.
const OPERATIONS: usize = 80;
/// Statuses have two dense ranges: from 0, and from 10000.
const STATUSES: usize = 256;
const STATUS_SECOND_RANGE: u32 = 10_000;

/// The counters of one server since its start.
pub struct Statistics {
    operations: Box<[Counters]>,
    pub(crate) traffic: Traffic,
    pub(crate) failures: Failures,
    pub(crate) events: Arc<Events>,
}

struct Counters {
    /// Durations of executions.
    times: Histogram,
    /// Failures by status.
    failures: [AtomicU64; STATUSES],
    /// Executions that waited for the limit of a volume, and the total wait in nanoseconds. The wait is not
    /// part of `times`.
    waits: AtomicU64,
    waits_ns: AtomicU64,
}

/// The counts of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationStatistics {
    /// The operation; `None` for invalid numbers.
    pub operation: Option<OpCode>,
    /// Number of executions.
    pub count: u64,
    /// Number of failures, by status.
    pub failures: Vec<(Status, u64)>,
    /// Durations.
    pub times: Distribution,
    /// Median duration.
    pub p50: Duration,
    /// 99th percentile of the duration.
    pub p99: Duration,
    /// Number of executions that first waited for a volume's limit.
    pub waits: u64,
    /// Total time they waited.
    pub waited: Duration,
}

impl Default for Statistics {
    fn default() -> Self {
        let counters = || Counters {
            times: Histogram::default(),
            failures: [const { AtomicU64::new(0) }; STATUSES],
            waits: AtomicU64::new(0),
            waits_ns: AtomicU64::new(0),
        };
        Statistics {
            operations: (0..OPERATIONS).map(|_| counters()).collect(),
            traffic: Traffic::default(),
            failures: Failures::default(),
            events: Arc::default(),
        }
    }
}

impl Statistics {
    /// Counts an execution of an operation.
    pub fn count(&self, operation: u32, took: Duration, status: Status) {
        let Some(counters) = self.of(operation) else { return };
        counters.times.record(took);
        if status != Status::Ok
            && let Some(counter) = counters.failures.get(status_index(status as u32))
        {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts a wait for the limit of a volume.
    pub fn count_wait(&self, operation: u32, waited: Duration) {
        let Some(counters) = self.of(operation) else { return };
        counters.waits.fetch_add(1, Ordering::Relaxed);
        counters.waits_ns.fetch_add(u64::try_from(waited.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn of(&self, operation: u32) -> Option<&Counters> {
        let number = usize::try_from(operation).unwrap_or(0);
        self.operations.get(number).or_else(|| self.operations.first())
    }

    /// The counts of all operations that were executed at least once, by number.
    pub fn snapshot(&self) -> Vec<OperationStatistics> {
        let counted = (0u32..).zip(&*self.operations).map(|(number, counters)| counters.snapshot(number));
        counted.filter(|operation| operation.count > 0).collect()
    }
}

impl Counters {
    fn snapshot(&self, number: u32) -> OperationStatistics {
        let times = self.times.distribution();
        let failures = (0..).zip(&self.failures).filter_map(|(index, counter)| {
            let count = counter.load(Ordering::Relaxed);
            Some((status_at(index)?, count)).filter(|_| count > 0)
        });
        OperationStatistics {
            operation: OpCode::try_from(number).ok(),
            count: times.count(),
            failures: failures.collect(),
            p50: times.percentile(50),
            p99: times.percentile(99),
            times,
            waits: self.waits.load(Ordering::Relaxed),
            waited: Duration::from_nanos(self.waits_ns.load(Ordering::Relaxed)),
        }
    }
}

impl OperationStatistics {
    /// The operation's name as in the RFCs without `OP_`, such as `OPEN_DOWNGRADE`; `ILLEGAL` if it is
    /// invalid.
    pub fn name(&self) -> String {
        operation_name(self.operation)
    }
}

/// The name of an operation as in the RFCs without `OP_`.
pub fn operation_name(operation: Option<OpCode>) -> String {
    let Some(operation) = operation else { return "ILLEGAL".to_owned() };
    let mut written = String::new();
    for letter in format!("{operation:?}").chars() {
        if letter.is_ascii_uppercase() && !written.is_empty() {
            written.push('_');
        }
        written.push(letter.to_ascii_uppercase());
    }
    written
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_counted_by_status() {
        let statistics = Statistics::default();
        let took = Duration::from_micros(30);
        for status in [Status::Ok, Status::NoEnt, Status::NoEnt, Status::BadStateid] {
            statistics.count(OpCode::Lookup as u32, took, status);
        }
        statistics.count(u32::MAX, took, Status::OpIllegal);
        let counted = statistics.snapshot();
        let [illegal, lookup] = &counted[..] else { panic!("{counted:?}") };
        assert_eq!((illegal.operation, illegal.count), (None, 1));
        assert_eq!((lookup.operation, lookup.count), (Some(OpCode::Lookup), 4));
        assert_eq!(lookup.failures, [(Status::NoEnt, 2), (Status::BadStateid, 1)]);
        assert_eq!(lookup.times.sum(), took * 4);
        assert_eq!((illegal.name(), lookup.name()), ("ILLEGAL".to_owned(), "LOOKUP".to_owned()));
    }

    #[test]
    fn every_status_has_a_counter_of_its_own() {
        let statuses: Vec<u32> = (0..20_000).filter(|code| Status::try_from(*code).is_ok()).collect();
        for status in statuses {
            let index = u32::try_from(status_index(status)).unwrap();
            assert_eq!(status_at(index).map(|found| found as u32), Some(status));
        }
    }

    #[test]
    fn operations_are_named_as_in_the_rfc() {
        assert_eq!(operation_name(Some(OpCode::OpenDowngrade)), "OPEN_DOWNGRADE");
        assert_eq!(operation_name(Some(OpCode::Getattr)), "GETATTR");
    }
}
