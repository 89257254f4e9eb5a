//! Outcomes of operations that survive a restart (persistent sessions, RFC 8881 §2.10.6.5).
//!
//! If the server dies between an operation and its reply, the client sends the request again, under the same session, slot and
//! sequence id. A RENAME that is executed again finds no old name, a CREATE finds the new one. So the pool stores the *outcome* of
//! such an operation in the same batch as its effect ([`Recording`]), and a request of a session from before the restart is
//! answered from the outcomes ([`Replies::find`]), without being executed. [`Row`] is the format.
//!
//! Outcomes and not replies, because a reply is complete only after the last operation, whereas each operation is durable by
//! itself. The operations in between that only read are executed again (`dispatch::replay`).
//!
//! A slot has one row, and its next operation of this kind overwrites it. The rows of a session are deleted with DESTROY_SESSION,
//! or when the client has returned as another incarnation or has sent RECLAIM_COMPLETE in a later session. Rows of a session that
//! ended otherwise are kept for an hour: those from before a restart, and those of a client that was evicted.

mod ended;
mod recording;
mod row;
mod store;

pub(crate) use recording::Recording;
pub(crate) use row::Row;
pub use store::Replies;
