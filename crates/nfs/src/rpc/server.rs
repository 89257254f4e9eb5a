//! The TCP server: accepts connections, reads requests, sends replies.
//!
//! Every connection has a task that reads and one that writes; every request has its own, so a slow one
//! delays no other, and replies go out as they come. What a connection may have in work at a time is
//! bounded, and so are the bytes of all requests in work; beyond that the rest waits in the sockets, and the
//! clients with it. A request that was read is executed to its end even if its connection breaks: the reply
//! waits in the session's slot.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::Connection;
use super::record::{RecordReader, write_record};
use crate::config::Config;
use crate::dispatch;
use crate::shared::Shared;

/// A record that has begun must arrive, and a reply must be taken, within this time.
const TRANSFER_TIME_MAX: Duration = Duration::from_secs(60);
/// How long the server waits for requests in work when it shuts down.
const DRAIN_TIME_MAX: Duration = Duration::from_secs(10);
/// Pause after the system refused a new connection, for example because no descriptor is left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves connections until `draining` becomes true, then finishes what is in work.
pub async fn serve(shared: Arc<Shared>, listener: TcpListener, draining: watch::Receiver<bool>) {
    let memory = Arc::new(Memory::new(&shared.config));
    let mut draining_here = draining.clone();
    let mut connections = JoinSet::new();
    let mut accepted = 0u64;
    loop {
        tokio::select! {
            () = asked_to_drain(&mut draining_here) => break,
            Some(_) = connections.join_next() => {}
            incoming = listener.accept() => match incoming {
                Ok((stream, peer)) if connections.len() < shared.config.connections_max => {
                    let connection = Arc::new(Connection::new(accepted, peer));
                    accepted += 1;
                    let resources = Resources {
                        shared: shared.clone(),
                        memory: memory.clone(),
                        draining: draining.clone(),
                    };
                    connections.spawn(serve_connection(resources, connection, stream));
                }
                Ok((_, peer)) => refuse(peer, &shared),
                Err(error) => {
                    tracing::warn!(%error, "cannot accept NFS connections; is the limit of open files too low?");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
    drop(listener);
    let drained = timeout(DRAIN_TIME_MAX, async { while connections.join_next().await.is_some() {} });
    if drained.await.is_err() {
        tracing::warn!(
            connections = connections.len(),
            "NFS connections cut off: their requests take too long"
        );
    }
}

/// Waits until the server is to finish; that it is gone altogether says so too.
async fn asked_to_drain(draining: &mut watch::Receiver<bool>) {
    let _ = draining.wait_for(|draining| *draining).await;
}

fn refuse(peer: SocketAddr, shared: &Shared) {
    let limit = shared.config.connections_max;
    tracing::warn!(%peer, limit, "NFS connection refused: too many; raise connections_max or find who opens them");
}

/// What a connection needs of the server.
struct Resources {
    shared: Arc<Shared>,
    memory: Arc<Memory>,
    draining: watch::Receiver<bool>,
}

/// The memory that requests in work may take, counted in KiB.
struct Memory {
    free: Arc<Semaphore>,
    total: u32,
}

impl Memory {
    fn new(config: &Config) -> Self {
        let total = u32::try_from(config.requests_bytes_max >> 10).unwrap_or(u32::MAX).max(1);
        Memory { free: Arc::new(Semaphore::new(total as usize)), total }
    }

    /// Waits for memory to keep a record of that length in work.
    async fn take(&self, record_bytes: usize) -> io::Result<OwnedSemaphorePermit> {
        let wanted = u32::try_from(record_bytes >> 10).unwrap_or(u32::MAX).clamp(1, self.total);
        self.free.clone().acquire_many_owned(wanted).await.map_err(io::Error::other)
    }
}

async fn serve_connection(resources: Resources, connection: Arc<Connection>, stream: TcpStream) {
    tracing::debug!(id = connection.id, peer = %connection.peer, "NFS connection opened");
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(id = connection.id, %error, "connection stays with Nagle's algorithm");
    }
    let (read_half, write_half) = stream.into_split();
    let (replies, queue) = mpsc::unbounded_channel();
    let mut reading = tokio::spawn(read_requests(resources, connection.clone(), read_half, replies));
    let mut writing = tokio::spawn(write_replies(write_half, queue));
    // Reading ends first when the client is done or out of step; the replies in work then still go out.
    // Writing ends first when the connection is broken; then nothing more need be read.
    let ended = tokio::select! {
        ended = &mut reading => {
            let written = writing.await;
            ended.and(written)
        }
        ended = &mut writing => {
            reading.abort();
            ended
        }
    };
    match ended {
        Ok(Ok(())) => tracing::debug!(id = connection.id, "NFS connection closed"),
        Ok(Err(error)) => {
            tracing::debug!(id = connection.id, peer = %connection.peer, %error, "NFS connection closed")
        }
        Err(error) => tracing::error!(id = connection.id, %error, "NFS connection's task failed"),
    }
}

/// A reply on its way to the writer. The permit counts the request as in work until it is written.
struct Outgoing {
    /// `None`: close the connection.
    pieces: Option<Vec<Bytes>>,
    _permit: OwnedSemaphorePermit,
}

async fn read_requests(
    resources: Resources,
    connection: Arc<Connection>,
    stream: OwnedReadHalf,
    replies: mpsc::UnboundedSender<Outgoing>,
) -> io::Result<()> {
    let Resources { shared, memory, mut draining } = resources;
    let in_work = Arc::new(Semaphore::new(shared.config.requests_per_connection_max));
    let idle_time_max = Duration::from_secs(shared.config.idle_seconds_max.into());
    let mut reader = RecordReader::new(stream, shared.config.record_bytes_max as usize);
    loop {
        let permit = in_work.clone().acquire_owned().await.map_err(io::Error::other)?;
        tokio::select! {
            () = asked_to_drain(&mut draining) => return Ok(()),
            ready = timeout(idle_time_max, reader.readable()) => match ready {
                Ok(ready) => ready?,
                Err(_) if in_work.available_permits() + 1 < shared.config.requests_per_connection_max => continue,
                Err(_) => return Ok(()),
            },
        }
        let Some(record) = timeout(TRANSFER_TIME_MAX, reader.next()).await?? else {
            return Ok(());
        };
        // Taken once the record is here, so that whoever is slow to send one takes nothing from others.
        let memory = memory.take(record.len()).await?;
        let request = Request { replies: replies.clone(), permit: Some(permit), _memory: memory };
        tokio::spawn(request.answer(shared.clone(), connection.clone(), record));
    }
}

/// A request in work. If it is dropped unanswered, its connection is closed, so that the client sends it
/// again instead of waiting for ever.
struct Request {
    replies: mpsc::UnboundedSender<Outgoing>,
    permit: Option<OwnedSemaphorePermit>,
    _memory: OwnedSemaphorePermit,
}

impl Request {
    async fn answer(mut self, shared: Arc<Shared>, connection: Arc<Connection>, record: Bytes) {
        match dispatch::answer(&shared, &connection, record).await {
            Ok(pieces) => self.send(Some(pieces)),
            Err(error) => {
                tracing::debug!(id = connection.id, peer = %connection.peer, %error, "not an RPC call");
            }
        }
    }

    fn send(&mut self, pieces: Option<Vec<Bytes>>) {
        if let Some(permit) = self.permit.take() {
            // Nobody takes the reply any more if the connection is gone.
            let _ = self.replies.send(Outgoing { pieces, _permit: permit });
        }
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        self.send(None);
    }
}

/// Sends replies until all who could make one are gone, or one says to close.
async fn write_replies(
    mut stream: OwnedWriteHalf,
    mut queue: mpsc::UnboundedReceiver<Outgoing>,
) -> io::Result<()> {
    while let Some(outgoing) = queue.recv().await {
        let Some(pieces) = outgoing.pieces else {
            return Ok(());
        };
        timeout(TRANSFER_TIME_MAX, write_record(&mut stream, &pieces)).await??;
    }
    Ok(())
}
