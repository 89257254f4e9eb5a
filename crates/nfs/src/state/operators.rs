//! What operators can see of the state, and the revocation of state.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use forebay_pool::{Handle, VolumeId};

use super::client::Client;
use super::protocol::State;
use super::view::{
    Census, ClientTraffic, ClientView, Condition, Excerpt, LockHolder, LockView, MemoryView, OpenView,
};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{ClientId, StateId};

impl State {
    /// Memory used for clients.
    pub fn memory(&self) -> MemoryView {
        MemoryView {
            usage: self.memory.usage(),
            evicted_for_clients: self.evictions.made_room.get(),
            evicted_for_memory: self.evictions.memory.get(),
        }
    }

    /// Numbers of clients, opens and locks.
    pub fn census(&self) -> Census {
        let (clients, leaving) = {
            let registry = self.registry();
            (registry.all(), registry.all_leaving().len())
        };
        let (opens, locks) = self.table().totals();
        let mut census =
            Census { leaving: leaving as u64, opens: opens as u64, locks: locks as u64, ..Census::default() };
        for client in clients {
            let counted = match self.condition(&client) {
                Condition::Unconfirmed => &mut census.unconfirmed,
                Condition::Reclaiming => &mut census.reclaiming,
                Condition::Confirmed => &mut census.confirmed,
                Condition::Courteous => &mut census.courteous,
                Condition::Leaving => &mut census.leaving,
            };
            *counted += 1;
        }
        census
    }

    /// All clients, by id.
    pub fn clients(&self) -> Vec<ClientView> {
        let (clients, leaving) = {
            let registry = self.registry();
            (registry.all(), registry.all_leaving())
        };
        let condition = |client: &Client| self.condition(client);
        let known = clients.into_iter().map(|client| (condition(&client), client));
        let leaving = leaving.into_iter().map(|client| (Condition::Leaving, client));
        let mut views: Vec<ClientView> =
            known.chain(leaving).map(|(condition, client)| self.client_view(&client, condition)).collect();
        views.sort_by_key(|view| view.id.0);
        views
    }

    /// The clients that have a session, with their traffic; at most `clients_max`.
    pub fn traffic(&self, clients_max: usize) -> Vec<ClientTraffic> {
        let clients = self.registry().all();
        let confirmed = clients.into_iter().filter(|client| client.is_confirmed());
        let seen = confirmed.take(clients_max).map(|client| ClientTraffic {
            id: client.id(),
            owner: client.owner().ownerid.clone(),
            address: client.address(),
            condition: self.condition(&client),
            silence: client.silence().unwrap_or_default(),
            activity: client.activity(),
        });
        seen.collect()
    }

    fn condition(&self, client: &Client) -> Condition {
        if !client.is_confirmed() {
            Condition::Unconfirmed
        } else if client.overdue(self.lease).is_some() {
            Condition::Courteous
        } else if self.is_reclaiming(client) {
            Condition::Reclaiming
        } else {
            Condition::Confirmed
        }
    }

    fn client_view(&self, client: &Arc<Client>, condition: Condition) -> ClientView {
        let (opens, locks) = self.table().holdings_of(client.id());
        ClientView {
            id: client.id(),
            owner: client.owner().ownerid.clone(),
            address: client.address(),
            memory_bytes: client.account().bytes() as u64,
            condition,
            silence: client.silence().unwrap_or_default(),
            opens,
            locks,
        }
    }

    /// The opens of one client, or of all; at most `items_max`.
    pub fn opens(&self, client: Option<ClientId>, items_max: usize) -> Excerpt<OpenView> {
        self.table().open_views(client, items_max)
    }

    /// Number of files that each client has open in a volume. Clients without any are absent.
    pub fn opens_in(&self, volume: VolumeId) -> HashMap<ClientId, u64> {
        self.table().opens_in(volume)
    }

    /// The locks of one client, or of all; at most `items_max` owners.
    pub fn locks(&self, client: Option<ClientId>, items_max: usize) -> Excerpt<LockView> {
        self.table().lock_views(client, items_max)
    }

    /// The clients that have a part of a file locked.
    pub fn lock_holders(&self, file: Handle) -> Vec<LockHolder> {
        let clients = self.table().lockers_of(file);
        let holder = |id: ClientId| {
            let client = self.client(id).ok()?;
            Some(LockHolder {
                client: id,
                owner: client.owner().ownerid.clone(),
                address: client.address(),
                condition: self.condition(&client),
                silence: client.silence().unwrap_or_default(),
            })
        };
        clients.into_iter().filter_map(holder).collect()
    }

    /// Stores the name by which a file was opened.
    pub fn note_name(&self, stateid: &StateId, directory: Handle, name: &[u8]) {
        self.table().note_name(stateid, directory, Bytes::copy_from_slice(name));
    }

    /// Revokes all state of a client, as if its lease had expired. Returns [`Status::StaleClientid`] if there
    /// is no client with this id.
    pub async fn evict(&self, id: ClientId) -> Result<(), Status> {
        let client = {
            let mut registry = self.registry();
            let removed = registry.remove(id);
            removed.or_else(|| registry.leaving(id).cloned()).ok_or(Status::StaleClientid)?
        };
        tracing::warn!(client = %client.owner().ownerid.escape_ascii(), "evicted on request");
        self.take_all(&client).await
    }

    /// Revokes an open with its locks, or the locks of an owner. The client gets NFS4ERR_ADMIN_REVOKED (RFC
    /// 8881 §8.5.1); until it has acknowledged the revocation, it could not reclaim anything after a restart.
    /// Returns [`Status::BadStateid`] if there is no such state.
    pub async fn revoke(&self, stateid: &StateId) -> Result<(), Status> {
        let client = self.table().client_of(stateid)?;
        let client = self.client(client).map_err(|_| Status::BadStateid)?;
        let revoke = || {
            let hold = self.table().revoke(stateid)?;
            client.set_has_revoked(true);
            Ok(hold)
        };
        drop(self.records.bar(&client, revoke).await?);
        tracing::warn!(client = %client.owner().ownerid.escape_ascii(), "state revoked on request");
        Ok(())
    }
}
