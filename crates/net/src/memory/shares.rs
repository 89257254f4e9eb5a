//! Sharing of the memory for requests between clients.
//!
//! Memory is granted in the order in which it is requested, and a client can use at most half of it. So a
//! client that sends as much as it can over many connections leaves room for the others, who wait only for
//! requests in progress and not for those that this client has yet to send. A client is its IP address: its
//! claimed identity is known only after its request has been read.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::per_address::PerAddress;

/// The memory of one server for one purpose, such as requests in progress.
pub struct Shares {
    whole: Arc<Level>,
    client_max: u32,
    clients: PerAddress<Level>,
}

/// The share of a client's connections.
#[derive(Clone)]
pub struct Share {
    whole: Arc<Level>,
    own: Arc<Level>,
    client_max: u32,
}

/// Memory that is taken until this is dropped.
pub struct Taken {
    whole: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
}

/// The memory of a request in progress; empty if it is not counted.
#[derive(Default)]
pub struct RequestMemory(Option<Taken>);

impl From<Taken> for RequestMemory {
    fn from(taken: Taken) -> Self {
        RequestMemory(Some(taken))
    }
}

impl RequestMemory {
    /// Its size, rounded up to KiB.
    pub fn bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |taken| taken.whole.num_permits() << 10)
    }

    /// Releases the memory early.
    pub fn release(&mut self) {
        self.0 = None;
    }
}

/// An amount of memory in KiB, and the number of waiters.
struct Level {
    free: Arc<Semaphore>,
    waiting: AtomicUsize,
}

impl Level {
    fn new(total: u32) -> Arc<Self> {
        Arc::new(Level { free: Arc::new(Semaphore::new(total as usize)), waiting: AtomicUsize::new(0) })
    }

    async fn take(&self, wanted: u32, before_waiting: impl FnOnce()) -> io::Result<OwnedSemaphorePermit> {
        if let Ok(permit) = self.free.clone().try_acquire_many_owned(wanted) {
            return Ok(permit);
        }
        before_waiting();
        let _waiting = Waiting::new(&self.waiting);
        self.free.clone().acquire_many_owned(wanted).await.map_err(io::Error::other)
    }

    fn is_wanted(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }
}

/// Counts a waiter.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Waiting(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Shares {
    /// `bytes_max` bytes in total; each client may have half of them.
    pub fn new(bytes_max: usize) -> Self {
        let total = u32::try_from(bytes_max >> 10).unwrap_or(u32::MAX).max(2);
        Shares { whole: Level::new(total), client_max: total / 2, clients: PerAddress::default() }
    }

    /// The share of the client at this address.
    pub fn of(&self, client: IpAddr) -> Share {
        let own = self.clients.get(client, || Level::new(self.client_max));
        Share { whole: self.whole.clone(), own, client_max: self.client_max }
    }
}

impl Share {
    /// An unlimited share, for callers with a single peer.
    pub fn unbounded() -> Self {
        let limit = u32::try_from(Semaphore::MAX_PERMITS).unwrap_or(u32::MAX);
        Share { whole: Level::new(limit), own: Level::new(limit), client_max: limit }
    }

    /// Waits for this much memory. `before_waiting` must do what other waiters may depend on.
    pub async fn take(&self, bytes: usize, before_waiting: impl Fn()) -> io::Result<Taken> {
        let wanted = u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX).clamp(1, self.client_max);
        // Its own share first: a client that waits for that does not block others.
        let own = self.own.take(wanted, &before_waiting).await?;
        Ok(Taken { _own: own, whole: self.whole.take(wanted, &before_waiting).await? })
    }

    /// Whether a waiter could use memory of this share.
    pub fn is_wanted(&self) -> bool {
        self.own.is_wanted() || self.whole.is_wanted()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    const DEADLINE: Duration = Duration::from_secs(20);
    const RECORD_BYTES: usize = 64 << 10;

    #[tokio::test]
    async fn a_greedy_client_leaves_half_to_the_others_however_many_connections_it_has() {
        let shares = Shares::new(16 * RECORD_BYTES);
        let (greedy, modest) = ([192, 0, 2, 1].into(), [192, 0, 2, 2].into());
        let connections: Vec<Share> = (0..4).map(|_| shares.of(greedy)).collect();
        let mut taken = Vec::new();
        for connection in connections.iter().cycle().take(8) {
            taken.push(timeout(DEADLINE, connection.take(RECORD_BYTES, || ())).await.unwrap().unwrap());
        }
        assert!(!connections[0].is_wanted());
        let mut next = Box::pin(connections[0].take(RECORD_BYTES, || ()));
        let waits = std::future::poll_fn(|context| std::task::Poll::Ready(next.as_mut().poll(context)));
        assert!(waits.await.is_pending(), "it has its half");
        let other = shares.of(modest);
        assert!(connections[1].is_wanted() && !other.is_wanted());
        for _ in 0..8 {
            taken.push(timeout(DEADLINE, other.take(RECORD_BYTES, || ())).await.unwrap().unwrap());
        }
        taken.clear();
        timeout(DEADLINE, next).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_record_larger_than_a_share_is_taken_up_when_nothing_else_is() {
        let shares = Shares::new(RECORD_BYTES);
        let share = shares.of([192, 0, 2, 1].into());
        for _ in 0..2 {
            timeout(DEADLINE, share.take(8 * RECORD_BYTES, || ())).await.unwrap().unwrap();
        }
    }
}
