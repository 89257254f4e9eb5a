//! The layout of a segment: a header, frames without gaps between them, and a footer.
//!
//! ```text
//! segment header (64): "FBSEGMNT" version:4 = 2 mark:4 segment:8 pool:16 batch:8 created:8 checksum:8
//!             or (32): "FBSEGMNT" version:4 = 1 zero:4 segment:8 checksum:8
//! frame header   (64): "FBFR" version:1 = 2 compression:1 zero:2 bytes stored:4 bytes:4 chunk id:32 sum:8 sum of the header:8
//!             or (56): "FBFR" version:1 = 1 compression:1 zero:2 bytes stored:4 bytes:4 chunk id:32 checksum:8
//! footer         (64 a chunk + 24): { frame offset:8 bytes stored:4 bytes:4 version:1 compression:1 zero:6 chunk id:32 sum:8 },
//!                      then frames:8 sum:8 "FBSGFOO2"
//!             or (44 a chunk + 24): { frame offset:8 bytes stored:4 chunk id:32 }, then frames:8 checksum:8 "FBSGFOOT"
//! ```
//! Numbers are little-endian. A *checksum* is the first 8 bytes of the BLAKE3 hash of all bytes before it in its structure, and a *sum*
//! is XXH3-64: that of a header and of a footer covers all bytes before it, and that of a frame covers the content as it is stored.
//! Compression is 0 for none, 1 for an LZ4 block, 2 for a Zstandard frame. The id of a chunk in a frame of version 1 is a hash of the
//! uncompressed content; in a frame of version 2 it is a tag under the pool's key ([`super::names`]), so that who has no key knows the
//! content by its sum.
//!
//! The metadata locates each chunk, so reading one needs neither header nor footer. The header records the segment's
//! pool and the position of the metadata when the segment was created. With the header and the footer, a person or a
//! salvage can interpret a segment on its own.

use bytes::Bytes;

use xxhash_rust::xxh3::xxh3_64;

use super::names::{Names, Naming, hashed};
use super::pack::{Packed, decompress};
use super::{FrameAt, Listed};
use crate::format::codec::{Decoded, Decoder, Encoder, Malformed};
use crate::format::keys::{ChunkId, SegmentId};
use crate::{Compression, PoolId};

/// The size of a segment header.
pub(crate) const SEGMENT_HEADER_BYTES: u64 = 64;
/// The size of a segment header of version 1.
pub(crate) const SEGMENT_HEADER_BYTES_V1: u64 = 32;
/// The size of the largest frame header.
pub(crate) const FRAME_HEADER_BYTES_MAX: usize = 64;
/// The size of the smallest frame header.
pub(crate) const FRAME_HEADER_BYTES_MIN: usize = 56;
/// The size of the largest chunk, and so of the largest frame's content.
pub(crate) const CHUNK_BYTES_MAX: usize = 1 << 20;

const SEGMENT_MAGIC: &[u8; 8] = b"FBSEGMNT";
const FOOTER_MAGIC: &[u8; 8] = b"FBSGFOO2";
const FOOTER_MAGIC_1: &[u8; 8] = b"FBSGFOOT";
const FRAME_MAGIC: &[u8; 4] = b"FBFR";
const SEGMENT_VERSION: u32 = 2;
const SEGMENT_VERSION_1: u32 = 1;

fn compression_code(compression: Compression) -> u8 {
    match compression {
        Compression::None => 0,
        Compression::Lz4 => 1,
        Compression::Zstd => 2,
    }
}

fn compression_of(code: u8) -> Decoded<Compression> {
    match code {
        0 => Ok(Compression::None),
        1 => Ok(Compression::Lz4),
        2 => Ok(Compression::Zstd),
        _ => Err(Malformed),
    }
}

/// The version of frames whose chunks have names of a kind.
fn frame_version(naming: Naming) -> u8 {
    match naming {
        Naming::Hashed => 1,
        Naming::Keyed => 2,
    }
}

fn naming_of(version: u8) -> Decoded<Naming> {
    match version {
        1 => Ok(Naming::Hashed),
        2 => Ok(Naming::Keyed),
        _ => Err(Malformed),
    }
}

/// The size of the header of a frame whose chunk has a name of a kind.
pub(crate) fn frame_header_bytes(naming: Naming) -> usize {
    match naming {
        Naming::Hashed => FRAME_HEADER_BYTES_MIN,
        Naming::Keyed => FRAME_HEADER_BYTES_MAX,
    }
}

fn checksum(bytes: &[u8]) -> [u8; 8] {
    let mut sum = [0; 8];
    sum.copy_from_slice(&blake3::hash(bytes).as_bytes()[..8]);
    sum
}

fn with_checksum(bytes: Vec<u8>) -> Vec<u8> {
    let sum = checksum(&bytes);
    Encoder::with_capacity(bytes.len() + 8).bytes(&bytes).bytes(&sum).done()
}

fn with_sum(bytes: Vec<u8>) -> Vec<u8> {
    let sum = xxh3_64(&bytes);
    Encoder::with_capacity(bytes.len() + 8).bytes(&bytes).u64(sum).done()
}

/// The header of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentHeader {
    pub(crate) segment: SegmentId,
    /// Unknown in a segment of version 1.
    pub(crate) origin: Option<SegmentOrigin>,
}

/// The origin of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentOrigin {
    pub(crate) pool: PoolId,
    /// The mark of the start that created the segment: see [`crate::store::witness::State::mark`].
    pub(crate) mark: u32,
    /// All batches of metadata up to this number were durable when the segment was created.
    pub(crate) batch: u64,
    /// When it was created, in seconds since 1970.
    pub(crate) created: u64,
}

impl SegmentHeader {
    /// The size of the header as stored.
    pub(crate) fn bytes(&self) -> u64 {
        if self.origin.is_some() { SEGMENT_HEADER_BYTES } else { SEGMENT_HEADER_BYTES_V1 }
    }
}

/// The bytes of a segment header.
pub(crate) fn segment_header(id: SegmentId, origin: SegmentOrigin) -> Bytes {
    let header = Encoder::default().bytes(SEGMENT_MAGIC).u32(SEGMENT_VERSION).u32(origin.mark).u64(id.0);
    let header = header.bytes(&origin.pool.0).u64(origin.batch).u64(origin.created);
    with_checksum(header.done()).into()
}

/// Reads the header of a segment. `start` is the first [`SEGMENT_HEADER_BYTES`] of the segment, or fewer.
pub(crate) fn read_segment_header(start: &[u8]) -> Decoded<SegmentHeader> {
    let mut decoder = Decoder::new(start);
    let magic: [u8; 8] = decoder.array()?;
    let (version, mark, segment) = (decoder.u32()?, decoder.u32()?, SegmentId(decoder.u64()?));
    let origin = match version {
        SEGMENT_VERSION_1 => None,
        SEGMENT_VERSION => {
            let pool = PoolId(decoder.array()?);
            Some(SegmentOrigin { pool, mark, batch: decoder.u64()?, created: decoder.u64()? })
        }
        _ => return Err(Malformed),
    };
    let summed = start.get(..start.len() - decoder.remaining()).ok_or(Malformed)?;
    let expected: [u8; 8] = decoder.array()?;
    if &magic != SEGMENT_MAGIC || checksum(summed) != expected {
        return Err(Malformed);
    }
    Ok(SegmentHeader { segment, origin })
}

/// What a frame says of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The kind of the chunk's name.
    pub(crate) naming: Naming,
    pub(crate) compression: Compression,
    /// The size of the chunk.
    pub(crate) bytes: u32,
    /// The sum of the content as it is stored.
    pub(crate) sum: u64,
}

impl Facts {
    /// The facts of a chunk that is stored as `stored`.
    pub(super) fn of(naming: Naming, compression: Compression, bytes: u32, stored: &[u8]) -> Facts {
        Facts { naming, compression, bytes, sum: xxh3_64(stored) }
    }
}

/// The bytes of a frame header. `stored` is the size of the chunk after compression.
pub(crate) fn frame_header(id: ChunkId, facts: Facts, stored: u32) -> Bytes {
    let header = Encoder::default()
        .bytes(FRAME_MAGIC)
        .u8(frame_version(facts.naming))
        .u8(compression_code(facts.compression))
        .u16(0)
        .u32(stored)
        .u32(facts.bytes)
        .bytes(&id.0);
    match facts.naming {
        Naming::Hashed => with_checksum(header.done()).into(),
        Naming::Keyed => with_sum(header.u64(facts.sum).done()).into(),
    }
}

/// The bytes of a footer.
pub(crate) fn footer(frames: &[Listed]) -> Bytes {
    let mut footer = Encoder::with_capacity(frames.len() * FOOTER_ENTRY_BYTES as usize + FOOTER_END_BYTES);
    for Listed { at, facts } in frames {
        footer = footer
            .u64(at.offset)
            .u32(at.bytes_stored)
            .u32(facts.bytes)
            .u8(frame_version(facts.naming))
            .u8(compression_code(facts.compression))
            .bytes(&[0; 6])
            .bytes(&at.id.0)
            .u64(facts.sum);
    }
    let mut footer = with_sum(footer.u64(frames.len() as u64).done());
    footer.extend_from_slice(FOOTER_MAGIC);
    footer.into()
}

/// The bytes of a footer as they were until format 4.
#[cfg(test)]
pub(crate) fn footer_of_version_1(frames: &[FrameAt]) -> Bytes {
    let mut footer = Encoder::default();
    for at in frames {
        footer = footer.u64(at.offset).u32(at.bytes_stored).bytes(&at.id.0);
    }
    let mut footer = with_checksum(footer.u64(frames.len() as u64).done());
    footer.extend_from_slice(FOOTER_MAGIC_1);
    footer.into()
}

/// The size of the part at the end of a footer that tells the footer's length.
pub(crate) const FOOTER_END_BYTES: usize = 24;
const FOOTER_ENTRY_BYTES: u64 = 64;
const FOOTER_ENTRY_BYTES_1: u64 = 44;

/// The size of the footer that ends with `end`, or `None` if `end` is not the end of a footer.
pub(crate) fn footer_bytes(end: &[u8]) -> Option<u64> {
    let mut decoder = Decoder::new(end);
    let (frames, _, magic) = (decoder.u64().ok()?, decoder.u64().ok()?, decoder.rest());
    let entry = if magic == FOOTER_MAGIC {
        FOOTER_ENTRY_BYTES
    } else if magic == FOOTER_MAGIC_1 {
        FOOTER_ENTRY_BYTES_1
    } else {
        return None;
    };
    frames.checked_mul(entry)?.checked_add(FOOTER_END_BYTES as u64)
}

/// The frames listed in a complete footer, with what the footer says of their contents. A footer of version 1 says nothing of them.
pub(crate) fn read_footer(footer: &[u8]) -> Decoded<Vec<(FrameAt, Option<Facts>)>> {
    let summed = footer.len().checked_sub(16).and_then(|end| footer.get(..end)).ok_or(Malformed)?;
    let mut end = Decoder::new(footer.get(summed.len()..).ok_or(Malformed)?);
    let (expected, magic): ([u8; 8], [u8; 8]) = (end.array()?, end.array()?);
    let has_facts = &magic == FOOTER_MAGIC;
    let sum = if has_facts { xxh3_64(summed).to_le_bytes() } else { checksum(summed) };
    if sum != expected || !(has_facts || &magic == FOOTER_MAGIC_1) {
        return Err(Malformed);
    }
    let mut decoder = Decoder::new(summed);
    let mut frames = Vec::new();
    while decoder.remaining() > 8 {
        let (offset, bytes_stored) = (decoder.u64()?, decoder.u32()?);
        if !has_facts {
            frames.push((FrameAt { id: ChunkId(decoder.array()?), offset, bytes_stored }, None));
            continue;
        }
        let (bytes, version, compression) = (decoder.u32()?, decoder.u8()?, decoder.u8()?);
        let _: [u8; 6] = decoder.array()?;
        let id = ChunkId(decoder.array()?);
        let (naming, compression) = (naming_of(version)?, compression_of(compression)?);
        let facts = Facts { naming, compression, bytes, sum: decoder.u64()? };
        frames.push((FrameAt { id, offset, bytes_stored }, Some(facts)));
    }
    if decoder.u64()? == frames.len() as u64 { Ok(frames) } else { Err(Malformed) }
}

/// A frame header that was read.
pub(crate) struct FrameHeader {
    pub(crate) id: ChunkId,
    /// The number of bytes that follow the header.
    pub(crate) content_bytes: u32,
    pub(crate) naming: Naming,
    compression: Compression,
    /// The size of the chunk.
    bytes: u32,
    /// The sum of the content as it is stored. Frames of version 1 have none.
    sum: Option<u64>,
}

impl FrameHeader {
    /// The size of the frame, including its header.
    pub(crate) fn bytes_stored(&self) -> u32 {
        self.content_bytes.saturating_add(frame_header_bytes(self.naming) as u32)
    }
}

/// Reads the frame header at the beginning of `start`, which is the first [`FRAME_HEADER_BYTES_MAX`] bytes of the frame, or fewer if
/// the frame has no more.
pub(crate) fn read_header(start: &[u8]) -> Decoded<FrameHeader> {
    let mut decoder = Decoder::new(start);
    let magic: [u8; 4] = decoder.array()?;
    let (version, compression, _) = (decoder.u8()?, decoder.u8()?, decoder.u16()?);
    let (content_bytes, bytes) = (decoder.u32()?, decoder.u32()?);
    let id = ChunkId(decoder.array()?);
    let naming = naming_of(version)?;
    let sum = match naming {
        Naming::Hashed => None,
        Naming::Keyed => Some(decoder.u64()?),
    };
    let summed = start.get(..start.len() - decoder.remaining()).ok_or(Malformed)?;
    let found = match naming {
        Naming::Hashed => checksum(summed),
        Naming::Keyed => xxh3_64(summed).to_le_bytes(),
    };
    let expected: [u8; 8] = decoder.array()?;
    if &magic != FRAME_MAGIC || found != expected {
        return Err(Malformed);
    }
    Ok(FrameHeader { id, content_bytes, naming, compression: compression_of(compression)?, bytes, sum })
}

/// The content of a whole frame, if it is the chunk `id`.
pub(crate) fn content(frame: &Bytes, id: ChunkId, names: &Names) -> Decoded<Bytes> {
    let (header, content) = unpack(frame, id)?;
    if names.name_as(header.naming, &content) == id { Ok(content) } else { Err(Malformed) }
}

/// Verifies a frame like [`content`], and also what only a reader without the pool's key needs.
pub(crate) fn whole_content(frame: &Bytes, id: ChunkId, names: &Names) -> Decoded<Bytes> {
    let header = read_header(frame)?;
    let sum = xxh3_64(frame.get(frame_header_bytes(header.naming)..).ok_or(Malformed)?);
    if header.sum.is_some_and(|expected| expected != sum) {
        return Err(Malformed);
    }
    content(frame, id, names)
}

/// The content of a whole frame that says that it is the chunk `id`, for a reader without the pool's key.
pub(crate) fn content_by_sum(frame: &Bytes, id: ChunkId) -> Decoded<Bytes> {
    let (header, content) = unpack(frame, id)?;
    let is_whole = match header.sum {
        Some(sum) => {
            frame.get(frame_header_bytes(header.naming)..).is_some_and(|stored| xxh3_64(stored) == sum)
        }
        None => hashed(&content) == id,
    };
    if is_whole { Ok(content) } else { Err(Malformed) }
}

/// The content of a frame whose header is damaged, by what the footer says of it.
pub(crate) fn content_by_facts(frame: &Bytes, facts: Facts) -> Decoded<Bytes> {
    let header = frame_header_bytes(facts.naming);
    let stored = frame.get(header..).ok_or(Malformed)?;
    if xxh3_64(stored) != facts.sum {
        return Err(Malformed);
    }
    let bytes = usize::try_from(facts.bytes).map_err(|_| Malformed)?;
    decompress(&frame.slice(header..), facts.compression, bytes)
}

/// Verifies a frame like [`whole_content`], and returns it unchanged, ready to be appended elsewhere.
pub(crate) fn repack(frame: &Bytes, id: ChunkId, names: &Names) -> Decoded<Packed> {
    whole_content(frame, id, names)?;
    let FrameHeader { naming, compression, bytes, .. } = read_header(frame)?;
    let header = frame_header_bytes(naming);
    let facts = Facts::of(naming, compression, bytes, frame.get(header..).ok_or(Malformed)?);
    Ok(Packed { id, facts, parts: [frame.slice(..header), frame.slice(header..)] })
}

fn unpack(frame: &Bytes, id: ChunkId) -> Decoded<(FrameHeader, Bytes)> {
    let header = read_header(frame)?;
    let header_bytes = frame_header_bytes(header.naming);
    let stored = frame.get(header_bytes..).ok_or(Malformed)?;
    if header.id != id || stored.len() as u64 != u64::from(header.content_bytes) {
        return Err(Malformed);
    }
    let bytes = usize::try_from(header.bytes).map_err(|_| Malformed)?;
    let content = decompress(&frame.slice(header_bytes..), header.compression, bytes)?;
    Ok((header, content))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(naming: Naming, content: &[u8]) -> (ChunkId, Vec<u8>) {
        let id = Names::new(&[1; 32], naming).name(content);
        let facts = Facts::of(naming, Compression::None, content.len() as u32, content);
        (id, [&frame_header(id, facts, content.len() as u32), content].concat())
    }

    #[test]
    fn any_flipped_byte_of_a_frame_is_found() {
        let names = Names::new(&[1; 32], Naming::Keyed);
        let read = |frame: &[u8], id| {
            let frame = Bytes::copy_from_slice(frame);
            [content(&frame, id, &names), whole_content(&frame, id, &names), content_by_sum(&frame, id)]
        };
        for naming in [Naming::Hashed, Naming::Keyed] {
            let (id, frame) = frame(naming, b"some records");
            assert_eq!(frame.len(), frame_header_bytes(naming) + 12);
            assert!(read(&frame, id).iter().all(|read| read.as_deref() == Ok(b"some records")));
            for at in 0..frame.len() {
                let mut damaged = frame.clone();
                damaged[at] ^= 1;
                assert!(read(&damaged, id).iter().all(Result::is_err), "byte {at}");
            }
            for length in 0..frame.len() {
                assert!(read(&frame[..length], id).iter().all(Result::is_err));
            }
        }
    }

    // Frames of another pool, and frames whose sum was computed again after a change.
    #[test]
    fn without_the_key_nobody_makes_a_frame() {
        let (id, whole) = frame(Naming::Keyed, b"some records");
        let facts = Facts::of(Naming::Keyed, Compression::None, 12, b"more records");
        let forged: Bytes = [&frame_header(id, facts, 12)[..], b"more records"].concat().into();
        assert_eq!(content_by_sum(&forged, id).as_deref(), Ok(&b"more records"[..]));
        assert!(content(&forged, id, &Names::new(&[1; 32], Naming::Keyed)).is_err());
        assert!(content(&whole.into(), id, &Names::new(&[2; 32], Naming::Keyed)).is_err());
    }

    #[test]
    fn a_footer_says_what_it_was_made_with() {
        let frames: Vec<Listed> = [(Naming::Hashed, Compression::Lz4), (Naming::Keyed, Compression::Zstd)]
            .into_iter()
            .zip([64, 1_000])
            .map(|((naming, compression), offset)| Listed {
                at: FrameAt { id: hashed(&[1]), offset, bytes_stored: 99 },
                facts: Facts::of(naming, compression, 7, b"stored"),
            })
            .collect();
        let footer = footer(&frames);
        assert_eq!(footer_bytes(&footer[footer.len() - FOOTER_END_BYTES..]), Some(footer.len() as u64));
        let read: Vec<_> = frames.iter().map(|listed| (listed.at, Some(listed.facts))).collect();
        assert_eq!(read_footer(&footer), Ok(read));
        let at: Vec<FrameAt> = frames.iter().map(|listed| listed.at).collect();
        let first = footer_of_version_1(&at);
        assert_eq!(footer_bytes(&first[first.len() - FOOTER_END_BYTES..]), Some(first.len() as u64));
        assert_eq!(read_footer(&first), Ok(at.into_iter().map(|at| (at, None)).collect()));
        for footer in [footer, first] {
            for at in 0..footer.len() {
                let mut damaged = footer.to_vec();
                damaged[at] ^= 1;
                assert!(read_footer(&damaged).is_err(), "byte {at}");
                assert!(read_footer(&footer[..at]).is_err());
            }
        }
    }

    const ORIGIN: SegmentOrigin =
        SegmentOrigin { pool: PoolId([7; 16]), mark: 8, batch: 99, created: 1_800_000_000 };

    #[test]
    fn a_segment_header_is_read_as_it_was_written_or_not_at_all() {
        let header = segment_header(SegmentId(5), ORIGIN);
        let read = SegmentHeader { segment: SegmentId(5), origin: Some(ORIGIN) };
        assert_eq!(read_segment_header(&header), Ok(read));
        for at in 0..header.len() {
            let mut damaged = header.to_vec();
            damaged[at] ^= 1;
            assert!(read_segment_header(&damaged).is_err(), "byte {at}");
            assert!(read_segment_header(&header[..at]).is_err());
        }
        let first = Encoder::default().bytes(SEGMENT_MAGIC).u32(SEGMENT_VERSION_1).u32(0).u64(5);
        let first = with_checksum(first.done());
        assert_eq!(first.len() as u64, SEGMENT_HEADER_BYTES_V1);
        let read = SegmentHeader { segment: SegmentId(5), origin: None };
        assert_eq!(read_segment_header(&first), Ok(read));
    }

    #[test]
    fn headers_have_the_size_they_are_documented_with() {
        assert_eq!(segment_header(SegmentId(1), ORIGIN).len() as u64, SEGMENT_HEADER_BYTES);
        let listed = |naming| Listed {
            at: FrameAt { id: ChunkId([0; 32]), offset: 0, bytes_stored: 0 },
            facts: Facts::of(naming, Compression::None, 0, &[]),
        };
        for (naming, bytes) in [(Naming::Hashed, 56), (Naming::Keyed, 64)] {
            assert_eq!(frame_header(ChunkId([0; 32]), listed(naming).facts, 1).len(), bytes);
            assert_eq!(footer(&[listed(naming)]).len(), 64 + 24);
        }
    }
}
