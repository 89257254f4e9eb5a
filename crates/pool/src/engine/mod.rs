//! The engine holds all parts of an open pool, and changes its metadata.
//!
//! Each file in the folders above adds its operations to [`Engine`] as methods. Operations read through `look.rs` and
//! `extents.rs`. To change metadata, an operation gives the committer a job ([`Engine::transact`]). The job stages its
//! changes in a [`txn::Txn`], which becomes one atomic batch, and the operation returns when the batch is durable. Open
//! `txn.rs` first, then `transact.rs`. `opening/lifecycle.rs` builds the engine when the pool is opened.

pub(crate) mod compare;
pub(crate) mod extents;
pub(crate) mod look;
pub(crate) mod protocol_records;
pub(crate) mod space;
pub(crate) mod transact;
pub(crate) mod txn;
pub(crate) mod versions;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::UNIX_EPOCH;

use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::base::counters::Meters;
use crate::base::signals::Signals;
use crate::base::sources::{Clock, Entropy};
use crate::base::sync;
use crate::format::frames::Names;
use crate::format::keys::{InodeKey, Item, SegmentId};
use crate::format::records::{Counters, InodeRecord};
use crate::parts::chunk_cache::ChunkCache;
use crate::parts::cleaner::Cleaner;
use crate::parts::committer::{Committer, Stopped, Written};
use crate::parts::dirty::Dirty;
use crate::parts::early::{EarlyChunks, EarlyQueue};
use crate::parts::fingerprints::Fingerprints;
use crate::parts::held::Held;
use crate::parts::inline_files::InlineFiles;
use crate::parts::inode::{Inode, InodeCache, change_floor};
use crate::parts::loads::Loads;
use crate::parts::log::{Log, Rule};
use crate::parts::orphan_queue::Orphans;
use crate::parts::own_actions::OwnActions;
use crate::parts::readers::ReadAhead;
use crate::parts::registry::Volumes;
use crate::parts::scrub::Scrub;
use crate::parts::segment_table::SegmentTable;
use crate::parts::storer::Storer;
use crate::parts::tails::Tails;
use crate::parts::xattr_presence::Presence;
use crate::store::home::Home;
use crate::store::meta::MetaCopies;
use crate::store::room::Room;
use crate::store::segment::{SegmentCopies, SegmentWriter};
use crate::store::witness::Keeper;
use crate::{Error, Handle, LastStop, Mismatch, PoolId, PoolOptions, Result, SnapshotSpace, VolumeId};

/// An open pool. See the module's documentation.
pub(crate) struct Engine {
    pub(crate) identity: Identity,
    pub(crate) options: PoolOptions,
    pub(crate) stores: Stores,
    /// The intent log, if the pool has one.
    pub(crate) log: Option<Arc<Log>>,
    pub(crate) committing: Committing,
    /// The volumes and snapshots.
    pub(crate) volumes: Volumes,
    /// The inodes in memory.
    pub(crate) inodes: InodeCache,
    /// The segments that the metadata names.
    pub(crate) segments: SegmentTable,
    /// Inodes without a name that wait for the reaper.
    pub(crate) orphans: Orphans,
    /// Whether any extended attributes may exist.
    pub(crate) xattrs: Presence,
    /// The next ids, and the era.
    pub(crate) counters: Mutex<Counters>,
    pub(crate) writes: Writes,
    pub(crate) caches: Caches,
    pub(crate) upkeep: Upkeep,
    /// Why the pool has stopped, once it has.
    pub(crate) stopped: Stopped,
    /// Wakes the background tasks.
    pub(crate) signals: Arc<Signals>,
    pub(crate) meters: Arc<Meters>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    /// The directory was opened for reading: only a view of the metadata is written.
    pub(crate) read_only: bool,
    /// Mismatches that the caller accepted at opening.
    pub(crate) accepted: Vec<Mismatch>,
    /// Must be the last field, so that the directory is unlocked after everything else is dropped.
    pub(crate) home: Option<Home>,
}

/// Identifies the pool, and this start of it.
pub(crate) struct Identity {
    pub(crate) id: PoolId,
    /// The number of times that the pool has been opened.
    pub(crate) boot: u64,
    /// How the start before this one ended.
    pub(crate) last_stop: LastStop,
    /// The key for hashing names. It is secret, so that no client can choose many names with the same hash.
    pub(crate) name_key: [u8; 32],
    /// The names of chunks.
    pub(crate) names: Names,
    /// The pool's format.
    pub(crate) format: AtomicU32,
}

impl Identity {
    /// The pool's format: see [`crate::format::FORMAT_KEPT`].
    pub(crate) fn format(&self) -> u32 {
        self.format.load(Ordering::SeqCst)
    }

    /// Refuses what needs another format than the pool has.
    pub(crate) fn require_format(&self, needs: u32, what: &'static str) -> Result<()> {
        let found = self.format();
        if found < needs { Err(Error::NeedsFormat { what, found, needs }) } else { Ok(()) }
    }
}

/// The stores that hold the pool.
pub(crate) struct Stores {
    pub(crate) meta: Arc<dyn MetaCopies>,
    pub(crate) segments: Arc<dyn SegmentCopies>,
    /// Appends frames to the open segment.
    pub(crate) writer: Arc<SegmentWriter>,
    /// Reports how much space the file system has left.
    pub(crate) room: Box<dyn Room>,
    /// Keeps the state file up to date.
    pub(crate) keeper: Keeper,
}

/// The threads that append and make changes durable.
pub(crate) struct Committing {
    /// Writes the batches of a commit group, and syncs once for all of them.
    pub(crate) committer: Committer,
    /// Appends the chunks of small flushes, and syncs once for all of them.
    pub(crate) storer: Storer,
    /// Appends the complete chunks of streams before a flush.
    pub(crate) early: EarlyQueue,
    /// Whether the commit group under way has written anything.
    pub(crate) written: Written,
}

/// State of written data that is not durable yet, or not stored as chunks yet.
pub(crate) struct Writes {
    /// Inodes with dirty data.
    pub(crate) dirty: Dirty,
    /// Chunks that were appended before a flush names them.
    pub(crate) early: Arc<EarlyChunks>,
    /// Files with bytes stored inline in the metadata store.
    pub(crate) inline: InlineFiles,
    /// Held shared while a write is put into memory, and exclusively while a snapshot is taken.
    pub(crate) gate: Arc<tokio::sync::RwLock<()>>,
}

/// Caches. Losing their content costs only time.
pub(crate) struct Caches {
    /// Verified content of chunks.
    pub(crate) chunks: ChunkCache,
    /// Records of recently used chunks.
    pub(crate) fingerprints: Fingerprints,
    /// Chunks that are being read.
    pub(crate) loads: Loads,
    /// The extents at the ends of files.
    pub(crate) tails: Tails,
    /// Sequential readers, and the data that was read ahead for them.
    pub(crate) ahead: ReadAhead,
}

/// The state of the background tasks.
pub(crate) struct Upkeep {
    pub(crate) scrub: Scrub,
    pub(crate) cleaner: Cleaner,
    /// Segments that were set aside, with their lengths in bytes.
    pub(crate) aside: Mutex<BTreeMap<SegmentId, u64>>,
    /// What was done because a time was over.
    pub(crate) own_actions: OwnActions,
    /// Segments that a backup still needs.
    pub(crate) held: Arc<Held>,
    /// What the deletion of snapshots would free, as it was computed lately.
    pub(crate) spaces: Mutex<HashMap<VolumeId, (Instant, SnapshotSpace)>>,
    /// The running tasks.
    pub(crate) tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl Engine {
    /// Whether the pool takes no changes any more. A read of the metadata may have found the cause: then the pool stops now.
    pub(crate) fn has_stopped(&self) -> bool {
        let has_stopped = self.stopped.check().is_err();
        match self.stores.meta.failure() {
            Some(cause) if !has_stopped => {
                self.stopped.stop(&Error::Failed(cause));
                true
            }
            _ => has_stopped,
        }
    }

    /// Waits until the deadline, or until the pool is closing.
    pub(crate) async fn pause_until(&self, deadline: Instant) {
        tokio::select! {
            biased;
            () = tokio::time::sleep_until(deadline) => {}
            () = self.signals.closing() => {}
        }
    }

    /// Drops the dirty data of an inode that is being freed, and releases its reservations.
    pub(crate) fn discard(&self, inode: &Inode) {
        let mut state = inode.state();
        let bytes = state.discard();
        let growth = std::mem::take(&mut state.growth);
        drop(state);
        self.writes.dirty.release(bytes);
        self.volumes.release(inode.handle.volume, growth);
        self.writes.dirty.settle(inode);
    }

    /// Whether the pool is closing, or closed.
    pub(crate) fn is_closing(&self) -> bool {
        self.signals.is_closing()
    }

    /// [`Error::Closed`] if the pool is closing.
    pub(crate) fn require_open(&self) -> Result<()> {
        if self.is_closing() { Err(Error::Closed) } else { Ok(()) }
    }

    /// Draws a write verifier that differs from that of every other opening of any pool. Counting openings would not do: a
    /// pool that was restored from a backup repeats some numbers.
    pub(crate) fn new_write_verifier(&self) -> Result<[u8; 8]> {
        let mut nonce = [0; 16];
        self.entropy.fill(&mut nonce)?;
        let mut hasher = blake3::Hasher::new_keyed(&self.identity.name_key);
        hasher
            .update(b"write verifier")
            .update(&self.identity.id.0)
            .update(&self.identity.boot.to_be_bytes())
            .update(&nonce);
        let mut verifier = [0; 8];
        hasher.finalize_xof().fill(&mut verifier);
        Ok(verifier)
    }

    /// The first `change` of an inode that is created now.
    pub(crate) fn change_first(&self) -> u64 {
        change_floor(self.era())
    }

    /// A number that grows with each opening of the pool and each rollback.
    pub(crate) fn era(&self) -> u64 {
        sync::lock(&self.counters).era
    }

    /// A random generation that no client can guess. It is never 0.
    pub(crate) fn generation(&self) -> Result<u32> {
        let mut bytes = [0; 4];
        self.entropy.fill(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes).max(1))
    }

    /// The inode that a handle names. Returns [`Error::Stale`] if the inode is gone.
    pub(crate) fn inode(&self, handle: Handle) -> Result<Arc<Inode>> {
        if !self.volumes.is_live(handle.volume) {
            return Err(Error::Stale);
        }
        let inode = self.inode_by_key(handle.into())?.ok_or(Error::Stale)?;
        if inode.handle != handle {
            return Err(Error::Stale);
        }
        drop(inode.live()?);
        Ok(inode)
    }

    /// The inode with this key, in any state. Returns `None` if it has no record.
    pub(crate) fn inode_by_key(&self, key: InodeKey) -> Result<Option<Arc<Inode>>> {
        self.inodes.get(key, || {
            let Some(record) = self.inode_record(key)? else { return Ok(None) };
            let inode = Inode::new(key, record, self.era());
            // The batches that it depends on may not be durable yet.
            inode.state().batch = self.stores.meta.position().written;
            Ok(Some(inode))
        })
    }

    /// The time in seconds since 1970.
    pub(crate) fn seconds_now(&self) -> u64 {
        self.clock.now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
    }

    /// The last position of the log; 0 without a log.
    pub(crate) fn log_position(&self) -> u64 {
        self.log.as_ref().map_or(0, |log| log.position())
    }

    /// Whether a rule of the log holds: always, except in tests that switch it off.
    pub(crate) fn keeps(&self, rule: Rule) -> bool {
        self.log.as_ref().is_none_or(|log| log.keeps(rule))
    }

    /// The stored record of an inode, without changes that are only in memory.
    pub(crate) fn inode_record(&self, key: InodeKey) -> Result<Option<InodeRecord>> {
        let record: Option<InodeRecord> = self.item(key.volume, &Item::inode(key.inode))?;
        Ok(record.map(|record| record.with_change_floor(self.volumes.change_floor(key.volume))))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.signals.close();
        self.log.iter().for_each(|log| log.stop());
        self.committing.early.stop();
        self.committing.storer.stop();
        self.committing.committer.stop();
    }
}
