//! The history of metrics for the last hour, day and month: enough to draw graphs without a Prometheus.
//!
//! ```text
//!   recorder: an Observation every 5 s ── series: the changes since the previous one
//!                                              │
//!                           store: rings of 5 s, 1 min, 15 min ── query: a view for the interface
//! ```
//! The history is in memory, and [`Keeper`] writes it to disk every minute and at a stop. Its size is bounded: at most
//! [`store::SERIES_MAX`] series of 5,040 points (40 KB) each, or 13 MB in total. A daemon with a few volumes has about fifty series.
//!
//! What must hold: an interval without a measurement is a gap, not a zero (before the start, while the
//! machine was suspended, latency without operations); a counter that restarts is not a decrease; points are
//! in time order even if the clock is set back.

mod days;
mod disk;
mod query;
mod recorder;
mod series;
mod store;

pub use days::{DAY_SECONDS, Day, Forecast};
pub use disk::{Keeper, Start};
pub use query::{HistoryQuery, HistorySeries, HistoryView, RestartView};
pub use recorder::{Clock, SystemClock, run};
pub use series::Unit;
pub use store::History;
