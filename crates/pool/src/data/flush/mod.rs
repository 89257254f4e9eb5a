//! Makes a file's dirty data durable.
//!
//! A crash must be safe at any point of these steps:
//! 1. The dirty pieces move to *flushing*. Readers still see them, over the extents and under newer dirty pieces.
//! 2. They are cut (see [`crate::data::plan`] and [`crate::data::stretch`]). Chunks that the pool does not have are appended
//!    to the open segment, unless [`crate::data::early`] has done that already.
//! 3. The segment is synced. A crash up to here leaves frames that no metadata names.
//! 4. One batch names the chunks, and carries extents, size and times. A crash before the batch is durable leaves the file
//!    as it was. After that, the file has everything that was flushed.
//! 5. When the batch is durable, callers get their answers.
//!
//! A flush that no caller waits for may leave the tail of a stream dirty in memory, so that a stream seldom writes its tails
//! to the disk. It may do so only a few times in a row.
//!
//! A flush of very many pieces, such as small writes at random places leave, repeats steps 2 to 5 for one portion after the
//! other, in the order of the file (`flush/taken.rs`). Thus no batch delays the committer for long, the memory that a flush
//! takes is bounded, and writers that wait for room get it early. A crash in between leaves the first portions.
//!
//! The inode's `order` lock is held during steps 1 to 5, so nobody else changes its extents. If the caller is cancelled in
//! between, the work still finishes ([`Lasting`]).

mod taken;

use std::sync::{Arc, Mutex};

use tokio::sync::oneshot;
use tracing::Instrument;

use crate::base::lasting::Lasting;
use crate::base::sync;
use crate::data::plan::{Manner, Plan, SMALL_BYTES_MAX};
use crate::engine::Engine;
use crate::engine::extents::ExtentChange;
use crate::engine::txn::Txn;
use crate::format::frames::Packed;
use crate::parts::inode::{Inode, State};
use crate::parts::storer::Store;
use crate::store::segment::Appended;
use crate::{Error, Result, TRACES};
use taken::Taken;

/// How often a flush starts again because a chunk that it wanted to share was freed meanwhile.
const TRIES_MAX: usize = 4;

/// The outcome of a flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// All is durable, except for this many bytes that stay dirty, with this growth still reserved for them.
    Done { bytes_left: u64, growth_left: u64 },
    /// A chunk that was to be shared is gone.
    Vanished,
}

/// What a flush has done.
enum Effect {
    /// Everything that it had to flush is durable.
    Durable,
    /// There was nothing to flush, or no longer anything.
    Nothing,
}

const ALL_DONE: Outcome = Outcome::Done { bytes_left: 0, growth_left: 0 };

impl Engine {
    /// Makes everything durable that has been written to the file so far.
    pub(crate) async fn flush(self: &Arc<Self>, inode: &Arc<Inode>) -> Result<()> {
        match self.flush_if(inode, |state| state.is_written(), false).await? {
            Effect::Durable => Ok(()),
            Effect::Nothing => self.settle_changes().await,
        }
    }

    /// Like [`Engine::flush`], for a caller that makes changes of its own afterwards: if nothing has to be flushed, it waits for
    /// nothing.
    pub(crate) async fn flush_written(self: &Arc<Self>, inode: &Arc<Inode>) -> Result<()> {
        self.flush_if(inode, |state| state.is_written(), false).await.map(drop)
    }

    /// Waits until all metadata changes that are visible now are durable. A rollback or a removal can discard what was
    /// written to a file, but a power failure could undo that rollback or removal. The written data may be forgotten only
    /// when the change is durable. This costs no sync of its own.
    pub(crate) async fn settle_changes(self: &Arc<Self>) -> Result<()> {
        self.transact(|_| Ok(())).await
    }

    /// Makes everything durable that is only in memory, including access times. No caller depends on this flush: if the
    /// inode is freed meanwhile, nothing remains to make durable.
    pub(crate) async fn flush_all(self: &Arc<Self>, inode: &Arc<Inode>) -> Result<()> {
        match self.flush_if(inode, |state| state.is_unstable(), false).await {
            Err(Error::Stale) => Ok(()),
            outcome => outcome.map(drop),
        }
    }

    /// Makes everything durable that the log holds of the inode, and notes that in a batch, even if nothing else has to be
    /// flushed.
    pub(crate) async fn absorb(self: &Arc<Self>, inode: &Arc<Inode>) -> Result<()> {
        match self.flush_if(inode, |_| true, false).await {
            Err(Error::Stale) => Ok(()),
            outcome => outcome.map(drop),
        }
    }

    /// Like [`Engine::flush_all`], but the tails of streams may stay in memory for a while, unless memory is short.
    pub(crate) async fn flush_aged(self: &Arc<Self>, inode: &Arc<Inode>) -> Result<()> {
        let leave = !self.writes.dirty.is_pressed();
        match self.flush_if(inode, |state| state.is_unstable(), leave).await {
            Err(Error::Stale) => Ok(()),
            outcome => outcome.map(drop),
        }
    }

    async fn flush_if(
        self: &Arc<Self>,
        inode: &Arc<Inode>,
        needed: fn(&State) -> bool,
        leave_tails: bool,
    ) -> Result<Effect> {
        let (engine, inode) = (self.clone(), inode.clone());
        let flush = async move {
            let _order = inode.order.clone().lock_owned().await;
            engine.flush_ordered(&inode, needed, leave_tails).await
        };
        // The span includes the wait for the inode's `order` lock.
        Lasting::new(flush.instrument(tracing::info_span!(target: TRACES, "pool.flush"))).await
    }

    /// Like [`Engine::flush`]. The caller must hold the inode's `order` lock.
    pub(crate) async fn flush_written_ordered(self: &Arc<Self>, inode: &Arc<Inode>) -> Result<()> {
        self.flush_ordered(inode, |state| state.is_written(), false).await.map(drop)
    }

    /// The caller must hold the inode's `order` lock.
    async fn flush_ordered(
        self: &Arc<Self>,
        inode: &Arc<Inode>,
        needed: fn(&State) -> bool,
        leave_tails: bool,
    ) -> Result<Effect> {
        self.stopped.check()?;
        let log = self.log.as_deref();
        let appending = inode.appending.lock().await;
        let taken = Taken::take(inode, log, needed, leave_tails);
        drop(appending);
        let Some(taken) = taken else { return Ok(Effect::Nothing) };
        let (mut taken, mut effect) = (Some(taken), Effect::Durable);
        while let Some(portion) = taken {
            let portion = Arc::new(portion);
            let (done, next) = self.flush_portion(inode, &portion).await?;
            if let Effect::Nothing = done {
                effect = Effect::Nothing;
            }
            taken = next;
        }
        Ok(effect)
    }

    /// Flushes one portion, and also returns the next.
    async fn flush_portion(
        self: &Arc<Self>,
        inode: &Arc<Inode>,
        taken: &Arc<Taken>,
    ) -> Result<(Effect, Option<Taken>)> {
        let mut outcome = self.flush_taken(inode, taken, true).await;
        for _ in 1..TRIES_MAX {
            if !matches!(outcome, Ok(Outcome::Vanished)) {
                break;
            }
            outcome = self.flush_taken(inode, taken, false).await;
        }
        self.writes.dirty.set_refused(matches!(outcome, Err(Error::NoSpace)));
        let rolled_back = inode.state().rollbacks != taken.rollbacks;
        let is_done = matches!(outcome, Ok(Outcome::Done { .. }));
        if rolled_back && !is_done {
            // The data was written before the rollback, so it may count as durable before it.
            outcome = Ok(ALL_DONE);
        }
        let mut next = None;
        if let Ok(Outcome::Done { bytes_left, growth_left }) = outcome {
            // A rollback discards the rest, too.
            next = if rolled_back { None } else { taken.next(inode) };
            let (bytes_next, growth_next) = next.as_ref().map_or((0, 0), |next| (next.bytes(), next.growth));
            self.release_taken(inode, taken, bytes_left + bytes_next, growth_left + growth_next);
        } else {
            self.put_back(inode, taken);
        }
        self.writes.dirty.settle(inode);
        match outcome? {
            Outcome::Done { .. } if is_done => Ok((Effect::Durable, next)),
            Outcome::Done { .. } => Ok((Effect::Nothing, next)),
            Outcome::Vanished => Err(Error::Contended(format!("inode {}", inode.handle.inode.0))),
        }
    }

    /// Releases the room that a flush's pieces took, except for pieces that are dirty again or belong to the next portion.
    fn release_taken(&self, inode: &Inode, taken: &Taken, bytes_left: u64, growth_left: u64) {
        self.writes.dirty.release(taken.bytes().saturating_sub(bytes_left));
        self.volumes.release(inode.handle.volume, taken.growth.saturating_sub(growth_left));
    }

    /// Makes the pieces of a flush that failed dirty again, under newer writes. Does not do so if the inode is gone, or was
    /// rolled back, because the pieces are then gone, too.
    fn put_back(&self, inode: &Inode, taken: &Taken) {
        match taken.restore(inode) {
            Some(replaced) => self.writes.dirty.release(replaced),
            None => self.release_taken(inode, taken, 0, 0),
        }
    }

    /// Plans a flush, and returns the plan and the chunks that are still to be stored. [`crate::data::plan`] says why a
    /// small flush is cut here.
    async fn plan_taken(
        self: &Arc<Self>,
        inode: &Arc<Inode>,
        taken: &Arc<Taken>,
        share: bool,
    ) -> Result<(Plan, Vec<Packed>)> {
        let manner = Manner { share, leave_tails: taken.leave_tails };
        if taken.pieces.bytes() > SMALL_BYTES_MAX {
            let (engine, file, work) = (self.clone(), inode.clone(), taken.clone());
            let plan = sync::blocking(move || engine.plan(&file, &work.pieces, &work.early, manner)).await?;
            return Ok((plan, Vec::new()));
        }
        let draft = if self.stores.segments.keeps_objects() {
            // It may have to read the file's last chunk, and nobody knows when a bucket answers.
            let (engine, file, work) = (self.clone(), inode.clone(), taken.clone());
            sync::blocking(move || engine.cut(&file, &work.pieces, &work.early, manner)).await?
        } else {
            self.cut(inode, &taken.pieces, &taken.early, manner)?
        };
        if draft.names_early() {
            // Their segment has to be synced, and the storer syncs what it appends only.
            return Ok((sync::blocking(move || draft.store()).await?, Vec::new()));
        }
        Ok(draft.pack())
    }

    /// With `share`, looks for chunks that the pool has already.
    async fn flush_taken(
        self: &Arc<Self>,
        inode: &Arc<Inode>,
        taken: &Arc<Taken>,
        share: bool,
    ) -> Result<Outcome> {
        let cutting = tracing::info_span!(target: TRACES, "pool.cut", forebay.bytes = taken.pieces.bytes());
        let (plan, chunks) = self.plan_taken(inode, taken, share).instrument(cutting).await?;
        let bytes_left = plan.left.bytes();
        if bytes_left > 0 && bytes_left == taken.bytes() {
            self.put_back(inode, taken);
            inode.state().deferrals += 1;
            return Ok(Outcome::Done { bytes_left, growth_left: taken.growth });
        }
        let tail = plan.tail(inode, taken.truncations, taken.size);
        self.caches.tails.forget(inode.key());
        let inline = plan.changes.iter().map(ExtentChange::inline_difference).sum();
        let left = Outcome::Done { bytes_left, growth_left: taken.growth_of(bytes_left) };
        let (file, taken) = (inode.clone(), taken.clone());
        let staged = Arc::new(Mutex::new(left));
        let tell = staged.clone();
        let job = move |txn: &mut Txn<'_>, plan: Plan| {
            let outcome = if file.state().rollbacks != taken.rollbacks {
                // The data was written before the rollback, so nothing of it may become visible.
                ALL_DONE
            } else if taken.stage(txn, &file, &plan)? {
                left
            } else {
                Outcome::Vanished
            };
            *sync::lock(&tell) = outcome;
            plan.appended.into_iter().for_each(Appended::named);
            match outcome {
                Outcome::Done { .. } => Ok(()),
                Outcome::Vanished => Err(Error::Contended(format!("inode {}", file.handle.inode.0))),
            }
        };
        let storing = tracing::info_span!(target: TRACES, "pool.commit");
        let outcome = self.store_and_transact(plan, chunks, job).instrument(storing).await;
        let staged = *sync::lock(&staged);
        if staged == Outcome::Vanished {
            return Ok(staged);
        }
        outcome?;
        let stored = inode.state().record.space_used;
        self.note_inline(inode.key(), inline, stored);
        if let Some(tail) = tail {
            self.caches.tails.put(inode.key(), tail);
        }
        Ok(staged)
    }

    /// Stores the plan's last chunks, then runs `job` in the committer.
    async fn store_and_transact<F>(
        self: &Arc<Self>,
        mut plan: Plan,
        chunks: Vec<Packed>,
        job: F,
    ) -> Result<()>
    where
        F: FnOnce(&mut Txn<'_>, Plan) -> Result<()> + Send + 'static,
    {
        if chunks.is_empty() {
            return self.transact(move |txn| job(txn, plan)).await;
        }
        let (sender, receiver) = oneshot::channel();
        let engine = self.clone();
        let then = Box::new(move |appended: Result<Appended>| match appended {
            Ok(appended) => {
                plan.appended.push(appended);
                // If the pool is closed, the sender is dropped, and the receiver sees that.
                let _ = engine.submit(move |txn: &mut Txn<'_>| job(txn, plan), sender);
            }
            Err(error) => {
                let _ = sender.send(Err(error));
            }
        });
        self.committing.storer.submit(Store { chunks, then })?;
        receiver.await.map_err(|_| Error::Closed)?
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;

    use super::*;
    use crate::format::frames::ALIKE;
    use crate::testing::watched_pool;
    use crate::{Handle, Kind, NewInode, Pool, PoolOptions, Stability, VolumeSpec};

    /// Otherwise a power failure brings back the volume from before the rollback, but without the committed data.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_commit_of_what_a_rollback_took_waits_until_the_rollback_is_durable() {
        let (meta, pool) = watched_pool(PoolOptions::default());
        let root = pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap().root;
        let made = pool.create(root, b"log", NewInode::new(Kind::File, 0o600)).await.unwrap();
        let log = made.attributes.handle;
        pool.snapshot_create(&["v".to_owned()], "s").await.unwrap();
        pool.write(log, 0, Bytes::from_static(b"unstable"), Stability::Unstable).await.unwrap();

        meta.hold(true);
        let rollback = tokio::spawn({
            let pool = pool.clone();
            async move { pool.volume_rollback("v", "s", false).await }
        });
        let seen = async {
            while pool.getattr(log).await.unwrap().size > 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), seen).await.unwrap();
        let mut commit = tokio::spawn({
            let pool = pool.clone();
            async move { pool.commit(log, 0, 0).await }
        });
        let early = tokio::time::timeout(Duration::from_millis(300), &mut commit).await;
        meta.hold(false);
        assert!(early.is_err(), "answered before the rollback was durable");
        commit.await.unwrap().unwrap();
        rollback.await.unwrap().unwrap();
        pool.close().await.unwrap();
    }

    /// Two flushes that are planned before either is committed: only the committer sees that both name one chunk.
    async fn flush_two_at_once(
        options: PoolOptions,
        contents: [Bytes; 2],
    ) -> (Pool, [(Handle, Result<()>); 2]) {
        let (meta, pool) = watched_pool(options);
        let root = pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap().root;
        let mut files = Vec::new();
        for (name, content) in ["one", "other"].into_iter().zip(contents) {
            let made = pool.create(root, name.as_bytes(), NewInode::new(Kind::File, 0o600)).await.unwrap();
            files.push(made.attributes.handle);
            pool.write(made.attributes.handle, 0, content, Stability::Unstable).await.unwrap();
        }
        meta.hold(true);
        let commits: Vec<_> = files
            .iter()
            .map(|file| {
                let (pool, file) = (pool.clone(), *file);
                tokio::spawn(async move { pool.commit(file, 0, 0).await.map(drop) })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(300)).await;
        meta.hold(false);
        let mut outcomes = Vec::new();
        for (file, commit) in files.into_iter().zip(commits) {
            outcomes.push((file, commit.await.unwrap()));
        }
        (pool, outcomes.try_into().unwrap_or_else(|_| unreachable!()))
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn two_contents_of_one_name_that_are_flushed_at_once_do_not_become_one() {
        let options = PoolOptions { dedup_verify: true, log_bytes_max: 0, ..PoolOptions::default() };
        // It cannot be compressed, so its size says how often it is stored.
        let content = |seed: u8| {
            let mut content = vec![0; 200_000];
            blake3::Hasher::new().update(&[seed]).finalize_xof().fill(&mut content);
            content[..ALIKE.len()].copy_from_slice(ALIKE);
            Bytes::from(content)
        };
        let (pool, outcomes) = flush_two_at_once(options.clone(), [content(1), content(2)]).await;
        let failed = outcomes.iter().filter(|(_, outcome)| outcome.is_err()).count();
        assert_eq!(failed, 1, "{outcomes:?}");
        for ((file, outcome), fill) in outcomes.iter().zip([1, 2]) {
            if outcome.is_ok() {
                assert_eq!(pool.read(*file, 0, u32::MAX).await.unwrap().pieces.concat(), content(fill));
            }
        }
        let (pool, outcomes) = flush_two_at_once(options, [content(1), content(1)]).await;
        assert!(outcomes.iter().all(|(_, outcome)| outcome.is_ok()), "{outcomes:?}");
        for (file, _) in outcomes {
            assert_eq!(pool.read(file, 0, u32::MAX).await.unwrap().pieces.concat(), content(1));
        }
        assert!(pool.stored().unwrap().bytes_live < 300_000, "stored once");
    }
}
