//! Counters of bytes read from and written to each volume.
//!
//! Each volume with traffic has a slot in a table of fixed size. A slot is found by the volume's id without a
//! lock: its entry is one atomic number, set with one compare-and-swap when the volume is first used. A
//! snapshot has a slot that points to its volume's slot, where its traffic is counted. The slots of deleted
//! volumes are released when the table is read.
//!
//! What must hold: no request waits here, and no traffic of one volume is counted for another, apart from a
//! request that ends at the very moment at which its volume's slot is released. If two requests create two
//! slots for one volume at that moment, both are counted: the reader adds up the slots of a volume.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use forebay_pool::{Distribution, Histogram, Pool, VolumeId};

use forebay_nfs_proto::xdr::nfs4::{OperationResult, ReadPlusContent};

/// Number of volumes and snapshots with their own slot; further ones are counted together.
const SLOTS: usize = 4096;
/// An entry that was never used, and one that may be reused. Ids begin with 1.
const EMPTY: u64 = 0;
const GONE: u64 = u64::MAX;

/// The direction of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Read,
    Write,
}

/// The traffic of all volumes.
pub(crate) struct Traffic {
    slots: Box<[Slot]>,
    rest: Counted,
}

#[derive(Default)]
struct Slot {
    /// [`EMPTY`], [`GONE`], or an id with, in the lower half, the id under which it is counted.
    entry: AtomicU64,
    counted: OnceLock<Box<Counted>>,
}

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

impl Default for Traffic {
    fn default() -> Self {
        Traffic { slots: (0..SLOTS).map(|_| Slot::default()).collect(), rest: Counted::default() }
    }
}

impl Traffic {
    /// Counts an operation on a volume if it is one that can transfer data.
    pub(crate) fn count(&self, pool: &Pool, volume: VolumeId, result: &OperationResult, took: Duration) {
        if let Some((direction, bytes)) = moved(result) {
            self.count_bytes(|| owner(pool, volume), volume, direction, bytes, took);
        }
    }

    fn count_bytes(
        &self,
        owner: impl FnOnce() -> VolumeId,
        volume: VolumeId,
        direction: Direction,
        bytes: u64,
        took: Duration,
    ) {
        let counted = self.counted(owner, volume);
        let way = match direction {
            Direction::Read => &counted.read,
            Direction::Write => &counted.written,
        };
        way.bytes.fetch_add(bytes, Ordering::Relaxed);
        way.times.record(took);
    }

    fn counted(&self, owner: impl FnOnce() -> VolumeId, volume: VolumeId) -> &Counted {
        let Some((slot, owner)) = self.slot(volume, owner) else { return &self.rest };
        let slot =
            if owner == volume { Some(slot) } else { self.slot(owner, || owner).map(|(slot, _)| slot) };
        slot.map_or(&self.rest, |slot| slot.counted.get_or_init(Box::default))
    }

    /// The slot of a volume, and the volume under which it is counted; `None` if there is no free slot.
    fn slot(&self, volume: VolumeId, owner: impl FnOnce() -> VolumeId) -> Option<(&Slot, VolumeId)> {
        let mut free = None;
        for slot in self.from(volume) {
            match slot.entry.load(Ordering::Acquire) {
                GONE => free = free.or(Some((slot, GONE))),
                EMPTY => {
                    free = free.or(Some((slot, EMPTY)));
                    break;
                }
                entry if id_of(entry) == volume => return Some((slot, owner_of(entry))),
                _ => {}
            }
        }
        let owner = owner();
        let (slot, found) = free?;
        let entry = u64::from(volume.0) << 32 | u64::from(owner.0);
        match slot.entry.compare_exchange(found, entry, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Some((slot, owner)),
            Err(taken) if id_of(taken) == volume => Some((slot, owner_of(taken))),
            // Another volume has just taken the slot. A request may be counted among the rest then, once in a
            // volume's life.
            Err(_) => None,
        }
    }

    /// All slots, in the probing order for that volume.
    fn from(&self, volume: VolumeId) -> impl Iterator<Item = &Slot> {
        let start = volume.0 as usize % SLOTS;
        let (before, after) = self.slots.split_at(start.min(self.slots.len()));
        after.iter().chain(before)
    }

    /// The counts of each volume that is `alive`, and of those without their own slot. Releases the slots of
    /// the others.
    pub(crate) fn snapshot(
        &self,
        alive: impl Fn(VolumeId) -> bool,
    ) -> (BTreeMap<VolumeId, VolumeTraffic>, VolumeTraffic) {
        let mut volumes: BTreeMap<VolumeId, VolumeTraffic> = BTreeMap::new();
        for slot in &self.slots {
            let entry = slot.entry.load(Ordering::Acquire);
            if entry == EMPTY || entry == GONE {
                continue;
            }
            let (id, owner) = (id_of(entry), owner_of(entry));
            if !alive(id) {
                slot.give_back(entry);
            } else if id == owner {
                let counted = slot.counted.get().map(|counted| counted.snapshot());
                volumes.entry(id).or_default().add(&counted.unwrap_or_default());
            }
        }
        (volumes, self.rest.snapshot())
    }
}

impl Slot {
    fn give_back(&self, entry: u64) {
        if let Some(counted) = self.counted.get() {
            counted.clear();
        }
        let _ = self.entry.compare_exchange(entry, GONE, Ordering::AcqRel, Ordering::Acquire);
    }
}

impl Counted {
    fn clear(&self) {
        for way in [&self.read, &self.written] {
            way.bytes.store(0, Ordering::Relaxed);
            way.times.clear();
        }
    }

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

fn id_of(entry: u64) -> VolumeId {
    VolumeId((entry >> 32) as u32)
}

fn owner_of(entry: u64) -> VolumeId {
    VolumeId(entry as u32)
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

    #[test]
    fn a_slot_that_was_given_back_begins_with_nothing() {
        let traffic = Traffic::default();
        write(&traffic, 1, 1, 10);
        write(&traffic, 1 + SLOTS as u32, 1 + SLOTS as u32, 40);
        assert_eq!(written(&traffic, |id| id != 1), [(1 + SLOTS as u32, 40)]);
        let reused = 1 + 2 * SLOTS as u32;
        write(&traffic, reused, reused, 5);
        write(&traffic, 1 + SLOTS as u32, 1 + SLOTS as u32, 2);
        assert_eq!(written(&traffic, |_| true), [(1 + SLOTS as u32, 42), (reused, 5)]);
        assert_eq!(
            traffic.slots.iter().filter(|slot| slot.entry.load(Ordering::Relaxed) != EMPTY).count(),
            2
        );
    }

    #[test]
    fn what_has_no_slot_counts_together() {
        let traffic = Traffic::default();
        for volume in 1..=SLOTS as u32 + 50 {
            write(&traffic, volume, volume, 1);
        }
        let (volumes, rest) = traffic.snapshot(|_| true);
        assert_eq!((volumes.len(), rest.written.bytes), (SLOTS, 50));
    }

    #[test]
    fn many_threads_lose_no_count() {
        let traffic = Traffic::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..2000).for_each(|round| write(&traffic, 1 + round % 8, 1 + round % 8, 3)));
            }
        });
        let (volumes, rest) = traffic.snapshot(|_| true);
        let of_volumes: u64 = volumes.values().map(|traffic| traffic.written.bytes).sum();
        assert_eq!(of_volumes + rest.written.bytes, 4 * 2000 * 3);
    }
}
