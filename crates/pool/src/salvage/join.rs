//! Joins the pieces of batches that are longer than a chunk.
//!
//! The cutter divides such a batch into as few equal pieces as possible, so the batch's header determines the lengths
//! of all pieces. The pieces are appended one after another, unless they were written at different times. So the search
//! tries the nearest chunks of the right length first, until the batch's CRC is correct. It reads no content, because
//! the CRC of the whole can be computed from the CRCs of the pieces.

use std::collections::HashMap;

use super::catalog::{Catalog, Head};
use super::run::{Joined, Piece};
use crate::format::cut::{CHUNK_BYTES_MAX, part_bytes};

/// The number of chunks to try for one piece: after the previous piece, and before it.
const BEHIND_MAX: usize = 24;
const BEFORE_MAX: usize = 8;
/// The number of combinations to try for one batch. Each wrong combination has a chance of 1 in 4 billion to be
/// accepted.
const TRIES_MAX: u32 = 1024;

/// A chunk that may be a piece.
#[derive(Clone, Copy)]
struct Candidate {
    rank: u32,
    chunk: u32,
    crc: u32,
}

/// Joins all batches whose pieces are found, and leaves the rest among the catalog's heads. `ranks` is the rank of each
/// chunk in the order in which the chunks were appended.
pub(super) fn join(catalog: &mut Catalog, ranks: &[u32]) {
    let mut by_length: HashMap<u32, Vec<Candidate>> = HashMap::new();
    for raw in &catalog.raws {
        let place = raw.chunk as usize;
        let Some((chunk, rank)) = catalog.chunks.get(place).zip(ranks.get(place)) else { continue };
        let candidate = Candidate { rank: *rank, chunk: raw.chunk, crc: raw.crc };
        by_length.entry(chunk.bytes).or_default().push(candidate);
    }
    by_length.values_mut().for_each(|candidates| candidates.sort_by_key(|candidate| candidate.rank));
    let zeros = vec![0; CHUNK_BYTES_MAX];
    for head in std::mem::take(&mut catalog.heads) {
        let rank = ranks.get(head.chunk as usize).copied().unwrap_or(0);
        let mut search =
            Search { by_length: &by_length, zeros: &zeros, tries: TRIES_MAX, crc: head.located.batch.crc };
        match search.pieces(&head, rank) {
            Some(pieces) => catalog.add_joined(Joined { batch: head.located.batch, pieces }),
            None => catalog.heads.push(head),
        }
    }
    catalog.raws = Vec::new();
}

/// A search for the pieces of one batch.
struct Search<'a> {
    by_length: &'a HashMap<u32, Vec<Candidate>>,
    zeros: &'a [u8],
    tries: u32,
    /// The CRC in the batch's header.
    crc: u32,
}

impl Search<'_> {
    fn pieces(&mut self, head: &Head, rank: u32) -> Option<Vec<Piece>> {
        let crc = head.crc?;
        let bytes = head.located.batch.bytes;
        let rest = bytes.checked_sub(part_bytes(bytes))?;
        let mut pieces = vec![Piece::Chunk(head.chunk)];
        for detour in 0.. {
            let before = self.tries;
            if self.follow(crc, rest, rank, detour, &mut pieces) {
                return Some(pieces);
            }
            // There is no combination with a detour this long, or enough were tried.
            if self.tries == 0 || self.tries == before {
                return None;
            }
        }
        None
    }

    /// Finds pieces for the last `rest` bytes. `detour` is the total number of nearer candidates to skip.
    fn follow(&mut self, crc: u32, rest: u32, rank: u32, detour: usize, pieces: &mut Vec<Piece>) -> bool {
        if rest == 0 {
            return crc == self.crc;
        }
        let length = part_bytes(rest);
        let candidates = self.candidates(length, rank);
        let is_last = rest == length;
        for skipped in if is_last { detour..detour + 1 } else { 0..detour + 1 } {
            let (piece, own, rank) = match candidates.get(skipped) {
                Some(candidate) => (Piece::Chunk(candidate.chunk), candidate.crc, candidate.rank),
                None if skipped == candidates.len() => {
                    let zeros = self.zeros.get(..length as usize).unwrap_or(self.zeros);
                    (Piece::Zeros(length), crc32c::crc32c(zeros), rank)
                }
                None => break,
            };
            let Some(tries) = self.tries.checked_sub(1) else { return false };
            self.tries = tries;
            let crc = crc32c::crc32c_combine(crc, own, length as usize);
            pieces.push(piece);
            if self.follow(crc, rest - length, rank, detour - skipped, pieces) {
                return true;
            }
            pieces.pop();
        }
        false
    }

    /// The candidates of this length: first those after `rank`, nearest first, then those before it.
    fn candidates(&self, length: u32, rank: u32) -> Vec<Candidate> {
        let Some(all) = self.by_length.get(&length) else { return Vec::new() };
        let (before, behind) = all.split_at(all.partition_point(|candidate| candidate.rank <= rank));
        behind.iter().take(BEHIND_MAX).chain(before.iter().rev().take(BEFORE_MAX)).copied().collect()
    }
}
