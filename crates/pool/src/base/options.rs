//! How a pool is to behave, as its owner configures it.

use std::path::PathBuf;
use std::time::Duration;

/// How a pool is to behave.
#[derive(Clone, Debug)]
pub struct PoolOptions {
    /// Bytes that the pool may hold; `None`: what the file system has room for.
    pub bytes_max: Option<u64>,
    /// Bytes of unstable writes kept in memory; beyond it writers wait. Default 256 MiB.
    pub dirty_bytes_max: u64,
    /// Age at which unstable writes are made durable unasked, in milliseconds. Default 5000.
    pub dirty_age_ms_max: u64,
    /// How long a file must not have been written to before what is inline of it, in the metadata store, becomes chunks. Default a minute.
    pub inline_age: Duration,
    /// Size at which a segment is sealed. Default 128 MiB.
    pub segment_bytes: u64,
    /// Bytes of verified chunks kept in memory for readers. Default 64 MiB.
    pub cache_bytes: u64,
    /// Bytes of memory for the fingerprints of chunks used lately, which find what is there already. Default
    /// 64 MiB, enough for about 60 GiB of chunks.
    pub fingerprint_bytes: u64,
    /// Whether large writes to segments go past the system's cache. Default true.
    pub direct_io: bool,
    /// Where a second copy of all chunks is kept, if at all: a directory, on another disk to be of use.
    pub copies_directory: Option<PathBuf>,
    /// How often everything is verified; `None`: only when asked. Default a week.
    pub scrub_period: Option<Duration>,
    /// How fast it is verified, in bytes per second. Default 32 MiB.
    pub scrub_bytes_per_second: u64,
}

impl Default for PoolOptions {
    fn default() -> Self {
        PoolOptions {
            bytes_max: None,
            dirty_bytes_max: 256 << 20,
            dirty_age_ms_max: 5000,
            inline_age: Duration::from_secs(60),
            segment_bytes: 128 << 20,
            cache_bytes: 64 << 20,
            fingerprint_bytes: 64 << 20,
            direct_io: true,
            copies_directory: None,
            scrub_period: Some(Duration::from_secs(7 * 24 * 60 * 60)),
            scrub_bytes_per_second: 32 << 20,
        }
    }
}
