//! The storage engine: volumes, files, chunks, durability. Knows nothing of NFS, S3 or HTTP.
//!
//! ```text
//!   callers ── Pool (pool.rs)
//!                │  metadata operations            │ bytes of files
//!                ▼                                 ▼
//!   namespace, attributes, volume, orphans   write → dirty pieces → flush → plan → block
//!                │                                 │               │
//!                ▼                                 │               ▼
//!        txn: one atomic batch  ◄──────────────────┘     segment: frames, synced first
//!                │
//!                ▼
//!        commit: groups, one sync each ─── meta: ordered keys and values
//! ```
//! The two seams are the traits `meta::MetaStore` and `segment::SegmentStore`. To see how a crash cannot
//! hurt, read `flush.rs`, then `commit.rs` and `txn.rs`. What is stored is in `keys.rs`, `records/` and
//! `segment/frame.rs`, and drawn in docs/formats.md.

mod base;
mod data;
mod engine;
mod format;
mod opening;
mod parts;
mod pool;
pub mod salvage;
#[cfg(test)]
mod sim;
mod store;
mod tree;
mod upkeep;
mod volumes;

pub use base::counters::{PoolCounters, VolumeUsage};
pub use base::error::{Error, Result};
pub use base::histogram::{Distribution, Histogram};
pub use base::mismatch::Mismatch;
pub use base::names::{NAME_RULE, is_name, is_printable};
pub use base::types::*;
pub use pool::{Pool, PoolOptions};
pub use upkeep::check::CheckWatch;

/// The target of spans that are for traces, and not for the log. They cost nothing while nobody collects them.
pub const TRACES: &str = "forebay_traces";
/// Largest size of a file, in bytes.
pub const FILE_SIZE_MAX: u64 = i64::MAX as u64;
/// The lowest limit of a volume's throughput, in bytes per second: one request of a client has up to a MiB, and is not to wait for
/// longer than clients have patience.
pub const VOLUME_RATE_MIN: u64 = 1_000_000;
/// Longest value of an extended attribute, in bytes.
pub const XATTR_BYTES_MAX: usize = 64 << 10;
/// Bytes of all extended attributes of an inode together.
pub const XATTRS_BYTES_MAX: u64 = 1 << 20;
/// Bytes of their names, each with what Linux adds to it: its list of names can be no longer.
pub const XATTR_NAMES_BYTES_MAX: u64 = 64 << 10;
/// Longest name of a directory entry, or of an extended attribute, in bytes.
pub const NAME_BYTES_MAX: usize = 255;
