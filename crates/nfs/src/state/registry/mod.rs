//! The registrations of clients: registration (EXCHANGE_ID), confirmation (CREATE_SESSION) and removal (RFC
//! 8881 §18.35.4, §18.36.4).
//!
//! A client's name (`co_ownerid`) has at most one confirmed registration and at most one unconfirmed one. The
//! second replaces the first when it is confirmed, because it is the client's next incarnation.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::client::Client;
use super::stateid::Boot;
use crate::memory::audit::client_bytes;
use crate::memory::{Kind, Standing, StateMemory, shrink};
use forebay_nfs_proto::rpc::Principal;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{ClientId, ClientOwner};
use forebay_service::Clock;

/// Unconfirmed clients may be one in this many.
const UNCONFIRMED_PART: usize = 4;

/// The result of EXCHANGE_ID.
pub(super) struct Registered {
    /// The registration: an existing one, or one to be confirmed.
    pub client: Arc<Client>,
    /// The client that was removed to make room. Its state must be removed.
    pub made_room: Option<Arc<Client>>,
}

pub(super) struct Registry {
    boot: Boot,
    clock: Clock,
    memory: Arc<StateMemory>,
    ids_given: u32,
    /// Clients that can use the server.
    clients: HashMap<ClientId, Arc<Client>>,
    confirmed: HashMap<Bytes, ClientId>,
    unconfirmed: HashMap<Bytes, ClientId>,
    /// Clients that are gone, and whose state is being removed.
    leaving: HashMap<ClientId, Arc<Client>>,
}

impl Registry {
    pub fn new(boot: Boot, clock: Clock, memory: Arc<StateMemory>) -> Registry {
        Registry {
            boot,
            clock,
            memory,
            ids_given: 0,
            clients: HashMap::new(),
            confirmed: HashMap::new(),
            unconfirmed: HashMap::new(),
            leaving: HashMap::new(),
        }
    }

    /// The registration with this id. Returns [`Status::StaleClientid`] if there is none.
    pub fn get(&self, id: ClientId) -> Result<&Arc<Client>, Status> {
        self.clients.get(&id).ok_or(Status::StaleClientid)
    }

    /// EXCHANGE_ID without EXCHGID4_FLAG_UPD_CONFIRMED_REC_A (RFC 8881 §18.35.4, cases 1 to 5), from this
    /// address. `in_use` tells whether a client has state and a valid lease. If there are too many clients,
    /// another one is removed.
    pub fn register(
        &mut self,
        owner: &ClientOwner,
        principal: Principal,
        address: SocketAddr,
        lease: Duration,
        in_use: impl FnOnce(&Client) -> bool,
    ) -> Result<Registered, Status> {
        if let Some(known) = self.confirmed(&owner.ownerid).map(Arc::clone) {
            let same_principal = known.principal() == principal;
            if same_principal && known.owner().verifier == owner.verifier {
                return Ok(Registered { client: known, made_room: None });
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
        let made_room = self.make_room(address.ip(), lease)?;
        let id = self.ids_given.checked_add(1).ok_or(Status::ServerFault)?;
        let account = self.memory.open_account(address.ip());
        let charge = account.charge(Kind::Client, client_bytes(owner.ownerid.len()))?;
        self.ids_given = id;
        let id = ClientId(u64::from(self.boot.number()) << 32 | u64::from(id));
        let client = Arc::new(Client::new(id, owner, principal, address, charge, self.clock.clone()));
        self.unconfirmed.insert(client.owner().ownerid.clone(), id);
        self.clients.insert(id, Arc::clone(&client));
        Ok(Registered { client, made_room })
    }

    /// Removes a client if there are too many: in total, at one address, or unconfirmed.
    fn make_room(&mut self, address: IpAddr, lease: Duration) -> Result<Option<Arc<Client>>, Status> {
        let (clients_max, address) = (self.memory.clients_max(), address.to_canonical());
        let unconfirmed_max = (clients_max / UNCONFIRMED_PART).max(1);
        let of_address_max = (clients_max / 2).max(1);
        let gives_way = if self.memory.accounts_of(address) >= of_address_max {
            self.who_gives_way(lease, |client| client.account().address() == address)
        } else if self.unconfirmed.len() >= unconfirmed_max {
            self.who_gives_way(lease, |client| !client.is_confirmed())
        } else if self.clients.len() >= clients_max {
            self.who_gives_way(lease, |_| true)
        } else {
            return Ok(None);
        };
        let client = gives_way.and_then(|id| self.remove(id)).ok_or(Status::Delay)?;
        tracing::debug!(client = %client.owner().ownerid.escape_ascii(), "makes room for another client");
        Ok(Some(client))
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

    /// Selects the client that makes room for another: one that never created a session, otherwise one that
    /// has used no export, since neither loses anything, otherwise one whose lease has expired. Among those
    /// it is a client of the address with the most clients, and of these the one that has been silent
    /// longest, so that a client about to mount is not removed.
    fn who_gives_way(&self, lease: Duration, of: impl Fn(&Client) -> bool) -> Option<ClientId> {
        let claim = |client: &Arc<Client>| {
            let silence = client.silence()?;
            let rank = match (client.is_confirmed(), client.account().standing()) {
                (false, _) => 2,
                (true, Standing::Stranger) if !client.is_recorded() => 1,
                _ if silence > lease => 0,
                _ => return None,
            };
            Some(((rank, client.account().neighbours(), silence), client.id()))
        };
        let candidates = self.clients.values().filter(|client| of(client)).filter_map(claim);
        candidates.max_by_key(|(claim, _)| *claim).map(|(_, id)| id)
    }

    fn confirmed(&self, ownerid: &Bytes) -> Option<&Arc<Client>> {
        self.clients.get(self.confirmed.get(ownerid)?)
    }

    /// Confirms a client. Returns its earlier incarnation, which is now gone and whose state must be removed.
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

    /// Removes a client: its sessions are void from now on, and its state must be removed. It counts as
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

    /// A client that is gone but still has state.
    pub fn leaving(&self, id: ClientId) -> Option<&Arc<Client>> {
        self.leaving.get(&id)
    }

    /// All clients that are gone but still have state.
    pub fn all_leaving(&self) -> Vec<Arc<Client>> {
        self.leaving.values().cloned().collect()
    }

    /// Removes a leaving client whose state has been removed.
    pub fn left(&mut self, id: ClientId) {
        self.leaving.remove(&id);
    }

    /// Releases unused memory.
    pub fn tidy(&mut self) {
        shrink(&mut self.clients);
        shrink(&mut self.confirmed);
        shrink(&mut self.unconfirmed);
        shrink(&mut self.leaving);
    }

    /// Restarts all leases.
    pub fn renew_all(&self) {
        self.clients.values().for_each(|client| drop(client.renew()));
    }

    /// Clients whose lease has expired, and for how long.
    pub fn overdue(&self, lease: Duration) -> Vec<(ClientId, Duration)> {
        let overdue = |client: &Arc<Client>| Some((client.id(), client.overdue(lease)?));
        self.clients.values().filter_map(overdue).collect()
    }
}

#[cfg(test)]
mod tests;
