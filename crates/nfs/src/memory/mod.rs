//! The memory kept for clients between requests, and how it is shared.
//!
//! Anyone who can reach the port can register clients, create sessions and make the server store replies. So
//! all of this is charged to an [`Account`], one per client, before it is allocated. Every [`Charge`] is
//! stored in the object that uses the memory, and ends with it. [`audit`] lists what is charged, and its
//! size. The sum of all accounts never exceeds the limit (`nfs.state_max`).
//!
//! The share of an account depends on what its client has done so far:
//!
//! ```text
//! ┌─── 1/4: floors ───┬──────────────────── 3/4: common part ───────────────────────┐
//! │ the same for      │ clients with open files: all                                │
//! │ every client      ├───────────────────────────────────┐                         │
//! │                   │ all others: 1/4                   │                         │
//! │                   ├────────────────────────────┐      │                         │
//! │                   │ clients that have used no  │      │                         │
//! │                   │ export: 1/4 of that        │      │                         │
//! └───────────────────┴────────────────────────────┴──────┴─────────────────────────┘
//! ```
//!
//! - The *floor* is memory that every client can use, whatever the others do. The number of clients is
//!   limited, and a quarter of the memory is reserved for their floors. A mount and a few open files fit.
//! - A [`Standing::Stranger`] has used no export, and may not be able to.
//! - A [`Standing::Guest`] has used an export, and has nothing open.
//! - A [`Standing::Holder`] has open files. Holders can use the whole common part.
//!
//! Within the common part a client is its IP address, as for the memory of requests. An address can use no
//! more than it leaves for others: a single greedy address ends at half, two at a third each. So there is
//! always some left for another.
//!
//! A charge that does not fit is refused before anything is done, and the client is asked to retry
//! (NFS4ERR_DELAY). Nothing that was acknowledged is ever dropped for lack of memory. A registration includes
//! the memory that its client needs to release its state: a session, with room for replies of usual length.

mod account;
pub mod audit;
mod books;

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

pub use account::{Account, Charge, NoRoom};
use books::Books;
pub use books::{Kind, Standing};

use forebay_net::LogLimiter;

/// The minimum useful memory per client: a registration, a session with some slots, and a few open files.
const FLOOR_BYTES_MIN: usize = 16 << 10;
/// The reserved part for floors, the guests' part of the rest, and the strangers' part of that are each one
/// in this many.
const PART: usize = 4;

/// A table up to this capacity is never shrunk.
const TABLE_CAPACITY_KEPT: usize = 64;

/// The memory used for the clients of one server.
pub struct StateMemory {
    limits: Limits,
    books: Mutex<Books>,
    complaints: Mutex<LogLimiter>,
    /// Set when a charge is refused; cleared when read.
    wanted: AtomicBool,
    started: Instant,
}

/// The limits; see the module documentation.
#[derive(Clone, Copy, Debug)]
struct Limits {
    bytes_max: usize,
    clients_max: usize,
    floor: usize,
    common_max: usize,
    /// For guests and strangers.
    guests_max: usize,
    strangers_max: usize,
}

/// Memory use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateUsage {
    /// Maximum number of bytes.
    pub bytes_max: u64,
    /// Bytes used by registrations.
    pub clients: u64,
    /// Bytes used by sessions, their slots and stored replies.
    pub sessions: u64,
    /// Bytes used by opens and locks.
    pub files: u64,
    /// Number of refused charges, for each of the three.
    pub refused: [u64; 3],
}

impl StateUsage {
    /// Total bytes used.
    pub fn bytes(&self) -> u64 {
        self.clients + self.sessions + self.files
    }
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

    fn books(&self) -> MutexGuard<'_, Books> {
        // The books change by additions that cannot fail, so a panic elsewhere leaves no partial change.
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Milliseconds since the server started; never 0.
    fn now_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX).max(1)
    }

    /// Counts a refusal, and occasionally logs which address uses most.
    fn note_refusal(&self, kind: Kind, address: IpAddr) {
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

/// Releases unused capacity of a table that is mostly empty.
pub(crate) fn shrink<K: Eq + Hash, V>(table: &mut HashMap<K, V>) {
    if table.capacity() > TABLE_CAPACITY_KEPT && table.len() < table.capacity() / 4 {
        table.shrink_to(2 * table.len());
    }
}

#[cfg(test)]
mod tests;
