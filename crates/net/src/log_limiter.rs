//! A limit on log lines of one kind.

use std::time::{Duration, Instant};

/// The shortest time between two log lines of one kind.
const INTERVAL: Duration = Duration::from_secs(10);

/// Counts events of one kind, and says when it is time to log them.
#[derive(Default)]
pub struct LogLimiter {
    count: u64,
    last: Option<Instant>,
}

impl LogLimiter {
    /// Counts one event. If it is time to log, returns how many there were since the last log line.
    pub fn due(&mut self) -> Option<u64> {
        self.count += 1;
        if self.last.is_some_and(|last| last.elapsed() < INTERVAL) {
            return None;
        }
        self.last = Some(Instant::now());
        Some(std::mem::take(&mut self.count))
    }
}
