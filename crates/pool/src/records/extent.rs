//! Extents, and the chunks that they point into.

use bytes::Bytes;

use super::Record;
use crate::codec::{Decoded, Decoder, Encoder, Malformed};
use crate::keys::ChunkId;
use crate::segment::SegmentId;

/// What a logical range of a file holds. Ranges without an extent are holes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExtentRecord {
    /// Bytes in the range; at least 1. The range starts where the key says.
    pub(crate) length: u32,
    pub(crate) content: Content,
}

/// Where an extent's bytes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// In a chunk, from `offset` on.
    Chunk { id: ChunkId, offset: u32 },
    /// Here: a part of the file's tail, or a small overwrite.
    Inline(Bytes),
}

const KIND_CHUNK: u8 = 1;
const KIND_INLINE: u8 = 2;
const CHECKSUM_BYTES: usize = 8;

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut sum = [0; CHECKSUM_BYTES];
    sum.copy_from_slice(&blake3::hash(bytes).as_bytes()[..CHECKSUM_BYTES]);
    sum
}

impl Record for ExtentRecord {
    const NAME: &'static str = "extent";
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        match &self.content {
            Content::Chunk { id, offset } => {
                encoder.u8(KIND_CHUNK).u32(self.length).bytes(&id.0).u32(*offset)
            }
            Content::Inline(bytes) => {
                encoder.u8(KIND_INLINE).u32(self.length).bytes(&checksum(bytes)).bytes(bytes)
            }
        }
    }
    fn decode_fields(mut decoder: Decoder<'_>) -> Decoded<Self> {
        let kind = decoder.u8()?;
        let length = decoder.u32()?;
        let content = match kind {
            KIND_CHUNK => {
                let content = Content::Chunk { id: ChunkId(decoder.array()?), offset: decoder.u32()? };
                decoder.finish()?;
                content
            }
            KIND_INLINE => {
                let expected: [u8; CHECKSUM_BYTES] = decoder.array()?;
                let bytes = decoder.rest();
                if bytes.len() as u64 != u64::from(length) || checksum(bytes) != expected {
                    return Err(Malformed);
                }
                Content::Inline(Bytes::copy_from_slice(bytes))
            }
            _ => return Err(Malformed),
        };
        if length == 0 { Err(Malformed) } else { Ok(ExtentRecord { length, content }) }
    }
}

/// Where a chunk is stored, and how many extents point into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChunkRecord {
    pub(crate) segment: SegmentId,
    /// Where its frame starts in the segment.
    pub(crate) offset: u64,
    /// Bytes of the frame, header included.
    pub(crate) bytes_stored: u32,
    /// Bytes of the chunk.
    pub(crate) bytes: u32,
    /// Extents that point into it; at least 1.
    pub(crate) references: u32,
}

impl Record for ChunkRecord {
    const NAME: &'static str = "chunk";
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        encoder
            .u64(self.segment.0)
            .u64(self.offset)
            .u32(self.bytes_stored)
            .u32(self.bytes)
            .u32(self.references)
    }
    fn decode_fields(mut decoder: Decoder<'_>) -> Decoded<Self> {
        let record = ChunkRecord {
            segment: SegmentId(decoder.u64()?),
            offset: decoder.u64()?,
            bytes_stored: decoder.u32()?,
            bytes: decoder.u32()?,
            references: decoder.u32()?,
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
        let content = Content::Chunk { id: ChunkId([9; 32]), offset: 77 };
        let record = ExtentRecord { length: 5, content };
        assert_eq!(ExtentRecord::decode(b"k", &record.encode()).unwrap(), record);
        let chunk =
            ChunkRecord { segment: SegmentId(1), offset: 2, bytes_stored: 3, bytes: 4, references: 5 };
        assert_eq!(ChunkRecord::decode(b"k", &chunk.encode()).unwrap(), chunk);
    }
}
