//! Counters of connections, and of requests before they are executed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use forebay_nfs_proto::xdr::Status;

/// A counter that only increases.
#[derive(Debug, Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    /// Adds one.
    pub(crate) fn one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The counters of one server. The fields of [`EventCounts`] explain them.
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
    pub(crate) held: Count,
    hidden: Count,
    read_only: Count,
    insecure: Count,
    undecided: Count,
}

/// Counts since the server started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventCounts {
    /// Open connections.
    pub connections: u64,
    /// Accepted connections.
    pub connections_accepted: u64,
    /// Connections that were closed immediately because there were too many.
    pub connections_refused: u64,
    /// Completed TLS handshakes.
    pub tls_handshakes: u64,
    /// TLS handshakes that failed or timed out.
    pub tls_handshakes_failed: u64,
    /// Requests answered from the reply cache, without being executed again.
    pub replays: u64,
    /// Times that a request waited for memory that other requests used.
    pub request_memory_waits: u64,
    /// Times that a connection was not read because its client, or all clients together, left too many
    /// replies unread.
    pub reply_memory_waits: u64,
    /// Requests that were asked to retry because their volume's limit would have made them wait too long.
    pub turned_away: u64,
    /// Operations that waited for the end of a grace period.
    pub held: u64,
    /// Operations that export policies refused.
    pub refused: Refusals,
}

/// Operations that export policies refused, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refusals {
    /// The client cannot see the volume.
    pub hidden: u64,
    /// The client has read-only access.
    pub read_only: u64,
    /// The connection does not meet the TLS requirement.
    pub insecure: u64,
    /// A host name or a user's groups were still being looked up.
    pub undecided: u64,
}

impl Events {
    /// Counts a connection as open until the result is dropped.
    pub(crate) fn connected(self: &Arc<Self>) -> Connected {
        self.accepted.one();
        self.connections.fetch_add(1, Ordering::Relaxed);
        Connected(self.clone())
    }

    /// Counts a TLS handshake.
    pub(crate) fn shook_hands(&self, well: bool) {
        if well { &self.handshakes } else { &self.handshakes_failed }.one();
    }

    /// Counts an operation that export policies refused. Statuses with other causes are ignored, such as that
    /// of a deleted volume.
    pub(crate) fn refused(&self, status: Status) {
        match status {
            Status::Access => self.hidden.one(),
            Status::RoFs => self.read_only.one(),
            Status::WrongSec => self.insecure.one(),
            Status::Delay => self.undecided.one(),
            _ => {}
        }
    }

    /// The counts so far.
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
            held: self.held.get(),
            refused: Refusals {
                hidden: self.hidden.get(),
                read_only: self.read_only.get(),
                insecure: self.insecure.get(),
                undecided: self.undecided.get(),
            },
        }
    }
}

/// An open connection.
pub(crate) struct Connected(Arc<Events>);

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}
