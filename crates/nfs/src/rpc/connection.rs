//! What is known of a TCP connection.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;

use super::caller::Caller;
use super::message::Call;
use super::replies::Replies;
use crate::policy::gate::Decisions;
use crate::xdr::{Decoder, Encoder};

/// A TCP connection from a client.
///
/// Any connection may carry any session (RFC 8881 §2.10.3.1), as state protection is not offered. Sessions know their connections only for operators to see.
#[derive(Debug)]
pub struct Connection {
    /// Counts the server's connections.
    pub id: u64,
    /// The client's address.
    pub peer: SocketAddr,
    /// What export policies say of the client.
    pub decisions: Decisions,
    /// The number of the session that was used on it last, so that a session is told of a connection once.
    session_last: AtomicU64,
    /// Set once the connection is served.
    caller: OnceLock<Caller>,
}

impl Connection {
    /// The connection of that number, from that address.
    pub fn new(id: u64, peer: SocketAddr) -> Connection {
        Connection {
            id,
            peer,
            decisions: Decisions::default(),
            session_last: AtomicU64::new(u64::MAX),
            caller: OnceLock::new(),
        }
    }

    /// Calls of the client go the way of the replies to it.
    pub(super) fn call_through(&self, replies: &Arc<Replies>) {
        self.caller.get_or_init(|| Caller::new(replies));
    }

    /// Calls the client, and returns the result. Fails if the connection is gone, the client refuses the call, or does
    /// not answer within `patience`.
    pub async fn call(&self, call: Call, arguments: Encoder, patience: Duration) -> io::Result<Decoder> {
        let caller = self.caller.get().ok_or(io::ErrorKind::NotConnected)?;
        caller.call(call, arguments, patience).await
    }

    /// Takes the client's answer to a call; an error if there was no such call.
    pub(super) fn take_answer(&self, record: Bytes) -> io::Result<()> {
        let expected = self.caller.get().is_some_and(|caller| caller.take(record));
        if expected { Ok(()) } else { Err(io::Error::new(io::ErrorKind::InvalidData, "a reply to no call")) }
    }

    /// Whether another session than this was used on the connection before.
    pub fn is_new_to(&self, session: u64) -> bool {
        self.session_last.swap(session, Ordering::Relaxed) != session
    }
}
