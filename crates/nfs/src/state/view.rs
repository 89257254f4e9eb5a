//! What an operator sees of the state, and what he can take away.

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
    /// Its id.
    pub id: ClientId,
    /// What it calls itself.
    pub owner: Bytes,
    /// Where it registered from.
    pub address: SocketAddr,
    /// Bytes that are kept for it.
    pub memory_bytes: u64,
    /// What it may do.
    pub condition: Condition,
    /// How long nothing was heard of it; zero while a request is in work.
    pub silence: Duration,
    /// How many files it has open.
    pub opens: usize,
    /// How many separate ranges it has locked.
    pub locks: usize,
}

/// What a client may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It has no session yet.
    Unconfirmed,
    /// The server restarted, and the client has not said that it has taken back all it had.
    Reclaiming,
    /// Its lease is good.
    Confirmed,
    /// Its lease ran out, and it keeps what nobody else wants.
    Courteous,
    /// It is gone, and what it had is being taken away.
    Leaving,
}

/// The directory and the name by which a file was opened.
pub type OpenedAs = (Handle, Bytes);

/// An open as an operator sees it.
#[derive(Clone, Debug)]
pub struct OpenView {
    /// Names it.
    pub stateid: StateId,
    /// Whose it is.
    pub client: ClientId,
    /// The client's name for the owner.
    pub owner: Bytes,
    /// What is open.
    pub file: Handle,
    /// The directory and the name by which it was opened, if it was by name.
    pub opened_as: Option<OpenedAs>,
    /// What it may do, and denies to others.
    pub share: Share,
}

/// The locks of one owner on one file, as an operator sees them.
#[derive(Clone, Debug)]
pub struct LockView {
    /// Names them.
    pub stateid: StateId,
    /// Whose they are.
    pub client: ClientId,
    /// The client's name for the owner.
    pub owner: Bytes,
    /// What is locked.
    pub file: Handle,
    /// As which name the file was opened.
    pub opened_as: Option<OpenedAs>,
    /// The ranges.
    pub held: Vec<Held>,
}

/// Some of what there is, and how much there is.
#[derive(Clone, Debug)]
pub struct Excerpt<T> {
    /// The oldest of them.
    pub items: Vec<T>,
    /// How many there are.
    pub total: usize,
}

/// How many clients there are, by what they may do, and what they have.
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

/// The memory that is kept for clients, and who lost what for want of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryView {
    /// How it stands.
    pub usage: StateUsage,
    /// Clients that were not confirmed, had used no export or were silent, and made room as there were too many.
    pub evicted_for_clients: u64,
    /// Clients whose lease had run out, and whose memory others wanted.
    pub evicted_for_memory: u64,
}

impl State {
    /// The memory that is kept for clients.
    pub fn memory(&self) -> MemoryView {
        MemoryView {
            usage: self.memory.usage(),
            evicted_for_clients: self.evictions.made_room.get(),
            evicted_for_memory: self.evictions.memory.get(),
        }
    }

    /// How many there are of everything.
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

    /// The opens of one client, or of all; no more than `items_max` of them.
    pub fn opens(&self, client: Option<ClientId>, items_max: usize) -> Excerpt<OpenView> {
        self.table().open_views(client, items_max)
    }

    /// The locks of one client, or of all; no more than `items_max` owners.
    pub fn locks(&self, client: Option<ClientId>, items_max: usize) -> Excerpt<LockView> {
        self.table().lock_views(client, items_max)
    }

    /// Takes note of the name by which a file was opened.
    pub fn note_name(&self, stateid: &StateId, directory: Handle, name: &[u8]) {
        self.table().note_name(stateid, directory, Bytes::copy_from_slice(name));
    }

    /// Takes everything from a client, as if its lease had run out. [`Status::StaleClientid`] if there is none
    /// of that id.
    pub async fn evict(&self, id: ClientId) -> Result<(), Status> {
        let client = {
            let mut registry = self.registry();
            let removed = registry.remove(id);
            removed.or_else(|| registry.leaving(id).cloned()).ok_or(Status::StaleClientid)?
        };
        tracing::warn!(client = %client.owner().ownerid.escape_ascii(), "evicted on request");
        self.take_all(&client).await
    }

    /// Takes an open, with its locks, or the locks of an owner, from a client. The client is told by
    /// NFS4ERR_ADMIN_REVOKED (RFC 8881 §8.5.1), and until it has said that it knows, it could not reclaim anything after a restart.
    /// [`Status::BadStateid`] if there is no such state.
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
