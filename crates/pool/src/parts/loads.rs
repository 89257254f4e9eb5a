//! Chunks that are being read from the disk. If several readers want a chunk at once, the first reads it and the others
//! wait.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex};

use crate::base::sync;
use crate::format::keys::ChunkId;

/// The chunks that are being read from the disk.
#[derive(Default)]
pub(crate) struct Loads {
    under_way: Mutex<HashMap<ChunkId, Arc<Load>>>,
}

/// A chunk that is being read.
#[derive(Default)]
pub(crate) struct Load {
    done: Mutex<bool>,
    ended: Condvar,
}

/// The right to read a chunk. While it lives, other readers of the chunk wait.
pub(crate) struct Claim<'a> {
    loads: &'a Loads,
    pub(crate) id: ChunkId,
    load: Arc<Load>,
}

impl Loads {
    /// Returns the right to read a chunk, or the load that is already in progress.
    pub(crate) fn claim(&self, id: ChunkId) -> std::result::Result<Claim<'_>, Arc<Load>> {
        let mut under_way = sync::lock(&self.under_way);
        if let Some(load) = under_way.get(&id) {
            return Err(load.clone());
        }
        let load = Arc::<Load>::default();
        under_way.insert(id, load.clone());
        Ok(Claim { loads: self, id, load })
    }
}

impl Load {
    /// Blocks until the chunk has been read or the read has failed.
    pub(crate) fn wait(&self) {
        sync::wait_until(&self.done, &self.ended, |done| *done);
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        sync::lock(&self.loads.under_way).remove(&self.id);
        *sync::lock(&self.load.done) = true;
        self.load.ended.notify_all();
    }
}
