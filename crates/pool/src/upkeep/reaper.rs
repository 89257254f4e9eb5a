//! The reaper: frees orphans that no client holds, deleted volumes, versions that no view shows any more, and segments
//! without live data.

use std::sync::Arc;

use crate::base::sync;
use crate::engine::Engine;
use crate::format::keys::SegmentId;
use crate::{Error, Result};

/// A backup loses the segments that it holds when less than one of so many parts of the disk is free.
const ROOM_PARTS: u64 = 50;
/// The maximum number of objects that are deleted at once.
const DELETED_MAX: usize = 1000;

/// The outcome of deleting segments.
#[derive(Default)]
pub(crate) struct Deleted {
    /// Those that are durably deleted from every copy. In an unreachable copy they are deleted when the copy is available again.
    gone: Vec<SegmentId>,
    /// The one that could not be deleted.
    failed: Option<SegmentId>,
}

impl Engine {
    /// Frees everything that can be freed now.
    pub(crate) async fn reaper_round(self: &Arc<Self>) {
        let asked = self.orphans.rounds_asked();
        if let Err(error) = self.reap_all().await
            && !self.is_closing()
        {
            tracing::warn!(%error, "freeing deleted files failed; the next deletion tries again");
        }
        self.orphans.end_rounds(asked);
    }

    /// Wakes all tasks that wait for the reaper, because the pool is closing.
    pub(crate) fn reaper_end(&self) {
        self.orphans.wake_waiters();
    }

    async fn reap_all(self: &Arc<Self>) -> Result<()> {
        loop {
            let inodes = self.orphans.take();
            if inodes.is_empty() {
                break;
            }
            self.free_orphans(&inodes).await?;
        }
        for volume in self.volumes.deleting() {
            self.free_volume(volume).await?;
        }
        for volume in self.volumes.purging() {
            match self.purge_volume(volume).await {
                // The volume was deleted meanwhile.
                Err(Error::Stale) => self.orphans.wake(),
                outcome => outcome?,
            }
        }
        self.delete_dead_segments().await?;
        self.clean().await?;
        self.delete_dead_segments().await?;
        let meta = self.stores.meta.clone();
        sync::blocking(move || meta.give_back()).await
    }

    /// Deletes segments without live data. The batches that freed their last chunks must be durable first.
    pub(crate) async fn delete_dead_segments(self: &Arc<Self>) -> Result<()> {
        self.let_go_if_full().await?;
        let given_up = self.upkeep.cleaner.undeleted.get();
        let mut dead = self
            .transact(move |txn| {
                let engine = txn.engine;
                let mut dead = engine.segments.dead_since(engine.long_dead());
                dead.retain(|id| {
                    engine.stores.writer.is_settled(*id)
                        && !engine.upkeep.held.holds(*id)
                        && !given_up.contains(id)
                });
                Ok(dead)
            })
            .await?;
        if dead.is_empty() {
            return Ok(());
        }
        // Of a bucket these are as many requests. The rest has its turn in the next round. What is deleted is known then, however this process ends.
        let are_more = self.stores.segments.keeps_objects() && dead.len() > DELETED_MAX;
        if are_more {
            dead.truncate(DELETED_MAX);
        }
        let engine = self.clone();
        // Delete the file before its record: opening treats a file without a record as one that the metadata never named.
        let Deleted { gone, failed } = sync::blocking(move || engine.delete_for_good(dead)).await?;
        if let Some(id) = failed {
            self.upkeep.cleaner.undeleted.add(id);
        }
        if are_more && !gone.is_empty() {
            self.orphans.wake();
        }
        self.transact(move |txn| {
            gone.into_iter().for_each(|id| txn.forget_segment(id));
            Ok(())
        })
        .await
    }

    /// Segments that have had no live data since this time, in seconds since 1970, were kept as long as the pool keeps such segments.
    fn long_dead(&self) -> u64 {
        let keep = self.options.keep_dead_segments.as_secs();
        if keep == 0 { u64::MAX } else { self.seconds_now().saturating_sub(keep) }
    }

    /// Takes segments from a backup that holds them, if the disk is nearly full. Clients come first.
    async fn let_go_if_full(self: &Arc<Self>) -> Result<()> {
        if !self.upkeep.held.is_any() {
            return Ok(());
        }
        let mut dead = self.segments.dead_since(u64::MAX);
        dead.retain(|id| self.upkeep.held.holds(*id));
        let dead = dead.len();
        if dead == 0 {
            return Ok(());
        }
        let engine = self.clone();
        let (total, free) = sync::blocking(move || engine.stores.room.bytes()).await?;
        if free < total / ROOM_PARTS {
            tracing::error!(
                dead,
                free,
                "the disk is nearly full: segments that a backup holds are deleted, and it fails"
            );
            self.upkeep.held.let_go();
        }
        Ok(())
    }

    /// Deletes segments, up to the first one of which that fails: the next ones would have to wait just as long.
    pub(crate) fn delete_for_good(&self, ids: Vec<SegmentId>) -> Result<Deleted> {
        let mut deleted = Deleted::default();
        for id in ids {
            // Of a bucket that may be many requests. Those that are left are deleted after the next start.
            if self.is_closing() {
                break;
            }
            match self.stores.segments.delete(id) {
                Ok(true) => deleted.gone.push(id),
                Ok(false) => {}
                Err(error) => {
                    if !self.is_closing() {
                        tracing::warn!(segment = %id, %error, "a segment cannot be deleted; the pool will try again");
                    }
                    deleted.failed = Some(id);
                    break;
                }
            }
        }
        if !deleted.gone.is_empty() && !self.stores.segments.sync_deletions()? {
            deleted.gone.clear();
        }
        Ok(deleted)
    }
}
