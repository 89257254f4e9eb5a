//! The protocol's state: all parts together, and what concerns whole clients.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use forebay_pool::Pool;

use super::client::Client;
use super::courtesy::SpaceSearch;
use super::hold::Hold;
use super::lease::LastSweep;
use super::records::Records;
use super::recovery::Recovery;
use super::registry::{Registered, Registry};
use super::stateid::Boot;
use super::table::{Limits, Table};
use crate::config::Config;
use crate::memory::StateMemory;
use crate::statistics::Count;
use forebay_nfs_proto::rpc::Principal;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{ClientId, ClientOwner};
use forebay_service::Clock;

/// The clients, opens and locks of one server.
pub struct State {
    pub(super) pool: Pool,
    pub(super) clock: Clock,
    pub(super) lease: Duration,
    pub(super) courtesy: Duration,
    pub(super) courtesy_states_max: usize,
    pub(super) registry: Mutex<Registry>,
    pub(super) table: Mutex<Table>,
    pub(super) records: Records,
    pub(super) recovery: Recovery,
    pub(super) last_sweep: LastSweep,
    pub(super) space_search: SpaceSearch,
    pub(super) memory: Arc<StateMemory>,
    pub(super) evictions: Evictions,
}

/// Counts of clients that lost their state, by reason.
#[derive(Default)]
pub(super) struct Evictions {
    /// They had no state, or were silent, and there were too many clients.
    pub(super) made_room: Count,
    /// Their lease had expired, and others needed the memory.
    pub(super) memory: Count,
}

impl State {
    /// The state of a server that starts on `pool`: without opens and locks, and in a grace period if clients
    /// left records. Fails if the pool fails.
    pub async fn open(pool: Pool, config: &Config) -> forebay_pool::Result<State> {
        let boot = Boot::new(pool.boot());
        let memory = StateMemory::new(config.state_bytes_max, config.clients_max);
        let limits =
            Limits { states_max: config.opens_per_client_max, ranges_max: config.locks_per_client_max };
        let state = State {
            clock: config.clock.clone(),
            lease: Duration::from_secs(config.lease_seconds.into()),
            courtesy: Duration::from_secs(config.courtesy_seconds.into()),
            courtesy_states_max: config.courtesy_states_max,
            registry: Mutex::new(Registry::new(boot, config.clock.clone(), memory.clone())),
            table: Mutex::new(Table::new(boot, limits)),
            records: Records::load(&pool)?,
            last_sweep: LastSweep::new(config.clock.clone(), config.answers.clone()),
            space_search: SpaceSearch::new(config.clock.clone()),
            recovery: Recovery::new(config),
            evictions: Evictions::default(),
            memory,
            pool,
        };
        state.begin().await?;
        Ok(state)
    }

    pub(super) fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// EXCHANGE_ID (RFC 8881 §18.35) from this address. Returns the client's registration, an existing one or
    /// one to be confirmed, and the client that was removed to make room, if any. The caller must destroy the
    /// sessions of the latter.
    pub async fn register(
        &self,
        owner: &ClientOwner,
        principal: Principal,
        address: SocketAddr,
    ) -> Result<(Arc<Client>, Option<ClientId>), Status> {
        // A server that was suspended cannot tell which clients are silent.
        let lease = if self.last_sweep.halt().is_some() { Duration::MAX } else { self.lease };
        let Registered { client, made_room } =
            self.registry().register(owner, principal, address, lease, |client| {
                client.overdue(self.lease).is_none() && self.table().client_has_state(client.id())
            })?;
        let Some(gone) = made_room else { return Ok((client, None)) };
        self.evictions.made_room.one();
        // If a client's state cannot be removed, the sweep tries again.
        let _ = self.take_all(&gone).await;
        Ok((client, Some(gone.id())))
    }

    /// EXCHANGE_ID that updates a confirmed registration.
    pub fn update_registration(
        &self,
        owner: &ClientOwner,
        principal: Principal,
    ) -> Result<Arc<Client>, Status> {
        self.registry().update(owner, principal)
    }

    /// The client with this id. Returns [`Status::StaleClientid`] if there is none.
    pub fn client(&self, id: ClientId) -> Result<Arc<Client>, Status> {
        self.registry().get(id).cloned()
    }

    /// Confirms a client, at its first CREATE_SESSION. If the client restarted, all state of its earlier
    /// incarnation is released when this returns, and the caller must destroy the sessions of that client.
    pub async fn confirm(&self, client: &Arc<Client>) -> Result<Option<ClientId>, Status> {
        let earlier = {
            let mut registry = self.registry();
            let earlier = registry.confirm(client)?;
            self.table().add_client(client.id(), client.account());
            earlier
        };
        if let Some(earlier) = &earlier {
            self.take_all(earlier).await?;
        }
        self.records.arrive(client, |volumes| self.table().set_recorded(client.id(), volumes)).await?;
        self.end_grace_where_all_are_back().await?;
        Ok(earlier.map(|earlier| earlier.id()))
    }

    /// Whether the client has this file open.
    pub fn has_open(&self, client: &Client, file: forebay_pool::Handle) -> bool {
        self.table().has_open(client.id(), file)
    }

    /// DESTROY_CLIENTID (RFC 8881 §18.50). Returns [`Status::ClientidBusy`] for a client that has state. The
    /// caller has checked that the client has no sessions.
    pub async fn destroy_client(&self, id: ClientId) -> Result<(), Status> {
        let client = {
            let mut registry = self.registry();
            registry.get(id)?;
            if self.table().client_has_state(id) {
                return Err(Status::ClientidBusy);
            }
            registry.remove(id)
        };
        match client {
            Some(client) => self.take_all(&client).await,
            None => Ok(()),
        }
    }

    /// Removes all state of a client that is gone. Can be repeated if it fails.
    pub(super) async fn take_all(&self, client: &Client) -> Result<(), Status> {
        self.records.remove(client).await?;
        let holds = self.table().drop_client(client.id());
        drop(holds);
        self.registry().left(client.id());
        self.end_grace_where_all_are_back().await
    }
}

impl Drop for State {
    /// A server that shuts down must not free the deleted files that clients have open: they will reclaim
    /// them.
    fn drop(&mut self) {
        self.table().drain().for_each(Hold::leave);
    }
}
