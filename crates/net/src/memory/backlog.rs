//! Accounts for replies that clients have not read yet.
//!
//! Unread replies take memory. They are counted per connection, per client (an address), and in total. Where
//! there are too many, no further requests are taken up, so the excess is limited to the replies of requests
//! in progress; a READ reserves its reply before it reads. A client can use at most half of the total, so one
//! that reads nothing does not block the others.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

use super::per_address::PerAddress;

/// Maximum number of unread bytes on one connection.
const CONNECTION_BYTES_MAX: usize = 16 << 20;

/// The unread replies of all connections of a server.
pub struct Backlogs {
    whole: Arc<Level>,
    clients: PerAddress<Level>,
}

/// Unread replies on one connection, and the levels at which they are counted.
#[derive(Debug)]
pub struct Backlog {
    /// The connection, its client, and the total.
    levels: [Arc<Level>; 3],
}

/// Bytes that count as unread until this value is dropped.
#[derive(Debug)]
pub struct Waiting {
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
            // Registered before the check, so that no wake-up is missed.
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
    /// Room for `bytes_max` unread bytes in total.
    pub fn new(bytes_max: usize) -> Self {
        Backlogs { whole: Level::new(bytes_max), clients: PerAddress::default() }
    }

    /// The backlog of a new connection from this address.
    pub fn of(&self, client: IpAddr) -> Backlog {
        let client_max = self.whole.bytes_max / 2;
        let client = self.clients.get(client, || Level::new(client_max));
        Backlog { levels: [Level::new(CONNECTION_BYTES_MAX.min(client_max)), client, self.whole.clone()] }
    }
}

impl Backlog {
    /// Counts `bytes` as unread until the result is dropped.
    pub fn add(&self, bytes: usize) -> Waiting {
        for level in &self.levels {
            level.bytes.fetch_add(bytes, Ordering::AcqRel);
        }
        Waiting { levels: self.levels.clone(), bytes }
    }

    /// Whether there is room for more.
    pub fn has_room(&self) -> bool {
        self.levels.iter().all(|level| level.has_room())
    }

    /// Waits until the client has read enough.
    pub async fn room(&self) {
        while !self.has_room() {
            for level in &self.levels {
                level.room().await;
            }
        }
    }

    /// Whether the backlog of this connection helps to block all clients.
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
