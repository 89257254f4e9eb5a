//! Frames: the form in which a segment stores chunks, and the header and footer of a segment.
//!
//! `frame.rs` describes the bytes. `pack.rs` packs a chunk into its frame and unpacks it again. `names.rs` has the ids of chunks.

mod frame;
mod names;
mod pack;

#[cfg(test)]
pub(crate) use frame::footer_of_version_1;
pub(crate) use frame::{
    CHUNK_BYTES_MAX, FOOTER_END_BYTES, FRAME_HEADER_BYTES_MAX, FRAME_HEADER_BYTES_MIN, Facts,
    SEGMENT_HEADER_BYTES, SEGMENT_HEADER_BYTES_V1, SegmentHeader, SegmentOrigin, content as frame_content,
    content_by_facts, content_by_sum, footer, footer_bytes, read_footer, read_header, read_segment_header,
    repack as frame_repack, segment_header, whole_content,
};
#[cfg(test)]
pub(crate) use names::ALIKE;
pub(crate) use names::{Names, Naming, hashed};
pub(crate) use pack::{Packed, Packer, count_packed};

use crate::format::keys::ChunkId;

/// The unit of segment writes that bypass the system's cache. A multiple of the block size of every disk.
pub(crate) const BLOCK_BYTES: u64 = 4096;

/// A frame in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameAt {
    pub(crate) id: ChunkId,
    /// The offset at which the frame starts.
    pub(crate) offset: u64,
    /// The size of the frame, including its header.
    pub(crate) bytes_stored: u32,
}

/// A frame as a footer lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) at: FrameAt,
    pub(crate) facts: Facts,
}
