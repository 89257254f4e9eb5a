//! The layout of a segment: a header, frames without gaps between them, and a footer.
//!
//! ```text
//! segment header (64): "FBSEGMNT" version:4 = 2 mark:4 segment:8 pool:16 batch:8 created:8 checksum:8
//!             or (32): "FBSEGMNT" version:4 = 1 zero:4 segment:8 checksum:8
//! frame header   (56): "FBFR" version:1 compression:1 zero:2 bytes stored:4 bytes:4 chunk id:32 checksum:8
//! footer         (44 a chunk + 24): { frame offset:8 bytes stored:4 chunk id:32 }, then
//!                      frames:8 checksum:8 "FBSGFOOT"
//! ```
//! Numbers are little-endian. A checksum is the first 8 bytes of the BLAKE3 hash of all bytes before it in its
//! structure. The content of a frame needs no checksum: the chunk id is the hash of the uncompressed content.
//! Compression is 0 for none, 1 for an LZ4 block, 2 for a Zstandard frame.
//!
//! The metadata locates each chunk, so reading one needs neither header nor footer. The header records the segment's
//! pool and the position of the metadata when the segment was created. With the header and the footer, a person or a
//! salvage can interpret a segment on its own.

use bytes::Bytes;

use super::FrameAt;
use super::pack::{Packed, decompress};
use crate::format::codec::{Decoded, Decoder, Encoder, Malformed};
use crate::format::keys::{ChunkId, SegmentId};
use crate::{Compression, PoolId};

/// The size of a segment header.
pub(crate) const SEGMENT_HEADER_BYTES: u64 = 64;
/// The size of a segment header of version 1.
pub(crate) const SEGMENT_HEADER_BYTES_V1: u64 = 32;
/// The size of a frame header.
pub(crate) const FRAME_HEADER_BYTES: usize = 56;
/// The size of the largest chunk, and so of the largest frame's content.
pub(crate) const CHUNK_BYTES_MAX: usize = 1 << 20;

const SEGMENT_MAGIC: &[u8; 8] = b"FBSEGMNT";
const FOOTER_MAGIC: &[u8; 8] = b"FBSGFOOT";
const FRAME_MAGIC: &[u8; 4] = b"FBFR";
const SEGMENT_VERSION: u32 = 2;
const SEGMENT_VERSION_1: u32 = 1;
const FRAME_VERSION: u8 = 1;

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

fn checksum(bytes: &[u8]) -> [u8; 8] {
    let mut sum = [0; 8];
    sum.copy_from_slice(&blake3::hash(bytes).as_bytes()[..8]);
    sum
}

fn with_checksum(bytes: Vec<u8>) -> Vec<u8> {
    let sum = checksum(&bytes);
    Encoder::with_capacity(bytes.len() + 8).bytes(&bytes).bytes(&sum).done()
}

/// The id of a chunk with this content.
pub(crate) fn chunk_id(content: &[u8]) -> ChunkId {
    ChunkId(*blake3::hash(content).as_bytes())
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

/// The bytes of a frame header. `bytes` is the size of the chunk, and `stored` its size after compression.
pub(crate) fn frame_header(id: ChunkId, compression: Compression, stored: u32, bytes: u32) -> Bytes {
    let header = Encoder::default()
        .bytes(FRAME_MAGIC)
        .u8(FRAME_VERSION)
        .u8(compression_code(compression))
        .u16(0)
        .u32(stored)
        .u32(bytes)
        .bytes(&id.0);
    with_checksum(header.done()).into()
}

/// The bytes of a footer. Each entry is the offset, the stored size and the chunk of a frame.
pub(crate) fn footer(frames: &[(u64, u32, ChunkId)]) -> Bytes {
    let mut footer = Encoder::with_capacity(frames.len() * 44 + 24);
    for (offset, stored, id) in frames {
        footer = footer.u64(*offset).u32(*stored).bytes(&id.0);
    }
    let mut footer = with_checksum(footer.u64(frames.len() as u64).done());
    footer.extend_from_slice(FOOTER_MAGIC);
    footer.into()
}

/// The size of the part at the end of a footer that tells the footer's length.
pub(crate) const FOOTER_END_BYTES: usize = 24;
const FOOTER_ENTRY_BYTES: u64 = 44;

/// The size of the footer that ends with `end`, or `None` if `end` is not the end of a footer.
pub(crate) fn footer_bytes(end: &[u8]) -> Option<u64> {
    let mut decoder = Decoder::new(end);
    let (frames, _, magic) = (decoder.u64().ok()?, decoder.u64().ok()?, decoder.rest());
    if magic != FOOTER_MAGIC {
        return None;
    }
    frames.checked_mul(FOOTER_ENTRY_BYTES)?.checked_add(FOOTER_END_BYTES as u64)
}

/// The frames listed in a complete footer.
pub(crate) fn read_footer(footer: &[u8]) -> Decoded<Vec<FrameAt>> {
    let summed = footer.len().checked_sub(16).and_then(|end| footer.get(..end)).ok_or(Malformed)?;
    let expected: [u8; 8] = Decoder::new(footer.get(summed.len()..).ok_or(Malformed)?).array()?;
    if checksum(summed) != expected {
        return Err(Malformed);
    }
    let mut decoder = Decoder::new(summed);
    let mut frames = Vec::new();
    while decoder.remaining() > 8 {
        let (offset, bytes_stored) = (decoder.u64()?, decoder.u32()?);
        frames.push(FrameAt { id: ChunkId(decoder.array()?), offset, bytes_stored });
    }
    if decoder.u64()? == frames.len() as u64 { Ok(frames) } else { Err(Malformed) }
}

/// A frame header that was read.
pub(crate) struct FrameHeader {
    pub(crate) id: ChunkId,
    /// The number of bytes that follow the header.
    pub(crate) bytes_stored: u32,
    /// The size of the chunk.
    pub(crate) bytes: u32,
    pub(crate) compression: Compression,
}

/// Reads the frame header at the beginning of `start`.
pub(crate) fn read_header(start: &[u8]) -> Decoded<FrameHeader> {
    let mut decoder = Decoder::new(start);
    let magic: [u8; 4] = decoder.array()?;
    let (version, compression, _) = (decoder.u8()?, decoder.u8()?, decoder.u16()?);
    let (bytes_stored, bytes) = (decoder.u32()?, decoder.u32()?);
    let id = ChunkId(decoder.array()?);
    let expected: [u8; 8] = decoder.array()?;
    let summed = start.get(..FRAME_HEADER_BYTES - 8).ok_or(Malformed)?;
    if &magic != FRAME_MAGIC || version != FRAME_VERSION || checksum(summed) != expected {
        return Err(Malformed);
    }
    Ok(FrameHeader { id, bytes_stored, bytes, compression: compression_of(compression)? })
}

/// The content of a whole frame, if it is the chunk `id` and none of its bytes is wrong.
pub(crate) fn content(frame: &Bytes, id: ChunkId) -> Decoded<Bytes> {
    unpack(frame, id).map(|(_, content)| content)
}

/// Verifies a frame like [`content`], and returns it unchanged, ready to be appended elsewhere.
pub(crate) fn repack(frame: &Bytes, id: ChunkId) -> Decoded<Packed> {
    unpack(frame, id).map(|(header, _)| Packed::from_frame(id, header.bytes, frame))
}

fn unpack(frame: &Bytes, id: ChunkId) -> Decoded<(FrameHeader, Bytes)> {
    let header = read_header(frame)?;
    let stored = frame.get(FRAME_HEADER_BYTES..).ok_or(Malformed)?;
    if header.id != id || stored.len() as u64 != u64::from(header.bytes_stored) {
        return Err(Malformed);
    }
    let bytes = usize::try_from(header.bytes).map_err(|_| Malformed)?;
    let content = decompress(&frame.slice(FRAME_HEADER_BYTES..), header.compression, bytes)?;
    if chunk_id(&content) == id { Ok((header, content)) } else { Err(Malformed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_flipped_byte_of_a_frame_is_found() {
        let id = chunk_id(b"some records");
        let mut frame = frame_header(id, Compression::None, 12, 12).to_vec();
        frame.extend_from_slice(b"some records");
        assert_eq!(content(&frame.clone().into(), id).unwrap(), &b"some records"[..]);
        for at in 0..frame.len() {
            let mut damaged = frame.clone();
            damaged[at] ^= 1;
            assert!(content(&damaged.into(), id).is_err(), "byte {at}");
        }
        for length in 0..frame.len() {
            assert!(content(&frame[..length].to_vec().into(), id).is_err());
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
        assert_eq!(frame_header(ChunkId([0; 32]), Compression::None, 1, 1).len(), FRAME_HEADER_BYTES);
        assert_eq!(footer(&[(0, 0, ChunkId([0; 32]))]).len(), 44 + 24);
    }
}
