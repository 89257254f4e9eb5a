//! The state of one client, and the memory for it.

use std::collections::{HashSet, hash_set};
use std::sync::Arc;

use crate::memory::audit::RANGE_BYTES;
use crate::memory::{Account, Charge, Kind, NoRoom};
use crate::state::stateid::StateKey;

/// See the module documentation.
pub(super) struct Holdings {
    states: HashSet<StateKey>,
    ranges: usize,
    charge: Charge,
}

impl Holdings {
    /// Without state.
    pub fn new(account: &Arc<Account>) -> Holdings {
        Holdings { states: HashSet::new(), ranges: 0, charge: account.nothing(Kind::File) }
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

    /// Adds a state that has been charged.
    pub fn insert(&mut self, key: StateKey) {
        self.states.insert(key);
    }

    /// Removes a state of this size, with this many ranges.
    pub fn remove(&mut self, key: StateKey, bytes: usize, ranges: usize) {
        self.states.remove(&key);
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
