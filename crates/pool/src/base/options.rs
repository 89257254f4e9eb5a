//! The settings of a pool.

use std::path::PathBuf;
use std::time::Duration;

use crate::Permit;

/// The settings of a pool.
#[derive(Clone, Debug)]
pub struct PoolOptions {
    /// Bytes that the pool may hold; `None` limits it only by the free space of the file system.
    pub bytes_max: Option<u64>,
    /// Bytes of unstable writes kept in memory; above this, writers wait. Default 256 MiB.
    pub dirty_bytes_max: u64,
    /// Age at which unstable writes are flushed without a COMMIT, in milliseconds. Default 5000.
    pub dirty_age_ms_max: u64,
    /// How long a file must be idle before its inline bytes, which are in the metadata store, are moved into chunks. Default
    /// one minute.
    pub inline_age: Duration,
    /// Size at which a segment is sealed. Default 128 MiB.
    pub segment_bytes: u64,
    /// Bytes of verified chunks kept in memory for readers. Default 64 MiB.
    pub cache_bytes: u64,
    /// Bytes of memory for the fingerprints of recently used chunks, which find duplicates without a lookup. Default 64 MiB,
    /// enough for about 60 GiB of chunks.
    pub fingerprint_bytes: u64,
    /// Whether bytes are compared before a chunk is shared, instead of trusting its name. Default false.
    pub dedup_verify: bool,
    /// Whether large writes to segments bypass the page cache. Default true.
    pub direct_io: bool,
    /// The directory of a second copy of all chunks, if any. It should be on another disk.
    pub copies_directory: Option<PathBuf>,
    /// The directory of the intent log. Default: in the pool's directory.
    pub log_directory: Option<PathBuf>,
    /// The most bytes that the intent log takes; 0 for no log. Default 320 MiB.
    pub log_bytes_max: u64,
    /// How often a scrub starts; `None` means only on request. Default one week.
    pub scrub_period: Option<Duration>,
    /// How fast a scrub reads, in bytes per second. Default 32 MiB.
    pub scrub_bytes_per_second: u64,
    /// How long a deleted volume can be recovered, if its deletion asks for it; zero for not at all. Default one day.
    pub recoverable: Duration,
    /// How long a segment without live data is kept, so that metadata that was set back by no more than that finds all that it names. Default
    /// zero: it is deleted as soon as the metadata that no longer names it is durable.
    pub keep_dead_segments: Duration,
    /// Asked before each change of the pool's files. Default: every change is permitted.
    pub permit: Permit,
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
            dedup_verify: false,
            direct_io: true,
            copies_directory: None,
            log_directory: None,
            log_bytes_max: 320 << 20,
            scrub_period: Some(Duration::from_secs(7 * 24 * 60 * 60)),
            scrub_bytes_per_second: 32 << 20,
            recoverable: Duration::from_secs(24 * 60 * 60),
            keep_dead_segments: Duration::ZERO,
            permit: Permit::default(),
        }
    }
}
