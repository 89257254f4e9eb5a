//! Record batches of Kafka, as far as a salvage needs them: their offsets, their producers, and whether they are whole.
//!
//! From Kafka's documentation, "Record Batch". Numbers are big-endian, and the CRC-32C covers the bytes after it.

use std::ops::Range;

use crate::format::cut::{BATCH_HEADER_BYTES, find_batch, parse_batch};

/// The offset of the first byte that the CRC covers.
pub(super) const CRC_FROM: usize = 21;
/// The number of false candidates in a chunk after which the rest of the chunk is not searched.
const WRONG_MAX: usize = 64;

/// The producer of a batch, and its sequence numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Produced {
    pub(super) id: i64,
    pub(super) epoch: i16,
    /// The sequence number of the batch's first record.
    pub(super) first: i32,
    /// The next sequence number of the producer.
    pub(super) next: i32,
}

/// A batch's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Batch {
    /// The size of the batch, including the header.
    pub(super) bytes: u32,
    pub(super) crc: u32,
    pub(super) base_offset: i64,
    /// The offset after the last one that the batch uses.
    pub(super) next_offset: i64,
    pub(super) leader_epoch: i32,
    pub(super) base_timestamp: i64,
    pub(super) max_timestamp: i64,
    pub(super) records: i32,
    /// `None` for batches of producers without idempotence, and for control batches.
    pub(super) produced: Option<Produced>,
}

impl Batch {
    /// Parses the header at the beginning of these bytes, if they look like one.
    pub(super) fn parse(bytes: &[u8]) -> Option<Batch> {
        let header: &[u8; BATCH_HEADER_BYTES] = bytes.first_chunk()?;
        let known = parse_batch(header)?;
        let base_offset = i64::from_be_bytes(field(header, 0)?);
        let last_delta = i32::from_be_bytes(field(header, 23)?);
        let (id, epoch) = (i64::from_be_bytes(field(header, 43)?), i16::from_be_bytes(field(header, 51)?));
        let first = i32::from_be_bytes(field(header, 53)?);
        let next = following(first, last_delta);
        Some(Batch {
            bytes: known.bytes,
            crc: known.crc,
            base_offset,
            next_offset: base_offset.checked_add(i64::from(last_delta))?.checked_add(1)?,
            leader_epoch: i32::from_be_bytes(field(header, 12)?),
            base_timestamp: i64::from_be_bytes(field(header, 27)?),
            max_timestamp: i64::from_be_bytes(field(header, 35)?),
            records: i32::from_be_bytes(field(header, 57)?),
            produced: (id >= 0 && first >= 0).then_some(Produced { id, epoch, first, next }),
        })
    }

    /// Parses the batch at the beginning of these bytes, if it is complete and its CRC is correct.
    pub(super) fn parse_whole(bytes: &[u8]) -> Option<Batch> {
        let batch = Batch::parse(bytes)?;
        let covered = bytes.get(CRC_FROM..usize::try_from(batch.bytes).ok()?)?;
        (crc32c::crc32c(covered) == batch.crc).then_some(batch)
    }
}

fn field<const N: usize>(header: &[u8; BATCH_HEADER_BYTES], at: usize) -> Option<[u8; N]> {
    header.get(at..)?.first_chunk().copied()
}

/// The sequence number after a batch. Sequence numbers count from 0 to `i32::MAX`, and then start again at 0.
fn following(first: i32, last_delta: i32) -> i32 {
    let next = (i64::from(first) + i64::from(last_delta) + 1) & i64::from(i32::MAX);
    i32::try_from(next).unwrap_or(0)
}

/// A whole batch in a chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Located {
    pub(super) at: u32,
    pub(super) batch: Batch,
}

impl Located {
    pub(super) fn range(&self) -> Range<usize> {
        let at = self.at as usize;
        at..at.saturating_add(self.batch.bytes as usize)
    }
}

/// The parts of a chunk that were recognised.
#[derive(Debug, Default)]
pub(super) struct Recognised {
    pub(super) batches: Vec<Located>,
    /// The offset and header of a batch that begins in the chunk and does not end there.
    pub(super) head: Option<Located>,
    /// The number of other bytes, except zeros.
    pub(super) bytes_unknown: u32,
}

/// Finds the batches in a chunk: first those at its beginning, then all others.
pub(super) fn recognise(content: &[u8]) -> Recognised {
    let mut recognised = Recognised::default();
    let (mut at, mut wrong) = (0, 0);
    let mut is_boundary = true;
    while let Some(rest) = content.get(at..).filter(|rest| rest.len() >= BATCH_HEADER_BYTES) {
        let place = u32::try_from(at).unwrap_or(u32::MAX);
        if let Some(batch) = Batch::parse_whole(rest) {
            recognised.batches.push(Located { at: place, batch });
            at += batch.bytes as usize;
            is_boundary = true;
            continue;
        }
        let cut_short = Batch::parse(rest).filter(|batch| batch.bytes as usize > rest.len());
        if let Some(batch) = cut_short.filter(|_| is_boundary) {
            recognised.head = Some(Located { at: place, batch });
            return recognised;
        }
        is_boundary = false;
        wrong += 1;
        let next = if wrong > WRONG_MAX { None } else { find_batch(rest) };
        let skipped = rest.get(..next.unwrap_or(rest.len())).unwrap_or(rest);
        recognised.bytes_unknown += unknown(skipped);
        at += skipped.len();
    }
    recognised.bytes_unknown += unknown(content.get(at..).unwrap_or_default());
    recognised
}

/// The number of bytes, or 0 if all are zeros: those are preallocated space.
fn unknown(bytes: &[u8]) -> u32 {
    if crate::format::cut::all_zero(bytes) { 0 } else { u32::try_from(bytes.len()).unwrap_or(u32::MAX) }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Spec, batch};
    use super::*;

    #[test]
    fn whole_batches_are_recognised_wherever_a_chunk_begins() {
        let batches: Vec<_> = (0..5).map(|n| batch(Spec::new(n * 10, 500))).collect();
        let content = batches.concat();
        let all = recognise(&content);
        assert_eq!((all.batches.len(), all.bytes_unknown, all.head.is_some()), (5, 0, false));
        assert_eq!(all.batches[4].batch.base_offset, 40);
        assert_eq!(all.batches[4].batch.next_offset, 50);

        let middle = recognise(&content[100..]);
        assert_eq!((middle.batches.len(), middle.bytes_unknown), (4, 461));
        let cut = recognise(&content[..content.len() - 1]);
        assert_eq!((cut.batches.len(), cut.head.map(|head| head.batch.base_offset)), (4, Some(40)));
        let padded = recognise(&[content.clone(), vec![0; 5_000]].concat());
        assert_eq!((padded.batches.len(), padded.bytes_unknown, padded.head.is_some()), (5, 0, false));
        assert_eq!(recognise(&[]).batches.len(), 0);
    }

    #[test]
    fn a_batch_with_any_wrong_byte_behind_its_crc_is_none() {
        let whole = batch(Spec::new(7, 300));
        for at in 17..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            assert!(Batch::parse_whole(&damaged).is_none(), "byte {at}");
        }
        for length in 0..whole.len() {
            assert!(Batch::parse_whole(&whole[..length]).is_none());
        }
    }

    #[test]
    fn sequence_numbers_begin_again_at_zero() {
        assert_eq!(following(i32::MAX - 1, 1), 0);
        assert_eq!(following(i32::MAX, 0), 0);
        assert_eq!(following(5, 9), 15);
    }
}
