//! Segments: the second of the pool's two seams.
//!
//! A segment is an append-only file of frames, one chunk in each. The store knows nothing of what the bytes
//! mean; [`frame`] does. Every implementation passes the tests in `contract`.

#[cfg(test)]
mod contract;
mod files;
mod frame;
mod memory;
mod pack;
mod writer;

pub(crate) use files::FileSegments;
pub(crate) use frame::{
    CHUNK_BYTES_MAX, FRAME_HEADER_BYTES, chunk_id, content as frame_content, repack as frame_repack,
};
pub(crate) use memory::MemorySegments;
pub(crate) use pack::{Packed, Packer};
pub(crate) use writer::{Appended, SegmentWriter};

use bytes::Bytes;

use crate::Result;

/// Names a segment. Never used again: the upper bits are the boot that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SegmentId(pub(crate) u64);

impl std::fmt::Display for SegmentId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:016x}", self.0)
    }
}

/// Append-only segments.
///
/// One segment at a time is appended to, by one caller at a time. Reads, deletions and listings come from many
/// callers at any time.
pub(crate) trait SegmentStore: Send + Sync + 'static {
    /// Creates an empty segment that will grow to about `bytes`. When a `sync` of it has returned, the segment
    /// itself, not only its bytes, is durable.
    fn create(&self, id: SegmentId, bytes: u64) -> Result<()>;
    /// Writes `parts`, one after the other, at `offset`. After an error the bytes there are undefined until
    /// they are written again; [`crate::Error::NoSpace`] says that the disk is full.
    fn write(&self, id: SegmentId, offset: u64, parts: &[Bytes]) -> Result<()>;
    /// Makes what was written durable. After an error nothing written may be relied on.
    fn sync(&self, id: SegmentId) -> Result<()>;
    /// Ends a segment: `bytes` is its length, and nothing is written to it any more.
    fn seal(&self, id: SegmentId, bytes: u64) -> Result<()>;
    /// Exactly `length` bytes at `offset`; `None` if the segment does not exist or is shorter.
    fn read(&self, id: SegmentId, offset: u64, length: usize) -> Result<Option<Bytes>>;
    /// Deletes a segment, if it is there. A read that has begun ends well.
    fn delete(&self, id: SegmentId) -> Result<()>;
    /// All segments with their length in bytes, in no order.
    fn list(&self) -> Result<Vec<(SegmentId, u64)>>;
}
