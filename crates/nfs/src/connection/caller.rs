//! Calls from the server to a client, on a connection that the client made: the back channel (RFC 8881
//! §2.10.3.1).
//!
//! A connection has at most one call in progress. A call is sent through the queue of replies, and its answer
//! is distinguished from the client's requests by the message type.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use super::replies::Replies;
use forebay_nfs_proto::rpc::message::{Call, ReplyHeader};
use forebay_nfs_proto::xdr::{Decode, Decoder, Encoder};

/// See the module documentation.
pub(super) struct Caller {
    replies: Weak<Replies>,
    /// Held during a call.
    turn: tokio::sync::Mutex<()>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    /// The xid of the last call.
    xid: u32,
    /// Receives its answer.
    answer: Option<oneshot::Sender<Bytes>>,
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").finish_non_exhaustive()
    }
}

impl Caller {
    pub(super) fn new(replies: &Arc<Replies>) -> Caller {
        Caller {
            replies: Arc::downgrade(replies),
            turn: tokio::sync::Mutex::default(),
            waiting: Mutex::default(),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls the client and returns its result. Fails if the connection is gone, or if the client refuses the
    /// call or does not answer within `patience`.
    pub(super) async fn call(
        &self,
        call: Call,
        arguments: Encoder,
        patience: Duration,
    ) -> io::Result<Decoder> {
        let _turn = self.turn.lock().await;
        let (answer, answered) = oneshot::channel();
        let xid = {
            let mut waiting = self.waiting();
            waiting.xid = waiting.xid.wrapping_add(1);
            waiting.answer = Some(answer);
            waiting.xid
        };
        self.send(Call { xid, ..call }, arguments).await?;
        let record = timeout(patience, answered).await?.map_err(|_| io::ErrorKind::ConnectionAborted)?;
        let mut input = Decoder::new(record);
        let header = ReplyHeader::decode(&mut input).map_err(io::Error::other)?;
        header.outcome.map(|()| input).map_err(|refusal| io::Error::other(format!("{refusal:?}")))
    }

    async fn send(&self, call: Call, arguments: Encoder) -> io::Result<()> {
        let mut out = Encoder::of(&call);
        out.append(arguments);
        // The queue requires a permit that reports the write; it is not used here.
        let permit = Arc::new(Semaphore::new(1)).acquire_owned().await.map_err(io::Error::other)?;
        let replies = self.replies.upgrade().ok_or(io::ErrorKind::NotConnected)?;
        replies.push(out.into_pieces(), permit);
        replies.flush();
        Ok(())
    }

    /// Accepts the answer to a call. Returns false if there was no such call.
    pub(super) fn take(&self, record: Bytes) -> bool {
        let Ok(xid) = u32::decode(&mut Decoder::new(record.clone())) else { return false };
        let mut waiting = self.waiting();
        if xid == waiting.xid
            && let Some(answer) = waiting.answer.take()
        {
            // The caller may have given up.
            let _ = answer.send(record);
            return true;
        }
        // A late answer.
        (1..=waiting.xid).contains(&xid)
    }
}
