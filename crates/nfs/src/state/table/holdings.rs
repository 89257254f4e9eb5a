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
    /// Counts, with its other references, the opens that have room reserved.
    reserved: Arc<()>,
    ranges: usize,
    charge: Charge,
    /// The volumes that the client's durable record names.
    recorded: Volumes,
    /// The volumes in which it has state, or had some when [`Holdings::forget_unused_volumes`] was called last.
    volumes: BTreeMap<VolumeId, Use>,
}

/// Room for one more open of a client, until this value is dropped or the open is made.
pub struct OpenRoom {
    charge: Charge,
    _place: Arc<()>,
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
            reserved: Arc::default(),
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

    /// Number of states and of opens that have room reserved.
    pub fn states_and_reserved(&self) -> usize {
        self.states.len() + Arc::strong_count(&self.reserved) - 1
    }

    /// Reserves room for an open of this size.
    pub fn reserve(&self, bytes: usize) -> Result<OpenRoom, NoRoom> {
        let charge = self.charge.account().charge_for_open(bytes)?;
        Ok(OpenRoom { charge, _place: self.reserved.clone() })
    }

    /// Uses the room for a state, like [`Holdings::charge_state`].
    pub fn use_room(&mut self, room: OpenRoom) {
        self.charge.account().note_files(true);
        self.charge.absorb(room.charge);
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

    /// Like [`Holdings::is_recorded`]. State is about to come, so the volume is not forgotten soon.
    pub fn is_recorded_for_use(&mut self, volume: VolumeId) -> bool {
        let is_recorded = self.is_recorded(volume);
        if is_recorded {
            self.volumes.entry(volume).or_default().idle = false;
        }
        is_recorded
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

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;
    use crate::memory::{Standing, StateMemory};

    const VOLUME: VolumeId = VolumeId(7);

    fn holdings() -> Holdings {
        let memory = StateMemory::new(1 << 20, 1);
        Holdings::new(&memory.open_account(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1))))
    }

    #[test]
    fn a_volume_is_not_forgotten_while_state_in_it_is_about_to_come() {
        let mut holdings = holdings();
        assert!(!holdings.is_recorded_for_use(VOLUME), "it was never recorded");
        holdings.set_recorded(&Volumes::These([VOLUME].into()));
        for _ in 0..3 {
            assert_eq!(holdings.forget_unused_volumes(), None);
            assert!(holdings.is_recorded_for_use(VOLUME));
        }
        assert_eq!(holdings.forget_unused_volumes(), None);
        assert_eq!(holdings.forget_unused_volumes(), Some(Volumes::NONE));
        assert!(!holdings.is_recorded_for_use(VOLUME));
    }

    #[test]
    fn reserved_room_is_used_or_given_back() {
        let mut holdings = holdings();
        let account = holdings.charge.account().clone();
        let (one, two) = (holdings.reserve(1000).unwrap(), holdings.reserve(1000).unwrap());
        assert_eq!((holdings.states(), holdings.states_and_reserved()), (0, 2));
        assert_eq!((account.bytes(), account.standing()), (2000, Standing::Stranger));
        assert!(holdings.reserve(2 << 20).is_err());
        drop(one);
        assert_eq!((account.bytes(), holdings.states_and_reserved()), (1000, 1));
        holdings.use_room(two);
        holdings.insert(StateKey(1), VOLUME);
        assert_eq!((holdings.states(), holdings.states_and_reserved()), (1, 1));
        assert_eq!((account.bytes(), account.standing()), (1000, Standing::Holder));
        holdings.remove((StateKey(1), VOLUME), 1000, 0);
        assert_eq!((account.bytes(), account.standing()), (0, Standing::Stranger));
    }
}
