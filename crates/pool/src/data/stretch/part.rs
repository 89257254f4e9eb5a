//! Parts: future extents, some of them newly written.

use std::ops::Range;

use bytes::{Bytes, BytesMut};

use super::{Chunks, Manner};
use crate::format::cut::Cut;
use crate::format::keys::ChunkId;
use crate::format::records::{Content, Extent, ExtentRecord};
use crate::{Error, Result};

/// The place of a part's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// In a chunk, starting at `offset`. `end` is as in [`Content::Chunk`].
    Chunk { id: ChunkId, offset: u32, end: Option<Cut> },
    /// In memory. `new`: they differ from the metadata store.
    Inline { bytes: Bytes, new: bool },
}

/// A part of a stretch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) offset: u64,
    pub(super) length: u32,
    pub(super) source: Source,
}

impl Part {
    /// Bytes that were newly written or newly assembled.
    pub(super) fn new(offset: u64, bytes: Bytes) -> Part {
        // A dirty piece comes from a write, which is far shorter than 4 GiB, and so is everything made from dirty pieces.
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        Part { offset, length, source: Source::Inline { bytes, new: true } }
    }
    pub(super) fn end(&self) -> u64 {
        self.offset.saturating_add(u64::from(self.length))
    }
    pub(super) fn is_loose(&self) -> bool {
        self.cut().is_none()
    }
    pub(super) fn is_new(&self) -> bool {
        matches!(self.source, Source::Inline { new: true, .. })
    }
    /// What is known about the stream at the end of a settled part.
    pub(super) fn cut(&self) -> Option<Cut> {
        match self.source {
            Source::Chunk { end, .. } => end,
            Source::Inline { .. } => None,
        }
    }
    /// The bytes, if they are inline.
    pub(super) fn inline(&self) -> Option<&Bytes> {
        match &self.source {
            Source::Inline { bytes, .. } => Some(bytes),
            Source::Chunk { .. } => None,
        }
    }
    /// Makes a provisional chunk final.
    pub(super) fn settle(&mut self) {
        if let Source::Chunk { end, .. } = &mut self.source {
            end.get_or_insert(Cut::Stream);
        }
    }
    /// Makes a chunk provisional.
    pub(super) fn loosen(&mut self) {
        if let Source::Chunk { end, .. } = &mut self.source {
            *end = None;
        }
    }
    pub(super) fn extent(&self) -> Extent {
        let content = match &self.source {
            Source::Chunk { id, offset, end } => Content::Chunk { id: *id, offset: *offset, end: *end },
            Source::Inline { bytes, .. } => Content::Inline(bytes.clone()),
        };
        (self.offset, ExtentRecord { length: self.length, content })
    }

    /// The part of this part that lies in `keep`. `trimmed` is what is known behind a chunk that loses its end.
    pub(super) fn clip(&self, keep: Range<u64>, trimmed: Option<Cut>) -> Option<Part> {
        let (start, end) = (keep.start.max(self.offset), keep.end.min(self.end()));
        if start >= end {
            return None;
        }
        let skip = u32::try_from(start - self.offset).ok()?;
        let length = u32::try_from(end - start).ok()?;
        if length == self.length {
            return Some(self.clone());
        }
        let source = match &self.source {
            Source::Chunk { id, offset, end: known } => {
                let end = if end < self.end() { trimmed } else { *known };
                Source::Chunk { id: *id, offset: offset.checked_add(skip)?, end }
            }
            Source::Inline { bytes, .. } => {
                let from = usize::try_from(skip).ok()?;
                let to = from.checked_add(usize::try_from(length).ok()?)?;
                bytes.get(from..to)?;
                Source::Inline { bytes: bytes.slice(from..to), new: true }
            }
        };
        Some(Part { offset: start, length, source })
    }

    /// The part's bytes.
    fn load(&self, chunks: &mut dyn Chunks) -> Result<Bytes> {
        match &self.source {
            Source::Inline { bytes, .. } => Ok(bytes.clone()),
            Source::Chunk { id, offset, .. } => {
                let chunk = chunks.read(*id)?;
                let from = usize::try_from(*offset).unwrap_or(usize::MAX);
                let to = from.saturating_add(usize::try_from(self.length).unwrap_or(usize::MAX));
                if chunk.get(from..to).is_none() {
                    return Err(Error::Damaged(format!(
                        "extent at {} reaches beyond its chunk",
                        self.offset
                    )));
                }
                Ok(chunk.slice(from..to))
            }
        }
    }
}

/// The part's bytes, or `None` if they are damaged. A damaged part must stay as it is, so that its readable bytes stay
/// readable and the new writes are not blocked.
pub(super) fn load_if_whole(part: &Part, chunks: &mut dyn Chunks) -> Result<Option<Bytes>> {
    match part.load(chunks) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(Error::Damaged(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Joins adjacent pieces.
pub(super) fn join(pieces: &[Bytes]) -> Bytes {
    match pieces {
        [one] => one.clone(),
        many => {
            let mut joined = BytesMut::with_capacity(many.iter().map(Bytes::len).sum());
            many.iter().for_each(|piece| joined.extend_from_slice(piece));
            joined.freeze()
        }
    }
}

fn part_of((offset, extent): &Extent) -> Part {
    let source = match &extent.content {
        Content::Chunk { id, offset, end } => Source::Chunk { id: *id, offset: *offset, end: *end },
        Content::Inline(bytes) => Source::Inline { bytes: bytes.clone(), new: false },
    };
    Part { offset: *offset, length: extent.length, source }
}

/// The extents of a file that is cut off at `size`. The rest of the last chunk becomes provisional: it is cut again together
/// with the bytes appended next, so that a truncated log is cut like one that was never longer.
pub(crate) fn up_to(extents: &[Extent], size: u64) -> Vec<Extent> {
    let kept = extents.iter().filter_map(|extent| part_of(extent).clip(0..size, None));
    kept.map(|part| part.extent()).collect()
}

/// The extents of a file without `range`. The extents must be in order.
pub(crate) fn without(extents: &[Extent], range: Range<u64>) -> Vec<Extent> {
    let parts = extents.iter().map(part_of);
    let left = parts.flat_map(|part| {
        let (start, end) = (part.offset, part.end());
        [left_over(&part, start..range.start), left_over(&part, range.end..end)]
    });
    left.flatten().map(|part| part.extent()).collect()
}

/// The extents of a file within `range`, moved so that the range begins at `to`. Returns `None` if one would end behind the
/// largest offset of a file.
pub(crate) fn moved(extents: &[Extent], range: &Range<u64>, to: u64) -> Option<Vec<Extent>> {
    let within = extents.iter().filter_map(|extent| left_over(&part_of(extent), range.clone()));
    within
        .map(|part| {
            let offset = (part.offset - range.start).checked_add(to)?;
            Some(Part { offset, ..part }.extent())
        })
        .collect()
}

/// Whether one of the extents covers a byte of `range`. They must be in order.
pub(crate) fn covers(extents: &[Extent], range: Range<u64>) -> bool {
    let end = |(offset, extent): &Extent| offset.saturating_add(u64::from(extent.length));
    let at = extents.partition_point(|extent| end(extent) <= range.start);
    extents.get(at).is_some_and(|(offset, _)| *offset < range.end)
}

/// The dirty pieces without the bytes that they repeat from the chunk in which they begin.
///
/// An NFS client sends whole pages: an append comes with the stored bytes before it, down to the start of the page. If those
/// counted as an overwrite, the chunk would lose its end, and with it what is known about the stream there. For scattered
/// pieces, nothing is read.
pub(super) fn without_repeated(
    extents: &[Extent],
    dirty: &[(u64, Bytes)],
    manner: Manner,
    chunks: &mut dyn Chunks,
) -> Result<Vec<(u64, Bytes)>> {
    let end = |(offset, bytes): &(u64, Bytes)| offset.saturating_add(bytes.len() as u64);
    let mut pieces = Vec::with_capacity(dirty.len());
    for group in dirty.chunk_by(|one, other| end(one) == other.0) {
        let (start, end) = (group.first().map_or(0, |(offset, _)| *offset), group.last().map_or(0, end));
        if manner.is_scattered(start..end) {
            pieces.extend_from_slice(group);
            continue;
        }
        for (offset, bytes) in group {
            let repeated = repeated(extents, *offset, bytes, chunks)?;
            let rest = bytes.slice(repeated.min(bytes.len())..);
            if !rest.is_empty() {
                pieces.push((offset.saturating_add(repeated as u64), rest));
            }
        }
    }
    Ok(pieces)
}

/// How many bytes a piece repeats from the chunk in which it begins, and behind which it ends.
fn repeated(extents: &[Extent], offset: u64, bytes: &Bytes, chunks: &mut dyn Chunks) -> Result<usize> {
    let before = extents.partition_point(|(start, _)| *start < offset);
    let Some(part) = before.checked_sub(1).and_then(|index| extents.get(index)).map(part_of) else {
        return Ok(0);
    };
    let common = part.end().saturating_sub(offset);
    let Ok(common) = usize::try_from(common) else { return Ok(0) };
    if common == 0 || common > bytes.len() || part.inline().is_some() {
        return Ok(0);
    }
    let Some(stored) = load_if_whole(&part, chunks)? else { return Ok(0) };
    let same = stored.len().checked_sub(common).and_then(|from| stored.get(from..)) == bytes.get(..common);
    Ok(if same { common } else { 0 })
}

/// Old parts where nothing was written, new parts elsewhere, in order.
pub(super) fn overlay(extents: &[Extent], dirty: &[(u64, Bytes)]) -> Vec<Part> {
    let end = |(offset, bytes): &(u64, Bytes)| offset.saturating_add(bytes.len() as u64);
    let mut parts: Vec<Part> = Vec::with_capacity(extents.len() + dirty.len() * 2);
    for extent in extents {
        let part = part_of(extent);
        let mut at = part.offset;
        let first = dirty.partition_point(|piece| end(piece) <= part.offset);
        let over = dirty.iter().skip(first).take_while(|(offset, _)| *offset < part.end());
        for piece in over {
            parts.extend(left_over(&part, at..piece.0));
            at = end(piece);
        }
        parts.extend(left_over(&part, at..part.end()));
    }
    parts.extend(dirty.iter().map(|(offset, bytes)| Part::new(*offset, bytes.clone())));
    parts.sort_unstable_by_key(|part| part.offset);
    parts
}

/// The part of a part that lies in `keep`. A shortened chunk is settled.
fn left_over(part: &Part, keep: Range<u64>) -> Option<Part> {
    let mut left = part.clip(keep, Some(Cut::Stream))?;
    if left.length != part.length {
        left.settle();
    }
    Some(left)
}
