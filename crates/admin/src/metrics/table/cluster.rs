//! Metrics of the database in which the pool lies. They have no samples if it does not.

use super::{Collect, Family, Kind, Label};
use crate::views::SynchronousState;

const STATE: Label = Label {
    name: "state",
    bound: "one of `serving`, `opening`, `silent`, `released`, `never_opened`, `newer`, `unreadable`",
};

pub(super) static FAMILIES: &[Family] = &[
    Family {
        name: "forebay_cluster_candidates",
        kind: Kind::Gauge,
        labels: &[],
        says: "Number of nodes that wait for the pool. Missing if the pool does not lie in a database.",
        then: "0: nobody replaces this node if it fails. Start the daemon on another one.",
        collect: Collect::Cluster(|view, samples| {
            if let Some(candidates) = view.own().and_then(|pool| pool.candidates.as_ref()) {
                samples.one(candidates.len() as u64);
            }
        }),
    },
    Family {
        name: "forebay_cluster_synchronous_standby",
        kind: Kind::Gauge,
        labels: &[],
        says: "1 if the database waits at each commit for a synchronous standby, 0 if it names none, or if none is connected. Missing if \
               the role may not see it.",
        then: "0: the loss of the database's machine loses what was acknowledged, or commits wait. Set `synchronous_standby_names`, \
               and start the standby.",
        collect: Collect::Cluster(|view, samples| match view.synchronous {
            SynchronousState::Guarded => samples.one(1u64),
            SynchronousState::Unguarded | SynchronousState::Missing => samples.one(0u64),
            SynchronousState::Unknown => {}
        }),
    },
    Family {
        name: "forebay_cluster_pools",
        kind: Kind::Gauge,
        labels: &[STATE],
        says: "Number of pools in the database of this one, by state.",
        then: "`silent`, `released`: a pool that no node serves. `forebay cluster status` names it.",
        collect: Collect::Cluster(|view, samples| {
            let mut states: Vec<_> = view.items.iter().map(|pool| pool.state).collect();
            states.sort();
            for alike in states.chunk_by(|one, other| one == other) {
                if let Some(state) = alike.first() {
                    samples.with(&[("state", &state.to_string())], alike.len() as u64);
                }
            }
        }),
    },
];
