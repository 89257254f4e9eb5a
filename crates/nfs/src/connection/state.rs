//! The state of a TCP connection.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::watch;

use super::caller::Caller;
use super::replies::Replies;
use crate::policy::Decisions;
use crate::protection::Protection;
use forebay_net::memory::{Backlog, Waiting};
use forebay_nfs_proto::rpc::message::Call;
use forebay_nfs_proto::xdr::{Decoder, Encoder};

/// A TCP connection from a client.
///
/// Any connection may carry any session (RFC 8881 §2.10.3.1), since state protection is not offered. A
/// session knows its connections so that operators can see them. A connection knows its session because
/// connections without one are closed first.
#[derive(Debug)]
pub struct Connection {
    /// The connection's sequential number.
    pub id: u64,
    /// The client's address.
    pub peer: SocketAddr,
    /// Cached decisions of the export policies about the client.
    pub(crate) decisions: Decisions,
    /// The number of the session last used on it, so that a session is informed of a connection only once.
    session_last: AtomicU64,
    session: Mutex<Option<Weak<dyn Carried>>>,
    ending: watch::Sender<bool>,
    tls_offered: AtomicBool,
    protection: OnceLock<Protection>,
    backlog: OnceLock<Arc<Backlog>>,
    /// Set once the connection is served.
    caller: OnceLock<Caller>,
}

/// What a connection needs to know about a session that it carries.
pub(crate) trait Carried: Send + Sync {
    /// Whether the session's client is gone.
    fn is_gone(&self) -> bool;
}

/// Reserved space for a reply that is being built.
#[derive(Debug, Default)]
pub(crate) struct ReplyRoom(Vec<Waiting>);

impl Connection {
    /// A connection with this number, from this address.
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

    /// Sends calls to the client through the queue of its replies.
    pub(crate) fn call_through(&self, replies: &Arc<Replies>) {
        self.caller.get_or_init(|| Caller::new(replies));
    }

    /// Calls the client and returns its result. Fails if the connection is gone, or if the client refuses the
    /// call or does not answer within `patience`.
    pub async fn call(&self, call: Call, arguments: Encoder, patience: Duration) -> io::Result<Decoder> {
        let caller = self.caller.get().ok_or(io::ErrorKind::NotConnected)?;
        caller.call(call, arguments, patience).await
    }

    /// Accepts the client's answer to a call. Returns an error if there was no such call.
    pub(crate) fn take_answer(&self, record: Bytes) -> io::Result<()> {
        let expected = self.caller.get().is_some_and(|caller| caller.take(record));
        if expected { Ok(()) } else { Err(io::Error::new(io::ErrorKind::InvalidData, "a reply to no call")) }
    }

    /// Records that the session with this number is used on the connection. Returns true if the previous one
    /// was another.
    pub(crate) fn carry<S: Carried + 'static>(&self, session: &Arc<S>, number: u64) -> bool {
        if self.session_last.swap(number, Ordering::Relaxed) == number {
            return false;
        }
        let session: Arc<dyn Carried> = session.clone();
        *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::downgrade(&session));
        true
    }

    /// Whether the last session used on it still exists.
    pub fn carries_session(&self) -> bool {
        let known = self.session.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let session = known.as_ref().and_then(Weak::upgrade);
        session.is_some_and(|session| !session.is_gone())
    }

    /// Sets the account for the client's unread replies.
    pub(crate) fn set_backlog(&self, backlog: Arc<Backlog>) {
        // Called once, before the first request.
        let _ = self.backlog.set(backlog);
    }

    /// Reserves `bytes` more space in the reply to a request. Waits until the client has read enough of its
    /// replies. A reply that already has space does not wait, so that partially built replies are finished.
    pub(crate) async fn reserve_reply(&self, room: &mut ReplyRoom, bytes: usize) {
        let Some(backlog) = self.backlog.get() else { return };
        if room.0.is_empty() {
            backlog.room().await;
        }
        room.0.push(backlog.add(bytes));
    }

    /// Records that the client was told that it may use TLS (RFC 9289 §4.1).
    pub(crate) fn offer_tls(&self) {
        self.tls_offered.store(true, Ordering::Relaxed);
    }

    /// Whether a handshake may follow.
    pub(crate) fn tls_is_offered(&self) -> bool {
        self.tls_offered.load(Ordering::Relaxed) && self.protection().is_none()
    }

    /// Records that TLS is used from now on.
    pub(crate) fn is_protected_by(&self, protection: Protection) {
        // There is only one handshake per connection.
        let _ = self.protection.set(protection);
    }

    /// How the connection is protected; `None` without TLS.
    pub fn protection(&self) -> Option<&Protection> {
        self.protection.get()
    }

    /// Requests that the connection be closed. Requests that were already read are still executed.
    pub(crate) fn end(&self) {
        self.ending.send_replace(true);
    }

    /// Waits until the connection must be closed.
    pub(crate) async fn ended(&self) {
        // The sender lives as long as `self`.
        let _ = self.ending.subscribe().wait_for(|ending| *ending).await;
    }
}
