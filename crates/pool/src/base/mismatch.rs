//! Why a pool is not opened: its parts do not belong together. See docs/decisions/0001-opening-proves-the-pool.md.

use std::path::PathBuf;
use std::time::SystemTime;

/// Why the parts of a pool do not belong together. The attempt to open it changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Mismatch {
    /// The directory holds no pool.
    #[error("there is no pool in it")]
    NoPool,
    /// The directory holds parts of a pool, but no FORMAT file.
    #[error(
        "its FORMAT file is missing, but {there} is there; if this is the whole pool, write the file again (`echo forebay-pool {format} >FORMAT`)"
    )]
    NoFormat {
        /// The part that was found.
        there: String,
        /// The format that this release writes.
        format: u32,
    },
    /// A part of the metadata store is missing.
    #[error("its metadata is incomplete: {part} is {state}")]
    MetadataPart {
        /// The file or directory.
        part: PathBuf,
        /// Missing, empty or damaged.
        state: &'static str,
    },
    /// The metadata store cannot be read.
    #[error("its metadata is damaged: {0}")]
    MetadataDamaged(String),
    /// A part of the metadata store is older than STATE says.
    #[error(
        "its metadata is not the last that was there: {part} is of version {found}, and STATE knows version {known}"
    )]
    MetadataOld {
        /// The file.
        part: PathBuf,
        /// Its version.
        found: u64,
        /// The version that STATE knows.
        known: u64,
    },
    /// A journal is damaged in a range that had been made durable.
    #[error(
        "its metadata journal {journal} is damaged from byte {offset} on, where it had been made durable"
    )]
    Journal {
        /// The file.
        journal: PathBuf,
        /// The first unreadable byte.
        offset: u64,
    },
    /// Batches of metadata are missing between batches that exist.
    #[error(
        "its metadata is incomplete: batches {from} to {to} are missing (a journal was removed, or is older than the tables)"
    )]
    Gap {
        /// The first batch that is missing.
        from: u64,
        /// The last.
        to: u64,
    },
    /// The metadata ends before a batch that is known to have been durable.
    #[error("its metadata ends at batch {found}, and {witness} says that batch {known} was durable: {lost} batches are missing", lost = known.saturating_sub(*found))]
    Behind {
        /// The last batch that the metadata has.
        found: u64,
        /// A batch that was durable.
        known: u64,
        /// The witness of that batch.
        witness: String,
    },
    /// The metadata store exists but is empty.
    #[error("its metadata is empty, but {there}")]
    Empty {
        /// What shows that it was not empty before.
        there: String,
    },
    /// The directory holds parts of two pools.
    #[error("{part} belongs to pool {found}, and the metadata to pool {known}")]
    OtherPool {
        /// The part.
        part: String,
        /// The pool that it names.
        found: String,
        /// The pool that the metadata names.
        known: String,
    },
    /// A part was written by a later start of the pool than the metadata.
    #[error("its metadata is of start {known}, and {part} is of start {found}: the metadata is older")]
    LaterStart {
        /// The part.
        part: String,
        /// Its start.
        found: u64,
        /// The start that the metadata counts.
        known: u64,
    },
    /// Two histories of one pool are mixed: the pool was restored from a backup and continued from there, but the part is from
    /// the history after the backup.
    #[error(
        "{part} is of start {found} of another history of this pool than the metadata (one of them was put back from a backup)"
    )]
    OtherHistory {
        /// The part.
        part: String,
        /// Its start.
        found: u64,
    },
    /// The STATE file is older than the metadata.
    #[error(
        "its STATE file is of start {found}, and the metadata of start {known}: the file was replaced by an older one"
    )]
    StateOld {
        /// The start that the file names.
        found: u64,
        /// The start that the metadata counts.
        known: u64,
    },
    /// The STATE file is missing or unreadable.
    #[error("its STATE file is {state}, so nothing shows that the metadata is complete")]
    NoState {
        /// Missing or damaged.
        state: &'static str,
    },
    /// A needed part of the intent log is missing or damaged.
    #[error(
        "file {file:04}.log of its intent log is {state} (at byte {offset}); {} may be lost", answered_since(*since)
    )]
    Log {
        /// The number of the file.
        file: u32,
        /// Missing or damaged.
        state: &'static str,
        /// Where the damage begins.
        offset: u64,
        /// No sync that was answered before needs the log, if that is known.
        since: Option<SystemTime>,
    },
    /// The STATE file is older than the second copy's.
    #[error(
        "its STATE file knows the intent log up to lap {found}, and the second copy's up to lap {known}: the file was replaced by an older one"
    )]
    StateBehindCopy {
        /// The last lap that the file names.
        found: u64,
        /// The last lap that the second copy's names.
        known: u64,
    },
    /// A second copy of the metadata that is known to be behind.
    #[error(
        "its copy of the metadata is stale: the pool went on without it, so what was acknowledged since then is missing"
    )]
    CopyStale,
    /// A second copy that lacks a part of the intent log.
    #[error(
        "its copy of the intent log is not whole, so the last bytes that were promised to be durable may be missing"
    )]
    CopyLog,
    /// A second copy that missed bytes, and no scrub has ended since.
    #[error(
        "its segments may lack bytes: it missed some, and no scrub has ended since then that found them all there"
    )]
    CopyIncomplete,
    /// A second copy that lacks segments.
    #[error("its copy lacks {missing} segments that hold data")]
    CopySegments {
        /// Segments that the metadata names and the copy does not have.
        missing: usize,
    },
    /// The metadata names segments, but none of their files exist.
    #[error("{named} segments hold its data, and none of them is in {directory}; is the disk mounted there?")]
    NoSegments {
        /// The directory of segments.
        directory: PathBuf,
        /// Segments that the metadata names.
        named: usize,
    },
}

/// The syncs whose bytes a damaged log may have lost.
fn answered_since(since: Option<SystemTime>) -> String {
    match since {
        Some(since) => {
            format!("bytes of syncs that were answered since {}", humantime::format_rfc3339_seconds(since))
        }
        None => "the last bytes that were promised to be durable".to_owned(),
    }
}
