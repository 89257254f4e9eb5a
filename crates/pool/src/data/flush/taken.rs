//! The part of a file's dirty data that a flush has taken.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Result;
use crate::data::plan::Plan;
use crate::engine::txn::Txn;
use crate::format::keys::ChunkId;
use crate::format::records::ChunkRecord;
use crate::parts::early::EarlyNames;
use crate::parts::inode::{Flushed, Inode, Pieces, State, Unstable};
use crate::parts::log::{Log, Rule};

/// The number of pieces in a portion. Small in tests, so that their flushes need several portions.
const PORTION_PIECES_MAX: usize = if cfg!(test) { 4 } else { 8192 };

/// How often in a row a tail may be left in memory.
const DEFERRALS_MAX: u8 = 3;

/// The data that a flush makes durable in one batch, and the data that follows it.
pub(super) struct Taken {
    pub(super) pieces: Arc<Pieces>,
    /// The pieces that follow in the file. Their turn comes when `pieces` are durable.
    rest: Arc<Pieces>,
    unstable: Unstable,
    /// The number of bytes by which the pieces and the rest may make the volume grow. The volume has reserved them.
    pub(super) growth: u64,
    /// The number of rollbacks and truncations that the inode has seen, and its durable size.
    pub(super) rollbacks: u64,
    pub(super) truncations: u64,
    pub(super) size: u64,
    pub(super) leave_tails: bool,
    /// What is known about the chunks of the pieces and the rest.
    pub(super) early: Arc<EarlyNames>,
    /// The log's position when the pieces were taken: the flush absorbs everything up to it.
    position: u64,
}

impl Taken {
    /// Moves the dirty pieces to *flushing*. Returns `None` if there are none.
    pub(super) fn take(
        inode: &Inode,
        log: Option<&Log>,
        needed: fn(&State) -> bool,
        leave_tails: bool,
    ) -> Option<Taken> {
        let mut state = inode.state();
        if state.freed || !needed(&state) {
            return None;
        }
        let all = Arc::new(std::mem::take(&mut state.dirty));
        state.flushing = Some(all.clone());
        let unlogged = std::mem::take(&mut state.unlogged);
        for (offset, piece) in unlogged.iter() {
            state.unlogged_flushing.insert(offset, piece.clone());
        }
        state.dirty_since = None;
        let growth = std::mem::take(&mut state.growth);
        let (unstable, rollbacks) = (state.unstable.clone(), state.rollbacks);
        // Records are drawn under the state lock, so all up to here are of bytes that were taken, or are older than those.
        let position = log.map_or(0, Log::position);
        let early = Arc::new(state.early.take());
        let taken = Taken::portion(&state, all, unstable, growth, rollbacks, position, early);
        // The batch says that everything logged is absorbed, so a tail that was logged may not be left.
        let is_logged = state.logged_from.is_some() && log.is_some_and(|log| log.keeps(Rule::NoTail));
        let leave_tails =
            leave_tails && !is_logged && taken.rest.is_empty() && state.deferrals < DEFERRALS_MAX;
        Some(Taken { leave_tails, ..taken })
    }

    /// The first portion of `all`, whose pieces are *flushing*.
    fn portion(
        state: &State,
        all: Arc<Pieces>,
        unstable: Unstable,
        growth: u64,
        rollbacks: u64,
        position: u64,
        early: Arc<EarlyNames>,
    ) -> Taken {
        let (pieces, rest) = match all.split(PORTION_PIECES_MAX) {
            Some((first, rest)) => (Arc::new(first), Arc::new(rest)),
            None => (all, Arc::default()),
        };
        let (truncations, size) = (state.truncations, state.record.size);
        Taken {
            pieces,
            rest,
            unstable,
            growth,
            rollbacks,
            truncations,
            size,
            leave_tails: false,
            position,
            early,
        }
    }

    /// Returns the next portion after this one has become durable, or `None` if this was the last.
    pub(super) fn next(&self, inode: &Inode) -> Option<Taken> {
        if self.rest.is_empty() {
            return None;
        }
        let state = inode.state();
        // The flush does not cover writes that came after it began.
        let unstable = if state.dirty.is_empty() { &state.unstable } else { &self.unstable };
        let growth = self.growth_of(self.rest.bytes());
        // If a rollback has just happened, it is detected in the same way as one that comes later.
        let (rest, unstable) = (self.rest.clone(), unstable.clone());
        let early = self.early.clone();
        Some(Taken::portion(&state, rest, unstable, growth, self.rollbacks, self.position, early))
    }

    /// The number of bytes that are still to be made durable.
    pub(super) fn bytes(&self) -> u64 {
        self.pieces.bytes() + self.rest.bytes()
    }

    /// The part of the reserved growth that belongs to this many bytes, if they replace nothing.
    pub(super) fn growth_of(&self, bytes: u64) -> u64 {
        self.growth.min(bytes)
    }

    /// Makes the taken pieces dirty again, under newer writes. Returns how many of their bytes newer writes replace, or
    /// `None` if the inode is gone or was rolled back.
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
        state.early.names.extend(&self.early);
        let unlogged = std::mem::take(&mut state.unlogged_flushing);
        state.unlogged.restore_under(&unlogged);
        state.dirty_since = Some(tokio::time::Instant::now());
        Some(state.dirty.restore_under(&self.pieces) + state.dirty.restore_under(&self.rest))
    }

    /// Stages the flush. Returns false if a chunk that was to be shared is gone.
    pub(super) fn stage(&self, txn: &mut Txn<'_>, inode: &Arc<Inode>, plan: &Plan) -> Result<bool> {
        let placed = plan.appended.iter().flat_map(|appended| &appended.placed);
        let placed: BTreeMap<ChunkId, ChunkRecord> =
            placed.map(|placed| (placed.id, placed.record)).collect();
        let mut record = txn.record(inode)?;
        for change in &plan.changes {
            if !txn.change_extents(inode, change, &placed, &plan.compared, &mut record.space_used)? {
                return Ok(false);
            }
        }
        let unstable = self.covered(inode);
        // Bytes that stay dirty, or that belong to a later portion, may be lost, so the size must not include them.
        let is_all = plan.left.is_empty() && self.rest.is_empty();
        let size = if is_all { unstable.size } else { plan.end_of_stored(&self.pieces) };
        record.size = record.size.max(size);
        record.change = record.change.max(unstable.change);
        record.mtime = unstable.mtime.unwrap_or(record.mtime);
        record.ctime = unstable.ctime.map_or(record.ctime, |ctime| ctime.max(record.ctime));
        record.atime = unstable.atime.unwrap_or(record.atime);
        let rest = (!self.rest.is_empty()).then(|| self.rest.clone());
        if rest.is_some() {
            // No reader ever sees this value: the one that readers see also stands for the rest, which may be lost.
            record.change = inode.state().change_next();
        }
        let keeps = |rule| txn.engine.keeps(rule);
        // An earlier portion does not make all of the taken bytes durable.
        let is_last = rest.is_none() || !keeps(Rule::AbsorbLastPortion);
        if is_last && keeps(Rule::Absorb) {
            record.absorbed = record.absorbed.max(self.position);
        }
        let absorbed = record.absorbed;
        let growth = self.growth_of(plan.left.bytes());
        txn.flushed(inode, record, Flushed { unstable, left: plan.left.clone(), absorbed, growth, rest });
        Ok(true)
    }

    /// The dirty attributes that the flush covers: all of them, if nothing was written or discarded since it began.
    fn covered(&self, inode: &Inode) -> Unstable {
        let state = inode.state();
        let all = state.dirty.is_empty() && state.unstable.change >= self.unstable.change;
        if all { state.unstable.clone() } else { self.unstable.clone() }
    }
}
