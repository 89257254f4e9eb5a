//! Record batches and segments for the tests of the salvage.

use bytes::Bytes;

use crate::Compression;
use crate::format::frames::{Names, Naming, Packed, Packer};
use crate::format::keys::ChunkId;

/// The properties of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    pub(super) base_offset: i64,
    pub(super) payload: usize,
    pub(super) seed: u64,
    pub(super) records: i32,
    pub(super) leader_epoch: i32,
    pub(super) timestamp: i64,
    /// Producer id, epoch and sequence number.
    pub(super) producer: (i64, i16, i32),
}

impl Spec {
    /// Ten records without a producer id.
    pub(super) fn new(base_offset: i64, payload: usize) -> Spec {
        let producer = (-1, -1, -1);
        Spec {
            base_offset,
            payload,
            seed: 0,
            records: 10,
            leader_epoch: 3,
            timestamp: 1_700_000_000_000,
            producer,
        }
    }
}

/// A batch as Kafka writes it, with a correct CRC.
pub(super) fn batch(spec: Spec) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(61 + spec.payload);
    bytes.extend(spec.base_offset.to_be_bytes());
    bytes.extend((49 + spec.payload as u32).to_be_bytes());
    bytes.extend(spec.leader_epoch.to_be_bytes());
    bytes.push(2);
    bytes.extend([0; 4]);
    bytes.extend(0u16.to_be_bytes());
    bytes.extend((spec.records - 1).to_be_bytes());
    bytes.extend(spec.timestamp.to_be_bytes());
    bytes.extend((spec.timestamp + 9).to_be_bytes());
    bytes.extend(spec.producer.0.to_be_bytes());
    bytes.extend(spec.producer.1.to_be_bytes());
    bytes.extend(spec.producer.2.to_be_bytes());
    bytes.extend(spec.records.to_be_bytes());
    let at = bytes.len();
    bytes.resize(at + spec.payload, 0);
    let mut hasher = blake3::Hasher::new();
    hasher.update(&spec.seed.to_le_bytes()).update(&spec.base_offset.to_le_bytes());
    hasher.finalize_xof().fill(&mut bytes[at..]);
    let crc = crc32c::crc32c(&bytes[21..]);
    bytes[17..21].copy_from_slice(&crc.to_be_bytes());
    bytes
}

/// A frame of the chunk, and its id.
pub(super) fn frame(content: &[u8], compression: Compression) -> (Vec<u8>, ChunkId) {
    let packed = packed(Naming::Keyed, content, compression);
    (packed.parts.concat(), packed.id)
}

/// The frame of the chunk, with a name of a kind.
pub(super) fn packed(naming: Naming, content: &[u8], compression: Compression) -> Packed {
    let content = Bytes::copy_from_slice(content);
    let id = Names::new(&[5; 32], naming).name(&content);
    Packer::default().pack(naming, id, &content, compression)
}

/// A segment up to its last frame, with a header of 32 or 64 bytes.
pub(super) fn segment(header_bytes: usize, chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"FBSEGMNT".to_vec();
    bytes.extend(if header_bytes == 32 { 1u32 } else { 2 }.to_le_bytes());
    bytes.resize(header_bytes, 7);
    for chunk in chunks {
        bytes.extend(frame(chunk, Compression::None).0);
    }
    bytes
}
