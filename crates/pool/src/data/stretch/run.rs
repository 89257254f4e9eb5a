//! Cuts a run of loose parts.

use std::ops::Range;

use bytes::Bytes;

use super::part::{Part, Source, join, load_if_whole};
use super::{About, Chunks, PAGE_BYTES, Stretch, covers};
use crate::Result;
use crate::format::cut::{
    self, CHUNK_BYTES_MAX, Cut, Piece, Rope, ZERO_RUN_BYTES_MIN, all_zero, zero_prefix,
};

/// How far behind a filled gap data is cut again, at most.
pub(super) const RECUT_BYTES_MAX: u64 = 2 << 20;
/// A tail with more inline bytes becomes a provisional chunk.
const INLINE_BYTES_MAX: usize = 128 << 10;
/// A tail with more inline parts has them merged.
const TAIL_PARTS_MAX: usize = 48;
/// A tail of at least this many zeros becomes a hole. Fewer zeros may be the beginning of something else.
const HOLE_BYTES_MIN: usize = 4 << 10;
/// The number of zeros of a hole that are kept before the bytes that follow it, as they may belong to a header.
const ZEROS_KEPT: usize = 16;

/// Adjacent parts, and their bytes.
#[derive(Default)]
pub(super) struct Run {
    parts: Vec<Part>,
    bytes: Rope,
}

impl Run {
    pub(super) fn push(&mut self, part: Part, bytes: Bytes) {
        self.parts.push(part);
        self.bytes.push(bytes);
    }

    fn start(&self) -> u64 {
        self.parts.first().map_or(0, |part| part.offset)
    }

    fn offset(&self, at: usize) -> u64 {
        self.start().saturating_add(at as u64)
    }

    pub(super) fn range(&self) -> Range<u64> {
        self.start()..self.offset(self.bytes.len())
    }

    /// Cuts the run, and moves the result to the finished parts of the stretch. A scattered run is independent of its
    /// neighbours.
    pub(super) fn settle(
        mut self,
        is_scattered: bool,
        stretch: &mut Stretch<'_>,
        chunks: &mut dyn Chunks,
    ) -> Result<()> {
        if !self.parts.iter().any(Part::is_new) {
            stretch.done.append(&mut self.parts);
            return Ok(());
        }
        let (end_new, behind) = self.end_of_recutting(is_scattered, stretch);
        let (mut at, mut cut) = (0, stretch.cut_at(self.start()));
        loop {
            if let Some(piece) = cut::next(&self.bytes, self.start(), at, cut) {
                self.write(at, &piece, stretch, chunks)?;
                (at, cut) = (at + piece.length, piece.end);
                stretch.known = Some((self.offset(at), cut));
                if let Some(index) = self.agreement(at, cut) {
                    self.parts.drain(index..).rev().for_each(|part| stretch.rest.push_front(part));
                    return Ok(());
                }
            } else {
                // Without batches, bytes that were cut elsewhere, behind a chunk with new bytes, would never agree.
                let is_needed = self.offset(at) < end_new || is_batch(cut);
                if !self.extend(stretch, if is_needed { behind } else { 0 }, chunks)? {
                    break;
                }
            }
        }
        self.settle_tail(at, is_scattered, stretch, chunks)
    }

    /// The end of the new bytes, and the offset up to which settled parts behind the run are cut again: the same, unless
    /// the run fills a gap.
    fn end_of_recutting(&self, is_scattered: bool, stretch: &Stretch<'_>) -> (u64, u64) {
        let end = self.parts.iter().rev().find(|part| part.is_new()).map_or(0, Part::end);
        let filled = !is_scattered && end > 0 && !covers(stretch.extents, end - 1..end);
        (end, end.saturating_add(if filled { RECUT_BYTES_MAX } else { 0 }))
    }

    /// Turns a piece into a chunk or a hole.
    fn write(
        &self,
        at: usize,
        piece: &Piece,
        stretch: &mut Stretch<'_>,
        chunks: &mut dyn Chunks,
    ) -> Result<()> {
        let content = self.bytes.slice(at..at + piece.length);
        if all_zero(&content) {
            return Ok(());
        }
        let about = About { is_compressed: piece.is_compressed, is_provisional: false };
        stretch.done.push(chunk(self.offset(at), content, Some(piece.end), about, chunks)?);
        Ok(())
    }

    /// The first old part that can stay: the cutter has reached its start, and knows the same about the stream as when the
    /// part was cut.
    fn agreement(&self, at: usize, cut: Cut) -> Option<usize> {
        let offset = self.offset(at);
        let index = self.parts.partition_point(|part| part.offset < offset);
        let starts = self.parts.get(index).is_some_and(|part| part.offset == offset);
        let before = self.parts.get(index.checked_sub(1)?)?;
        (starts && before.cut().is_some_and(|before| agree(before, cut))).then_some(index)
    }

    /// Adds the part that follows the run, if it is loose, or a chunk that starts before `behind`.
    fn extend(&mut self, stretch: &mut Stretch<'_>, behind: u64, chunks: &mut dyn Chunks) -> Result<bool> {
        let end = self.offset(self.bytes.len());
        let follows = |part: &&Part| {
            let is_start = matches!(part.source, Source::Chunk { offset: 0, .. });
            part.offset == end && (part.is_loose() || (is_start && end < behind))
        };
        let Some(part) = stretch.rest.front().filter(follows).cloned() else { return Ok(false) };
        let Some(bytes) = load_if_whole(&part, chunks)? else { return Ok(false) };
        stretch.rest.pop_front();
        self.push(part, bytes);
        Ok(true)
    }

    /// The parts from `at` on, without a hole at their beginning.
    fn tail(&self, at: usize) -> Vec<Part> {
        let from = |start: u64| self.parts.iter().filter_map(move |part| part.clip(start..u64::MAX, None));
        let mut zeros = 0;
        for bytes in from(self.offset(at)).map_while(|part| part.inline().cloned()) {
            let leading = zero_prefix(&bytes);
            zeros += leading;
            if leading < bytes.len() {
                break;
            }
        }
        let hole = if at + zeros >= self.bytes.len() && zeros >= HOLE_BYTES_MIN {
            zeros
        } else if zeros >= ZERO_RUN_BYTES_MIN {
            zeros - ZEROS_KEPT
        } else {
            0
        };
        from(self.offset(at + hole)).collect()
    }

    /// The bytes behind the last cut stay as they are: inline, or in partly used chunks.
    fn settle_tail(
        self,
        at: usize,
        is_scattered: bool,
        stretch: &mut Stretch<'_>,
        chunks: &mut dyn Chunks,
    ) -> Result<()> {
        let is_settled = is_scattered || stretch.is_followed(self.range().end);
        let mut tail = self.tail(at);
        if !is_settled {
            // Parts that were cut without knowledge of what precedes them are cut again together with what follows.
            tail.iter_mut().for_each(Part::loosen);
            if stretch.manner.leave {
                leave(&mut tail, stretch);
            }
        }
        let end = is_settled.then_some(Cut::Stream);
        for group in tail.chunk_by(|one, other| one.inline().is_some() && other.inline().is_some()) {
            match group.first().filter(|part| is_scattered && part.inline().is_some()) {
                // Stored once it is known whether it is merged with its neighbours (`window.rs`).
                Some(first) => {
                    stretch.scattered.push(first.offset);
                    stretch.done.push(Part::new(first.offset, joined(group)));
                }
                None => store_inline(group, end, stretch, chunks)?,
            }
        }
        Ok(())
    }
}

/// Whether cutting goes on alike from both states, as long as no record batch follows. Data behind a gap was cut in the
/// state [`Cut::Seek`], although it may belong to a stream without batches.
fn agree(one: Cut, other: Cut) -> bool {
    one == other || (!is_batch(one) && !is_batch(other))
}

fn is_batch(cut: Cut) -> bool {
    matches!(cut, Cut::Batch { .. })
}

/// The bytes of adjacent inline parts.
fn joined(group: &[Part]) -> Bytes {
    let pieces: Vec<Bytes> = group.iter().filter_map(|part| part.inline().cloned()).collect();
    join(&pieces)
}

/// Stores parts of a tail, inline or in chunks.
fn store_inline(
    group: &[Part],
    end: Option<Cut>,
    stretch: &mut Stretch<'_>,
    chunks: &mut dyn Chunks,
) -> Result<()> {
    let pieces: Vec<Bytes> = group.iter().filter_map(|part| part.inline().cloned()).collect();
    let bytes: usize = pieces.iter().map(Bytes::len).sum();
    let mut offset = group.first().map_or(0, |part| part.offset);
    let is_inside = offset.saturating_add(bytes as u64) <= stretch.manner.scattered_until;
    if bytes > INLINE_BYTES_MAX || (is_inside && bytes >= PAGE_BYTES) {
        let about = About { is_compressed: false, is_provisional: end.is_none() && !is_inside };
        let mut content = join(&pieces);
        while !content.is_empty() {
            let now = content.split_to(content.len().min(CHUNK_BYTES_MAX));
            let length = now.len() as u64;
            stretch.done.push(chunk(offset, now, end, about, chunks)?);
            offset += length;
        }
    } else if pieces.len() > TAIL_PARTS_MAX {
        stretch.done.push(Part::new(offset, join(&pieces)));
    } else {
        stretch.done.extend(group.iter().cloned());
    }
    Ok(())
}

/// Leaves new bytes at the end of a tail dirty, unless they replace something.
fn leave(tail: &mut Vec<Part>, stretch: &mut Stretch<'_>) {
    while let Some(last) = tail.pop() {
        let range = last.offset..last.end();
        if !last.is_new() || covers(stretch.extents, range.clone()) {
            tail.push(last);
            break;
        }
        stretch.left.push(range);
    }
}

/// A part for a chunk with this content.
pub(super) fn chunk(
    offset: u64,
    content: Bytes,
    end: Option<Cut>,
    about: About,
    chunks: &mut dyn Chunks,
) -> Result<Part> {
    let mut part = Part::new(offset, content.clone());
    let id = chunks.write(content, about)?;
    part.source = Source::Chunk { id, offset: 0, end };
    Ok(part)
}
