//! The state shared by all connections and operations of a server.

use std::sync::Arc;

use forebay_pool::Pool;
use forebay_service::Service;

use crate::config::Config;
use crate::connection::OpenConnections;
use crate::error::ServerError;
use crate::identity::Identities;
use crate::policy::{Policies, Refusals};
use crate::replies::Replies;
use crate::session::SessionTable;
use crate::state::State;
use crate::statistics::Statistics;
use crate::tree::Exports;
use forebay_net::tls::Tls;
use forebay_nfs_proto::rpc::ALPN;

/// One server's pool, configuration and protocol state.
pub struct Shared {
    /// The pool with the files.
    pub pool: Pool,
    /// The configuration.
    pub config: Config,
    /// Sessions of all clients.
    pub sessions: SessionTable,
    /// Outcomes of operations that survive a restart.
    pub replies: Replies,
    /// Clients, opens and locks.
    pub state: State,
    /// The export policies, which determine the clients' access to volumes.
    pub policies: Arc<Policies>,
    /// Refusals by the policies.
    pub refusals: Refusals,
    /// Users and groups, and their names.
    pub identities: Identities,
    /// The TLS configuration, if TLS is offered.
    pub tls: Option<Tls>,
    /// Counters of operations.
    pub statistics: Statistics,
    /// The connections that are open.
    pub connections: Arc<OpenConnections>,
    /// What all protocols share: throughput limits, events, accounts.
    pub service: Arc<Service>,
    /// The tree from the root down to the volumes.
    pub exports: Exports,
}

impl Shared {
    /// Opens the state of a pool's server: its records from before the restart, and the grace period, which
    /// starts now. The result can answer requests ([`crate::dispatch`]) with or without a network.
    pub async fn open(service: Arc<Service>, config: Config) -> Result<Shared, ServerError> {
        let pool = service.pool.clone();
        let tls = config.tls.clone().map(|files| Tls::load(files, ALPN)).transpose()?;
        let state = State::open(pool.clone(), &config).await?;
        let replies = Replies::load(pool.clone(), config.clock.clone())?;
        let policies = Arc::new(Policies::load(pool.clone())?);
        let exports = Exports::new(pool.clone(), policies.clone(), config.referrals.clone())?;
        let identities =
            Identities::new(&config.clock, &config.directory, config.id_domain.clone(), config.owner_names);
        let (sessions, statistics) = (SessionTable::default(), Statistics::default());
        let refusals = Refusals::new(config.clock.clone());
        Ok(Shared {
            pool,
            config,
            sessions,
            replies,
            state,
            policies,
            refusals,
            identities,
            tls,
            statistics,
            connections: Arc::default(),
            service,
            exports,
        })
    }
}
