//! Verifies the headers of segments in every copy, and rewrites damaged ones.
//!
//! Readers do not need headers, because the metadata locates every chunk. Opening and salvage do: the header says which pool
//! the segment belongs to.

use std::collections::HashMap;

use crate::base::sync;
use crate::engine::Engine;
use crate::format::frames::{
    FRAME_HEADER_BYTES_MIN, SEGMENT_HEADER_BYTES, SEGMENT_HEADER_BYTES_V1, SegmentOrigin, read_header,
    read_segment_header, segment_header,
};
use crate::format::keys::{self, SegmentId};
use crate::format::records::{Record, StartRecord};
use crate::upkeep::cleaner::Located;
use crate::{PoolId, Result};

/// The header of a segment in one copy.
enum Header {
    Whole,
    Wrong(String),
    /// The copy does not have the segment.
    NoSegment,
}

impl Engine {
    /// The existing segments, and which copies have them.
    pub(crate) fn segments_there(&self) -> Result<HashMap<SegmentId, Vec<usize>>> {
        let mut there: HashMap<SegmentId, Vec<usize>> = HashMap::new();
        for copy in 0..self.stores.segments.copies() {
            for (id, _) in self.stores.segments.list_copy(copy)?.unwrap_or_default() {
                there.entry(id).or_default().push(copy);
            }
        }
        Ok(there)
    }

    /// The faults of a segment's headers, one sentence for each copy with a fault. `there` are the copies that have the
    /// segment.
    pub(crate) fn header_faults(&self, segment: SegmentId, there: &[usize]) -> Vec<String> {
        let faults = || -> Vec<String> {
            let faults = there.iter().filter_map(|copy| match self.header(segment, *copy) {
                Header::Wrong(wrong) => Some(fault(segment, *copy, &wrong)),
                Header::Whole | Header::NoSegment => None,
            });
            faults.collect()
        };
        if faults().is_empty() {
            return Vec::new();
        }
        // A segment that is being copied has no header for a moment.
        let _restoring = sync::lock(&self.upkeep.scrub.restoring);
        faults()
    }

    fn header(&self, segment: SegmentId, copy: usize) -> Header {
        // A segment of version 1 may be shorter than a header of version 2.
        for length in [SEGMENT_HEADER_BYTES, SEGMENT_HEADER_BYTES_V1] {
            match self.stores.segments.read_copy(copy, segment, 0, length as usize) {
                Ok(Some(start)) => return judge(segment, self.identity.id, &start),
                Ok(None) => {}
                Err(error) => return Header::Wrong(format!("cannot be read ({error})")),
            }
        }
        match self.stores.segments.read_copy(copy, segment, 0, 0) {
            Ok(Some(_)) => Header::Wrong("is missing".into()),
            _ => Header::NoSegment,
        }
    }

    /// Rewrites the damaged headers of a settled segment from a copy with an intact header, or from the metadata if there is
    /// none. `chunks` are the chunks in the segment.
    pub(crate) fn mend_headers(&self, segment: SegmentId, chunks: &[Located]) -> Result<()> {
        let copies = if self.stores.segments.is_degraded() { 1 } else { self.stores.segments.copies() };
        let (mut whole, mut wrong) = (None, Vec::new());
        for copy in 0..copies {
            match self.header(segment, copy) {
                Header::Whole => whole = whole.or(Some(copy)),
                Header::Wrong(what) => wrong.push((copy, what)),
                Header::NoSegment => {}
            }
        }
        if wrong.is_empty() {
            return Ok(());
        }
        let header = match whole {
            Some(copy) => self.header_bytes(segment, copy)?,
            None if self.is_of_first_version(segment, copies, chunks)? => None,
            None => Some(segment_header(segment, self.origin_known(segment)?)),
        };
        for (copy, what) in wrong {
            let Some(header) = &header else {
                self.upkeep.scrub.count_damage(fault(segment, copy, &what));
                continue;
            };
            match self.stores.segments.restore(copy, segment, 0, header) {
                Ok(()) => {
                    self.meters.frames_repaired.add(1);
                    self.upkeep.scrub.count_repaired(1);
                    tracing::warn!(%segment, copy, what, "a segment's header was rewritten");
                }
                Err(error) => {
                    tracing::error!(%segment, copy, %error, "a segment's header could not be rewritten");
                    self.upkeep.scrub.count_damage(fault(segment, copy, &what));
                }
            }
        }
        Ok(())
    }

    fn header_bytes(&self, segment: SegmentId, copy: usize) -> Result<Option<bytes::Bytes>> {
        let Some(start) =
            self.stores.segments.read_copy(copy, segment, 0, SEGMENT_HEADER_BYTES_V1 as usize)?
        else {
            return Ok(None);
        };
        if read_segment_header(&start).is_ok() {
            return Ok(Some(start));
        }
        self.stores.segments.read_copy(copy, segment, 0, SEGMENT_HEADER_BYTES as usize)
    }

    /// Whether a frame begins where a header of version 1 ends. A header of version 2 would overwrite that frame.
    fn is_of_first_version(&self, segment: SegmentId, copies: usize, chunks: &[Located]) -> Result<bool> {
        if chunks.iter().any(|(_, record)| record.offset < SEGMENT_HEADER_BYTES) {
            return Ok(true);
        }
        for copy in 0..copies {
            let start = self.stores.segments.read_copy(
                copy,
                segment,
                SEGMENT_HEADER_BYTES_V1,
                FRAME_HEADER_BYTES_MIN,
            );
            if matches!(start, Ok(Some(start)) if read_header(&start).is_ok()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The origin of a segment, as far as the metadata knows it. The time of its creation, and the batch up to which the
    /// metadata was durable then, are unknown and 0.
    fn origin_known(&self, segment: SegmentId) -> Result<SegmentOrigin> {
        let key = keys::start(segment.boot());
        let start = self.stores.meta.get(&key)?.map(|value| StartRecord::decode(&key, &value)).transpose()?;
        let mark = start.map_or(0, |start| start.mark);
        Ok(SegmentOrigin { pool: self.identity.id, mark, batch: 0, created: 0 })
    }
}

fn fault(segment: SegmentId, copy: usize, wrong: &str) -> String {
    format!(
        "segment {segment}: its header {wrong} in copy {}; the chunks in it are not affected",
        copy.saturating_add(1)
    )
}

fn judge(segment: SegmentId, pool: PoolId, start: &[u8]) -> Header {
    let Ok(header) = read_segment_header(start) else { return Header::Wrong("is damaged".into()) };
    if header.segment != segment {
        return Header::Wrong(format!("names segment {}", header.segment));
    }
    match header.origin {
        Some(origin) if origin.pool != pool => Header::Wrong(format!("names pool {}", origin.pool)),
        _ => Header::Whole,
    }
}
