//! What is stored for what: how much of the files' bytes deduplication and compression save.
//!
//! It is counted from the extents and chunk records as of one instant, when asked, so there are no counters that could
//! go wrong. A chunk with several references is attributed to each in equal parts.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use crate::engine::Engine;
use crate::keys::{self, ChunkId, InodeKey, Key};
use crate::meta::MetaView;
use crate::records::{ChunkRecord, Content, ExtentRecord, InodeRecord, Record};
use crate::{Efficiency, InodeId, Kind, Result, Stored, VolumeId, sync};

/// Sums of parts of bytes, in 2^-20 bytes, so that thirds of many chunks still add up.
#[derive(Default)]
struct Sums {
    chunked: u64,
    /// Of the chunks' bytes and of their frames', what is attributed here.
    unique: u128,
    stored: u128,
}

const PART_BITS: u32 = 20;

impl Engine {
    /// What the segments hold.
    pub(crate) fn stored(&self) -> Stored {
        let mut stored =
            Stored { bytes_inline: self.volumes.usage_total().bytes_inline, ..Stored::default() };
        for (_, record) in self.segments.list() {
            stored.segments += 1;
            stored.bytes_live += record.bytes_live;
            stored.bytes_dead += record.bytes_named.saturating_sub(record.bytes_live);
        }
        stored
    }

    pub(crate) async fn efficiency(self: &Arc<Self>, volume: Option<VolumeId>) -> Result<Efficiency> {
        if let Some(volume) = volume {
            self.volumes.get(volume)?;
        }
        let engine = self.clone();
        sync::blocking(move || count(&*engine.meta.snapshot()?, volume)).await
    }
}

fn count(meta: &dyn MetaView, volume: Option<VolumeId>) -> Result<Efficiency> {
    let mut found = Efficiency::default();
    let mut sums = Sums::default();
    meta.scan(range_of(volume), &mut |key, value| {
        let extent = ExtentRecord::decode(key, value)?;
        let length = u64::from(extent.length);
        found.extents += 1;
        found.bytes_logical += length;
        match extent.content {
            Content::Inline(_) => found.bytes_inline += length,
            Content::Chunk { id, .. } => sums.add(meta, id, length)?,
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let inodes = volume.map_or_else(keys::inodes, keys::inodes_of);
    meta.scan(inodes, &mut |key, value| {
        let record = InodeRecord::decode(key, value)?;
        if record.kind == Kind::File {
            found.bytes_holes += record.size.saturating_sub(record.space_used);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let (unique, stored) = (whole(sums.unique), whole(sums.stored));
    found.bytes_deduplicated = sums.chunked.saturating_sub(unique);
    found.bytes_compressed = unique.saturating_sub(stored);
    found.bytes_physical = stored.saturating_add(found.bytes_inline);
    Ok(found)
}

fn whole(parts: u128) -> u64 {
    u64::try_from(parts >> PART_BITS).unwrap_or(u64::MAX)
}

impl Sums {
    fn add(&mut self, meta: &dyn MetaView, id: ChunkId, length: u64) -> Result<()> {
        self.chunked += length;
        let key = keys::chunk(id);
        let Some(value) = meta.get(&key)? else { return Ok(()) };
        let record = ChunkRecord::decode(&key, &value)?;
        let part = |bytes: u32| (u128::from(bytes) << PART_BITS) / u128::from(record.references.max(1));
        self.unique += part(record.bytes);
        self.stored += part(record.bytes_stored);
        Ok(())
    }
}

/// Keys of the extents of a volume, or of all.
fn range_of(volume: Option<VolumeId>) -> Range<Key> {
    let Some(volume) = volume else { return keys::extents_of_all() };
    let first_of = |volume| keys::extents(InodeKey { volume, inode: InodeId(0) }, 0..1).start;
    match volume.0.checked_add(1) {
        Some(next) => first_of(volume)..first_of(VolumeId(next)),
        None => first_of(volume)..keys::extents_of_all().end,
    }
}
