//! The node that serves a pool which several can serve.

use forebay_ownership::{Beats, Phase};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::fields::time_of_ms;
use super::words::words;

words! {
    /// The phase of the node.
    NodePhase for Phase {
        /// Opening the pool.
        Opening = "opening",
        /// Serving clients.
        Serving = "serving",
        /// The pool is closed.
        Released = "released",
    }
}

words! {
    /// Why the pool came to the node.
    TakeoverKind for forebay_ownership::TakeoverKind {
        /// No node had it before.
        First = "first",
        /// The same node had it before.
        Restarted = "restarted",
        /// Another node released it.
        Moved = "moved",
        /// Another node was silent, and was fenced.
        Fenced = "fenced",
    }
}

/// The node that has the pool.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct NodeView {
    /// Its name.
    pub name: String,
    /// The phase of the node.
    pub phase: NodePhase,
    /// Since when it has the pool.
    #[schema(format = DateTime)]
    pub since: String,
    /// The address that other nodes probe.
    pub address: Option<String>,
    /// Age of the node's last beat in the pool's directory, in milliseconds. A node beats twice a second.
    pub beat_age_ms: u64,
    /// The takeover at the time in `since`.
    pub takeover: TakeoverView,
}

/// The takeover of a pool by its node. Times are in milliseconds.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TakeoverView {
    /// Why the pool came to the node.
    pub kind: TakeoverKind,
    /// The node that had it before; none if there was none.
    pub from: Option<String>,
    /// Duration of that node's silence; 0 if it released the pool.
    pub silent_ms: u64,
    /// Duration of the fencing; null if none was needed.
    pub fence_ms: Option<u64>,
    /// Duration of the opening of the pool.
    pub open_ms: Option<u64>,
    /// Duration of the takeover of the addresses.
    pub address_ms: Option<u64>,
}

impl From<Beats> for NodeView {
    fn from(beats: Beats) -> NodeView {
        let beat_age_ms = u64::try_from(beats.age.as_millis()).unwrap_or(u64::MAX);
        let owner = beats.owner;
        let kind = owner.takeover_kind().into();
        let takeover = owner.takeover;
        NodeView {
            name: owner.node.name,
            phase: owner.phase.into(),
            since: time_of_ms(owner.since.saturating_mul(1000)),
            address: owner.address.map(|address| address.to_string()),
            beat_age_ms,
            takeover: TakeoverView {
                kind,
                from: takeover.from,
                silent_ms: takeover.silent_ms,
                fence_ms: takeover.fence_ms,
                open_ms: takeover.open_ms,
                address_ms: takeover.address_ms,
            },
        }
    }
}
