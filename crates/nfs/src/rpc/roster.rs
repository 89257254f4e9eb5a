//! The open connections, and which one is closed when there are too many.
//!
//! There is a limit per client (an address) and one for all. At a limit, a new connection replaces the oldest
//! one without a session, of the client with the most connections. So a client that opens idle connections
//! cannot block others. If all connections carry sessions, a client with fewer connections replaces the
//! oldest one of the client with the most. That is safe, though disruptive: clients reconnect, and sessions
//! answer retries from their reply cache.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::connection::Connection;

/// The connections of one server.
pub(super) struct Roster {
    connections_max: usize,
    per_client_max: usize,
    clients: Mutex<Clients>,
}

#[derive(Default)]
struct Clients {
    known: HashMap<IpAddr, Client>,
    total: usize,
}

#[derive(Default)]
struct Client {
    /// By number, so the oldest is first.
    connections: BTreeMap<u64, Arc<Connection>>,
    /// Connections that carried no session when last checked, oldest first; some may be closed.
    strangers: VecDeque<u64>,
}

impl Client {
    /// Removes the oldest connection without a session from the list.
    fn remove_stranger(&mut self) -> Option<Arc<Connection>> {
        while let Some(number) = self.strangers.pop_front() {
            if self.connections.get(&number).is_some_and(|connection| !connection.carries_session()) {
                return self.connections.remove(&number);
            }
        }
        None
    }
}

/// A connection's place, until this value is dropped.
pub(super) struct Place {
    roster: Arc<Roster>,
    connection: Arc<Connection>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.roster.clients().remove(self.connection.peer.ip().to_canonical(), self.connection.id);
    }
}

impl Clients {
    fn remove(&mut self, address: IpAddr, number: u64) {
        let Some(client) = self.known.get_mut(&address) else { return };
        if client.connections.remove(&number).is_some() {
            self.total -= 1;
        }
        if client.connections.is_empty() {
            self.known.remove(&address);
        }
    }

    fn count(&self, address: IpAddr) -> usize {
        self.known.get(&address).map_or(0, |client| client.connections.len())
    }

    /// Closes the client's oldest connection without a session. Returns false if there is none.
    fn end_stranger(&mut self, address: IpAddr) -> bool {
        let ended = self.known.get_mut(&address).and_then(Client::remove_stranger);
        self.note_end(ended)
    }

    /// Closes a connection in favour of a client that has `fewer`. Returns false if there is no candidate.
    fn end_one(&mut self, fewer: usize) -> bool {
        let mut by_count: Vec<(usize, IpAddr)> =
            self.known.iter().map(|(address, client)| (client.connections.len(), *address)).collect();
        by_count.sort_unstable_by(|one, other| other.cmp(one));
        if by_count.iter().any(|(_, address)| self.end_stranger(*address)) {
            return true;
        }
        let Some((_, largest)) = by_count.first().filter(|(count, _)| *count > fewer + 1) else {
            return false;
        };
        let oldest = self.known.get_mut(largest).and_then(|client| client.connections.pop_first());
        self.note_end(oldest.map(|(_, connection)| connection))
    }

    fn note_end(&mut self, ended: Option<Arc<Connection>>) -> bool {
        let Some(connection) = ended else { return false };
        self.total -= 1;
        connection.end();
        true
    }
}

impl Roster {
    pub fn new(connections_max: usize, per_client_max: usize) -> Arc<Self> {
        Arc::new(Roster { connections_max, per_client_max, clients: Mutex::default() })
    }

    fn clients(&self) -> MutexGuard<'_, Clients> {
        // Every change leaves valid lists, so a panic elsewhere does no harm.
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a new connection a place, closing another connection if necessary. Returns the limiting setting
    /// if that is not possible.
    pub fn admit(self: &Arc<Self>, connection: &Arc<Connection>) -> Result<Place, &'static str> {
        let address = connection.peer.ip().to_canonical();
        let mut clients = self.clients();
        let count = clients.count(address);
        if count >= self.per_client_max && !clients.end_stranger(address) {
            return Err("connections_per_client_max");
        }
        if clients.total >= self.connections_max && !clients.end_one(count) {
            return Err("connections_max");
        }
        clients.total += 1;
        let client = clients.known.entry(address).or_default();
        client.connections.insert(connection.id, connection.clone());
        // Closed connections leave their numbers in the list, which is cleaned when there are too many.
        if client.strangers.len() > 2 * client.connections.len() + 16 {
            let connections = &client.connections;
            client.strangers.retain(|number| connections.contains_key(number));
        }
        client.strangers.push_back(connection.id);
        Ok(Place { roster: self.clone(), connection: connection.clone() })
    }

    /// Closes a connection without a session, if there is one, because the system has no resources for
    /// another connection.
    pub fn make_room(&self) -> bool {
        self.clients().end_one(usize::MAX - 1)
    }

    /// Number of connections.
    pub fn total(&self) -> usize {
        self.clients().total
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::*;

    struct Door {
        roster: Arc<Roster>,
        next: u64,
        places: HashMap<u64, Place>,
    }

    impl Door {
        fn new(connections_max: usize, per_client_max: usize) -> Self {
            Door { roster: Roster::new(connections_max, per_client_max), next: 0, places: HashMap::new() }
        }

        fn knock(&mut self, host: u8) -> Result<u64, &'static str> {
            let number = self.next;
            self.next += 1;
            let peer = SocketAddr::from(([192, 0, 2, host], 1000));
            let place = self.roster.admit(&Arc::new(Connection::new(number, peer)))?;
            self.places.insert(number, place);
            Ok(number)
        }

        fn inside(&self, number: u64) -> bool {
            let clients = self.roster.clients();
            clients.known.values().any(|client| client.connections.contains_key(&number))
        }
    }

    #[tokio::test]
    async fn a_newcomer_takes_the_place_of_the_oldest_that_does_nothing() {
        let mut door = Door::new(10, 3);
        let first = door.knock(1).unwrap();
        for _ in 0..3 {
            door.knock(1).unwrap();
        }
        assert!(!door.inside(first));
        assert_eq!(door.roster.total(), 3);
        door.places[&first].connection.ended().await;
    }

    #[test]
    fn the_client_with_most_connections_makes_room_for_others() {
        let mut door = Door::new(6, 6);
        let only = door.knock(9).unwrap();
        for _ in 0..20 {
            door.knock(1).unwrap();
        }
        assert!(door.inside(only));
        let newcomers: Vec<u64> = (20..24).map(|host| door.knock(host).unwrap()).collect();
        assert!(door.inside(only) && newcomers.iter().all(|number| door.inside(*number)));
        assert_eq!(door.roster.total(), 6);
    }

    #[test]
    fn places_are_given_back() {
        let mut door = Door::new(3, 2);
        for _ in 0..200 {
            let number = door.knock(1).unwrap();
            door.places.remove(&number);
        }
        assert_eq!(door.roster.total(), 0);
        assert!(door.roster.clients().known.is_empty());
    }
}
