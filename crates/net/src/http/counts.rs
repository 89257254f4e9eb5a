//! Counts of a listener's connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the connections of a listener.
#[derive(Debug, Default)]
pub struct ConnectionCounters {
    open: AtomicU64,
    accepted: AtomicU64,
    refused: AtomicU64,
    handshakes: AtomicU64,
    handshakes_failed: AtomicU64,
}

/// The counts so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionCounts {
    /// Open connections.
    pub open: u64,
    /// Accepted connections.
    pub accepted: u64,
    /// Connections that were closed immediately because there were too many.
    pub refused: u64,
    /// Completed TLS handshakes.
    pub tls_handshakes: u64,
    /// TLS handshakes that failed or timed out.
    pub tls_handshakes_failed: u64,
}

impl ConnectionCounters {
    /// The counts so far.
    pub fn counts(&self) -> ConnectionCounts {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ConnectionCounts {
            open: of(&self.open),
            accepted: of(&self.accepted),
            refused: of(&self.refused),
            tls_handshakes: of(&self.handshakes),
            tls_handshakes_failed: of(&self.handshakes_failed),
        }
    }

    /// Counts a connection as open until the result is dropped.
    pub(super) fn opened(self: &Arc<Self>) -> Opened {
        self.accepted.fetch_add(1, Ordering::Relaxed);
        self.open.fetch_add(1, Ordering::Relaxed);
        Opened(self.clone())
    }

    pub(super) fn refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn shook_hands(&self, well: bool) {
        let counter = if well { &self.handshakes } else { &self.handshakes_failed };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// An open connection.
pub(super) struct Opened(Arc<ConnectionCounters>);

impl Drop for Opened {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_open_until_it_ends() {
        let counters = Arc::new(ConnectionCounters::default());
        let opened = counters.opened();
        counters.refused();
        assert_eq!(
            counters.counts(),
            ConnectionCounts { open: 1, accepted: 1, refused: 1, ..Default::default() }
        );
        drop(opened);
        assert_eq!(counters.counts(), ConnectionCounts { accepted: 1, refused: 1, ..Default::default() });
    }
}
