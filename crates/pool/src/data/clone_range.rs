//! Clones a range of a file into another file, or to another place in the same file: the target's extents name the chunks
//! that the source's extents name. Only metadata and inline bytes are read and written.
//!
//! The source's dirty data is flushed first. Then a job in the committer removes what the target has in the range, as for a
//! hole (see [`crate::data::holes`]), and puts the moved extents of the source in its place. This is one batch, so readers
//! and a crash see all of it or nothing. Only a range with very many extents takes several batches, each of them whole.
//!
//! Both inodes' `order` locks are held from the flush to the last batch, so that nobody else changes their extents. The two
//! files may be in different volumes, since chunks belong to the pool, and the source may be in a snapshot.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use tokio::sync::OwnedMutexGuard;

use crate::base::lasting::Lasting;
use crate::data::stretch;
use crate::engine::Engine;
use crate::engine::extents::ExtentChange;
use crate::engine::txn::Txn;
use crate::format::records::{Content, Extent};
use crate::parts::compared::Compared;
use crate::parts::inode::{Cleared, Inode};
use crate::{Cloned, Error, FILE_SIZE_MAX, Handle, Result};

/// The number of extents of the source, or of the target, that one batch handles at most. Small in tests, so that their
/// files need several batches.
const BATCH_EXTENTS_MAX: usize = if cfg!(test) { 16 } else { 8192 };
/// An estimate of the bytes that each extent takes in a batch of the metadata store, apart from inline bytes.
const EXTENT_BYTES: u64 = 128;

/// A range of the source, and its place in the target.
#[derive(Clone)]
struct Way {
    from: Arc<Inode>,
    to: Arc<Inode>,
    range: Range<u64>,
    target: u64,
}

impl Engine {
    /// Clones `length` bytes, or everything up to the source's end if `length` is `None`. Uses at most `batches_max`
    /// batches, and clones fewer bytes if those do not suffice.
    ///
    /// Returns [`Error::Invalid`] if the source is shorter, or if source and target overlap.
    pub(crate) async fn clone_range(
        self: &Arc<Self>,
        from: (Handle, u64),
        to: (Handle, u64),
        length: Option<u64>,
        batches_max: usize,
    ) -> Result<Cloned> {
        self.stopped.check()?;
        self.volumes.require_writable(to.0.volume)?;
        let (source, target) = (self.inode(from.0)?, self.inode(to.0)?);
        source.live()?.require_file()?;
        target.live()?.require_file()?;
        let size = source.live()?.size();
        let range = range_of(from.1, length, size)?;
        let way = Way { from: source, to: target, range, target: to.1 };
        way.check()?;
        let to_end = to.1 + (way.range.end - way.range.start);
        let growth = if to.1 < to_end { self.reserve_growth(&way.to, to.1..to_end).await? } else { 0 };
        let (engine, work) = (self.clone(), way.clone());
        let done = Lasting::new(async move {
            let _order = lock_both(&work.from, &work.to).await;
            let done = engine.clone_ordered(&work, batches_max).await;
            engine.volumes.release(work.to.handle.volume, growth);
            done
        });
        let bytes = done.await?;
        Ok(Cloned { bytes, attributes: way.to.attributes()? })
    }

    /// The caller must hold both inodes' `order` locks.
    async fn clone_ordered(self: &Arc<Self>, way: &Way, batches_max: usize) -> Result<u64> {
        let _closed = self.close_log(&way.to, None).await?;
        self.flush_written_ordered(&way.from).await?;
        self.caches.tails.forget(way.to.key());
        let seen = way.rollbacks();
        let mut at = way.range.start;
        for _ in 0..batches_max {
            if at >= way.range.end {
                break;
            }
            let rest =
                Way { range: at..way.range.end, target: way.target + (at - way.range.start), ..way.clone() };
            at = self.transact(move |txn| stage(txn, &rest, seen)).await?;
        }
        Ok(at - way.range.start)
    }
}

/// The range to clone from a source of this size.
fn range_of(offset: u64, length: Option<u64>, size: u64) -> Result<Range<u64>> {
    let end = match length {
        None => size,
        Some(length) => offset.saturating_add(length),
    };
    if offset > end || end > size {
        return Err(Error::invalid_arguments(format!(
            "the source ends at {size}, before the end of the range to clone"
        )));
    }
    Ok(offset..end)
}

impl Way {
    fn check(&self) -> Result<()> {
        let length = self.range.end - self.range.start;
        let end =
            self.target.checked_add(length).filter(|end| *end <= FILE_SIZE_MAX).ok_or(Error::FileTooLarge)?;
        let same = self.from.handle == self.to.handle;
        if same && self.range.start < end && self.target < self.range.end {
            return Err(Error::invalid_arguments("source and target overlap"));
        }
        Ok(())
    }

    /// The number of rollbacks that each of the two inodes has seen.
    fn rollbacks(&self) -> (u64, u64) {
        // One after the other, because they may be the same inode.
        let from = self.from.state().rollbacks;
        let to = self.to.state().rollbacks;
        (from, to)
    }
}

/// Takes both `order` locks in the order of the inodes' keys. Everyone who takes several must use that order.
async fn lock_both(
    one: &Arc<Inode>,
    other: &Arc<Inode>,
) -> (OwnedMutexGuard<()>, Option<OwnedMutexGuard<()>>) {
    if Arc::ptr_eq(one, other) {
        return (one.order.clone().lock_owned().await, None);
    }
    let (first, second) = if one.key() < other.key() { (one, other) } else { (other, one) };
    let first = first.order.clone().lock_owned().await;
    (first, Some(second.order.clone().lock_owned().await))
}

/// Stages the first part of a range. Returns the offset where that part ends.
fn stage(txn: &mut Txn<'_>, way: &Way, seen: (u64, u64)) -> Result<u64> {
    let now = way.rollbacks();
    if now.0 != seen.0 {
        // The data that the caller wanted to clone no longer exists.
        return Err(Error::Stale);
    }
    if now.1 != seen.1 {
        // The request came before the rollback, so it may count as done before it.
        return Ok(way.range.end);
    }
    let size = way.from.live()?.record.size;
    if size < way.range.end {
        return Err(Error::invalid_arguments(format!(
            "the source ends at {size}, before the end of the range to clone"
        )));
    }
    let mut record = txn.record(&way.to)?;
    let (source, range) = txn.engine.extents_within(way.from.key(), way.range.clone(), BATCH_EXTENTS_MAX)?;
    let target = way.target..way.target + (range.end - range.start);
    let (before, target) = txn.engine.extents_within(way.to.key(), target, BATCH_EXTENTS_MAX)?;
    let range = range.start..range.start + (target.end - target.start);
    let moved = stretch::moved(&source, &range, target.start).ok_or(Error::FileTooLarge)?;
    txn.engine.require_room(bytes_of(&moved))?;
    let mut after = stretch::without(&before, target.clone());
    after.extend(moved);
    let change = ExtentChange { before, after };
    if !txn.change_extents(
        &way.to,
        &change,
        &BTreeMap::new(),
        &Compared::default(),
        &mut record.space_used,
    )? {
        return Err(Error::Damaged(
            "an extent that was to be cloned points to a chunk that has no record".into(),
        ));
    }
    let (key, inline, stored) = (way.to.key(), change.inline_difference(), record.space_used);
    txn.then(move |engine| engine.note_inline(key, inline, stored));
    record.size = record.size.max(target.end);
    record.mtime = txn.engine.clock.now();
    #[cfg(test)]
    txn.engine.meters.clone_ends.note(way.to.handle, target.end);
    txn.touch_and_clear(&way.to, record, Cleared::Within(target));
    Ok(range.end)
}

/// An estimate of the bytes that extents take in the metadata store.
fn bytes_of(extents: &[Extent]) -> u64 {
    let bytes = |(_, extent): &Extent| match extent.content {
        Content::Inline(_) => EXTENT_BYTES + u64::from(extent.length),
        Content::Chunk { .. } => EXTENT_BYTES,
    };
    extents.iter().map(bytes).sum()
}
