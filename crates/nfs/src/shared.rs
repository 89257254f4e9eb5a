//! What all connections and operations of one server share.

use std::sync::Arc;

use forebay_pool::Pool;

use crate::config::Config;
use crate::fs::Exports;
use crate::policy::Policies;
use crate::session::SessionTable;
use crate::state::State;
use crate::statistics::Statistics;

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
    /// Counters of operations.
    pub statistics: Statistics,
    /// The tree from the root down to the volumes.
    pub exports: Exports,
}
