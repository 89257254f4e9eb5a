//! What is known of a TCP connection.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::policy::gate::Decisions;

/// A TCP connection from a client.
///
/// Any connection may carry any session (RFC 8881 §2.10.3.1), as state protection is not offered, and the server
/// never calls back. Sessions know their connections only for operators to see.
#[derive(Debug)]
pub struct Connection {
    /// Counts the server's connections.
    pub id: u64,
    /// The client's address.
    pub peer: SocketAddr,
    /// What export policies say of the client.
    pub decisions: Decisions,
    /// The number of the session that was used on it last, so that a session is told of a connection once.
    session_last: AtomicU64,
}

impl Connection {
    /// The connection of that number, from that address.
    pub fn new(id: u64, peer: SocketAddr) -> Connection {
        Connection { id, peer, decisions: Decisions::default(), session_last: AtomicU64::new(u64::MAX) }
    }

    /// Whether another session than this was used on the connection before.
    pub fn is_new_to(&self, session: u64) -> bool {
        self.session_last.swap(session, Ordering::Relaxed) != session
    }
}
