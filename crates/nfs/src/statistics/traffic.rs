//! What is read from and written to each volume.
//!
//! Each volume that sees traffic has a slot in a table of fixed size. A slot is found by the volume's id, without a lock: the
//! entry is one atomic number, taken with one compare-and-swap when the volume is first used. Snapshots have a slot that points to
//! their volume's, where they are counted. The slots of what is gone are given back when the table is read.
//!
//! What must hold: no request waits here, and no count of one volume shows up at another, apart from a request that ends at the very
//! moment at which its volume's slot is given back. Should two requests make two slots for one volume at that moment, both are
//! counted: whoever reads adds up by volume.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use forebay_pool::{Distribution, Histogram, Pool, VolumeId};

use forebay_nfs_proto::xdr::nfs4::{OperationResult, ReadPlusContent};

/// Volumes and snapshots with traffic that are told apart; further ones count together.
const SLOTS: usize = 4096;
/// An entry that was never used, and one that may be used again. Ids begin with 1.
const EMPTY: u64 = 0;
const GONE: u64 = u64::MAX;

/// Which way bytes go.
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
    /// [`EMPTY`], [`GONE`], or an id and in the lower half the id under which it counts.
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

/// What went one way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transfers {
    /// Bytes.
    pub bytes: u64,
    /// How long each operation took that moved some of them; how many those were, too.
    pub times: Distribution,
}

/// What was read from a volume and its snapshots, and written to it, since the server started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeTraffic {
    /// READ and READ_PLUS that succeeded.
    pub read: Transfers,
    /// WRITE that succeeded.
    pub written: Transfers,
}

impl Default for Traffic {
    fn default() -> Self {
        Traffic { slots: (0..SLOTS).map(|_| Slot::default()).collect(), rest: Counted::default() }
    }
}

impl Traffic {
    /// Counts an operation on a volume if it moved data, or could have.
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

    /// The slot of a volume, and the volume under which it counts; `None` if there is no slot for it.
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
            // Taken for another volume just now. Once in a volume's life a request counts among the rest then.
            Err(_) => None,
        }
    }

    /// All slots, in the order in which one of that volume is looked for.
    fn from(&self, volume: VolumeId) -> impl Iterator<Item = &Slot> {
        let start = volume.0 as usize % SLOTS;
        let (before, after) = self.slots.split_at(start.min(self.slots.len()));
        after.iter().chain(before)
    }

    /// What was counted of each volume that is `alive`, and of those that have no slot of their own. Gives back the slots of the others.
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
    /// Adds what was counted elsewhere.
    pub fn add(&mut self, other: &VolumeTraffic) {
        self.read.add(&other.read);
        self.written.add(&other.written);
    }
}

impl Transfers {
    /// Adds what was counted elsewhere.
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

/// The volume that a snapshot is of; any other volume itself.
fn owner(pool: &Pool, id: VolumeId) -> VolumeId {
    pool.snapshot_by_id(id).map_or(id, |snapshot| snapshot.volume)
}

/// What an operation moved, if it is one that moves data and succeeded.
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
        // A snapshot of the first, and a volume in the same place of the table.
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
