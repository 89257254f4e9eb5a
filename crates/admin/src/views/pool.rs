//! The pool, and the results of checks and scrubs.

use forebay_pool::store::ObjectCounts;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::Check;
use super::fields::time;
use crate::efficiency::Counted;
use crate::object_store::Cost;

/// The options of a pool check.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckRequest {
    /// Whether to also read and verify all data.
    #[serde(default)]
    pub read: bool,
}

impl Check for CheckRequest {}

/// The sync rate of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DiskSpeedView {
    /// Small writes that were made durable one after the other, per second. Brokers wait for syncs.
    pub syncs_per_second: f64,
    /// Bytes per second of large writes that were made durable.
    pub write_bytes_per_second: f64,
    /// Whether the syncs are so slow that brokers wait noticeably: fewer than 500 per second.
    pub slow: bool,
    /// Bytes of the file system.
    pub bytes_total: u64,
    /// Bytes of it that are free.
    pub bytes_free: u64,
    /// Whether the pool's directory is the root of a file system of its own.
    pub own_file_system: bool,
}

impl From<forebay_service::disk_speed::DiskSpeed> for DiskSpeedView {
    fn from(speed: forebay_service::disk_speed::DiskSpeed) -> Self {
        DiskSpeedView {
            syncs_per_second: speed.syncs_per_second,
            write_bytes_per_second: speed.write_bytes_per_second,
            slow: speed.is_slow(),
            bytes_total: speed.bytes_total,
            bytes_free: speed.bytes_free,
            own_file_system: speed.own_file_system,
        }
    }
}

/// The result of a pool check.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CheckView {
    /// Number of inodes whose names, links and sizes were counted.
    pub inodes: u64,
    /// Number of extents checked.
    pub extents: u64,
    /// Number of chunks whose references were counted.
    pub chunks: u64,
    /// Number of segments whose live bytes were counted.
    pub segments: u64,
    /// Bytes of referenced frames.
    pub bytes_live: u64,
    /// Number of frames read and verified.
    pub frames_read: u64,
    /// Bytes of frames read and verified.
    pub bytes_read: u64,
    /// Number of inconsistencies.
    pub differences_count: u64,
    /// One sentence per inconsistency, up to ten thousand.
    pub differences: Vec<String>,
}

impl From<forebay_pool::CheckReport> for CheckView {
    fn from(report: forebay_pool::CheckReport) -> Self {
        CheckView {
            inodes: report.inodes,
            extents: report.extents,
            chunks: report.chunks,
            segments: report.segments,
            bytes_live: report.bytes_live,
            frames_read: report.frames_read,
            bytes_read: report.bytes_read,
            differences_count: report.differences_count,
            differences: report.differences,
        }
    }
}

/// The format of the pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FormatView {
    /// The pool's format.
    pub format: u32,
    /// The newest format that the daemon's release reads and writes.
    pub newest: u32,
    /// Whether the release before this one can still open the pool.
    pub can_go_back: bool,
    /// The features that the pool lacks until its upgrade is finalized.
    pub news: Vec<String>,
}

impl From<forebay_pool::PoolFormat> for FormatView {
    fn from(format: forebay_pool::PoolFormat) -> Self {
        let can_go_back = format.is_kept && format.found < format.newest;
        FormatView { format: format.found, newest: format.newest, can_go_back, news: format.news }
    }
}

/// A segment that is unknown to the metadata.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LostSegmentView {
    /// The segment's number, 16 hexadecimal digits. Its file is NUMBER.seg in the directory
    /// `segments/lost+found`.
    pub segment: String,
    /// Size in bytes.
    pub bytes: u64,
    /// The start of the daemon, counted from the pool's creation, in which the segment was written.
    pub start: u64,
}

impl From<forebay_pool::LostSegment> for LostSegmentView {
    fn from(lost: forebay_pool::LostSegment) -> Self {
        LostSegmentView { segment: format!("{:016x}", lost.segment), bytes: lost.bytes, start: lost.start }
    }
}

/// The state of the scrub.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ScrubView {
    /// Whether a scrub is running.
    pub running: bool,
    /// When the last scrub started.
    #[schema(format = DateTime)]
    pub started: Option<String>,
    /// When the last scrub finished, not counting stopped ones.
    #[schema(format = DateTime)]
    pub finished: Option<String>,
    /// Number of frames verified by this scrub.
    pub frames: u64,
    /// Bytes of frames verified by this scrub.
    pub bytes: u64,
    /// Bytes of all referenced frames.
    pub bytes_total: u64,
    /// Number of frames and segments restored from the other copy.
    pub repaired: u64,
    /// Number of frames damaged in every copy, segment headers that could not be repaired, and gaps in the
    /// metadata.
    pub damaged: u64,
    /// Descriptions of the first damaged frames, segments and gaps.
    pub damage: Vec<String>,
    /// Number of copies the pool keeps.
    pub copies: u64,
    /// Whether a copy is missing.
    pub degraded: bool,
}

impl From<forebay_pool::ScrubStatus> for ScrubView {
    fn from(status: forebay_pool::ScrubStatus) -> Self {
        ScrubView {
            running: status.running,
            started: status.started.map(time),
            finished: status.finished.map(time),
            frames: status.frames,
            bytes: status.bytes,
            bytes_total: status.bytes_total,
            repaired: status.repaired,
            damaged: status.damaged,
            damage: status.damage,
            copies: status.copies,
            degraded: status.degraded,
        }
    }
}

/// The copies of the metadata.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct MetadataView {
    /// Number of copies that the pool should keep: 2 with `pool.copies_directory`.
    pub copies_wanted: u64,
    /// Number of copies that have everything that was acknowledged.
    pub copies: u64,
    /// Number of keys that a copy that is being built has.
    pub keys_copied: Option<u64>,
    /// About how many keys it will have.
    pub keys_total: Option<u64>,
    /// Why a copy is missing.
    pub cause: Option<String>,
    /// Number of reads since the start that the first copy could not answer, and the second one did.
    pub reads_rescued: u64,
}

impl From<forebay_pool::MetadataCopies> for MetadataView {
    fn from(copies: forebay_pool::MetadataCopies) -> Self {
        MetadataView {
            copies_wanted: copies.wanted,
            copies: copies.whole,
            keys_copied: copies.building.map(|(copied, _)| copied),
            keys_total: copies.building.map(|(_, total)| total),
            cause: copies.cause,
            reads_rescued: copies.rescued,
        }
    }
}

/// Storage efficiency of a volume, a bucket or the pool.
///
/// `bytes_shown` - `bytes_cloned` + `bytes_retained` = `bytes_logical` for the pool, and for each `bytes_logical` - `bytes_deduplicated`
/// - `bytes_compressed` = `bytes_physical`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct EfficiencyView {
    /// Bytes of file data that volumes and buckets show, holes excluded.
    #[serde(default)]
    #[schema(required)]
    pub bytes_shown: u64,
    /// The part of it that clones show and share with the volumes that they were cloned from.
    #[serde(default)]
    #[schema(required)]
    pub bytes_cloned: u64,
    /// Bytes of file data that its volume does not show any more: snapshots keep it, or it is about to be freed.
    #[serde(default)]
    #[schema(required)]
    pub bytes_retained: u64,
    /// Bytes of file data, each stored version once, holes excluded.
    pub bytes_logical: u64,
    /// Bytes of holes.
    pub bytes_holes: u64,
    /// Bytes saved by deduplication: replicas.
    pub bytes_deduplicated: u64,
    /// Bytes saved by compression.
    pub bytes_compressed: u64,
    /// Bytes stored.
    pub bytes_physical: u64,
    /// The part of the stored bytes that is in the metadata store.
    pub bytes_inline: u64,
    /// `bytes_logical` for each byte of `bytes_physical`; 0 if nothing is stored. Clones and snapshots do not raise it.
    pub ratio: f64,
    /// When this was calculated.
    #[serde(default)]
    #[schema(format = DateTime)]
    pub calculated: String,
}

impl From<Counted> for EfficiencyView {
    fn from(counted: Counted) -> Self {
        let found = &counted.found;
        EfficiencyView {
            bytes_shown: found.bytes_shown,
            bytes_cloned: found.bytes_cloned,
            bytes_retained: found.bytes_retained,
            bytes_logical: found.bytes_logical,
            bytes_holes: found.bytes_holes,
            bytes_deduplicated: found.bytes_deduplicated,
            bytes_compressed: found.bytes_compressed,
            bytes_physical: found.bytes_physical,
            bytes_inline: found.bytes_inline,
            ratio: counted.ratio().unwrap_or_default(),
            calculated: time(counted.at),
        }
    }
}

/// The bucket that has the pool's segments. Counters begin when the daemon opens the pool.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ObjectStoreView {
    /// The bucket and the prefix: `s3://BUCKET/PREFIX`.
    pub place: String,
    /// Requests that store an object. Here and below, repeated requests count.
    pub put: u64,
    /// Requests that read an object or a part of one.
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
    /// Blocks that readers found in the cache of this machine.
    pub cache_hits: u64,
    /// Blocks that were read from the bucket.
    pub cache_misses: u64,
    /// Bytes of the cache in memory.
    pub cache_memory_bytes: u64,
    /// Bytes of the cache on the disk.
    pub cache_disk_bytes: u64,
    /// For how many milliseconds the bucket has not answered as it should; 0 while it does.
    pub out_for_ms: u64,
    /// An estimate of what it costs in a month; null without `object_store.prices`, and in the first ten minutes.
    pub cost_per_month: Option<ObjectCostView>,
}

/// What a bucket costs in a month, at the prices in the settings and in their currency: requests as since the pool was opened, and what is stored
/// now.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
pub struct ObjectCostView {
    /// Requests that store, copy or list objects.
    pub writes: f64,
    /// Requests that read objects or ask about them.
    pub reads: f64,
    /// Stored bytes.
    pub stored: f64,
    /// All of it.
    pub total: f64,
}

impl From<Cost> for ObjectCostView {
    fn from(cost: Cost) -> Self {
        let Cost { writes, reads, stored } = cost;
        ObjectCostView { writes, reads, stored, total: writes + reads + stored }
    }
}

impl ObjectStoreView {
    /// The bucket at `place` after these requests.
    pub fn of(place: String, counts: &ObjectCounts, cost: Option<Cost>) -> ObjectStoreView {
        ObjectStoreView {
            place,
            put: counts.put,
            get: counts.get,
            head: counts.head,
            list: counts.list,
            copy: counts.copy,
            delete: counts.delete,
            repeated: counts.repeated,
            bytes_put: counts.bytes_put,
            bytes_got: counts.bytes_got,
            cache_hits: counts.cache_hits,
            cache_misses: counts.cache_misses,
            cache_memory_bytes: counts.cache_memory_bytes,
            cache_disk_bytes: counts.cache_disk_bytes,
            out_for_ms: counts.out_for_ms,
            cost_per_month: cost.map(Into::into),
        }
    }
}

/// The pool.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PoolView {
    /// The pool's id, in hexadecimal.
    pub id: String,
    /// Number of times the pool has been opened.
    pub boot: u64,
    /// The pool's directory.
    pub directory: String,
    /// Capacity in bytes.
    pub bytes_total: u64,
    /// Bytes that can still be written.
    pub bytes_free: u64,
    /// Bytes of file data, holes excluded.
    pub bytes_logical: u64,
    /// Number of inodes, including deleted files that are still open.
    pub inodes_used: u64,
    /// Number of deleted files that are still open.
    pub orphans: u64,
    /// Number of volumes.
    pub volumes: u64,
    /// Number of deleted volumes that can be recovered.
    pub deleted_volumes: u64,
    /// Bytes of file data in deleted volumes, which still take space.
    pub deleted_bytes_logical: u64,
    /// When the next deleted volume is purged; null if there is none.
    #[schema(format = DateTime)]
    pub deleted_until: Option<String>,
    /// Number of segments.
    pub segments: u64,
    /// Bytes of referenced frames.
    pub bytes_live: u64,
    /// Bytes of unreferenced frames; the cleaner reclaims them.
    pub bytes_dead: u64,
    /// Bytes of file tails in the metadata store.
    pub bytes_inline: u64,
    /// Its storage efficiency; null until it has been calculated.
    #[serde(default)]
    pub efficiency: Option<EfficiencyView>,
    /// Number of segments that hold data and are missing; their data cannot be read.
    pub segments_missing: u64,
    /// Number of segments in `lost+found`, which are unknown to the metadata.
    pub lost_found_segments: u64,
    /// Bytes of these segments.
    pub lost_found_bytes: u64,
    /// The bucket that has the segments; null if they lie in a directory.
    #[serde(default)]
    pub object_store: Option<ObjectStoreView>,
    /// The state of the scrub.
    pub scrub: ScrubView,
    /// The copies of the metadata.
    pub metadata: MetadataView,
    /// The pool's format.
    pub format: FormatView,
    /// The daemon's release.
    pub release: String,
}
