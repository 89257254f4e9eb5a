//! Writes items that have versions, and decides which versions are written, kept for snapshots, or removed.
//!
//! A volume's records are written at its current epoch. The previous version is needed only if a snapshot sees it, that is,
//! if it was written at or before the epoch of the youngest snapshot. Such a version is *pinned*, and is left alone. Any
//! other version is replaced. A deletion leaves a tombstone only if an older version would be shown otherwise.
//!
//! ```text
//! epoch        1         2 (a snapshot was taken between)
//! write        a                                             a
//! write        b                                             b
//! snapshot     b                                             b
//! write        b         c                                   c, b
//! write        b         d                                   d, b
//! delete       b         tombstone                           tombstone, b
//! ```
//!
//! A version of an extent holds a reference to its chunk for as long as it is stored, whichever view shows it. The reference
//! is taken before the version is written, and released when the version is removed.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use bytes::Bytes;

use crate::engine::txn::Txn;
use crate::format::keys::{EPOCH_FIRST, Epoch, Item, Key};
use crate::format::records::{
    BucketEntryRecord, Content, ExtentRecord, Record, TOMBSTONE, XattrRecord, is_tombstone, malformed,
};
use crate::parts::registry::Writing;
use crate::parts::view::Layer;
use crate::{Result, VolumeId};

/// A version of an item.
struct Version {
    epoch: Epoch,
    key: Key,
    value: Bytes,
}

impl Txn<'_> {
    /// The current state of an item in a volume, including staged changes.
    pub(crate) fn item<R: Record>(&self, volume: VolumeId, item: &Item) -> Result<Option<R>> {
        let found = match self.layered(volume) {
            None => {
                let key = item.at(volume, EPOCH_FIRST);
                self.get(&key)?.map(|value| (key, value))
            }
            Some(writing) => match self.shown_versions(volume, item, &writing)?.into_iter().next() {
                Some(version) => Some((version.key, version.value)).filter(|(_, value)| !is_tombstone(value)),
                None => writing.view.get_below(&*self.engine.stores.meta, item)?,
            },
        };
        found.map(|(key, value)| R::decode(&key, &value)).transpose()
    }

    /// Whether each item of the volume has at most one version. If so, the code that replaces or deletes a version accounts
    /// for the old one.
    pub(crate) fn is_plain(&self, volume: VolumeId) -> bool {
        self.layered(volume).is_none()
    }

    /// Stages the new state of an item. The reference to an extent's chunk must have been taken already.
    pub(crate) fn put_item(&mut self, volume: VolumeId, item: &Item, record: &impl Record) -> Result<()> {
        let value = Bytes::from(record.encode());
        let Some(writing) = self.layered(volume) else {
            self.put_bytes(item.at(volume, EPOCH_FIRST), value);
            return Ok(());
        };
        let top = self.shown_versions(volume, item, &writing)?.into_iter().next();
        if let Some(top) = top.filter(|top| top.epoch > writing.pinned) {
            self.drop_version(volume, item, &top)?;
        }
        self.count_stored(volume, item, &value, 1)?;
        self.put_bytes(item.at(volume, writing.epoch), value);
        Ok(())
    }

    /// Stages the removal of an existing item.
    pub(crate) fn remove_item(&mut self, volume: VolumeId, item: &Item) -> Result<()> {
        let Some(writing) = self.layered(volume) else {
            self.delete(item.at(volume, EPOCH_FIRST));
            return Ok(());
        };
        let mut versions = self.shown_versions(volume, item, &writing)?.into_iter().peekable();
        if versions.peek().is_some_and(|top| is_tombstone(&top.value)) {
            return Ok(());
        }
        if let Some(top) = versions.next_if(|top| top.epoch > writing.pinned) {
            self.drop_version(volume, item, &top)?;
        }
        let beneath = match versions.next() {
            Some(older) => !is_tombstone(&older.value),
            None => writing.view.get_below(&*self.engine.stores.meta, item)?.is_some(),
        };
        if beneath {
            self.put_bytes(item.at(volume, writing.epoch), Bytes::from_static(TOMBSTONE));
        }
        Ok(())
    }

    /// Stages the removal of all versions of an item that no view shows: neither one of `viewpoints`, newest first, nor a
    /// volume that builds on them.
    pub(crate) fn purge_item(&mut self, volume: VolumeId, item: &Item, viewpoints: &[Epoch]) -> Result<()> {
        let Some(writing) = self.layered(volume) else { return Ok(()) };
        let Some(layer) = writing.view.layers.first() else { return Ok(()) };
        let seen = |version: &Version, newer: Option<Epoch>| {
            layer.shows(version.epoch)
                && viewpoints.iter().any(|at| version.epoch <= *at && newer.is_none_or(|newer| newer > *at))
        };
        let mut kept: Vec<Version> = Vec::new();
        let mut newer = None;
        for version in self.versions(volume, item)? {
            if seen(&version, newer) {
                newer = Some(version.epoch);
                kept.push(version);
            } else {
                self.drop_version(volume, item, &version)?;
            }
        }
        // A tombstone that hides nothing is not needed.
        if kept.last().is_some_and(|oldest| is_tombstone(&oldest.value))
            && writing.view.get_below(&*self.engine.stores.meta, item)?.is_none()
        {
            while let Some(oldest) = kept.pop_if(|oldest| is_tombstone(&oldest.value)) {
                self.drop_version(volume, item, &oldest)?;
            }
        }
        Ok(())
    }

    /// Stages the removal of a version that belongs to a deleted volume.
    pub(crate) fn drop_stored(&mut self, volume: VolumeId, key: Key, value: Bytes) -> Result<()> {
        let (item, epoch) = Item::of(&key).ok_or_else(|| malformed("version", &key))?;
        self.drop_version(volume, &item, &Version { epoch, key, value })
    }

    /// How to write to the volume, if its items can have several versions.
    fn layered(&self, volume: VolumeId) -> Option<Writing> {
        self.engine.volumes.writing(volume).filter(|writing| !writing.view.plain)
    }

    /// The volume's own versions that it shows, newest first, including staged changes.
    fn shown_versions(&self, volume: VolumeId, item: &Item, writing: &Writing) -> Result<Vec<Version>> {
        let mut versions = self.versions(volume, item)?;
        let layer: Option<&Layer> = writing.view.layers.first();
        versions.retain(|version| layer.is_some_and(|layer| layer.shows(version.epoch)));
        Ok(versions)
    }

    /// All of the volume's own versions, newest first, including staged changes.
    fn versions(&self, volume: VolumeId, item: &Item) -> Result<Vec<Version>> {
        let range = item.versions(volume);
        let mut found = BTreeMap::new();
        self.engine.stores.meta.scan(range.clone(), &mut |key, value| {
            found.insert(key.to_vec(), Some(Bytes::copy_from_slice(value)));
            Ok(ControlFlow::Continue(()))
        })?;
        found.extend(self.staged(range));
        let mut versions = Vec::with_capacity(found.len());
        for (key, value) in found {
            let Some(value) = value else { continue };
            let (_, epoch) = Item::of(&key).ok_or_else(|| malformed("version", &key))?;
            versions.push(Version { epoch, key, value });
        }
        Ok(versions)
    }

    fn drop_version(&mut self, volume: VolumeId, item: &Item, version: &Version) -> Result<()> {
        if !is_tombstone(&version.value) {
            self.count_stored(volume, item, &version.value, -1)?;
            if item.is_extent()
                && let Content::Chunk { id, .. } = ExtentRecord::decode(&version.key, &version.value)?.content
            {
                self.chunk_unrefer(id)?;
            }
        }
        self.delete(version.key.clone());
        Ok(())
    }

    /// Counts one stored version more or less. Tombstones do not count.
    fn count_stored(&mut self, volume: VolumeId, item: &Item, value: &[u8], sign: i64) -> Result<()> {
        if item.is_inode() {
            let usage = self.usage(volume)?;
            usage.inodes_stored = usage.inodes_stored.saturating_add_signed(sign);
        }
        if item.is_extent()
            && let ExtentRecord { length, content: Content::Inline(_) } = ExtentRecord::decode(b"", value)?
        {
            let usage = self.usage(volume)?;
            usage.bytes_inline = usage.bytes_inline.saturating_add_signed(i64::from(length) * sign);
        }
        if item.is_bucket_entry() {
            let bytes = BucketEntryRecord::decode(b"", value)?.bytes();
            let usage = self.usage(volume)?;
            usage.bytes_inline = usage.bytes_inline.saturating_add_signed(bytes * sign);
        }
        if item.is_xattr() {
            let bytes = XattrRecord::decode(b"", value)?.bytes();
            let usage = self.usage(volume)?;
            usage.bytes_inline = usage.bytes_inline.saturating_add_signed(bytes * sign);
        }
        Ok(())
    }
}
