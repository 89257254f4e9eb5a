//! Records of the pool as a whole: its identity, its counters, and what takes space where.

use super::Record;
use crate::PoolId;
use crate::format::codec::{Decoded, Decoder, Encoder};

/// The pool's identity and how often it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PoolRecord {
    pub(crate) id: PoolId,
    /// Counts openings; durable before anything else is done.
    pub(crate) boot: u64,
    /// Key of the hash that orders directory entries.
    pub(crate) name_key: [u8; 32],
}

impl Record for PoolRecord {
    const NAME: &'static str = "pool";
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        encoder.bytes(&self.id.0).u64(self.boot).bytes(&self.name_key)
    }
    fn decode_fields(mut decoder: Decoder<'_>) -> Decoded<Self> {
        let record =
            PoolRecord { id: PoolId(decoder.array()?), boot: decoder.u64()?, name_key: decoder.array()? };
        decoder.finish()?;
        Ok(record)
    }
}

/// A random number that tells one start of the pool from another: see [`crate::store::witness::State::mark`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StartRecord {
    pub(crate) mark: u32,
}

impl Record for StartRecord {
    const NAME: &'static str = "start";
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        encoder.u32(self.mark)
    }
    fn decode_fields(mut decoder: Decoder<'_>) -> Decoded<Self> {
        let record = StartRecord { mark: decoder.u32()? };
        decoder.finish()?;
        Ok(record)
    }
}

/// The next ids to be given out. Ids are never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counters {
    pub(crate) inode_next: u64,
    pub(crate) volume_next: u32,
    /// Counts openings and rollbacks; bounds each inode's `change` from below (see `inode/mod.rs`).
    pub(crate) era: u64,
}

impl Record for Counters {
    const NAME: &'static str = "counters";
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        encoder.u64(self.inode_next).u32(self.volume_next).u64(self.era)
    }
    fn decode_fields(mut decoder: Decoder<'_>) -> Decoded<Self> {
        let record =
            Counters { inode_next: decoder.u64()?, volume_next: decoder.u32()?, era: decoder.u64()? };
        decoder.finish()?;
        Ok(record)
    }
}

/// What a volume or a snapshot holds: what its view shows, and what of it is stored as its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UsageRecord {
    /// Bytes of files that are not holes.
    pub(crate) bytes_logical: u64,
    /// Bytes that are stored inline in the metadata store, extended attributes included, of all the volume's own versions.
    pub(crate) bytes_inline: u64,
    /// Inode records that are stored, of all the volume's own versions.
    pub(crate) inodes_stored: u64,
    /// Inodes, orphans included.
    pub(crate) inodes: u64,
    /// Orphans.
    pub(crate) orphans: u64,
}

impl UsageRecord {
    /// As a snapshot or a clone begins: it shows the same, and has nothing of its own.
    pub(crate) fn shown(self) -> UsageRecord {
        UsageRecord { bytes_inline: 0, inodes_stored: 0, ..self }
    }
    /// What the volume stores itself stays, what it shows is that of `other`.
    pub(crate) fn showing(self, other: UsageRecord) -> UsageRecord {
        UsageRecord { bytes_inline: self.bytes_inline, inodes_stored: self.inodes_stored, ..other }
    }
}

impl Record for UsageRecord {
    const NAME: &'static str = "usage";
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        encoder
            .u64(self.bytes_logical)
            .u64(self.bytes_inline)
            .u64(self.inodes_stored)
            .u64(self.inodes)
            .u64(self.orphans)
    }
    fn decode_fields(mut decoder: Decoder<'_>) -> Decoded<Self> {
        let record = UsageRecord {
            bytes_logical: decoder.u64()?,
            bytes_inline: decoder.u64()?,
            inodes_stored: decoder.u64()?,
            inodes: decoder.u64()?,
            orphans: decoder.u64()?,
        };
        decoder.finish()?;
        Ok(record)
    }
}

/// A segment that chunk records name, or named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SegmentRecord {
    /// Stored bytes (frames) of chunks that are referenced. A sealed segment with none is deleted.
    pub(crate) bytes_live: u64,
    /// Stored bytes of all frames that metadata ever named in the segment.
    pub(crate) bytes_named: u64,
}

impl SegmentRecord {
    /// A frame of that size is referenced now.
    pub(crate) fn place(&mut self, bytes_stored: u32) {
        self.bytes_live = self.bytes_live.saturating_add(u64::from(bytes_stored));
        self.bytes_named = self.bytes_named.saturating_add(u64::from(bytes_stored));
    }
    /// A frame of that size is not referenced any more.
    pub(crate) fn remove(&mut self, bytes_stored: u32) {
        self.bytes_live = self.bytes_live.saturating_sub(u64::from(bytes_stored));
    }
}

impl Record for SegmentRecord {
    const NAME: &'static str = "segment";
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        encoder.u64(self.bytes_live).u64(self.bytes_named)
    }
    fn decode_fields(mut decoder: Decoder<'_>) -> Decoded<Self> {
        let record = SegmentRecord { bytes_live: decoder.u64()?, bytes_named: decoder.u64()? };
        decoder.finish()?;
        Ok(record)
    }
}
