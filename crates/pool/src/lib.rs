//! The storage engine: volumes, files, chunks, durability. Knows nothing of NFS, S3 or HTTP.
//!
//! Callers use a [`Pool`] (`pool.rs`). Operations on handles and names become atomic batches of metadata. File bytes become
//! chunks in segments, and batches name the chunks. The folders are floors: a module uses its own floor and those below.
//!
//! ```text
//!   pool.rs   the interface
//!   backup    the pool in a directory elsewhere, made while it serves, and back
//!   opening   from a directory to an open pool
//!   upkeep    checking, scrubbing, cleaning, freeing, counting
//!   buckets   buckets: tables of entries that own content
//!   volumes   volumes, snapshots, clones, rollback
//!   tree      directories, names, attributes, orphans
//!   data      write → dirty pieces → flush → plan → chunks; read ← chunks
//!   engine    all parts together; a transaction is one atomic batch
//!   parts     what an open pool keeps in memory; the committer (groups, one sync each), the storer and the logger
//!   store     metadata store, segments, the intent log, the pool's directory
//!   salvage   records out of segments alone, for a pool that is lost
//!   format    keys, records, frames, where chunks are cut
//!   base      errors, types, counters, locks, time
//! ```
//! The seams are the traits [`store::MetaStore`], [`store::SegmentStore`] and `store::log::LogStore`. To see why a crash does no harm,
//! read `data/flush/mod.rs`, then `parts/committer.rs` and `engine/txn.rs`. `format` defines what is stored, and docs/formats.md
//! draws it.

mod backup;
mod base;
mod buckets;
mod data;
mod engine;
mod format;
mod opening;
mod parts;
mod pool;
pub mod salvage;
#[cfg(test)]
mod sim;
pub mod store;
#[cfg(test)]
mod testing;
mod tree;
mod upkeep;
mod volumes;

pub use backup::{Backup, BackupList, BackupOptions, BackupReport, BackupWatch, VerifyReport};
pub use base::bucket::{Bucket, BucketEntry, BucketSpec, BucketUpdate, Seek, Table};
pub use base::counters::{PoolCounters, VolumeUsage};
pub use base::error::{Argument, Error, Explain, InUse, Object, Result};
pub use base::histogram::{Distribution, Histogram};
pub use base::limits::{
    BUCKET_FACTS_BYTES_MAX, BUCKET_KEY_BYTES_MAX, FILE_SIZE_MAX, NAME_BYTES_MAX, TRACES, VOLUME_RATE_MIN,
    XATTR_BYTES_MAX, XATTR_NAMES_BYTES_MAX, XATTRS_BYTES_MAX,
};
pub use base::mismatch::Mismatch;
pub use base::names::{NAME_RULE, is_name, is_printable};
pub use base::options::PoolOptions;
pub use base::permit::Permit;
pub use base::recovery::{
    DeletedVolume, Deletion, OwnAction, Recovery, SnapshotChange, SnapshotSpace, SnapshotSpec,
};
pub use base::types::*;
pub use base::volume::{Compression, SnapshotPolicy, VolumeChange, VolumeSpec};
pub use buckets::change::{BucketChange, EntryContent};
pub use buckets::draft::Draft;
pub use pool::Pool;
pub use upkeep::check::CheckWatch;
pub use upkeep::survey::{
    Sample, StoredChunk, Survey, SurveyedChunk, SurveyedExtent, SurveyedInode, SurveyedVolume,
};
