//! The content that a volume or a snapshot shows: which version of each item, and where it is stored.
//!
//! A view is a list of layers. Each layer is the stored records of one volume up to an epoch, except for epochs that a
//! rollback has hidden. The view shows the newest version in the first layer that shows the item at all. A *tombstone*
//! is a version that says that the item does not exist.
//!
//! ```text
//!                                       layers
//! volume, never snapshotted             own
//! volume with snapshots                 own
//! snapshot of it                        volume's up to the snapshot's epoch
//! clone of the snapshot                 own, then the layers of the snapshot
//! ```
//!
//! A layer other than the volume's own never changes what it shows: its volume writes only at later epochs, and a purge
//! removes only versions that no view shows. So a scan of several layers shows a single instant if its scan of the own
//! layer does.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

use bytes::Bytes;

use crate::format::keys::{EPOCH_FIRST, Epoch, Item, Key};
use crate::format::records::{is_tombstone, malformed};
use crate::store::meta::{MetaView, Visit};
use crate::{Result, VolumeId};

/// The maximum number of items that one step of a merge takes from a layer, unless the caller sets another limit.
pub(crate) const BATCH_ITEMS: usize = 1024;

/// The range of keys to scan in a given volume.
pub(crate) type RangeIn<'a> = dyn Fn(VolumeId) -> Range<Key> + 'a;

/// The part of one volume's records that a view shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layer {
    pub(crate) volume: VolumeId,
    /// Records newer than this epoch are not shown.
    pub(crate) newest: Epoch,
    /// Ranges of epochs, both ends included, whose records are not shown either.
    pub(crate) hidden: Vec<(Epoch, Epoch)>,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct View {
    /// The layers, uppermost first. Never empty.
    pub(crate) layers: Vec<Layer>,
    /// Everything was written at the first epoch of the only layer, so every item has at most one version.
    pub(crate) plain: bool,
}

/// A key as it is stored, and its value.
pub(crate) type Found = (Key, Bytes);

impl Layer {
    /// Whether the layer shows records written at that epoch.
    pub(crate) fn shows(&self, epoch: Epoch) -> bool {
        let hidden = |(from, to): &(Epoch, Epoch)| *from <= epoch && epoch <= *to;
        epoch <= self.newest && !self.hidden.iter().any(hidden)
    }

    /// The version that the layer shows, which may be a tombstone.
    fn get(&self, meta: &dyn MetaView, item: &Item) -> Result<Option<Found>> {
        let mut found = None;
        meta.scan(item.versions(self.volume), &mut |key, value| {
            let (_, epoch) = Item::of(key).ok_or_else(|| malformed("version", key))?;
            if !self.shows(epoch) {
                return Ok(ControlFlow::Continue(()));
            }
            found = Some((key.to_vec(), Bytes::copy_from_slice(value)));
            Ok(ControlFlow::Break(()))
        })?;
        Ok(found)
    }

    /// Adds the items that the layer shows within `range` to `found`, except those that an upper layer already added.
    /// Adds up to `items` items and none after `horizon`. Returns the new horizon: the last item covered, if this scan
    /// or that of an upper layer stopped early.
    fn collect(
        &self,
        meta: &dyn MetaView,
        range: Range<Key>,
        items: usize,
        horizon: Option<Item>,
        found: &mut BTreeMap<Item, Found>,
    ) -> Result<Option<Item>> {
        let mut last: Option<Item> = None;
        let mut count = 0;
        let mut stopped = horizon.clone();
        meta.scan(range, &mut |key, value| {
            let (item, epoch) = Item::of(key).ok_or_else(|| malformed("version", key))?;
            if last.as_ref() == Some(&item) || !self.shows(epoch) {
                return Ok(ControlFlow::Continue(()));
            }
            if horizon.as_ref().is_some_and(|horizon| item > *horizon) {
                return Ok(ControlFlow::Break(()));
            }
            found.entry(item.clone()).or_insert_with(|| (key.to_vec(), Bytes::copy_from_slice(value)));
            count += 1;
            if count >= items {
                stopped = Some(item);
                return Ok(ControlFlow::Break(()));
            }
            last = Some(item);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(stopped)
    }
}

impl View {
    /// The version of an item that the view shows.
    pub(crate) fn get(&self, meta: &dyn MetaView, item: &Item) -> Result<Option<Found>> {
        match &self.layers[..] {
            [only] if self.plain => {
                let key = item.at(only.volume, EPOCH_FIRST);
                Ok(meta.get(&key)?.map(|value| (key, value)))
            }
            layers => get_from(layers, meta, item),
        }
    }

    /// The version that the view would show if its uppermost layer had none.
    pub(crate) fn get_below(&self, meta: &dyn MetaView, item: &Item) -> Result<Option<Found>> {
        get_from(self.layers.get(1..).unwrap_or_default(), meta, item)
    }

    /// Visits the items in a range in order, with the key and value of the version that the view shows. The key names
    /// the volume of the layer that stores it. `items` is the number of items that the caller may want: the first
    /// `items` items are from a single instant.
    pub(crate) fn scan(
        &self,
        meta: &dyn MetaView,
        range: &RangeIn<'_>,
        items: usize,
        visit: &mut Visit<'_>,
    ) -> Result<()> {
        match &self.layers[..] {
            [only] if self.plain => meta.scan(range(only.volume), visit),
            _ => self.merge(meta, range, items.max(1), visit),
        }
    }

    fn merge(
        &self,
        meta: &dyn MetaView,
        range: &RangeIn<'_>,
        items: usize,
        visit: &mut Visit<'_>,
    ) -> Result<()> {
        let mut after: Option<Item> = None;
        loop {
            let mut found = BTreeMap::new();
            let mut horizon = None;
            for layer in &self.layers {
                let Range { mut start, end } = range(layer.volume);
                if let Some(after) = &after {
                    start = start.max(after.past(layer.volume));
                }
                horizon = layer.collect(meta, start..end, items, horizon, &mut found)?;
            }
            for (item, (key, value)) in found {
                // After the horizon, an upper layer has not been scanned yet.
                if horizon.as_ref().is_some_and(|horizon| item > *horizon) {
                    break;
                }
                if !is_tombstone(&value) && visit(&key, &value)? == ControlFlow::Break(()) {
                    return Ok(());
                }
            }
            let Some(horizon) = horizon else { return Ok(()) };
            after = Some(horizon);
        }
    }
}

fn get_from(layers: &[Layer], meta: &dyn MetaView, item: &Item) -> Result<Option<Found>> {
    for layer in layers {
        if let Some(found) = layer.get(meta, item)? {
            return Ok(Some(found).filter(|(_, value)| !is_tombstone(value)));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InodeId;
    use crate::format::keys::{self, EPOCH_LAST};
    use crate::format::records::{OrphanRecord, Record, TOMBSTONE};
    use crate::store::meta::{Batch, MemoryMeta, MetaStore};

    fn layer(volume: u32, newest: Epoch, hidden: &[(u64, u64)]) -> Layer {
        let hidden = hidden.iter().map(|(from, to)| (Epoch(*from), Epoch(*to))).collect();
        Layer { volume: VolumeId(volume), newest, hidden }
    }

    /// Each entry is a volume, an inode, an epoch, and true for a value or false for a tombstone.
    fn store(versions: &[(u32, u64, u64, bool)]) -> MemoryMeta {
        let meta = MemoryMeta::default();
        let value = Bytes::from(OrphanRecord { freeing: false }.encode());
        let changes = versions.iter().map(|(volume, inode, epoch, there)| {
            let key = Item::orphan(InodeId(*inode)).at(VolumeId(*volume), Epoch(*epoch));
            (key, Some(if *there { value.clone() } else { Bytes::from_static(TOMBSTONE) }))
        });
        meta.write(Batch { changes: changes.collect() }).unwrap();
        meta
    }

    /// The inode and epoch of each version that a scan shows. Asserts that a `get` for each inode agrees.
    fn shown(view: &View, meta: &MemoryMeta, items: usize) -> Vec<(u64, u64)> {
        let mut shown = Vec::new();
        view.scan(meta, &keys::orphans, items, &mut |key, _| {
            let (_, epoch) = Item::of(key).unwrap();
            shown.push((keys::inode_in(key).unwrap().inode.0, epoch.0));
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
        for inode in 0..20 {
            let one = view.get(meta, &Item::orphan(InodeId(inode))).unwrap();
            let scanned = shown.iter().any(|(found, _)| *found == inode);
            assert_eq!(one.is_some(), scanned, "inode {inode}");
        }
        shown
    }

    #[test]
    fn the_newest_version_in_the_first_layer_that_has_one_is_shown() {
        let meta = store(&[
            (1, 1, 1, true),
            (1, 2, 1, true),
            (1, 2, 2, true),
            (1, 3, 2, false),
            (1, 3, 1, true),
            (1, 4, 3, true),
            (2, 1, 1, false),
            (2, 5, 1, true),
        ]);
        let snapshot = layer(1, Epoch(2), &[]);
        let of_snapshot = View { layers: vec![snapshot.clone()], plain: false };
        let of_clone = View { layers: vec![layer(2, EPOCH_LAST, &[]), snapshot], plain: false };
        let rolled_back = View { layers: vec![layer(1, EPOCH_LAST, &[(2, 3)])], plain: false };
        for items in [1, 2, 3, 100] {
            assert_eq!(shown(&of_snapshot, &meta, items), [(1, 1), (2, 2)]);
            assert_eq!(shown(&of_clone, &meta, items), [(2, 2), (5, 1)]);
            assert_eq!(shown(&rolled_back, &meta, items), [(1, 1), (2, 1), (3, 1)]);
        }
    }
}
