//! The protocol's state: clients and their leases, opens, locks, and what survives a restart.
//!
//! [`State`] is the only interface for operations. Its parts:
//!
//! - `registry`: all clients, confirmed or not; `client`: one client with its lease,
//! - `table`: opens and locks, by stateid; `share` and `ranges` implement share reservations and byte-range
//!   locks, `stateid` the format of stateids, `hold` keeps an open inode alive,
//! - `records`: the durable records of clients with state; `recovery`: the grace period that they are for,
//! - `view`: what operators can see, evict and revoke,
//! - `lease`: eviction of silent clients; `courtesy`: how long they keep their state,
//! - `files`: operations of clients on files.
//!
//! Lock order: the registry, then the table. Each is held for a few lookups and never across an `await`. Work
//! on disk (records) happens in between.
//!
//! A client whose lease has expired keeps its state as a courtesy for a day, unless it conflicts with the
//! needs of others. Then it is *evicted*: its sessions become void immediately, its durable record is
//! removed, and only then can others take its opens and locks. This order prevents a client that has lost a
//! lock from reclaiming it after a restart.

mod client;
mod courtesy;
mod files;
mod hold;
mod lease;
mod ranges;
mod records;
mod recovery;
mod registry;
mod share;
mod stateid;
mod table;
mod view;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use forebay_pool::Pool;

pub(crate) use client::FirstSession;
pub use client::{Client, CreateSessionSlot, Renewal};
pub use files::{IoBasis, Locked};
pub use lease::run;
pub use ranges::{Held, LockKind, Range};
pub use share::Share;
pub use table::Denied;
pub use view::{Census, ClientView, Condition, Excerpt, LockView, MemoryView, OpenView, OpenedAs};

use crate::config::Config;
use crate::memory::StateMemory;
use crate::memory::audit::open_bytes;
use crate::statistics::Count;
use courtesy::SpaceSearch;
use forebay_nfs_proto::rpc::Principal;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{ClientId, ClientOwner, OPAQUE_LIMIT};
use forebay_service::Clock;
use hold::Hold;
use lease::LastSweep;
use records::Records;
use recovery::Recovery;
use registry::{Registered, Registry};
use stateid::Boot;
use table::{Limits, Phase, Table};

/// The clients, opens and locks of one server.
pub struct State {
    pool: Pool,
    clock: Clock,
    lease: Duration,
    courtesy: Duration,
    courtesy_states_max: usize,
    registry: Mutex<Registry>,
    table: Mutex<Table>,
    records: Records,
    recovery: Recovery,
    last_sweep: LastSweep,
    space_search: SpaceSearch,
    memory: Arc<StateMemory>,
    evictions: Evictions,
}

/// Counts of clients that lost their state, by reason.
#[derive(Default)]
struct Evictions {
    /// They had no state, or were silent, and there were too many clients.
    made_room: Count,
    /// Their lease had expired, and others needed the memory.
    memory: Count,
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
            table: Mutex::new(Table::new(boot, limits, Phase::Grace)),
            records: Records::load(&pool)?,
            last_sweep: LastSweep::new(config.clock.clone()),
            space_search: SpaceSearch::new(config.clock.clone()),
            recovery: Recovery::new(&config.clock, Duration::from_secs(config.grace_seconds.into())),
            evictions: Evictions::default(),
            memory,
            pool,
        };
        state.begin().await?;
        Ok(state)
    }

    fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn table(&self) -> MutexGuard<'_, Table> {
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
    /// incarnation is released when this returns.
    pub async fn confirm(&self, client: &Arc<Client>) -> Result<(), Status> {
        let earlier = {
            let mut registry = self.registry();
            let earlier = registry.confirm(client)?;
            self.table().add_client(client.id(), client.account());
            earlier
        };
        if let Some(earlier) = earlier {
            self.take_all(&earlier).await?;
        }
        self.records.arrive(client).await?;
        self.end_grace_if_all_are_back().await
    }

    /// Whether there is room for one more open of the client. Called before a file is created by an open.
    pub fn has_room_for_open(&self, client: &Client) -> bool {
        client.account().could_take(open_bytes(OPAQUE_LIMIT, 0))
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
    async fn take_all(&self, client: &Client) -> Result<(), Status> {
        self.records.remove(client).await?;
        let holds = self.table().drop_client(client.id());
        drop(holds);
        self.registry().left(client.id());
        self.end_grace_if_all_are_back().await
    }
}

impl Drop for State {
    /// A server that shuts down must not free the deleted files that clients have open: they will reclaim
    /// them.
    fn drop(&mut self) {
        self.table().drain().for_each(Hold::leave);
    }
}
