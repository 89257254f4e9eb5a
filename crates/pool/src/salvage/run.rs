//! Runs: adjacent record batches in one chunk, or one batch in several chunks.

use super::batch::{Batch, Located, Produced};

/// The place of a run's batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// In a chunk.
    Chunk { chunk: u32, start: u32, end: u32 },
    /// One long batch in several chunks.
    Joined(u32),
}

/// The sequence numbers of a producer in a run.
pub(super) type Span = Produced;

/// A sequence of adjacent batches.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) source: Source,
    pub(super) bytes: u64,
    pub(super) first_offset: i64,
    /// The base offset of the last batch.
    pub(super) last_base_offset: i64,
    pub(super) next_offset: i64,
    pub(super) leader_epochs: (i32, i32),
    /// The first timestamp of the first batch, and the largest of the last.
    pub(super) timestamps: (i64, i64),
    /// In the order of their first batches.
    pub(super) producers: Vec<Span>,
    /// Whether offsets are missing in between, because compaction removed records.
    pub(super) has_gaps: bool,
}

impl Run {
    pub(super) fn new(source: Source, batch: &Batch) -> Run {
        Run {
            source,
            bytes: u64::from(batch.bytes),
            first_offset: batch.base_offset,
            last_base_offset: batch.base_offset,
            next_offset: batch.next_offset,
            leader_epochs: (batch.leader_epoch, batch.leader_epoch),
            timestamps: (batch.base_timestamp, batch.max_timestamp),
            producers: batch.produced.into_iter().collect(),
            has_gaps: false,
        }
    }

    pub(super) fn extend(&mut self, located: &Located) {
        let batch = &located.batch;
        if let Source::Chunk { end, .. } = &mut self.source {
            *end = located.at.saturating_add(batch.bytes);
        }
        self.bytes += u64::from(batch.bytes);
        self.has_gaps |= batch.base_offset != self.next_offset;
        self.last_base_offset = batch.base_offset;
        self.next_offset = batch.next_offset;
        self.leader_epochs.1 = batch.leader_epoch;
        self.timestamps.1 = batch.max_timestamp;
        let Some(produced) = batch.produced else { return };
        let of_same = |span: &&mut Span| (span.id, span.epoch) == (produced.id, produced.epoch);
        match self.producers.iter_mut().find(of_same) {
            Some(span) => span.next = produced.next,
            None => self.producers.push(produced),
        }
    }

    /// The chunk of the run, unless the run is a joined batch.
    pub(super) fn chunk(&self) -> Option<u32> {
        if let Source::Chunk { chunk, .. } = self.source { Some(chunk) } else { None }
    }
}

/// A piece of a batch that is longer than a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Chunk(u32),
    /// A number of zeros, which are not stored.
    Zeros(u32),
}

/// A batch that was joined from its pieces.
#[derive(Clone, Debug)]
pub(super) struct Joined {
    pub(super) batch: Batch,
    pub(super) pieces: Vec<Piece>,
}
