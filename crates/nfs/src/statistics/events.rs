//! What happens to connections, and to requests before they are executed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::shared::Shared;
use forebay_nfs_proto::xdr::Status;

/// A count that only grows.
#[derive(Debug, Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    /// Counts one.
    pub(crate) fn one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The events of one server. Their meaning is that of the fields of [`EventCounts`].
#[derive(Debug, Default)]
pub(crate) struct Events {
    connections: AtomicU64,
    accepted: Count,
    pub(crate) connections_refused: Count,
    handshakes: Count,
    handshakes_failed: Count,
    pub(crate) replays: Count,
    pub(crate) request_memory_waits: Count,
    pub(crate) reply_memory_waits: Count,
    pub(crate) turned_away: Count,
    hidden: Count,
    read_only: Count,
    insecure: Count,
    undecided: Count,
}

/// What happened since the server started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventCounts {
    /// Connections that are open now.
    pub connections: u64,
    /// Connections that were let in.
    pub connections_accepted: u64,
    /// Connections that were closed at once because there were too many.
    pub connections_refused: u64,
    /// TLS handshakes that were done.
    pub tls_handshakes: u64,
    /// TLS handshakes that failed or took too long.
    pub tls_handshakes_failed: u64,
    /// Requests that had been answered before, and were answered again without being executed again.
    pub replays: u64,
    /// Times that a request waited for memory that others in work had.
    pub request_memory_waits: u64,
    /// Times that a connection was not read from because its client, or all, left too many replies in memory.
    pub reply_memory_waits: u64,
    /// Requests that were told to come again because their volume's limit would have let them wait too long.
    pub turned_away: u64,
    /// Operations that export policies did not let through.
    pub refused: Refusals,
}

/// Operations that export policies did not let through, by why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refusals {
    /// The volume is not there for the client.
    pub hidden: u64,
    /// The client may only read.
    pub read_only: u64,
    /// The connection is not secured as it must be.
    pub insecure: u64,
    /// A host name or a user's groups were still being looked up.
    pub undecided: u64,
}

impl Events {
    /// A connection is let in, until what is returned is dropped.
    pub(crate) fn connected(server: &Arc<Shared>) -> Connected {
        let events = &server.statistics.events;
        events.accepted.one();
        events.connections.fetch_add(1, Ordering::Relaxed);
        Connected(server.clone())
    }

    /// A TLS handshake ended.
    pub(crate) fn shook_hands(&self, well: bool) {
        if well { &self.handshakes } else { &self.handshakes_failed }.one();
    }

    /// The export policies did not let an operation through. Other statuses are no refusals: what is gone, for example.
    pub(crate) fn refused(&self, status: Status) {
        match status {
            Status::Access => self.hidden.one(),
            Status::RoFs => self.read_only.one(),
            Status::WrongSec => self.insecure.one(),
            Status::Delay => self.undecided.one(),
            _ => {}
        }
    }

    /// What was counted so far.
    pub(crate) fn counts(&self) -> EventCounts {
        EventCounts {
            connections: self.connections.load(Ordering::Relaxed),
            connections_accepted: self.accepted.get(),
            connections_refused: self.connections_refused.get(),
            tls_handshakes: self.handshakes.get(),
            tls_handshakes_failed: self.handshakes_failed.get(),
            replays: self.replays.get(),
            request_memory_waits: self.request_memory_waits.get(),
            reply_memory_waits: self.reply_memory_waits.get(),
            turned_away: self.turned_away.get(),
            refused: Refusals {
                hidden: self.hidden.get(),
                read_only: self.read_only.get(),
                insecure: self.insecure.get(),
                undecided: self.undecided.get(),
            },
        }
    }
}

/// A connection that is open.
pub(crate) struct Connected(Arc<Shared>);

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.statistics.events.connections.fetch_sub(1, Ordering::Relaxed);
    }
}
