//! Counters of each volume or bucket, in a table of fixed size.
//!
//! Each volume that is counted has a slot. A slot is found by the volume's id without a lock: its entry is one atomic number, set
//! with one compare-and-swap when the volume is first counted. A snapshot has a slot that points to its volume's slot, where it is
//! counted. The slots of deleted volumes are released when the table is read.
//!
//! What must hold: no request waits here or allocates, except the first of a volume; and nothing of one volume is counted for
//! another, apart from a request that ends at the very moment at which its volume's slot is released. If two requests create two
//! slots for one volume at that moment, both are counted: the reader adds up the slots of a volume.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use forebay_pool::VolumeId;

/// Number of volumes and snapshots with their own slot; further ones are counted together.
pub const SLOTS: usize = 4096;
/// An entry that was never used, and one that may be reused. Ids begin with 1.
const EMPTY: u64 = 0;
const GONE: u64 = u64::MAX;

/// The counters of one volume.
pub trait Counters: Default {
    /// Sets all counters to zero.
    fn clear(&self);
}

/// The counters of all volumes.
pub struct PerVolume<C> {
    slots: Box<[Slot<C>]>,
    rest: C,
}

struct Slot<C> {
    /// [`EMPTY`], [`GONE`], or an id with, in the lower half, the id under which it is counted.
    entry: AtomicU64,
    counted: OnceLock<Box<C>>,
}

impl<C: Counters> Default for PerVolume<C> {
    fn default() -> Self {
        let slot = || Slot { entry: AtomicU64::new(EMPTY), counted: OnceLock::new() };
        PerVolume { slots: (0..SLOTS).map(|_| slot()).collect(), rest: C::default() }
    }
}

impl<C: Counters> PerVolume<C> {
    /// The counters of a volume. `owner` finds the volume that a snapshot belongs to; it is called once in a volume's life.
    pub fn of(&self, volume: VolumeId, owner: impl FnOnce() -> VolumeId) -> &C {
        let Some((slot, owner)) = self.slot(volume, owner) else { return &self.rest };
        let slot =
            if owner == volume { Some(slot) } else { self.slot(owner, || owner).map(|(slot, _)| slot) };
        slot.map_or(&self.rest, |slot| slot.counted.get_or_init(Box::default))
    }

    /// The counters of volumes beyond [`SLOTS`], together.
    pub fn rest(&self) -> &C {
        &self.rest
    }

    /// Passes the counters of each volume that is `alive` to `seen`, and releases the slots of the others. A volume may come twice:
    /// add its counters up.
    pub fn each(&self, alive: impl Fn(VolumeId) -> bool, mut seen: impl FnMut(VolumeId, &C)) {
        for slot in &self.slots {
            let entry = slot.entry.load(Ordering::Acquire);
            if entry == EMPTY || entry == GONE {
                continue;
            }
            let (id, owner) = (id_of(entry), owner_of(entry));
            if !alive(id) {
                slot.give_back(entry);
            } else if id == owner
                && let Some(counted) = slot.counted.get()
            {
                seen(id, counted);
            }
        }
    }

    /// The slot of a volume, and the volume under which it is counted; `None` if there is no free slot.
    fn slot(&self, volume: VolumeId, owner: impl FnOnce() -> VolumeId) -> Option<(&Slot<C>, VolumeId)> {
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
            // Another volume has just taken the slot. A request may be counted among the rest then, once in a volume's life.
            Err(_) => None,
        }
    }

    /// All slots, in the probing order for that volume.
    fn from(&self, volume: VolumeId) -> impl Iterator<Item = &Slot<C>> {
        let start = volume.0 as usize % SLOTS;
        let (before, after) = self.slots.split_at(start.min(self.slots.len()));
        after.iter().chain(before)
    }
}

impl<C: Counters> Slot<C> {
    fn give_back(&self, entry: u64) {
        if let Some(counted) = self.counted.get() {
            counted.clear();
        }
        let _ = self.entry.compare_exchange(entry, GONE, Ordering::AcqRel, Ordering::Acquire);
    }
}

fn id_of(entry: u64) -> VolumeId {
    VolumeId((entry >> 32) as u32)
}

fn owner_of(entry: u64) -> VolumeId {
    VolumeId(entry as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Sum(AtomicU64);

    impl Counters for Sum {
        fn clear(&self) {
            self.0.store(0, Ordering::Relaxed);
        }
    }

    fn add(table: &PerVolume<Sum>, volume: u32, count: u64) {
        let of = table.of(VolumeId(volume), || VolumeId(volume));
        of.0.fetch_add(count, Ordering::Relaxed);
    }

    fn sums(table: &PerVolume<Sum>, alive: impl Fn(u32) -> bool) -> Vec<(u32, u64)> {
        let mut all = Vec::new();
        table.each(|id| alive(id.0), |id, sum| all.push((id.0, sum.0.load(Ordering::Relaxed))));
        all.sort_unstable();
        all
    }

    #[test]
    fn a_slot_that_was_given_back_begins_with_nothing() {
        let table = PerVolume::default();
        let second = 1 + SLOTS as u32;
        add(&table, 1, 10);
        add(&table, second, 40);
        assert_eq!(sums(&table, |id| id != 1), [(second, 40)]);
        let reused = 1 + 2 * SLOTS as u32;
        add(&table, reused, 5);
        add(&table, second, 2);
        assert_eq!(sums(&table, |_| true), [(second, 42), (reused, 5)]);
        let used = table.slots.iter().filter(|slot| slot.entry.load(Ordering::Relaxed) != EMPTY);
        assert_eq!(used.count(), 2);
    }

    #[test]
    fn volumes_without_a_slot_count_together() {
        let table = PerVolume::default();
        (1..=SLOTS as u32 + 50).for_each(|volume| add(&table, volume, 1));
        assert_eq!((sums(&table, |_| true).len(), table.rest().0.load(Ordering::Relaxed)), (SLOTS, 50));
    }

    #[test]
    fn many_threads_lose_no_count() {
        let table = PerVolume::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..2000).for_each(|round| add(&table, 1 + round % 8, 3)));
            }
        });
        let counted: u64 = sums(&table, |_| true).into_iter().map(|(_, sum)| sum).sum();
        assert_eq!(counted + table.rest().0.load(Ordering::Relaxed), 4 * 2000 * 3);
    }
}
