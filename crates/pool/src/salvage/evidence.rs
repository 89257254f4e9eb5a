//! Whether a run of batches may continue a log, and what speaks for it.
//!
//! Segments have no names of topics and partitions, and many partitions have the same offsets. What a batch tells beyond its
//! offsets: the producer, whose sequence numbers go on without a gap in a partition; the leader epoch, which never becomes less; the
//! time; and where the batch was appended.

use std::collections::HashMap;

use super::places::Places;
use super::run::Run;

/// Two timestamps that are no further apart speak for each other.
const NEAR_MS: u64 = 60_000;

/// The runs met in a chunk.
pub(super) const CHUNK: u8 = 8;
/// A producer's sequence numbers go on.
pub(super) const PRODUCER: u8 = 4;
/// The frames were appended together.
pub(super) const APPEND: u8 = 2;
/// The timestamps are near.
pub(super) const TIME: u8 = 1;

/// The end of a log, as far as it is known.
pub(super) struct End {
    pub(super) run: u32,
    pub(super) next_offset: i64,
    leader_epoch: i32,
    timestamp: i64,
    /// By producer id.
    producers: HashMap<i64, Known>,
    /// Places where offsets are missing.
    gaps: u32,
}

/// What is known of a producer at the end of a log.
#[derive(Clone, Copy)]
struct Known {
    epoch: i16,
    /// The sequence number that comes next.
    next: i32,
    /// The gaps up to which that was seen. Behind another one the producer's batches may be among what is missing.
    gaps: u32,
}

impl End {
    pub(super) fn new(number: u32, run: &Run) -> End {
        let mut end = End {
            run: number,
            next_offset: run.first_offset,
            leader_epoch: -1,
            timestamp: -1,
            producers: HashMap::new(),
            gaps: 0,
        };
        end.append(number, run);
        end
    }

    pub(super) fn append(&mut self, number: u32, run: &Run) {
        self.gaps += u32::from(run.first_offset != self.next_offset);
        self.run = number;
        self.next_offset = run.next_offset;
        self.leader_epoch = run.leader_epochs.1;
        self.timestamp = run.timestamps.1;
        for span in &run.producers {
            self.producers.insert(span.id, Known { epoch: span.epoch, next: span.next, gaps: self.gaps });
        }
        self.gaps += u32::from(run.has_gaps);
    }

    /// What speaks for the run as the continuation; `None` if something speaks against it.
    pub(super) fn judge(&self, number: u32, run: &Run, places: &Places) -> Option<u8> {
        if self.leader_epoch >= 0 && run.leader_epochs.0 >= 0 && run.leader_epochs.0 < self.leader_epoch {
            return None;
        }
        let mut evidence = 0;
        let mut seen: Vec<i64> = Vec::new();
        for span in &run.producers {
            if seen.contains(&span.id) {
                continue;
            }
            seen.push(span.id);
            let Some(known) = self.producers.get(&span.id) else { continue };
            let follows = span.epoch == known.epoch && span.first == known.next;
            let contradicts = span.epoch == known.epoch && !follows && known.gaps == self.gaps;
            if span.epoch < known.epoch || contradicts {
                return None;
            }
            if follows {
                evidence |= PRODUCER;
            }
        }
        if places.are_in_a_row(self.run, number) {
            evidence |= APPEND;
        }
        let known = self.timestamp >= 0 && run.timestamps.0 >= 0;
        if known && self.timestamp.abs_diff(run.timestamps.0) <= NEAR_MS {
            evidence |= TIME;
        }
        Some(evidence)
    }

    /// Whether the run, whose frame directly follows, is the same log behind a gap: the same producer goes on.
    pub(super) fn goes_on_behind_gap(&self, run: &Run) -> bool {
        let leader = run.leader_epochs.0 >= self.leader_epoch;
        let producer = run.producers.first().is_some_and(|span| {
            self.producers
                .get(&span.id)
                .is_some_and(|known| span.epoch == known.epoch && span.first > known.next)
        });
        leader && producer && run.first_offset > self.next_offset
    }
}
