//! The node that serves a pool which several can serve.

use forebay_ownership::{Owner, Phase};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::fields::time_of_ms;
use super::words::words;

words! {
    /// What the node does with the pool.
    NodePhase for Phase {
        /// It opens the pool.
        Opening = "opening",
        /// It serves clients.
        Serving = "serving",
        /// It has closed the pool.
        Released = "released",
    }
}

/// The node that has the pool.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct NodeView {
    /// Its name.
    pub name: String,
    /// What it does with the pool.
    pub phase: NodePhase,
    /// Since when it has the pool.
    #[schema(format = DateTime)]
    pub since: String,
    /// Where other nodes ask whether it is there.
    pub address: Option<String>,
    /// How the pool came to it.
    pub takeover: TakeoverView,
}

/// How a pool came to its node. Times are in milliseconds.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TakeoverView {
    /// The node that had it before; none if there was none.
    pub from: Option<String>,
    /// How long that node had been silent; 0 if it had released the pool.
    pub silent_ms: u64,
    /// How long its fencing took; none if it was not needed.
    pub fence_ms: Option<u64>,
    /// How long the pool took to open.
    pub open_ms: Option<u64>,
    /// How long it took to get the addresses.
    pub address_ms: Option<u64>,
}

impl From<Owner> for NodeView {
    fn from(owner: Owner) -> NodeView {
        let takeover = owner.takeover;
        NodeView {
            name: owner.node.name,
            phase: owner.phase.into(),
            since: time_of_ms(owner.since.saturating_mul(1000)),
            address: owner.address.map(|address| address.to_string()),
            takeover: TakeoverView {
                from: takeover.from,
                silent_ms: takeover.silent_ms,
                fence_ms: takeover.fence_ms,
                open_ms: takeover.open_ms,
                address_ms: takeover.address_ms,
            },
        }
    }
}
