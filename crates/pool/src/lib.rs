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

mod assemble;
mod attributes;
mod background;
mod check;
mod check_damage;
mod check_records;
mod check_scan;
mod check_view;
mod check_watch;
mod chunk;
mod chunk_cache;
mod cleaner;
mod clone_range;
mod codec;
mod commit;
mod copies;
mod counters;
mod cut;
mod directory;
mod dirty;
mod efficiency;
mod engine;
mod error;
mod extents;
#[cfg(test)]
mod fault_tests;
#[cfg(test)]
mod faulty;
mod fingerprints;
mod flush;
mod headers;
mod histogram;
mod holes;
mod home;
mod inline;
mod inode;
mod keys;
mod lasting;
mod limit;
mod lost_and_found;
mod meta;
mod mismatch;
mod names;
mod namespace;
mod opening;
mod orphans;
mod plan;
mod pool;
mod protocol_records;
mod purge;
mod queue;
#[cfg(test)]
mod range_crash_tests;
mod read;
mod read_ahead;
mod records;
mod registry;
mod rollback;
pub mod salvage;
mod schedule;
mod scrub;
mod scrub_metadata;
mod segment;
mod signals;
#[cfg(test)]
mod sim;
mod snapshot;
#[cfg(test)]
mod snapshot_crash_tests;
mod sources;
mod space;
mod storer;
mod stretch;
mod sync;
mod tails;
mod txn;
mod types;
mod versions;
mod view;
mod volume;
mod witness;
mod write;
mod xattrs;

pub use check_watch::CheckWatch;
pub use counters::{PoolCounters, VolumeUsage};
pub use error::{Argument, Error, Explain, InUse, Object, Result};
pub use histogram::{Distribution, Histogram};
pub use mismatch::Mismatch;
pub use names::{NAME_RULE, is_name, is_printable};
pub use pool::{Pool, PoolOptions};
pub use types::*;

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
