//! Cutting: what the extents of one block become when dirty pieces are written over it.
//!
//! A block is a file-aligned range of [`BLOCK_BYTES`]. No extent crosses from one block into the next, so a flush
//! looks at the blocks it touches and at nothing else. Within a block:
//! - A *run* is a stretch without a gap of tail bytes, stored inline or just written. It is cut into a chunk when it
//!   reaches the end of the block, when much of it was just written, or when it lies in too many pieces.
//!   So a sequence of small appends costs one small record each, until their block is complete.
//! - Otherwise just the new pieces are added, each as an inline extent.
//! - Zeros are not stored.
//! - A block in too many pieces (random small writes over chunks) is rewritten as a whole.
//!
//! ```text
//! block       |-----------------------------------------------|
//! before      [ chunk A             ][t1][t2]                       t: inline
//! dirty                                      [d ]
//! after       [ chunk A             ][t1][t2][d ]                   one small record
//! dirty               [d]                        [d           ]
//! after       [ A   ][d ][ A        ][ chunk B                ]     A is referred to twice
//! ```

use std::ops::Range;

use bytes::{Bytes, BytesMut};

use crate::Result;
use crate::keys::ChunkId;
use crate::records::{Content, ExtentRecord};
use crate::segment::chunk_id;

/// Size of a block, and so of the largest chunk that is cut.
pub(crate) const BLOCK_BYTES: u64 = 128 << 10;
/// A run that reaches the block's end is cut from this size on; a smaller one stays inline.
const CUT_BYTES_MIN: u64 = 16 << 10;
/// More new bytes than this in one run are cut, rather than taking the way through the metadata store.
const INLINE_BYTES_MAX: u64 = 64 << 10;
/// Inline pieces in a run, and extents in a block, beyond which they are merged.
const PIECES_MAX: usize = 64;

/// Where a part's bytes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// In a chunk that an extent points to already.
    Chunk { id: ChunkId, offset: u32 },
    /// In a chunk that is to be written: all of it.
    Cut { id: ChunkId, content: Bytes },
    /// Inline in the metadata store. `stored`: as it is there already.
    Inline { bytes: Bytes, new: bool },
}

/// A part of a block: an extent to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) offset: u64,
    pub(crate) length: u32,
    pub(crate) source: Source,
}

impl Part {
    fn range(&self) -> Range<u64> {
        self.offset..self.offset + u64::from(self.length)
    }
    fn is_loose(&self) -> bool {
        matches!(self.source, Source::Inline { .. })
    }
    fn is_new(&self) -> bool {
        matches!(self.source, Source::Inline { new: true, .. })
    }
    /// The extent record that stores the part.
    pub(crate) fn extent(&self) -> ExtentRecord {
        let content = match &self.source {
            Source::Chunk { id, offset } => Content::Chunk { id: *id, offset: *offset },
            Source::Cut { id, .. } => Content::Chunk { id: *id, offset: 0 },
            Source::Inline { bytes, .. } => Content::Inline(bytes.clone()),
        };
        ExtentRecord { length: self.length, content }
    }
}

/// Gives the bytes of a chunk that is in the pool.
pub(crate) type ReadChunk<'a> = dyn FnMut(ChunkId) -> Result<Bytes> + 'a;

/// The block that holds `offset`.
pub(crate) fn block_at(offset: u64) -> Range<u64> {
    let start = offset - offset % BLOCK_BYTES;
    start..start.saturating_add(BLOCK_BYTES)
}

/// The parts of `extents` that lie outside `range`.
pub(crate) fn without(extents: &[(u64, ExtentRecord)], range: Range<u64>) -> Vec<Part> {
    let mut parts = Vec::new();
    for (offset, extent) in extents {
        let end = offset + u64::from(extent.length);
        parts.extend(part_of(*offset, extent, *offset..end.min(range.start)));
        parts.extend(part_of(*offset, extent, (*offset).max(range.end)..end));
    }
    parts
}

/// The part of an extent that lies in `keep`.
fn part_of(offset: u64, extent: &ExtentRecord, keep: Range<u64>) -> Option<Part> {
    if keep.is_empty() {
        return None;
    }
    // Both fit: an extent is at most a block long.
    let skip = u32::try_from(keep.start - offset).ok()?;
    let length = u32::try_from(keep.end - keep.start).ok()?;
    let source = match &extent.content {
        Content::Chunk { id, offset } => Source::Chunk { id: *id, offset: offset.checked_add(skip)? },
        Content::Inline(bytes) => {
            let from = usize::try_from(skip).ok()?;
            let to = from.checked_add(usize::try_from(length).ok()?)?;
            bytes.get(from..to)?;
            Source::Inline { bytes: bytes.slice(from..to), new: false }
        }
    };
    Some(Part { offset: keep.start, length, source })
}

/// What the block at `block` consists of after `dirty` (in order, within the block) is written over `extents`.
pub(crate) fn rewrite(
    block: &Range<u64>,
    extents: &[(u64, ExtentRecord)],
    dirty: &[(u64, Bytes)],
    read_chunk: &mut ReadChunk<'_>,
) -> Result<Vec<Part>> {
    let mut parts = overlay(extents, dirty);
    parts = map_runs(parts, Part::is_loose, |run| settle_run(block, run));
    if parts.len() > PIECES_MAX {
        for part in &mut parts {
            load(part, read_chunk)?;
        }
        parts = map_runs(parts, Part::is_loose, |run| vec![cut(run)]);
    }
    parts.retain(|part| !is_zeros(part));
    Ok(parts)
}

/// Old parts where nothing was written, new parts elsewhere, in order.
fn overlay(extents: &[(u64, ExtentRecord)], dirty: &[(u64, Bytes)]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut extents = extents.to_vec();
    for (offset, bytes) in dirty {
        let range = *offset..offset + bytes.len() as u64;
        let (before, touched): (Vec<_>, Vec<_>) = extents
            .into_iter()
            .partition(|(offset, extent)| offset + u64::from(extent.length) <= range.start);
        parts.extend(before.iter().filter_map(|(offset, extent)| whole(*offset, extent)));
        let mut rest = Vec::new();
        for part in without(&touched, range) {
            if part.offset < *offset {
                parts.push(part);
            } else {
                rest.push((part.offset, part.extent()));
            }
        }
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        parts.push(Part {
            offset: *offset,
            length,
            source: Source::Inline { bytes: bytes.clone(), new: true },
        });
        extents = rest;
    }
    parts.extend(extents.iter().filter_map(|(offset, extent)| whole(*offset, extent)));
    parts
}

fn whole(offset: u64, extent: &ExtentRecord) -> Option<Part> {
    part_of(offset, extent, offset..offset + u64::from(extent.length))
}

/// Applies `settle` to each longest stretch, without a gap, of parts that `belongs` says yes to.
fn map_runs(
    parts: Vec<Part>,
    belongs: impl Fn(&Part) -> bool,
    settle: impl Fn(Vec<Part>) -> Vec<Part>,
) -> Vec<Part> {
    let mut settled = Vec::with_capacity(parts.len());
    let mut run: Vec<Part> = Vec::new();
    for part in parts {
        let continues = belongs(&part) && run.last().is_some_and(|last| last.range().end == part.offset);
        if !continues && !run.is_empty() {
            settled.extend(settle(std::mem::take(&mut run)));
        }
        if belongs(&part) {
            run.push(part);
        } else {
            settled.push(part);
        }
    }
    if !run.is_empty() {
        settled.extend(settle(run));
    }
    settled
}

/// Cuts a run, merges it, or leaves it as it is.
fn settle_run(block: &Range<u64>, run: Vec<Part>) -> Vec<Part> {
    let bytes: u64 = run.iter().map(|part| u64::from(part.length)).sum();
    let new: u64 = run.iter().filter(|part| part.is_new()).map(|part| u64::from(part.length)).sum();
    if new == 0 {
        return run;
    }
    let complete = run.last().is_some_and(|last| last.range().end == block.end);
    let many = run.len() > PIECES_MAX;
    if new > INLINE_BYTES_MAX || ((complete || many) && bytes >= CUT_BYTES_MIN) {
        vec![cut(run)]
    } else if many {
        vec![merge(run)]
    } else {
        run
    }
}

/// One inline part for the whole run.
fn merge(run: Vec<Part>) -> Part {
    let offset = run.first().map_or(0, |part| part.offset);
    let length = run.iter().map(|part| part.length).sum();
    let pieces: Vec<Bytes> = run
        .into_iter()
        .filter_map(|part| match part.source {
            Source::Inline { bytes, .. } => Some(bytes),
            _ => None,
        })
        .collect();
    let bytes = match &pieces[..] {
        [one] => one.clone(),
        many => {
            let mut merged = BytesMut::with_capacity(many.iter().map(Bytes::len).sum());
            many.iter().for_each(|piece| merged.extend_from_slice(piece));
            merged.freeze()
        }
    };
    Part { offset, length, source: Source::Inline { bytes, new: true } }
}

/// One chunk for the whole run; zeros stay as they are, to be dropped.
fn cut(run: Vec<Part>) -> Part {
    let mut part = merge(run);
    if let Source::Inline { bytes, .. } = &part.source
        && !all_zero(bytes)
    {
        part.source = Source::Cut { id: chunk_id(bytes), content: bytes.clone() };
    }
    part
}

/// Brings a part's bytes into memory, so that it can be cut anew.
fn load(part: &mut Part, read_chunk: &mut ReadChunk<'_>) -> Result<()> {
    let (chunk, offset) = match &part.source {
        Source::Chunk { id, offset } => (read_chunk(*id)?, usize::try_from(*offset).unwrap_or(usize::MAX)),
        Source::Cut { content, .. } => (content.clone(), 0),
        Source::Inline { .. } => return Ok(()),
    };
    let end = offset.saturating_add(usize::try_from(part.length).unwrap_or(usize::MAX));
    if chunk.get(offset..end).is_none() {
        return Err(crate::Error::Damaged(format!("extent at {} reaches beyond its chunk", part.offset)));
    }
    part.source = Source::Inline { bytes: chunk.slice(offset..end), new: true };
    Ok(())
}

fn is_zeros(part: &Part) -> bool {
    matches!(&part.source, Source::Inline { bytes, new: true } if all_zero(bytes))
}

fn all_zero(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<16>();
    words.iter().all(|word| u128::from_ne_bytes(*word) == 0) && rest.iter().all(|byte| *byte == 0)
}

#[cfg(test)]
#[path = "block_tests.rs"]
mod tests;
