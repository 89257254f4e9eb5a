//! Segments: the second of the pool's two seams.
//!
//! A segment is an append-only file of frames, one chunk in each. The store knows nothing of what the bytes
//! mean; [`frame`] does. Every implementation passes the tests in `contract`.

mod contents;
#[cfg(test)]
mod contract;
mod direct;
mod files;
mod frame;
mod memory;
mod mirror;
mod pack;
mod writer;

pub(crate) use contents::{FrameAt, frames_in, header_of};
pub(crate) use files::FileSegments;
#[cfg(test)]
pub(crate) use frame::footer;
pub(crate) use frame::{
    CHUNK_BYTES_MAX, FOOTER_END_BYTES, FRAME_HEADER_BYTES, SEGMENT_HEADER_BYTES, SEGMENT_HEADER_BYTES_V1,
    SegmentHeader, SegmentOrigin, chunk_id, content as frame_content, footer_bytes, read_footer, read_header,
    read_segment_header, repack as frame_repack, segment_header,
};
pub(crate) use memory::MemorySegments;
pub(crate) use mirror::MirroredSegments;
pub(crate) use pack::{Packed, Packer};
pub(crate) use writer::{Appended, SegmentWriter, Stamp};

use bytes::Bytes;

use crate::Result;

/// Names a segment. Never used again: the upper bits are the boot that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SegmentId(pub(crate) u64);

/// Bits of a segment's number that count within a boot.
const COUNT_BITS: u32 = 24;

impl SegmentId {
    /// The first segment that a start of the pool makes.
    pub(crate) fn first_of(boot: u64) -> SegmentId {
        SegmentId(boot << COUNT_BITS)
    }
    /// The start of the pool that made the segment.
    pub(crate) fn boot(self) -> u64 {
        self.0 >> COUNT_BITS
    }
}

impl std::fmt::Display for SegmentId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:016x}", self.0)
    }
}

/// Unit in which segments are written past the system's cache; a multiple of every disk's.
pub(crate) const BLOCK_BYTES: u64 = 4096;
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
    /// [`LARGE_BYTES`] that starts at a multiple of [`BLOCK_BYTES`] may fill its last block with zeros.
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
    /// As [`SegmentStore::list`], of one copy; `None` while that is not there.
    fn list_copy(&self, _copy: usize) -> Result<Option<Vec<(SegmentId, u64)>>> {
        self.list().map(Some)
    }
    /// As [`SegmentStore::read`], from one copy.
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
