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
pub use base::limits::{
    FILE_SIZE_MAX, NAME_BYTES_MAX, TRACES, VOLUME_RATE_MIN, XATTR_BYTES_MAX, XATTR_NAMES_BYTES_MAX,
    XATTRS_BYTES_MAX,
};
pub use base::mismatch::Mismatch;
pub use base::names::{NAME_RULE, is_name, is_printable};
pub use base::options::PoolOptions;
pub use base::types::*;
pub use pool::Pool;
pub use upkeep::check::CheckWatch;
