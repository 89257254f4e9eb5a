//! The engine: all parts of an open pool together, and how its metadata is changed.
//!
//! Operations on the floors above add their methods to [`Engine`] in the file named for them. They read through it (`look.rs`,
//! `extents.rs`), and change metadata with a transaction: a job for the committer ([`Engine::transact`]) stages its changes in a
//! [`txn::Txn`], which becomes one atomic batch, and the job is answered when the batch is durable. Open `txn.rs` first, then
//! `transact.rs`. How an engine is put together at opening is in `opening/lifecycle.rs`.

pub(crate) mod extents;
pub(crate) mod look;
pub(crate) mod protocol_records;
pub(crate) mod space;
pub(crate) mod transact;
pub(crate) mod txn;
pub(crate) mod versions;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::base::counters::Meters;
use crate::base::signals::Signals;
use crate::base::sources::{Clock, Entropy};
use crate::base::sync;
use crate::format::keys::{InodeKey, Item, SegmentId};
use crate::format::records::{Counters, InodeRecord};
use crate::parts::chunk_cache::ChunkCache;
use crate::parts::cleaner::Cleaner;
use crate::parts::committer::{Committer, Stopped, Written};
use crate::parts::dirty::Dirty;
use crate::parts::fingerprints::Fingerprints;
use crate::parts::inline_files::InlineFiles;
use crate::parts::inode::{Inode, InodeCache, change_floor};
use crate::parts::loads::Loads;
use crate::parts::orphan_queue::Orphans;
use crate::parts::readers::ReadAhead;
use crate::parts::registry::Volumes;
use crate::parts::scrub::Scrub;
use crate::parts::segment_table::SegmentTable;
use crate::parts::storer::Storer;
use crate::parts::tails::Tails;
use crate::parts::xattr_presence::Presence;
use crate::store::home::Home;
use crate::store::meta::MetaStore;
use crate::store::room::Room;
use crate::store::segment::{SegmentStore, SegmentWriter};
use crate::store::witness::Keeper;
use crate::{Error, Handle, Mismatch, PoolId, PoolOptions, Result};

/// An open pool. See the module.
pub(crate) struct Engine {
    pub(crate) identity: Identity,
    pub(crate) options: PoolOptions,
    pub(crate) stores: Stores,
    pub(crate) committing: Committing,
    /// The volumes and snapshots.
    pub(crate) volumes: Volumes,
    /// The inodes that are in memory.
    pub(crate) inodes: InodeCache,
    /// The segments that the metadata names.
    pub(crate) segments: SegmentTable,
    /// Inodes without a name that wait to be freed.
    pub(crate) orphans: Orphans,
    /// Whether there may be extended attributes.
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
    /// The directory is only looked at: nothing but a view of the metadata is written.
    pub(crate) read_only: bool,
    /// Mismatches that the caller accepted at opening.
    pub(crate) accepted: Vec<Mismatch>,
    /// The last field: the directory is unlocked after everything else is gone.
    pub(crate) _home: Option<Home>,
}

/// Which pool this is, and which start of it.
pub(crate) struct Identity {
    pub(crate) id: PoolId,
    /// Counts the openings of the pool.
    pub(crate) boot: u64,
    /// Keys the hashes of names, so that nobody can make many names with the same hash.
    pub(crate) name_key: [u8; 32],
}

/// What the pool is stored in.
pub(crate) struct Stores {
    pub(crate) meta: Arc<dyn MetaStore>,
    pub(crate) segments: Arc<dyn SegmentStore>,
    /// Appends frames to the open segment.
    pub(crate) writer: Arc<SegmentWriter>,
    /// How much the file system can still take.
    pub(crate) room: Box<dyn Room>,
    /// Keeps the state file up to date.
    pub(crate) keeper: Keeper,
}

/// The two threads that make changes durable.
pub(crate) struct Committing {
    /// Writes the batches of a commit group, and syncs once for all of them.
    pub(crate) committer: Committer,
    /// Appends the chunks of small flushes, and syncs once for all of them.
    pub(crate) storer: Storer,
    /// Whether the commit group under way has written anything.
    pub(crate) written: Written,
}

/// What writes leave in memory until it is durable, or stored as chunks.
pub(crate) struct Writes {
    /// Inodes with unstable content.
    pub(crate) dirty: Dirty,
    /// Files with bytes inline in the metadata store.
    pub(crate) inline: InlineFiles,
    /// Held shared while a write is put into memory, and exclusively while a snapshot is taken.
    pub(crate) gate: Arc<tokio::sync::RwLock<()>>,
}

/// What is kept in memory to make things faster. All of it can be lost.
pub(crate) struct Caches {
    /// Verified content of chunks.
    pub(crate) chunks: ChunkCache,
    /// Records of chunks that were used lately.
    pub(crate) fingerprints: Fingerprints,
    /// Chunks that are being read.
    pub(crate) loads: Loads,
    /// The extents at the ends of files.
    pub(crate) tails: Tails,
    /// Sequential readers, and what was read ahead for them.
    pub(crate) ahead: ReadAhead,
}

/// What the background tasks remember.
pub(crate) struct Upkeep {
    pub(crate) scrub: Scrub,
    pub(crate) cleaner: Cleaner,
    /// Segments that were set aside, with their length in bytes.
    pub(crate) aside: Mutex<BTreeMap<SegmentId, u64>>,
    /// The tasks that run.
    pub(crate) tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl Engine {
    /// Waits until the deadline, or until the pool is closing.
    pub(crate) async fn pause_until(&self, deadline: Instant) {
        tokio::select! {
            biased;
            () = tokio::time::sleep_until(deadline) => {}
            () = self.signals.closing() => {}
        }
    }

    /// Drops the unstable content of an inode that is being freed, and what was reserved for it.
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

    /// Draws a write verifier, which differs from that of any other opening of any pool. This includes a pool that was restored from a
    /// backup, which counts some openings again.
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

    /// Counts openings of the pool, and rollbacks.
    pub(crate) fn era(&self) -> u64 {
        sync::lock(&self.counters).era
    }

    /// A generation that nobody can guess; never 0.
    pub(crate) fn generation(&self) -> Result<u32> {
        let mut bytes = [0; 4];
        self.entropy.fill(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes).max(1))
    }

    /// The inode that a handle names; [`Error::Stale`] if it is gone.
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

    /// The inode with that key, whatever its state; `None` if it has no record.
    pub(crate) fn inode_by_key(&self, key: InodeKey) -> Result<Option<Arc<Inode>>> {
        self.inodes.get(key, || {
            let record = self.inode_record(key)?;
            Ok(record.map(|record| Inode::new(key, record, self.era())))
        })
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
        self.committing.storer.stop();
        self.committing.committer.stop();
    }
}
