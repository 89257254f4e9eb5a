//! What one client has, and the memory that it takes.

use std::collections::{HashSet, hash_set};
use std::sync::Arc;

use crate::memory::audit::RANGE_BYTES;
use crate::memory::{Account, Charge, Kind, NoRoom};
use crate::state::stateid::StateKey;

/// See the module.
pub(super) struct Holdings {
    states: HashSet<StateKey>,
    ranges: usize,
    charge: Charge,
}

impl Holdings {
    /// Nothing yet.
    pub fn new(account: &Arc<Account>) -> Holdings {
        Holdings { states: HashSet::new(), ranges: 0, charge: account.nothing(Kind::File) }
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.states.len()
    }

    pub fn keys(&self) -> hash_set::Iter<'_, StateKey> {
        self.states.iter()
    }

    pub fn into_keys(self) -> hash_set::IntoIter<StateKey> {
        self.states.into_iter()
    }

    /// How many ranges are locked.
    pub fn ranges(&self) -> usize {
        self.ranges
    }

    /// Charges a state of so many bytes. It is charged as one of a client that has something, since that is what it becomes by it.
    pub fn charge_state(&mut self, bytes: usize) -> Result<(), NoRoom> {
        self.charge.account().note_files(true);
        let charged = self.charge(bytes);
        if charged.is_err() {
            self.note_files();
        }
        charged
    }

    /// Lists a state that is charged.
    pub fn insert(&mut self, key: StateKey) {
        self.states.insert(key);
    }

    /// Takes a state of so many bytes off the list, and so many ranges with it.
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

    /// Charges so many bytes more.
    pub fn charge(&mut self, bytes: usize) -> Result<(), NoRoom> {
        self.charge.resize(self.charge.bytes() + bytes)
    }

    /// Charges so many bytes more if there is room.
    pub fn charge_if_room(&mut self, bytes: usize) -> bool {
        self.charge.resize_if_room(self.charge.bytes() + bytes)
    }

    /// Charges so many bytes more for what has been taken.
    pub fn settle(&mut self, bytes: usize) {
        self.charge.settle(self.charge.bytes() + bytes);
    }

    pub fn give_back(&mut self, bytes: usize) {
        self.charge.settle(self.charge.bytes().saturating_sub(bytes));
    }

    /// So many ranges have become so many others.
    pub fn change_ranges(&mut self, before: usize, after: usize) {
        self.ranges = (self.ranges + after).saturating_sub(before);
        self.settle(after * RANGE_BYTES);
        self.give_back(before * RANGE_BYTES);
    }
}
