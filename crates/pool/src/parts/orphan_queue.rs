//! The queue of orphans to free, and the rounds of the reaper, the task that frees them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use crate::base::signals::Signals;
use crate::base::sync;
use crate::parts::inode::Inode;

/// The maximum number of inodes that one batch frees.
const BATCH_INODES_MAX: usize = 128;

/// The queue of orphans to free.
pub(crate) struct Orphans {
    /// Whether orphans without holders are freed.
    reaping: AtomicBool,
    queue: Mutex<VecDeque<Arc<Inode>>>,
    signals: Arc<Signals>,
    /// The number of reaper rounds that were requested.
    asked: AtomicUsize,
    /// The number of those rounds that are done.
    done: AtomicUsize,
    /// Wakes the tasks that wait for a round to end.
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

    /// Queues the inode if it can be freed: it has no name and no holder. `at_once`: nobody can reclaim a hold from before
    /// the last opening.
    pub(crate) fn consider(&self, inode: &Arc<Inode>, at_once: bool) {
        let is_reaping = at_once || self.reaping.load(Ordering::SeqCst);
        let mut state = inode.state();
        let free = is_reaping && state.holds == 0 && state.record.nlink == 0;
        if !free || state.queued || state.freed {
            return;
        }
        state.queued = true;
        drop(state);
        self.push(inode.clone());
    }

    /// Queues an inode that must be freed even if it has holders.
    pub(crate) fn push(&self, inode: Arc<Inode>) {
        sync::lock(&self.queue).push_back(inode);
        self.wake();
    }

    /// Takes a batch of inodes out of the queue, in the order of their keys.
    pub(crate) fn take(&self) -> Vec<Arc<Inode>> {
        let mut queue = sync::lock(&self.queue);
        let count = queue.len().min(BATCH_INODES_MAX);
        let mut taken: Vec<_> = queue.drain(..count).collect();
        // The caller holds the `order` locks of the whole batch, and must take them in the order of the keys.
        taken.sort_by_key(|inode| inode.key());
        taken
    }

    /// Whether there are inodes to free.
    pub(crate) fn are_waiting(&self) -> bool {
        !sync::lock(&self.queue).is_empty()
    }

    /// Requests a round of the reaper.
    pub(crate) fn wake(&self) {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.signals.reap.notify_one();
    }

    /// From now on, orphans without holders are freed.
    pub(crate) fn begin_reaping(&self) {
        self.reaping.store(true, Ordering::SeqCst);
    }

    /// Whether orphans without holders are freed.
    pub(crate) fn is_reaping(&self) -> bool {
        self.reaping.load(Ordering::SeqCst)
    }

    /// Returns inodes to the queue that could not be freed.
    pub(crate) fn requeue(&self, inodes: &[Arc<Inode>]) {
        let mut queue = sync::lock(&self.queue);
        for inode in inodes {
            if !std::mem::replace(&mut inode.state().queued, true) {
                queue.push_back(inode.clone());
            }
        }
    }

    /// The number of reaper rounds that were requested so far.
    pub(crate) fn rounds_asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// Whether the first `count` requested rounds are done.
    pub(crate) fn are_rounds_done(&self, count: usize) -> bool {
        self.done.load(Ordering::SeqCst) >= count
    }

    /// Notes that the first `count` requested rounds are done. One round serves all requests made before it.
    pub(crate) fn end_rounds(&self, count: usize) {
        self.done.fetch_max(count, Ordering::SeqCst);
        self.wake_waiters();
    }

    /// Wakes the tasks that wait for a round, so that they check again.
    pub(crate) fn wake_waiters(&self) {
        self.idle.notify_waiters();
    }

    /// Completes when a round ends after the returned future was first polled or enabled.
    pub(crate) fn round_done(&self) -> Notified<'_> {
        self.idle.notified()
    }
}
