//! The connections of a listener, and which of them is closed when there are too many.
//!
//! There is a limit for each address and one for all addresses. At a limit a new connection takes the place of the oldest connection
//! without an identified caller, of the address with the most connections. So a peer that opens connections and uses them slowly keeps
//! nobody out. If all callers are identified, the oldest connection without a request in progress is closed. A new connection is
//! refused only if all connections have requests in progress.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::peer::Standing;

/// The connections of a listener.
pub struct Roster {
    connections_max: usize,
    per_address_max: usize,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    /// Oldest first.
    connections: Vec<Arc<Connection>>,
}

/// A connection that has a place.
pub struct Connection {
    /// The peer's address; `None` for the UNIX socket.
    address: Option<IpAddr>,
    /// Who uses the connection.
    pub standing: Arc<Standing>,
    ended: Notify,
}

impl Connection {
    /// Resolves when another connection takes its place.
    pub async fn ended(&self) {
        self.ended.notified().await;
    }
}

/// A place that a connection has until this is dropped.
pub struct Place {
    roster: Arc<Roster>,
    /// The connection.
    pub connection: Arc<Connection>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.roster.open().connections.retain(|other| !Arc::ptr_eq(other, &self.connection));
    }
}

impl Roster {
    /// A roster without connections.
    pub fn new(connections_max: usize, per_address_max: usize) -> Arc<Roster> {
        Arc::new(Roster { connections_max, per_address_max, open: Mutex::default() })
    }

    /// A place for a new connection, if there is one or another connection can be closed. Without an address only the limit for all
    /// addresses applies.
    pub fn admit(self: &Arc<Self>, address: Option<IpAddr>) -> Option<Place> {
        let address = address.map(|address| address.to_canonical());
        let own_max = if address.is_some() { self.per_address_max } else { self.connections_max };
        let mut open = self.open();
        if open.count(address) >= own_max && !open.end_one(&[address]) {
            return None;
        }
        if open.connections.len() >= self.connections_max {
            let all = open.addresses();
            if !open.end_one(&all) {
                return None;
            }
        }
        let connection = Arc::new(Connection { address, standing: Arc::default(), ended: Notify::new() });
        open.connections.push(connection.clone());
        Some(Place { roster: self.clone(), connection })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        // Every change leaves a consistent list, so a panic elsewhere does no harm.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn count(&self, address: Option<IpAddr>) -> usize {
        self.connections.iter().filter(|connection| connection.address == address).count()
    }

    /// All addresses, those with the most connections first.
    fn addresses(&self) -> Vec<Option<IpAddr>> {
        let mut addresses: Vec<_> = self.connections.iter().map(|connection| connection.address).collect();
        addresses.sort_unstable();
        addresses.dedup();
        addresses.sort_by_key(|address| std::cmp::Reverse(self.count(*address)));
        addresses
    }

    /// Ends one connection of these addresses, searched in this order; false if none can be closed.
    fn end_one(&mut self, addresses: &[Option<IpAddr>]) -> bool {
        let is_stranger = |standing: &Standing| !standing.is_identified();
        let is_idle = |standing: &Standing| !standing.is_working();
        let oldest = |has_to_go: fn(&Standing) -> bool| {
            addresses.iter().find_map(|address| {
                let is_it = |one: &Arc<Connection>| one.address == *address && has_to_go(&one.standing);
                self.connections.iter().position(is_it)
            })
        };
        let Some(position) = oldest(is_stranger).or_else(|| oldest(is_idle)) else { return false };
        self.connections.remove(position).ended.notify_one();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([10, 0, 0, last]))
    }

    fn is_there(place: &Place) -> bool {
        place.roster.open().connections.iter().any(|other| Arc::ptr_eq(other, &place.connection))
    }

    #[tokio::test]
    async fn a_newcomer_takes_the_place_of_the_oldest_that_has_shown_no_token() {
        let roster = Roster::new(10, 3);
        let places: Vec<Place> = (0..3).map(|_| roster.admit(address(1)).unwrap()).collect();
        drop(places[0].connection.standing.begin());
        let newcomer = roster.admit(address(1)).unwrap();
        assert!(is_there(&places[0]) && !is_there(&places[1]) && is_there(&places[2]) && is_there(&newcomer));
        places[1].connection.ended().await;
    }

    #[test]
    fn where_all_have_shown_tokens_who_is_idle_goes_and_who_is_at_work_stays() {
        let roster = Roster::new(3, 3);
        let places: Vec<Place> = (0..3).map(|_| roster.admit(None).unwrap()).collect();
        let _first = places[0].connection.standing.begin();
        drop(places[1].connection.standing.begin());
        let _third = places[2].connection.standing.begin();
        let newcomer = roster.admit(None).unwrap();
        assert!(is_there(&places[0]) && !is_there(&places[1]) && is_there(&places[2]));
        let _fourth = newcomer.connection.standing.begin();
        assert!(roster.admit(None).is_none());
    }

    #[test]
    fn the_address_with_most_connections_makes_room_for_others_and_places_come_back() {
        let roster = Roster::new(6, 5);
        let only = roster.admit(address(9)).unwrap();
        let many: Vec<Place> = (0..20).map(|_| roster.admit(address(1)).unwrap()).collect();
        assert_eq!(many.iter().filter(|place| is_there(place)).count(), 5);
        let others: Vec<Place> = (20..23).map(|host| roster.admit(address(host)).unwrap()).collect();
        assert!(is_there(&only) && others.iter().all(is_there));
        assert_eq!(many.iter().filter(|place| is_there(place)).count(), 2);
        drop((only, many, others));
        assert!(roster.open().connections.is_empty());
    }
}
