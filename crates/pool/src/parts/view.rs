//! What a volume or a snapshot shows: which version of each item, and where it is stored.
//!
//! A view is a list of layers. Each layer is one volume's stored records up to an epoch, less epochs that a rollback
//! has hidden. The version to show is the newest that the first layer shows; only if that layer has none does the
//! next one count. A *tombstone* is a version that says that there is nothing.
//!
//! ```text
//!                                       layers
//! volume, never snapshotted             own
//! volume with snapshots                 own
//! snapshot of it                        volume's up to the snapshot's epoch
//! clone of the snapshot                 own, then the layers of the snapshot
//! ```
//!
//! What a layer other than a volume's own shows never changes: its volume writes at later epochs only, and what the purge
//! removes nobody sees. So a scan of several layers is as good as one instant's, if that of the own layer is.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

use bytes::Bytes;

use crate::format::keys::{EPOCH_FIRST, Epoch, Item, Key};
use crate::format::records::{is_tombstone, malformed};
use crate::store::meta::{MetaView, Visit};
use crate::{Result, VolumeId};

/// Items of a layer that one step of a merge takes at most, where nobody asks for another bound.
pub(crate) const BATCH_ITEMS: usize = 1024;

/// Where the keys of a scan are, in a given volume.
pub(crate) type RangeIn<'a> = dyn Fn(VolumeId) -> Range<Key> + 'a;

/// The records of one volume as far as a view shows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layer {
    pub(crate) volume: VolumeId,
    /// Newer records are not shown.
    pub(crate) newest: Epoch,
    /// Nor are those written from the first to the second of these epochs.
    pub(crate) hidden: Vec<(Epoch, Epoch)>,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct View {
    /// The uppermost first; never empty.
    pub(crate) layers: Vec<Layer>,
    /// All there is was written at the first epoch of the only layer: every item has one version at most.
    pub(crate) plain: bool,
}

/// A key as it is stored, and its value.
pub(crate) type Found = (Key, Bytes);

impl Layer {
    /// Whether records written at that epoch are shown.
    pub(crate) fn shows(&self, epoch: Epoch) -> bool {
        let hidden = |(from, to): &(Epoch, Epoch)| *from <= epoch && epoch <= *to;
        epoch <= self.newest && !self.hidden.iter().any(hidden)
    }

    /// The version that the layer shows, be it a tombstone.
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

    /// Adds what the layer shows within `range` to `found`, except where an upper layer has something, up to `items`
    /// items and no further than `horizon`. Returns the item after which it stopped short, if it did.
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
    /// The version of an item that is shown.
    pub(crate) fn get(&self, meta: &dyn MetaView, item: &Item) -> Result<Option<Found>> {
        match &self.layers[..] {
            [only] if self.plain => {
                let key = item.at(only.volume, EPOCH_FIRST);
                Ok(meta.get(&key)?.map(|value| (key, value)))
            }
            layers => get_from(layers, meta, item),
        }
    }

    /// The version that would be shown if the uppermost layer had none.
    pub(crate) fn get_below(&self, meta: &dyn MetaView, item: &Item) -> Result<Option<Found>> {
        get_from(self.layers.get(1..).unwrap_or_default(), meta, item)
    }

    /// Visits the items in a range, in order, each with the key and the value of the version that is shown. The key names
    /// the volume whose layer it is. `items`: how many the caller may want; the first so many are of one instant.
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
                // Beyond it, an upper layer was not looked at.
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

    /// Volume, inode, epoch, and whether it is a value or a tombstone.
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

    /// Inode and epoch of what is shown, by a scan, which a look at each one must agree with.
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
