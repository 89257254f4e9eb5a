//! What is stored for what: how much of the files' bytes deduplication and compression save.
//!
//! It is counted from the extents and chunk records as of one instant, when asked, so there are no counters that could
//! go wrong. A chunk with several references is attributed to each in equal parts, so volumes add up to the pool as
//! long as none has snapshots or clones: those show what another volume stores.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::engine::Engine;
use crate::keys::{self, ChunkId};
use crate::meta::MetaStore;
use crate::records::{ChunkRecord, Content, ExtentRecord, InodeRecord, Record, is_tombstone};
use crate::view::{BATCH_ITEMS, View};
use crate::{Efficiency, Kind, Result, Stored, VolumeId, sync};

/// Sums of parts of bytes are in 2^-20 bytes, so that thirds of many chunks still add up.
const PART_BITS: u32 = 20;

#[derive(Default)]
struct Count {
    found: Efficiency,
    /// Bytes of extents that are in chunks.
    chunked: u64,
    /// Of the chunks' bytes and of their frames', what is attributed here, in parts of bytes.
    unique: u128,
    stored: u128,
}

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
        let view = volume.map(|volume| self.volumes.view(volume)).transpose()?;
        let engine = self.clone();
        sync::blocking(move || {
            let meta = engine.meta.snapshot()?;
            let mut count = Count::default();
            match view {
                Some(view) => count.shown(&*meta, &view)?,
                None => count.stored(&*meta)?,
            }
            Ok(count.found())
        })
        .await
    }
}

impl Count {
    /// What a volume shows.
    fn shown(&mut self, meta: &dyn MetaStore, view: &View) -> Result<()> {
        view.scan(meta, &keys::extents_of_volume, BATCH_ITEMS, &mut |key, value| {
            self.extent(meta, &ExtentRecord::decode(key, value)?)?;
            Ok(ControlFlow::Continue(()))
        })?;
        view.scan(meta, &keys::inodes, BATCH_ITEMS, &mut |key, value| {
            self.inode(&InodeRecord::decode(key, value)?);
            Ok(ControlFlow::Continue(()))
        })
    }

    /// What is stored of all volumes and snapshots, each version once.
    fn stored(&mut self, meta: &dyn MetaStore) -> Result<()> {
        meta.scan(keys::items_of_all(keys::EXTENT), &mut |key, value| {
            if !is_tombstone(value) {
                self.extent(meta, &ExtentRecord::decode(key, value)?)?;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        meta.scan(keys::items_of_all(keys::INODE), &mut |key, value| {
            if !is_tombstone(value) {
                self.inode(&InodeRecord::decode(key, value)?);
            }
            Ok(ControlFlow::Continue(()))
        })
    }

    fn extent(&mut self, meta: &dyn MetaStore, extent: &ExtentRecord) -> Result<()> {
        let length = u64::from(extent.length);
        self.found.extents += 1;
        self.found.bytes_logical += length;
        match extent.content {
            Content::Inline(_) => self.found.bytes_inline += length,
            Content::Chunk { id, .. } => self.chunk(meta, id, length)?,
        }
        Ok(())
    }

    fn chunk(&mut self, meta: &dyn MetaStore, id: ChunkId, length: u64) -> Result<()> {
        self.chunked += length;
        let key = keys::chunk(id);
        let Some(value) = meta.get(&key)? else { return Ok(()) };
        let record = ChunkRecord::decode(&key, &value)?;
        let part = |bytes: u32| (u128::from(bytes) << PART_BITS) / u128::from(record.references.max(1));
        self.unique += part(record.bytes);
        self.stored += part(record.bytes_stored);
        Ok(())
    }

    fn inode(&mut self, record: &InodeRecord) {
        if record.kind == Kind::File {
            self.found.bytes_holes += record.size.saturating_sub(record.space_used);
        }
    }

    fn found(self) -> Efficiency {
        let whole = |parts: u128| u64::try_from(parts >> PART_BITS).unwrap_or(u64::MAX);
        let (unique, stored) = (whole(self.unique), whole(self.stored));
        Efficiency {
            bytes_deduplicated: self.chunked.saturating_sub(unique),
            bytes_compressed: unique.saturating_sub(stored),
            bytes_physical: stored.saturating_add(self.found.bytes_inline),
            ..self.found
        }
    }
}
