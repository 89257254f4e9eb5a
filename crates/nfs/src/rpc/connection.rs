//! What is known of a TCP connection.

use std::net::SocketAddr;

use crate::policy::gate::Decisions;

/// A TCP connection from a client.
///
/// Which sessions use it is not kept: state protection is not offered, so any connection may carry any
/// session (RFC 8881 §2.10.3.1), and the server never calls back.
#[derive(Debug)]
pub struct Connection {
    /// Counts the server's connections.
    pub id: u64,
    /// The client's address.
    pub peer: SocketAddr,
    /// What export policies say of the client.
    pub decisions: Decisions,
}

impl Connection {
    /// The connection of that number, from that address.
    pub fn new(id: u64, peer: SocketAddr) -> Connection {
        Connection { id, peer, decisions: Decisions::default() }
    }
}
