//! What a salvage found, for programs and for people.

use serde::Serialize;

/// The report of a salvage; `report.json` in its directory holds the same.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Nothing that was found is damaged or incomplete: all of it was recovered.
    pub complete: bool,
    /// Segments that were found.
    pub segments: u64,
    /// Segment files that were found, those of all copies.
    pub files: u64,
    /// Segment files that were not read, as the same segment is whole in another copy, with the same frames.
    pub files_skipped: u64,
    /// Bytes that were read.
    pub bytes_read: u64,
    /// Distinct chunks that are whole.
    pub chunks: u64,
    /// Record batches that were written, each once.
    pub batches: u64,
    /// Records in them, as far as their headers say.
    pub records: u64,
    /// Bytes of them.
    pub bytes_written: u64,
    /// Batches longer than a chunk that were put together again.
    pub batches_joined: u64,
    /// Logs, and parts of logs; the longest first.
    pub streams: Vec<StreamReport>,
    /// Parts of segment files that are damaged.
    pub damaged: Vec<DamageReport>,
    /// Batches of which only a part was found.
    pub incomplete_batches: Vec<IncompleteBatch>,
    /// What is not Kafka's, or was not recognised.
    pub other: OtherReport,
}

impl Report {
    /// How many parts of segment files are lost: damaged, and whole nowhere else.
    pub fn lost(&self) -> usize {
        self.damaged.iter().filter(|damage| !damage.recovered).count()
    }
}

/// A log, or a part of one.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StreamReport {
    /// Its directory, below the salvage's.
    pub directory: String,
    /// Its files, in the order of their offsets.
    pub files: Vec<String>,
    /// Offset of its first record.
    pub first_offset: i64,
    /// Offset of its last record.
    pub last_offset: i64,
    /// Offsets in between that no batch takes.
    pub offsets_missing: u64,
    /// Its record batches.
    pub batches: u64,
    /// Its records, as far as the batches' headers say.
    pub records: u64,
    /// Bytes of its batches.
    pub bytes: u64,
    /// Earliest timestamp of a batch, in milliseconds since 1970; absent if no batch has one.
    pub first_timestamp_ms: Option<i64>,
    /// Latest timestamp.
    pub last_timestamp_ms: Option<i64>,
    /// Segments that its chunks are in.
    pub segments: Vec<String>,
    /// How its parts were found to belong together.
    pub links: Links,
    /// It may continue another stream, and which one is not certain.
    pub begins_ambiguously: bool,
    /// Directories of the streams that may continue it, if that is not certain; up to 100.
    pub may_continue_in: Vec<String>,
}

/// How the parts of a stream were linked: the number of links by their strongest evidence, strongest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Links {
    /// Both parts are in one chunk: certain.
    pub chunk: u64,
    /// A producer's sequence numbers go on.
    pub producer: u64,
    /// The chunks were appended together.
    pub append: u64,
    /// The timestamps are within a minute, and those of no other part are.
    pub time: u64,
    /// The offsets follow each other, and no other part fits.
    pub offset: u64,
    /// Offsets are missing; the next frame in the segment is of the same producer, later.
    pub behind_gap: u64,
}

/// What is wrong with a part of a segment file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DamageKind {
    /// A frame's content is not what its hash says.
    Frame,
    /// The file ends in the middle of a frame. After a power loss this is what was not acknowledged yet.
    Truncated,
    /// Bytes that are no frame.
    Unrecognised,
    /// The disk could not read it.
    Unreadable,
    /// The frame was whole when it was looked for, and not when it was to be copied.
    Vanished,
}

/// A damaged part of a segment file.
#[derive(Clone, Debug, Serialize)]
pub struct DamageReport {
    /// The segment file.
    pub file: String,
    /// Where the part begins.
    pub offset: u64,
    /// How long it is.
    pub bytes: u64,
    /// The chunk that was there, if that is known.
    pub chunk: Option<String>,
    /// What is wrong.
    pub kind: DamageKind,
    /// All of it was whole elsewhere.
    pub recovered: bool,
}

/// A record batch of which only the beginning was found.
#[derive(Clone, Debug, Serialize)]
pub struct IncompleteBatch {
    /// The offset it begins at.
    pub base_offset: i64,
    /// The offset of its last record.
    pub last_offset: i64,
    /// How long it is.
    pub bytes: u32,
    /// How many of these bytes are in the chunk.
    pub bytes_found: u32,
    /// The chunk that it begins in.
    pub chunk: String,
    /// The segment file with that chunk.
    pub file: String,
}

/// Chunks that are not Kafka's, and what was not recognised in others.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct OtherReport {
    /// Chunks in which nothing is Kafka's, or not everything.
    pub chunks: u64,
    /// Bytes of these.
    pub bytes: u64,
    /// They were written to `other/`.
    pub written: bool,
}

/// What the directory says of itself.
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
