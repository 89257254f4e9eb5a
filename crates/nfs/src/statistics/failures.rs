//! Failures that stop a Kafka broker, by volume and client: no space, and errors of the pool or its disk.
//!
//! They are rare, so they are counted under a lock. The number of entries is bounded: a new one takes the place of the one that
//! was updated least recently.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::OpCode;
use forebay_pool::VolumeId;

use super::StatusClass;

/// Maximum number of entries.
const ENTRIES_MAX: usize = 256;
/// Failures further apart than this do not belong together.
const APART: Duration = Duration::from_secs(600);

/// The failures of one server since its start.
#[derive(Default)]
pub(crate) struct Failures(Mutex<BTreeMap<FailureKey, Entry>>);

/// What failures are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FailureKey {
    /// The volume, or a snapshot; `None` for operations without a file.
    pub volume: Option<VolumeId>,
    /// The client's address.
    pub client: IpAddr,
    /// [`StatusClass::Space`] or [`StatusClass::Io`].
    pub class: StatusClass,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    count: u64,
    since: SystemTime,
    last: SystemTime,
    operation: u32,
}

/// The failures of one client in one volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureCounts {
    /// The volume, the client and the class.
    pub key: FailureKey,
    /// Number of operations that failed.
    pub count: u64,
    /// When the first of the latest series failed. Ten minutes without a failure end a series.
    pub since: SystemTime,
    /// When the last one failed.
    pub last: SystemTime,
    /// The operation that failed last.
    pub operation: Option<OpCode>,
}

impl Failures {
    /// Counts an operation that failed, if its status is of a class that matters.
    pub(crate) fn note(&self, volume: Option<VolumeId>, client: IpAddr, operation: u32, status: Status) {
        let class = StatusClass::of(status);
        if status != Status::Ok && matches!(class, StatusClass::Space | StatusClass::Io) {
            let key = FailureKey { volume, client: client.to_canonical(), class };
            self.note_at(key, operation, SystemTime::now());
        }
    }

    fn note_at(&self, key: FailureKey, operation: u32, now: SystemTime) {
        let mut entries = self.entries();
        if let Some(entry) = entries.get_mut(&key) {
            if now.duration_since(entry.last).is_ok_and(|since| since > APART) {
                entry.since = now;
            }
            entry.count = entry.count.saturating_add(1);
            (entry.last, entry.operation) = (now, operation);
            return;
        }
        if entries.len() >= ENTRIES_MAX
            && let Some(oldest) =
                entries.iter().min_by_key(|(_, entry)| entry.last).map(|(oldest, _)| *oldest)
        {
            entries.remove(&oldest);
        }
        entries.insert(key, Entry { count: 1, since: now, last: now, operation });
    }

    /// The counts so far, by key.
    pub(crate) fn snapshot(&self) -> Vec<FailureCounts> {
        let counts = |(key, entry): (&FailureKey, &Entry)| FailureCounts {
            key: *key,
            count: entry.count,
            since: entry.since,
            last: entry.last,
            operation: OpCode::try_from(entry.operation).ok(),
        };
        self.entries().iter().map(counts).collect()
    }

    fn entries(&self) -> MutexGuard<'_, BTreeMap<FailureKey, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENT: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 1, 0, 12));

    #[test]
    fn only_failures_that_stop_brokers_are_counted_and_by_volume_and_client() {
        let failures = Failures::default();
        let other = IpAddr::from([10, 1, 0, 13]);
        for (client, status) in [
            (CLIENT, Status::NoSpc),
            (CLIENT, Status::NoSpc),
            (CLIENT, Status::NoEnt),
            (CLIENT, Status::Ok),
            (other, Status::Io),
        ] {
            failures.note(Some(VolumeId(1)), client, OpCode::Commit as u32, status);
        }
        let seen = failures.snapshot();
        let counts: Vec<_> = seen.iter().map(|one| (one.key.client, one.key.class, one.count)).collect();
        assert_eq!(counts, [(CLIENT, StatusClass::Space, 2), (other, StatusClass::Io, 1)]);
        assert_eq!(seen[0].operation, Some(OpCode::Commit));
    }

    #[test]
    fn a_series_begins_again_after_a_pause() {
        let failures = Failures::default();
        let key = FailureKey { volume: None, client: CLIENT, class: StatusClass::Io };
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        for seconds in [100, 130, 5000, 5001] {
            failures.note_at(key, 0, at(seconds));
        }
        let seen = failures.snapshot().remove(0);
        assert_eq!((seen.count, seen.since, seen.last), (4, at(5000), at(5001)));
    }

    #[test]
    fn many_clients_take_bounded_memory_and_the_latest_stay() {
        let failures = Failures::default();
        for number in 0..1000_u32 {
            let client = IpAddr::from(number.to_be_bytes());
            let key = FailureKey { volume: None, client, class: StatusClass::Space };
            failures.note_at(key, 0, SystemTime::UNIX_EPOCH + Duration::from_secs(number.into()));
        }
        let seen = failures.snapshot();
        assert_eq!(seen.len(), ENTRIES_MAX);
        assert_eq!(seen.last().unwrap().key.client, IpAddr::from(999_u32.to_be_bytes()));
    }
}
