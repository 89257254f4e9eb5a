//! The state of one client, and the memory for it.

use std::collections::{BTreeMap, HashSet, hash_set};
use std::sync::Arc;

use crate::memory::audit::RANGE_BYTES;
use crate::memory::{Account, Charge, Kind, NoRoom};
use crate::state::stateid::StateKey;
use crate::state::volumes::Volumes;
use forebay_pool::VolumeId;

/// See the module documentation.
pub(super) struct Holdings {
    states: HashSet<StateKey>,
    ranges: usize,
    charge: Charge,
    /// The volumes that the client's durable record names.
    recorded: Volumes,
    /// The volumes in which it has state, or had some when [`Holdings::forget_unused_volumes`] was called last.
    volumes: BTreeMap<VolumeId, Use>,
}

/// A record that names all volumes lists them again when they are as few as this.
const FEW_VOLUMES: usize = 32;

/// The state in one volume.
#[derive(Default)]
struct Use {
    states: usize,
    /// There was none at the last look.
    idle: bool,
}

impl Holdings {
    /// Without state.
    pub fn new(account: &Arc<Account>) -> Holdings {
        Holdings {
            states: HashSet::new(),
            ranges: 0,
            charge: account.nothing(Kind::File),
            recorded: Volumes::NONE,
            volumes: BTreeMap::new(),
        }
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.states.len()
    }

    pub fn keys(&self) -> hash_set::Iter<'_, StateKey> {
        self.states.iter()
    }

    pub fn into_keys(self) -> hash_set::IntoIter<StateKey> {
        self.states.into_iter()
    }

    /// Number of locked ranges.
    pub fn ranges(&self) -> usize {
        self.ranges
    }

    /// Charges a state of this size. The client is treated as one with open files, since the state makes it
    /// one.
    pub fn charge_state(&mut self, bytes: usize) -> Result<(), NoRoom> {
        self.charge.account().note_files(true);
        let charged = self.charge(bytes);
        if charged.is_err() {
            self.note_files();
        }
        charged
    }

    /// Whether the client's durable record names the volume.
    pub fn is_recorded(&self, volume: VolumeId) -> bool {
        self.recorded.contains(volume)
    }

    /// The record names these volumes, besides those that it named already.
    pub fn set_recorded(&mut self, volumes: &Volumes) {
        self.recorded.unite(volumes);
        if let Volumes::These(volumes) = volumes {
            // State is about to come.
            volumes.iter().for_each(|volume| self.volumes.entry(*volume).or_default().idle = false);
        }
    }

    /// See [`super::Table::forget_unused_volumes`]; none if nothing changes.
    pub fn forget_unused_volumes(&mut self) -> Option<Volumes> {
        self.volumes.retain(|_, used| {
            let keep = used.states > 0 || !used.idle;
            used.idle = used.states == 0;
            keep
        });
        let used = Volumes::These(self.volumes.keys().copied().collect());
        let is_unused = match (&self.recorded, &used) {
            (Volumes::These(recorded), Volumes::These(used)) => !recorded.is_subset(used),
            // It named too many to list them, or was written by a release that listed none.
            (Volumes::All, Volumes::These(used)) => used.len() <= FEW_VOLUMES,
            (_, Volumes::All) => false,
        };
        if !is_unused {
            return None;
        }
        self.recorded = self.recorded.within(&used);
        Some(self.recorded.clone())
    }

    /// Adds a state in a volume that has been charged.
    pub fn insert(&mut self, key: StateKey, volume: VolumeId) {
        self.states.insert(key);
        let used = self.volumes.entry(volume).or_default();
        used.states += 1;
        used.idle = false;
    }

    /// Removes a state of this size in a volume, with this many ranges.
    pub fn remove(&mut self, (key, volume): (StateKey, VolumeId), bytes: usize, ranges: usize) {
        if self.states.remove(&key)
            && let Some(used) = self.volumes.get_mut(&volume)
        {
            used.states = used.states.saturating_sub(1);
        }
        if self.states.len() < self.states.capacity() / 4 {
            self.states.shrink_to(2 * self.states.len());
        }
        self.ranges = self.ranges.saturating_sub(ranges);
        self.give_back(bytes);
        self.note_files();
    }

    fn note_files(&self) {
        self.charge.account().note_files(!self.states.is_empty());
    }

    /// Charges more bytes.
    pub fn charge(&mut self, bytes: usize) -> Result<(), NoRoom> {
        self.charge.resize(self.charge.bytes() + bytes)
    }

    /// Charges more bytes if there is room.
    pub fn charge_if_room(&mut self, bytes: usize) -> bool {
        self.charge.resize_if_room(self.charge.bytes() + bytes)
    }

    /// Charges more bytes for memory that is already in use.
    pub fn settle(&mut self, bytes: usize) {
        self.charge.settle(self.charge.bytes() + bytes);
    }

    pub fn give_back(&mut self, bytes: usize) {
        self.charge.settle(self.charge.bytes().saturating_sub(bytes));
    }

    /// Updates the charge for a change of the number of ranges.
    pub fn change_ranges(&mut self, before: usize, after: usize) {
        self.ranges = (self.ranges + after).saturating_sub(before);
        self.settle(after * RANGE_BYTES);
        self.give_back(before * RANGE_BYTES);
    }
}
