//! Merges the many small parts that random small writes leave.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::part::{Part, join, load_if_whole};
use super::run::chunk;
use super::{About, Chunks, PAGE_BYTES};
use crate::Result;
use crate::format::cut::{self, Cut, Rope, all_zero};
use crate::format::keys::ChunkId;

/// Parts are counted in aligned ranges of the file, each of this size.
pub(super) const WINDOW_BYTES: u64 = 256 << 10;
/// A window with more parts than this is merged. The number is a little below the number of pages in a window, so that a
/// window that is written page by page is merged once, when it is nearly full. With a smaller limit, windows that are not
/// written page by page would be merged again and again.
pub(super) const PARTS_MAX: usize = 60;

/// Reads chunks that are merged, and that are not needed afterwards.
struct Once<'a>(&'a mut dyn Chunks);

impl Chunks for Once<'_> {
    fn read(&mut self, id: ChunkId) -> Result<Bytes> {
        self.0.read_once(id)
    }
    fn read_once(&mut self, id: ChunkId) -> Result<Bytes> {
        self.0.read_once(id)
    }
    fn write(&mut self, content: Bytes, about: About) -> Result<ChunkId> {
        self.0.write(content, about)
    }
}

/// Rewrites adjacent parts in windows that `dirty` touched and that have too many parts, and returns all parts. A window
/// with a damaged part stays as it is. Parts at `scattered` (in order) that remain become chunks.
pub(super) fn mend(
    parts: Vec<Part>,
    dirty: &[(u64, Bytes)],
    scattered: &[u64],
    chunks: &mut dyn Chunks,
) -> Result<Vec<Part>> {
    let crowded = crowded(&parts, dirty);
    let mut mended = Vec::with_capacity(parts.len());
    let mut rest = parts.into_iter().peekable();
    for window in crowded {
        let end = window.saturating_add(WINDOW_BYTES);
        while let Some(part) = rest.next_if(|part| part.offset < window) {
            mended.push(settle(part, scattered, chunks)?);
        }
        let mut inside = Vec::new();
        while let Some(part) = rest.next_if(|part| part.end() <= end) {
            inside.push(part);
        }
        for part in merge_all(&inside, chunks)?.unwrap_or(inside) {
            mended.push(settle(part, scattered, chunks)?);
        }
    }
    for part in rest {
        mended.push(settle(part, scattered, chunks)?);
    }
    Ok(mended)
}

/// Turns a scattered part of at least a page into a chunk. Returns any other part unchanged.
fn settle(part: Part, scattered: &[u64], chunks: &mut dyn Chunks) -> Result<Part> {
    match part.inline().filter(|bytes| bytes.len() >= PAGE_BYTES) {
        Some(bytes) if scattered.binary_search(&part.offset).is_ok() => {
            chunk(part.offset, bytes.clone(), Some(Cut::Stream), About::default(), chunks)
        }
        _ => Ok(part),
    }
}

/// The starts of the windows with too many parts.
fn crowded(parts: &[Part], dirty: &[(u64, Bytes)]) -> Vec<u64> {
    let mut touched = BTreeSet::new();
    for (offset, bytes) in dirty {
        let last = offset.saturating_add(bytes.len() as u64).saturating_sub(1);
        touched.extend(offset / WINDOW_BYTES..=last / WINDOW_BYTES);
    }
    let starts = touched.into_iter().map(|window| window * WINDOW_BYTES);
    let is_crowded = |start: &u64| {
        let first = parts.partition_point(|part| part.offset < *start);
        let behind = parts.partition_point(|part| part.offset < start.saturating_add(WINDOW_BYTES));
        behind - first > PARTS_MAX
    };
    starts.filter(is_crowded).collect()
}

/// Returns `None` if a part is damaged.
fn merge_all(parts: &[Part], chunks: &mut dyn Chunks) -> Result<Option<Vec<Part>>> {
    let (mut merged, mut once) = (Vec::new(), Once(chunks));
    for group in parts.chunk_by(|one, other| one.end() == other.offset) {
        let mut pieces = Vec::with_capacity(group.len());
        for part in group {
            let Some(bytes) = load_if_whole(part, &mut once)? else { return Ok(None) };
            pieces.push(bytes);
        }
        match group {
            [one] => merged.push(one.clone()),
            [first, ..] => merge(first.offset, &pieces, once.0, &mut merged)?,
            [] => {}
        }
    }
    Ok(Some(merged))
}

/// Cuts the bytes, which start at `offset`, so that the last chunk ends with them.
fn merge(offset: u64, pieces: &[Bytes], chunks: &mut dyn Chunks, merged: &mut Vec<Part>) -> Result<()> {
    let mut bytes = Rope::default();
    bytes.push(join(pieces));
    let (mut at, mut cut) = (0, Cut::Stream);
    while at < bytes.len() {
        let piece = cut::next(&bytes, offset, at, cut);
        let (length, end) = piece.map_or((bytes.len() - at, Cut::Stream), |piece| (piece.length, piece.end));
        let content = bytes.slice(at..at + length);
        let start = offset.saturating_add(at as u64);
        if content.len() < PAGE_BYTES {
            merged.push(Part::new(start, content));
        } else if !all_zero(&content) {
            let is_compressed = piece.is_some_and(|piece| piece.is_compressed);
            merged.push(chunk(
                start,
                content,
                Some(end),
                About { is_compressed, ..About::default() },
                chunks,
            )?);
        }
        (at, cut) = (at + length, end);
    }
    Ok(())
}
