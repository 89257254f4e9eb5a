//! Unstable bytes of the whole pool: how many there are, whose they are, and who waits for there to be fewer.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

use crate::base::signals::Signals;
use crate::base::sync;
use crate::format::keys::InodeKey;
use crate::parts::inode::Inode;

/// A file with so many dirty bytes is flushed in the background, so that a stream is on its way to the disk while it is being
/// received, and little is left when the client asks for it to be durable. Much less would store more of what is provisional,
/// as writes arrive out of order.
pub(crate) const WRITE_BEHIND_BYTES: u64 = 16 << 20;

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
    /// The last flush found no space.
    refused: AtomicBool,
    /// Inodes with unstable content; being here keeps them in memory.
    inodes: Mutex<BTreeMap<InodeKey, Arc<Inode>>>,
    /// Tells writers that there is room again.
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

    /// Takes room for that many bytes, waiting for it if need be. More than the bound itself is let through
    /// alone.
    pub(crate) async fn reserve(&self, bytes: u64) -> Waited {
        let mut waited = Waited::No;
        loop {
            let room = self.room.notified();
            tokio::pin!(room);
            // Registered before looking, so that no wake-up falls in between.
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

    fn try_reserve(&self, bytes: u64) -> bool {
        let fits = |used: u64| {
            let after = used.saturating_add(bytes);
            (used == 0 || after <= self.bytes_max).then_some(after)
        };
        self.bytes.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fits).is_ok()
    }

    /// Gives room back.
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

    /// Remembers that the inode is to be flushed.
    pub(crate) fn note(&self, inode: &Arc<Inode>) {
        sync::lock(&self.inodes).insert(inode.key(), inode.clone());
    }

    /// Forgets the inode if nothing of it is unstable.
    pub(crate) fn settle(&self, inode: &Inode) {
        let mut inodes = sync::lock(&self.inodes);
        if !inode.state().is_unstable() {
            inodes.remove(&inode.key());
        }
    }

    pub(crate) fn inodes(&self) -> Vec<Arc<Inode>> {
        sync::lock(&self.inodes).values().cloned().collect()
    }

    /// Whether background flushing should not wait for age.
    pub(crate) fn is_pressed(&self) -> bool {
        self.bytes() > self.bytes_max / 2
    }
}
