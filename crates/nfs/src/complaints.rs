//! Complaints that are made now and then, however often there is cause.

use std::time::{Duration, Instant};

/// Complaints of one kind are made no more often than this.
const EVERY: Duration = Duration::from_secs(10);

/// Counts what there is to complain about, and complains now and then.
#[derive(Default)]
pub(crate) struct Complaints {
    count: u64,
    last: Option<Instant>,
}

impl Complaints {
    /// How many there were since the last time, if it is time to say so.
    pub(crate) fn may_be_made(&mut self) -> Option<u64> {
        self.count += 1;
        if self.last.is_some_and(|last| last.elapsed() < EVERY) {
            return None;
        }
        self.last = Some(Instant::now());
        Some(std::mem::take(&mut self.count))
    }
}
