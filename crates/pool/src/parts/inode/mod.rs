//! An inode in memory: what is durable of it, and what is not yet.
//!
//! Only the committer changes the durable record, and it has the inode in the cache while it does. Unstable
//! writes change the *unstable* part, under the inode's lock. Readers see the sum: [`State::attributes`].
//!
//! Two locks:
//! - `order` (async) is held by whoever changes extents: a flush, a truncation, a hole, a clone, the reaper. It may
//!   be held while waiting for the disk. Who holds several has taken them in the order of their keys.
//! - `state` is held for memory operations only. Who holds one waits for no other lock, except that the
//!   committer may hold the states of several inodes: it is the only one that does.
//!
//! `change` (RFC 8881 section 5.8.1.4) must never show the same value for two states of the file. Each new value is
//! larger than all handed out before, and at least `era << 40`. Values of unstable writes live in
//! memory and are lost in a crash together with the writes; what comes after it starts from a larger era, so
//! a lost value is never shown again. A rollback begins an era for the same reason, and no inode of its volume shows
//! less than the first `change` of it.

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
use crate::{Attributes, Error, Handle, InodeId, Kind, Result};

/// The first `change` of an era.
pub(crate) fn change_floor(era: u64) -> u64 {
    era << 40
}

/// Unstable writes to a file that may come between the staging of a record and its application, and usually none do.
const STAGED_CHANGE_GAP: u64 = 4096;

/// See the module.
pub(crate) struct Inode {
    pub(crate) handle: Handle,
    pub(crate) order: Arc<tokio::sync::Mutex<()>>,
    state: Mutex<State>,
}

/// What is not durable of an inode.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unstable {
    /// End of the furthest write; the size if it is beyond the durable one.
    pub(crate) size: u64,
    /// `change` of the last unstable write, else 0.
    pub(crate) change: u64,
    pub(crate) mtime: Option<SystemTime>,
    pub(crate) ctime: Option<SystemTime>,
    pub(crate) atime: Option<SystemTime>,
}

/// What a flush has made durable: what was unstable, apart from pieces that stay dirty.
#[derive(Debug)]
pub(crate) struct Flushed {
    pub(crate) unstable: Unstable,
    pub(crate) left: Pieces,
    /// Growth of the volume that stays reserved for them.
    pub(crate) growth: u64,
    /// What is still on its way to the disk.
    pub(crate) rest: Option<Arc<Pieces>>,
}

/// What goes of the unstable content when a change of extents is applied.
#[derive(Clone, Debug)]
pub(crate) enum Cleared {
    /// All behind this size, which is the file's from then on.
    Behind(u64),
    /// All in this range. The size stays.
    Within(Range<u64>),
}

/// What `state` guards.
pub(crate) struct State {
    pub(crate) record: InodeRecord,
    pub(crate) unstable: Unstable,
    /// Written, and not on its way to the disk.
    pub(crate) dirty: Pieces,
    /// Bytes by which `dirty` may make the volume grow, reserved there.
    pub(crate) growth: u64,
    /// On its way to the disk, and no reader finds it in the extents yet. Older than `dirty`.
    pub(crate) flushing: Option<Arc<Pieces>>,
    /// When the oldest unstable change was made.
    pub(crate) dirty_since: Option<Instant>,
    /// Flushes in a row that have left all they could in memory.
    pub(crate) deferrals: u8,
    /// Largest `change` handed out.
    change_reserved: u64,
    pub(crate) holds: u32,
    /// Counts truncations, and other changes of extents but flushes: a reader that overlaps one begins again.
    pub(crate) truncations: u64,
    /// One of them is being applied: extents may be gone that the size still covers.
    pub(crate) truncating: bool,
    /// The inode is gone, or going: its handle is stale.
    pub(crate) freed: bool,
    /// Freed, or gone with its volume or by a rollback: nobody needs to free it.
    pub(crate) gone: bool,
    /// Counts rollbacks: what was begun before one has no effect after it.
    pub(crate) rollbacks: u64,
    /// It is in the queue of orphans.
    pub(crate) queued: bool,
}

impl Inode {
    pub(crate) fn new(key: InodeKey, record: InodeRecord, era: u64) -> Self {
        let handle = Handle { volume: key.volume, inode: key.inode, generation: record.generation };
        let change_reserved = change_floor(era).max(record.change);
        Inode {
            handle,
            order: Arc::default(),
            state: Mutex::new(State {
                record,
                unstable: Unstable::default(),
                dirty: Pieces::default(),
                growth: 0,
                flushing: None,
                dirty_since: None,
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

    /// The attributes, unstable changes included.
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

    /// A `change` larger than all before.
    pub(crate) fn change_next(&mut self) -> u64 {
        self.change_reserved += 1;
        self.change_reserved
    }

    /// The `change` for a record that is being staged. Unstable writes that come before it is applied get what is
    /// left below it, so that the record's own is not shown before, nor without it after a crash.
    pub(crate) fn change_staged(&self) -> u64 {
        self.change_reserved + self.staged_gap()
    }

    fn staged_gap(&self) -> u64 {
        if self.record.kind == Kind::File { STAGED_CHANGE_GAP } else { 1 }
    }

    /// Something is in memory only.
    pub(crate) fn is_unstable(&self) -> bool {
        self.is_written() || self.unstable.atime.is_some()
    }

    /// Something that was written is in memory only.
    pub(crate) fn is_written(&self) -> bool {
        !self.dirty.is_empty() || self.unstable.change != 0
    }

    /// The record that was just applied goes with other extents, which what is dirty there is older than. Returns how
    /// many dirty bytes went.
    pub(crate) fn clear(&mut self, what: Cleared) -> u64 {
        let before = self.dirty.bytes();
        match what {
            Cleared::Behind(size) => {
                self.dirty.remove(size..u64::MAX);
                self.unstable.size = 0;
            }
            Cleared::Within(range) => self.dirty.remove(range),
        }
        self.truncations += 1;
        self.truncating = false;
        before - self.dirty.bytes()
    }

    /// Drops what is dirty. Returns how many bytes that was.
    pub(crate) fn discard(&mut self) -> u64 {
        self.unstable = Unstable::default();
        std::mem::take(&mut self.dirty).bytes()
    }

    /// A rollback has brought back `record`, or nothing: what came after it goes. Returns how many dirty bytes, and
    /// how much reserved growth, that was.
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

    /// The inode can be dropped from memory: the metadata store knows all of it.
    pub(crate) fn is_clean(&self) -> bool {
        !self.is_unstable() && self.flushing.is_none() && self.holds == 0
    }

    /// The committer has applied `record`. `mtime_set`: it carries an mtime that the caller chose.
    pub(crate) fn applied(&mut self, record: InodeRecord, mtime_set: bool) {
        if mtime_set {
            self.unstable.mtime = None;
        }
        let written_since = self.unstable.change > record.change.saturating_sub(self.staged_gap());
        self.change_reserved = self.change_reserved.max(record.change);
        if written_since {
            // With what was written, which may be lost, the file is not what the record's own value stands for.
            self.unstable.change = self.change_next();
        }
        self.record = record;
    }

    /// The committer has applied `record`, which makes `flushed` and the pieces in flight durable. Returns how many bytes
    /// of what is left were replaced meanwhile.
    pub(crate) fn applied_flush(&mut self, record: InodeRecord, flushed: &Flushed) -> u64 {
        let mut replaced = 0;
        if flushed.rest.is_some() {
            // With the rest, which may be lost, the file is not what the record's own value stands for.
            self.change_reserved = self.change_reserved.max(record.change);
            self.unstable.change = self.change_next();
        } else if !flushed.left.is_empty() {
            // The tail is as unstable as it was.
            replaced = self.dirty.restore_under(&flushed.left);
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
        replaced
    }

    /// Notes a read, at most once for each change, as relatime does.
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

    /// Of a directory: the one that holds it.
    pub(crate) fn parent(&self) -> InodeId {
        self.record.parent
    }
}
