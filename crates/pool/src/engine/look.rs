//! Reads what a volume or a snapshot shows, and the records of chunks.

use std::sync::Arc;

use crate::engine::Engine;
use crate::format::keys::{self, ChunkId, Item};
use crate::format::records::{ChunkRecord, Record};
use crate::parts::view::View;
use crate::{Result, VolumeId};

impl Engine {
    /// Calls `look` with the view of a volume or snapshot, and calls it again if anything but a write has changed the view
    /// meanwhile. Returns [`crate::Error::Stale`] if the volume is gone, so that records that are being freed are never
    /// mistaken for missing ones.
    pub(crate) fn look<T>(&self, volume: VolumeId, mut look: impl FnMut(&View) -> Result<T>) -> Result<T> {
        loop {
            let view = self.volumes.view(volume)?;
            let seen = look(&view);
            if Arc::ptr_eq(&view, &self.volumes.view(volume)?) {
                return seen;
            }
        }
    }

    /// The record of an item, as the volume or snapshot shows it.
    pub(crate) fn item<R: Record>(&self, volume: VolumeId, item: &Item) -> Result<Option<R>> {
        let found = self.look(volume, |view| view.get(&*self.stores.meta, item))?;
        found.map(|(key, value)| R::decode(&key, &value)).transpose()
    }

    /// Says that the records of these chunks are about to be looked up, or found to be absent.
    pub(crate) fn warm_chunks(&self, ids: impl Iterator<Item = ChunkId>) -> Result<()> {
        let unknown = ids.filter(|id| self.caches.fingerprints.get(*id).is_none());
        self.stores.meta.warm(&mut unknown.map(keys::chunk))
    }

    /// The chunk's record; `None` if the pool does not have the chunk.
    pub(crate) fn chunk_record(&self, id: ChunkId) -> Result<Option<ChunkRecord>> {
        match self.caches.fingerprints.get(id) {
            Some(record) => Ok(Some(record)),
            None => self.chunk_record_stored(id),
        }
    }

    /// Like [`Engine::chunk_record`], but always from the metadata store, which shows a change a moment earlier.
    pub(crate) fn chunk_record_stored(&self, id: ChunkId) -> Result<Option<ChunkRecord>> {
        let key = keys::chunk(id);
        self.stores.meta.get(&key)?.map(|value| ChunkRecord::decode(&key, &value)).transpose()
    }
}
