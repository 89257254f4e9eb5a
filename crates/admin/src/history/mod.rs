//! What the metrics were in the last hour, day and month: enough to draw without a Prometheus.
//!
//! ```text
//!   recorder: an Observation every 5 s ── series: what came of it since the one before
//!                                              │
//!                           store: rings of 5 s, 1 min, 15 min ── query: a view for the interface
//! ```
//! It is kept in memory, begins with the daemon and ends with it. Its size is bounded: [`store::SERIES_MAX`] series of 5,040 points, 40 KB
//! each, so 13 MB at most; a daemon with a few volumes has about fifty series.
//!
//! What must hold: what was not measured is a gap and not a zero (before the start, while the machine was suspended, latency while
//! nothing was done); a count that begins anew is no fall; however the clock is set, no point is older than the one before it.

mod query;
mod recorder;
mod series;
mod store;

use crate::problem::Problem;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

pub use query::{HistoryQuery, HistorySeries, HistoryView};
pub use recorder::{Clock, SystemClock, run};
pub use series::Unit;
use store::Store;

/// The history of one daemon.
#[derive(Default)]
pub struct History {
    store: Mutex<Store>,
}

impl History {
    /// What was recorded, as asked for at `now`. The error is a sentence for whoever asked.
    pub fn view(&self, query: &HistoryQuery, now: SystemTime) -> Result<HistoryView, Problem> {
        query.answer(&self.store(), seconds(now))
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        // A panic elsewhere leaves at worst a point that is not there.
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Seconds since 1970.
fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
