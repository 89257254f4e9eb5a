//! Making a file's unstable content durable.
//!
//! The order of the steps is what a crash must not break:
//! 1. The dirty pieces move to *flushing*: still seen by readers, over the extents, under newer dirty pieces.
//! 2. They are cut (see [`crate::plan`] and [`crate::block`]); chunks that the pool does not have are appended to the open segment.
//! 3. The segment is synced. A crash up to here leaves frames that no metadata names.
//! 4. One batch names the chunks, and carries extents, size and times. A crash before it is durable leaves the file as
//!    it was; after it, the file has all of the flush.
//! 5. When the batch is durable, callers are answered.
//!
//! The inode's `order` lock is held from 1 to 5, so nobody else changes its extents. The work runs in a task of its
//! own: a caller that goes away in the middle does not leave it half done.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::engine::Engine;
use crate::inode::{Inode, Pieces, State, Unstable};
use crate::keys::ChunkId;
use crate::plan::Plan;
use crate::records::ChunkRecord;
use crate::segment::Appended;
use crate::txn::Txn;
use crate::{Error, Result, sync};

/// Times that a flush is begun again because a chunk it wanted to share was freed meanwhile.
const TRIES_MAX: usize = 4;

/// What a flush makes durable.
struct Taken {
    pieces: Arc<Pieces>,
    unstable: Unstable,
    /// Bytes by which the pieces may make the volume grow, reserved there.
    growth: u64,
    /// Rollbacks that the inode has seen.
    rollbacks: u64,
}

impl Engine {
    /// Makes all that was written to the file so far durable.
    pub(crate) async fn flush(self: &Arc<Self>, inode: &Arc<Inode>) -> Result<()> {
        self.flush_if(inode, |state| state.is_written()).await
    }

    /// Makes everything that is in memory only durable, times of reading included. Nobody waits for this flush in
    /// particular: if the inode is freed meanwhile, there is nothing left to make durable.
    pub(crate) async fn flush_all(self: &Arc<Self>, inode: &Arc<Inode>) -> Result<()> {
        match self.flush_if(inode, |state| state.is_unstable()).await {
            Err(Error::Stale) => Ok(()),
            outcome => outcome,
        }
    }

    async fn flush_if(self: &Arc<Self>, inode: &Arc<Inode>, needed: fn(&State) -> bool) -> Result<()> {
        let (engine, inode) = (self.clone(), inode.clone());
        let task = tokio::spawn(async move {
            let _order = inode.order.clone().lock_owned().await;
            engine.flush_ordered(&inode, needed).await
        });
        task.await.map_err(|_| Error::Closed)?
    }

    /// By who holds the inode's `order` lock.
    async fn flush_ordered(self: &Arc<Self>, inode: &Arc<Inode>, needed: fn(&State) -> bool) -> Result<()> {
        self.stopped.check()?;
        let Some(taken) = take(inode, needed) else { return Ok(()) };
        let taken = Arc::new(taken);
        let mut outcome = self.flush_taken(inode, &taken, true).await;
        for _ in 1..TRIES_MAX {
            if !matches!(outcome, Ok(false)) {
                break;
            }
            outcome = self.flush_taken(inode, &taken, false).await;
        }
        self.dirty.set_refused(matches!(outcome, Err(Error::NoSpace)));
        let rolled_back = inode.state().rollbacks != taken.rollbacks;
        if rolled_back {
            // It was written before the rollback, so it is as if it had been durable by then.
            outcome = Ok(true);
        }
        if matches!(outcome, Ok(true)) {
            self.release_taken(inode, &taken);
        } else if !put_back(inode, &taken) {
            self.release_taken(inode, &taken);
        }
        self.dirty.settle(inode);
        outcome.and_then(
            |done| if done { Ok(()) } else { Err(Error::Meta("shared chunks keep vanishing".into())) },
        )
    }

    /// Gives back what the pieces took that a flush has taken, and that are not dirty any more.
    fn release_taken(&self, inode: &Inode, taken: &Taken) {
        self.dirty.release(taken.pieces.bytes());
        self.volumes.release(inode.handle.volume, taken.growth);
    }

    /// False if a chunk that was to be shared is gone. `share`: look for chunks that the pool has already.
    async fn flush_taken(
        self: &Arc<Self>,
        inode: &Arc<Inode>,
        taken: &Arc<Taken>,
        share: bool,
    ) -> Result<bool> {
        let (engine, file, work) = (self.clone(), inode.clone(), taken.clone());
        let plan = sync::blocking(move || engine.plan(&file, &work.pieces, share)).await?;
        let (file, taken) = (inode.clone(), taken.clone());
        let vanished = Arc::new(AtomicBool::new(false));
        let tell = vanished.clone();
        let outcome = self
            .transact(move |txn| {
                let complete = stage(txn, &file, &taken, &plan)?;
                tell.store(!complete, Ordering::SeqCst);
                plan.appended.into_iter().for_each(Appended::named);
                if complete { Ok(()) } else { Err(Error::Meta("a shared chunk was freed".into())) }
            })
            .await;
        if vanished.load(Ordering::SeqCst) { Ok(false) } else { outcome.map(|()| true) }
    }
}

/// Moves what is dirty to *flushing*; `None` if there is nothing.
fn take(inode: &Inode, needed: fn(&State) -> bool) -> Option<Taken> {
    let mut state = inode.state();
    if state.freed || !needed(&state) {
        return None;
    }
    let pieces = Arc::new(std::mem::take(&mut state.dirty));
    state.flushing = Some(pieces.clone());
    state.dirty_since = None;
    let growth = std::mem::take(&mut state.growth);
    Some(Taken { pieces, unstable: state.unstable.clone(), growth, rollbacks: state.rollbacks })
}

/// The flush failed: what it took is dirty again, under what was written meanwhile. False if the inode is gone, and
/// what was taken with it.
fn put_back(inode: &Inode, taken: &Taken) -> bool {
    let mut state = inode.state();
    if state.rollbacks != taken.rollbacks {
        return false;
    }
    state.flushing = None;
    if state.freed {
        return false;
    }
    state.growth += taken.growth;
    state.dirty.restore_under(&taken.pieces);
    state.dirty_since = Some(tokio::time::Instant::now());
    true
}

/// Stages the flush, unless a rollback came between. False if a chunk that was to be shared is gone.
fn stage(txn: &mut Txn<'_>, inode: &Arc<Inode>, taken: &Taken, plan: &Plan) -> Result<bool> {
    if inode.state().rollbacks != taken.rollbacks {
        return Ok(true);
    }
    let placed = plan.appended.iter().flat_map(|appended| &appended.placed);
    let placed: BTreeMap<ChunkId, ChunkRecord> = placed.map(|placed| (placed.id, placed.record)).collect();
    let mut record = txn.record(inode)?;
    for change in &plan.changes {
        if !txn.change_extents(inode, change, &placed, &mut record.space_used)? {
            return Ok(false);
        }
    }
    let unstable = &taken.unstable;
    record.size = record.size.max(unstable.size);
    record.change = record.change.max(unstable.change);
    record.mtime = unstable.mtime.unwrap_or(record.mtime);
    record.ctime = unstable.ctime.map_or(record.ctime, |ctime| ctime.max(record.ctime));
    record.atime = unstable.atime.unwrap_or(record.atime);
    txn.flushed(inode, record, unstable.clone());
    Ok(true)
}
