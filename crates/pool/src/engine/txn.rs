//! One atomic change of metadata, while it is being assembled.
//!
//! A job in the committer reads through its `Txn`, so that it sees its own changes, and stages further changes there.
//! [`Txn::commit`] turns them into one batch. Only then do the inodes, chunks, segments and counters in memory follow.
//! Dropping a `Txn` changes nothing.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;

use crate::base::sync;
use crate::engine::Engine;
use crate::format::keys::{self, ChunkId, InodeKey, Item, Key, SegmentId};
use crate::format::records::{
    ChunkRecord, Counters, InodeRecord, Record, SegmentRecord, UsageRecord, VolumeRecord,
};
use crate::parts::compared::Compared;
use crate::parts::inode::{Cleared, Flushed, Inode};
use crate::parts::log::Rule;
use crate::store::meta::Batch;
use crate::{Error, Handle, InodeId, Kind, Result, VolumeId};

/// How the inode in memory follows its record.
enum Follow {
    /// A metadata operation changed the record. `mtime_set`: the caller chose the mtime. `cleared`: the range whose dirty
    /// data is dropped.
    Changed { mtime_set: bool, cleared: Option<Cleared> },
    /// The record is the result of a flush.
    Flushed(Flushed),
    /// The inode is new.
    Created,
    /// The inode is gone.
    Deleted,
}

struct StagedInode {
    inode: Arc<Inode>,
    record: InodeRecord,
    follow: Follow,
}

/// Runs when the batch is applied, before any later batch can be applied.
type Then = Box<dyn FnOnce(&Engine)>;

/// See the module's documentation.
pub(crate) struct Txn<'a> {
    pub(crate) engine: &'a Engine,
    changes: BTreeMap<Key, Option<Bytes>>,
    inodes: BTreeMap<InodeKey, StagedInode>,
    usage: BTreeMap<VolumeId, UsageRecord>,
    chunks: BTreeMap<ChunkId, Option<ChunkRecord>>,
    segments: BTreeMap<SegmentId, SegmentRecord>,
    counters: Option<Counters>,
    /// The volume that this transaction creates, if any.
    creating: Option<VolumeId>,
    then: Vec<Then>,
}

impl<'a> Txn<'a> {
    pub(crate) fn new(engine: &'a Engine) -> Self {
        Txn {
            engine,
            changes: BTreeMap::new(),
            inodes: BTreeMap::new(),
            usage: BTreeMap::new(),
            chunks: BTreeMap::new(),
            segments: BTreeMap::new(),
            counters: None,
            creating: None,
            then: Vec::new(),
        }
    }

    // ---- keys and values ----

    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        match self.changes.get(key) {
            Some(value) => Ok(value.clone()),
            None => self.engine.stores.meta.get(key),
        }
    }

    pub(crate) fn put(&mut self, key: Key, value: &impl Record) {
        self.changes.insert(key, Some(value.encode().into()));
    }

    pub(crate) fn put_bytes(&mut self, key: Key, value: Bytes) {
        self.changes.insert(key, Some(value));
    }

    pub(crate) fn delete(&mut self, key: Key) {
        self.changes.insert(key, None);
    }

    /// The staged changes for the keys in a range.
    pub(crate) fn staged(&self, range: Range<Key>) -> impl Iterator<Item = (Key, Option<Bytes>)> {
        self.changes.range(range).map(|(key, value)| (key.clone(), value.clone()))
    }

    /// Runs `then` when the batch is applied.
    pub(crate) fn then(&mut self, then: impl FnOnce(&Engine) + 'static) {
        self.then.push(Box::new(then));
    }

    // ---- inodes ----

    /// The inode that a handle names, for changing it. Returns [`Error::Stale`] if the inode is gone, and
    /// [`Error::ReadOnly`] if it is in a snapshot.
    pub(crate) fn inode(&self, handle: Handle) -> Result<Arc<Inode>> {
        self.engine.volumes.require_writable(handle.volume)?;
        self.engine.inode(handle)
    }

    /// The inode's record, including staged changes.
    pub(crate) fn record(&self, inode: &Inode) -> Result<InodeRecord> {
        match self.inodes.get(&inode.key()) {
            Some(StagedInode { follow: Follow::Deleted, .. }) => Err(Error::Stale),
            Some(staged) => Ok(staged.record.clone()),
            None => Ok(inode.live()?.record.clone()),
        }
    }

    /// Stages a new record for the inode, with a new `change` and ctime. Returns the `change`.
    pub(crate) fn touch(&mut self, inode: &Arc<Inode>, mut record: InodeRecord) -> u64 {
        let state = inode.state();
        record.change = state.change_staged();
        // The ctime must not go back behind one that a dirty write has already shown.
        record.ctime = self.engine.clock.now().max(state.attributes(inode.handle).ctime);
        drop(state);
        let change = record.change;
        self.stage(inode, record, Follow::Changed { mtime_set: false, cleared: None });
        change
    }

    /// Like [`Txn::touch`], for a record whose mtime the caller chose or is the current time.
    pub(crate) fn touch_with_mtime(&mut self, inode: &Arc<Inode>, record: InodeRecord) -> u64 {
        let change = self.touch(inode, record);
        if let Some(StagedInode { follow: Follow::Changed { mtime_set, .. }, .. }) =
            self.inodes.get_mut(&inode.key())
        {
            *mtime_set = true;
        }
        change
    }

    /// Like [`Txn::touch_with_mtime`], for a change that removed or replaced extents. Also drops the dirty data there. The
    /// inode's log must be closed, and what it held outside of the cleared range must be flushed
    /// ([`Engine::close_log`](crate::data::secure)).
    pub(crate) fn touch_and_clear(
        &mut self,
        inode: &Arc<Inode>,
        mut record: InodeRecord,
        what: Cleared,
    ) -> u64 {
        record.absorbed = record.absorbed.max(self.engine.log_position());
        let change = self.touch_with_mtime(inode, record);
        if let Some(StagedInode { follow: Follow::Changed { cleared, .. }, .. }) =
            self.inodes.get_mut(&inode.key())
        {
            *cleared = Some(what);
        }
        change
    }

    /// Stages the record that results from a flush.
    pub(crate) fn flushed(&mut self, inode: &Arc<Inode>, record: InodeRecord, flushed: Flushed) {
        self.stage(inode, record, Follow::Flushed(flushed));
    }

    fn stage(&mut self, inode: &Arc<Inode>, record: InodeRecord, follow: Follow) {
        let follow = match self.inodes.get(&inode.key()) {
            // The inode stays new, whatever else the same batch does to it.
            Some(StagedInode { follow: Follow::Created, .. }) => Follow::Created,
            _ => follow,
        };
        self.inodes.insert(inode.key(), StagedInode { inode: inode.clone(), record, follow });
    }

    /// Stages a new inode with this record, and returns it.
    pub(crate) fn create_inode(&mut self, volume: VolumeId, mut record: InodeRecord) -> Result<Arc<Inode>> {
        let mut counters = self.counters.unwrap_or_else(|| *sync::lock(&self.engine.counters));
        let id = InodeId(counters.inode_next);
        counters.inode_next = counters.inode_next.checked_add(1).ok_or(Error::NoSpace)?;
        self.counters = Some(counters);
        if record.is_directory() && record.parent == InodeId(0) {
            record.parent = id;
        }
        // The log may know an inode with this number, whose creation a crash took back.
        if record.kind == Kind::File {
            record.absorbed = self.engine.log_position();
        }
        let inode = Arc::new(Inode::new(InodeKey { volume, inode: id }, record.clone(), self.engine.era()));
        self.usage(volume)?.inodes += 1;
        self.stage(&inode, record, Follow::Created);
        Ok(inode)
    }

    /// Stages the deletion of an inode: its record is removed, and its handle becomes stale.
    pub(crate) fn delete_inode(&mut self, inode: &Arc<Inode>) -> Result<()> {
        let record = inode.state().record.clone();
        let usage = self.usage(inode.handle.volume)?;
        usage.inodes = usage.inodes.saturating_sub(1);
        let staged = StagedInode { inode: inode.clone(), record, follow: Follow::Deleted };
        self.inodes.insert(inode.key(), staged);
        Ok(())
    }

    /// The id for a new volume.
    pub(crate) fn volume_id_next(&mut self) -> Result<VolumeId> {
        let mut counters = self.counters.unwrap_or_else(|| *sync::lock(&self.engine.counters));
        let id = VolumeId(counters.volume_next);
        counters.volume_next = counters.volume_next.checked_add(1).ok_or(Error::NoSpace)?;
        self.counters = Some(counters);
        self.creating = Some(id);
        Ok(id)
    }

    /// Begins another era. Every `change` of the new era is larger than all earlier ones.
    pub(crate) fn begin_era(&mut self) -> u64 {
        let mut counters = self.counters.unwrap_or_else(|| *sync::lock(&self.engine.counters));
        counters.era += 1;
        self.counters = Some(counters);
        counters.era
    }

    /// Stages a new record for a volume.
    pub(crate) fn change_volume(&mut self, id: VolumeId, record: VolumeRecord) {
        self.put(keys::volume(id), &record);
        self.then(move |engine| engine.volumes.set_record(id, record));
    }

    /// The volume's usage, for changing it.
    pub(crate) fn usage(&mut self, volume: VolumeId) -> Result<&mut UsageRecord> {
        let known = self.engine.volumes.usage(volume);
        Ok(self.usage.entry(volume).or_insert(known))
    }

    /// Stages the removal of the records of a volume or snapshot itself.
    pub(crate) fn forget_volume(&mut self, volume: VolumeId) {
        self.usage.remove(&volume);
        for key in [keys::usage(volume), keys::volume(volume), keys::deleting(volume), keys::purging(volume)]
        {
            self.delete(key);
        }
        self.then(move |engine| engine.volumes.forget(volume));
    }

    // ---- chunks ----

    /// The chunk's record, including staged changes.
    pub(crate) fn chunk(&self, id: ChunkId) -> Result<Option<ChunkRecord>> {
        match self.chunks.get(&id) {
            Some(record) => Ok(*record),
            None => self.engine.chunk_record(id),
        }
    }

    /// Counts one more extent that refers to the chunk. `placed` says where the chunk was appended, in case the pool does
    /// not have it, or has lost the segment that holds it, or the chunk there is not intact. Returns false if there is no such
    /// chunk and `placed` is `None`.
    pub(crate) fn chunk_refer(
        &mut self,
        id: ChunkId,
        placed: Option<ChunkRecord>,
        compared: &Compared,
    ) -> Result<bool> {
        let is_intact = self.is_shareable(id, placed.as_ref(), compared)?;
        let record = match (self.chunk(id)?, placed) {
            (Some(_), None) if !is_intact => return Ok(false),
            (Some(known), placed) => {
                let references = known.references.checked_add(1);
                let references = references.ok_or_else(|| Error::invalid_arguments("too many references"))?;
                match placed.filter(|_| !is_intact || !self.engine.segments.holds(&known)) {
                    Some(placed) => {
                        self.segment(known.segment).remove(known.bytes_stored);
                        self.segment(placed.segment).place(placed.bytes_stored);
                        ChunkRecord { references, ..placed }
                    }
                    None => ChunkRecord { references, ..known },
                }
            }
            (None, Some(placed)) => {
                self.segment(placed.segment).place(placed.bytes_stored);
                placed
            }
            (None, None) => return Ok(false),
        };
        self.chunks.insert(id, Some(record));
        Ok(true)
    }

    /// Counts one extent fewer that refers to the chunk. When none is left, the chunk's place is dead.
    pub(crate) fn chunk_unrefer(&mut self, id: ChunkId) -> Result<()> {
        let Some(mut record) = self.chunk(id)? else {
            return Err(Error::Damaged("an extent points to a chunk that has no record".to_owned()));
        };
        record.references = record.references.saturating_sub(1);
        if record.references > 0 {
            self.chunks.insert(id, Some(record));
        } else {
            self.segment(record.segment).remove(record.bytes_stored);
            self.chunks.insert(id, None);
        }
        Ok(())
    }

    /// Records that the chunk has moved to `to`, if it still was at `from`.
    pub(crate) fn chunk_move(&mut self, id: ChunkId, from: (SegmentId, u64), to: ChunkRecord) -> Result<()> {
        let Some(record) = self.chunk(id)? else { return Ok(()) };
        if (record.segment, record.offset) != from {
            return Ok(());
        }
        self.segment(record.segment).remove(record.bytes_stored);
        self.segment(to.segment).place(to.bytes_stored);
        self.chunks.insert(id, Some(ChunkRecord { references: record.references, ..to }));
        Ok(())
    }

    fn segment(&mut self, id: SegmentId) -> &mut SegmentRecord {
        let known = self.engine.segments.usage(id);
        self.segments.entry(id).or_insert(known)
    }

    /// Stages the removal of a segment's record.
    pub(crate) fn forget_segment(&mut self, id: SegmentId) {
        self.delete(keys::segment(id));
        self.then(move |engine| engine.segments.forget(id));
    }

    // ---- the end ----

    /// Writes all staged changes as one batch. They are visible when this returns.
    pub(crate) fn commit(mut self) -> Result<()> {
        // Checked here whatever the job has checked before: snapshots never change, and volumes that are gone do not either.
        for volume in self.inodes.keys().map(|key| key.volume).filter(|id| self.creating != Some(*id)) {
            self.engine.volumes.require_writable(volume)?;
        }
        self.encode_inodes()?;
        self.encode_staged();
        if !self.changes.is_empty() {
            let changes: Vec<_> = std::mem::take(&mut self.changes).into_iter().collect();
            self.engine.meters.bytes_metadata.add(changes.iter().map(bytes_of).sum());
            self.set_truncating(true);
            self.engine.committing.written.store(true, Ordering::SeqCst);
            let written = self.engine.stores.meta.write(Batch { changes });
            if let Err(error) = written {
                self.engine.stopped.stop(&error);
                self.set_truncating(false);
                return Err(error);
            }
        }
        self.follow();
        Ok(())
    }

    /// Makes readers of truncated files wait while extents, size and dirty data may disagree.
    fn set_truncating(&self, truncating: bool) {
        for staged in self.inodes.values() {
            if matches!(staged.follow, Follow::Changed { cleared: Some(_), .. }) {
                staged.inode.state().truncating = truncating;
            }
        }
    }

    fn encode_inodes(&mut self) -> Result<()> {
        let inodes = std::mem::take(&mut self.inodes);
        for (key, staged) in &inodes {
            let item = Item::inode(key.inode);
            if self.is_plain(key.volume) {
                self.count_inode(key.volume, &staged.follow)?;
            }
            match staged.follow {
                Follow::Deleted => self.remove_item(key.volume, &item)?,
                _ => self.put_item(key.volume, &item, &staged.record)?,
            }
        }
        self.inodes = inodes;
        Ok(())
    }

    /// In a plain volume, the number of stored inodes changes with the number of shown ones.
    fn count_inode(&mut self, volume: VolumeId, follow: &Follow) -> Result<()> {
        let usage = self.usage(volume)?;
        match follow {
            Follow::Created => usage.inodes_stored += 1,
            Follow::Deleted => usage.inodes_stored = usage.inodes_stored.saturating_sub(1),
            Follow::Changed { .. } | Follow::Flushed(_) => {}
        }
        Ok(())
    }

    fn encode_staged(&mut self) {
        for (id, record) in &self.chunks {
            self.changes.insert(keys::chunk(*id), record.map(|record| record.encode().into()));
        }
        let keeps_dead = !self.engine.options.keep_dead_segments.is_zero();
        for (id, record) in &mut self.segments {
            record.dead_since = if keeps_dead && record.bytes_live == 0 {
                record.dead_since.or_else(|| Some(self.engine.seconds_now()))
            } else {
                None
            };
            self.changes.insert(keys::segment(*id), Some(record.encode().into()));
        }
        for (id, usage) in &self.usage {
            self.changes.insert(keys::usage(*id), Some(usage.encode().into()));
        }
        if let Some(counters) = &self.counters {
            self.changes.insert(keys::counters(), Some(counters.encode().into()));
        }
    }

    /// Updates memory after the batch.
    fn follow(self) {
        let engine = self.engine;
        let batch = engine.stores.meta.position().written;
        for (_, staged) in self.inodes {
            let mut state = staged.inode.state();
            match staged.follow {
                Follow::Changed { mtime_set, cleared } => {
                    if engine.keeps(Rule::WaitForBatch) {
                        state.batch = batch;
                    }
                    if cleared.is_some() {
                        state.absorbed(staged.record.absorbed);
                    }
                    state.applied(staged.record, mtime_set);
                    let released = cleared.map_or(0, |what| state.clear(what));
                    let empty = state.dirty.is_empty();
                    let growth = if empty { std::mem::take(&mut state.growth) } else { 0 };
                    drop(state);
                    engine.writes.dirty.release(released);
                    engine.volumes.release(staged.inode.handle.volume, growth);
                }
                Follow::Flushed(flushed) => {
                    // Bytes that were never logged are durable with this batch only.
                    if !state.unlogged_flushing.is_empty() && engine.keeps(Rule::WaitForData) {
                        state.batch = batch;
                    }
                    let replaced = state.applied_flush(staged.record, &flushed);
                    engine.writes.dirty.release(replaced);
                }
                Follow::Deleted => {
                    state.freed = true;
                    state.gone = true;
                }
                Follow::Created => {
                    if engine.keeps(Rule::WaitForBatch) {
                        state.batch = batch;
                    }
                    state.applied(staged.record, true);
                    drop(state);
                    engine.inodes.insert(staged.inode);
                }
            }
        }
        for (id, record) in self.chunks {
            engine.caches.fingerprints.set(id, record);
        }
        for (id, record) in self.segments {
            engine.segments.set(id, record);
        }
        for (id, usage) in self.usage {
            engine.volumes.set_usage(id, usage);
        }
        if let Some(counters) = self.counters {
            *sync::lock(&engine.counters) = counters;
        }
        for then in self.then {
            then(engine);
        }
    }
}

/// The size in bytes of a change in a batch of the metadata store.
fn bytes_of((key, value): &(Key, Option<Bytes>)) -> u64 {
    (key.len() + value.as_ref().map_or(0, Bytes::len)) as u64
}
