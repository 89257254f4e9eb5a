//! What is known of a TCP connection.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::watch;

use super::caller::Caller;
use super::replies::Replies;
use super::secure::Protection;
use crate::policy::gate::Decisions;
use crate::session::Session;
use forebay_net::memory::{Backlog, Waiting};
use forebay_nfs_proto::rpc::message::Call;
use forebay_nfs_proto::xdr::{Decoder, Encoder};

/// A TCP connection from a client.
///
/// Any connection may carry any session (RFC 8881 §2.10.3.1), as state protection is not offered. Sessions know their
/// connections for operators to see; a connection knows its session because those that carry none are the first to go.
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
    session: Mutex<Weak<Session>>,
    ending: watch::Sender<bool>,
    tls_offered: AtomicBool,
    protection: OnceLock<Protection>,
    backlog: OnceLock<Arc<Backlog>>,
    /// Set once the connection is served.
    caller: OnceLock<Caller>,
}

/// Room for a part of a reply that is still being made.
#[derive(Debug, Default)]
pub struct ReplyRoom(Vec<Waiting>);

impl Connection {
    /// The connection of that number, from that address.
    pub fn new(id: u64, peer: SocketAddr) -> Connection {
        Connection {
            id,
            peer,
            decisions: Decisions::default(),
            session_last: AtomicU64::new(u64::MAX),
            session: Mutex::default(),
            ending: watch::Sender::new(false),
            tls_offered: AtomicBool::new(false),
            protection: OnceLock::new(),
            backlog: OnceLock::new(),
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

    /// Takes note that the session of that number is used on the connection; true if it was another one before.
    pub(crate) fn carry(&self, session: &Arc<Session>, number: u64) -> bool {
        if self.session_last.swap(number, Ordering::Relaxed) == number {
            return false;
        }
        *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(session);
        true
    }

    /// Whether a session that still exists was the last to be used on it.
    pub fn carries_session(&self) -> bool {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        session.is_some_and(|session| !session.client.is_gone())
    }

    /// Where what waits for the client is counted.
    pub(super) fn set_backlog(&self, backlog: Arc<Backlog>) {
        // Once, before the first request.
        let _ = self.backlog.set(backlog);
    }

    /// Room for so many bytes in the reply to a request, beside what it has already; waits until the client has taken enough
    /// of what waits for it. What has room already does not wait, so that replies that are half made are finished.
    pub(crate) async fn reserve_reply(&self, room: &mut ReplyRoom, bytes: usize) {
        let Some(backlog) = self.backlog.get() else { return };
        if room.0.is_empty() {
            backlog.room().await;
        }
        room.0.push(backlog.add(bytes));
    }

    /// Takes note that the client was told that it may use TLS (RFC 9289 §4.1).
    pub(crate) fn offer_tls(&self) {
        self.tls_offered.store(true, Ordering::Relaxed);
    }

    /// Whether a handshake may follow.
    pub(super) fn tls_is_offered(&self) -> bool {
        self.tls_offered.load(Ordering::Relaxed) && self.protection().is_none()
    }

    /// Takes note that TLS is used from now on.
    pub(super) fn is_protected_by(&self, protection: Protection) {
        // There is one handshake on a connection.
        let _ = self.protection.set(protection);
    }

    /// How the connection is protected; `None`: not at all.
    pub fn protection(&self) -> Option<&Protection> {
        self.protection.get()
    }

    /// Asks for the connection to be closed. Requests that were read are executed all the same.
    pub(crate) fn end(&self) {
        self.ending.send_replace(true);
    }

    /// Waits until the connection is to be closed.
    pub(super) async fn ended(&self) {
        // The sender lives as long as `self`.
        let _ = self.ending.subscribe().wait_for(|ending| *ending).await;
    }
}
