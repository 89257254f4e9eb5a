//! Extents, and the chunks that they refer to.

use bytes::Bytes;

use super::{CHECKSUM_BYTES, Record, VERSION, VERSION_SUMMED, checksum};
use crate::format::codec::{Decoded, Decoder, Encoder, Malformed};
use crate::format::cut::Cut;
use crate::format::keys::{ChunkId, SegmentId};

/// The maximum length of an extent.
pub(crate) const EXTENT_BYTES_MAX: u64 = 256 << 10;

/// An extent, and the offset in the file at which it starts.
pub(crate) type Extent = (u64, ExtentRecord);

/// The content of a logical range of a file. Ranges without an extent are holes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExtentRecord {
    /// The length of the range, at least 1. The key has the start of the range.
    pub(crate) length: u32,
    pub(crate) content: Content,
}

/// The place of an extent's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// In a chunk, from `offset` on. `end` is the state of the cutter at the end of the extent, from which cutting
    /// continues. `None` means that no chunk was cut there: these bytes must be cut again together with the following
    /// ones.
    Chunk { id: ChunkId, offset: u32, end: Option<Cut> },
    /// In the record itself: a part of the file's tail, or a small overwrite.
    Inline(Bytes),
}

const KIND_CHUNK: u8 = 1;
const KIND_INLINE: u8 = 2;

/// 0: provisional, 1: stream, 2: seek, 3 and more: among batches, with `value - 3` bytes of a batch to come.
fn encode_end(end: Option<Cut>) -> u64 {
    match end {
        None => 0,
        Some(Cut::Stream) => 1,
        Some(Cut::Seek) => 2,
        Some(Cut::Batch { rest }) => 3 + u64::from(rest),
    }
}

fn decode_end(value: u64) -> Decoded<Option<Cut>> {
    Ok(match value {
        0 => None,
        1 => Some(Cut::Stream),
        2 => Some(Cut::Seek),
        rest => Some(Cut::Batch { rest: u32::try_from(rest - 3).map_err(|_| Malformed)? }),
    })
}

impl Record for ExtentRecord {
    const NAME: &'static str = "extent";
    fn version(&self) -> u8 {
        match self.content {
            Content::Chunk { .. } => VERSION,
            Content::Inline(_) => VERSION_SUMMED,
        }
    }
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        match &self.content {
            Content::Chunk { id, offset, end } => encoder
                .u8(KIND_CHUNK)
                .varint(self.length.into())
                .varint((*offset).into())
                .varint(encode_end(*end))
                .bytes(&id.0),
            Content::Inline(bytes) => encoder
                .u8(KIND_INLINE)
                .varint(self.length.into())
                .bytes(&checksum(VERSION_SUMMED, bytes))
                .bytes(bytes),
        }
    }
    fn decode_fields(decoder: Decoder<'_>) -> Decoded<Self> {
        Self::decode_version(VERSION_SUMMED, decoder)
    }
    fn decode_version(version: u8, mut decoder: Decoder<'_>) -> Decoded<Self> {
        if version > VERSION_SUMMED {
            return Err(Malformed);
        }
        let kind = decoder.u8()?;
        let length = decoder.varint_u32()?;
        let content = match kind {
            KIND_CHUNK => {
                let (offset, end) = (decoder.varint_u32()?, decode_end(decoder.varint()?)?);
                let content = Content::Chunk { id: ChunkId(decoder.array()?), offset, end };
                decoder.finish()?;
                content
            }
            KIND_INLINE => {
                let expected: [u8; CHECKSUM_BYTES] = decoder.array()?;
                let bytes = decoder.rest();
                if bytes.len() as u64 != u64::from(length) || checksum(version, bytes) != expected {
                    return Err(Malformed);
                }
                Content::Inline(Bytes::copy_from_slice(bytes))
            }
            _ => return Err(Malformed),
        };
        if length == 0 { Err(Malformed) } else { Ok(ExtentRecord { length, content }) }
    }
}

/// The place of a chunk, and the number of extents that refer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChunkRecord {
    pub(crate) segment: SegmentId,
    /// The offset of its frame in the segment.
    pub(crate) offset: u64,
    /// The size of the frame, including its header.
    pub(crate) bytes_stored: u32,
    /// The size of the chunk.
    pub(crate) bytes: u32,
    /// The number of extents that refer to it, at least 1.
    pub(crate) references: u32,
}

impl ChunkRecord {
    /// The place of its frame, in words. The id of a chunk stays in the pool.
    pub(crate) fn place(&self) -> String {
        format!("segment {} offset {} bytes {}", self.segment, self.offset, self.bytes_stored)
    }
}

impl Record for ChunkRecord {
    const NAME: &'static str = "chunk";
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        encoder
            .varint(self.segment.0)
            .varint(self.offset)
            .varint(self.bytes_stored.into())
            .varint(self.bytes.into())
            .varint(self.references.into())
    }
    fn decode_fields(mut decoder: Decoder<'_>) -> Decoded<Self> {
        let record = ChunkRecord {
            segment: SegmentId(decoder.varint()?),
            offset: decoder.varint()?,
            bytes_stored: decoder.varint_u32()?,
            bytes: decoder.varint_u32()?,
            references: decoder.varint_u32()?,
        };
        decoder.finish()?;
        Ok(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn a_flipped_bit_in_a_tail_is_found() {
        let record = ExtentRecord { length: 5, content: Content::Inline(Bytes::from_static(b"tails")) };
        let value = record.encode();
        assert_eq!(ExtentRecord::decode(b"k", &value).unwrap(), record);
        for at in 0..value.len() {
            let mut damaged = value.clone();
            damaged[at] ^= 0x10;
            assert!(matches!(ExtentRecord::decode(b"k", &damaged), Err(Error::Damaged(_))), "byte {at}");
        }
    }

    #[test]
    fn chunk_extents_and_chunk_records_are_read_back() {
        let batch = |rest| Some(Cut::Batch { rest });
        for end in [None, Some(Cut::Stream), Some(Cut::Seek), batch(0), batch(u32::MAX)] {
            let content = Content::Chunk { id: ChunkId([9; 32]), offset: 77, end };
            let record = ExtentRecord { length: 5, content };
            assert_eq!(ExtentRecord::decode(b"k", &record.encode()).unwrap(), record);
        }
        let chunk =
            ChunkRecord { segment: SegmentId(1), offset: 2, bytes_stored: 3, bytes: 4, references: 5 };
        assert_eq!(ChunkRecord::decode(b"k", &chunk.encode()).unwrap(), chunk);
    }
}
