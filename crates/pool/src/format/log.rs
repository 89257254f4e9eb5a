//! The intent log: bytes of files that a caller was promised, until they are in chunks or tails.
//!
//! ```text
//! file:   header, zeros up to 4096, groups
//! header: magic:8 pool:16 lap:8 salt:8 checksum:8
//! group:  magic:8 pool:16 lap:8 number:8 boot:8 mark:4 batch:8 records:4 bytes:4 checksum:8, records, zeros up to 4096
//! record: volume:4 inode:8 generation:4 position:8 size:8 change:8 mtime:12 ctime:12 pieces:4, (offset:8 length:4)…, bytes…
//! ```
//! Each use of a file is a *lap*. Laps are numbered over the life of the pool, and so are groups. The checksum of a group covers its
//! head and its records. It is seeded with the lap's salt, which is drawn at random, so that no client can write bytes that look
//! like a group.

use std::time::SystemTime;

use bytes::Bytes;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::format::codec::{Decoded, Decoder, Encoder, Malformed};
use crate::format::keys::InodeKey;
use crate::format::records::{decode_time, encode_time};
use crate::{InodeId, PoolId, VolumeId};

/// Headers and groups are padded to this, so that no write touches a block with older data.
pub(crate) const BLOCK_BYTES: usize = 4096;
/// The longest group, with its padding. Less in tests, which have shorter files.
pub(crate) const GROUP_BYTES_MAX: usize = if cfg!(test) { 24 << 10 } else { 2 << 20 };

const HEADER_MAGIC: &[u8; 8] = b"FBLOGFIL";
const GROUP_MAGIC: &[u8; 8] = b"FBLOGGRP";
const GROUP_HEAD_BYTES: usize = 76;
const SUM_BYTES: usize = 8;
const RECORD_HEAD_BYTES: usize = 68;
const PIECE_HEAD_BYTES: usize = 12;

/// The header of a file for one lap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogHeader {
    pub(crate) pool: PoolId,
    pub(crate) lap: u64,
    /// The seed of the checksums of the lap's groups.
    pub(crate) salt: u64,
}

/// What a group says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupHead {
    pub(crate) pool: PoolId,
    pub(crate) lap: u64,
    /// Numbered without gaps over the life of the pool.
    pub(crate) number: u64,
    /// The start that wrote the group, and its mark.
    pub(crate) boot: u64,
    pub(crate) mark: u32,
    /// All batches of metadata up to this number were durable.
    pub(crate) batch: u64,
}

/// Bytes of one file, and the attributes that go with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogRecord {
    pub(crate) key: InodeKey,
    pub(crate) generation: u32,
    /// Grows with every record of the pool.
    pub(crate) position: u64,
    pub(crate) size: u64,
    pub(crate) change: u64,
    pub(crate) mtime: SystemTime,
    pub(crate) ctime: SystemTime,
    /// Offsets and bytes. They do not overlap.
    pub(crate) pieces: Vec<(u64, Bytes)>,
}

impl LogHeader {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let header = Encoder::with_capacity(BLOCK_BYTES).bytes(HEADER_MAGIC).bytes(&self.pool.0);
        let mut bytes = with_sum(header.u64(self.lap).u64(self.salt).done());
        bytes.resize(BLOCK_BYTES, 0);
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Decoded<LogHeader> {
        let mut decoder = Decoder::new(bytes);
        if &decoder.array()? != HEADER_MAGIC {
            return Err(Malformed);
        }
        let (pool, lap, salt) = (PoolId(decoder.array()?), decoder.u64()?, decoder.u64()?);
        let summed = bytes.len() - decoder.remaining();
        if decoder.u64()? != xxh3_64(bytes.get(..summed).ok_or(Malformed)?) {
            return Err(Malformed);
        }
        Ok(LogHeader { pool, lap, salt })
    }
}

impl LogRecord {
    /// The number of bytes that it takes in a group.
    pub(crate) fn bytes(&self) -> usize {
        let pieces = self.pieces.iter().map(|(_, piece)| PIECE_HEAD_BYTES + piece.len());
        RECORD_HEAD_BYTES + pieces.sum::<usize>()
    }

    fn encode(&self, encoder: Encoder) -> Encoder {
        let key = self.key;
        let head = encoder.u32(key.volume.0).u64(key.inode.0).u32(self.generation).u64(self.position);
        let times = encode_time(head.u64(self.size).u64(self.change), self.mtime);
        let mut encoder = encode_time(times, self.ctime).u32(self.pieces.len() as u32);
        for (offset, piece) in &self.pieces {
            encoder = encoder.u64(*offset).u32(piece.len() as u32);
        }
        self.pieces.iter().fold(encoder, |encoder, (_, piece)| encoder.bytes(piece))
    }

    fn decode(decoder: &mut Decoder<'_>) -> Decoded<LogRecord> {
        let mut record = LogRecord {
            key: InodeKey { volume: VolumeId(decoder.u32()?), inode: InodeId(decoder.u64()?) },
            generation: decoder.u32()?,
            position: decoder.u64()?,
            size: decoder.u64()?,
            change: decoder.u64()?,
            mtime: decode_time(decoder)?,
            ctime: decode_time(decoder)?,
            pieces: Vec::new(),
        };
        let count = decoder.u32()?;
        let mut places = Vec::new();
        for _ in 0..count {
            places.push((decoder.u64()?, decoder.u32()?));
        }
        for (offset, length) in places {
            let piece = decoder.bytes(usize::try_from(length).map_err(|_| Malformed)?)?;
            record.pieces.push((offset, Bytes::copy_from_slice(piece)));
        }
        Ok(record)
    }
}

/// A group as stored, padded.
pub(crate) fn group(salt: u64, head: &GroupHead, records: &[LogRecord]) -> Vec<u8> {
    let bytes: usize = records.iter().map(LogRecord::bytes).sum();
    let group = Encoder::with_capacity((GROUP_HEAD_BYTES + bytes).next_multiple_of(BLOCK_BYTES));
    let group = group.bytes(GROUP_MAGIC).bytes(&head.pool.0).u64(head.lap).u64(head.number).u64(head.boot);
    // The place of the checksum is filled at the end.
    let group = group.u32(head.mark).u64(head.batch).u32(records.len() as u32).u32(bytes as u32).u64(0);
    let mut stored = records.iter().fold(group, |group, record| record.encode(group)).done();
    let sum = xxh3_64_with_seed(&stored, salt).to_le_bytes();
    if let Some(place) = stored.get_mut(GROUP_HEAD_BYTES - SUM_BYTES..GROUP_HEAD_BYTES) {
        place.copy_from_slice(&sum);
    }
    stored.resize(stored.len().next_multiple_of(BLOCK_BYTES), 0);
    stored
}

/// The size of a group of records with `bytes` bytes, with its padding.
pub(crate) fn group_bytes(bytes: usize) -> usize {
    (GROUP_HEAD_BYTES + bytes).next_multiple_of(BLOCK_BYTES)
}

/// The group at the start of `bytes`, and the number of bytes that it takes with its padding.
pub(crate) fn read_group(salt: u64, bytes: &[u8]) -> Decoded<(GroupHead, Vec<LogRecord>, usize)> {
    let mut decoder = Decoder::new(bytes);
    if &decoder.array()? != GROUP_MAGIC {
        return Err(Malformed);
    }
    let head = GroupHead {
        pool: PoolId(decoder.array()?),
        lap: decoder.u64()?,
        number: decoder.u64()?,
        boot: decoder.u64()?,
        mark: decoder.u32()?,
        batch: decoder.u64()?,
    };
    let (count, length, sum) = (decoder.u32()?, decoder.u32()?, decoder.u64()?);
    let end = GROUP_HEAD_BYTES + usize::try_from(length).map_err(|_| Malformed)?;
    let mut stored = bytes.get(..end).ok_or(Malformed)?.to_vec();
    stored.get_mut(GROUP_HEAD_BYTES - SUM_BYTES..GROUP_HEAD_BYTES).ok_or(Malformed)?.fill(0);
    if xxh3_64_with_seed(&stored, salt) != sum {
        return Err(Malformed);
    }
    let mut decoder = Decoder::new(stored.get(GROUP_HEAD_BYTES..).ok_or(Malformed)?);
    let mut records = Vec::new();
    for _ in 0..count {
        records.push(LogRecord::decode(&mut decoder)?);
    }
    decoder.finish()?;
    Ok((head, records, end.next_multiple_of(BLOCK_BYTES)))
}

fn with_sum(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = xxh3_64(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> GroupHead {
        GroupHead { pool: PoolId([3; 16]), lap: 4, number: 5, boot: 6, mark: 7, batch: 8 }
    }

    fn record(position: u64, pieces: &[(u64, usize)]) -> LogRecord {
        let piece = |(offset, bytes): &(u64, usize)| (*offset, Bytes::from(vec![position as u8; *bytes]));
        LogRecord {
            key: InodeKey { volume: VolumeId(1), inode: InodeId(2) },
            generation: 3,
            position,
            size: 4,
            change: 5,
            mtime: SystemTime::UNIX_EPOCH,
            ctime: SystemTime::UNIX_EPOCH,
            pieces: pieces.iter().map(piece).collect(),
        }
    }

    #[test]
    fn a_header_is_read_as_it_was_written_and_no_other_is() {
        let header = LogHeader { pool: PoolId([9; 16]), lap: 12, salt: 10 };
        let stored = header.encode();
        assert_eq!(stored.len(), BLOCK_BYTES);
        assert_eq!(LogHeader::decode(&stored), Ok(header));
        for at in 0..48 {
            let mut damaged = stored.clone();
            damaged[at] ^= 1;
            assert_eq!(LogHeader::decode(&damaged), Err(Malformed), "byte {at}");
        }
        for length in [0, 8, 30, 47] {
            assert_eq!(LogHeader::decode(&stored[..length]), Err(Malformed));
        }
    }

    #[test]
    fn a_group_is_read_as_it_was_written_and_no_part_of_it_can_change() {
        let records = vec![record(1, &[(0, 100), (5000, 1)]), record(2, &[]), record(3, &[(7, 9000)])];
        let stored = group(1, &head(), &records);
        let bytes: usize = records.iter().map(LogRecord::bytes).sum();
        assert_eq!(stored.len(), group_bytes(bytes));
        assert_eq!(read_group(1, &stored), Ok((head(), records, stored.len())));
        assert_eq!(read_group(2, &stored), Err(Malformed), "another lap");
        for at in (0..GROUP_HEAD_BYTES + bytes).step_by(13) {
            let mut damaged = stored.clone();
            damaged[at] ^= 0x10;
            assert_eq!(read_group(1, &damaged), Err(Malformed), "byte {at}");
        }
        for length in (0..stored.len() - BLOCK_BYTES).step_by(509) {
            assert_eq!(read_group(1, &stored[..length]), Err(Malformed), "{length} bytes");
        }
    }

    #[test]
    fn zeros_are_neither_a_header_nor_a_group() {
        assert_eq!(LogHeader::decode(&[0; BLOCK_BYTES]), Err(Malformed));
        assert!(read_group(1, &[0; BLOCK_BYTES]).is_err());
    }
}
