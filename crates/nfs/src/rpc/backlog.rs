//! What waits for clients to take it.
//!
//! Replies that a client does not take are memory. They are counted for each connection, for each client (an address), and for
//! all. Where there is too much, no further requests are taken up, so there is at most what the requests in work
//! still bring; a READ counts what it will bring before it reads. No client has more than half of the whole, so one that takes nothing is not in the others' way.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

use super::by_client::ByClient;

/// Bytes that may wait on one connection.
const CONNECTION_BYTES_MAX: usize = 16 << 20;

/// What waits on all connections of a server.
pub(super) struct Backlogs {
    whole: Arc<Level>,
    clients: ByClient<Level>,
}

/// What waits on one connection, and where it is counted besides.
#[derive(Debug)]
pub(super) struct Backlog {
    /// The connection, its client, all.
    levels: [Arc<Level>; 3],
}

/// Bytes that wait, until this is dropped.
#[derive(Debug)]
pub(super) struct Waiting {
    levels: [Arc<Level>; 3],
    bytes: usize,
}

#[derive(Debug)]
struct Level {
    bytes: AtomicUsize,
    bytes_max: usize,
    freed: Notify,
}

impl Level {
    fn new(bytes_max: usize) -> Arc<Self> {
        Arc::new(Level { bytes: AtomicUsize::new(0), bytes_max, freed: Notify::new() })
    }

    fn has_room(&self) -> bool {
        self.bytes.load(Ordering::Acquire) <= self.bytes_max
    }

    async fn room(&self) {
        loop {
            let freed = self.freed.notified();
            tokio::pin!(freed);
            // Registered before looking, so that no wake-up falls in between.
            freed.as_mut().enable();
            if self.has_room() {
                return;
            }
            freed.await;
        }
    }

    fn subtract(&self, bytes: usize) {
        let before = self.bytes.fetch_sub(bytes, Ordering::AcqRel);
        if before > self.bytes_max && self.has_room() {
            self.freed.notify_waiters();
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        for level in &self.levels {
            level.subtract(self.bytes);
        }
    }
}

impl Backlogs {
    pub fn new(bytes_max: usize) -> Self {
        Backlogs { whole: Level::new(bytes_max), clients: ByClient::default() }
    }

    /// That of a new connection from that address.
    pub fn of(&self, client: IpAddr) -> Backlog {
        let client_max = self.whole.bytes_max / 2;
        let client = self.clients.get(client, || Level::new(client_max));
        Backlog { levels: [Level::new(CONNECTION_BYTES_MAX.min(client_max)), client, self.whole.clone()] }
    }
}

impl Backlog {
    pub fn add(&self, bytes: usize) -> Waiting {
        for level in &self.levels {
            level.bytes.fetch_add(bytes, Ordering::AcqRel);
        }
        Waiting { levels: self.levels.clone(), bytes }
    }

    /// Whether so little waits that there may be more.
    pub fn has_room(&self) -> bool {
        self.levels.iter().all(|level| level.has_room())
    }

    /// Waits until enough was taken of what waits.
    pub async fn room(&self) {
        while !self.has_room() {
            for level in &self.levels {
                level.room().await;
            }
        }
    }

    /// Whether all clients are held up by what waits, here among other places.
    pub fn is_in_the_way(&self) -> bool {
        self.levels.last().is_some_and(|whole| !whole.has_room())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn a_client_that_takes_nothing_has_half_and_the_others_have_the_rest() {
        let backlogs = Backlogs::new(100);
        let (greedy, other) = ([192, 0, 2, 1].into(), [192, 0, 2, 2].into());
        let (first, second) = (backlogs.of(greedy), backlogs.of(greedy));
        let (first_waits, second_waits) = (first.add(30), second.add(30));
        assert!(!first.has_room() && !second.has_room() && !first.is_in_the_way());
        let other = backlogs.of(other);
        assert!(other.has_room());
        let other_waits = other.add(50);
        assert!(first.is_in_the_way(), "all of it is taken");
        drop(other_waits);
        let room = tokio::spawn(async move {
            second.room().await;
            second.has_room()
        });
        drop(first_waits);
        assert!(timeout(Duration::from_secs(20), room).await.unwrap().unwrap());
        drop(second_waits);
        assert_eq!(other.levels[2].bytes.load(Ordering::Acquire), 0);
    }
}
