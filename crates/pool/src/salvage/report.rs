//! The result of a salvage, for programs and for people.

use serde::Serialize;

/// The report of a salvage. `report.json` in its directory has the same content.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Whether everything was recovered: nothing that was found is damaged or incomplete.
    pub complete: bool,
    /// The number of segments found.
    pub segments: u64,
    /// The number of segment files found, in all copies.
    pub files: u64,
    /// The number of segment files that were not read, because another copy of the segment is whole and has the same
    /// frames.
    pub files_skipped: u64,
    /// The number of bytes read.
    pub bytes_read: u64,
    /// The number of distinct chunks that are whole.
    pub chunks: u64,
    /// The number of record batches written. Each was written once.
    pub batches: u64,
    /// The number of records in them, according to their headers.
    pub records: u64,
    /// The total size of these batches.
    pub bytes_written: u64,
    /// The number of batches longer than a chunk that were joined from their pieces.
    pub batches_joined: u64,
    /// The logs, and parts of logs, longest first.
    pub streams: Vec<StreamReport>,
    /// The damaged parts of segment files.
    pub damaged: Vec<DamageReport>,
    /// The batches of which only a part was found.
    pub incomplete_batches: Vec<IncompleteBatch>,
    /// Chunks that are not Kafka's, or that were not recognised.
    pub other: OtherReport,
}

impl Report {
    /// The number of parts of segment files that are lost: damaged, and whole nowhere else.
    pub fn lost(&self) -> usize {
        self.damaged.iter().filter(|damage| !damage.recovered).count()
    }
}

/// A log, or a part of one.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StreamReport {
    /// Its directory, relative to that of the salvage.
    pub directory: String,
    /// Its files, in the order of their offsets.
    pub files: Vec<String>,
    /// The offset of its first record.
    pub first_offset: i64,
    /// The offset of its last record.
    pub last_offset: i64,
    /// The number of offsets in between that no batch has.
    pub offsets_missing: u64,
    /// The number of its record batches.
    pub batches: u64,
    /// The number of its records, according to the batches' headers.
    pub records: u64,
    /// The total size of its batches.
    pub bytes: u64,
    /// The earliest timestamp of a batch, in milliseconds since 1970. Absent if no batch has one.
    pub first_timestamp_ms: Option<i64>,
    /// The latest timestamp of a batch.
    pub last_timestamp_ms: Option<i64>,
    /// The segments that contain its chunks.
    pub segments: Vec<String>,
    /// The links between its parts, by evidence.
    pub links: Links,
    /// Whether it may continue another stream, but it is not certain which one.
    pub begins_ambiguously: bool,
    /// The directories of the streams that may continue it, if that is not certain. At most 100.
    pub may_continue_in: Vec<String>,
}

/// The evidence that links the parts of a stream: the number of links by their strongest evidence, strongest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Links {
    /// Both parts are in one chunk: certain.
    pub chunk: u64,
    /// A producer's sequence numbers continue.
    pub producer: u64,
    /// The chunks were appended together.
    pub append: u64,
    /// The timestamps are within a minute of each other, and no other part is that close.
    pub time: u64,
    /// The offsets follow each other, and no other part fits.
    pub offset: u64,
    /// Offsets are missing, but the next frame in the segment has later batches of the same producer.
    pub behind_gap: u64,
}

/// The kind of damage to a part of a segment file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DamageKind {
    /// The content of a frame does not have its hash.
    Frame,
    /// The file ends in the middle of a frame. After a power loss, this is data that was not acknowledged yet.
    Truncated,
    /// Bytes that are not a frame.
    Unrecognised,
    /// The disk could not read these bytes.
    Unreadable,
    /// The frame was whole during the scan, but not when it was copied.
    Vanished,
}

/// A damaged part of a segment file.
#[derive(Clone, Debug, Serialize)]
pub struct DamageReport {
    /// The segment file.
    pub file: String,
    /// The offset of the part.
    pub offset: u64,
    /// The size of the part.
    pub bytes: u64,
    /// The chunk that was there, if known.
    pub chunk: Option<String>,
    /// The kind of damage.
    pub kind: DamageKind,
    /// Whether all of it was found whole elsewhere.
    pub recovered: bool,
}

/// A record batch of which only the beginning was found.
#[derive(Clone, Debug, Serialize)]
pub struct IncompleteBatch {
    /// The offset of its first record.
    pub base_offset: i64,
    /// The offset of its last record.
    pub last_offset: i64,
    /// The size of the batch.
    pub bytes: u32,
    /// The number of these bytes in the chunk.
    pub bytes_found: u32,
    /// The chunk in which it begins.
    pub chunk: String,
    /// The segment file with that chunk.
    pub file: String,
}

/// Chunks that are not Kafka's, or only partly.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct OtherReport {
    /// The number of chunks with data that is not Kafka's.
    pub chunks: u64,
    /// The total size of these chunks.
    pub bytes: u64,
    /// Whether they were written to `other/`.
    pub written: bool,
}

/// The README of the target directory.
pub(super) const README: &str = "\
What Forebay salvaged from the segments of a pool whose metadata is lost.

report.json   What was found, what is damaged, and how the parts of each stream were linked. It is written last: without it
              the salvage did not reach its end, and is to be run again into another directory.
logs/         Kafka's record batches. Each stream-NNNNN is a log of one partition, or a part of it, in files that
              `kafka-dump-log.sh --files FILE` reads, and that a broker can have in a partition's directory.
other/        With --other: every chunk that is not all Kafka's, named by its hash.

What is certain: every record batch here has the right checksum, and each one that was found is here exactly once. Replicas of a
partition were stored once, and so are one stream.

What segments do not hold, and this is therefore without:
- Names. Which topic and partition a stream is, only its records can tell. Directories, snapshots and settings are gone.
- The last bytes of files: small tails are kept in the metadata store.
- Which data was deleted. Records that were deleted, by retention or with their topic, are here for as long as their segment was
  not cleaned. What compaction, or a change of leaders, replaced is here in both versions, in streams of their own.
- Which stream continues which, where several partitions have the same offsets and nothing tells them apart. Nothing is guessed:
  a stream ends there, and report.json names those that may continue it (may_continue_in). A link by `offset` or `time` alone is
  weaker than one by `chunk`, `producer` or `append`: look at the records there.

To use a stream: create the topic, stop the broker, put the stream's .log files into the partition's directory in place of its own,
and start the broker, which makes the indexes anew. Or read the records with kafka-dump-log.sh and produce them again.
";
