//! Requests and bytes of each bucket.

use std::sync::atomic::{AtomicU64, Ordering};

use forebay_service::per_volume::Counters;

use super::{Class, Classes};

/// The counters of a bucket.
#[derive(Debug, Default)]
pub struct BucketCounters {
    classes: Classes,
    received: AtomicU64,
    sent: AtomicU64,
}

/// Requests and bytes of a bucket since the server started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BucketTraffic {
    /// Requests, in the order of [`Class::ALL`].
    pub classes: [u64; Class::ALL.len()],
    /// Bytes of the bodies of requests.
    pub received: u64,
    /// Bytes of the bodies of answers.
    pub sent: u64,
}

impl BucketCounters {
    /// Counts a request that was answered or aborted.
    pub fn count(&self, class: Class) {
        self.classes.count(class);
    }

    /// Counts bytes of bodies.
    pub fn count_bytes(&self, received: u64, sent: u64) {
        self.received.fetch_add(received, Ordering::Relaxed);
        self.sent.fetch_add(sent, Ordering::Relaxed);
    }

    /// The counts so far.
    pub fn traffic(&self) -> BucketTraffic {
        BucketTraffic {
            classes: self.classes.counts(),
            received: self.received.load(Ordering::Relaxed),
            sent: self.sent.load(Ordering::Relaxed),
        }
    }
}

impl Counters for BucketCounters {
    fn clear(&self) {
        self.classes.clear();
        self.received.store(0, Ordering::Relaxed);
        self.sent.store(0, Ordering::Relaxed);
    }
}

impl BucketTraffic {
    /// Adds the counts of another bucket.
    pub fn add(&mut self, other: &BucketTraffic) {
        for (sum, one) in self.classes.iter_mut().zip(other.classes) {
            *sum = sum.saturating_add(one);
        }
        self.received = self.received.saturating_add(other.received);
        self.sent = self.sent.saturating_add(other.sent);
    }
}
