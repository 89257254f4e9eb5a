//! Decides whether a run of batches may continue a log, and collects the evidence for it.
//!
//! Segments do not contain the names of topics and partitions, and many partitions have the same offsets. Besides its
//! offsets, a batch has this information: its producer, whose sequence numbers have no gaps within a partition; the
//! leader epoch, which never decreases; the time; and the place where the batch was appended.

use std::collections::HashMap;

use super::places::Places;
use super::run::Run;

/// Two timestamps count as evidence if they are at most this far apart.
const NEAR_MS: u64 = 60_000;

/// The two runs meet in a chunk.
pub(super) const CHUNK: u8 = 8;
/// A producer's sequence numbers continue.
pub(super) const PRODUCER: u8 = 4;
/// The frames were appended together.
pub(super) const APPEND: u8 = 2;
/// The timestamps are close.
pub(super) const TIME: u8 = 1;

/// The known state of a log at its end.
pub(super) struct End {
    pub(super) run: u32,
    pub(super) next_offset: i64,
    leader_epoch: i32,
    timestamp: i64,
    /// By producer id.
    producers: HashMap<i64, Known>,
    /// The number of places where offsets are missing.
    gaps: u32,
}

/// The known state of a producer at the end of a log.
#[derive(Clone, Copy)]
struct Known {
    epoch: i16,
    /// The next sequence number.
    next: i32,
    /// The number of gaps before this state was seen. After a further gap, batches of the producer may be among the
    /// missing ones.
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

    /// The evidence that the run continues the log, or `None` if there is evidence against it.
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

    /// Whether a run whose frame directly follows continues this log after a gap: the same producer continues.
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
