//! What is kept for clients from one request to the next, and what it costs.
//!
//! | what | where | charged | bytes |
//! |---|---|---|---|
//! | registration, confirmed or not, with the last CREATE_SESSION's reply | `state::registry` | yes | [`client_bytes`] |
//! | the durable record of a client with state, as it is in memory | `state::records` | with the registration | |
//! | session, its callback credential, the task that probes its back channel | `session::table` | yes, a client's first one with the registration | [`SESSION_BYTES`] |
//! | slots that were used, with a reply of usual length | `session::slots` | yes | [`SLOT_BYTES`] each |
//! | long reply kept in a slot | `session::slot` | yes | [`further_reply_bytes`] |
//! | open, its owner, the name it was opened by, the pool's hold on the file | `state::table` | yes | [`open_bytes`] |
//! | lock owner on a file | `state::table` | yes | [`lock_bytes`] |
//! | locked range | `state::ranges` | yes | [`RANGE_BYTES`] |
//! | stateid that was revoked and not freed | `state::table` | yes | [`REVOKED_BYTES`] |
//! | records of clients from before a restart | `state::records` | no: there are no more than there were clients, and they go with the grace period | |
//!
//! What is kept for connections, and bounded with them (`nfs.connections_max`): places in the roster, replies on their way, and what
//! export policies said of the last volumes used. What is bounded by itself: who was refused something (`policy::refusals`),
//! and what the database of users said (`identity`).
//!
//! Replies are kept in exactly as many bytes as they have. The figures are those of a 64-bit system, with the slack of growing tables and what an allocation takes beside what
//! was asked for. `crates/nfs/tests/server/state_memory.rs` compares them with what a server process takes.

use crate::session::{CONNECTIONS_MAX, Session, Slot};
use crate::state::Client;

/// What an allocation takes beside what was asked for.
pub(super) const ALLOCATION_BYTES: usize = 16;
/// An entry of a hash table beside its key and value, as tables are between half and seven eighths full.
const TABLE_ENTRY_BYTES: usize = 24;
/// Longest body of a credential for callbacks that clients can have the server keep, in bytes.
const CREDENTIAL_BYTES: usize = 400;
/// A task that probes a back channel.
const PROBE_BYTES: usize = 1024;

/// A session without slots.
pub const SESSION_BYTES: usize = size_of::<Session>()
    + CREDENTIAL_BYTES
    + PROBE_BYTES
    + CONNECTIONS_MAX * size_of::<usize>()
    + 2 * TABLE_ENTRY_BYTES
    + 8 * ALLOCATION_BYTES;
/// A slot, and a reply in it that is not long.
pub const SLOT_BYTES: usize = size_of::<Slot>() + 2 * ALLOCATION_BYTES + REPLY_BYTES_PAID;
/// Slots that a session begins with.
pub const SLOTS_FIRST: usize = 4;
/// A reply that is not longer takes nothing beside its slot: that of an OPEN or a CLOSE with attributes, as Linux sends them.
const REPLY_BYTES_PAID: usize = 512;
/// A locked range: an entry of a tree whose nodes are at least half full.
pub const RANGE_BYTES: usize = 64;
/// A revoked stateid.
pub const REVOKED_BYTES: usize = 2 * TABLE_ENTRY_BYTES;

/// An open and a lock state, with what tables list of them, but for the names. While a file is open, the pool keeps its inode in memory.
const OPEN_BYTES: usize = 1400;
const LOCK_BYTES: usize = 512;

/// A registration of a client with so long a name, and its first session.
pub const fn client_bytes(name: usize) -> usize {
    size_of::<Client>() + 512 + name + SESSION_BYTES + SLOTS_FIRST * SLOT_BYTES
}

/// What a reply of so many bytes takes beside its slot, with what an allocator wastes on long ones.
pub const fn further_reply_bytes(reply: usize) -> usize {
    let further = reply.saturating_sub(REPLY_BYTES_PAID);
    further + further / 8
}

/// An open of an owner with so long a name, opened by so long a name.
pub const fn open_bytes(owner: usize, opened_as: usize) -> usize {
    OPEN_BYTES + owner + opened_as
}

/// The locks of an owner with so long a name, without the ranges.
pub const fn lock_bytes(owner: usize) -> usize {
    LOCK_BYTES + owner
}
