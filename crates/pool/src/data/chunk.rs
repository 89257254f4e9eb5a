//! Reads chunks from the cache, or from their segment with every byte verified.
//!
//! A chunk that several readers want at once is read once ([`crate::parts::loads`]). Adjacent frames are read in one call.
//! Where the store keeps copies, a frame that is damaged in one copy is read from another and repaired
//! ([`crate::data::repair`]).

use bytes::Bytes;

use crate::engine::Engine;
use crate::format::codec::Decoded;
use crate::format::frames::{
    CHUNK_BYTES_MAX, FRAME_HEADER_BYTES_MAX, Packed, Packer, frame_content, frame_repack,
};
use crate::format::keys::ChunkId;
use crate::format::records::ChunkRecord;
use crate::parts::loads::Claim;
use crate::{Compression, Error, Handle, Result};

/// How often a chunk is looked up again because it was moved during the read.
const TRIES_MAX: usize = 8;
/// The number of bytes of adjacent frames that one thread reads in one call.
const RUN_BYTES_MAX: u64 = 512 << 10;
/// A gap between two frames of at most this many bytes is read instead of skipped.
const GAP_BYTES_MAX: u64 = 8 << 10;

/// Adjacent frames of a segment, in order.
pub(crate) type Run = Vec<(ChunkId, ChunkRecord)>;

impl Engine {
    /// The verified bytes of a chunk. Blocks on the disk unless the chunk is in the cache. Returns `None` if the pool does
    /// not have the chunk, or no longer has it. If the chunk is damaged, the log names `reader`.
    pub(crate) fn chunk_content(&self, id: ChunkId, reader: Handle) -> Result<Option<Bytes>> {
        loop {
            if let Some(content) = self.caches.chunks.get(id) {
                return Ok(Some(content));
            }
            match self.caches.loads.claim(id) {
                Ok(_claim) => return self.load_chunk(id, reader),
                Err(load) => load.wait(),
            }
        }
    }

    /// Like [`Engine::chunk_content`], but does not change the cache. Also returns `None` if the chunk is being moved, or is
    /// damaged.
    pub(crate) fn chunk_content_once(&self, id: ChunkId) -> Result<Option<Bytes>> {
        if let Some(content) = self.caches.chunks.get(id) {
            return Ok(Some(content));
        }
        let Some(record) = self.chunk_record(id)? else { return Ok(None) };
        self.read_frame(id, &record)
    }

    fn load_chunk(&self, id: ChunkId, reader: Handle) -> Result<Option<Bytes>> {
        let mut tried: Option<ChunkRecord> = None;
        for _ in 0..TRIES_MAX {
            let record = if tried.is_none() { self.chunk_record(id)? } else { self.chunk_record_stored(id)? };
            let Some(record) = record else { return Ok(None) };
            let same_place =
                |other: ChunkRecord| (other.segment, other.offset) == (record.segment, record.offset);
            if tried.is_some_and(same_place) {
                break;
            }
            if let Some(content) = self.read_frame(id, &record)? {
                self.caches.chunks.insert(id, content.clone());
                return Ok(Some(content));
            }
            // The cleaner may have moved it just now.
            tried = Some(record);
        }
        Err(damaged(tried, reader))
    }

    /// The chunk's bytes, read from the place that `record` names. Returns `None` if no copy holds them there intact.
    pub(crate) fn read_frame(&self, id: ChunkId, record: &ChunkRecord) -> Result<Option<Bytes>> {
        let Some(length) = frame_length(record) else { return Ok(None) };
        let unpack = |frame: &Bytes| frame_content(frame, id, &self.identity.names);
        let (content, frame) = self.read_verified(record, length, unpack);
        match content {
            Some(content) => Ok(Some(content)),
            None if self.stores.segments.copies() > 1 => self.read_other_copy(id, record),
            None => frame.map(|_| None),
        }
    }

    /// The chunk's verified frame, read from the place that `record` names, for appending it elsewhere. Returns `None` as
    /// [`Engine::read_frame`] does.
    pub(crate) fn read_packed(&self, id: ChunkId, record: &ChunkRecord) -> Result<Option<Packed>> {
        let Some(length) = frame_length(record) else { return Ok(None) };
        let unpack = |frame: &Bytes| frame_repack(frame, id, &self.identity.names);
        let (packed, frame) = self.read_verified(record, length, unpack);
        match packed {
            Some(packed) => Ok(Some(packed)),
            None if self.stores.segments.copies() > 1 => {
                let content = self.read_other_copy(id, record)?;
                let naming = |content: &Bytes| self.identity.names.naming_of(id, content);
                Ok(content.and_then(|content| {
                    Some(Packer::default().pack(naming(&content)?, id, &content, Compression::default()))
                }))
            }
            None => frame.map(|_| None),
        }
    }

    /// Reads a frame and unpacks it. Where reads may come from a cache, a frame that is damaged there is read past it. Also returns what was
    /// read.
    fn read_verified<T>(
        &self,
        record: &ChunkRecord,
        length: usize,
        unpack: impl Fn(&Bytes) -> Decoded<T>,
    ) -> (Option<T>, Result<Option<Bytes>>) {
        let segments = &self.stores.segments;
        let frame = segments.read(record.segment, record.offset, length);
        // After an error the store has asked for so long that once more is of no use.
        if segments.keeps_objects() && frame.is_ok() {
            let whole = frame.as_ref().ok().and_then(Option::as_ref).and_then(|frame| unpack(frame).ok());
            if let Some(whole) = whole {
                self.meters.frames_verified.add(1);
                return (Some(whole), frame);
            }
            let frame = segments.read_stored(record.segment, record.offset, length);
            if let Ok(None) = frame {
                self.segments.miss(record.segment);
            }
            let whole = self.verified(&frame, true, unpack);
            if whole.is_some() {
                segments.forget_cached(record.segment, record.offset, length);
            }
            return (whole, frame);
        }
        (self.verified(&frame, segments.copies() < 2, unpack), frame)
    }

    /// Groups chunks whose frames are adjacent, and leaves out those that are in the cache or gone. Blocks on the disk.
    pub(crate) fn runs_of(&self, ids: &[ChunkId]) -> Result<Vec<Run>> {
        self.warm_chunks(ids.iter().copied().filter(|id| !self.caches.chunks.has(*id)))?;
        let mut located: Vec<(ChunkId, ChunkRecord)> = Vec::with_capacity(ids.len());
        for id in ids {
            if !self.caches.chunks.has(*id)
                && let Some(record) = self.chunk_record(*id)?
                && frame_length(&record).is_some()
            {
                located.push((*id, record));
            }
        }
        located.sort_unstable_by_key(|(_, record)| (record.segment, record.offset));
        located.dedup_by_key(|(id, _)| *id);
        let mut runs: Vec<Run> = Vec::new();
        for one in located {
            match runs.last_mut() {
                Some(run) if continues(run, &one.1) => run.push(one),
                _ => runs.push(vec![one]),
            }
        }
        Ok(runs)
    }

    /// Reads the frames of a run into the cache, except those that are damaged or that another reader is loading. A reader
    /// that needs a chunk left out here reads it alone, and gets the error. Blocks on the disk.
    pub(crate) fn load_run(&self, run: &Run) {
        let claims: Vec<Claim<'_>> =
            run.iter().filter_map(|(id, _)| self.caches.loads.claim(*id).ok()).collect();
        let wanted = |id: ChunkId| claims.iter().any(|claim| claim.id == id) && !self.caches.chunks.has(id);
        let run: Vec<_> = run.iter().filter(|(id, _)| wanted(*id)).collect();
        let (Some((_, first)), Some((_, last))) = (run.first(), run.last()) else { return };
        let end = last.offset.saturating_add(u64::from(last.bytes_stored));
        let length = usize::try_from(end.saturating_sub(first.offset)).unwrap_or(usize::MAX);
        let Ok(Some(frames)) = self.stores.segments.read(first.segment, first.offset, length) else { return };
        for (id, record) in run {
            let at = usize::try_from(record.offset.saturating_sub(first.offset)).unwrap_or(usize::MAX);
            let end = at.saturating_add(record.bytes_stored as usize);
            if frames.get(at..end).is_some()
                && let Ok(content) = frame_content(&frames.slice(at..end), *id, &self.identity.names)
            {
                // A damaged frame is counted when it is read alone.
                self.meters.frames_verified.add(1);
                self.caches.chunks.insert(*id, content);
            }
        }
    }
}

/// The length of the frame, or `None` if it is longer than a frame can be.
fn frame_length(record: &ChunkRecord) -> Option<usize> {
    let length = usize::try_from(record.bytes_stored).ok()?;
    (length <= CHUNK_BYTES_MAX + FRAME_HEADER_BYTES_MAX).then_some(length)
}

fn continues(run: &Run, next: &ChunkRecord) -> bool {
    let (Some((_, first)), Some((_, last))) = (run.first(), run.last()) else { return false };
    let end = last.offset.saturating_add(u64::from(last.bytes_stored));
    last.segment == next.segment
        && next.offset >= end
        && next.offset - end <= GAP_BYTES_MAX
        && next.offset.saturating_add(u64::from(next.bytes_stored)).saturating_sub(first.offset)
            <= RUN_BYTES_MAX
}

fn damaged(record: Option<ChunkRecord>, reader: Handle) -> Error {
    let place = record.map_or_else(|| "nowhere".to_owned(), |record| record.place());
    tracing::error!(
        volume = reader.volume.0,
        inode = reader.inode.0,
        generation = reader.generation,
        place,
        "damaged data: restore the file from a replica or a backup, and check the disk"
    );
    Error::Damaged(format!(
        "inode {} of volume {}: the chunk at {place} does not match its checksum; restore the file from a replica or a backup, and check the disk",
        reader.inode.0, reader.volume.0
    ))
}
