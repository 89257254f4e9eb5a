//! Segments: the second of the pool's two seams.
//!
//! A segment is an append-only file of frames, each with one chunk. The store does not know what the bytes mean;
//! [`crate::format::frames`] does. Every implementation passes the tests in `contract`.

mod buffers;
mod contents;
#[cfg(test)]
mod contract;
mod direct;
mod files;
mod memory;
mod mirror;
mod unnamed;
mod writer;

pub(crate) use contents::{frames_in, header_of};
pub use files::FileSegments;
pub use memory::MemorySegments;
pub(crate) use mirror::{OpenSecond, SegmentFiles};
pub(crate) use unnamed::{Fate, remove_unnamed};
pub(crate) use writer::{Appended, Placed, SegmentWriter, Stamp};

use std::sync::Arc;

use bytes::Bytes;

use crate::Result;
use crate::base::counters::ObjectCounts;
use crate::format::keys::SegmentId;

/// A write of at least this many bytes is large: see [`SegmentStore::write`].
pub const LARGE_BYTES: u64 = 1 << 20;

/// Append-only segments.
///
/// Many callers may call at the same time. No two calls write to the same bytes, and no large write shares a block with any
/// other write.
pub trait SegmentStore: Send + Sync + 'static {
    /// Whether each segment becomes one object that never changes, as in a bucket. Then
    /// - `sync` ends a segment: nothing is written to it afterwards. No write to it is in progress when `sync` is called;
    /// - a crash keeps all of a segment, or nothing of it if it was not synced;
    /// - asking for all segments takes long, so that is not done when a pool is opened;
    /// - reads may come from a cache.
    fn keeps_objects(&self) -> bool {
        false
    }
    /// What the store has done, if it keeps objects.
    fn object_counts(&self) -> Option<ObjectCounts> {
        None
    }
    /// Makes the store ready for writing. It may be read before.
    fn prepare(&self) -> Result<()> {
        Ok(())
    }
    /// Creates an empty segment that will grow to about `bytes`. When `sync` has returned, the segment's existence is durable
    /// too, not only its bytes.
    fn create(&self, id: SegmentId, bytes: u64) -> Result<()>;
    /// Writes `parts`, one after the other, at `offset`. After an error the bytes there are undefined until they are written
    /// again; [`crate::Error::NoSpace`] means that the disk is full. A write of at least [`LARGE_BYTES`] that starts at a
    /// multiple of [`crate::format::frames::BLOCK_BYTES`] may fill its last block with zeros.
    fn write(&self, id: SegmentId, offset: u64, parts: &[Bytes]) -> Result<()>;
    /// Makes all writes to the segment durable. After an error the caller must not rely on anything written.
    fn sync(&self, id: SegmentId) -> Result<()>;
    /// Like [`SegmentStore::sync`], for several segments at once.
    fn sync_all(&self, ids: &[SegmentId]) -> Result<()> {
        ids.iter().try_for_each(|id| self.sync(*id))
    }
    /// Ends a segment: `bytes` is its final length. Nothing may be written to it afterwards.
    fn seal(&self, id: SegmentId, bytes: u64) -> Result<()>;
    /// Exactly `length` bytes at `offset`; `None` if the segment does not exist or is shorter.
    fn read(&self, id: SegmentId, offset: u64, length: usize) -> Result<Option<Bytes>>;
    /// Like [`SegmentStore::read`], but past all caches, which stay as they are.
    fn read_stored(&self, id: SegmentId, offset: u64, length: usize) -> Result<Option<Bytes>> {
        self.read(id, offset, length)
    }
    /// Drops these bytes from all caches. The caller has found that they are wrong there, and right in the store.
    fn forget_cached(&self, _id: SegmentId, _offset: u64, _length: usize) {}
    /// Deletes a segment if it exists. A read that has started completes. Returns true if the segment was deleted in every
    /// copy, false while a copy is missing.
    fn delete(&self, id: SegmentId) -> Result<bool>;
    /// The length of a segment in bytes; `None` if it does not exist.
    fn length(&self, id: SegmentId) -> Result<Option<u64>>;
    /// All segments with their length in bytes, in any order.
    fn list(&self) -> Result<Vec<(SegmentId, u64)>>;
    /// The segments from this one on, with those of all later starts, with their length in bytes, in any order.
    fn list_since(&self, first: SegmentId) -> Result<Vec<(SegmentId, u64)>> {
        let mut listed = self.list()?;
        listed.retain(|(id, _)| *id >= first);
        Ok(listed)
    }
    /// Makes earlier deletions durable: none of those segments comes back after a crash. Returns true if that was done in every
    /// copy.
    fn sync_deletions(&self) -> Result<bool>;
    /// Takes a segment out of the store without deleting it, and keeps it for inspection.
    fn set_aside(&self, id: SegmentId) -> Result<()>;
    /// Like [`SegmentStore::set_aside`], for several segments.
    fn set_aside_all(&self, ids: &[SegmentId]) -> Result<()> {
        ids.iter().try_for_each(|id| self.set_aside(*id))
    }
    /// Segments that were set aside, with their length in bytes, in any order.
    fn list_aside(&self) -> Result<Vec<(SegmentId, u64)>>;
    /// Deletes a segment that was set aside, if it exists.
    fn delete_aside(&self, id: SegmentId) -> Result<()>;
}

/// All copies of the segments as one store. The defaults are those of a single copy.
pub(crate) trait SegmentCopies: SegmentStore {
    /// How many copies of each segment the store keeps, including copies that are currently missing.
    fn copies(&self) -> usize {
        1
    }
    /// Whether a copy is missing, and so misses what is written now.
    fn is_degraded(&self) -> bool {
        false
    }
    /// How often a copy has missed something, or may have, since the store was opened.
    fn misses(&self) -> u64 {
        0
    }
    /// Whether a copy is known to have everything. A single copy says what was last declared.
    fn is_complete(&self) -> Result<bool> {
        Ok(true)
    }
    /// Remembers durably, in the second copy, whether it has everything.
    fn declare_complete(&self, _is_complete: bool) -> Result<()> {
        Ok(())
    }
    /// Looks for a missing copy. Returns true if it is back; it then lacks what was written meanwhile. `require_fits` judges
    /// the copy once it is there, before anything is written to it.
    fn revive(&self, _require_fits: &dyn Fn() -> Result<()>) -> Result<bool> {
        Ok(false)
    }
    /// Like [`SegmentStore::list`], for one copy; `None` while that copy is missing.
    fn list_copy(&self, _copy: usize) -> Result<Option<Vec<(SegmentId, u64)>>> {
        self.list().map(Some)
    }
    /// Like [`SegmentStore::read`], from one copy.
    fn read_copy(&self, _copy: usize, id: SegmentId, offset: u64, length: usize) -> Result<Option<Bytes>> {
        self.read_stored(id, offset, length)
    }
    /// Rewrites bytes that are wrong in one copy, durably.
    fn restore(&self, _copy: usize, id: SegmentId, offset: u64, bytes: &Bytes) -> Result<()> {
        self.write(id, offset, std::slice::from_ref(bytes))?;
        self.sync(id)
    }
    /// Copies a segment's first `bytes` to the copy `to`, which lacks the segment or a part of it, from the other copy.
    fn copy_over(&self, _to: usize, _id: SegmentId, _bytes: u64) -> Result<()> {
        Ok(())
    }
}

/// A store that is the only copy.
pub(crate) struct SingleSegments(pub(crate) Arc<dyn SegmentStore>);

impl SegmentStore for SingleSegments {
    fn object_counts(&self) -> Option<ObjectCounts> {
        self.0.object_counts()
    }
    fn keeps_objects(&self) -> bool {
        self.0.keeps_objects()
    }
    fn sync_all(&self, ids: &[SegmentId]) -> Result<()> {
        self.0.sync_all(ids)
    }
    fn read_stored(&self, id: SegmentId, offset: u64, length: usize) -> Result<Option<Bytes>> {
        self.0.read_stored(id, offset, length)
    }
    fn forget_cached(&self, id: SegmentId, offset: u64, length: usize) {
        self.0.forget_cached(id, offset, length);
    }
    fn list_since(&self, first: SegmentId) -> Result<Vec<(SegmentId, u64)>> {
        self.0.list_since(first)
    }
    fn prepare(&self) -> Result<()> {
        self.0.prepare()
    }
    fn create(&self, id: SegmentId, bytes: u64) -> Result<()> {
        self.0.create(id, bytes)
    }
    fn write(&self, id: SegmentId, offset: u64, parts: &[Bytes]) -> Result<()> {
        self.0.write(id, offset, parts)
    }
    fn sync(&self, id: SegmentId) -> Result<()> {
        self.0.sync(id)
    }
    fn seal(&self, id: SegmentId, bytes: u64) -> Result<()> {
        self.0.seal(id, bytes)
    }
    fn read(&self, id: SegmentId, offset: u64, length: usize) -> Result<Option<Bytes>> {
        self.0.read(id, offset, length)
    }
    fn delete(&self, id: SegmentId) -> Result<bool> {
        self.0.delete(id)
    }
    fn length(&self, id: SegmentId) -> Result<Option<u64>> {
        self.0.length(id)
    }
    fn list(&self) -> Result<Vec<(SegmentId, u64)>> {
        self.0.list()
    }
    fn sync_deletions(&self) -> Result<bool> {
        self.0.sync_deletions()
    }
    fn set_aside(&self, id: SegmentId) -> Result<()> {
        self.0.set_aside(id)
    }
    fn set_aside_all(&self, ids: &[SegmentId]) -> Result<()> {
        self.0.set_aside_all(ids)
    }
    fn list_aside(&self) -> Result<Vec<(SegmentId, u64)>> {
        self.0.list_aside()
    }
    fn delete_aside(&self, id: SegmentId) -> Result<()> {
        self.0.delete_aside(id)
    }
}

impl SegmentCopies for SingleSegments {}
