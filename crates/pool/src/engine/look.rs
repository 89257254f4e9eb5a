//! Looking at what a volume or a snapshot shows, and at the records of chunks.

use std::sync::Arc;

use crate::engine::Engine;
use crate::format::keys::{self, ChunkId, Item};
use crate::format::records::{ChunkRecord, Record};
use crate::parts::view::View;
use crate::{Result, VolumeId};

impl Engine {
    /// Looks at a volume or snapshot; again if what it shows was changed meanwhile by anything but a write.
    /// [`crate::Error::Stale`] if it is gone, so that nothing is ever taken for missing that is only being freed.
    pub(crate) fn look<T>(&self, volume: VolumeId, mut look: impl FnMut(&View) -> Result<T>) -> Result<T> {
        loop {
            let view = self.volumes.view(volume)?;
            let seen = look(&view);
            if Arc::ptr_eq(&view, &self.volumes.view(volume)?) {
                return seen;
            }
        }
    }

    /// What an item is in a volume or a snapshot.
    pub(crate) fn item<R: Record>(&self, volume: VolumeId, item: &Item) -> Result<Option<R>> {
        let found = self.look(volume, |view| view.get(&*self.stores.meta, item))?;
        found.map(|(key, value)| R::decode(&key, &value)).transpose()
    }

    /// The chunk's record; `None` if the pool does not have the chunk.
    pub(crate) fn chunk_record(&self, id: ChunkId) -> Result<Option<ChunkRecord>> {
        match self.caches.fingerprints.get(id) {
            Some(record) => Ok(Some(record)),
            None => self.chunk_record_stored(id),
        }
    }

    /// Like [`Engine::chunk_record`], but from the metadata store, where a change is seen a moment earlier.
    pub(crate) fn chunk_record_stored(&self, id: ChunkId) -> Result<Option<ChunkRecord>> {
        let key = keys::chunk(id);
        self.stores.meta.get(&key)?.map(|value| ChunkRecord::decode(&key, &value)).transpose()
    }
}
