//! Frames: how a chunk is stored in a segment, and how a segment begins and ends.
//!
//! `frame.rs` draws the bytes; `pack.rs` compresses a chunk into its frame and gets it out again.

mod frame;
mod pack;

pub(crate) use frame::{
    CHUNK_BYTES_MAX, FOOTER_END_BYTES, FRAME_HEADER_BYTES, SEGMENT_HEADER_BYTES, SEGMENT_HEADER_BYTES_V1,
    SegmentHeader, SegmentOrigin, chunk_id, content as frame_content, footer, footer_bytes, read_footer,
    read_header, read_segment_header, repack as frame_repack, segment_header,
};
pub(crate) use pack::{Packed, Packer, count_packed};

use crate::format::keys::ChunkId;

/// Unit in which segments are written past the system's cache; a multiple of every disk's.
pub(crate) const BLOCK_BYTES: u64 = 4096;

/// A frame in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameAt {
    pub(crate) id: ChunkId,
    /// Where it starts.
    pub(crate) offset: u64,
    /// Its bytes, header included.
    pub(crate) bytes_stored: u32,
}
