//! The pool, and what is found out about it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Check;
use super::words::words;

words! {
    /// How the daemon is.
    HealthStatus {
        /// As it should be.
        Ok = "ok",
        /// It serves, but data is damaged, segments or the second copy are missing, or the pool has stopped taking writes.
        Degraded = "degraded",
    }
}

/// How the daemon is.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct HealthView {
    /// In a word.
    pub status: HealthStatus,
    /// Release of the daemon.
    pub release: String,
}

/// How the pool is to be checked.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckRequest {
    /// Also read and verify all data.
    #[serde(default)]
    pub read: bool,
}

impl Check for CheckRequest {}

/// What a check looked at, and found.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CheckView {
    /// Inodes whose names, links and sizes were counted.
    pub inodes: u64,
    /// Extents that were looked at.
    pub extents: u64,
    /// Chunks whose references were counted.
    pub chunks: u64,
    /// Segments whose live bytes were counted.
    pub segments: u64,
    /// Bytes of frames that are referenced.
    pub bytes_live: u64,
    /// Frames that were read and verified.
    pub frames_read: u64,
    /// Bytes of them.
    pub bytes_read: u64,
    /// Number of things that do not agree.
    pub differences_count: u64,
    /// One sentence for each, up to ten thousand.
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

/// A segment that no metadata names.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LostSegmentView {
    /// Its number, 16 hexadecimal digits: its file is NUMBER.seg in the directory `segments/lost+found`.
    pub segment: String,
    /// Its size.
    pub bytes: u64,
    /// The start of the daemon that made it.
    pub start: u64,
}

impl From<forebay_pool::LostSegment> for LostSegmentView {
    fn from(lost: forebay_pool::LostSegment) -> Self {
        LostSegmentView { segment: format!("{:016x}", lost.segment), bytes: lost.bytes, start: lost.start }
    }
}

/// How the verification of everything stands.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ScrubView {
    /// One is under way.
    pub running: bool,
    /// When the last one began.
    #[schema(format = DateTime)]
    pub started: Option<String>,
    /// When the last one that was not stopped ended.
    #[schema(format = DateTime)]
    pub finished: Option<String>,
    /// Frames verified in it.
    pub frames: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// Bytes of all frames that are referenced.
    pub bytes_total: u64,
    /// What was written again from the other copy.
    pub repaired: u64,
    /// Frames that are damaged in every copy, headers of segments that could not be mended, and gaps in the metadata.
    pub damaged: u64,
    /// The first of them.
    pub damage: Vec<String>,
    /// Copies that are kept of everything.
    pub copies: u64,
    /// A copy is not there.
    pub degraded: bool,
}

impl From<forebay_pool::ScrubStatus> for ScrubView {
    fn from(status: forebay_pool::ScrubStatus) -> Self {
        ScrubView {
            running: status.running,
            started: status.started.map(super::time),
            finished: status.finished.map(super::time),
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

/// What is stored for the files of a volume, or of all.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct EfficiencyView {
    /// Bytes of files that are not holes.
    pub bytes_logical: u64,
    /// Bytes of files that are holes.
    pub bytes_holes: u64,
    /// Bytes that take no space because others are the same.
    pub bytes_deduplicated: u64,
    /// Bytes that compression saves.
    pub bytes_compressed: u64,
    /// Bytes that are stored.
    pub bytes_physical: u64,
    /// The part of them in the metadata store.
    pub bytes_inline: u64,
    /// Logical to physical.
    pub ratio: f64,
}

impl From<forebay_pool::Efficiency> for EfficiencyView {
    fn from(found: forebay_pool::Efficiency) -> Self {
        EfficiencyView {
            bytes_logical: found.bytes_logical,
            bytes_holes: found.bytes_holes,
            bytes_deduplicated: found.bytes_deduplicated,
            bytes_compressed: found.bytes_compressed,
            bytes_physical: found.bytes_physical,
            bytes_inline: found.bytes_inline,
            ratio: found.bytes_logical as f64 / found.bytes_physical.max(1) as f64,
        }
    }
}

/// The pool.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PoolView {
    /// Its id, in hexadecimal.
    pub id: String,
    /// How many times it has been opened.
    pub boot: u64,
    /// Its directory.
    pub directory: String,
    /// Bytes that it can hold.
    pub bytes_total: u64,
    /// Bytes that can still be written.
    pub bytes_free: u64,
    /// Bytes of all files that are not holes.
    pub bytes_logical: u64,
    /// Inodes that exist, orphans included.
    pub inodes_used: u64,
    /// Files without a name that are still open.
    pub orphans: u64,
    /// Number of volumes.
    pub volumes: u64,
    /// Number of segments.
    pub segments: u64,
    /// Bytes of frames that are referenced.
    pub bytes_live: u64,
    /// Bytes of frames that are not; the cleaner gives them back.
    pub bytes_dead: u64,
    /// Bytes of tails, in the metadata store.
    pub bytes_inline: u64,
    /// Segments that hold data and are not there; what they hold cannot be read.
    pub segments_missing: u64,
    /// Segments that no metadata names, kept in `lost+found`.
    pub lost_found_segments: u64,
    /// Bytes that they take.
    pub lost_found_bytes: u64,
    /// Verification of what is stored.
    pub scrub: ScrubView,
    /// Release of the daemon.
    pub release: String,
}
