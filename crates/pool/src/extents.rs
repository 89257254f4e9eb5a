//! The extents of a file: what is stored of it, by offset. Ranges without an extent are holes.
//!
//! Nobody else reads or stages extent records. Extents of a file never overlap, and none is longer than
//! [`EXTENT_BYTES_MAX`], so those that reach into a range are found by looking that far before it.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

use crate::engine::Engine;
use crate::inode::Inode;
use crate::keys::{self, ChunkId, InodeKey};
use crate::records::{ChunkRecord, Content, ExtentRecord, Record, malformed};
use crate::txn::Txn;
use crate::{Result, VolumeId};

/// Longest extent.
pub(crate) const EXTENT_BYTES_MAX: u64 = 256 << 10;

/// An extent, and the offset in the file at which it starts.
pub(crate) type Extent = (u64, ExtentRecord);

/// What becomes of a stretch of a file: these extents instead of those.
#[derive(Debug, Default)]
pub(crate) struct ExtentChange {
    pub(crate) before: Vec<Extent>,
    pub(crate) after: Vec<Extent>,
}

/// Bytes that a file gains and loses through changes of its extents.
#[derive(Debug, Default)]
struct Difference {
    logical: i64,
    inline: i64,
}

impl Engine {
    /// The file's extents that reach into `range`, in order, as they are now.
    pub(crate) fn extents(&self, key: InodeKey, range: Range<u64>) -> Result<Vec<Extent>> {
        let mut extents = Vec::new();
        let from = range.start.saturating_sub(EXTENT_BYTES_MAX);
        self.meta.scan(keys::extents(key, from..range.end), &mut |key, value| {
            let offset = keys::offset_in(key).ok_or_else(|| malformed(ExtentRecord::NAME, key))?;
            let extent = ExtentRecord::decode(key, value)?;
            if offset.saturating_add(u64::from(extent.length)) > range.start {
                extents.push((offset, extent));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(extents)
    }

    /// Up to `count` of the file's extents that start at or after `offset`, in order.
    pub(crate) fn extents_from(&self, key: InodeKey, offset: u64, count: usize) -> Result<Vec<Extent>> {
        let mut extents = Vec::new();
        self.meta.scan(keys::extents(key, offset..u64::MAX), &mut |key, value| {
            let offset = keys::offset_in(key).ok_or_else(|| malformed(ExtentRecord::NAME, key))?;
            extents.push((offset, ExtentRecord::decode(key, value)?));
            Ok(if extents.len() < count { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(extents)
    }
}

impl Txn<'_> {
    /// Stages the change, references to chunks and the volume's usage included. `placed` says where chunks were
    /// appended that the pool may not have. False if a chunk that was to be shared is gone: then the
    /// transaction is of no use any more. `space_used` follows.
    pub(crate) fn change_extents(
        &mut self,
        inode: &Inode,
        change: &ExtentChange,
        placed: &BTreeMap<ChunkId, ChunkRecord>,
        space_used: &mut u64,
    ) -> Result<bool> {
        let before: BTreeMap<u64, &ExtentRecord> =
            change.before.iter().map(|(offset, extent)| (*offset, extent)).collect();
        let after: BTreeMap<u64, &ExtentRecord> =
            change.after.iter().map(|(offset, extent)| (*offset, extent)).collect();
        let mut difference = Difference::default();
        // What is referred to anew comes first, so that a chunk kept by another extent is not freed in between.
        for (offset, extent) in after.iter().filter(|(offset, extent)| before.get(offset) != Some(extent)) {
            if let Content::Chunk { id, .. } = &extent.content
                && !self.chunk_refer(*id, placed.get(id).copied())?
            {
                return Ok(false);
            }
            self.put_extent(inode.key(), *offset, extent);
            difference.add(extent, 1);
        }
        for (offset, extent) in before.iter().filter(|(offset, extent)| after.get(offset) != Some(extent)) {
            if !after.contains_key(offset) {
                self.delete_extent(inode.key(), *offset);
            }
            self.unrefer(extent)?;
            difference.add(extent, -1);
        }
        *space_used = space_used.saturating_add_signed(difference.logical);
        self.account(inode.handle.volume, &difference)?;
        Ok(true)
    }

    /// Stages the end of an extent of a file that goes as a whole.
    pub(crate) fn free_extent(&mut self, key: InodeKey, offset: u64, extent: &ExtentRecord) -> Result<()> {
        self.delete_extent(key, offset);
        self.unrefer(extent)?;
        let mut difference = Difference::default();
        difference.add(extent, -1);
        self.account(key.volume, &difference)
    }

    fn put_extent(&mut self, key: InodeKey, offset: u64, extent: &ExtentRecord) {
        self.put(keys::extent(key, offset, self.epoch(key.volume)), extent);
    }

    fn delete_extent(&mut self, key: InodeKey, offset: u64) {
        self.delete(keys::extent(key, offset, self.epoch(key.volume)));
    }

    /// One extent fewer points to what this one pointed to.
    fn unrefer(&mut self, extent: &ExtentRecord) -> Result<()> {
        match &extent.content {
            Content::Chunk { id, .. } => self.chunk_unrefer(*id),
            Content::Inline(_) => Ok(()),
        }
    }

    fn account(&mut self, volume: VolumeId, difference: &Difference) -> Result<()> {
        let usage = self.usage(volume)?;
        usage.bytes_logical = usage.bytes_logical.saturating_add_signed(difference.logical);
        usage.bytes_inline = usage.bytes_inline.saturating_add_signed(difference.inline);
        Ok(())
    }
}

impl Difference {
    fn add(&mut self, extent: &ExtentRecord, sign: i64) {
        let bytes = i64::from(extent.length) * sign;
        self.logical += bytes;
        if matches!(extent.content, Content::Inline(_)) {
            self.inline += bytes;
        }
    }
}
