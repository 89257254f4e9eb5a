//! The rate at which background work goes on.

use std::time::Duration;

/// How long that many bytes take at that rate.
pub(crate) fn pace(bytes: u64, bytes_per_second: u64) -> Duration {
    Duration::from_millis(bytes.saturating_mul(1000) / bytes_per_second.max(1))
}
