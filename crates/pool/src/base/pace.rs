//! The rate of background work.

use std::time::Duration;

/// How long `bytes` take at `bytes_per_second`.
pub(crate) fn pace(bytes: u64, bytes_per_second: u64) -> Duration {
    Duration::from_millis(bytes.saturating_mul(1000) / bytes_per_second.max(1))
}
