//! The protocol's state: clients and their leases, opens, locks, and what survives a restart.
//!
//! [`State`] (in `protocol`) is the only interface for operations. Its parts:
//!
//! - `registry`: all clients, confirmed or not; `client`: one client with its lease,
//! - `table`: opens and locks, by stateid; `share` and `ranges` implement share reservations and byte-range
//!   locks, `stateid` the format of stateids, `hold` keeps an open inode alive,
//! - `records`: the durable records of clients with state; `recovery`: the grace period that they are for,
//! - `operators`: what operators can see, evict and revoke; `view`: how they see it,
//! - `volumes`: sets of volumes,
//! - `lease`: eviction of silent clients; `courtesy`: how long they keep their state,
//! - `files`: operations of clients on files.
//!
//! Lock order: the registry, then the table. Each is held for a few lookups and never across an `await`. Work
//! on disk (records) happens in between.
//!
//! A client whose lease has expired keeps its state as a courtesy for a day, unless it conflicts with the
//! needs of others. Then it is *evicted*: its sessions become void immediately, its durable record is
//! removed, and only then can others take its opens and locks. This order prevents a client that has lost a
//! lock from reclaiming it after a restart.

mod activity;
mod client;
mod courtesy;
mod files;
mod hold;
mod lease;
mod operators;
mod protocol;
mod ranges;
mod records;
mod recovery;
mod registry;
mod share;
mod stateid;
mod table;
mod view;
mod volumes;

pub use activity::{ActivityView, TransfersView};
pub(crate) use client::FirstSession;
pub use client::{Client, CreateSessionSlot, Renewal};
pub use files::{IoBasis, Locked};
pub use protocol::State;
pub use ranges::{Held, LockKind, Range};
pub use share::Share;
pub use table::{Denied, OpenRoom};
pub use view::{
    Census, ClientTraffic, ClientView, Condition, Excerpt, GraceView, LockHolder, LockView, MemoryView,
    OpenView, OpenedAs,
};
