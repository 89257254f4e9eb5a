//! The memory kept for clients between requests, and its size.
//!
//! | what | where | charged | bytes |
//! |---|---|---|---|
//! | registration, confirmed or not, with the reply to the last CREATE_SESSION | `state::registry` | yes | [`client_bytes`] |
//! | the durable record of a client with state, as it is in memory | `state::records` | with the registration | |
//! | session, its callback credential, the task that probes its back channel | `session::table` | yes, a client's first one with the registration | [`SESSION_BYTES`] |
//! | slots that were used, with a reply of usual length | `session::slots` | yes | [`SLOT_BYTES`] each |
//! | long reply kept in a slot | `session::slot` | yes | [`further_reply_bytes`] |
//! | open, its owner, the name it was opened by, the pool's hold on the file | `state::table` | yes | [`open_bytes`] |
//! | lock owner on a file | `state::table` | yes | [`lock_bytes`] |
//! | locked range | `state::ranges` | yes | [`RANGE_BYTES`] |
//! | stateid that was revoked and not freed | `state::table` | yes | [`REVOKED_BYTES`] |
//! | which slots have rows with outcomes, in a session that exists | `session::slot` | with the slot | |
//! | which slots have rows with outcomes, in sessions that ended | `replies::ended` | no: at most 65,536 rows, 200 bytes each | |
//! | records of clients from before a restart | `state::records` | no: limited by the former number of clients, and removed with the grace period | |
//!
//! State of connections is bounded by their number (`nfs.connections_max`): places in the roster, outgoing
//! replies, and cached decisions of export policies for recently used volumes. The outcomes themselves are in the
//! pool only: one row for each used slot, and those that `replies::ended` counts. The following has its own
//! bounds: records of refusals (`policy::refusals`), and cached answers of the user database (`identity`).
//!
//! A stored reply takes exactly as many bytes as it has. The figures are for a 64-bit system, and include the
//! spare capacity of growing tables and the overhead of allocations.
//! `crates/nfs/tests/server/state_memory/` compares them with the memory use of a server process.

/// Overhead of an allocation.
const ALLOCATION_BYTES: usize = 16;
/// Overhead of a hash table entry beside its key and value; tables are between half and seven eighths full.
const TABLE_ENTRY_BYTES: usize = 24;
/// Maximum length of a stored credential for callbacks, in bytes.
const CREDENTIAL_BYTES: usize = 400;
/// A task that probes a back channel.
const PROBE_BYTES: usize = 1024;

/// A `state::Client`. That module asserts that it is no larger.
pub(crate) const CLIENT_OBJECT_BYTES: usize = 1200;
/// A `session::Session`, likewise.
pub(crate) const SESSION_OBJECT_BYTES: usize = 336;
/// A slot of a session, likewise.
pub(crate) const SLOT_OBJECT_BYTES: usize = 64;

/// Number of a session's connections shown to operators, the most recently used: as many as a Linux client
/// makes.
pub(crate) const CONNECTIONS_MAX: usize = 16;

/// A session without slots.
pub const SESSION_BYTES: usize = SESSION_OBJECT_BYTES
    + CREDENTIAL_BYTES
    + PROBE_BYTES
    + CONNECTIONS_MAX * size_of::<usize>()
    + 2 * TABLE_ENTRY_BYTES
    + 8 * ALLOCATION_BYTES;
/// A slot with a reply of usual length.
pub const SLOT_BYTES: usize = SLOT_OBJECT_BYTES + 2 * ALLOCATION_BYTES + REPLY_BYTES_PAID;
/// Number of slots that a new session has.
pub const SLOTS_FIRST: usize = 4;
/// A reply up to this length is covered by its slot's charge: that of an OPEN or a CLOSE with attributes, as
/// Linux sends them.
const REPLY_BYTES_PAID: usize = 512;
/// A locked range: an entry of a tree whose nodes are at least half full.
pub const RANGE_BYTES: usize = 64;
/// A revoked stateid.
pub const REVOKED_BYTES: usize = 2 * TABLE_ENTRY_BYTES;

/// An open with its lock state and index entries, without names. While a file is open, the pool keeps its
/// inode in memory.
const OPEN_BYTES: usize = 1400;
const LOCK_BYTES: usize = 512;

/// A registration of a client with a name of this length, and its first session.
pub const fn client_bytes(name: usize) -> usize {
    CLIENT_OBJECT_BYTES + 512 + name + SESSION_BYTES + SLOTS_FIRST * SLOT_BYTES
}

/// The charge for a reply of this length beyond its slot's, including the allocator's overhead for long ones.
pub const fn further_reply_bytes(reply: usize) -> usize {
    let further = reply.saturating_sub(REPLY_BYTES_PAID);
    further + further / 8
}

/// An open by an owner with a name of this length, of a file opened by a name of this length.
pub const fn open_bytes(owner: usize, opened_as: usize) -> usize {
    OPEN_BYTES + owner + opened_as
}

/// The locks of an owner with a name of this length, without the ranges.
pub const fn lock_bytes(owner: usize) -> usize {
    LOCK_BYTES + owner
}
