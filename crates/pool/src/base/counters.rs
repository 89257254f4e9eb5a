//! What the pool counts while it works, and its current state, as one snapshot for monitoring.
//!
//! Counting is a relaxed addition where the work is done: no lock and no allocation, so it is always on. Counts start when the
//! pool is opened, and only grow. States that are not counts, such as sizes and the scrub, are read from their owners when the
//! snapshot is taken, so they cannot drift.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::base::histogram::Histogram;
use crate::{Distribution, MetadataCopies, Period, ScrubStatus, Space, Stored, VolumeId};

/// A count that only grows.
#[derive(Debug, Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    pub(crate) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The counts of an open pool. [`PoolCounters`] documents the fields.
#[derive(Debug, Default)]
pub(crate) struct Meters {
    pub(crate) writes: Count,
    pub(crate) bytes_written: Count,
    pub(crate) write_waits: Count,
    pub(crate) bytes_appended: Count,
    pub(crate) bytes_early: Count,
    pub(crate) bytes_early_named: Count,
    pub(crate) bytes_compared: Count,
    pub(crate) bytes_metadata: Count,
    pub(crate) segment_syncs: Histogram,
    pub(crate) metadata_syncs: Histogram,
    pub(crate) log_syncs: Histogram,
    pub(crate) log_groups: Count,
    pub(crate) log_records: Count,
    pub(crate) log_bytes: Count,
    pub(crate) log_refused: Count,
    pub(crate) commit_groups: Count,
    pub(crate) commit_jobs: Count,
    pub(crate) cache_hits: Count,
    pub(crate) cache_misses: Count,
    pub(crate) chunks_shared: Count,
    pub(crate) bytes_shared: Count,
    pub(crate) bytes_packed: Count,
    pub(crate) bytes_packed_stored: Count,
    pub(crate) frames_verified: Count,
    pub(crate) frames_damaged: Count,
    pub(crate) frames_unreadable: Count,
    pub(crate) frames_repaired: Count,
    pub(crate) bytes_moved: Count,
    /// Inline bytes that were moved into chunks.
    pub(crate) bytes_chunked: Count,
    /// What the model of the simulation must know.
    #[cfg(test)]
    pub(crate) clone_ends: crate::sim::clone_ends::CloneEnds,
}

impl Meters {
    /// Counts chunks that a flush did not store because the pool already had them.
    pub(crate) fn shared(&self, chunks: u64, bytes: u64) {
        self.chunks_shared.add(chunks);
        self.bytes_shared.add(bytes);
    }

    /// Counts new chunks of `bytes` in total, packed into frames of `bytes_stored`.
    pub(crate) fn packed(&self, bytes: u64, bytes_stored: u64) {
        self.bytes_packed.add(bytes);
        self.bytes_packed_stored.add(bytes_stored);
    }
}

/// The counts of a pool since it was opened, and its current state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PoolCounters {
    /// Writes that were accepted into memory.
    pub writes: u64,
    /// Bytes of these writes.
    pub bytes_written: u64,
    /// Writes that had to wait because too many bytes in memory were not durable.
    pub write_waits: u64,
    /// Bytes appended to segments: frames with their headers, padding, and frames that the cleaner moved.
    pub bytes_appended: u64,
    /// Bytes of chunks that were appended before a flush, while their stream still arrived.
    pub bytes_early: u64,
    /// Bytes of these chunks that a flush has named. The rest was overwritten or removed meanwhile, or is still in memory.
    pub bytes_early_named: u64,
    /// Bytes of stored chunks that were compared with new ones before these were shared.
    pub bytes_compared: u64,
    /// Bytes of keys and values handed to the metadata store, which writes them to its journal first.
    pub bytes_metadata: u64,
    /// Syncs of segments.
    pub segment_syncs: Distribution,
    /// Syncs of the metadata store, one for each commit group that wrote anything.
    pub metadata_syncs: Distribution,
    /// Writes of groups to the intent log, with their syncs.
    pub log_syncs: Distribution,
    /// Groups of records written to the intent log, each with one sync.
    pub log_groups: u64,
    /// Records in these groups, one for each sync of a file that the log answered.
    pub log_records: u64,
    /// Bytes of these groups.
    pub log_bytes: u64,
    /// Syncs of a file that the log could not answer, because they had too many bytes, or the log no room.
    pub log_refused: u64,
    /// Commit groups.
    pub commit_groups: u64,
    /// Jobs in all commit groups.
    pub commit_jobs: u64,
    /// Chunks requested by readers that were in memory.
    pub cache_hits: u64,
    /// Chunks requested by readers that had to be read from a segment.
    pub cache_misses: u64,
    /// Chunks to store that the pool already had.
    pub chunks_shared: u64,
    /// Bytes of these chunks, which were not stored again.
    pub bytes_shared: u64,
    /// Bytes of chunks to store that the pool did not have.
    pub bytes_packed: u64,
    /// Bytes of their frames, compressed where that saves enough.
    pub bytes_packed_stored: u64,
    /// Frames that were read and were intact.
    pub frames_verified: u64,
    /// Frames that were read and did not match their checksum, in one copy or in all.
    pub frames_damaged: u64,
    /// Frames that the disk could not read.
    pub frames_unreadable: u64,
    /// Frames and whole segments that were rewritten from another copy.
    pub frames_repaired: u64,
    /// Bytes of frames that the cleaner has moved out of segments that are mostly dead.
    pub bytes_moved: u64,
    /// Bytes of writes that are in memory and not durable.
    pub dirty_bytes: u64,
    /// The limit of `dirty_bytes`.
    pub dirty_bytes_max: u64,
    /// The volumes, ordered by id.
    pub volumes: Vec<VolumeUsage>,
    /// The volumes whose schedule says that a snapshot is due, and its period.
    pub snapshots_due: Vec<(String, Period)>,
    /// Deleted volumes that can be recovered.
    pub deleted_volumes: u64,
    /// Bytes of their files that are not holes. They still take space.
    pub deleted_bytes_logical: u64,
    /// Sizes of the whole pool.
    pub space: Space,
    /// Sizes of the segments.
    pub stored: Stored,
    /// The state of the scrub.
    pub scrub: ScrubStatus,
    /// The copies of the metadata.
    pub metadata: MetadataCopies,
    /// Stable storage failed: the pool writes nothing more until it is opened again.
    pub stopped: bool,
    /// What the store of segments has done, if it is a bucket.
    pub objects: Option<ObjectCounts>,
}

/// What a store of objects has done since it was opened ([`crate::store::SegmentStore::keeps_objects`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectCounts {
    /// Requests that store an object. All requests count, also those that were repeated.
    pub put: u64,
    /// Requests that read an object, or a part of one.
    pub get: u64,
    /// Questions for an object's length.
    pub head: u64,
    /// Pages of lists.
    pub list: u64,
    /// Copies within the bucket.
    pub copy: u64,
    /// Requests that delete an object.
    pub delete: u64,
    /// Requests that failed and were repeated.
    pub repeated: u64,
    /// Bytes of objects that were stored.
    pub bytes_put: u64,
    /// Bytes that were read.
    pub bytes_got: u64,
    /// Blocks that readers found in the cache.
    pub cache_hits: u64,
    /// Blocks that were read from the bucket.
    pub cache_misses: u64,
    /// Bytes that the cache has in memory.
    pub cache_memory_bytes: u64,
    /// Bytes that the cache has in files.
    pub cache_disk_bytes: u64,
    /// For how many milliseconds the bucket has not answered as it should; 0 while it does.
    pub out_for_ms: u64,
}

/// What a volume holds, and its limits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeUsage {
    /// The volume's id; `None` for a sum over several volumes.
    pub id: Option<VolumeId>,
    /// Its name.
    pub name: String,
    /// Bytes of its files that are not holes.
    pub bytes_logical: u64,
    /// Inodes, orphans included.
    pub inodes: u64,
    /// Orphans among them.
    pub orphans: u64,
    /// Number of its snapshots.
    pub snapshots: u64,
    /// The most bytes that it may hold, if limited.
    pub size: Option<u64>,
    /// Bytes that clients may read and write per second, if limited.
    pub max_bytes_per_second: Option<u64>,
    /// Whether it is a bucket.
    pub is_bucket: bool,
}
