//! Reads a frame from every copy, and rewrites it where it is damaged.

use bytes::Bytes;

use crate::Result;
use crate::base::sync;
use crate::engine::Engine;
use crate::format::codec::Decoded;
use crate::format::frames::{CHUNK_BYTES_MAX, FRAME_HEADER_BYTES_MAX, whole_content};
use crate::format::keys::ChunkId;
use crate::format::records::ChunkRecord;

/// What [`Repaired::wrong`] says of a frame whose content does not match its chunk's id.
const DAMAGED: &str = "damaged";

/// The outcome of reading a frame in every copy.
pub(crate) struct Repaired {
    pub(crate) content: Option<Bytes>,
    /// The number of copies that were rewritten.
    pub(crate) copies: u64,
    /// What is wrong if no copy is intact: "damaged", or why the frame cannot be read.
    pub(crate) wrong: String,
}

impl Repaired {
    fn nothing(wrong: String) -> Repaired {
        Repaired { content: None, copies: 0, wrong }
    }
}

impl Engine {
    /// Unpacks a frame and counts whether it is intact. Returns `None` if it is damaged, or if there is no such frame. The
    /// latter is no damage: the cleaner may have moved it. Without `count_damage`, the caller counts the damage itself.
    pub(crate) fn verified<T>(
        &self,
        frame: &Result<Option<Bytes>>,
        count_damage: bool,
        unpack: impl FnOnce(&Bytes) -> Decoded<T>,
    ) -> Option<T> {
        let (count, whole) = match frame {
            Ok(None) => return None,
            Err(_) => (&self.meters.frames_unreadable, None),
            Ok(Some(frame)) => match unpack(frame) {
                Ok(whole) => (&self.meters.frames_verified, Some(whole)),
                Err(_) => (&self.meters.frames_damaged, None),
            },
        };
        if count_damage || whole.is_some() {
            count.add(1);
        }
        whole
    }

    /// The chunk's bytes from a copy other than the first, and repairs the first. Returns `None` if no copy is intact.
    pub(crate) fn read_other_copy(&self, id: ChunkId, record: &ChunkRecord) -> Result<Option<Bytes>> {
        // The segment was deleted after the cleaner moved its frames. Nothing is damaged.
        if !self.segments.knows(record.segment) {
            return Ok(None);
        }
        let repaired = self.repair_frame(id, record)?;
        self.count_repair(&repaired);
        Ok(repaired.content)
    }

    /// Reads a frame in every copy. If one copy is intact, rewrites the frame in the others that are not. Blocks on the
    /// disk.
    pub(crate) fn repair_frame(&self, id: ChunkId, record: &ChunkRecord) -> Result<Repaired> {
        let length = record.bytes_stored as usize;
        if length > CHUNK_BYTES_MAX + FRAME_HEADER_BYTES_MAX {
            return Ok(Repaired::nothing(DAMAGED.into()));
        }
        let (mut whole, mut wrong, mut why) = (None, Vec::new(), DAMAGED.to_owned());
        for copy in 0..self.stores.segments.copies() {
            // A read that fails counts as damage: the other copy is tried.
            let frame = self.stores.segments.read_copy(copy, record.segment, record.offset, length);
            let content = self.verified(&frame, true, |frame| whole_content(frame, id, &self.identity.names));
            let frame = frame.unwrap_or_else(|error| {
                why = format!("cannot be read: {error}");
                None
            });
            match content.zip(frame) {
                Some(found) => whole = whole.or(Some(found)),
                None => wrong.push(copy),
            }
        }
        let Some((content, frame)) = whole else { return Ok(Repaired::nothing(why)) };
        let mut copies = 0;
        for copy in wrong.into_iter().filter(|copy| *copy == 0 || !self.stores.segments.is_degraded()) {
            match self.stores.segments.restore(copy, record.segment, record.offset, &frame) {
                Ok(()) => {
                    copies += 1;
                    self.meters.frames_repaired.add(1);
                    tracing::warn!(place = record.place(), copy, "damaged frame rewritten from another copy");
                }
                Err(error) => {
                    tracing::error!(place = record.place(), copy, %error, "a damaged frame could not be rewritten");
                }
            }
        }
        Ok(Repaired { content: Some(content), copies, wrong: String::new() })
    }

    /// Counts a frame that was repaired because a reader needed it.
    fn count_repair(&self, repaired: &Repaired) {
        sync::lock(&self.upkeep.scrub.state).repaired_by_readers += repaired.copies;
    }
}
