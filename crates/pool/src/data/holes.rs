//! Makes holes, allocates ranges, and finds data and holes.
//!
//! A hole is made in the same way as a truncation: in the committer, under the inode's `order` lock. Extents inside the hole
//! are removed, extents that reach into it are cut, and dirty data inside it is dropped. This needs no flush, and therefore
//! works in a full pool. A large hole takes several batches, each of which leaves the file consistent. A crash in between
//! leaves the first ones.
//!
//! The data of a file is what its extents and its dirty pieces cover. Written zeros count as data until they are flushed,
//! and may be holes afterwards, so the result of a search holds for one instant only.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::base::lasting::Lasting;
use crate::data::stretch;
use crate::engine::Engine;
use crate::engine::extents::ExtentChange;
use crate::engine::txn::Txn;
use crate::format::records::Extent;
use crate::parts::compared::Compared;
use crate::parts::inode::{Cleared, Inode};
use crate::{Attributes, Error, FILE_SIZE_MAX, Handle, Result, Sought};

/// The number of extents that one batch removes at most. Small in tests, so that their files need several batches.
const BATCH_EXTENTS_MAX: usize = if cfg!(test) { 8 } else { 1024 };
/// The number of extents that are read without a pause.
const STEP_EXTENTS_MAX: usize = if cfg!(test) { 8 } else { 1024 };
/// How often a search starts again because the file was changed meanwhile.
const TRIES_MAX: usize = 64;

impl Engine {
    /// Turns the range into a hole. The file's size does not change.
    pub(crate) async fn deallocate(
        self: &Arc<Self>,
        handle: Handle,
        offset: u64,
        length: u64,
    ) -> Result<Attributes> {
        self.stopped.check()?;
        self.volumes.require_writable(handle.volume)?;
        let inode = self.inode(handle)?;
        inode.live()?.require_file()?;
        let hole = offset..offset.saturating_add(length);
        if !hole.is_empty() {
            let (engine, file) = (self.clone(), inode.clone());
            // A batch that has been started needs the lock, even if its caller no longer waits.
            Lasting::new(async move {
                let _order = file.order.clone().lock_owned().await;
                engine.punch(&file, hole).await
            })
            .await?;
        }
        inode.attributes()
    }

    /// The caller must hold the inode's `order` lock.
    async fn punch(self: &Arc<Self>, inode: &Arc<Inode>, hole: Range<u64>) -> Result<()> {
        let rollbacks = inode.live()?.rollbacks;
        let _closed = self.close_log(inode, None).await?;
        self.caches.tails.forget(inode.key());
        let mut at = hole.start;
        while at < hole.end {
            let (file, rest) = (inode.clone(), at..hole.end);
            let end = hole.end;
            at = self
                .transact(move |txn| {
                    // The request came before the rollback, so it may count as done before it.
                    let over = file.live()?.rollbacks != rollbacks;
                    if over { Ok(end) } else { stage_hole(txn, &file, rest) }
                })
                .await?;
        }
        Ok(())
    }

    /// Extends the file to the end of the range if it is shorter. Returns [`Error::NoSpace`] unless all of the range could
    /// be written now.
    ///
    /// Nothing is reserved. A later write may be stored anywhere, or may not need room because its chunks exist already, so
    /// the size of a reservation could only be a guess.
    pub(crate) async fn allocate(
        self: &Arc<Self>,
        handle: Handle,
        offset: u64,
        length: u64,
    ) -> Result<Attributes> {
        self.stopped.check()?;
        self.volumes.require_writable(handle.volume)?;
        let inode = self.inode(handle)?;
        inode.live()?.require_file()?;
        let end =
            offset.checked_add(length).filter(|end| *end <= FILE_SIZE_MAX).ok_or(Error::FileTooLarge)?;
        let growth = self.reserve_growth(&inode, offset..end).await?;
        let room = self.require_room_for(&inode, offset..end).await;
        self.volumes.release(handle.volume, growth);
        room?;
        // A size that only dirty writes have given the file may be lost.
        if length > 0 && inode.live()?.record.size < end {
            // The change carries an mtime, which a flush must not set back. The job takes the lock with it.
            let order = inode.order.clone().lock_owned().await;
            let file = inode.clone();
            self.transact(move |txn| {
                txn.then(move |_| drop(order));
                extend(txn, &file, end)
            })
            .await?;
        } else {
            // Another operation may have set the size, and may still be waiting for its batch to be durable.
            self.settle_changes().await?;
        }
        inode.attributes()
    }

    /// Returns [`Error::NoSpace`] unless the pool has room for all holes in the range.
    async fn require_room_for(&self, inode: &Arc<Inode>, range: Range<u64>) -> Result<()> {
        if self.require_room(range.end - range.start).is_ok() {
            return Ok(());
        }
        self.require_room(self.uncovered(inode, range).await?)
    }

    /// The first data at or behind `offset`. If there is none, the end is the file's size.
    pub(crate) async fn seek_data(self: &Arc<Self>, handle: Handle, offset: u64) -> Result<Option<Sought>> {
        let found = self.search(handle, offset, Search::Data).await?;
        Ok(found.map(|(at, size)| Sought { offset: at.min(size), eof: at >= size }))
    }

    /// The first hole at or behind `offset`. The end of the file counts as the start of a hole.
    pub(crate) async fn seek_hole(self: &Arc<Self>, handle: Handle, offset: u64) -> Result<Option<Sought>> {
        let found = self.search(handle, offset, Search::Hole).await?;
        Ok(found.map(|(at, size)| Sought { offset: at.min(size), eof: at >= size }))
    }

    /// Returns what was found and the file's size, or `None` if the file ends before `offset`.
    async fn search(
        self: &Arc<Self>,
        handle: Handle,
        offset: u64,
        what: Search,
    ) -> Result<Option<(u64, u64)>> {
        let inode = self.inode(handle)?;
        for _ in 0..TRIES_MAX {
            let (size, truncations, truncating) = {
                let state = inode.live()?;
                state.require_file()?;
                (state.size(), state.truncations, state.truncating)
            };
            if offset >= size {
                return Ok(None);
            }
            if !truncating {
                let found = self.search_once(&inode, offset..size, what).await?;
                let state = inode.live()?;
                if state.truncations == truncations && !state.truncating {
                    return Ok(Some((found, size)));
                }
            }
            tokio::task::yield_now().await;
        }
        Err(Error::Contended(format!("inode {}", handle.inode.0)))
    }

    async fn search_once(&self, inode: &Arc<Inode>, range: Range<u64>, what: Search) -> Result<u64> {
        let mut covered = self.covered_by_pieces(inode, range.clone())?.into_iter().peekable();
        let mut at = range.start;
        while at < range.end {
            let (extents, part) = self.extents_within(inode.key(), at..range.end, STEP_EXTENTS_MAX)?;
            let mut stored = extents.iter().map(range_of).peekable();
            // The data of this part from all sources, in order.
            loop {
                let from_pieces = covered.peek().map_or(u64::MAX, |piece| piece.start);
                let from_extents = stored.peek().map_or(u64::MAX, |extent| extent.start);
                if from_pieces.min(from_extents) >= part.end {
                    break;
                }
                let data = if from_pieces < from_extents { covered.next() } else { stored.next() };
                let Some(data) = data.filter(|data| data.end > at) else { continue };
                match what {
                    Search::Data => return Ok(data.start.max(at)),
                    Search::Hole if data.start > at => return Ok(at),
                    Search::Hole => at = data.end,
                }
            }
            if what == Search::Hole && at < part.end {
                return Ok(at);
            }
            at = at.max(part.end);
            tokio::task::yield_now().await;
        }
        Ok(range.end)
    }

    /// The number of bytes of the range that are holes.
    pub(crate) async fn uncovered(&self, inode: &Arc<Inode>, range: Range<u64>) -> Result<u64> {
        let mut pieces = self.covered_by_pieces(inode, range.clone())?.into_iter().peekable();
        let (mut holes, mut at, mut next) = (0, range.start, range.start);
        while next < range.end {
            let (extents, part) = self.extents_within(inode.key(), next..range.end, STEP_EXTENTS_MAX)?;
            let mut covered: Vec<Range<u64>> = extents.iter().map(range_of).collect();
            while let Some(piece) = pieces.next_if(|piece| piece.start < part.end) {
                covered.push(piece);
            }
            covered.sort_by_key(|covered| covered.start);
            for covered in covered {
                holes += covered.start.min(range.end).saturating_sub(at);
                at = at.max(covered.end);
            }
            next = part.end;
            tokio::task::yield_now().await;
        }
        Ok(holes + range.end.saturating_sub(at))
    }

    /// The places of dirty pieces in the range, in order.
    fn covered_by_pieces(&self, inode: &Inode, range: Range<u64>) -> Result<Vec<Range<u64>>> {
        let state = inode.live()?;
        let flushing = state.flushing.iter().flat_map(|pieces| pieces.within(range.clone()));
        let pieces = state.dirty.within(range.clone()).into_iter().chain(flushing);
        let mut covered: Vec<Range<u64>> =
            pieces.map(|(offset, piece)| offset..offset.saturating_add(piece.len() as u64)).collect();
        covered.sort_by_key(|covered| covered.start);
        Ok(covered)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Search {
    Data,
    Hole,
}

fn range_of((offset, extent): &Extent) -> Range<u64> {
    *offset..offset.saturating_add(u64::from(extent.length))
}

/// Stages a hole in the first part of the range. Returns the offset where that part ends.
fn stage_hole(txn: &mut Txn<'_>, inode: &Arc<Inode>, range: Range<u64>) -> Result<u64> {
    let mut record = txn.record(inode)?;
    let (before, part) = txn.engine.extents_within(inode.key(), range, BATCH_EXTENTS_MAX)?;
    let after = stretch::without(&before, part.clone());
    let change = ExtentChange { before, after };
    if !txn.change_extents(inode, &change, &BTreeMap::new(), &Compared::default(), &mut record.space_used)? {
        return Err(Error::Damaged("an extent beside a hole points to a chunk that has no record".into()));
    }
    record.mtime = txn.engine.clock.now();
    txn.touch_and_clear(inode, record, Cleared::Within(part.clone()));
    Ok(part.end)
}

/// Stages a size of at least `size`.
fn extend(txn: &mut Txn<'_>, inode: &Arc<Inode>, size: u64) -> Result<()> {
    let mut record = txn.record(inode)?;
    if record.size < size {
        record.size = size;
        record.mtime = txn.engine.clock.now();
        txn.touch_with_mtime(inode, record);
    }
    Ok(())
}
