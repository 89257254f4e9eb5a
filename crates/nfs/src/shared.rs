//! What all connections and operations of one server share.

use forebay_pool::Pool;

use crate::config::Config;
use crate::fs::Exports;
use crate::session::SessionTable;
use crate::state::State;

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
    /// The tree from the root down to the volumes.
    pub exports: Exports,
}
