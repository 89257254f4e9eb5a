//! Reading chunks: from the cache, or from their segment with every byte verified.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use bytes::Bytes;

use crate::engine::Engine;
use crate::keys::{self, ChunkId};
use crate::records::{ChunkRecord, Record};
use crate::segment::{CHUNK_BYTES_MAX, FRAME_HEADER_BYTES, Packed, frame_content, frame_repack};
use crate::{Error, Handle, Result, sync};

/// Times that a chunk is looked up again because it was moved while it was being read.
const TRIES_MAX: usize = 8;

/// The most recently used verified chunks.
pub(crate) struct ChunkCache {
    bytes_max: u64,
    inner: Mutex<CacheInner>,
}

#[derive(Default)]
struct CacheInner {
    chunks: HashMap<ChunkId, (Bytes, u64)>,
    /// Which chunk was used at which tick.
    used: BTreeMap<u64, ChunkId>,
    tick: u64,
    bytes: u64,
}

impl ChunkCache {
    pub(crate) fn new(bytes_max: u64) -> Self {
        ChunkCache { bytes_max, inner: Mutex::default() }
    }

    pub(crate) fn get(&self, id: ChunkId) -> Option<Bytes> {
        let mut inner = sync::lock(&self.inner);
        inner.tick += 1;
        let tick = inner.tick;
        let (content, used) = inner.chunks.get_mut(&id)?;
        let content = content.clone();
        let before = std::mem::replace(used, tick);
        inner.used.remove(&before);
        inner.used.insert(tick, id);
        Some(content)
    }

    pub(crate) fn insert(&self, id: ChunkId, content: Bytes) {
        let mut inner = sync::lock(&self.inner);
        inner.tick += 1;
        let tick = inner.tick;
        inner.bytes += content.len() as u64;
        if let Some((old, used)) = inner.chunks.insert(id, (content, tick)) {
            inner.bytes -= old.len() as u64;
            inner.used.remove(&used);
        }
        inner.used.insert(tick, id);
        while inner.bytes > self.bytes_max {
            let Some((_, oldest)) = inner.used.pop_first() else { break };
            if let Some((content, _)) = inner.chunks.remove(&oldest) {
                inner.bytes -= content.len() as u64;
            }
        }
    }
}

impl Engine {
    /// The chunk's record; `None` if the pool does not have the chunk.
    pub(crate) fn chunk_record(&self, id: ChunkId) -> Result<Option<ChunkRecord>> {
        match self.fingerprints.get(id) {
            Some(record) => Ok(Some(record)),
            None => self.chunk_record_stored(id),
        }
    }

    /// As [`Engine::chunk_record`], but from the metadata store, where a change is seen a moment earlier.
    fn chunk_record_stored(&self, id: ChunkId) -> Result<Option<ChunkRecord>> {
        let key = keys::chunk(id);
        self.meta.get(&key)?.map(|value| ChunkRecord::decode(&key, &value)).transpose()
    }

    /// The chunk's bytes, verified. Blocks on the disk unless they are in the cache. `None` if the pool does not
    /// have the chunk (any more). `reader` is named in the log if the chunk is damaged.
    pub(crate) fn chunk_content(&self, id: ChunkId, reader: Handle) -> Result<Option<Bytes>> {
        if let Some(content) = self.chunk_cache.get(id) {
            return Ok(Some(content));
        }
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
                self.chunk_cache.insert(id, content.clone());
                return Ok(Some(content));
            }
            // The cleaner may have moved it just now.
            tried = Some(record);
        }
        Err(damaged(id, tried, reader))
    }

    /// The chunk's bytes from where `record` says they are; `None` if they are not there, or not whole.
    pub(crate) fn read_frame(&self, id: ChunkId, record: &ChunkRecord) -> Result<Option<Bytes>> {
        let frame = self.read_stored(record)?;
        Ok(frame.and_then(|frame| frame_content(&frame, id).ok()))
    }

    /// The chunk's frame from where `record` says it is, verified, to be appended elsewhere; `None` as for
    /// [`Engine::read_frame`].
    pub(crate) fn read_packed(&self, id: ChunkId, record: &ChunkRecord) -> Result<Option<Packed>> {
        let frame = self.read_stored(record)?;
        Ok(frame.and_then(|frame| frame_repack(&frame, id).ok()))
    }

    fn read_stored(&self, record: &ChunkRecord) -> Result<Option<Bytes>> {
        let length = usize::try_from(record.bytes_stored).unwrap_or(usize::MAX);
        if length > CHUNK_BYTES_MAX + FRAME_HEADER_BYTES {
            return Ok(None);
        }
        self.store.read(record.segment, record.offset, length)
    }
}

fn damaged(id: ChunkId, record: Option<ChunkRecord>, reader: Handle) -> Error {
    let place = record.map_or("nowhere".into(), |record| {
        format!("segment {} offset {} bytes {}", record.segment, record.offset, record.bytes_stored)
    });
    tracing::error!(
        volume = reader.volume.0,
        inode = reader.inode.0,
        generation = reader.generation,
        chunk = %id,
        place,
        "damaged data: restore the file from a replica or a backup, and check the disk"
    );
    Error::Damaged(format!(
        "inode {} of volume {}: chunk {id} at {place} does not match its checksum; restore the file from a replica or a backup, and check the disk",
        reader.inode.0, reader.volume.0
    ))
}
