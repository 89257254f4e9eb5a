//! The extents of a file, which map offsets to stored content. A range without an extent is a hole.
//!
//! Only this file reads and stages extent records. Extents of a file never overlap, and none is longer than
//! [`EXTENT_BYTES_MAX`], so a lookup that starts that far before a range finds every extent that reaches into it. This holds
//! for what one volume or snapshot shows. The stored records of several epochs do overlap (see [`crate::parts::view`]).

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use crate::engine::Engine;
use crate::engine::txn::Txn;
use crate::format::keys::{self, ChunkId, InodeKey, Item};
use crate::format::records::{
    ChunkRecord, Content, EXTENT_BYTES_MAX, Extent, ExtentRecord, Record, malformed,
};
use crate::parts::compared::Compared;
use crate::parts::inode::Inode;
use crate::{Result, VolumeId};

/// A change to a range of a file, which replaces the extents `before` with the extents `after`.
#[derive(Debug, Default)]
pub(crate) struct ExtentChange {
    pub(crate) before: Vec<Extent>,
    pub(crate) after: Vec<Extent>,
}

impl ExtentChange {
    /// The same change without the extents that both lists contain. Both lists must be in order.
    pub(crate) fn without_common(self) -> ExtentChange {
        let mut change = ExtentChange::default();
        let mut before = self.before.into_iter().peekable();
        for new in self.after {
            while let Some(old) = before.next_if(|old| old.0 < new.0) {
                change.before.push(old);
            }
            match before.next_if(|old| old.0 == new.0) {
                Some(old) if old.1 == new.1 => {}
                old => {
                    change.before.extend(old);
                    change.after.push(new);
                }
            }
        }
        change.before.extend(before);
        change
    }

    /// The number of inline bytes after the change, minus the number before it.
    pub(crate) fn inline_difference(&self) -> i64 {
        inline_bytes(&self.after).saturating_sub(inline_bytes(&self.before))
    }
}

fn inline_bytes(extents: &[Extent]) -> i64 {
    let inline = extents.iter().filter(|(_, extent)| matches!(extent.content, Content::Inline(_)));
    inline.map(|(_, extent)| i64::from(extent.length)).sum()
}

impl Engine {
    /// The file's current extents that reach into `range`, in order.
    pub(crate) fn extents(&self, key: InodeKey, range: Range<u64>) -> Result<Vec<Extent>> {
        let from = range.start.saturating_sub(EXTENT_BYTES_MAX);
        let mut extents = self.extents_in(key, from..range.end, usize::MAX)?;
        extents.retain(|(offset, extent)| offset.saturating_add(u64::from(extent.length)) > range.start);
        Ok(extents)
    }

    /// Like [`Engine::extents`], but does not ask the metadata store for what is in memory. The caller holds the file's `order` lock, so that
    /// no flush changes them.
    pub(crate) fn extents_ordered(&self, inode: &Arc<Inode>, range: Range<u64>) -> Result<Vec<Extent>> {
        if let Some(known) = self.caches.tails.extents(inode, &range) {
            return Ok(known);
        }
        // The file has no extents, as a new one.
        if inode.state().record.space_used == 0 {
            return Ok(Vec::new());
        }
        self.extents(inode.key(), range)
    }

    /// Returns the first `count` of the file's extents that reach into `range`, in order. Also returns the part of the
    /// range, from its start, that the returned extents describe completely.
    pub(crate) fn extents_within(
        &self,
        key: InodeKey,
        range: Range<u64>,
        count: usize,
    ) -> Result<(Vec<Extent>, Range<u64>)> {
        if range.is_empty() {
            return Ok((Vec::new(), range));
        }
        let mut extents = self.extents(key, range.start..range.start + 1)?;
        extents.extend(self.extents_in(key, range.start + 1..range.end, count.saturating_add(1))?);
        let end = extents.get(count).map_or(range.end, |(offset, _)| *offset);
        extents.truncate(count);
        Ok((extents, range.start..end))
    }

    /// Up to `count` of the file's extents that start at or after `offset`, in order.
    pub(crate) fn extents_from(&self, key: InodeKey, offset: u64, count: usize) -> Result<Vec<Extent>> {
        self.extents_in(key, offset..u64::MAX, count)
    }

    /// Up to `count` of the file's extents that start within `offsets`, in order.
    fn extents_in(&self, key: InodeKey, offsets: Range<u64>, count: usize) -> Result<Vec<Extent>> {
        let range = |volume| keys::extents(InodeKey { volume, ..key }, offsets.clone());
        self.look(key.volume, |view| {
            let mut extents = Vec::new();
            view.scan(&*self.stores.meta, &range, count, &mut |key, value| {
                let offset = keys::offset_in(key).ok_or_else(|| malformed(ExtentRecord::NAME, key))?;
                extents.push((offset, ExtentRecord::decode(key, value)?));
                Ok(if extents.len() < count { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
            })?;
            Ok(extents)
        })
    }
}

impl Txn<'_> {
    /// Stages the change, including the references to chunks and the volume's usage. `placed` says where chunks were
    /// appended that the pool may not have. Returns false if a chunk that was to be shared is gone: the caller must then
    /// abandon the transaction. `compared` has what was compared before. The record's `space_used` is adjusted.
    pub(crate) fn change_extents(
        &mut self,
        inode: &Inode,
        change: &ExtentChange,
        placed: &BTreeMap<ChunkId, ChunkRecord>,
        compared: &Compared,
        space_used: &mut u64,
    ) -> Result<bool> {
        let before: BTreeMap<u64, &ExtentRecord> =
            change.before.iter().map(|(offset, extent)| (*offset, extent)).collect();
        let after: BTreeMap<u64, &ExtentRecord> =
            change.after.iter().map(|(offset, extent)| (*offset, extent)).collect();
        let mut difference = 0;
        // New references come first, so that a chunk that another extent keeps is not freed in between.
        let new = || after.iter().filter(|(offset, extent)| before.get(offset) != Some(extent));
        for (_, extent) in new() {
            if let Content::Chunk { id, .. } = &extent.content
                && !self.chunk_refer(*id, placed.get(id).copied(), compared)?
            {
                return Ok(false);
            }
        }
        for (offset, extent) in new() {
            self.put_extent(inode.key(), *offset, extent, before.get(offset).copied())?;
            difference += i64::from(extent.length);
        }
        for (offset, extent) in before.iter().filter(|(offset, extent)| after.get(offset) != Some(extent)) {
            if !after.contains_key(offset) {
                self.remove_extent(inode.key(), *offset, extent)?;
            }
            difference -= i64::from(extent.length);
        }
        *space_used = space_used.saturating_add_signed(difference);
        self.account(inode.handle.volume, difference)?;
        Ok(true)
    }

    /// Stages the removal of an extent, as part of removing the whole file.
    pub(crate) fn free_extent(&mut self, key: InodeKey, offset: u64, extent: &ExtentRecord) -> Result<()> {
        self.remove_extent(key, offset, extent)?;
        self.account(key.volume, -i64::from(extent.length))
    }

    /// `before` is the record that this one replaces.
    fn put_extent(
        &mut self,
        key: InodeKey,
        offset: u64,
        extent: &ExtentRecord,
        before: Option<&ExtentRecord>,
    ) -> Result<()> {
        self.put_item(key.volume, &Item::extent(key.inode, offset), extent)?;
        if self.is_plain(key.volume) {
            self.account_inline(key.volume, extent, 1)?;
            if let Some(before) = before {
                self.replaced(key.volume, before)?;
            }
        }
        Ok(())
    }

    fn remove_extent(&mut self, key: InodeKey, offset: u64, extent: &ExtentRecord) -> Result<()> {
        self.remove_item(key.volume, &Item::extent(key.inode, offset))?;
        if self.is_plain(key.volume) { self.replaced(key.volume, extent) } else { Ok(()) }
    }

    /// Accounts for an extent of a volume without versions that is no longer stored.
    fn replaced(&mut self, volume: VolumeId, extent: &ExtentRecord) -> Result<()> {
        self.account_inline(volume, extent, -1)?;
        match &extent.content {
            Content::Chunk { id, .. } => self.chunk_unrefer(*id),
            Content::Inline(_) => Ok(()),
        }
    }

    fn account_inline(&mut self, volume: VolumeId, extent: &ExtentRecord, sign: i64) -> Result<()> {
        if matches!(extent.content, Content::Inline(_)) {
            let usage = self.usage(volume)?;
            usage.bytes_inline = usage.bytes_inline.saturating_add_signed(i64::from(extent.length) * sign);
        }
        Ok(())
    }

    fn account(&mut self, volume: VolumeId, difference: i64) -> Result<()> {
        let usage = self.usage(volume)?;
        usage.bytes_logical = usage.bytes_logical.saturating_add_signed(difference);
        Ok(())
    }
}
