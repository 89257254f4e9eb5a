//! One connection: reads requests, has them answered, sends the replies.
//!
//! A request begins to be answered on the connection's own task. If it can be answered without waiting, that is all; else the rest of
//! it becomes a task of its own, so a slow one delays no other, and replies go out as they come. What a connection
//! may have in work at a time is bounded, and so are the bytes of all requests in work; beyond that the rest waits in the
//! sockets, and the clients with it. A request that was read is executed to its end even if its connection breaks: the
//! reply waits in the session's slot.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedReadHalf;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;

use super::Connection;
use super::buffers::Buffers;
use super::message;
use super::record::RecordReader;
use super::replies::{Replies, TRANSFER_TIME_MAX};
use crate::config::Config;
use crate::dispatch;
use crate::shared::Shared;

/// Replies that may wait while further requests, which have arrived already, are answered.
const REPLIES_HELD_MAX: usize = 16;

/// What a connection needs of the server.
#[derive(Clone)]
pub(super) struct Resources {
    pub(super) shared: Arc<Shared>,
    pub(super) memory: Arc<Memory>,
    pub(super) draining: watch::Receiver<bool>,
}

/// The memory that requests may take: while they are received, and while they are in work.
pub(super) struct Memory {
    buffers: Buffers,
    /// In KiB.
    free: Arc<Semaphore>,
    total: u32,
}

impl Memory {
    pub(super) fn new(config: &Config) -> Self {
        let total = u32::try_from(config.requests_bytes_max >> 10).unwrap_or(u32::MAX).max(1);
        let buffers = Buffers::new(config.requests_bytes_max / 2, config.requests_bytes_max / 4);
        Memory { buffers, free: Arc::new(Semaphore::new(total as usize)), total }
    }

    /// Waits for memory to keep a record of that length in work.
    async fn take(&self, record_bytes: usize, replies: &Arc<Replies>) -> io::Result<OwnedSemaphorePermit> {
        let wanted = u32::try_from(record_bytes >> 10).unwrap_or(u32::MAX).clamp(1, self.total);
        take(&self.free, wanted, replies).await
    }
}

/// Waits for permits; what others may be waiting for is sent before.
async fn take(
    free: &Arc<Semaphore>,
    wanted: u32,
    replies: &Arc<Replies>,
) -> io::Result<OwnedSemaphorePermit> {
    if let Ok(permit) = free.clone().try_acquire_many_owned(wanted) {
        return Ok(permit);
    }
    replies.flush();
    free.clone().acquire_many_owned(wanted).await.map_err(io::Error::other)
}

/// Waits until the server is to finish; that it is gone altogether says so too.
pub(super) async fn asked_to_drain(draining: &mut watch::Receiver<bool>) {
    let _ = draining.wait_for(|draining| *draining).await;
}

/// Serves a connection until the client is done or out of step, the connection breaks, or the server drains.
pub(super) async fn serve_connection(resources: Resources, connection: Arc<Connection>, stream: TcpStream) {
    tracing::debug!(id = connection.id, peer = %connection.peer, "NFS connection opened");
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(id = connection.id, %error, "connection stays with Nagle's algorithm");
    }
    let (reading, writing) = stream.into_split();
    let replies = Replies::new(writing);
    connection.call_through(&replies);
    let in_work_max = resources.shared.config.requests_per_connection_max;
    let in_work = Arc::new(Semaphore::new(in_work_max));
    let reader = Reader {
        resources,
        connection: connection.clone(),
        replies: replies.clone(),
        in_work: in_work.clone(),
    };
    tokio::select! {
        ended = reader.run(reading) => {
            if let Err(error) = ended {
                tracing::debug!(id = connection.id, peer = %connection.peer, %error, "NFS connection is out of step");
            }
            // The replies in work still go out.
            replies.flush();
            let all = u32::try_from(in_work_max).unwrap_or(u32::MAX);
            tokio::select! {
                _ = in_work.acquire_many(all) => {}
                () = replies.closed() => {}
            }
        }
        () = replies.closed() => {}
    }
    tracing::debug!(id = connection.id, peer = %connection.peer, "NFS connection closed");
}

/// The reading side of a connection.
struct Reader {
    resources: Resources,
    connection: Arc<Connection>,
    replies: Arc<Replies>,
    in_work: Arc<Semaphore>,
}

impl Reader {
    async fn run(mut self, stream: OwnedReadHalf) -> io::Result<()> {
        let record_bytes_max = self.resources.shared.config.record_bytes_max as usize;
        let buffers = self.resources.memory.buffers.clone();
        let mut reader = RecordReader::with_buffers(stream, record_bytes_max, buffers);
        let mut held = 0;
        loop {
            if !reader.has_record() || held >= REPLIES_HELD_MAX {
                self.replies.flush();
                held = 0;
            }
            let permit = take(&self.in_work, 1, &self.replies).await?;
            if !reader.has_record() && !self.await_request(&mut reader).await? {
                return Ok(());
            }
            let Some(record) = timeout(TRANSFER_TIME_MAX, reader.next()).await?? else {
                return Ok(());
            };
            self.begin(record, permit).await?;
            held += 1;
        }
    }

    /// False if there will be none: the server drains, or nothing came for too long.
    async fn await_request(&mut self, reader: &mut RecordReader<OwnedReadHalf>) -> io::Result<bool> {
        let config = &self.resources.shared.config;
        let idle_time_max = Duration::from_secs(config.idle_seconds_max.into());
        loop {
            tokio::select! {
                () = asked_to_drain(&mut self.resources.draining) => return Ok(false),
                ready = timeout(idle_time_max, reader.readable()) => match ready {
                    Ok(ready) => return ready.map(|()| true),
                    // Something is in work beside the request that is waited for.
                    Err(_) if self.in_work.available_permits() + 1 < config.requests_per_connection_max => {}
                    Err(_) => return Ok(false),
                },
            }
        }
    }

    /// Answers a request here if it need not wait, else in a task of its own.
    async fn begin(&self, record: Bytes, permit: OwnedSemaphorePermit) -> io::Result<()> {
        if message::is_reply(&record) {
            return self.connection.take_answer(record);
        }
        // Taken once the record is here, so that whoever is slow to send one takes nothing from requests in work.
        let memory = self.resources.memory.take(record.len(), &self.replies).await?;
        let request = Request { replies: self.replies.clone(), permit: Some(permit), _memory: memory };
        let mut answering =
            Box::pin(request.answer(self.resources.shared.clone(), self.connection.clone(), record));
        // There is no await between these two, so a request that has begun is never dropped.
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

/// Polls the future once, and does not wait.
async fn poll_once<F: Future>(mut future: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
}

/// A request in work. If it is dropped unanswered, its connection is closed, so that the client sends it
/// again instead of waiting for ever.
struct Request {
    replies: Arc<Replies>,
    permit: Option<OwnedSemaphorePermit>,
    _memory: OwnedSemaphorePermit,
}

impl Request {
    /// Leaves the reply in the queue; it is for the caller to flush it.
    async fn answer(mut self, shared: Arc<Shared>, connection: Arc<Connection>, record: Bytes) {
        match dispatch::answer(&shared, &connection, record).await {
            Ok(pieces) => {
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
