//! What the limits on clients did, counted.

use std::sync::atomic::{AtomicU64, Ordering};

/// How often each limit on clients was reached since the start.
#[derive(Debug, Default)]
pub struct LimitCounters {
    /// Requests, bodies and responses that waited for memory.
    pub memory_waits: Count,
    /// Those of them that got none in time.
    pub memory_refusals: Count,
    /// Request bodies that ended because nothing came for a while.
    pub bodies_silent: Count,
    /// Request bodies that ended because they came too slowly.
    pub bodies_slow: Count,
    /// Responses that ended because the client took them too slowly, or nothing of them.
    pub responses_slow: Count,
}

impl LimitCounters {
    /// The name of each limit in metrics, and how often it was reached.
    pub fn counts(&self) -> [(&'static str, u64); 5] {
        [
            ("memory_wait", self.memory_waits.get()),
            ("memory_refused", self.memory_refusals.get()),
            ("body_silent", self.bodies_silent.get()),
            ("body_slow", self.bodies_slow.get()),
            ("response_slow", self.responses_slow.get()),
        ]
    }
}

/// A number of events.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    /// Counts one more.
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of events.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
