//! The operators' view of the state, and the revocation of state.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use forebay_pool::Handle;

use super::State;
use super::client::Client;
use super::ranges::Held;
use super::share::Share;
use crate::memory::StateUsage;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{ClientId, StateId};

/// A client as an operator sees it.
#[derive(Clone, Debug)]
pub struct ClientView {
    /// The client's id.
    pub id: ClientId,
    /// The owner string that the client sends.
    pub owner: Bytes,
    /// The address it registered from.
    pub address: SocketAddr,
    /// Bytes of memory used for its state.
    pub memory_bytes: u64,
    /// The client's state.
    pub condition: Condition,
    /// Time since its last request; zero while a request is in progress.
    pub silence: Duration,
    /// Number of open files.
    pub opens: usize,
    /// Number of separate locked ranges.
    pub locks: usize,
}

/// The state of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The client has no session yet.
    Unconfirmed,
    /// The server restarted, and the client has not finished reclaiming.
    Reclaiming,
    /// The client has a valid lease.
    Confirmed,
    /// The lease has expired; the client keeps state that no other client needs.
    Courteous,
    /// The client is gone, and its state is being removed.
    Leaving,
}

/// The directory and the name by which a file was opened.
pub type OpenedAs = (Handle, Bytes);

/// An open as an operator sees it.
#[derive(Clone, Debug)]
pub struct OpenView {
    /// The open's stateid.
    pub stateid: StateId,
    /// The client.
    pub client: ClientId,
    /// The client's name for the owner.
    pub owner: Bytes,
    /// The open file.
    pub file: Handle,
    /// The directory and the name by which it was opened, if it was by name.
    pub opened_as: Option<OpenedAs>,
    /// The access it has, and the access it denies to others.
    pub share: Share,
}

/// The locks of one owner on one file, as an operator sees them.
#[derive(Clone, Debug)]
pub struct LockView {
    /// The stateid of the locks.
    pub stateid: StateId,
    /// The client.
    pub client: ClientId,
    /// The client's name for the owner.
    pub owner: Bytes,
    /// The locked file.
    pub file: Handle,
    /// The directory and the name by which the file was opened, if it was by name.
    pub opened_as: Option<OpenedAs>,
    /// The ranges.
    pub held: Vec<Held>,
}

/// A part of a list, and its total length.
#[derive(Clone, Debug)]
pub struct Excerpt<T> {
    /// The oldest items.
    pub items: Vec<T>,
    /// The total number of items.
    pub total: usize,
}

/// Number of clients by state, and totals of their opens and locks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// See [`Condition::Unconfirmed`].
    pub unconfirmed: u64,
    /// See [`Condition::Reclaiming`].
    pub reclaiming: u64,
    /// See [`Condition::Confirmed`].
    pub confirmed: u64,
    /// See [`Condition::Courteous`].
    pub courteous: u64,
    /// See [`Condition::Leaving`].
    pub leaving: u64,
    /// Opens of all clients.
    pub opens: u64,
    /// Separate locked ranges of all clients.
    pub locks: u64,
}

/// The memory used for clients, and evictions for lack of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryView {
    /// Current use.
    pub usage: StateUsage,
    /// Unconfirmed or silent clients, and clients that had used no export, that were removed because there
    /// were too many clients.
    pub evicted_for_clients: u64,
    /// Clients whose lease had expired, and that were removed because others needed the memory.
    pub evicted_for_memory: u64,
}

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

    /// The locks of one client, or of all; at most `items_max` owners.
    pub fn locks(&self, client: Option<ClientId>, items_max: usize) -> Excerpt<LockView> {
        self.table().lock_views(client, items_max)
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
