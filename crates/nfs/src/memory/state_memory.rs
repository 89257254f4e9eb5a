//! The memory used for the clients of one server: all accounts together.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::account::Account;
use super::books::{Books, Kind};
use super::limits::{Limits, StateUsage};
use forebay_net::LogLimiter;

/// The minimum useful memory per client: a registration, a session with some slots, and a few open files.
const FLOOR_BYTES_MIN: usize = 16 << 10;
/// The reserved part for floors, the guests' part of the rest, and the strangers' part of that are each one
/// in this many.
const PART: usize = 4;

/// The memory used for the clients of one server.
pub struct StateMemory {
    pub(super) limits: Limits,
    books: Mutex<Books>,
    complaints: Mutex<LogLimiter>,
    /// Set when a charge is refused; cleared when read.
    wanted: AtomicBool,
    started: Instant,
}

impl StateMemory {
    /// Memory of at most `bytes_max` bytes, for at most `clients_max` clients or as many as it has floors
    /// for.
    pub fn new(bytes_max: usize, clients_max: usize) -> Arc<Self> {
        let for_floors = bytes_max / PART;
        let floor = (for_floors / clients_max.max(1)).max(FLOOR_BYTES_MIN);
        let common_max = bytes_max - for_floors;
        let limits = Limits {
            bytes_max,
            clients_max: clients_max.min(for_floors / floor).max(1),
            floor,
            common_max,
            guests_max: common_max / PART,
            strangers_max: common_max / PART / PART,
        };
        Arc::new(StateMemory {
            limits,
            books: Mutex::default(),
            complaints: Mutex::default(),
            wanted: AtomicBool::new(false),
            started: Instant::now(),
        })
    }

    /// Maximum number of clients.
    pub fn clients_max(&self) -> usize {
        self.limits.clients_max
    }

    /// Opens an account for a client that registers from this address.
    pub fn open_account(self: &Arc<Self>, address: IpAddr) -> Arc<Account> {
        Account::open(self.clone(), address.to_canonical())
    }

    /// Number of accounts of clients that registered from this address.
    pub fn accounts_of(&self, address: IpAddr) -> usize {
        self.books().accounts_of(address.to_canonical())
    }

    /// Current memory use.
    pub fn usage(&self) -> StateUsage {
        self.books().usage(&self.limits)
    }

    /// Whether a charge was refused since the last call.
    pub fn take_wanted(&self) -> bool {
        self.wanted.swap(false, Ordering::Relaxed)
    }

    /// Number of bytes to free so that the address has room again: an eighth of its limit.
    pub fn to_give_back(&self, address: IpAddr) -> usize {
        self.books().to_give_back(address.to_canonical(), &self.limits)
    }

    pub(super) fn books(&self) -> MutexGuard<'_, Books> {
        // The books change by additions that cannot fail, so a panic elsewhere leaves no partial change.
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Milliseconds since the server started; never 0.
    pub(super) fn now_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX).max(1)
    }

    /// Counts a refusal, and occasionally logs which address uses most.
    pub(super) fn note_refusal(&self, kind: Kind, address: IpAddr) {
        self.wanted.store(true, Ordering::Relaxed);
        self.books().count_refusal(kind);
        let due = self.complaints.lock().unwrap_or_else(PoisonError::into_inner).due();
        let Some(refused) = due else { return };
        let (usage, most) = {
            let books = self.books();
            (books.usage(&self.limits), books.most())
        };
        if let Some((most, most_bytes, most_clients)) = most {
            tracing::warn!(
                refused, for_client_at = %address, wanted_for = kind.name(), bytes = usage.bytes(), bytes_max = usage.bytes_max,
                %most, most_bytes, most_clients,
                "NFS clients wait for memory that is kept for clients: raise nfs.state_max, or find out what the clients at the address \
                 with most do (`forebay nfs clients`)"
            );
        }
    }
}
