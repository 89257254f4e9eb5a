//! The part of a flush that comes before its batch: cutting, hashing, packing, appending, syncing.
//!
//! Dirty pieces are planned stretch by stretch. A large flush appends its chunks in portions, in the order of the file;
//! each portion is packed on several cores, and is on its way to the disk while the next is being cut and hashed. So a
//! flush holds no more than a portion beyond what was written. When the plan is made all of them are synced.
//!
//! A small flush, as a broker's fsync of a few records is, mostly adds a tail and stores no chunk. It is cut where it is asked
//! for ([`Engine::cut`]), as handing it to another thread and back takes longer than the cutting; only what then waits for
//! the disk goes elsewhere ([`Draft::store`]).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;

use crate::engine::Engine;
use crate::extents::{Extent, ExtentChange};
use crate::inode::{Inode, Pieces};
use crate::keys::ChunkId;
use crate::segment::{Appended, Packed, Packer, chunk_id};
use crate::stretch::{self, About, Chunks};
use crate::{Compression, Error, Handle, Result, sync};

/// Bytes of chunks that are packed and appended at once, and synced while hashing goes on.
const PORTION_BYTES: usize = 16 << 20;
/// Bytes of chunks that are worth another core to pack them.
const PACK_BYTES_MIN: usize = 1 << 20;
/// Cores that pack one portion at most.
const PACKERS_MAX: usize = 4;
/// Dirty pieces that lie further apart have nothing to do with each other.
const APART_BYTES: u64 = stretch::REACH_BEFORE_BYTES + stretch::REACH_BEHIND_GAP_BYTES;

/// What a flush will name in its batch. All of it is durable.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) changes: Vec<ExtentChange>,
    pub(crate) appended: Vec<Appended>,
    /// What stays dirty.
    pub(crate) left: Pieces,
}

/// How a flush is to be done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// Look for chunks that the pool has already.
    pub(crate) share: bool,
    /// New bytes of tails may stay dirty.
    pub(crate) leave_tails: bool,
}

/// A chunk that is to be packed and appended.
struct Fresh {
    id: ChunkId,
    content: Bytes,
    compression: Compression,
}

/// A plan whose last chunks are still to be stored.
pub(crate) struct Draft {
    plan: Plan,
    planner: Planner,
}

/// Stores the chunks of a flush.
struct Planner {
    engine: Arc<Engine>,
    handle: Handle,
    compression: Compression,
    share: bool,
    portion: Vec<Fresh>,
    /// Where each chunk of the portion is in it.
    places: HashMap<ChunkId, usize>,
    portion_bytes: usize,
    /// Chunks of earlier portions.
    before: HashSet<ChunkId>,
    appended: Vec<Appended>,
}

impl Engine {
    /// Plans the flush of `pieces`. Blocks on the disk.
    pub(crate) fn plan(self: &Arc<Self>, inode: &Inode, pieces: &Pieces, manner: Manner) -> Result<Plan> {
        self.cut(inode, pieces, manner)?.store()
    }

    /// Plans the flush of `pieces`, but leaves the last portion of chunks to be stored. Of few pieces that is all, and nothing
    /// blocks, apart from reading what has long been written.
    pub(crate) fn cut(self: &Arc<Self>, inode: &Inode, pieces: &Pieces, manner: Manner) -> Result<Draft> {
        let mut planner = Planner {
            engine: self.clone(),
            handle: inode.handle,
            compression: self
                .volumes
                .get(inode.handle.volume)
                .map_or(Compression::None, |it| it.spec.compression),
            share: manner.share,
            portion: Vec::new(),
            places: HashMap::new(),
            portion_bytes: 0,
            before: HashSet::new(),
            appended: Vec::new(),
        };
        let mut plan = Plan::default();
        for dirty in stretches(pieces) {
            let before = self.extents_about(inode, &dirty)?;
            let after = stretch::rewrite(&before, &dirty, manner.leave_tails, &mut planner)?;
            for range in after.left {
                for (offset, bytes) in pieces.within(range) {
                    plan.left.insert(offset, bytes);
                }
            }
            plan.changes.push(ExtentChange { before, after: after.extents });
        }
        Ok(Draft { plan, planner })
    }

    /// The extents that matter to, or are changed by, writing a stretch.
    fn extents_about(&self, inode: &Inode, dirty: &[(u64, Bytes)]) -> Result<Vec<Extent>> {
        let start = dirty.first().map_or(0, |(offset, _)| *offset);
        let end = dirty.last().map_or(0, end_of);
        let from = start.saturating_sub(stretch::REACH_BEFORE_BYTES);
        let near = self.extents(inode.key(), from..end.saturating_add(stretch::REACH_BEHIND_BYTES))?;
        let fills_gap = !stretch::covers(&near, end.saturating_sub(1)..end);
        if fills_gap && stretch::covers(&near, end..u64::MAX) {
            return self.extents(inode.key(), from..end.saturating_add(stretch::REACH_BEHIND_GAP_BYTES));
        }
        Ok(near)
    }
}

impl Draft {
    /// Whether there is nothing to store, so that [`Draft::store`] does not block.
    pub(crate) fn is_stored(&self) -> bool {
        self.planner.portion.is_empty() && self.planner.appended.is_empty()
    }

    /// Stores what is left to be stored. Blocks on the disk.
    pub(crate) fn store(self) -> Result<Plan> {
        let Draft { mut plan, mut planner } = self;
        planner.append()?;
        plan.appended = planner.appended;
        if let Some(last) = plan.appended.last() {
            let engine = planner.engine;
            engine.writer.sync(last.ticket).inspect_err(|error| engine.stopped.stop(error))?;
        }
        Ok(plan)
    }
}

impl Chunks for Planner {
    fn read(&mut self, id: ChunkId) -> Result<Bytes> {
        if let Some(fresh) = self.places.get(&id).and_then(|place| self.portion.get(*place)) {
            return Ok(fresh.content.clone());
        }
        let missing = || Error::Damaged(format!("an extent points to chunk {id}, which has no record"));
        self.engine.chunk_content(id, self.handle)?.ok_or_else(missing)
    }

    fn write(&mut self, content: Bytes, about: About) -> Result<ChunkId> {
        let id = chunk_id(&content);
        if about.is_provisional {
            self.engine.chunk_cache.insert(id, content.clone());
        }
        let is_known = self.places.contains_key(&id)
            || self.before.contains(&id)
            || (self.share && self.engine.chunk_record(id)?.is_some());
        if is_known {
            return Ok(id);
        }
        let compression = if about.is_compressed { Compression::None } else { self.compression };
        self.portion_bytes += content.len();
        self.places.insert(id, self.portion.len());
        self.portion.push(Fresh { id, content, compression });
        if self.portion_bytes >= PORTION_BYTES {
            let ticket = self.append()?;
            let engine = self.engine.clone();
            // Should it fail, the sync at the end fails as well.
            sync::in_background(move || engine.writer.sync(ticket));
        }
        Ok(id)
    }
}

impl Planner {
    /// Packs and appends the portion. Returns what to sync.
    fn append(&mut self) -> Result<u64> {
        let portion = std::mem::take(&mut self.portion);
        if portion.is_empty() {
            return Ok(0);
        }
        let packed = pack_all(&portion, self.portion_bytes);
        self.portion_bytes = 0;
        self.before.extend(self.places.drain().map(|(id, _)| id));
        let appended = self.engine.writer.append(&packed)?;
        let ticket = appended.ticket;
        self.appended.push(appended);
        Ok(ticket)
    }
}

/// Packs chunks, on several cores if they are many.
fn pack_all(portion: &[Fresh], bytes: usize) -> Vec<Packed> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(PACKERS_MAX);
    let parts = cores.min(bytes / PACK_BYTES_MIN).max(1);
    let mut parts = portion.chunks(portion.len().div_ceil(parts).max(1));
    let Some(first) = parts.next() else { return Vec::new() };
    std::thread::scope(|scope| {
        let others: Vec<_> = parts.map(|part| (part, scope.spawn(|| pack(part)))).collect();
        let mut packed = pack(first);
        for (part, thread) in others {
            // A thread that panicked has done nothing that cannot be done here.
            packed.extend(thread.join().unwrap_or_else(|_| pack(part)));
        }
        packed
    })
}

fn pack(chunks: &[Fresh]) -> Vec<Packed> {
    let mut packer = Packer::default();
    chunks.iter().map(|fresh| packer.pack(fresh.id, &fresh.content, fresh.compression)).collect()
}

fn end_of((offset, bytes): &(u64, Bytes)) -> u64 {
    offset.saturating_add(bytes.len() as u64)
}

/// The pieces, in groups that have nothing to do with each other.
fn stretches(pieces: &Pieces) -> Vec<Vec<(u64, Bytes)>> {
    let mut stretches: Vec<Vec<(u64, Bytes)>> = Vec::new();
    for (offset, bytes) in pieces.iter() {
        let piece = (offset, bytes.clone());
        match stretches.last_mut() {
            Some(stretch) if stretch.last().is_some_and(|last| end_of(last) + APART_BYTES > offset) => {
                stretch.push(piece);
            }
            _ => stretches.push(vec![piece]),
        }
    }
    stretches
}

impl Plan {
    /// Where the last of `pieces` ends, apart from what is left of them.
    pub(crate) fn end_of_stored(&self, pieces: &Pieces) -> u64 {
        let stored = pieces.iter().filter_map(|(offset, bytes)| {
            let end = end_of(&(offset, bytes.clone()));
            // What is left of a piece is its end, or all of it.
            let start = self.left.within(offset..end).first().map_or(end, |(start, _)| *start);
            (start > offset).then_some(start)
        });
        stored.max().unwrap_or(0)
    }
}
