//! What was found: chunks, by their place, and runs of record batches in them. No content is kept.
//!
//! A *run* is a sequence of batches that lie together in one chunk, with ascending offsets: part of one log for certain. A batch
//! that was seen before, in another chunk, is left out, so each distinct batch is in one run. That two runs met in a chunk is
//! remembered: one follows the other for certain.
//!
//! For each chunk about 350 bytes are kept, runs included, and for each batch up to 70, while its hash is looked for.

use std::collections::HashMap;

use super::batch::{CRC_FROM, Located, recognise};
use super::error::{Error, Result};
use super::frames::Found;
use super::run::{Joined, Piece, Run, Source};
use super::sources::SegmentFile;
use crate::format::cut::{CHUNK_BYTES_MAX, part_bytes};
use crate::format::keys::ChunkId;

/// What a chunk turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Nothing of Kafka's.
    Other,
    /// Record batches, and nothing else.
    Batches,
    /// Record batches, and something that was not recognised.
    Partly,
    /// A piece of a batch that is longer than a chunk.
    Piece,
}

/// A chunk, and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk {
    pub(super) id: ChunkId,
    /// Number of the segment file.
    pub(super) file: u32,
    pub(super) segment: u32,
    pub(super) offset: u64,
    /// Bytes of its frame, header included.
    pub(super) bytes_stored: u32,
    pub(super) bytes: u32,
    pub(super) is: Use,
}

/// A batch that begins in a chunk and ends elsewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) chunk: u32,
    pub(super) located: Located,
    /// CRC of what the chunk has of it, if its other pieces may be chunks of their own.
    pub(super) crc: Option<u32>,
}

/// A chunk that does not begin with a batch: it may be a piece of a long one.
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
    /// For a run, the one that follows it, and the other way round.
    pub(super) following: HashMap<u32, u32>,
    pub(super) preceding: HashMap<u32, u32>,
    pub(super) heads: Vec<Head>,
    pub(super) raws: Vec<Raw>,
    pub(super) joined: Vec<Joined>,
    /// Batches in chunks that may be pieces of a long one, in which case they are data of a record.
    tentative: Vec<(u32, Vec<Known>)>,
}

impl Catalog {
    pub(super) fn has(&self, id: ChunkId) -> bool {
        self.by_id.contains_key(&id)
    }

    /// Takes in a chunk, unless it is known.
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

    /// All long batches have been joined: what was not used for them stands for itself.
    pub(super) fn settle(&mut self) {
        for (chunk, known) in std::mem::take(&mut self.tentative) {
            if self.chunks.get(chunk as usize).is_some_and(|chunk| chunk.is != Use::Piece) {
                self.register(chunk, &known);
            }
        }
        self.batches = HashMap::new();
    }

    /// A batch has been put together.
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
        // The run that the last batch is in, and whether it goes on in this chunk.
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

    /// In a chunk, the batch `located` of the run `after` follows one of another run. If these are the last and the first of
    /// their runs, one run follows the other.
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
