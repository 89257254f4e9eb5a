//! The clock for leases and the grace period: monotonic, and advanced manually in tests.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

/// A clock. Clones show the same time.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System(Instant),
    Manual(Arc<watch::Sender<Duration>>),
}

impl Default for Clock {
    fn default() -> Self {
        Clock::system()
    }
}

impl Clock {
    /// The system's monotonic clock, starting at zero now.
    pub fn system() -> Self {
        Clock(Source::System(Instant::now()))
    }

    /// A clock that starts at zero and advances only by [`Clock::advance`].
    pub fn manual() -> Self {
        Clock(Source::Manual(Arc::new(watch::Sender::new(Duration::ZERO))))
    }

    /// Time since the clock started.
    pub fn now(&self) -> Duration {
        match &self.0 {
            Source::System(start) => start.elapsed(),
            Source::Manual(now) => *now.borrow(),
        }
    }

    /// Advances a manual clock. Has no effect on a system clock.
    pub fn advance(&self, by: Duration) {
        if let Source::Manual(now) = &self.0 {
            now.send_modify(|now| *now = now.saturating_add(by));
        }
    }

    /// Waits until the clock shows at least `deadline`.
    pub async fn sleep_until(&self, deadline: Duration) {
        match &self.0 {
            Source::System(start) => {
                tokio::time::sleep(deadline.saturating_sub(start.elapsed())).await;
            }
            Source::Manual(now) => {
                // The sender lives in `self`, so the channel cannot close during the wait.
                let _ = now.subscribe().wait_for(|now| *now >= deadline).await;
            }
        }
    }
}
