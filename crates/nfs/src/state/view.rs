//! Clients, opens and locks as operators see them.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use forebay_pool::Handle;

use super::activity::ActivityView;
use super::ranges::Held;
use super::share::Share;
use crate::memory::StateUsage;
use forebay_nfs_proto::xdr::nfs4::{ClientId, StateId};

/// A client as an operator sees it.
#[derive(Clone, Debug)]
pub struct ClientView {
    /// The client's id.
    pub id: ClientId,
    /// The owner string that the client sends.
    pub owner: Bytes,
    /// The address it registered from.
    pub address: SocketAddr,
    /// Bytes of memory used for its state.
    pub memory_bytes: u64,
    /// The client's state.
    pub condition: Condition,
    /// Time since its last request; zero while a request is in progress.
    pub silence: Duration,
    /// Number of open files.
    pub opens: usize,
    /// Number of separate locked ranges.
    pub locks: usize,
}

/// A client, and what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientTraffic {
    /// The client's id.
    pub id: ClientId,
    /// The owner string that the client sends.
    pub owner: Bytes,
    /// The address it registered from.
    pub address: SocketAddr,
    /// The client's state.
    pub condition: Condition,
    /// Time since its last request; zero while a request is in progress.
    pub silence: Duration,
    /// What it has done since it registered.
    pub activity: ActivityView,
}

/// The grace period as operators see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraceView {
    /// How long it takes at most, unless clients continue to reclaim.
    pub remaining: Duration,
    /// How long it has taken so far.
    pub elapsed: Duration,
    /// The owner strings of the clients that have not come back; at most sixteen. `None` if the records are being written.
    pub missing: Option<Vec<Bytes>>,
    /// The number of clients that have not come back.
    pub missing_count: usize,
}

/// The state of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The client has no session yet.
    Unconfirmed,
    /// The server restarted, and the client has not finished reclaiming.
    Reclaiming,
    /// The client has a valid lease.
    Confirmed,
    /// The lease has expired; the client keeps state that no other client needs.
    Courteous,
    /// The client is gone, and its state is being removed.
    Leaving,
}

/// The directory and the name by which a file was opened.
pub type OpenedAs = (Handle, Bytes);

/// An open as an operator sees it.
#[derive(Clone, Debug)]
pub struct OpenView {
    /// The open's stateid.
    pub stateid: StateId,
    /// The client.
    pub client: ClientId,
    /// The client's name for the owner.
    pub owner: Bytes,
    /// The open file.
    pub file: Handle,
    /// The directory and the name by which it was opened, if it was by name.
    pub opened_as: Option<OpenedAs>,
    /// The access it has, and the access it denies to others.
    pub share: Share,
}

/// The locks of one owner on one file, as an operator sees them.
#[derive(Clone, Debug)]
pub struct LockView {
    /// The stateid of the locks.
    pub stateid: StateId,
    /// The client.
    pub client: ClientId,
    /// The client's name for the owner.
    pub owner: Bytes,
    /// The locked file.
    pub file: Handle,
    /// The directory and the name by which the file was opened, if it was by name.
    pub opened_as: Option<OpenedAs>,
    /// The ranges.
    pub held: Vec<Held>,
}

/// A client that has a part of a file locked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockHolder {
    /// The client's id.
    pub client: ClientId,
    /// The owner string that the client sends.
    pub owner: Bytes,
    /// The address it registered from.
    pub address: SocketAddr,
    /// The client's state.
    pub condition: Condition,
    /// Time since its last request; zero while a request is in progress.
    pub silence: Duration,
}

/// A part of a list, and its total length.
#[derive(Clone, Debug)]
pub struct Excerpt<T> {
    /// The oldest items.
    pub items: Vec<T>,
    /// The total number of items.
    pub total: usize,
}

/// Number of clients by state, and totals of their opens and locks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// See [`Condition::Unconfirmed`].
    pub unconfirmed: u64,
    /// See [`Condition::Reclaiming`].
    pub reclaiming: u64,
    /// See [`Condition::Confirmed`].
    pub confirmed: u64,
    /// See [`Condition::Courteous`].
    pub courteous: u64,
    /// See [`Condition::Leaving`].
    pub leaving: u64,
    /// Opens of all clients.
    pub opens: u64,
    /// Separate locked ranges of all clients.
    pub locks: u64,
}

/// The memory used for clients, and evictions for lack of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryView {
    /// Current use.
    pub usage: StateUsage,
    /// Unconfirmed or silent clients, and clients that had used no export, that were removed because there
    /// were too many clients.
    pub evicted_for_clients: u64,
    /// Clients whose lease had expired, and that were removed because others needed the memory.
    pub evicted_for_memory: u64,
}
