//! The connections that are open, for those who must tell another machine about them.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::sync::watch;

/// The two ends of a TCP connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoints {
    /// The address and port that the client connected to.
    pub server: SocketAddr,
    /// The client's address and port.
    pub client: SocketAddr,
}

/// The ends of all open connections, by the connections' numbers.
#[derive(Default)]
pub struct OpenConnections(watch::Sender<BTreeMap<u64, Endpoints>>);

impl OpenConnections {
    /// A connection is open until the result is dropped.
    pub(crate) fn add(self: &Arc<Self>, id: u64, server: SocketAddr, client: SocketAddr) -> Open {
        // A server that listens on `[::]` sees IPv4 clients with addresses of IPv6.
        let canonical = |address: SocketAddr| SocketAddr::new(address.ip().to_canonical(), address.port());
        let endpoints = Endpoints { server: canonical(server), client: canonical(client) };
        self.0.send_modify(|open| _ = open.insert(id, endpoints));
        Open { connections: self.clone(), id }
    }

    /// The connections, and every change of them.
    pub fn subscribe(&self) -> watch::Receiver<BTreeMap<u64, Endpoints>> {
        self.0.subscribe()
    }
}

/// A connection that is open.
pub(crate) struct Open {
    connections: Arc<OpenConnections>,
    id: u64,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.connections.0.send_modify(|open| _ = open.remove(&self.id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_listed_until_it_is_closed_also_if_its_port_is_used_again() {
        let connections = Arc::new(OpenConnections::default());
        let mut seen = connections.subscribe();
        let (server, client) = ("[::ffff:10.0.0.50]:2049".parse().unwrap(), "10.0.0.7:931".parse().unwrap());
        let first = connections.add(1, server, client);
        let second = connections.add(2, server, client);
        assert!(seen.has_changed().unwrap());
        drop(first);
        let left: Vec<Endpoints> = seen.borrow_and_update().values().copied().collect();
        assert_eq!(left, [Endpoints { server: "10.0.0.50:2049".parse().unwrap(), client }]);
        drop(second);
        assert!(seen.borrow_and_update().is_empty());
    }
}
