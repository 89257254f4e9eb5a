//! Finds every whole frame of a segment file without trusting anything else in the file.
//!
//! The walk goes from header to header. At a place without a header it searches byte by byte for the next one, whatever
//! the state of the segment's header and however much is damaged. A frame is whole if its content has the sum in its
//! header, or in a frame of version 1 the hash. After that, a valid footer gives the places of frames whose own header is damaged.
//! Their content is recognised by what the footer says of it, or by its hash.

use std::collections::HashSet;
use std::ops::Range;

use bytes::Bytes;

use super::window::Window;
use crate::format::frames::{
    CHUNK_BYTES_MAX, FOOTER_END_BYTES, FRAME_HEADER_BYTES_MAX, FRAME_HEADER_BYTES_MIN, Facts, FrameAt,
    content_by_facts, content_by_sum, footer_bytes, hashed, read_footer, read_header,
};
use crate::format::keys::ChunkId;

const FRAME_MAGIC: &[u8] = b"FBFR";
const SEGMENT_MAGIC: &[u8] = b"FBSEGMNT";
/// The size of a segment header, by its version.
const SEGMENT_HEADERS: [(u32, u64); 2] = [(1, 32), (2, 64)];
const SEGMENT_HEADER_BYTES_MAX: u64 = 64;
/// The maximum size of a footer. A longer one would list more frames than a segment can have.
const FOOTER_BYTES_MAX: u64 = 64 << 20;

/// A whole frame.
pub(super) struct Found {
    pub(super) offset: u64,
    /// The size of the frame, including its header.
    pub(super) bytes_stored: u32,
    pub(super) id: ChunkId,
    /// What the footer says of it, if its header is damaged.
    pub(super) facts: Option<Facts>,
    /// The chunk.
    pub(super) content: Bytes,
}

/// The kind of damage to a part of a segment file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The content of a frame is not the one that its header or the footer describes.
    Frame,
    /// The file ends before the end of the frame.
    Truncated,
    /// Bytes that are not a frame, in a segment without a valid footer that lists its frames.
    Unrecognised,
    /// The disk could not read these bytes.
    Unreadable,
}

/// A damaged part of a segment file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Damage {
    pub(super) range: Range<u64>,
    /// The chunk that was there, if known.
    pub(super) id: Option<ChunkId>,
    pub(super) fault: Fault,
}

/// The content of a segment file's footer.
pub(super) struct Footer {
    /// The offset at which the footer begins.
    pub(super) start: u64,
    pub(super) frames: Vec<(FrameAt, Option<Facts>)>,
}

/// Reads the footer, if there is one and it is whole.
pub(super) fn footer(window: &mut Window) -> Option<Footer> {
    let length = window.length();
    let end = window.bytes(length.checked_sub(FOOTER_END_BYTES as u64)?, FOOTER_END_BYTES);
    let bytes = footer_bytes(end).filter(|bytes| *bytes <= length && *bytes <= FOOTER_BYTES_MAX)?;
    let start = length - bytes;
    let frames = read_footer(window.bytes(start, usize::try_from(bytes).ok()?)).ok()?;
    Some(Footer { start, frames })
}

/// Unpacks a frame whose header is damaged, by what a footer says of it.
pub(super) fn content_without_header(frame: &Bytes, id: ChunkId, facts: Option<Facts>) -> Option<Bytes> {
    match facts {
        Some(facts) => content_by_facts(frame, facts).ok(),
        None => content_by_hash(frame, id),
    }
}

/// Unpacks a frame of version 1 whose header is damaged.
fn content_by_hash(frame: &[u8], id: ChunkId) -> Option<Bytes> {
    let stored = frame.get(FRAME_HEADER_BYTES_MIN..)?;
    let matches = |content: &[u8]| hashed(content) == id;
    if matches(stored) {
        return Some(Bytes::copy_from_slice(stored));
    }
    let mut content = vec![0; CHUNK_BYTES_MAX];
    for unpack in [unpack_lz4, unpack_zstd] {
        if let Some(content) = unpack(stored, &mut content).and_then(|length| content.get(..length))
            && matches(content)
        {
            return Some(Bytes::copy_from_slice(content));
        }
    }
    None
}

fn unpack_lz4(stored: &[u8], content: &mut [u8]) -> Option<usize> {
    lz4_flex::block::decompress_into(stored, content).ok()
}

fn unpack_zstd(stored: &[u8], content: &mut [u8]) -> Option<usize> {
    zstd::bulk::decompress_to_buffer(stored, content).ok()
}

/// Passes every whole frame to `found`. Returns the damaged parts.
pub(super) fn walk(
    window: &mut Window,
    footer: Option<&Footer>,
    found: &mut dyn FnMut(Found, u64),
) -> Vec<Damage> {
    let end = footer.map_or(window.length(), |footer| footer.start);
    let mut walk = Walk { end, damage: Vec::new(), offsets: HashSet::new() };
    walk.frames(window, footer.is_some(), found);
    if let Some(footer) = footer {
        walk.named(window, &footer.frames, found);
    }
    let mut damage = walk.damage;
    let unreadable = window.unreadable().iter();
    damage.extend(unreadable.map(|range| Damage {
        range: range.clone(),
        id: None,
        fault: Fault::Unreadable,
    }));
    damage
}

struct Walk {
    /// The offset at which frames end. A footer may begin there.
    end: u64,
    damage: Vec<Damage>,
    /// The offsets of whole frames, and of frames with a whole header.
    offsets: HashSet<u64>,
}

impl Walk {
    fn frames(&mut self, window: &mut Window, has_footer: bool, found: &mut dyn FnMut(Found, u64)) {
        let mut at = 0;
        // All bytes before this offset have been accounted for.
        let mut settled = header_end(window);
        while at < self.end {
            let next = match self.frame(window, at) {
                Step::Whole(frame) => {
                    if !has_footer {
                        self.note_gap(window, settled..at);
                    }
                    let next = at + u64::from(frame.bytes_stored);
                    found(frame, next);
                    settled = next;
                    at = next;
                    continue;
                }
                Step::Damaged(end) => {
                    if !has_footer {
                        self.note_gap(window, settled..at);
                    }
                    settled = settled.max(end);
                    at + 1
                }
                Step::Nothing => at + 1,
            };
            at = window.find(FRAME_MAGIC, next, self.end).unwrap_or(self.end);
        }
        if !has_footer {
            self.note_gap(window, settled..self.end);
        }
    }

    fn frame(&mut self, window: &mut Window, at: u64) -> Step {
        let Ok(header) = read_header(window.bytes(at, FRAME_HEADER_BYTES_MAX)) else { return Step::Nothing };
        let bytes_stored = header.bytes_stored();
        if header.content_bytes as usize > CHUNK_BYTES_MAX {
            return Step::Nothing;
        }
        let end = at.saturating_add(u64::from(bytes_stored));
        let frame = Bytes::copy_from_slice(window.bytes(at, bytes_stored as usize));
        self.offsets.insert(at);
        if let Ok(content) = content_by_sum(&frame, header.id) {
            return Step::Whole(Found { offset: at, bytes_stored, id: header.id, facts: None, content });
        }
        let fault = if end > window.length() { Fault::Truncated } else { Fault::Frame };
        let end = end.min(window.length());
        self.damage.push(Damage { range: at..end, id: Some(header.id), fault });
        Step::Damaged(end)
    }

    /// Finds the frames that the footer lists and that have no whole header.
    fn named(
        &mut self,
        window: &mut Window,
        frames: &[(FrameAt, Option<Facts>)],
        found: &mut dyn FnMut(Found, u64),
    ) {
        for (frame, facts) in frames {
            let range = frame.offset..frame.offset.saturating_add(u64::from(frame.bytes_stored));
            if self.offsets.contains(&frame.offset) || range.end > self.end {
                continue;
            }
            self.offsets.insert(frame.offset);
            if frame.bytes_stored as usize > CHUNK_BYTES_MAX + FRAME_HEADER_BYTES_MAX {
                continue;
            }
            let bytes = window.bytes(frame.offset, frame.bytes_stored as usize);
            let content = content_without_header(&Bytes::copy_from_slice(bytes), frame.id, *facts);
            match content {
                Some(content) => {
                    let (offset, bytes_stored, id) = (frame.offset, frame.bytes_stored, frame.id);
                    found(Found { offset, bytes_stored, id, facts: *facts, content }, range.end);
                }
                None => self.damage.push(Damage { range, id: Some(frame.id), fault: Fault::Frame }),
            }
        }
    }

    /// Reports the bytes between two frames as damage, unless all are zeros.
    fn note_gap(&mut self, window: &mut Window, range: Range<u64>) {
        if range.start < range.end && !window.is_zero(range.clone()) {
            self.damage.push(Damage { range, id: None, fault: Fault::Unrecognised });
        }
    }
}

enum Step {
    Whole(Found),
    /// A whole header of a damaged frame, which would end at this offset.
    Damaged(u64),
    Nothing,
}

/// The offset at which the segment's own header ends. Nothing in that header is needed, so damage to it is no loss.
fn header_end(window: &mut Window) -> u64 {
    let start = window.bytes(0, SEGMENT_HEADER_BYTES_MAX as usize);
    let version = start.get(SEGMENT_MAGIC.len()..).and_then(|rest| rest.first_chunk()).copied();
    let version = version.map_or(0, u32::from_le_bytes);
    let known =
        SEGMENT_HEADERS.iter().find(|(known, _)| start.starts_with(SEGMENT_MAGIC) && *known == version);
    if let Some((_, bytes)) = known {
        return *bytes;
    }
    let magic = memchr::memmem::find(start, FRAME_MAGIC);
    magic.map_or(SEGMENT_HEADERS[0].1, |at| at as u64)
}
