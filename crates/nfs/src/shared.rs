//! The state shared by all connections and operations of a server.

use std::sync::Arc;

use forebay_pool::Pool;

use crate::config::Config;
use crate::fs::Exports;
use crate::identity::Identities;
use crate::policy::{Policies, Refusals};
use crate::server::ServerError;
use crate::session::SessionTable;
use crate::state::State;
use crate::statistics::Statistics;
use crate::throttle::Throttle;
use crate::tls::Tls;

/// One server's pool, configuration and protocol state.
pub struct Shared {
    /// The pool with the files.
    pub pool: Pool,
    /// The configuration.
    pub config: Config,
    /// Sessions of all clients.
    pub sessions: SessionTable,
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
    /// The limits of volumes' throughput.
    pub throttle: Throttle,
    /// The tree from the root down to the volumes.
    pub exports: Exports,
}

impl Shared {
    /// Opens the state of a pool's server: its records from before the restart, and the grace period, which
    /// starts now. The result can answer requests ([`crate::dispatch`]) with or without a network.
    pub async fn open(pool: Pool, config: Config) -> Result<Shared, ServerError> {
        let tls = config.tls.clone().map(Tls::load).transpose()?;
        let state = State::open(pool.clone(), &config).await?;
        let policies = Arc::new(Policies::load(pool.clone())?);
        let exports = Exports::new(pool.clone(), policies.clone());
        let (throttle, identities) = (Throttle::new(pool.clone(), &config), Identities::new(&config));
        let (sessions, statistics) = (SessionTable::default(), Statistics::default());
        let refusals = Refusals::new(config.clock.clone());
        Ok(Shared {
            pool,
            config,
            sessions,
            state,
            policies,
            refusals,
            identities,
            tls,
            statistics,
            throttle,
            exports,
        })
    }
}
