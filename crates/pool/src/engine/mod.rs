//! The engine: all parts of an open pool, how they are put together at opening, and how they end.
//!
//! What an operation does is in the file named for it; each adds its methods to [`Engine`].

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

/// See the module.
pub(crate) struct Engine {
    pub(crate) id: PoolId,
    pub(crate) boot: u64,
    pub(crate) name_key: [u8; 32],
    pub(crate) options: PoolOptions,
    pub(crate) committer: Committer,
    pub(crate) storer: Storer,
    pub(crate) stopped: Stopped,
    pub(crate) written: Written,
    pub(crate) signals: Arc<Signals>,
    pub(crate) meters: Arc<Meters>,
    pub(crate) volumes: Volumes,
    pub(crate) counters: Mutex<Counters>,
    pub(crate) inodes: InodeCache,
    pub(crate) dirty: Dirty,
    pub(crate) inline: InlineFiles,
    /// Held while a write is put into memory; all of it, while a snapshot is taken.
    pub(crate) gate: Arc<tokio::sync::RwLock<()>>,
    pub(crate) orphans: Orphans,
    pub(crate) xattrs: Presence,
    pub(crate) segments: SegmentTable,
    pub(crate) writer: Arc<SegmentWriter>,
    pub(crate) tails: Tails,
    pub(crate) chunk_cache: ChunkCache,
    pub(crate) fingerprints: Fingerprints,
    pub(crate) loads: Loads,
    pub(crate) ahead: ReadAhead,
    pub(crate) scrub: Scrub,
    pub(crate) cleaner: Cleaner,
    pub(crate) meta: Arc<dyn MetaStore>,
    pub(crate) store: Arc<dyn SegmentStore>,
    pub(crate) room: Box<dyn Room>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) keeper: Keeper,
    pub(crate) read_only: bool,
    /// Segments that were set aside, with their length in bytes.
    pub(crate) aside: Mutex<BTreeMap<SegmentId, u64>>,
    /// What did not fit at opening, if that was accepted.
    pub(crate) accepted: Vec<Mismatch>,
    pub(crate) tasks: Mutex<Vec<JoinHandle<()>>>,
    /// The last field: unlocked after everything else is gone.
    pub(crate) _home: Option<Home>,
}

impl Engine {
    /// Waits until then, or until the pool is closing.
    pub(crate) async fn pause_until(&self, deadline: Instant) {
        tokio::select! {
            biased;
            () = tokio::time::sleep_until(deadline) => {}
            () = self.signals.closing() => {}
        }
    }

    /// Drops what is unstable of an inode that is going, and what was reserved for it.
    pub(crate) fn discard(&self, inode: &Inode) {
        let mut state = inode.state();
        let bytes = state.discard();
        let growth = std::mem::take(&mut state.growth);
        drop(state);
        self.dirty.release(bytes);
        self.volumes.release(inode.handle.volume, growth);
        self.dirty.settle(inode);
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.signals.is_closing()
    }

    pub(crate) fn require_open(&self) -> Result<()> {
        if self.is_closing() { Err(Error::Closed) } else { Ok(()) }
    }

    /// Differs between any two openings of any pools, also of a pool that was put back from a backup and counts some openings again.
    pub(crate) fn new_write_verifier(&self) -> Result<[u8; 8]> {
        let mut nonce = [0; 16];
        self.entropy.fill(&mut nonce)?;
        let mut hasher = blake3::Hasher::new_keyed(&self.name_key);
        hasher.update(b"write verifier").update(&self.id.0).update(&self.boot.to_be_bytes()).update(&nonce);
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

    /// The inode of that number, if its record exists, whatever its state.
    pub(crate) fn inode_by_key(&self, key: InodeKey) -> Result<Option<Arc<Inode>>> {
        self.inodes.get(key, || {
            let record = self.inode_record(key)?;
            Ok(record.map(|record| Inode::new(key, record, self.era())))
        })
    }

    /// The record of an inode that is not in memory, or as it was when it came there.
    pub(crate) fn inode_record(&self, key: InodeKey) -> Result<Option<InodeRecord>> {
        let record: Option<InodeRecord> = self.item(key.volume, &Item::inode(key.inode))?;
        Ok(record.map(|record| record.with_change_floor(self.volumes.change_floor(key.volume))))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.signals.close();
        self.storer.stop();
        self.committer.stop();
    }
}
