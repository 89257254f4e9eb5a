//! Orphans: inodes without a name. An orphan lives while it has holds, and is freed afterwards.
//!
//! The batch that removes the last name also writes the orphan's record, and the batch that deletes the last part of the
//! inode deletes that record. A crash in between changes nothing: the next opening finds the orphan. Freeing takes bounded
//! batches. After the first one the file is incomplete, so that batch marks it as *freeing*, and nobody can hold it again,
//! even after a crash.
//!
//! After an opening, no orphan is freed before [`Engine::reap_orphans`] is called: a client that held an orphan before the
//! restart may reclaim it. Inodes that were already being freed continue at once, and so does the purge (see
//! [`crate::volumes::purge`]), which the reaper does, too. Orphans belong to a volume. Orphans that a snapshot shows are
//! never freed, and a clone starts with orphans that no client holds.

use std::ops::ControlFlow;
use std::sync::Arc;

use tokio::sync::OwnedMutexGuard;

use crate::engine::Engine;
use crate::engine::txn::Txn;
use crate::format::keys::{self, InodeKey, Item};
use crate::format::records::{Content, OrphanRecord, Record, malformed};
use crate::parts::inode::Inode;
use crate::parts::view::BATCH_ITEMS;
use crate::{Error, Handle, Result, VolumeId};

/// The number of extents, and of extended attributes, that one batch frees at most.
const BATCH_EXTENTS_MAX: usize = 1024;

/// An inode that is being freed, and the progress so far.
struct Freeing {
    inode: Arc<Inode>,
    /// Extents before this offset have been freed.
    from: u64,
    /// The mark is in the metadata store.
    marked: bool,
    /// The number of rollbacks that the inode has seen. Another rollback may bring the inode back.
    rollbacks: u64,
    _order: OwnedMutexGuard<()>,
}

impl Engine {
    /// Keeps an inode until [`Engine::release`], even without a name.
    pub(crate) fn hold(&self, handle: Handle) -> Result<()> {
        let inode = self.inode(handle)?;
        let mut state = inode.live()?;
        state.holds = state.holds.checked_add(1).ok_or_else(|| Error::invalid_arguments("too many holds"))?;
        Ok(())
    }

    /// Ends one hold. Ending an orphan's last hold queues it for freeing.
    pub(crate) fn release(&self, handle: Handle) {
        // A held inode is always in memory.
        let Some(inode) = self.inodes.peek(handle.into()) else { return };
        if inode.handle != handle {
            return;
        }
        {
            let mut state = inode.state();
            state.holds = state.holds.saturating_sub(1);
        }
        if self.volumes.is_writable(handle.volume) {
            self.consider_orphan(&inode);
        }
    }

    /// Queues the inode if it can be freed. An inode of a bucket is never reclaimed after a restart, so it does not wait for
    /// [`Engine::reap_orphans`].
    pub(crate) fn consider_orphan(&self, inode: &Arc<Inode>) {
        self.orphans.consider(inode, self.volumes.is_bucket(inode.handle.volume));
    }

    /// Allows the reaper to free orphans that no client holds, including those from before this opening.
    pub(crate) async fn reap_orphans(self: &Arc<Self>) -> Result<()> {
        self.orphans.begin_reaping();
        self.transact(|txn| txn.engine.queue_all_orphans()).await
    }

    /// Queues the inodes that were being freed when the pool was last open.
    pub(crate) fn resume_freeing(&self) -> Result<()> {
        self.queue_all_orphans()?;
        self.orphans.wake();
        Ok(())
    }

    fn queue_all_orphans(&self) -> Result<()> {
        self.volumes.list_with_buckets().iter().try_for_each(|volume| self.queue_orphans(volume.id))
    }

    /// Queues the volume's orphans that must be freed: those that were being freed already and, once the reaper frees
    /// orphans, those that nobody holds. Must run in the committer, or before the pool is in use: a rollback in the middle
    /// could bring back an inode that is then freed.
    fn queue_orphans(&self, volume: VolumeId) -> Result<()> {
        let found = self.look(volume, |view| {
            let mut found = Vec::new();
            view.scan(&*self.stores.meta, &keys::orphans, BATCH_ITEMS, &mut |key, value| {
                let key_of = keys::inode_in(key).ok_or_else(|| malformed(OrphanRecord::NAME, key))?;
                found.push((InodeKey { volume, ..key_of }, OrphanRecord::decode(key, value)?.freeing));
                Ok(ControlFlow::Continue(()))
            })?;
            Ok(found)
        })?;
        for (key, freeing) in found {
            if !freeing && !self.orphans.is_reaping() && !self.volumes.is_bucket(volume) {
                continue;
            }
            let Some(inode) = self.inode_by_key(key)? else { continue };
            if !freeing {
                self.consider_orphan(&inode);
                continue;
            }
            let mut state = inode.state();
            let known = state.freed || state.queued;
            state.freed = true;
            state.queued |= !known;
            drop(state);
            if !known {
                self.orphans.push(inode);
            }
        }
        Ok(())
    }

    /// Like [`Engine::queue_orphans`], for use right after a batch that changes which orphans the volume has.
    pub(crate) fn queue_new_orphans(&self, volume: VolumeId) {
        if let Err(error) = self.queue_orphans(volume) {
            tracing::warn!(volume = volume.0, %error, "deleted files will be freed only after the next opening");
        }
    }

    /// Waits until everything that can be freed now has been freed.
    pub(crate) async fn settle(&self) -> Result<()> {
        self.orphans.wake();
        let target = self.orphans.rounds_asked();
        loop {
            let idle = self.orphans.round_done();
            tokio::pin!(idle);
            idle.as_mut().enable();
            self.stopped.check()?;
            if self.is_closing() {
                return Err(Error::Closed);
            }
            if self.orphans.are_rounds_done(target) {
                return Ok(());
            }
            idle.await;
        }
    }

    /// Frees inodes from the queue, including their data. If that fails, they return to the queue.
    pub(crate) async fn free_orphans(self: &Arc<Self>, inodes: &[Arc<Inode>]) -> Result<()> {
        self.free(inodes).await.inspect_err(|_| self.orphans.requeue(inodes))
    }

    async fn free(self: &Arc<Self>, inodes: &[Arc<Inode>]) -> Result<()> {
        let mut freeing = Vec::with_capacity(inodes.len());
        for inode in inodes {
            // Its volume was deleted and can be recovered. Then its orphans are queued again.
            if self.volumes.is_shelved(inode.handle.volume) {
                inode.state().queued = false;
                continue;
            }
            let Some(rollbacks) = begin(self, inode) else { continue };
            let _order = inode.order.clone().lock_owned().await;
            // A rollback may have brought the inode back. Its dirty data was then written afterwards.
            if inode.state().rollbacks != rollbacks {
                continue;
            }
            // Drop the data that a flush in progress has made dirty again.
            self.discard(inode);
            freeing.push(Freeing { inode: inode.clone(), from: 0, marked: false, rollbacks, _order });
        }
        while !freeing.is_empty() {
            self.require_open()?;
            freeing = self.transact(move |txn| free_some(txn, freeing)).await?;
        }
        Ok(())
    }
}

/// Makes the inode's handle stale from now on. Returns how many rollbacks the inode has seen, or `None` if it must no longer
/// be freed.
fn begin(engine: &Engine, inode: &Arc<Inode>) -> Option<u64> {
    let mut state = inode.state();
    state.queued = false;
    let wanted = state.freed || (state.holds == 0 && state.record.nlink == 0);
    if state.gone || !wanted {
        return None;
    }
    state.freed = true;
    let rollbacks = state.rollbacks;
    drop(state);
    engine.discard(inode);
    Some(rollbacks)
}

/// Stages one batch of freeing. Returns the remaining work.
fn free_some(txn: &mut Txn<'_>, freeing: Vec<Freeing>) -> Result<Vec<Freeing>> {
    let mut budget = BATCH_EXTENTS_MAX;
    let mut left = Vec::new();
    for mut one in freeing {
        let state = one.inode.state();
        let over = state.gone || state.rollbacks != one.rollbacks;
        drop(state);
        if over {
            continue;
        }
        if txn.engine.volumes.is_shelved(one.inode.handle.volume) {
            one.inode.state().freed = false;
            continue;
        }
        let (mut freed, mut more) =
            if budget == 0 { (0, true) } else { free_extents(txn, &mut one, budget)? };
        budget = budget.saturating_sub(freed);
        if !more {
            let xattrs = txn.free_xattrs(&one.inode, budget.max(1))?;
            (freed, more) = (freed + xattrs.0, xattrs.1);
            budget = budget.saturating_sub(xattrs.0);
        }
        if more {
            if freed > 0 && !one.marked {
                let item = Item::orphan(one.inode.handle.inode);
                txn.put_item(one.inode.handle.volume, &item, &OrphanRecord { freeing: true })?;
                one.marked = true;
            }
            left.push(one);
        } else {
            end(txn, &one)?;
        }
    }
    Ok(left)
}

/// Removes an inode that has no extents and no extended attributes left.
fn end(txn: &mut Txn<'_>, one: &Freeing) -> Result<()> {
    let (volume, item) = (one.inode.handle.volume, Item::orphan(one.inode.handle.inode));
    if txn.item::<OrphanRecord>(volume, &item)?.is_some() {
        txn.remove_item(volume, &item)?;
        let usage = txn.usage(volume)?;
        usage.orphans = usage.orphans.saturating_sub(1);
    }
    txn.delete_inode(&one.inode)
}

/// Stages the removal of up to `budget` extents. Returns how many were removed, and whether there are more.
fn free_extents(txn: &mut Txn<'_>, one: &mut Freeing, budget: usize) -> Result<(usize, bool)> {
    let key = one.inode.key();
    // It has no extents. Where the metadata is in a database, looking for them would cost a round trip.
    if one.from == 0 && one.inode.state().record.space_used == 0 {
        return Ok((0, false));
    }
    let mut extents = txn.engine.extents_from(key, one.from, budget.saturating_add(1))?;
    let more = extents.len() > budget;
    extents.truncate(budget);
    txn.engine.warm_chunks(extents.iter().filter_map(|(_, extent)| match extent.content {
        Content::Chunk { id, .. } => Some(id),
        Content::Inline(_) => None,
    }))?;
    for (offset, extent) in &extents {
        one.from = offset + u64::from(extent.length);
        txn.free_extent(key, *offset, extent)?;
    }
    Ok((extents.len(), more))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use crate::format::keys;
    use crate::testing::{Watched, watched_pool};
    use crate::{Kind, NewInode, Pool, PoolOptions, Stability, VolumeSpec};

    /// Creates a file, writes to it if there is something to write, and frees it. Returns how often extents were looked for to write and
    /// to free.
    async fn looks_to_write_and_free(pool: &Pool, meta: &Watched, content: &'static [u8]) -> (usize, usize) {
        let root = pool.volume("v").unwrap().root;
        let made = pool.create(root, b"file", NewInode::new(Kind::File, 0o600)).await.unwrap();
        let file = made.attributes.handle;
        meta.forget_questions();
        if !content.is_empty() {
            pool.write(file, 0, Bytes::from_static(content), Stability::FileSync).await.unwrap();
        }
        let to_write = meta.asked(keys::EXTENT).alone;
        pool.remove(root, b"file").await.unwrap();
        pool.settle().await.unwrap();
        (to_write, meta.asked(keys::EXTENT).alone)
    }

    #[tokio::test]
    async fn extents_are_not_looked_for_in_files_without_any() {
        let (meta, pool) = watched_pool(PoolOptions { log_bytes_max: 0, ..PoolOptions::default() });
        pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap();
        pool.reap_orphans().await.unwrap();
        assert_eq!(looks_to_write_and_free(&pool, &meta, b"").await, (0, 0));
        let (to_write, to_free) = looks_to_write_and_free(&pool, &meta, b"content").await;
        assert_eq!(to_write, 0);
        assert!(to_free > 0, "this one has an extent");
        assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
        pool.close().await.unwrap();
    }
}
