//! The signals that the pool's tasks wait for. They are separate from the engine, so that a waiting task does not keep the
//! engine alive.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// See the module.
#[derive(Default)]
pub(crate) struct Signals {
    closing: AtomicBool,
    closed: Notify,
    /// The amount of dirty data is high.
    pub(crate) pressure: Notify,
    /// There is something to free.
    pub(crate) reap: Notify,
    /// A file has too many inline bytes.
    pub(crate) inline: Notify,
    /// A scrub was requested, or must stop.
    pub(crate) scrub: Notify,
}

impl Signals {
    /// Signals that the pool is closing or gone.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
        self.closed.notify_waiters();
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    /// Waits until the pool is closing.
    pub(crate) async fn closing(&self) {
        let closed = self.closed.notified();
        tokio::pin!(closed);
        closed.as_mut().enable();
        if !self.is_closing() {
            closed.await;
        }
    }
}
