//! Orphans that wait to be freed, and the rounds of the task that frees them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use crate::base::signals::Signals;
use crate::base::sync;
use crate::parts::inode::Inode;

/// Inodes that one batch frees at most.
const BATCH_INODES_MAX: usize = 128;

/// Orphans that wait to be freed.
pub(crate) struct Orphans {
    /// Whether orphans that nobody holds are freed.
    reaping: AtomicBool,
    queue: Mutex<VecDeque<Arc<Inode>>>,
    signals: Arc<Signals>,
    /// Rounds of the reaper that were asked for.
    asked: AtomicUsize,
    /// How many of them are done.
    done: AtomicUsize,
    /// Wakes those who wait for a round to be done.
    idle: Notify,
}

impl Orphans {
    pub(crate) fn new(signals: Arc<Signals>) -> Self {
        Orphans {
            reaping: AtomicBool::new(false),
            queue: Mutex::default(),
            signals,
            asked: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            idle: Notify::new(),
        }
    }

    /// Queues the inode if it can be freed: without a name, held by nobody.
    pub(crate) fn consider(&self, inode: &Arc<Inode>) {
        let mut state = inode.state();
        let free = self.reaping.load(Ordering::SeqCst) && state.holds == 0 && state.record.nlink == 0;
        if !free || state.queued || state.freed {
            return;
        }
        state.queued = true;
        drop(state);
        self.push(inode.clone());
    }

    /// Queues an inode that must go, whoever holds it.
    pub(crate) fn push(&self, inode: Arc<Inode>) {
        sync::lock(&self.queue).push_back(inode);
        self.wake();
    }

    /// Takes a batch of inodes out of the queue, in the order of their keys.
    pub(crate) fn take(&self) -> Vec<Arc<Inode>> {
        let mut queue = sync::lock(&self.queue);
        let count = queue.len().min(BATCH_INODES_MAX);
        let mut taken: Vec<_> = queue.drain(..count).collect();
        // Their `order` locks are held together.
        taken.sort_by_key(|inode| inode.key());
        taken
    }

    /// There is something to free.
    pub(crate) fn are_waiting(&self) -> bool {
        !sync::lock(&self.queue).is_empty()
    }

    /// Asks for a round of the reaper.
    pub(crate) fn wake(&self) {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.signals.reap.notify_one();
    }

    /// From here on orphans that nobody holds are freed.
    pub(crate) fn begin_reaping(&self) {
        self.reaping.store(true, Ordering::SeqCst);
    }

    /// Whether orphans that nobody holds are freed.
    pub(crate) fn is_reaping(&self) -> bool {
        self.reaping.load(Ordering::SeqCst)
    }

    /// Queues inodes again that could not be freed.
    pub(crate) fn requeue(&self, inodes: &[Arc<Inode>]) {
        let mut queue = sync::lock(&self.queue);
        for inode in inodes {
            if !std::mem::replace(&mut inode.state().queued, true) {
                queue.push_back(inode.clone());
            }
        }
    }

    /// How many rounds of the reaper were asked for so far.
    pub(crate) fn rounds_asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// Whether the first `count` rounds that were asked for are done.
    pub(crate) fn are_rounds_done(&self, count: usize) -> bool {
        self.done.load(Ordering::SeqCst) >= count
    }

    /// The first `count` rounds that were asked for are done: one round does for all that were asked for before it.
    pub(crate) fn end_rounds(&self, count: usize) {
        self.done.fetch_max(count, Ordering::SeqCst);
        self.wake_waiters();
    }

    /// Wakes those who wait for a round, to look again.
    pub(crate) fn wake_waiters(&self) {
        self.idle.notify_waiters();
    }

    /// Completes when a round is done after this was first polled or enabled.
    pub(crate) fn round_done(&self) -> Notified<'_> {
        self.idle.notified()
    }
}
