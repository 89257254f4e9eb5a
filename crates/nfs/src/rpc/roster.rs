//! Who is connected, and who has to go when there are too many.
//!
//! There is a limit for each client, which is an address here, and one for all. At a limit a new connection takes the place of
//! the oldest one that carries no session, of the client that has most: so whoever opens connections and does nothing on them keeps
//! nobody out. If all carry sessions, a client that has fewer takes the place of the oldest of the client that has most. That
//! is unkind and safe: clients connect again, and sessions answer again what was answered before.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Connection;

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
    /// By number, so the oldest is the first.
    connections: BTreeMap<u64, Arc<Connection>>,
    /// Those that carried no session when they were looked at last, oldest first; some may be gone.
    strangers: VecDeque<u64>,
}

impl Client {
    /// Takes the oldest connection without a session off the list.
    fn remove_stranger(&mut self) -> Option<Arc<Connection>> {
        while let Some(number) = self.strangers.pop_front() {
            if self.connections.get(&number).is_some_and(|connection| !connection.carries_session()) {
                return self.connections.remove(&number);
            }
        }
        None
    }
}

/// A place that a connection has until this is dropped.
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

    /// Ends the oldest connection without a session of that client; false if there is none.
    fn end_stranger(&mut self, address: IpAddr) -> bool {
        let ended = self.known.get_mut(&address).and_then(Client::remove_stranger);
        self.note_end(ended)
    }

    /// Ends a connection in favour of a client that has `fewer`; false if none has to go.
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
        // Every change leaves lists that are in order, so a panic elsewhere does no harm.
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a new connection, if there is one or another one has to go. Else the setting that is in its way.
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
        // What is gone leaves its number here, until there are too many of them.
        if client.strangers.len() > 2 * client.connections.len() + 16 {
            let connections = &client.connections;
            client.strangers.retain(|number| connections.contains_key(number));
        }
        client.strangers.push_back(connection.id);
        Ok(Place { roster: self.clone(), connection: connection.clone() })
    }

    /// Ends a connection that carries no session, if there is one, because the system has no room for another.
    pub fn make_room(&self) -> bool {
        self.clients().end_one(usize::MAX - 1)
    }

    /// How many there are.
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
