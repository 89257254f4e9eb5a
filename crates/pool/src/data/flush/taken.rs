//! What a flush has taken of a file's unstable content, and what becomes of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Result;
use crate::data::plan::Plan;
use crate::engine::txn::Txn;
use crate::format::keys::ChunkId;
use crate::format::records::ChunkRecord;
use crate::parts::inode::{Flushed, Inode, Pieces, State, Unstable};

/// Pieces of a portion. Few in tests, so that their flushes need several.
const PORTION_PIECES_MAX: usize = if cfg!(test) { 4 } else { 8192 };

/// Times in a row that a tail is left in memory.
const DEFERRALS_MAX: u8 = 3;

/// What a flush makes durable at once, and what comes after it.
pub(super) struct Taken {
    pub(super) pieces: Arc<Pieces>,
    /// What follows in the file. Its turn comes when the pieces are durable.
    rest: Arc<Pieces>,
    unstable: Unstable,
    /// Bytes by which the pieces and the rest may make the volume grow, reserved there.
    pub(super) growth: u64,
    /// Rollbacks and truncations that the inode has seen, and its size, as far as that is durable.
    pub(super) rollbacks: u64,
    pub(super) truncations: u64,
    pub(super) size: u64,
    pub(super) leave_tails: bool,
}

impl Taken {
    /// Moves what is dirty to *flushing*; `None` if there is nothing.
    pub(super) fn take(inode: &Inode, needed: fn(&State) -> bool, leave_tails: bool) -> Option<Taken> {
        let mut state = inode.state();
        if state.freed || !needed(&state) {
            return None;
        }
        let all = Arc::new(std::mem::take(&mut state.dirty));
        state.flushing = Some(all.clone());
        state.dirty_since = None;
        let growth = std::mem::take(&mut state.growth);
        let (unstable, rollbacks) = (state.unstable.clone(), state.rollbacks);
        let taken = Taken::portion(&state, all, unstable, growth, rollbacks);
        let leave_tails = leave_tails && taken.rest.is_empty() && state.deferrals < DEFERRALS_MAX;
        Some(Taken { leave_tails, ..taken })
    }

    /// The first portion of `all`, which is *flushing*.
    fn portion(state: &State, all: Arc<Pieces>, unstable: Unstable, growth: u64, rollbacks: u64) -> Taken {
        let (pieces, rest) = match all.split(PORTION_PIECES_MAX) {
            Some((first, rest)) => (Arc::new(first), Arc::new(rest)),
            None => (all, Arc::default()),
        };
        let (truncations, size) = (state.truncations, state.record.size);
        Taken { pieces, rest, unstable, growth, rollbacks, truncations, size, leave_tails: false }
    }

    /// The next portion, now that this one is durable; `None` if there is none.
    pub(super) fn next(&self, inode: &Inode) -> Option<Taken> {
        if self.rest.is_empty() {
            return None;
        }
        let state = inode.state();
        // What came meanwhile is not covered.
        let unstable = if state.dirty.is_empty() { &state.unstable } else { &self.unstable };
        let growth = self.growth_of(self.rest.bytes());
        // A rollback that came just now is found out as one that comes later.
        Some(Taken::portion(&state, self.rest.clone(), unstable.clone(), growth, self.rollbacks))
    }

    /// All that is still to be made durable.
    pub(super) fn bytes(&self) -> u64 {
        self.pieces.bytes() + self.rest.bytes()
    }

    /// The part of the reserved growth that is for so many bytes which replace nothing.
    pub(super) fn growth_of(&self, bytes: u64) -> u64 {
        self.growth.min(bytes)
    }

    /// Makes what was taken dirty again, under what was written meanwhile. Returns how many bytes that replaces; `None` if
    /// the inode is gone, or was rolled back.
    pub(super) fn restore(&self, inode: &Inode) -> Option<u64> {
        let mut state = inode.state();
        if state.rollbacks != self.rollbacks {
            return None;
        }
        state.flushing = None;
        if state.freed {
            return None;
        }
        state.growth += self.growth;
        state.dirty_since = Some(tokio::time::Instant::now());
        Some(state.dirty.restore_under(&self.pieces) + state.dirty.restore_under(&self.rest))
    }

    /// Stages the flush. False if a chunk that was to be shared is gone.
    pub(super) fn stage(&self, txn: &mut Txn<'_>, inode: &Arc<Inode>, plan: &Plan) -> Result<bool> {
        let placed = plan.appended.iter().flat_map(|appended| &appended.placed);
        let placed: BTreeMap<ChunkId, ChunkRecord> =
            placed.map(|placed| (placed.id, placed.record)).collect();
        let mut record = txn.record(inode)?;
        for change in &plan.changes {
            if !txn.change_extents(inode, change, &placed, &mut record.space_used)? {
                return Ok(false);
            }
        }
        let unstable = self.covered(inode);
        // What stays dirty, or comes later, and so may be lost, is not covered by the size.
        let is_all = plan.left.is_empty() && self.rest.is_empty();
        let size = if is_all { unstable.size } else { plan.end_of_stored(&self.pieces) };
        record.size = record.size.max(size);
        record.change = record.change.max(unstable.change);
        record.mtime = unstable.mtime.unwrap_or(record.mtime);
        record.ctime = unstable.ctime.map_or(record.ctime, |ctime| ctime.max(record.ctime));
        record.atime = unstable.atime.unwrap_or(record.atime);
        let rest = (!self.rest.is_empty()).then(|| self.rest.clone());
        if rest.is_some() {
            // Shown by nobody: what is shown stands for the rest, too, which may be lost.
            record.change = inode.state().change_next();
        }
        let growth = self.growth_of(plan.left.bytes());
        txn.flushed(inode, record, Flushed { unstable, left: plan.left.clone(), growth, rest });
        Ok(true)
    }

    /// What the flush covers of the unstable attributes: all there is, if nothing was written or discarded since it began.
    fn covered(&self, inode: &Inode) -> Unstable {
        let state = inode.state();
        let all = state.dirty.is_empty() && state.unstable.change >= self.unstable.change;
        if all { state.unstable.clone() } else { self.unstable.clone() }
    }
}
