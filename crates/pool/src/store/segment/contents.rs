//! What a segment holds according to the segment itself, without the metadata.
//!
//! The footer names all frames. A segment without a footer (open when power failed or when the disk was full) is walked from
//! frame to frame by the frame headers. Where no frame starts, because a write failed or an append ended on a block of its own,
//! the walk continues at the next block. A frame found this way may be dead or damaged: the caller checks that the metadata
//! names it and that its content matches.
//!
//! Everything is read past caches: what decides on a segment must come from the segment.

use super::SegmentStore;
use crate::Result;
use crate::format::frames::{
    BLOCK_BYTES, CHUNK_BYTES_MAX, FOOTER_END_BYTES, FRAME_HEADER_BYTES_MAX, FRAME_HEADER_BYTES_MIN, FrameAt,
    SEGMENT_HEADER_BYTES, SEGMENT_HEADER_BYTES_V1, SegmentHeader, footer_bytes, read_footer, read_header,
    read_segment_header,
};
use crate::format::keys::SegmentId;

/// All frames of a segment of this length, ordered by offset. Reads the footer, or every frame header.
pub(crate) fn frames_in(store: &dyn SegmentStore, id: SegmentId, length: u64) -> Result<Vec<FrameAt>> {
    match footer_frames(store, id, length)? {
        Some(frames) => Ok(frames),
        None => walk(store, id, length),
    }
}

fn footer_frames(store: &dyn SegmentStore, id: SegmentId, length: u64) -> Result<Option<Vec<FrameAt>>> {
    let Some(end_at) = length.checked_sub(FOOTER_END_BYTES as u64) else { return Ok(None) };
    let Some(end) = store.read_stored(id, end_at, FOOTER_END_BYTES)? else { return Ok(None) };
    let Some(bytes) = footer_bytes(&end).filter(|bytes| *bytes <= length) else { return Ok(None) };
    let Ok(count) = usize::try_from(bytes) else { return Ok(None) };
    let Some(footer) = store.read_stored(id, length.saturating_sub(bytes), count)? else { return Ok(None) };
    let frames = read_footer(&footer).ok();
    Ok(frames.map(|frames| frames.into_iter().map(|(frame, _)| frame).collect()))
}

/// The segment's header; `None` if it cannot be read, or names another segment.
pub(crate) fn header_of(store: &dyn SegmentStore, id: SegmentId) -> Result<Option<SegmentHeader>> {
    // A segment of version 1 may be shorter than a header of version 2.
    for length in [SEGMENT_HEADER_BYTES, SEGMENT_HEADER_BYTES_V1] {
        if let Some(start) = store.read_stored(id, 0, length as usize)? {
            let header = read_segment_header(&start).ok();
            return Ok(header.filter(|header| header.segment == id));
        }
    }
    Ok(None)
}

/// Where the first frame of a segment begins.
fn first_frame(store: &dyn SegmentStore, id: SegmentId) -> Result<u64> {
    if let Some(header) = header_of(store, id)? {
        return Ok(header.bytes());
    }
    // The header is damaged. The first frame follows a header of one version or the other. Segments of version 1 have only frames of
    // version 1.
    let start = store.read_stored(id, SEGMENT_HEADER_BYTES_V1, FRAME_HEADER_BYTES_MIN)?;
    let is_first_version = start.is_some_and(|start| read_header(&start).is_ok());
    Ok(if is_first_version { SEGMENT_HEADER_BYTES_V1 } else { SEGMENT_HEADER_BYTES })
}

fn walk(store: &dyn SegmentStore, id: SegmentId, length: u64) -> Result<Vec<FrameAt>> {
    let mut frames = Vec::new();
    let mut at = first_frame(store, id)?;
    while at.saturating_add(FRAME_HEADER_BYTES_MIN as u64) <= length {
        let rest = usize::try_from(length.saturating_sub(at)).unwrap_or(usize::MAX);
        let header = store.read_stored(id, at, rest.min(FRAME_HEADER_BYTES_MAX))?;
        let header = header.and_then(|header| read_header(&header).ok());
        let Some(header) = header.filter(|header| header.content_bytes as usize <= CHUNK_BYTES_MAX) else {
            at = at.saturating_add(1).next_multiple_of(BLOCK_BYTES);
            continue;
        };
        let bytes_stored = header.bytes_stored();
        frames.push(FrameAt { id: header.id, offset: at, bytes_stored });
        at = at.saturating_add(u64::from(bytes_stored));
    }
    Ok(frames)
}
