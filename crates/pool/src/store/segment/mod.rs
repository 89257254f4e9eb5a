//! Segments: the second of the pool's two seams.
//!
//! A segment is an append-only file of frames, one chunk in each. The store knows nothing of what the bytes
//! mean; [`crate::format::frames`] does. Every implementation passes the tests in `contract`.

mod contents;
#[cfg(test)]
mod contract;
mod direct;
mod files;
mod memory;
mod mirror;
mod writer;

pub(crate) use contents::{frames_in, header_of};
pub(crate) use files::FileSegments;
pub(crate) use memory::MemorySegments;
pub(crate) use mirror::MirroredSegments;
pub(crate) use writer::{Appended, SegmentWriter, Stamp};

use bytes::Bytes;

use crate::Result;
use crate::format::keys::SegmentId;

/// A write of at least that much is large: see [`SegmentStore::write`].
pub(crate) const LARGE_BYTES: u64 = 1 << 20;

/// Append-only segments.
///
/// Calls come from many callers at any time; no two write to the same bytes, and no two large writes, nor a large
/// and another one, to the same block.
pub(crate) trait SegmentStore: Send + Sync + 'static {
    /// Makes the store ready to be written to. What it holds may be looked at before.
    fn prepare(&self) -> Result<()> {
        Ok(())
    }
    /// Creates an empty segment that will grow to about `bytes`. When a `sync` of it has returned, the segment
    /// itself, not only its bytes, is durable.
    fn create(&self, id: SegmentId, bytes: u64) -> Result<()>;
    /// Writes `parts`, one after the other, at `offset`. After an error the bytes there are undefined until
    /// they are written again; [`crate::Error::NoSpace`] says that the disk is full. A write of at least
    /// [`LARGE_BYTES`] that starts at a multiple of [`crate::format::frames::BLOCK_BYTES`] may fill its last block with zeros.
    fn write(&self, id: SegmentId, offset: u64, parts: &[Bytes]) -> Result<()>;
    /// Makes what was written durable. After an error nothing written may be relied on.
    fn sync(&self, id: SegmentId) -> Result<()>;
    /// Ends a segment: `bytes` is its length, and nothing is written to it any more.
    fn seal(&self, id: SegmentId, bytes: u64) -> Result<()>;
    /// Exactly `length` bytes at `offset`; `None` if the segment does not exist or is shorter.
    fn read(&self, id: SegmentId, offset: u64, length: usize) -> Result<Option<Bytes>>;
    /// Deletes a segment, if it is there. A read that has begun ends well. True if that was done in every copy; false while one is away.
    fn delete(&self, id: SegmentId) -> Result<bool>;
    /// All segments with their length in bytes, in no order.
    fn list(&self) -> Result<Vec<(SegmentId, u64)>>;
    /// Makes earlier deletions durable: none of those segments comes back after a crash. True if that was done in every copy.
    fn sync_deletions(&self) -> Result<bool>;
    /// Takes a segment out of the store without deleting it: it is kept aside, for somebody to look at.
    fn set_aside(&self, id: SegmentId) -> Result<()>;
    /// Segments that were set aside, with their length in bytes, in no order.
    fn list_aside(&self) -> Result<Vec<(SegmentId, u64)>>;
    /// Deletes a segment that was set aside, if it is there.
    fn delete_aside(&self, id: SegmentId) -> Result<()>;

    // ---- copies: a store that keeps one only needs none of these ----

    /// How many copies of each segment the store keeps, those included that are not there just now.
    fn copies(&self) -> usize {
        1
    }
    /// A copy is not there: what is written now it misses.
    fn is_degraded(&self) -> bool {
        false
    }
    /// Looks for a copy that is not there. True if it is back; it has missed something.
    fn revive(&self) -> Result<bool> {
        Ok(false)
    }
    /// Like [`SegmentStore::list`], of one copy; `None` while that is not there.
    fn list_copy(&self, _copy: usize) -> Result<Option<Vec<(SegmentId, u64)>>> {
        self.list().map(Some)
    }
    /// Like [`SegmentStore::read`], from one copy.
    fn read_copy(&self, _copy: usize, id: SegmentId, offset: u64, length: usize) -> Result<Option<Bytes>> {
        self.read(id, offset, length)
    }
    /// Writes bytes again, durably, that were found to be wrong in one copy.
    fn restore(&self, _copy: usize, id: SegmentId, offset: u64, bytes: &Bytes) -> Result<()> {
        self.write(id, offset, std::slice::from_ref(bytes))?;
        self.sync(id)
    }
    /// Makes a segment's first `bytes` in the copy `to`, which lacks it or a part of it, what they are in the other.
    fn copy_over(&self, _to: usize, _id: SegmentId, _bytes: u64) -> Result<()> {
        Ok(())
    }
}
