//! Counters of bytes read from and written to each volume. Traffic of a snapshot counts for its volume.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use forebay_pool::{Distribution, Histogram, Pool, VolumeId};
use forebay_service::per_volume::{Counters, PerVolume};

use forebay_nfs_proto::xdr::nfs4::{OperationResult, ReadPlusContent};

/// The direction of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Read,
    Write,
}

/// The traffic of all volumes.
#[derive(Default)]
pub(crate) struct Traffic(PerVolume<Counted>);

#[derive(Default)]
struct Counted {
    read: OneWay,
    written: OneWay,
}

#[derive(Default)]
struct OneWay {
    bytes: AtomicU64,
    times: Histogram,
}

/// Transfers in one direction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transfers {
    /// Number of bytes.
    pub bytes: u64,
    /// Durations of the operations that transferred data, which also gives their number.
    pub times: Distribution,
}

/// Data read from a volume and its snapshots, and written to it, since the server started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeTraffic {
    /// Successful READ and READ_PLUS.
    pub read: Transfers,
    /// Successful WRITE.
    pub written: Transfers,
}

impl Traffic {
    /// Counts an operation on a volume if it transferred data. Returns how much, and in which direction.
    pub(crate) fn count(
        &self,
        pool: &Pool,
        volume: VolumeId,
        result: &OperationResult,
        took: Duration,
    ) -> Option<(Direction, u64)> {
        let (direction, bytes) = moved(result)?;
        self.count_bytes(|| owner(pool, volume), volume, direction, bytes, took);
        Some((direction, bytes))
    }

    fn count_bytes(
        &self,
        owner: impl FnOnce() -> VolumeId,
        volume: VolumeId,
        direction: Direction,
        bytes: u64,
        took: Duration,
    ) {
        let counted = self.0.of(volume, owner);
        let way = match direction {
            Direction::Read => &counted.read,
            Direction::Write => &counted.written,
        };
        way.bytes.fetch_add(bytes, Ordering::Relaxed);
        way.times.record(took);
    }

    /// The counts of each volume that is `alive`, and of those without their own slot. Releases the slots of
    /// the others.
    pub(crate) fn snapshot(
        &self,
        alive: impl Fn(VolumeId) -> bool,
    ) -> (BTreeMap<VolumeId, VolumeTraffic>, VolumeTraffic) {
        let mut volumes: BTreeMap<VolumeId, VolumeTraffic> = BTreeMap::new();
        self.0.each(alive, |id, counted| volumes.entry(id).or_default().add(&counted.snapshot()));
        (volumes, self.0.rest().snapshot())
    }
}

impl Counters for Counted {
    fn clear(&self) {
        for way in [&self.read, &self.written] {
            way.bytes.store(0, Ordering::Relaxed);
            way.times.clear();
        }
    }
}

impl Counted {
    fn snapshot(&self) -> VolumeTraffic {
        let of = |way: &OneWay| Transfers {
            bytes: way.bytes.load(Ordering::Relaxed),
            times: way.times.distribution(),
        };
        VolumeTraffic { read: of(&self.read), written: of(&self.written) }
    }
}

impl VolumeTraffic {
    /// Adds another volume's counts.
    pub fn add(&mut self, other: &VolumeTraffic) {
        self.read.add(&other.read);
        self.written.add(&other.written);
    }
}

impl Transfers {
    /// Adds other transfers.
    pub fn add(&mut self, other: &Transfers) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.times.add(&other.times);
    }
}

/// The volume that a snapshot belongs to; any other volume itself.
fn owner(pool: &Pool, id: VolumeId) -> VolumeId {
    pool.snapshot_by_id(id).map_or(id, |snapshot| snapshot.volume)
}

/// The data that an operation transferred, if it is a successful transfer.
fn moved(result: &OperationResult) -> Option<(Direction, u64)> {
    let length = |content: &ReadPlusContent| match content {
        ReadPlusContent::Data(data) => data.data.len() as u64,
        ReadPlusContent::Hole(_) => 0,
    };
    match result {
        OperationResult::Write(Ok(written)) => Some((Direction::Write, written.count.into())),
        OperationResult::Read(Ok(read)) => Some((Direction::Read, read.data.len() as u64)),
        OperationResult::ReadPlus(Ok(read)) => {
            Some((Direction::Read, read.contents.iter().map(length).sum()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use forebay_service::per_volume::SLOTS;

    use super::*;

    const TOOK: Duration = Duration::from_micros(100);

    fn write(traffic: &Traffic, volume: u32, owner: u32, bytes: u64) {
        traffic.count_bytes(|| VolumeId(owner), VolumeId(volume), Direction::Write, bytes, TOOK);
    }

    fn written(traffic: &Traffic, alive: impl Fn(u32) -> bool) -> Vec<(u32, u64)> {
        let (volumes, _) = traffic.snapshot(|id| alive(id.0));
        volumes.into_iter().map(|(id, traffic)| (id.0, traffic.written.bytes)).collect()
    }

    #[test]
    fn volumes_are_told_apart_and_snapshots_count_with_theirs() {
        let traffic = Traffic::default();
        write(&traffic, 1, 1, 10);
        write(&traffic, 2, 2, 20);
        // A snapshot of the first volume, and a volume with the same place in the table.
        traffic.count_bytes(|| VolumeId(1), VolumeId(3), Direction::Read, 7, TOOK);
        write(&traffic, 1 + SLOTS as u32, 1 + SLOTS as u32, 40);
        assert_eq!(written(&traffic, |_| true), [(1, 10), (2, 20), (1 + SLOTS as u32, 40)]);
        let (volumes, _) = traffic.snapshot(|_| true);
        let first = &volumes[&VolumeId(1)];
        assert_eq!((first.read.bytes, first.read.times.count(), first.written.times.count()), (7, 1, 1));
    }
}
