//! The catalog of everything found: chunks by their place, and runs of record batches in them. No content is kept.
//!
//! A *run* is a sequence of adjacent batches in one chunk with ascending offsets. It is certain to be part of one log.
//! A batch that was seen before in another chunk is left out, so each distinct batch is in one run. The catalog
//! remembers that two runs met in a chunk: then one is certain to follow the other.
//!
//! Memory: about 350 bytes for each chunk, including its runs, and up to 70 for each batch while duplicates are looked
//! up by hash.

use std::collections::HashMap;

use super::batch::{CRC_FROM, Located, recognise};
use super::error::{Error, Result};
use super::frames::Found;
use super::run::{Joined, Piece, Run, Source};
use super::sources::SegmentFile;
use crate::format::cut::{CHUNK_BYTES_MAX, part_bytes};
use crate::format::frames::Facts;
use crate::format::keys::ChunkId;

/// The content of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// No data of Kafka's.
    Other,
    /// Only record batches.
    Batches,
    /// Record batches, and bytes that were not recognised.
    Partly,
    /// A piece of a batch that is longer than a chunk.
    Piece,
}

/// A chunk, and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk {
    pub(super) id: ChunkId,
    /// What the footer says of its frame, if the frame's header is damaged.
    pub(super) facts: Option<Facts>,
    /// The number of the segment file.
    pub(super) file: u32,
    pub(super) segment: u32,
    pub(super) offset: u64,
    /// The size of its frame, including the header.
    pub(super) bytes_stored: u32,
    pub(super) bytes: u32,
    pub(super) is: Use,
}

/// A batch that begins in a chunk and ends elsewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) chunk: u32,
    pub(super) located: Located,
    /// The CRC of the batch's bytes in this chunk, if the rest of the batch may be in chunks of its own.
    pub(super) crc: Option<u32>,
}

/// A chunk that does not begin with a batch. It may be a piece of a long batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raw {
    pub(super) chunk: u32,
    pub(super) crc: u32,
}

/// Half of a BLAKE3 hash of a batch.
type Identity = [u8; 16];

/// A batch with its identity.
type Known = (Located, Identity);

/// See the module.
#[derive(Default)]
pub(super) struct Catalog {
    pub(super) chunks: Vec<Chunk>,
    by_id: HashMap<ChunkId, u32>,
    pub(super) runs: Vec<Run>,
    batches: HashMap<Identity, u32>,
    /// Maps a run to the run that follows it, and the reverse.
    pub(super) following: HashMap<u32, u32>,
    pub(super) preceding: HashMap<u32, u32>,
    pub(super) heads: Vec<Head>,
    pub(super) raws: Vec<Raw>,
    pub(super) joined: Vec<Joined>,
    /// Batches in chunks that may be pieces of a long batch. In that case they are data in a record.
    tentative: Vec<(u32, Vec<Known>)>,
}

impl Catalog {
    pub(super) fn has(&self, id: ChunkId) -> bool {
        self.by_id.contains_key(&id)
    }

    /// Adds a chunk, unless it is already known.
    pub(super) fn add(&mut self, number: u32, file: &SegmentFile, found: &Found) -> Result<()> {
        if self.has(found.id) {
            return Ok(());
        }
        let too_many = || Error::TooMany { path: file.path.clone() };
        let chunk = u32::try_from(self.chunks.len()).ok().filter(|chunk| *chunk < u32::MAX - 1);
        let chunk = chunk.ok_or_else(too_many)?;
        let recognised = recognise(&found.content);
        let known: Vec<Known> = recognised
            .batches
            .into_iter()
            .map(|located| (located, identity(found.content.get(located.range()).unwrap_or_default())))
            .collect();
        let is = match (known.is_empty(), recognised.bytes_unknown, recognised.head) {
            (true, _, _) => Use::Other,
            (false, 0, None) => Use::Batches,
            _ => Use::Partly,
        };
        let bytes = u32::try_from(found.content.len()).unwrap_or(u32::MAX);
        self.by_id.insert(found.id, chunk);
        self.chunks.push(Chunk {
            id: found.id,
            facts: found.facts,
            file: number,
            segment: file.segment,
            offset: found.offset,
            bytes_stored: found.bytes_stored,
            bytes,
            is,
        });
        if let Some(located) = recognised.head {
            let is_first_piece = located.at == 0
                && located.batch.bytes as usize > CHUNK_BYTES_MAX
                && part_bytes(located.batch.bytes) == bytes;
            let crc = found.content.get(CRC_FROM..).filter(|_| is_first_piece).map(crc32c::crc32c);
            self.heads.push(Head { chunk, located, crc });
        }
        match known.first() {
            Some((located, _)) if located.at == 0 => self.register(chunk, &known),
            _ => {
                if recognised.head.is_none() && bytes as usize <= CHUNK_BYTES_MAX {
                    self.raws.push(Raw { chunk, crc: crc32c::crc32c(&found.content) });
                }
                if !known.is_empty() {
                    self.tentative.push((chunk, known));
                }
            }
        }
        Ok(())
    }

    /// Registers the batches in all chunks that are not pieces of a long batch. Called after all long batches have been
    /// joined.
    pub(super) fn settle(&mut self) {
        for (chunk, known) in std::mem::take(&mut self.tentative) {
            if self.chunks.get(chunk as usize).is_some_and(|chunk| chunk.is != Use::Piece) {
                self.register(chunk, &known);
            }
        }
        self.batches = HashMap::new();
    }

    /// Adds a batch that was joined from pieces.
    pub(super) fn add_joined(&mut self, joined: Joined) {
        for piece in &joined.pieces {
            if let Piece::Chunk(chunk) = piece
                && let Some(chunk) = self.chunks.get_mut(*chunk as usize)
            {
                chunk.is = Use::Piece;
            }
        }
        let number = u32::try_from(self.joined.len()).unwrap_or(u32::MAX);
        self.runs.push(Run::new(Source::Joined(number), &joined.batch));
        self.joined.push(joined);
    }

    /// Puts the batches of a chunk into runs.
    fn register(&mut self, chunk: u32, known: &[Known]) {
        // The run of the last batch, and whether that run can continue in this chunk.
        let mut last: Option<(u32, Located)> = None;
        let mut is_open = false;
        for (located, identity) in known {
            let adjacent = last.filter(|(_, before)| before.range().end == located.range().start);
            let ascends =
                adjacent.filter(|(_, before)| before.batch.next_offset <= located.batch.base_offset);
            if let Some(run) = self.batches.get(identity).copied() {
                self.meet(ascends, run, located);
                last = Some((run, *located));
                is_open = false;
                continue;
            }
            let open = ascends.filter(|_| is_open).map(|(run, _)| run);
            let run = match open.and_then(|run| Some((run, self.runs.get_mut(run as usize)?))) {
                Some((number, run)) => {
                    run.extend(located);
                    number
                }
                None => {
                    let number = u32::try_from(self.runs.len()).unwrap_or(u32::MAX);
                    let (start, end) = (located.at, located.at.saturating_add(located.batch.bytes));
                    self.runs.push(Run::new(Source::Chunk { chunk, start, end }, &located.batch));
                    self.meet(ascends, number, located);
                    number
                }
            };
            self.batches.insert(*identity, run);
            last = Some((run, *located));
            is_open = true;
        }
    }

    /// Notes that in a chunk the batch `located` of the run `after` follows a batch of another run. If these are the
    /// first and the last batch of their runs, the run `after` follows the other run.
    fn meet(&mut self, before: Option<(u32, Located)>, after: u32, located: &Located) {
        let Some((before, last)) = before.filter(|(before, _)| *before != after) else { return };
        let ends = |run: &Run| run.last_base_offset == last.batch.base_offset;
        let begins = |run: &Run| run.first_offset == located.batch.base_offset;
        let fits = self.runs.get(before as usize).is_some_and(ends)
            && self.runs.get(after as usize).is_some_and(begins)
            && !self.following.contains_key(&before)
            && !self.preceding.contains_key(&after);
        if fits {
            self.following.insert(before, after);
            self.preceding.insert(after, before);
        }
    }
}

fn identity(batch: &[u8]) -> Identity {
    let mut identity = [0; 16];
    let hash = blake3::hash(batch);
    identity.iter_mut().zip(hash.as_bytes()).for_each(|(to, from)| *to = *from);
    identity
}
