//! The inodes in memory.
//!
//! Code that changes an inode gets it from here and keeps its `Arc` during the change. An entry leaves only when the
//! cache has the only `Arc`. So if an inode is not here, its record in the metadata store is complete.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::Inode;
use crate::base::sync;
use crate::format::keys::InodeKey;
use crate::{Result, VolumeId};

const SHARDS: usize = 32;

#[derive(Default)]
struct Shard {
    inodes: HashMap<InodeKey, (Arc<Inode>, u64)>,
    /// The number of inodes at which to try to evict. It is above the limit if most inodes cannot be dropped, so that
    /// attempts stay rare.
    evict_at: usize,
}

/// See the module.
pub(crate) struct InodeCache {
    shards: Vec<Mutex<Shard>>,
    shard_inodes_max: usize,
    /// Advances with each use. An entry's own value says when it was last used.
    tick: AtomicU64,
}

impl InodeCache {
    pub(crate) fn new(inodes_max: usize) -> Self {
        InodeCache {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            shard_inodes_max: (inodes_max / SHARDS).max(8),
            tick: AtomicU64::new(0),
        }
    }

    fn shard(&self, key: InodeKey) -> &Mutex<Shard> {
        let at = (key.inode.0 as usize).wrapping_add(key.volume.0 as usize) % SHARDS;
        &self.shards[at]
    }

    /// The inode if it is in memory.
    pub(crate) fn peek(&self, key: InodeKey) -> Option<Arc<Inode>> {
        sync::lock(self.shard(key)).inodes.get(&key).map(|(inode, _)| inode.clone())
    }

    /// Returns the inode. If it is not in memory, `load` reads it with the shard locked, so that only one copy is
    /// loaded.
    pub(crate) fn get(
        &self,
        key: InodeKey,
        load: impl FnOnce() -> Result<Option<Inode>>,
    ) -> Result<Option<Arc<Inode>>> {
        let tick = self.tick.fetch_add(1, Ordering::Relaxed);
        let mut shard = sync::lock(self.shard(key));
        if let Some((inode, used)) = shard.inodes.get_mut(&key) {
            *used = tick;
            return Ok(Some(inode.clone()));
        }
        let Some(inode) = load()? else { return Ok(None) };
        let inode = Arc::new(inode);
        shard.insert(key, inode.clone(), tick, self.shard_inodes_max);
        Ok(Some(inode))
    }

    /// The inodes of a volume that are in memory.
    pub(crate) fn of_volume(&self, volume: VolumeId) -> Vec<Arc<Inode>> {
        let mut found = Vec::new();
        for shard in &self.shards {
            let shard = sync::lock(shard);
            let inodes = shard.inodes.values().map(|(inode, _)| inode);
            found.extend(inodes.filter(|inode| inode.handle.volume == volume).cloned());
        }
        found
    }

    /// Drops an inode, so that it is loaded again. The caller must make sure that code which still has its `Arc` finds
    /// the inode gone.
    pub(crate) fn forget(&self, key: InodeKey) {
        sync::lock(self.shard(key)).inodes.remove(&key);
    }

    /// Adds an inode that was just created.
    pub(crate) fn insert(&self, inode: Arc<Inode>) {
        let tick = self.tick.fetch_add(1, Ordering::Relaxed);
        let key = inode.key();
        sync::lock(self.shard(key)).insert(key, inode, tick, self.shard_inodes_max);
    }
}

impl Shard {
    fn insert(&mut self, key: InodeKey, inode: Arc<Inode>, tick: u64, inodes_max: usize) {
        if self.inodes.len() >= self.evict_at.max(inodes_max) {
            self.evict();
            self.evict_at = self.inodes.len() * 2;
        }
        self.inodes.insert(key, (inode, tick));
    }

    /// Of the inodes that can be dropped, drops the half that was unused for longest.
    fn evict(&mut self) {
        let idle = |inode: &Arc<Inode>| Arc::strong_count(inode) == 1 && inode.state().is_clean();
        let mut ticks: Vec<u64> =
            self.inodes.values().filter(|(inode, _)| idle(inode)).map(|(_, used)| *used).collect();
        if ticks.is_empty() {
            return;
        }
        let at = ticks.len() / 2;
        let (_, median, _) = ticks.select_nth_unstable(at);
        let median = *median;
        self.inodes.retain(|_, (inode, used)| *used > median || !idle(inode));
    }
}
