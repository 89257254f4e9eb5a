//! An inode in memory: its durable state, and its state that is not durable yet.
//!
//! Only the committer changes the durable record, and the inode is in the cache meanwhile. Unstable writes change the
//! *unstable* part under the inode's lock. Readers see both combined: [`State::attributes`].
//!
//! Locks:
//! - `order` (async) is held by each task that changes extents: a flush, a truncation, a hole, a clone, the reaper. A
//!   task may hold it while waiting for the disk. A task that holds several must take them in the order of their keys.
//! - `appending` (async) is taken after `order`, or without waiting.
//! - `state` is held only for operations in memory. A thread that holds one waits for no other lock, with one
//!   exception: the committer, and only the committer, may hold the states of several inodes.
//!
//! `change` (RFC 8881 section 5.8.1.4) must never show the same value for two states of the file. Each new value is
//! larger than all earlier ones, and at least `era << 40`. The values of unstable writes live in memory, and a crash
//! loses them together with the writes. Values after the crash come from a larger era, so a lost value is never shown
//! again. A rollback begins a new era for the same reason, and no inode of its volume shows a `change` below the first
//! of that era.

mod cache;
mod pieces;

pub(crate) use cache::InodeCache;
pub(crate) use pieces::Pieces;

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use crate::base::sync;
use crate::format::keys::InodeKey;
use crate::format::records::InodeRecord;
use crate::parts::early::Early;
use crate::{Attributes, Error, Handle, InodeId, Kind, Result};

/// The first `change` of an era.
pub(crate) fn change_floor(era: u64) -> u64 {
    era << 40
}

/// The number of unstable writes to a file for which values of `change` are left between the staging of a record and
/// its application. Usually there are none.
const STAGED_CHANGE_GAP: u64 = 4096;

/// See the module.
pub(crate) struct Inode {
    pub(crate) handle: Handle,
    pub(crate) order: Arc<tokio::sync::Mutex<()>>,
    /// Held while dirty bytes are appended early, so that a flush does not take what is just being appended.
    pub(crate) appending: Arc<tokio::sync::Mutex<()>>,
    state: Mutex<State>,
}

/// The attributes of an inode that are not durable yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unstable {
    /// The end of the furthest write. This is the file's size if it is beyond the durable size.
    pub(crate) size: u64,
    /// The `change` of the last unstable write, or 0.
    pub(crate) change: u64,
    pub(crate) mtime: Option<SystemTime>,
    pub(crate) ctime: Option<SystemTime>,
    pub(crate) atime: Option<SystemTime>,
}

/// The result of a flush: the unstable attributes that are now durable, and the pieces that are not.
#[derive(Debug)]
pub(crate) struct Flushed {
    pub(crate) unstable: Unstable,
    pub(crate) left: Pieces,
    /// What the record says is absorbed.
    pub(crate) absorbed: u64,
    /// The growth of the volume that stays reserved for `left`.
    pub(crate) growth: u64,
    /// The pieces that are still being written to the disk.
    pub(crate) rest: Option<Arc<Pieces>>,
}

/// The unstable content to remove when a change of extents is applied.
#[derive(Clone, Debug)]
pub(crate) enum Cleared {
    /// All bytes after this size, which becomes the size of the file.
    Behind(u64),
    /// All bytes in this range. The size stays.
    Within(Range<u64>),
}

/// The data that `state` guards.
pub(crate) struct State {
    pub(crate) record: InodeRecord,
    pub(crate) unstable: Unstable,
    /// Written, but no flush has taken it yet.
    pub(crate) dirty: Pieces,
    /// The number of bytes by which `dirty` may make the volume grow, which the volume has reserved.
    pub(crate) growth: u64,
    /// Being written to the disk, and not in the extents yet, so readers must look here. Older than `dirty`.
    pub(crate) flushing: Option<Arc<Pieces>>,
    /// The part of `dirty` that neither the log nor a batch holds. Empty if the pool or the volume has no log.
    pub(crate) unlogged: Pieces,
    /// The same of `flushing`, until its batch is visible.
    pub(crate) unlogged_flushing: Pieces,
    /// The log holds something that may not be absorbed: bytes from this offset on, or only attributes if it is `u64::MAX`.
    pub(crate) logged_from: Option<u64>,
    /// The position of the last record, and the `change` that it carries.
    pub(crate) logged_last: u64,
    pub(crate) logged_change: u64,
    /// The number of records that the logger has not decided on.
    pub(crate) logging: u32,
    /// How many records the logger has refused, and how many of them a flush has made good since.
    pub(crate) refused: u64,
    pub(crate) refused_flushed: u64,
    /// The number of tasks that are about to change extents other than by a flush, or doing so: nothing is logged.
    pub(crate) log_closed: u32,
    /// An answer that relies on the log must wait until this batch is durable.
    pub(crate) batch: u64,
    /// When the oldest unstable change was made.
    pub(crate) dirty_since: Option<Instant>,
    /// What has been appended of `dirty` before a flush takes it.
    pub(crate) early: Early,
    /// The number of flushes in a row that left all they could in memory.
    pub(crate) deferrals: u8,
    /// The largest `change` used so far.
    change_reserved: u64,
    pub(crate) holds: u32,
    /// Counts truncations and all other changes of extents except flushes. A reader that overlaps one starts over.
    pub(crate) truncations: u64,
    /// One of these changes is being applied: extents within the size may be gone.
    pub(crate) truncating: bool,
    /// The inode is freed, or is being freed: its handle is stale.
    pub(crate) freed: bool,
    /// Freed, or removed with its volume or by a rollback: there is nothing left to free.
    pub(crate) gone: bool,
    /// Counts rollbacks. An operation that began before a rollback has no effect after it.
    pub(crate) rollbacks: u64,
    /// The inode is in the queue of orphans.
    pub(crate) queued: bool,
}

impl Inode {
    pub(crate) fn new(key: InodeKey, record: InodeRecord, era: u64) -> Self {
        let handle = Handle { volume: key.volume, inode: key.inode, generation: record.generation };
        let change_reserved = change_floor(era).max(record.change);
        Inode {
            handle,
            order: Arc::default(),
            appending: Arc::default(),
            state: Mutex::new(State {
                record,
                unstable: Unstable::default(),
                dirty: Pieces::default(),
                growth: 0,
                flushing: None,
                unlogged: Pieces::default(),
                unlogged_flushing: Pieces::default(),
                logged_from: None,
                logged_last: 0,
                logged_change: 0,
                logging: 0,
                refused: 0,
                refused_flushed: 0,
                log_closed: 0,
                batch: 0,
                dirty_since: None,
                early: Early::default(),
                deferrals: 0,
                change_reserved,
                holds: 0,
                truncations: 0,
                truncating: false,
                freed: false,
                gone: false,
                rollbacks: 0,
                queued: false,
            }),
        }
    }

    pub(crate) fn key(&self) -> InodeKey {
        self.handle.into()
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        sync::lock(&self.state)
    }

    /// The state, unless the inode is gone.
    pub(crate) fn live(&self) -> Result<MutexGuard<'_, State>> {
        let state = self.state();
        if state.freed { Err(Error::Stale) } else { Ok(state) }
    }

    /// The attributes, including unstable changes.
    pub(crate) fn attributes(&self) -> Result<Attributes> {
        Ok(self.live()?.attributes(self.handle))
    }
}

impl State {
    pub(crate) fn attributes(&self, handle: Handle) -> Attributes {
        let mut attributes = self.record.attributes(handle);
        attributes.size = self.size();
        attributes.change = self.change();
        attributes.space_used = attributes.space_used.saturating_add(self.bytes_unstable());
        attributes.mtime = self.unstable.mtime.unwrap_or(attributes.mtime);
        attributes.ctime = self.unstable.ctime.map_or(attributes.ctime, |time| time.max(attributes.ctime));
        attributes.atime = self.unstable.atime.unwrap_or(attributes.atime);
        attributes
    }

    /// The size that a reader sees.
    pub(crate) fn size(&self) -> u64 {
        self.record.size.max(self.unstable.size)
    }

    /// The `change` that a reader sees.
    pub(crate) fn change(&self) -> u64 {
        self.record.change.max(self.unstable.change)
    }

    fn bytes_unstable(&self) -> u64 {
        self.dirty.bytes() + self.flushing.as_ref().map_or(0, |pieces| pieces.bytes())
    }

    /// Returns a `change` larger than all before.
    pub(crate) fn change_next(&mut self) -> u64 {
        self.change_reserved += 1;
        self.change_reserved
    }

    /// The `change` for a record that is being staged. Unstable writes that come before the record is applied use the
    /// values below it. So readers do not see the record's own value before the record is applied, nor after a crash
    /// that lost the record.
    pub(crate) fn change_staged(&self) -> u64 {
        self.change_reserved + self.staged_gap()
    }

    fn staged_gap(&self) -> u64 {
        if self.record.kind == Kind::File { STAGED_CHANGE_GAP } else { 1 }
    }

    /// Whether anything is only in memory.
    pub(crate) fn is_unstable(&self) -> bool {
        self.is_written() || self.unstable.atime.is_some()
    }

    /// Whether any written data or its `change` is only in memory.
    pub(crate) fn is_written(&self) -> bool {
        !self.dirty.is_empty() || self.unstable.change != 0
    }

    /// Removes dirty bytes that are older than the change of extents that was just applied. Returns the number of bytes
    /// removed.
    pub(crate) fn clear(&mut self, what: Cleared) -> u64 {
        let before = self.dirty.bytes();
        match what {
            Cleared::Behind(size) => {
                self.dirty.remove(size..u64::MAX);
                self.unlogged.remove(size..u64::MAX);
                self.unstable.size = 0;
            }
            Cleared::Within(range) => {
                self.dirty.remove(range.clone());
                self.unlogged.remove(range);
            }
        }
        self.early = Early::default();
        self.truncations += 1;
        self.truncating = false;
        before - self.dirty.bytes()
    }

    /// Drops all dirty data. Returns the number of bytes dropped.
    pub(crate) fn discard(&mut self) -> u64 {
        self.unstable = Unstable::default();
        self.unlogged = Pieces::default();
        self.unlogged_flushing = Pieces::default();
        self.logged_from = None;
        self.early = Early::default();
        std::mem::take(&mut self.dirty).bytes()
    }

    /// Applies a rollback, which brought back `record`, or removed the inode. Drops all later changes. Returns the
    /// number of dirty bytes and the amount of reserved growth dropped.
    pub(crate) fn rolled_back(&mut self, record: Option<InodeRecord>) -> (u64, u64) {
        let released = (self.discard(), std::mem::take(&mut self.growth));
        self.flushing = None;
        self.dirty_since = None;
        self.truncations += 1;
        self.truncating = false;
        self.rollbacks += 1;
        self.gone = record.is_none();
        self.freed = record.is_none();
        if let Some(record) = record {
            self.change_reserved = self.change_reserved.max(record.change);
            self.record = record;
        }
        released
    }

    /// Whether the inode can be dropped from memory, because the metadata store has all of its state.
    pub(crate) fn is_clean(&self) -> bool {
        !self.is_unstable() && self.flushing.is_none() && self.holds == 0
    }

    /// Called when the committer has applied `record`. `mtime_set`: the caller chose the record's mtime.
    pub(crate) fn applied(&mut self, record: InodeRecord, mtime_set: bool) {
        if mtime_set {
            self.unstable.mtime = None;
        }
        let written_since = self.unstable.change > record.change.saturating_sub(self.staged_gap());
        self.change_reserved = self.change_reserved.max(record.change);
        if written_since {
            // The record's own value stands for the file without these writes, which a crash may lose.
            self.unstable.change = self.change_next();
        }
        self.record = record;
    }

    /// Called when the committer has applied `record`, which makes `flushed` and the pieces in flight durable. Returns
    /// how many bytes of the pieces left were replaced in the meantime.
    pub(crate) fn applied_flush(&mut self, record: InodeRecord, flushed: &Flushed) -> u64 {
        let mut replaced = 0;
        if flushed.rest.is_some() {
            // The record's own value stands for the file without the rest, which a crash may lose.
            self.change_reserved = self.change_reserved.max(record.change);
            self.unstable.change = self.change_next();
        } else if !flushed.left.is_empty() {
            // The tail is still unstable.
            replaced = self.dirty.restore_under(&flushed.left);
            for (offset, piece) in flushed.left.iter() {
                let end = offset.saturating_add(piece.len() as u64);
                for (offset, piece) in self.unlogged_flushing.within(offset..end) {
                    self.unlogged.insert_under(offset, piece);
                }
            }
            self.growth += flushed.growth;
            self.dirty_since.get_or_insert_with(Instant::now);
            self.deferrals = 1;
        } else {
            self.deferrals = 0;
            if self.unstable.change == flushed.unstable.change {
                let atime = self.unstable.atime.filter(|_| self.unstable.atime != flushed.unstable.atime);
                self.unstable = Unstable { atime, ..Unstable::default() };
            }
        }
        self.change_reserved = self.change_reserved.max(record.change);
        self.record = record;
        self.flushing = flushed.rest.clone();
        if flushed.rest.is_none() {
            self.unlogged_flushing = Pieces::default();
        }
        self.absorbed(flushed.absorbed);
        if self.dirty.is_empty() && self.flushing.is_none() {
            self.early = Early::default();
        }
        replaced
    }

    /// Notes that everything that was logged up to `position` is in extents, or was removed.
    pub(crate) fn absorbed(&mut self, position: u64) {
        if self.logged_last <= position {
            self.logged_from = None;
        }
    }

    /// Takes what a record must hold: the bytes that are neither in the log nor in a batch, as readers see them.
    pub(crate) fn take_unlogged(&mut self) -> Pieces {
        let mut pieces = std::mem::take(&mut self.unlogged);
        pieces.restore_under(&std::mem::take(&mut self.unlogged_flushing));
        pieces
    }

    /// Notes that a record at `position` holds `pieces`, and the attributes that readers see.
    pub(crate) fn note_logged(&mut self, position: u64, pieces: &[(u64, bytes::Bytes)]) {
        let from = pieces.iter().map(|(offset, _)| *offset).chain(self.logged_from).min();
        self.logged_from = Some(from.unwrap_or(u64::MAX));
        self.logged_last = position;
        self.logged_change = self.change();
    }

    /// Notes that the logger has decided on a record: it is durable, or its bytes are in memory only.
    pub(crate) fn decided(&mut self, is_durable: bool) {
        self.logging = self.logging.saturating_sub(1);
        self.refused += u64::from(!is_durable);
    }

    /// Whether a record was refused, and no flush has made its bytes durable since. They do not count as unlogged any more.
    pub(crate) fn has_refused(&self) -> bool {
        self.refused > self.refused_flushed
    }

    /// Whether attributes that a write has changed are neither in the log nor in a batch.
    pub(crate) fn has_unlogged_attributes(&self) -> bool {
        self.unstable.change > self.logged_change
    }

    /// Notes a read, like `relatime`: at most once for each change, or once a day. Returns whether it changed the
    /// atime.
    pub(crate) fn note_read(&mut self, now: SystemTime) -> bool {
        const RELATIME: Duration = Duration::from_secs(24 * 60 * 60);
        let seen = self.attributes_atime();
        let changed = self.unstable.mtime.unwrap_or(self.record.mtime).max(self.record.ctime);
        let old = now.duration_since(seen).is_ok_and(|age| age > RELATIME);
        if seen > changed && !old {
            return false;
        }
        self.unstable.atime = Some(now);
        true
    }

    fn attributes_atime(&self) -> SystemTime {
        self.unstable.atime.unwrap_or(self.record.atime)
    }

    pub(crate) fn require_file(&self) -> Result<()> {
        match self.record.kind {
            Kind::File => Ok(()),
            Kind::Directory => Err(Error::IsDirectory),
            _ => Err(Error::NotFile),
        }
    }

    pub(crate) fn require_directory(&self) -> Result<()> {
        if self.record.is_directory() { Ok(()) } else { Err(Error::NotDirectory) }
    }

    /// The directory that holds this directory.
    pub(crate) fn parent(&self) -> InodeId {
        self.record.parent
    }
}
