//! Records of the pool as a whole: its identity, its counters, and the use of space.

use super::Record;
use crate::PoolId;
use crate::format::codec::{Decoded, Decoder, Encoder};

/// The pool's identity, and the number of times that it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PoolRecord {
    pub(crate) id: PoolId,
    /// Counts openings. Each opening makes it durable before anything else.
    pub(crate) boot: u64,
    /// The key of the hash that orders directory entries.
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

/// The next ids to allocate. An id is never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counters {
    pub(crate) inode_next: u64,
    pub(crate) volume_next: u32,
    /// Counts openings and rollbacks. It sets a lower bound for each inode's `change` (see `inode/mod.rs`).
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

/// The usage of a volume or a snapshot: the content that its view shows, and the part that it stores itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UsageRecord {
    /// The bytes of files that are not holes.
    pub(crate) bytes_logical: u64,
    /// The bytes stored inline in the metadata store, including extended attributes, in all of the volume's own
    /// versions.
    pub(crate) bytes_inline: u64,
    /// The number of inode records stored in all of the volume's own versions.
    pub(crate) inodes_stored: u64,
    /// The number of inodes, including orphans.
    pub(crate) inodes: u64,
    /// The number of orphans.
    pub(crate) orphans: u64,
}

impl UsageRecord {
    /// The usage of a new snapshot or clone of this volume: it shows the same content and stores nothing itself.
    pub(crate) fn shown(self) -> UsageRecord {
        UsageRecord { bytes_inline: 0, inodes_stored: 0, ..self }
    }
    /// The usage of this volume once it shows the content of `other`: the part that it stores itself stays the same.
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

/// A segment that chunk records refer to, or once referred to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SegmentRecord {
    /// The stored bytes (frames) of chunks that are referenced. A sealed segment with none is deleted.
    pub(crate) bytes_live: u64,
    /// The stored bytes of all frames in the segment that the metadata ever referred to.
    pub(crate) bytes_named: u64,
    /// When the last referenced frame was freed, in seconds since 1970. Stored only by pools that keep dead segments for a while.
    pub(crate) dead_since: Option<u64>,
}

impl SegmentRecord {
    /// Counts a frame of this size that is referenced now.
    pub(crate) fn place(&mut self, bytes_stored: u32) {
        self.bytes_live = self.bytes_live.saturating_add(u64::from(bytes_stored));
        self.bytes_named = self.bytes_named.saturating_add(u64::from(bytes_stored));
    }
    /// Counts out a frame of this size that is no longer referenced.
    pub(crate) fn remove(&mut self, bytes_stored: u32) {
        self.bytes_live = self.bytes_live.saturating_sub(u64::from(bytes_stored));
    }
}

impl Record for SegmentRecord {
    const NAME: &'static str = "segment";
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        let encoder = encoder.u64(self.bytes_live).u64(self.bytes_named);
        self.dead_since.into_iter().fold(encoder, Encoder::u64)
    }
    fn decode_fields(mut decoder: Decoder<'_>) -> Decoded<Self> {
        let (bytes_live, bytes_named) = (decoder.u64()?, decoder.u64()?);
        let dead_since = if decoder.remaining() > 0 { Some(decoder.u64()?) } else { None };
        let record = SegmentRecord { bytes_live, bytes_named, dead_since };
        decoder.finish()?;
        Ok(record)
    }
}
