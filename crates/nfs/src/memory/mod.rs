//! The memory that is kept for clients from one request to the next, and how it is shared out.
//!
//! Whoever reaches the port can register clients, create sessions and have replies kept, so all of that is charged to an
//! [`Account`], one for each client, before it is allocated. Every [`Charge`] lives in the object that takes the memory, and ends with it.
//! [`audit`] lists what is charged, and what it costs. The accounts together never exceed the bound (`nfs.state_max`).
//!
//! How much an account may have depends on what its client has shown:
//!
//! ```text
//! ┌─── 1/4: floors ───┬──────────────────── 3/4: common part ───────────────────────┐
//! │ as much for each  │ clients that have files open: all of it                     │
//! │ client as for any ├───────────────────────────────────┐                         │
//! │ other             │ all others: 1/4 of it             │                         │
//! │                   ├────────────────────────────┐      │                         │
//! │                   │ those that have used no    │      │                         │
//! │                   │ export: 1/4 of that        │      │                         │
//! └───────────────────┴────────────────────────────┴──────┴─────────────────────────┘
//! ```
//!
//! - The *floor* is the memory that every client can have, whatever the others do: the number of clients is bounded, and a quarter of the
//!   memory is set aside for it. A mount and a few open files fit.
//! - A [`Standing::Stranger`] has used no export, and perhaps cannot.
//! - A [`Standing::Guest`] has used an export, and has nothing open.
//! - A [`Standing::Holder`] has files open. All of the common part is there for holders.
//!
//! Within the common part a client is its IP address, as for the memory of requests: an address gets no more than it leaves for the
//! others. One greedy address ends at half, two at a third each, so there is always some left for another.
//!
//! A charge that does not fit is refused before anything is done, and the caller is told to come again (NFS4ERR_DELAY). Nothing that was
//! answered is ever forgotten for want of memory. With a registration is charged what its client needs to give up what it has: a session, and
//! room in it for replies of usual length.

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

/// The least memory with which a client is of use: a registration, a session with some slots, and a few open files.
const FLOOR_BYTES_MIN: usize = 16 << 10;
/// The part that is set aside for floors, the guests' part of the rest, and the strangers' of that: one of so many.
const PART: usize = 4;

/// A table that is not larger is kept as it is.
const TABLE_CAPACITY_KEPT: usize = 64;

/// The memory kept for the clients of one server.
pub struct StateMemory {
    limits: Limits,
    books: Mutex<Books>,
    complaints: Mutex<LogLimiter>,
    /// Something was refused since somebody looked.
    wanted: AtomicBool,
    started: Instant,
}

/// See the module.
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

/// How the memory stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateUsage {
    /// Bytes that may be taken.
    pub bytes_max: u64,
    /// Bytes taken by registrations.
    pub clients: u64,
    /// Bytes taken by sessions, their slots and the replies kept in them.
    pub sessions: u64,
    /// Bytes taken by opens and locks.
    pub files: u64,
    /// Charges that were refused, for each of the three.
    pub refused: [u64; 3],
}

impl StateUsage {
    /// All bytes taken.
    pub fn bytes(&self) -> u64 {
        self.clients + self.sessions + self.files
    }
}

impl StateMemory {
    /// Memory of at most `bytes_max` bytes for at most `clients_max` clients, or as many as it has floors for.
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

    /// How many clients there may be.
    pub fn clients_max(&self) -> usize {
        self.limits.clients_max
    }

    /// An account for a client that registers from that address.
    pub fn open_account(self: &Arc<Self>, address: IpAddr) -> Arc<Account> {
        Account::open(self.clone(), address.to_canonical())
    }

    /// How many accounts there are for clients that registered from that address.
    pub fn accounts_of(&self, address: IpAddr) -> usize {
        self.books().accounts_of(address.to_canonical())
    }

    /// How the memory stands.
    pub fn usage(&self) -> StateUsage {
        self.books().usage(&self.limits)
    }

    /// Whether something was refused since this was last asked.
    pub fn take_wanted(&self) -> bool {
        self.wanted.swap(false, Ordering::Relaxed)
    }

    /// How much must be given back so that the address finds room again: an eighth of what it may have.
    pub fn to_give_back(&self, address: IpAddr) -> usize {
        self.books().to_give_back(address.to_canonical(), &self.limits)
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        // The books are changed by additions that cannot fail, so a panic elsewhere leaves no half-done change.
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Milliseconds since the server started, and never 0.
    fn now_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX).max(1)
    }

    /// Counts a refusal, and says now and then who has most.
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

/// Gives back what a table no longer needs, once most of it is empty.
pub(crate) fn shrink<K: Eq + Hash, V>(table: &mut HashMap<K, V>) {
    if table.capacity() > TABLE_CAPACITY_KEPT && table.len() < table.capacity() / 4 {
        table.shrink_to(2 * table.len());
    }
}

#[cfg(test)]
mod tests;
