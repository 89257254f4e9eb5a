//! Sessions: exactly-once semantics over any number of connections (RFC 8881 §2.10).
//!
//! A session belongs to a client and has slots. A slot carries one request at a time and stores its reply, so
//! that a retry gets the stored reply instead of being executed again ([`slot`], [`slots`]). A request
//! holds its slot by a [`SlotGuard`].

mod attributes;
mod back_channel;
mod client_session;
mod slot;
mod slots;
mod start;
mod table;

pub(crate) use attributes::{negotiate, negotiate_back};
pub use back_channel::{Callback, Reach};
pub use client_session::Session;
pub use slot::{Fingerprint, Reply};
pub use start::{SlotGuard, Start};
pub use table::SessionTable;
