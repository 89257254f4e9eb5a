//! One connection: reads requests, executes them, and sends the replies.
//!
//! A request starts on the connection's own task. If it can be answered without waiting, that is all;
//! otherwise the rest of it becomes a separate task, so that a slow request delays no other and replies are
//! sent as they become ready. The number of requests in progress per connection is limited, and so is the
//! total size of requests in progress and of unread replies. Beyond these limits further data waits in the
//! sockets, and so do the clients. A request that was read is executed to its end even if its connection
//! breaks: the reply is kept in the session's slot.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedReadHalf;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;

use super::incoming::Incoming;
use crate::config::Config;
use crate::connection::Connection;
use crate::connection::replies::{Replies, TRANSFER_TIME_MAX};
use crate::connection::secure::{HANDSHAKE, Secure};
use crate::dispatch;
use crate::shared::Shared;
use crate::statistics::Events;
use forebay_net::memory::Backlogs;
use forebay_net::memory::Buffers;
use forebay_net::memory::{RequestMemory, Share, Shares};
use forebay_nfs_proto::rpc::message;
use forebay_nfs_proto::rpc::record::{Received, RecordReader};

/// Maximum number of replies held back while further requests that have already arrived are executed.
const REPLIES_HELD_MAX: usize = 16;

/// How long a connection keeps its read buffer after its last request.
const BUFFER_TIME: Duration = Duration::from_secs(1);
/// Maximum duration of a handshake.
const HANDSHAKE_TIME_MAX: Duration = Duration::from_secs(20);
/// When an idle connection is probed, and how often afterwards.
const PROBE_AFTER: Duration = Duration::from_secs(60);
const PROBE_EVERY: Duration = Duration::from_secs(10);

/// The server's resources for a connection.
#[derive(Clone)]
pub(super) struct Resources {
    pub(super) shared: Arc<Shared>,
    pub(super) memory: Arc<Memory>,
    pub(super) draining: watch::Receiver<bool>,
}

/// The memory for requests: while they are received, while they are in progress, and for their replies.
pub(super) struct Memory {
    buffers: Buffers,
    receiving: Shares,
    in_work: Shares,
    answered: Backlogs,
}

impl Memory {
    pub(super) fn new(config: &Config) -> Self {
        let bytes_max = config.requests_bytes_max;
        Memory {
            buffers: Buffers::new(bytes_max / 4),
            receiving: Shares::new(bytes_max / 2),
            in_work: Shares::new(bytes_max),
            answered: Backlogs::new(bytes_max),
        }
    }
}

/// Waits until the server is shutting down, or is already gone.
pub(super) async fn asked_to_drain(draining: &mut watch::Receiver<bool>) {
    let _ = draining.wait_for(|draining| *draining).await;
}

/// Detects within three minutes that a peer has disappeared: Linux gives up after nine probes.
fn keepalive() -> TcpKeepalive {
    TcpKeepalive::new().with_time(PROBE_AFTER).with_interval(PROBE_EVERY)
}

/// Serves a connection until the client closes it or is out of step, the connection breaks, or the server
/// shuts down.
pub(super) async fn serve_connection(resources: Resources, connection: Arc<Connection>, stream: TcpStream) {
    tracing::debug!(id = connection.id, peer = %connection.peer, "NFS connection opened");
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(id = connection.id, %error, "connection stays with Nagle's algorithm");
    }
    if let Err(error) = SockRef::from(&stream).set_tcp_keepalive(&keepalive()) {
        tracing::debug!(id = connection.id, %error, "connection is not probed; it ends when it is idle too long");
    }
    if resources.shared.config.resets_connections
        && let Err(error) = SockRef::from(&stream).set_linger(Some(Duration::ZERO))
    {
        tracing::debug!(id = connection.id, %error, "connection may stay in the kernel after its end");
    }
    let (reading, writing) = stream.into_split();
    let client = connection.peer.ip();
    let backlog = Arc::new(resources.memory.answered.of(client));
    connection.set_backlog(backlog.clone());
    let replies = Replies::new(writing, backlog);
    connection.call_through(&replies);
    let in_work_max = resources.shared.config.requests_per_connection_max;
    let in_work = Arc::new(Semaphore::new(in_work_max));
    let reader = Reader {
        receiving: resources.memory.receiving.of(client),
        share: resources.memory.in_work.of(client),
        resources,
        connection: connection.clone(),
        replies: replies.clone(),
        in_work: in_work.clone(),
    };
    tokio::select! {
        ended = reader.read_requests(reading) => {
            if let Err(error) = ended {
                tracing::debug!(id = connection.id, peer = %connection.peer, %error, "NFS connection is out of step");
            }
            // Replies of requests in progress are still sent.
            replies.flush();
            let all = u32::try_from(in_work_max).unwrap_or(u32::MAX);
            tokio::select! {
                _ = in_work.acquire_many(all) => {}
                () = replies.closed() => {}
            }
        }
        () = replies.closed() => {}
        () = connection.ended() => tracing::debug!(id = connection.id, "NFS connection makes room for others"),
    }
    tracing::debug!(id = connection.id, peer = %connection.peer, "NFS connection closed");
}

/// The reading side of a connection.
struct Reader {
    resources: Resources,
    receiving: Share,
    share: Share,
    connection: Arc<Connection>,
    replies: Arc<Replies>,
    in_work: Arc<Semaphore>,
}

impl Reader {
    /// Reads requests and starts each of them, until there are no more.
    async fn read_requests(mut self, socket: OwnedReadHalf) -> io::Result<()> {
        let record_bytes_max = self.resources.shared.config.record_bytes_max as usize;
        let buffers = self.resources.memory.buffers.counted_in(self.receiving.clone());
        let mut reader = RecordReader::with_buffers(Incoming::new(socket), record_bytes_max, buffers);
        let mut held = 0;
        loop {
            if !reader.has_record() || held >= REPLIES_HELD_MAX {
                self.replies.flush();
                held = 0;
            }
            if !self.replies.backlog().has_room() {
                self.events().reply_memory_waits.one();
                self.replies.flush();
                self.replies.backlog().room().await;
            }
            let permit = self.take_place().await?;
            if !reader.has_record() && !self.await_request(&mut reader).await? {
                return Ok(());
            }
            if reader.peek() == Some(HANDSHAKE) && self.connection.tls_is_offered() {
                drop(permit);
                let secured = timeout(HANDSHAKE_TIME_MAX, self.secure(&mut reader)).await;
                self.events().shook_hands(matches!(secured, Ok(Ok(()))));
                secured??;
                continue;
            }
            let Some(received) = timeout(TRANSFER_TIME_MAX, reader.receive()).await?? else {
                return Ok(());
            };
            self.begin(received, permit).await?;
            held += 1;
        }
    }

    fn events(&self) -> &Events {
        &self.resources.shared.statistics.events
    }

    /// Waits until the connection may have another request in progress.
    async fn take_place(&self) -> io::Result<OwnedSemaphorePermit> {
        if let Ok(permit) = self.in_work.clone().try_acquire_owned() {
            return Ok(permit);
        }
        self.replies.flush();
        self.in_work.clone().acquire_owned().await.map_err(io::Error::other)
    }

    /// Returns false if there will be no request: the server is shutting down, or the connection was idle too
    /// long.
    async fn await_request(&mut self, reader: &mut RecordReader<Incoming>) -> io::Result<bool> {
        let idle_time_max = Duration::from_secs(self.resources.shared.config.idle_seconds_max.into());
        let mut idle = Duration::ZERO;
        loop {
            // At first the buffer is kept, since it may be needed again soon.
            let wait = if idle.is_zero() { BUFFER_TIME.min(idle_time_max) } else { idle_time_max - idle };
            tokio::select! {
                () = asked_to_drain(&mut self.resources.draining) => return Ok(false),
                ready = timeout(wait, reader.readable()) => match ready {
                    Ok(ready) => return ready.map(|()| true),
                    Err(_) => {
                        reader.rest();
                        idle += wait;
                    }
                },
            }
            if idle >= idle_time_max {
                if !self.may_stay_idle() {
                    return Ok(false);
                }
                idle = Duration::ZERO;
            }
        }
    }

    /// Performs the handshake that follows the offer of TLS.
    async fn secure(&self, reader: &mut RecordReader<Incoming>) -> io::Result<()> {
        let Some(tls) = &self.resources.shared.tls else { return Err(io::ErrorKind::Unsupported.into()) };
        // The offer itself may not be counted as sent yet. A client that follows RFC 9289 §4.1 has no other
        // request in progress.
        let all = u32::try_from(self.resources.shared.config.requests_per_connection_max).unwrap_or(u32::MAX);
        let _idle = self.in_work.acquire_many(all).await.map_err(io::Error::other)?;
        let (incoming, mut sealed) = reader.take_over();
        let accepted =
            Secure::accept(tls.current(), incoming.socket(), self.replies.socket(), &mut sealed).await;
        let (secure, protection) = accepted.inspect_err(|error| {
            tracing::info!(peer = %self.connection.peer, %error, "TLS handshake failed");
        })?;
        let secure = Arc::new(secure);
        incoming.secure(secure.clone(), sealed);
        self.replies.secure(secure);
        self.connection.is_protected_by(protection);
        Ok(())
    }

    /// Whether the connection may stay open while idle: another request is in progress, or it carries a
    /// session, which lives as long as its client's lease.
    fn may_stay_idle(&self) -> bool {
        let in_work_max = self.resources.shared.config.requests_per_connection_max;
        self.in_work.available_permits() + 1 < in_work_max || self.connection.carries_session()
    }

    /// Executes a request here if it need not wait, otherwise in a separate task.
    async fn begin(&self, received: Received, permit: OwnedSemaphorePermit) -> io::Result<()> {
        let Received { record, room } = received;
        if message::is_reply(&record) {
            return self.connection.take_answer(record);
        }
        // Charged once the record is complete, so that a client that sends slowly takes no memory from
        // requests in progress.
        let before_waiting = || {
            self.events().request_memory_waits.one();
            self.replies.flush();
        };
        let memory = self.share.take(record.len(), before_waiting).await?;
        drop(room);
        let request = Request { replies: self.replies.clone(), permit: Some(permit), memory: memory.into() };
        let mut answering =
            Box::pin(request.answer(self.resources.shared.clone(), self.connection.clone(), record));
        // There is no await between these two, so a request that has started is never dropped.
        if poll_once(answering.as_mut()).await.is_pending() {
            let replies = self.replies.clone();
            tokio::spawn(async move {
                answering.await;
                replies.flush();
            });
        }
        Ok(())
    }
}

/// Polls the future once, without waiting.
async fn poll_once<F: Future>(mut future: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
}

/// A request in progress. If it is dropped without a reply, its connection is closed, so that the client
/// retries instead of waiting forever.
struct Request {
    replies: Arc<Replies>,
    permit: Option<OwnedSemaphorePermit>,
    memory: RequestMemory,
}

impl Request {
    /// Puts the reply into the queue; the caller must flush it.
    async fn answer(mut self, shared: Arc<Shared>, connection: Arc<Connection>, record: Bytes) {
        let memory = std::mem::take(&mut self.memory);
        match dispatch::answer(&shared, &connection, record, memory).await {
            Ok(pieces) => {
                shared.config.answers.permitted().await;
                // An I/O error would let Kafka take its log directory offline. The end of the connection lets the client repeat the request.
                if shared.config.gives_way && shared.pool.is_stopped() {
                    return;
                }
                if let Some(permit) = self.permit.take() {
                    self.replies.push(pieces, permit);
                }
            }
            Err(error) => {
                tracing::debug!(id = connection.id, peer = %connection.peer, %error, "not an RPC call");
            }
        }
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        if self.permit.is_some() {
            self.replies.end();
            self.replies.flush();
        }
    }
}
