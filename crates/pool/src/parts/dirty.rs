//! The unstable bytes of the whole pool: their number, the inodes that they belong to, and the writers that wait for
//! room.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

use crate::base::signals::Signals;
use crate::base::sync;
use crate::format::keys::InodeKey;
use crate::parts::inode::Inode;

/// A file with this many dirty bytes is flushed in the background, so that one file does not take all the room. A stream's bytes are
/// on their way to the disk long before ([`crate::parts::early`]), and each flush costs two syncs.
pub(crate) const WRITE_BEHIND_BYTES: u64 = 64 << 20;

/// Whether a writer had to wait for room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waited {
    No,
    Yes,
}

/// See the module.
pub(crate) struct Dirty {
    bytes_max: u64,
    bytes: AtomicU64,
    /// Whether the last flush found no space.
    refused: AtomicBool,
    /// The inodes with unstable content. This map keeps them in memory.
    inodes: Mutex<BTreeMap<InodeKey, Arc<Inode>>>,
    /// Wakes writers when there is room again.
    room: Notify,
    signals: Arc<Signals>,
}

impl Dirty {
    pub(crate) fn new(bytes_max: u64, signals: Arc<Signals>) -> Self {
        Dirty {
            bytes_max,
            bytes: AtomicU64::new(0),
            refused: AtomicBool::new(false),
            inodes: Mutex::default(),
            room: Notify::new(),
            signals,
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::SeqCst)
    }

    /// Reserves room for this many bytes and waits for it if necessary. A request larger than the limit succeeds when
    /// nothing else is reserved.
    pub(crate) async fn reserve(&self, bytes: u64) -> Waited {
        let mut waited = Waited::No;
        loop {
            let room = self.room.notified();
            tokio::pin!(room);
            // Register before checking, so that no wake-up is missed.
            room.as_mut().enable();
            if self.try_reserve(bytes) {
                break;
            }
            self.signals.pressure.notify_one();
            waited = Waited::Yes;
            room.await;
        }
        if self.bytes() > self.bytes_max / 2 {
            self.signals.pressure.notify_one();
        }
        waited
    }

    /// Takes room for bytes that were promised before, without waiting, even beyond the limit.
    pub(crate) fn reserve_promised(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::SeqCst);
    }

    fn try_reserve(&self, bytes: u64) -> bool {
        let fits = |used: u64| {
            let after = used.saturating_add(bytes);
            (used == 0 || after <= self.bytes_max).then_some(after)
        };
        self.bytes.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fits).is_ok()
    }

    /// Releases reserved room.
    pub(crate) fn release(&self, bytes: u64) {
        if bytes > 0 {
            self.bytes.fetch_sub(bytes, Ordering::SeqCst);
            self.room.notify_waiters();
        }
    }

    /// Notes whether the last flush found no space.
    pub(crate) fn set_refused(&self, refused: bool) {
        self.refused.store(refused, Ordering::SeqCst);
    }

    pub(crate) fn is_refused(&self) -> bool {
        self.refused.load(Ordering::SeqCst)
    }

    /// Adds the inode to those that need a flush.
    pub(crate) fn note(&self, inode: &Arc<Inode>) {
        sync::lock(&self.inodes).insert(inode.key(), inode.clone());
    }

    /// Removes the inode if it has no unstable content.
    pub(crate) fn settle(&self, inode: &Inode) {
        let mut inodes = sync::lock(&self.inodes);
        if !inode.state().is_unstable() {
            inodes.remove(&inode.key());
        }
    }

    pub(crate) fn inodes(&self) -> Vec<Arc<Inode>> {
        sync::lock(&self.inodes).values().cloned().collect()
    }

    /// Whether the background task should flush inodes before they reach the age limit.
    pub(crate) fn is_pressed(&self) -> bool {
        self.bytes() > self.bytes_max / 2
    }
}
