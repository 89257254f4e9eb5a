//! The sums over all accounts, and the decision whether one may grow.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::limits::{Limits, StateUsage};
use super::shrink::shrink;

/// What memory is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A registration.
    Client,
    /// A session, its slots and stored replies.
    Session,
    /// Opens and locks.
    File,
}

impl Kind {
    /// The name in metrics and the log.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Client => "clients",
            Kind::Session => "sessions",
            Kind::File => "files",
        }
    }
}

/// What a client has done so far, which determines its share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// Has used no export.
    #[default]
    Stranger,
    /// Has used an export, and has nothing open.
    Guest,
    /// Has open files.
    Holder,
}

/// The state of one account in the books.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    pub bytes: usize,
    pub standing: Standing,
}

impl Entry {
    fn excess(self, limits: &Limits) -> usize {
        self.bytes.saturating_sub(limits.floor)
    }
}

/// The sums over all accounts.
#[derive(Debug, Default)]
pub(super) struct Books {
    by_kind: [usize; 3],
    /// Beyond the accounts' floors.
    excess: Excess,
    addresses: HashMap<IpAddr, Address>,
    refused: [u64; 3],
}

/// Memory that accounts use beyond their floors.
#[derive(Clone, Copy, Debug, Default)]
struct Excess {
    all: usize,
    /// By guests and strangers.
    guests: usize,
    strangers: usize,
}

impl Excess {
    fn of(entry: Entry, limits: &Limits) -> Excess {
        let all = entry.excess(limits);
        let guests = if entry.standing == Standing::Holder { 0 } else { all };
        let strangers = if entry.standing == Standing::Stranger { all } else { 0 };
        Excess { all, guests, strangers }
    }

    fn add(&mut self, other: Excess) {
        self.all += other.all;
        self.guests += other.guests;
        self.strangers += other.strangers;
    }

    fn subtract(&mut self, other: Excess) {
        self.all = self.all.saturating_sub(other.all);
        self.guests = self.guests.saturating_sub(other.guests);
        self.strangers = self.strangers.saturating_sub(other.strangers);
    }
}

/// The sums over the accounts of clients at one address.
#[derive(Debug, Default)]
struct Address {
    accounts: Arc<AtomicUsize>,
    bytes: usize,
    excess: Excess,
}

impl Address {
    fn accounts(&self) -> usize {
        self.accounts.load(Ordering::Relaxed)
    }
}

impl Books {
    /// Opens an account. Returns a counter of the accounts at the address.
    pub fn open_account(&mut self, address: IpAddr) -> Arc<AtomicUsize> {
        let accounts = &self.addresses.entry(address).or_default().accounts;
        accounts.fetch_add(1, Ordering::Relaxed);
        accounts.clone()
    }

    /// Closes an account, which must be empty.
    pub fn close_account(&mut self, address: IpAddr) {
        let Some(sums) = self.addresses.get_mut(&address) else { return };
        if sums.accounts.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.addresses.remove(&address);
            shrink(&mut self.addresses);
        }
    }

    pub fn accounts_of(&self, address: IpAddr) -> usize {
        self.addresses.get(&address).map_or(0, Address::accounts)
    }

    /// Whether the account may grow by this many bytes.
    pub fn admits(&self, address: IpAddr, entry: Entry, bytes: usize, limits: &Limits) -> bool {
        let after = Entry { bytes: entry.bytes.saturating_add(bytes), ..entry };
        let total: usize = self.by_kind.iter().sum();
        if total.saturating_add(bytes) > limits.bytes_max {
            return false;
        }
        let growth = after.excess(limits) - entry.excess(limits);
        if growth == 0 {
            return true;
        }
        let own = self.addresses.get(&address).map(|sums| sums.excess).unwrap_or_default();
        let taken = self.excess;
        let in_common = leaves_as_much(own.all, taken.all, growth, limits.common_max);
        let as_guest = || leaves_as_much(own.guests, taken.guests, growth, limits.guests_max);
        let as_stranger = || leaves_as_much(own.strangers, taken.strangers, growth, limits.strangers_max);
        in_common
            && match entry.standing {
                Standing::Stranger => as_guest() && as_stranger(),
                Standing::Guest => as_guest(),
                Standing::Holder => true,
            }
    }

    /// Updates the sums after a change of an account.
    pub fn change(&mut self, address: IpAddr, kind: Kind, before: Entry, after: Entry, limits: &Limits) {
        let sum = &mut self.by_kind[kind as usize];
        *sum = (*sum + after.bytes).saturating_sub(before.bytes);
        let (excess_before, excess_after) = (Excess::of(before, limits), Excess::of(after, limits));
        self.excess.subtract(excess_before);
        self.excess.add(excess_after);
        if let Some(sums) = self.addresses.get_mut(&address) {
            sums.bytes = (sums.bytes + after.bytes).saturating_sub(before.bytes);
            sums.excess.subtract(excess_before);
            sums.excess.add(excess_after);
        }
    }

    pub fn count_refusal(&mut self, kind: Kind) {
        self.refused[kind as usize] += 1;
    }

    /// The address that uses most: the address, its bytes, and its number of accounts.
    pub fn most(&self) -> Option<(IpAddr, usize, usize)> {
        let all = self.addresses.iter().map(|(address, sums)| (*address, sums.bytes, sums.accounts()));
        all.max_by_key(|(_, bytes, _)| *bytes)
    }

    pub fn to_give_back(&self, address: IpAddr, limits: &Limits) -> usize {
        let own = self.addresses.get(&address).map_or(0, |sums| sums.excess.all);
        let others = self.excess.all.saturating_sub(own);
        let may_have = limits.common_max.saturating_sub(others) / 2;
        own.saturating_sub(may_have - may_have / 8)
    }

    pub fn usage(&self, limits: &Limits) -> StateUsage {
        let [clients, sessions, files] = self.by_kind.map(|bytes| bytes as u64);
        StateUsage { bytes_max: limits.bytes_max as u64, clients, sessions, files, refused: self.refused }
    }
}

/// Whether a client that has `own` of the `taken` bytes still leaves as much free as it has after growing by
/// `growth`.
fn leaves_as_much(own: usize, taken: usize, growth: usize, bytes_max: usize) -> bool {
    let left = bytes_max.saturating_sub(taken.saturating_add(growth));
    own.saturating_add(growth) <= left
}
