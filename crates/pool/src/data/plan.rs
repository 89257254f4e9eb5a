//! The part of a flush that comes before its batch: cutting, hashing, packing, appending and syncing.
//!
//! Dirty pieces are planned stretch by stretch. A large flush appends its chunks in portions, in the order of the file. Each
//! portion is packed on several cores, and is written to the disk while the next one is cut and hashed. So a flush holds no
//! more than two portions in addition to the written data. When the plan is complete, all portions are synced.
//!
//! A small flush, such as a broker's fsync of a few records, usually adds a tail and stores no chunk. The calling thread
//! cuts it ([`Engine::cut`]), because handing it to another thread and back takes longer than the cutting. Any chunks that
//! result go to [`crate::parts::storer`], together with those of other flushes.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use crate::base::sync::{self, Pending};
use crate::data::stretch::{self, About, Chunks};
use crate::engine::Engine;
use crate::engine::extents::ExtentChange;
use crate::format::cut::REACH_BEFORE_BYTES;
use crate::format::frames::{Naming, Packed, Packer, count_packed};
use crate::format::keys::ChunkId;
use crate::format::records::Extent;
use crate::parts::compared::Compared;
use crate::parts::early::EarlyNames;
use crate::parts::inode::{Inode, Pieces};
use crate::parts::log::Rule;
use crate::parts::tails::{self, Tail};
use crate::store::segment::Appended;
use crate::{Compression, Error, Handle, Result};

/// The number of bytes of chunks that are packed and appended at once.
const PORTION_BYTES: usize = 4 << 20;
/// The number of bytes of chunks that justify another core for packing.
const PACK_BYTES_MIN: usize = 1 << 20;
/// The number of cores that pack one portion, at most.
const PACKERS_MAX: usize = 4;
/// A flush of up to this many bytes is small (see the module's documentation). Less in tests, so that they have other
/// flushes, too.
pub(crate) const SMALL_BYTES_MAX: u64 = if cfg!(test) { 32 << 10 } else { 128 << 10 };
/// Dirty pieces that lie further apart do not affect each other.
const APART_BYTES: u64 = REACH_BEFORE_BYTES + stretch::REACH_BEHIND_GAP_BYTES;

/// The changes that a flush will put into its batch. All chunks that it names are durable.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) changes: Vec<ExtentChange>,
    pub(crate) appended: Vec<Appended>,
    pub(crate) compared: Compared,
    /// The pieces that stay dirty.
    pub(crate) left: Pieces,
    /// The end of the stretch that was changed last: from the offset from which the change lists all extents, to the end of
    /// the last written piece.
    last: Range<u64>,
    /// The resulting extents at the end of that stretch.
    end: Vec<Extent>,
}

/// Options of a flush.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// Look for chunks that the pool has already.
    pub(crate) share: bool,
    /// New bytes of tails may stay dirty.
    pub(crate) leave_tails: bool,
}

/// A chunk that has to be packed and appended.
pub(crate) struct Fresh {
    pub(crate) id: ChunkId,
    pub(crate) content: Bytes,
    pub(crate) compression: Compression,
}

/// A plan whose last chunks have not been stored yet.
pub(crate) struct Draft {
    plan: Plan,
    planner: Planner,
}

/// Stores the chunks of a flush.
struct Planner {
    engine: Arc<Engine>,
    handle: Handle,
    /// What is known about the chunks of the dirty bytes.
    early: Arc<EarlyNames>,
    /// The contents of the early chunks that the plan names.
    early_contents: HashMap<ChunkId, Bytes>,
    early_appended: Vec<Appended>,
    compression: Compression,
    share: bool,
    /// Chunks that the pool may have already. The metadata store is asked about all of them at once, because each question may be a
    /// round trip.
    undecided: Vec<Fresh>,
    /// The position of each chunk among them.
    undecided_places: HashMap<ChunkId, usize>,
    undecided_bytes: usize,
    portion: Vec<Fresh>,
    /// The position of each chunk in the portion.
    places: HashMap<ChunkId, usize>,
    portion_bytes: usize,
    /// Chunks of earlier portions.
    before: HashSet<ChunkId>,
    /// The previous portion, while it is being written to the disk.
    appending: Option<Pending<Result<Appended>>>,
    appended: Vec<Appended>,
    compared: Compared,
}

impl Engine {
    /// Plans the flush of `pieces`. Blocks on the disk.
    pub(crate) fn plan(
        self: &Arc<Self>,
        inode: &Arc<Inode>,
        pieces: &Pieces,
        early: &Arc<EarlyNames>,
        manner: Manner,
    ) -> Result<Plan> {
        self.cut(inode, pieces, early, manner)?.store()
    }

    /// Plans the flush of `pieces`, but does not store the last portion of chunks. With few pieces there is only one
    /// portion, so nothing blocks, except for reading older data.
    pub(crate) fn cut(
        self: &Arc<Self>,
        inode: &Arc<Inode>,
        pieces: &Pieces,
        early: &Arc<EarlyNames>,
        manner: Manner,
    ) -> Result<Draft> {
        if manner.share {
            self.warm_chunks(early.ids())?;
        }
        let mut planner = Planner {
            engine: self.clone(),
            handle: inode.handle,
            early: early.clone(),
            early_contents: HashMap::new(),
            early_appended: Vec::new(),
            compression: self.compression(inode),
            share: manner.share,
            undecided: Vec::new(),
            undecided_places: HashMap::new(),
            undecided_bytes: 0,
            portion: Vec::new(),
            places: HashMap::new(),
            portion_bytes: 0,
            before: HashSet::new(),
            appending: None,
            appended: Vec::new(),
            compared: Compared::default(),
        };
        let mut plan = Plan::default();
        let manner = stretch::Manner { leave: manner.leave_tails, scattered_until: scattered_until(pieces) };
        for dirty in stretches(pieces) {
            let (from, before) = self.extents_about(inode, &dirty)?;
            let after = stretch::rewrite(&before, &dirty, manner, &mut planner)?;
            for range in after.left {
                for (offset, bytes) in pieces.within(range) {
                    plan.left.insert(offset, bytes);
                }
            }
            plan.last = from..dirty.last().map_or(from, end_of);
            plan.end = tails::near_end(from, &after.extents).cloned().collect();
            plan.changes.push(ExtentChange { before, after: after.extents }.without_common());
        }
        planner.decide()?;
        Ok(Draft { plan, planner })
    }

    /// How the file's chunks are compressed.
    pub(crate) fn compression(&self, inode: &Inode) -> Compression {
        self.volumes.get(inode.handle.volume).map_or(Compression::None, |it| it.spec.compression)
    }

    /// The extents that affect, or are changed by, writing a stretch. Returns an offset, and all extents from that offset to
    /// a limited distance behind the stretch.
    fn extents_about(&self, inode: &Arc<Inode>, dirty: &[(u64, Bytes)]) -> Result<(u64, Vec<Extent>)> {
        let start = dirty.first().map_or(0, |(offset, _)| *offset);
        let end = dirty.last().map_or(0, end_of);
        let from = start.saturating_sub(REACH_BEFORE_BYTES);
        let near = self.extents_ordered(inode, from..end.saturating_add(stretch::REACH_BEHIND_BYTES))?;
        let fills_gap = !stretch::covers(&near, end.saturating_sub(1)..end);
        if fills_gap && stretch::covers(&near, end..u64::MAX) {
            let far = from..end.saturating_add(stretch::REACH_BEHIND_GAP_BYTES);
            return Ok((from, self.extents_ordered(inode, far)?));
        }
        Ok((from, near))
    }
}

impl Draft {
    /// The plan, and the chunks that have not been stored yet.
    pub(crate) fn pack(self) -> (Plan, Vec<Packed>) {
        let Draft { mut plan, planner } = self;
        (plan.appended, plan.compared) = (planner.appended, planner.compared);
        let packed = pack(planner.engine.identity.names.naming(), &planner.portion);
        count_packed(&packed, &planner.engine.meters);
        (plan, packed)
    }

    /// Whether the plan names chunks that were appended early, which may not be durable yet.
    pub(crate) fn names_early(&self) -> bool {
        !self.planner.early_contents.is_empty()
    }

    /// Stores the remaining chunks. Blocks on the disk.
    pub(crate) fn store(self) -> Result<Plan> {
        let Draft { mut plan, mut planner } = self;
        planner.begin_append()?;
        planner.end_append()?;
        (plan.appended, plan.compared) = (planner.appended, planner.compared);
        let engine = planner.engine;
        let own = plan.appended.last().map(|last| last.ticket);
        plan.appended.append(&mut planner.early_appended);
        // The chunks of another file may have been appended later than those of this plan.
        let all = plan.appended.iter().map(|appended| appended.ticket).max();
        if let Some(last) = if engine.keeps(Rule::SyncEarly) { all } else { own } {
            engine.stores.writer.sync(last).inspect_err(|error| engine.stopped.stop(error))?;
        }
        Ok(plan)
    }
}

impl Chunks for Planner {
    fn read(&mut self, id: ChunkId) -> Result<Bytes> {
        if let Some(content) = self.fresh(id) {
            return Ok(content);
        }
        let missing = || Error::Damaged("an extent points to a chunk that has no record".to_owned());
        self.engine.chunk_content(id, self.handle)?.ok_or_else(missing)
    }

    fn read_once(&mut self, id: ChunkId) -> Result<Bytes> {
        if let Some(content) = self.fresh(id) {
            return Ok(content);
        }
        match self.engine.chunk_content_once(id)? {
            Some(content) => Ok(content),
            None => self.read(id),
        }
    }

    fn write(&mut self, content: Bytes, about: About) -> Result<ChunkId> {
        let id = self.early.of(&content).unwrap_or_else(|| self.engine.identity.names.name(&content));
        let compares = self.engine.options.dedup_verify;
        if about.is_provisional && !compares {
            self.engine.caches.chunks.insert(id, content.clone());
        }
        let is_planned = self.places.contains_key(&id)
            || self.before.contains(&id)
            || self.undecided_places.contains_key(&id);
        if !is_planned && self.name_early(id, &content) {
            return Ok(id);
        }
        let is_known = if compares {
            self.engine.has_same(id, &content, &mut self.compared, self.share)?
        } else {
            is_planned
        };
        if is_known {
            self.engine.meters.shared(1, content.len() as u64);
            return Ok(id);
        }
        let compression = if about.is_compressed { Compression::None } else { self.compression };
        let fresh = Fresh { id, content, compression };
        if self.share && !compares {
            self.undecided_bytes += fresh.content.len();
            self.undecided_places.insert(id, self.undecided.len());
            self.undecided.push(fresh);
            if self.undecided_bytes >= PORTION_BYTES {
                self.decide()?;
            }
        } else {
            self.add(fresh)?;
        }
        Ok(id)
    }
}

impl Planner {
    /// Adds those of the undecided chunks to the portion that the pool does not have.
    fn decide(&mut self) -> Result<()> {
        self.undecided_places.clear();
        self.undecided_bytes = 0;
        let undecided = std::mem::take(&mut self.undecided);
        self.engine.warm_chunks(undecided.iter().map(|fresh| fresh.id))?;
        for fresh in undecided {
            // Another file may have appended it meanwhile.
            if self.name_early(fresh.id, &fresh.content) {
                continue;
            }
            let known = self.engine.chunk_record(fresh.id)?;
            if known.is_some_and(|known| self.engine.segments.holds(&known)) {
                self.engine.meters.shared(1, fresh.content.len() as u64);
            } else {
                self.add(fresh)?;
            }
        }
        Ok(())
    }

    /// Adds a chunk that the pool does not have.
    fn add(&mut self, fresh: Fresh) -> Result<()> {
        self.portion_bytes += fresh.content.len();
        self.places.insert(fresh.id, self.portion.len());
        self.portion.push(fresh);
        if self.portion_bytes >= PORTION_BYTES {
            self.begin_append()?;
        }
        Ok(())
    }

    /// Uses the chunk of this name if one was appended early, for this file or another.
    fn name_early(&mut self, id: ChunkId, content: &Bytes) -> bool {
        let early = &self.engine.writes.early;
        let Some((chunk, appended)) =
            early.get(id).and_then(|chunk| Some((chunk.clone(), chunk.appended()?)))
        else {
            return false;
        };
        let bytes = content.len() as u64;
        if chunk.use_first() {
            self.engine.meters.bytes_early_named.add(bytes);
        } else {
            self.engine.meters.shared(1, bytes);
        }
        self.early_appended.push(appended);
        self.before.insert(id);
        self.early_contents.insert(id, content.clone());
        true
    }

    /// The chunk's bytes, if it is undecided or in the portion, or was appended early.
    fn fresh(&self, id: ChunkId) -> Option<Bytes> {
        if let Some(content) = self.early_contents.get(&id) {
            return Some(content.clone());
        }
        if let Some(place) = self.undecided_places.get(&id) {
            return self.undecided.get(*place).map(|fresh| fresh.content.clone());
        }
        let place = self.places.get(&id)?;
        self.portion.get(*place).map(|fresh| fresh.content.clone())
    }

    /// Starts packing and appending the portion, once the previous one is done.
    fn begin_append(&mut self) -> Result<()> {
        self.end_append()?;
        let portion = std::mem::take(&mut self.portion);
        let bytes = std::mem::take(&mut self.portion_bytes);
        self.before.extend(self.places.drain().map(|(id, _)| id));
        if !portion.is_empty() {
            let engine = self.engine.clone();
            let append = move || {
                let packed = pack_all(engine.identity.names.naming(), &portion, bytes);
                count_packed(&packed, &engine.meters);
                engine.stores.writer.append(&packed)
            };
            self.appending = Some(sync::begin(append)?);
        }
        Ok(())
    }

    fn end_append(&mut self) -> Result<()> {
        let Some(appending) = self.appending.take() else { return Ok(()) };
        self.appended.push(appending.wait()??);
        Ok(())
    }
}

/// Packs chunks, on several cores if there are many bytes.
pub(crate) fn pack_all(naming: Naming, portion: &[Fresh], bytes: usize) -> Vec<Packed> {
    let parts = packers().min(bytes / PACK_BYTES_MIN).max(1);
    let mut parts = portion.chunks(portion.len().div_ceil(parts).max(1));
    let Some(first) = parts.next() else { return Vec::new() };
    std::thread::scope(|scope| {
        let others: Vec<_> = parts.map(|part| (part, scope.spawn(move || pack(naming, part)))).collect();
        let mut packed = pack(naming, first);
        for (part, thread) in others {
            // If a thread has panicked, its part is packed here.
            packed.extend(thread.join().unwrap_or_else(|_| pack(naming, part)));
        }
        packed
    })
}

/// Cached, because the system call is slow.
fn packers() -> usize {
    static PACKERS: OnceLock<usize> = OnceLock::new();
    *PACKERS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from).min(PACKERS_MAX))
}

fn pack(naming: Naming, chunks: &[Fresh]) -> Vec<Packed> {
    let mut packer = Packer::default();
    chunks.iter().map(|fresh| packer.pack(naming, fresh.id, &fresh.content, fresh.compression)).collect()
}

fn end_of((offset, bytes): &(u64, Bytes)) -> u64 {
    offset.saturating_add(bytes.len() as u64)
}

/// The start of the last piece, if there are many pieces: only behind it can a stream continue. Returns 0 if there are few,
/// as for small synchronous writes: storing chunks for those would cost each of them another sync.
fn scattered_until(pieces: &Pieces) -> u64 {
    let last = pieces.last_offset().unwrap_or(0);
    if pieces.bytes() > SMALL_BYTES_MAX { last } else { 0 }
}

/// The pieces, in groups that do not affect each other.
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
    /// The end of the file after the plan is carried out, or `None` if the plan does not change it. `size` is the file's
    /// durable size so far. The file has no extents behind it.
    pub(crate) fn tail(&self, inode: &Arc<Inode>, truncations: u64, size: u64) -> Option<Tail> {
        let is_about_end = !self.changes.is_empty() && self.last.end >= size;
        is_about_end.then(|| Tail::new(inode, truncations, self.last.start, &self.end))
    }

    /// The end of the last of `pieces`, without the bytes that stay dirty.
    pub(crate) fn end_of_stored(&self, pieces: &Pieces) -> u64 {
        let stored = pieces.iter().filter_map(|(offset, bytes)| {
            let end = end_of(&(offset, bytes.clone()));
            // Only the end of a piece, or all of it, can stay dirty.
            let start = self.left.within(offset..end).first().map_or(end, |(start, _)| *start);
            (start > offset).then_some(start)
        });
        stored.max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::keys;
    use crate::testing::{Asked, watched_pool};
    use crate::{Kind, NewInode, PoolOptions, Stability, VolumeSpec};

    /// Waits until the thread that appends early has done what there is to do.
    fn wait_for_early(engine: &Engine) {
        let (done, is_through) = std::sync::mpsc::channel();
        engine.committing.early.submit(Box::new(move || done.send(()).unwrap())).unwrap();
        tokio::task::block_in_place(|| is_through.recv().unwrap());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn nobody_looks_for_extents_of_a_new_file() {
        let (meta, pool) = watched_pool(PoolOptions { log_bytes_max: 0, ..PoolOptions::default() });
        let root = pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap().root;
        let file = pool.create(root, b"new", NewInode::new(Kind::File, 0o600)).await.unwrap();
        let file = file.attributes.handle;
        let mut content = vec![0; 6 << 20];
        blake3::Hasher::new().finalize_xof().fill(&mut content);
        meta.forget_questions();
        pool.write(file, 0, content.into(), Stability::Unstable).await.unwrap();
        let engine = pool.engine().unwrap();
        wait_for_early(&engine);
        assert!(engine.meters.bytes_early.get() > 0, "chunks were appended early");
        pool.commit(file, 0, 0).await.unwrap();
        assert_eq!(meta.asked(keys::EXTENT), Asked::default());
        drop(engine);
        pool.close().await.unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_flush_asks_for_all_its_chunks_at_once() {
        let (meta, pool) = watched_pool(PoolOptions { log_bytes_max: 0, ..PoolOptions::default() });
        let root = pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap().root;
        let mut content = vec![0; 6 << 20];
        blake3::Hasher::new().finalize_xof().fill(&mut content);
        let content = Bytes::from(content);
        let mut stored = Vec::new();
        // Its 48 chunks are flushed in two portions, because a portion has 4 pieces in tests. The names of the second file's are in memory.
        for (name, together) in [(b"one".as_slice(), 2), (b"other", 0)] {
            let file = pool.create(root, name, NewInode::new(Kind::File, 0o600)).await.unwrap();
            let file = file.attributes.handle;
            let engine = pool.engine().unwrap();
            // As if the thread that appends early were slow.
            let appending = engine.inode(file).unwrap().appending.clone().lock_owned().await;
            for at in (0..content.len()).step_by(1 << 20) {
                let part = content.slice(at..at + (1 << 20));
                pool.write(file, at as u64, part, Stability::Unstable).await.unwrap();
            }
            wait_for_early(&engine);
            meta.forget_questions();
            drop(appending);
            pool.commit(file, 0, 0).await.unwrap();
            assert_eq!(meta.asked(keys::CHUNK), Asked { together, alone: 0 });
            assert_eq!(pool.read(file, 0, u32::MAX).await.unwrap().pieces.concat(), content);
            stored.push(pool.stored().unwrap().bytes_live);
        }
        assert_eq!(stored[0], stored[1], "the other one has the same chunks");
        assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
        pool.close().await.unwrap();
    }
}
