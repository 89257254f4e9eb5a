//! The purge: frees stored versions that no view shows, after a snapshot or a volume was deleted, or a volume was rolled
//! back.
//!
//! The batch that makes a purge necessary marks the volume. The mark is removed when all items have been visited, and no
//! later batch has made a purge necessary again. So after a crash at any point the purge just starts again. It searches for
//! candidates outside the committer, and decides inside it, batch by batch.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use bytes::Bytes;

use crate::base::sync;
use crate::engine::Engine;
use crate::format::keys::{self, Item, Key};
use crate::format::records::{is_tombstone, malformed};
use crate::parts::view::View;
use crate::{Result, VolumeId};

/// The number of items that one batch purges at most.
const BATCH_ITEMS_MAX: usize = 1024;
/// The number of keys that are read without a pause.
const STEP_KEYS_MAX: usize = 64 << 10;

/// The result of a step.
struct Step {
    candidates: Vec<Item>,
    /// The key to continue with.
    next: Option<Key>,
}

impl Engine {
    /// Frees the volume's versions that no view shows.
    pub(crate) async fn purge_volume(self: &Arc<Self>, volume: VolumeId) -> Result<()> {
        let Some(reason) = self.volumes.purge(volume) else { return Ok(()) };
        for kind in keys::VERSIONED {
            let Range { start, end } = keys::items(kind, volume);
            let mut at = Some(start);
            while let Some(start) = at {
                self.require_open()?;
                let (engine, range) = (self.clone(), start..end.clone());
                let view = self.volumes.view(volume)?;
                let step = sync::blocking(move || engine.find_candidates(&view, range)).await?;
                at = step.next;
                self.purge_items(volume, step.candidates).await?;
            }
        }
        self.transact(move |txn| {
            if txn.engine.volumes.purge(volume) != Some(reason) {
                return Ok(());
            }
            let mut record = txn.engine.volumes.record(volume)?;
            record.hidden.clear();
            txn.change_volume(volume, record);
            txn.delete(keys::purging(volume));
            txn.then(move |engine| engine.volumes.end_purge(volume));
            Ok(())
        })
        .await
    }

    /// Finds items that may have an unneeded version: items with several versions, a tombstone, or a hidden version.
    fn find_candidates(&self, view: &View, range: Range<Key>) -> Result<Step> {
        let mut step = Step { candidates: Vec::new(), next: None };
        let mut last: Option<Item> = None;
        let mut looked_at = 0;
        self.stores.meta.scan(range, &mut |key, value| {
            let (item, epoch) = Item::of(key).ok_or_else(|| malformed("version", key))?;
            let another = last.as_ref() == Some(&item);
            if !another && (step.candidates.len() >= BATCH_ITEMS_MAX || looked_at >= STEP_KEYS_MAX) {
                step.next = Some(key.to_vec());
                return Ok(ControlFlow::Break(()));
            }
            looked_at += 1;
            let shown = view.layers.first().is_some_and(|layer| layer.shows(epoch));
            let suspect = another || !shown || is_tombstone(value);
            if suspect && step.candidates.last() != Some(&item) {
                step.candidates.push(item.clone());
            }
            last = Some(item);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(step)
    }

    async fn purge_items(self: &Arc<Self>, volume: VolumeId, items: Vec<Item>) -> Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        self.transact(move |txn| {
            if !txn.engine.volumes.is_live(volume) {
                return Ok(());
            }
            let viewpoints = txn.engine.volumes.viewpoints(volume);
            items.iter().try_for_each(|item| txn.purge_item(volume, item, &viewpoints))
        })
        .await
    }

    /// Frees everything that a deleted volume has stored, and finally its record.
    pub(crate) async fn free_volume(self: &Arc<Self>, volume: VolumeId) -> Result<()> {
        for kind in keys::VERSIONED {
            loop {
                self.require_open()?;
                let engine = self.clone();
                let stored = sync::blocking(move || engine.some_of(keys::items(kind, volume))).await?;
                if stored.is_empty() {
                    break;
                }
                self.transact(move |txn| {
                    stored.into_iter().try_for_each(|(key, value)| txn.drop_stored(volume, key, value))
                })
                .await?;
            }
        }
        self.transact(move |txn| {
            txn.forget_volume(volume);
            Ok(())
        })
        .await
    }

    fn some_of(&self, range: Range<Key>) -> Result<Vec<(Key, Bytes)>> {
        let mut found = Vec::new();
        self.stores.meta.scan(range, &mut |key, value| {
            found.push((key.to_vec(), Bytes::copy_from_slice(value)));
            let full = found.len() >= BATCH_ITEMS_MAX;
            Ok(if full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(found)
    }
}
