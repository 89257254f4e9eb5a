//! Log messages with a limited rate.

use std::time::{Duration, Instant};

/// Minimum interval between two messages of one kind.
const EVERY: Duration = Duration::from_secs(10);

/// Counts occurrences and limits the rate of messages about them.
#[derive(Default)]
pub(crate) struct Complaints {
    count: u64,
    last: Option<Instant>,
}

impl Complaints {
    /// If a message is due, returns the number of occurrences since the last one.
    pub(crate) fn may_be_made(&mut self) -> Option<u64> {
        self.count += 1;
        if self.last.is_some_and(|last| last.elapsed() < EVERY) {
            return None;
        }
        self.last = Some(Instant::now());
        Some(std::mem::take(&mut self.count))
    }
}
