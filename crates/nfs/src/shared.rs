//! What all connections and operations of one server share.

use std::sync::Arc;

use forebay_pool::Pool;
use forebay_service::Service;

use crate::config::Config;
use crate::fs::Exports;
use crate::identity::Identities;
use crate::policy::{Policies, Refusals};
use crate::server::ServerError;
use crate::session::SessionTable;
use crate::state::State;
use crate::statistics::Statistics;
use forebay_net::tls::Tls;
use forebay_nfs_proto::rpc::ALPN;

/// One server's pool, configuration and protocol state.
pub struct Shared {
    /// Where files are.
    pub pool: Pool,
    /// How the server is to behave.
    pub config: Config,
    /// Sessions of all clients.
    pub sessions: SessionTable,
    /// Clients, opens and locks.
    pub state: State,
    /// Which clients see which volumes, and what they may do there.
    pub policies: Arc<Policies>,
    /// Whom the policies refused something.
    pub refusals: Refusals,
    /// Users and groups, and their names.
    pub identities: Identities,
    /// What connections may be secured with, if at all.
    pub tls: Option<Tls>,
    /// Counters of operations.
    pub statistics: Statistics,
    /// What all protocols share: throughput limits, events, accounts.
    pub service: Arc<Service>,
    /// The tree from the root down to the volumes.
    pub exports: Exports,
}

impl Shared {
    /// What the server of a pool begins with: its records from before the restart, and the grace period, which starts now. It
    /// answers requests ([`crate::dispatch`]), with or without a network.
    pub async fn open(service: Arc<Service>, config: Config) -> Result<Shared, ServerError> {
        let pool = service.pool.clone();
        let tls = config.tls.clone().map(|files| Tls::load(files, ALPN)).transpose()?;
        let state = State::open(pool.clone(), &config).await?;
        let policies = Arc::new(Policies::load(pool.clone())?);
        let exports = Exports::new(pool.clone(), policies.clone())?;
        let identities = Identities::new(&config);
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
            service,
            exports,
        })
    }
}
