//! What a client does: counters, which only increase while it is registered.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use forebay_pool::{Distribution, Histogram};

use crate::statistics::Direction;

/// See the module.
#[derive(Debug, Default)]
pub struct Activity {
    operations: AtomicU64,
    reads: Transfers,
    writes: Transfers,
    commits: Histogram,
}

#[derive(Debug, Default)]
struct Transfers {
    bytes: AtomicU64,
    count: AtomicU64,
    nanoseconds: AtomicU64,
}

/// The counters at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActivityView {
    /// Operations, without those that only frame others: SEQUENCE and PUTFH.
    pub operations: u64,
    /// Reads.
    pub reads: TransfersView,
    /// Writes.
    pub writes: TransfersView,
    /// Durations of COMMIT, which is what a program's fsync waits for.
    pub commits: Distribution,
}

/// Reads or writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransfersView {
    /// Bytes.
    pub bytes: u64,
    /// Operations.
    pub count: u64,
    /// The time that they took together.
    pub time: Duration,
}

impl Activity {
    pub(super) fn note_operation(&self) {
        self.operations.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn note_moved(&self, direction: Direction, bytes: u64, took: Duration) {
        let transfers = match direction {
            Direction::Read => &self.reads,
            Direction::Write => &self.writes,
        };
        let nanoseconds = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        transfers.bytes.fetch_add(bytes, Ordering::Relaxed);
        transfers.count.fetch_add(1, Ordering::Relaxed);
        transfers.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    pub(super) fn note_commit(&self, took: Duration) {
        self.commits.record(took);
    }

    /// The counters now.
    pub(super) fn view(&self) -> ActivityView {
        let of = |transfers: &Transfers| TransfersView {
            bytes: transfers.bytes.load(Ordering::Relaxed),
            count: transfers.count.load(Ordering::Relaxed),
            time: Duration::from_nanos(transfers.nanoseconds.load(Ordering::Relaxed)),
        };
        ActivityView {
            operations: self.operations.load(Ordering::Relaxed),
            reads: of(&self.reads),
            writes: of(&self.writes),
            commits: self.commits.distribution(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_is_counted_where_it_belongs() {
        let activity = Activity::default();
        let took = Duration::from_millis(2);
        activity.note_operation();
        activity.note_moved(Direction::Write, 100, took);
        activity.note_moved(Direction::Write, 50, took);
        activity.note_moved(Direction::Read, 7, took);
        activity.note_commit(took);
        let view = activity.view();
        assert_eq!(view.operations, 1);
        assert_eq!(view.writes, TransfersView { bytes: 150, count: 2, time: 2 * took });
        assert_eq!((view.reads.bytes, view.reads.count), (7, 1));
        assert_eq!(view.commits.count(), 1);
    }
}
