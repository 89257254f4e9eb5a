//! Which clients there are: registration (EXCHANGE_ID), confirmation (CREATE_SESSION) and removal
//! (RFC 8881 §18.35.4, §18.36.4).
//!
//! A client's name (`co_ownerid`) has at most one confirmed registration, and at most one that is not
//! confirmed yet; the second replaces the first when it is confirmed, because it is the client's next
//! incarnation.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::client::Client;
use super::stateid::Boot;
use crate::clock::Clock;
use crate::rpc::Principal;
use crate::xdr::Status;
use crate::xdr::nfs4::{ClientId, ClientOwner};

pub(super) struct Registry {
    boot: Boot,
    clock: Clock,
    clients_max: usize,
    ids_given: u32,
    /// Clients that can use the server.
    clients: HashMap<ClientId, Arc<Client>>,
    confirmed: HashMap<Bytes, ClientId>,
    unconfirmed: HashMap<Bytes, ClientId>,
    /// Clients that are gone, and whose state is being taken away.
    leaving: HashMap<ClientId, Arc<Client>>,
}

impl Registry {
    pub fn new(boot: Boot, clock: Clock, clients_max: usize) -> Registry {
        Registry {
            boot,
            clock,
            clients_max,
            ids_given: 0,
            clients: HashMap::new(),
            confirmed: HashMap::new(),
            unconfirmed: HashMap::new(),
            leaving: HashMap::new(),
        }
    }

    /// The registration of that id; [`Status::StaleClientid`] if there is none.
    pub fn get(&self, id: ClientId) -> Result<&Arc<Client>, Status> {
        self.clients.get(&id).ok_or(Status::StaleClientid)
    }

    /// EXCHANGE_ID without EXCHGID4_FLAG_UPD_CONFIRMED_REC_A (RFC 8881 §18.35.4, cases 1 to 5).
    /// `in_use` tells whether a client has state and a good lease. If there are too many clients, one that is not confirmed gives
    /// way, or else one that is silent beyond its `lease`: the one that is silent longest.
    pub fn register(
        &mut self,
        owner: &ClientOwner,
        principal: Principal,
        lease: Duration,
        in_use: impl FnOnce(&Client) -> bool,
    ) -> Result<Arc<Client>, Status> {
        if let Some(known) = self.confirmed(&owner.ownerid).map(Arc::clone) {
            let same_principal = known.principal() == principal;
            if same_principal && known.owner().verifier == owner.verifier {
                return Ok(known);
            }
            if !same_principal && in_use(&known) {
                return Err(Status::ClidInUse);
            }
            if !same_principal {
                self.remove(known.id());
            }
        }
        if let Some(replaced) = self.unconfirmed.remove(&owner.ownerid) {
            self.clients.remove(&replaced);
        }
        if self.clients.len() >= self.clients_max {
            let silent = self.who_gives_way(lease).ok_or(Status::Delay)?;
            if let Some(client) = self.remove(silent) {
                tracing::info!(client = %client.owner().ownerid.escape_ascii(), "makes room for another client");
            }
        }
        self.ids_given = self.ids_given.checked_add(1).ok_or(Status::ServerFault)?;
        let id = ClientId(u64::from(self.boot.number()) << 32 | u64::from(self.ids_given));
        let client = Arc::new(Client::new(id, owner, principal, self.clock.clone()));
        self.unconfirmed.insert(client.owner().ownerid.clone(), id);
        self.clients.insert(id, Arc::clone(&client));
        Ok(client)
    }

    /// EXCHANGE_ID with EXCHGID4_FLAG_UPD_CONFIRMED_REC_A (cases 6 to 9).
    pub fn update(&self, owner: &ClientOwner, principal: Principal) -> Result<Arc<Client>, Status> {
        let known = self.confirmed(&owner.ownerid).ok_or(Status::NoEnt)?;
        if known.owner().verifier != owner.verifier {
            return Err(Status::NotSame);
        }
        if known.principal() != principal {
            return Err(Status::Perm);
        }
        Ok(Arc::clone(known))
    }

    /// Who can give way to another client. Whoever never made a session loses nothing, however lately it came.
    fn who_gives_way(&self, lease: Duration) -> Option<ClientId> {
        let claim = |client: &Arc<Client>| {
            let (silence, confirmed) = (client.silence()?, client.is_confirmed());
            (silence > lease || !confirmed).then_some(((!confirmed, silence), client.id()))
        };
        self.clients.values().filter_map(claim).max_by_key(|(claim, _)| *claim).map(|(_, id)| id)
    }

    fn confirmed(&self, ownerid: &Bytes) -> Option<&Arc<Client>> {
        self.clients.get(self.confirmed.get(ownerid)?)
    }

    /// Confirms a client; returns its earlier incarnation, now gone, whose state must be taken away.
    pub fn confirm(&mut self, client: &Arc<Client>) -> Result<Option<Arc<Client>>, Status> {
        self.get(client.id())?;
        if client.is_confirmed() {
            return Ok(None);
        }
        let ownerid = &client.owner().ownerid;
        let earlier = self.confirmed.get(ownerid).copied().and_then(|earlier| self.remove(earlier));
        self.unconfirmed.remove(ownerid);
        self.confirmed.insert(ownerid.clone(), client.id());
        client.set_confirmed();
        Ok(earlier)
    }

    /// Removes a client: its sessions are void from now on, and its state is to be taken away. It counts as
    /// leaving until [`Registry::left`].
    pub fn remove(&mut self, id: ClientId) -> Option<Arc<Client>> {
        let client = self.clients.remove(&id)?;
        client.set_gone();
        let names = if client.is_confirmed() { &mut self.confirmed } else { &mut self.unconfirmed };
        names.remove(&client.owner().ownerid);
        self.leaving.insert(id, Arc::clone(&client));
        Some(client)
    }

    /// All clients that can use the server.
    pub fn all(&self) -> Vec<Arc<Client>> {
        self.clients.values().cloned().collect()
    }

    /// A client that is gone and still has state.
    pub fn leaving(&self, id: ClientId) -> Option<&Arc<Client>> {
        self.leaving.get(&id)
    }

    /// All clients that are gone and still have state.
    pub fn all_leaving(&self) -> Vec<Arc<Client>> {
        self.leaving.values().cloned().collect()
    }

    /// Forgets a client whose state was taken away.
    pub fn left(&mut self, id: ClientId) {
        self.leaving.remove(&id);
    }

    /// Lets all leases begin anew.
    pub fn renew_all(&self) {
        self.clients.values().for_each(|client| drop(client.renew()));
    }

    /// Clients whose lease ran out, and by how much.
    pub fn overdue(&self, lease: Duration) -> Vec<(ClientId, Duration)> {
        let overdue = |client: &Arc<Client>| Some((client.id(), client.overdue(lease)?));
        self.clients.values().filter_map(overdue).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xdr::nfs4::Verifier;

    const ALICE: Principal = Principal { flavor: 1, uid: 1 };
    const BOB: Principal = Principal { flavor: 1, uid: 2 };

    const LEASE: Duration = Duration::from_secs(30);

    fn registry() -> Registry {
        Registry::new(Boot::new(1), Clock::manual(), 4)
    }

    fn owner(name: &'static str, incarnation: u8) -> ClientOwner {
        ClientOwner { verifier: Verifier([incarnation; 8]), ownerid: Bytes::from_static(name.as_bytes()) }
    }

    fn register(registry: &mut Registry, owner: &ClientOwner) -> Arc<Client> {
        registry.register(owner, ALICE, LEASE, |_| true).expect("registered")
    }

    #[test]
    fn the_same_incarnation_keeps_its_id_once_it_is_confirmed() {
        let mut registry = registry();
        let first = register(&mut registry, &owner("a", 1));
        let second = register(&mut registry, &owner("a", 1));
        assert_ne!(first.id(), second.id(), "not confirmed: replaced");
        assert_eq!(registry.get(first.id()).err(), Some(Status::StaleClientid));
        assert!(registry.confirm(&second).expect("known").is_none());
        assert_eq!(register(&mut registry, &owner("a", 1)).id(), second.id());
    }

    #[test]
    fn a_restarted_client_replaces_itself_when_it_is_confirmed() {
        let mut registry = registry();
        let before = register(&mut registry, &owner("a", 1));
        registry.confirm(&before).expect("known");
        let after = register(&mut registry, &owner("a", 2));
        assert!(!before.is_gone(), "until the new incarnation has proved to be one");
        let replaced = registry.confirm(&after).expect("known").expect("there was one before");
        assert_eq!(replaced.id(), before.id());
        assert!(before.is_gone());
        assert_eq!(registry.get(before.id()).err(), Some(Status::StaleClientid));
        assert!(registry.get(after.id()).is_ok());
    }

    #[test]
    fn anothers_name_is_in_use_as_long_as_it_has_state() {
        let mut registry = registry();
        let client = register(&mut registry, &owner("a", 1));
        registry.confirm(&client).expect("known");
        assert_eq!(registry.register(&owner("a", 1), BOB, LEASE, |_| true).err(), Some(Status::ClidInUse));
        assert!(registry.register(&owner("a", 1), BOB, LEASE, |_| false).is_ok());
        assert!(client.is_gone());
    }

    #[test]
    fn an_update_needs_the_confirmed_registration() {
        let mut registry = registry();
        assert_eq!(registry.update(&owner("a", 1), ALICE).err(), Some(Status::NoEnt));
        let client = register(&mut registry, &owner("a", 1));
        assert_eq!(registry.update(&owner("a", 1), ALICE).err(), Some(Status::NoEnt));
        registry.confirm(&client).expect("known");
        assert_eq!(registry.update(&owner("a", 1), ALICE).map(|client| client.id()), Ok(client.id()));
        assert_eq!(registry.update(&owner("a", 2), ALICE).err(), Some(Status::NotSame));
        assert_eq!(registry.update(&owner("a", 1), BOB).err(), Some(Status::Perm));
    }

    #[test]
    fn the_number_of_clients_is_bounded() {
        let mut registry = registry();
        for name in ["a", "b", "c"] {
            let client = register(&mut registry, &owner(name, 1));
            registry.confirm(&client).expect("known");
        }
        let unconfirmed = register(&mut registry, &owner("d", 1));
        let client = register(&mut registry, &owner("e", 1));
        assert!(unconfirmed.is_gone(), "it gave way");
        registry.confirm(&client).expect("known");
        assert_eq!(registry.register(&owner("f", 1), ALICE, LEASE, |_| true).err(), Some(Status::Delay));
    }

    #[test]
    fn who_never_made_a_session_gives_way_before_who_is_silent() {
        let clock = Clock::manual();
        let mut registry = Registry::new(Boot::new(1), clock.clone(), 2);
        let silent = register(&mut registry, &owner("a", 1));
        registry.confirm(&silent).expect("known");
        clock.advance(LEASE * 2);
        for name in ["b", "c", "d"] {
            register(&mut registry, &owner(name, 1));
        }
        assert!(!silent.is_gone());
    }

    #[test]
    fn one_client_too_many_takes_the_place_of_the_one_that_is_silent_longest() {
        let clock = Clock::manual();
        let mut registry = Registry::new(Boot::new(1), clock.clone(), 3);
        let mut clients = Vec::new();
        for name in ["a", "b", "c"] {
            let client = register(&mut registry, &owner(name, 1));
            registry.confirm(&client).expect("known");
            clients.push(client);
            clock.advance(LEASE);
        }
        assert!(registry.register(&owner("d", 1), ALICE, LEASE, |_| true).is_ok());
        let gone: Vec<bool> = clients.iter().map(|client| client.is_gone()).collect();
        assert_eq!(gone, [true, false, false]);
        assert_eq!(registry.all_leaving().len(), 1, "its state is still to be taken away");
    }
}
