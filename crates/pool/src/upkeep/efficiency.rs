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
/// The number of extents between two looks whether the pool is closing.
const CHECKED_EVERY: u64 = 4096;

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
        // In the committer, so that the views and the sizes agree with the metadata.
        let seen = self
            .transact(move |txn| {
                let volumes = &txn.engine.volumes;
                let is_clone = |view: &Arc<View>| view.layers.len() > 1;
                Ok(Instant {
                    meta: txn.engine.stores.meta.snapshot()?,
                    view: volume.map(|volume| volumes.view(volume)).transpose()?,
                    clones: match volume {
                        Some(_) => Vec::new(),
                        None => volumes.views().into_iter().filter(is_clone).collect(),
                    },
                    shown: volumes.usage_total().bytes_logical,
                })
            })
            .await?;
        let engine = self.clone();
        sync::blocking(move || count(&engine, &seen)).await
    }
}

/// The metadata of one instant.
struct Instant {
    meta: Arc<dyn MetaView>,
    /// What is counted; `None`: everything.
    view: Option<Arc<View>>,
    /// The views of all clones, if everything is counted.
    clones: Vec<Arc<View>>,
    /// The bytes that all volumes show.
    shown: u64,
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

fn count(engine: &Engine, seen: &Instant) -> Result<Efficiency> {
    let mut found = Efficiency::default();
    let mut sums = Sums::default();
    let (meta, view) = (&*seen.meta, seen.view.as_deref());
    each(meta, view, &keys::extents_of_volume, keys::EXTENT, |extent: ExtentRecord| {
        let length = u64::from(extent.length);
        found.extents += 1;
        found.bytes_logical += length;
        // A closing pool does not wait for the end.
        if found.extents.is_multiple_of(CHECKED_EVERY) {
            engine.require_open()?;
        }
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
    match view {
        Some(view) => {
            found.bytes_shown = found.bytes_logical;
            found.bytes_cloned = inherited(engine, meta, view)?;
        }
        None => {
            found.bytes_shown = seen.shown;
            for clone in &seen.clones {
                found.bytes_cloned += inherited(engine, meta, clone)?;
            }
            let own = found.bytes_shown.saturating_sub(found.bytes_cloned);
            found.bytes_retained = found.bytes_logical.saturating_sub(own);
        }
    }
    Ok(found)
}

/// The bytes that a view shows of layers below its own.
fn inherited(engine: &Engine, meta: &dyn MetaView, view: &View) -> Result<u64> {
    let (mut bytes, mut seen) = (0, 0_u64);
    let Some((own, [_, ..])) = view.layers.split_first() else { return Ok(0) };
    let own = keys::extents_of_volume(own.volume);
    view.scan(meta, &keys::extents_of_volume, BATCH_ITEMS, &mut |key, value| {
        seen += 1;
        if seen.is_multiple_of(CHECKED_EVERY) {
            engine.require_open()?;
        }
        if !is_tombstone(value) && !own.contains(&key.to_vec()) {
            bytes += u64::from(ExtentRecord::decode(key, value)?.length);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(bytes)
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
