//! All pools of a database: who serves each, and who waits for it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::Check;
use super::node::TakeoverView;
use super::words::words;

words! {
    /// Whether a pool is served.
    ClusterPoolState {
        /// A node serves it.
        Serving = "serving",
        /// A node has it, and opens it.
        Opening = "opening",
        /// Its owner does not renew the lease.
        Silent = "silent",
        /// Its owner has released it.
        Released = "released",
        /// No node has had it yet.
        NeverOpened = "never_opened",
        /// Its tables are of a newer release.
        Newer = "newer",
        /// The role may not read its tables.
        Unreadable = "unreadable",
    }
}

words! {
    /// Whether commits wait for another machine.
    SynchronousState {
        /// A synchronous standby has what is committed.
        Guarded = "guarded",
        /// The database names no synchronous standby.
        Unguarded = "unguarded",
        /// The database names synchronous standbys, and none is connected: commits wait.
        Missing = "missing",
        /// The role may not see it.
        Unknown = "unknown",
    }
}

/// The pools of a database.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ClusterView {
    /// The database and its server.
    pub database: String,
    /// The pool that the answering daemon serves; null if no daemon was asked.
    pub pool: Option<String>,
    /// Whether commits wait for another machine.
    pub synchronous: SynchronousState,
    /// The standbys that guard the commits.
    pub standbys: Vec<String>,
    /// Number of pools.
    pub total: u64,
    /// The pools, by name.
    pub items: Vec<ClusterPoolView>,
}

/// A pool of a database.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ClusterPoolView {
    /// Its name.
    pub name: String,
    /// Whether it is served.
    pub state: ClusterPoolState,
    /// The node that has it, or had it last; null if no node had it, or it cannot be read.
    pub node: Option<String>,
    /// When the node took it.
    #[schema(format = DateTime)]
    pub since: Option<String>,
    /// How long its owner has been silent, in milliseconds; null if it is not.
    pub silent_ms: Option<u64>,
    /// Time since the last renewal of the lease, in milliseconds; null if it is not known. An owner renews it twice a second.
    pub lease_age_ms: Option<u64>,
    /// Grows with each owner.
    pub epoch: Option<u64>,
    /// The last batch that was committed.
    pub batch: Option<u64>,
    /// Size of its tables and indexes in the database.
    pub bytes: Option<u64>,
    /// The nodes that wait for it; null if the role may not read them.
    pub candidates: Option<Vec<CandidateView>>,
    /// How the pool came to the node; null if it is not known.
    pub takeover: Option<TakeoverView>,
    /// Why nothing more is known about it.
    pub problem: Option<String>,
}

/// A node that waits for a pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CandidateView {
    /// Its name.
    pub node: String,
    /// The process.
    pub instance: String,
    /// The node's priority: it takes the pool of a silent owner this many steps of 0.5 s later.
    pub priority: u32,
    /// Since when it waits.
    #[schema(format = DateTime)]
    pub since: String,
    /// Time since it was seen, in milliseconds. A candidate is seen twice a second.
    pub age_ms: u64,
}

/// A request to move the pool.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClusterMoveRequest {
    /// The name of a node that waits for the pool.
    pub to: String,
}

/// A request to release the pool.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClusterReleaseRequest {
    /// Release it although no node waits for it.
    #[serde(default)]
    pub force: bool,
}

impl Check for ClusterMoveRequest {}
impl Check for ClusterReleaseRequest {}

impl ClusterView {
    /// The pool that the answering daemon serves.
    pub fn own(&self) -> Option<&ClusterPoolView> {
        let name = self.pool.as_deref()?;
        self.items.iter().find(|pool| pool.name == name)
    }
}

impl ClusterPoolView {
    /// The names of the nodes that wait for the pool.
    pub fn waiting(&self) -> Vec<&str> {
        self.candidates.iter().flatten().map(|candidate| candidate.node.as_str()).collect()
    }
}
