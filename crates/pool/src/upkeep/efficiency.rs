//! Storage efficiency: how many of the files' bytes deduplication and compression save.
//!
//! The numbers are computed from the extents and chunk records of one instant on request, so no counters can drift. A chunk
//! with several references is attributed to each in equal parts. For a volume, the numbers cover what the volume shows. For
//! the pool, they cover everything stored, including what only snapshots show.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::base::sync;
use crate::engine::Engine;
use crate::format::keys::{self, ChunkId};
use crate::format::records::{ChunkRecord, Content, ExtentRecord, InodeRecord, Record, is_tombstone};
use crate::parts::view::{BATCH_ITEMS, RangeIn, View};
use crate::store::meta::MetaView;
use crate::{Efficiency, Kind, Result, Stored, VolumeId};

/// Sums of fractions of bytes, in units of 2^-20 bytes, so that thirds of many chunks still add up.
#[derive(Default)]
struct Sums {
    chunked: u64,
    /// The attributed parts of the chunks' bytes and of their frames' bytes.
    unique: u128,
    stored: u128,
}

const PART_BITS: u32 = 20;

impl Engine {
    /// The bytes that segments hold.
    pub(crate) fn stored(&self) -> Stored {
        let aside = sync::lock(&self.upkeep.aside);
        let mut stored = Stored {
            bytes_inline: self.volumes.usage_total().bytes_inline,
            segments_missing: self.segments.lost().len() as u64,
            lost_found_segments: aside.len() as u64,
            lost_found_bytes: aside.values().sum(),
            ..Stored::default()
        };
        drop(aside);
        for (_, record) in self.segments.list() {
            stored.segments += 1;
            stored.bytes_live += record.bytes_live;
            stored.bytes_dead += record.bytes_named.saturating_sub(record.bytes_live);
        }
        stored
    }

    pub(crate) async fn efficiency(self: &Arc<Self>, volume: Option<VolumeId>) -> Result<Efficiency> {
        // In the committer, so that the view agrees with the metadata.
        let (meta, view) = self
            .transact(move |txn| {
                let view = volume.map(|volume| txn.engine.volumes.view(volume)).transpose()?;
                Ok((txn.engine.stores.meta.snapshot()?, view))
            })
            .await?;
        sync::blocking(move || count(&*meta, view.as_deref())).await
    }
}

/// Visits the items of a kind: those that a volume shows, or all versions that the pool stores.
fn each<R: Record>(
    meta: &dyn MetaView,
    view: Option<&View>,
    range: &RangeIn<'_>,
    kind: u8,
    mut visit: impl FnMut(R) -> Result<()>,
) -> Result<()> {
    let mut visit = |key: &[u8], value: &[u8]| {
        if !is_tombstone(value) {
            visit(R::decode(key, value)?)?;
        }
        Ok(ControlFlow::Continue(()))
    };
    match view {
        Some(view) => view.scan(meta, range, BATCH_ITEMS, &mut visit),
        None => meta.scan(keys::items_of_all(kind), &mut visit),
    }
}

fn count(meta: &dyn MetaView, view: Option<&View>) -> Result<Efficiency> {
    let mut found = Efficiency::default();
    let mut sums = Sums::default();
    each(meta, view, &keys::extents_of_volume, keys::EXTENT, |extent: ExtentRecord| {
        let length = u64::from(extent.length);
        found.extents += 1;
        found.bytes_logical += length;
        match extent.content {
            Content::Inline(_) => found.bytes_inline += length,
            Content::Chunk { id, .. } => sums.add(meta, id, length)?,
        }
        Ok(())
    })?;
    each(meta, view, &keys::inodes, keys::INODE, |record: InodeRecord| {
        if record.kind == Kind::File {
            found.bytes_holes += record.size.saturating_sub(record.space_used);
        }
        Ok(())
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
