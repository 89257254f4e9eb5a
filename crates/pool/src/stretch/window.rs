//! Merging what random small writes have shattered.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::part::{Part, join, load_if_whole};
use super::run::chunk;
use super::{About, Chunks};
use crate::Result;
use crate::cut::{self, Cut, Rope, all_zero};

/// Parts are counted in file-aligned ranges of that size.
pub(super) const WINDOW_BYTES: u64 = 256 << 10;
/// Parts in a window beyond which they are merged.
pub(super) const PARTS_MAX: usize = 64;
/// Merged bytes become a chunk from this size on.
const CHUNK_BYTES_LEAST: usize = 16 << 10;

/// The parts, where those that lie without a gap in a window with too many are rewritten, if `dirty` touched the window.
/// A window with a damaged part stays as it is.
pub(super) fn mend(
    mut parts: Vec<Part>,
    dirty: &[(u64, Bytes)],
    chunks: &mut dyn Chunks,
) -> Result<Vec<Part>> {
    for window in crowded(&parts, dirty) {
        let end = window.saturating_add(WINDOW_BYTES);
        let first = parts.partition_point(|part| part.offset < window);
        let behind = parts.partition_point(|part| part.end() <= end).max(first);
        let Some(inside) = parts.get(first..behind) else { continue };
        if let Some(merged) = merge_all(inside, chunks)? {
            parts.splice(first..behind, merged);
        }
    }
    Ok(parts)
}

/// Where the crowded windows start.
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

/// `None` if something is damaged.
fn merge_all(parts: &[Part], chunks: &mut dyn Chunks) -> Result<Option<Vec<Part>>> {
    let mut merged = Vec::new();
    for group in parts.chunk_by(|one, other| one.end() == other.offset) {
        let mut pieces = Vec::with_capacity(group.len());
        for part in group {
            let Some(bytes) = load_if_whole(part, chunks)? else { return Ok(None) };
            pieces.push(bytes);
        }
        match group {
            [one] => merged.push(one.clone()),
            [first, ..] => merge(first.offset, &pieces, chunks, &mut merged)?,
            [] => {}
        }
    }
    Ok(Some(merged))
}

/// Cuts the bytes, which are at `offset`, with an end to the last chunk.
fn merge(offset: u64, pieces: &[Bytes], chunks: &mut dyn Chunks, merged: &mut Vec<Part>) -> Result<()> {
    let mut bytes = Rope::default();
    bytes.push(join(pieces));
    let (mut at, mut cut) = (0, Cut::Stream);
    while at < bytes.len() {
        let piece = cut::next(&bytes, at, cut, 0);
        let (length, end) = piece.map_or((bytes.len() - at, Cut::Stream), |piece| (piece.length, piece.end));
        let content = bytes.slice(at..at + length);
        let start = offset.saturating_add(at as u64);
        if content.len() < CHUNK_BYTES_LEAST {
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
