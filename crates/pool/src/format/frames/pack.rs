//! Packing: turns a chunk into the bytes of its frame, compressed if that saves enough.
//!
//! A chunk that compression does not make small enough is stored as it is. To detect this cheaply, two samples are
//! compressed first. Unpacking trusts no stored value: it checks the length before it allocates memory, and the caller
//! compares the name with the chunk id.

use bytes::Bytes;

use super::frame::{self, Facts};
use super::names::Naming;
use crate::Compression;
use crate::base::counters::Meters;
use crate::format::codec::{Decoded, Malformed};
use crate::format::keys::ChunkId;

/// A compressed chunk is used if its size is at most this many eighths of the chunk's size.
const EIGHTHS_MAX: usize = 7;
/// The size of a sample.
const SAMPLE_BYTES: usize = 4 << 10;
/// This level is fast, and higher levels make records only a little smaller.
const ZSTD_LEVEL: i32 = 1;

/// A frame in memory, ready to be appended to a segment.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    pub(crate) id: ChunkId,
    pub(crate) facts: Facts,
    /// The frame's header, and its content as stored.
    pub(crate) parts: [Bytes; 2],
}

impl Packed {
    /// The size of the frame.
    pub(crate) fn bytes_stored(&self) -> u64 {
        self.parts.iter().map(|part| part.len() as u64).sum()
    }
}

/// Counts packed chunks.
pub(crate) fn count_packed(chunks: &[Packed], meters: &Meters) {
    let bytes = chunks.iter().map(|chunk| u64::from(chunk.facts.bytes)).sum();
    meters.packed(bytes, chunks.iter().map(Packed::bytes_stored).sum());
}

/// Packs chunks one after another, and reuses its memory for them.
#[derive(Default)]
pub(crate) struct Packer {
    scratch: Vec<u8>,
    zstd: Option<zstd::bulk::Compressor<'static>>,
}

impl Packer {
    /// Makes the frame of a chunk, whose id is a name of this kind. `content` is at most [`frame::CHUNK_BYTES_MAX`] long.
    pub(crate) fn pack(
        &mut self,
        naming: Naming,
        id: ChunkId,
        content: &Bytes,
        compression: Compression,
    ) -> Packed {
        let bytes = u32::try_from(content.len()).unwrap_or(u32::MAX);
        let (compression, stored) = match self.compress(content, compression) {
            Some(stored) => (compression, stored),
            None => (Compression::None, content.clone()),
        };
        let facts = Facts::of(naming, compression, bytes, &stored);
        let stored_bytes = u32::try_from(stored.len()).unwrap_or(u32::MAX);
        Packed { id, facts, parts: [frame::frame_header(id, facts, stored_bytes), stored] }
    }

    /// Compresses the content. Returns `None` if that does not save enough.
    fn compress(&mut self, content: &[u8], compression: Compression) -> Option<Bytes> {
        if compression == Compression::None || !self.is_promising(content) {
            return None;
        }
        let length = self.compress_all(content, compression)?;
        let stored = self.scratch.get(..length).filter(|_| shrinks(length, content.len()))?;
        Some(Bytes::copy_from_slice(stored))
    }

    /// Whether a sample from the start or from the middle shrinks enough.
    fn is_promising(&mut self, content: &[u8]) -> bool {
        let middle = (content.len() / 2).min(content.len().saturating_sub(SAMPLE_BYTES));
        let samples = [0, middle].map(|at| content.get(at..).unwrap_or_default());
        samples.iter().any(|rest| {
            let sample = rest.get(..SAMPLE_BYTES).unwrap_or(rest);
            self.compress_all(sample, Compression::Lz4).is_some_and(|length| shrinks(length, sample.len()))
        })
    }

    /// Compresses into the scratch memory. Returns the compressed length.
    fn compress_all(&mut self, content: &[u8], compression: Compression) -> Option<usize> {
        let room = match compression {
            Compression::None => return None,
            Compression::Lz4 => lz4_flex::block::get_maximum_output_size(content.len()),
            Compression::Zstd => zstd::zstd_safe::compress_bound(content.len()),
        };
        if self.scratch.len() < room {
            self.scratch.resize(room, 0);
        }
        let scratch = &mut self.scratch[..];
        match compression {
            Compression::Zstd => {
                if self.zstd.is_none() {
                    self.zstd = zstd::bulk::Compressor::new(ZSTD_LEVEL).ok();
                }
                self.zstd.as_mut()?.compress_to_buffer(content, scratch).ok()
            }
            _ => lz4_flex::block::compress_into(content, scratch).ok(),
        }
    }
}

fn shrinks(length: usize, from: usize) -> bool {
    length <= from / 8 * EIGHTHS_MAX
}

/// Decompresses `stored`, which must give exactly `bytes` bytes.
pub(super) fn decompress(stored: &Bytes, compression: Compression, bytes: usize) -> Decoded<Bytes> {
    if bytes > frame::CHUNK_BYTES_MAX {
        return Err(Malformed);
    }
    if compression == Compression::None {
        return if stored.len() == bytes { Ok(stored.clone()) } else { Err(Malformed) };
    }
    let mut content = vec![0; bytes];
    let length = match compression {
        Compression::Zstd => zstd::bulk::decompress_to_buffer(stored, &mut content).ok(),
        _ => lz4_flex::block::decompress_into(stored, &mut content).ok(),
    };
    if length == Some(bytes) { Ok(content.into()) } else { Err(Malformed) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::frames::Names;

    const ALL: [Compression; 3] = [Compression::None, Compression::Lz4, Compression::Zstd];

    fn random(length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        blake3::Hasher::new().finalize_xof().fill(&mut bytes);
        bytes
    }

    fn names() -> Names {
        Names::new(&[3; 32], Naming::Keyed)
    }

    fn pack(content: &Bytes, compression: Compression) -> (Packed, Bytes) {
        let packed = Packer::default().pack(Naming::Keyed, names().name(content), content, compression);
        let frame = packed.parts.concat().into();
        (packed, frame)
    }

    #[test]
    fn chunks_are_unpacked_to_what_they_were() {
        let text: Vec<u8> = (0..5000).flat_map(|n| format!("record {n} of a topic; ").into_bytes()).collect();
        for content in [random(100_000), text, vec![7; 1 << 18], vec![1]] {
            let content = Bytes::from(content);
            for compression in ALL {
                let (packed, frame) = pack(&content, compression);
                assert_eq!(packed.bytes_stored(), frame.len() as u64);
                assert!(frame::content(&frame, packed.id, &names()).unwrap() == content, "{compression}");
            }
        }
    }

    #[test]
    fn only_what_shrinks_is_compressed() {
        let stored = |content: Vec<u8>, compression| pack(&content.into(), compression).0.parts[1].len();
        let mixed = [random(40_000), vec![0; 60_000]].concat();
        for compression in [Compression::Lz4, Compression::Zstd] {
            assert_eq!(stored(random(100_000), compression), 100_000);
            assert!(stored(vec![3; 100_000], compression) < 1_000);
            // The first sample is random, the second is not.
            assert!(stored(mixed.clone(), compression) < 45_000);
        }
        assert_eq!(stored(vec![3; 100_000], Compression::None), 100_000);
    }

    #[test]
    fn a_damaged_byte_anywhere_in_a_compressed_frame_is_found() {
        let content = Bytes::from([random(300), vec![9; 3_000]].concat());
        for compression in [Compression::Lz4, Compression::Zstd] {
            let (packed, frame) = pack(&content, compression);
            assert!(frame.len() < 1_000);
            for at in 0..frame.len() {
                let mut damaged = frame.to_vec();
                damaged[at] ^= 0x41;
                assert!(
                    frame::content(&damaged.into(), packed.id, &names()).is_err(),
                    "byte {at}, {compression}"
                );
            }
            for length in 0..frame.len() {
                assert!(frame::content(&frame.slice(..length), packed.id, &names()).is_err());
            }
        }
    }

    #[test]
    fn a_frame_of_another_length_than_it_says_is_damaged() {
        let content = Bytes::from(vec![9; 3_000]);
        for compression in ALL {
            let (packed, _) = pack(&content, compression);
            for claimed in [0, 1, 2_999, 3_001, 1 << 20, u32::MAX] {
                let stored = packed.parts[1].clone();
                let facts = Facts { bytes: claimed, ..packed.facts };
                let header = frame::frame_header(packed.id, facts, stored.len() as u32);
                let frame = [header, stored].concat().into();
                assert!(frame::content(&frame, packed.id, &names()).is_err());
                assert!(frame::content_by_sum(&frame, packed.id).is_err());
            }
        }
    }
}
