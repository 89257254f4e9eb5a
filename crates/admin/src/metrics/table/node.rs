//! Metrics of the node. They have no samples if no other node can serve the pool.

use super::{Collect, Family, Kind, Label};
use crate::views::TakeoverKind;

const NODE: Label = Label { name: "node", bound: "one: the name of this node" };
const TAKEOVER: Label = Label { name: "takeover", bound: "one of `first`, `restarted`, `moved`, `fenced`" };
const PHASE: Label = Label { name: "phase", bound: "`silent`, `fence`, `opening`, `addresses`" };

pub(super) static FAMILIES: &[Family] = &[
    Family {
        name: "forebay_node_info",
        kind: Kind::Gauge,
        labels: &[NODE],
        says: "Always 1; its label is the name of the node that serves the pool. Like the others below, missing if no other node can serve it.",
        then: "Nothing to do; it shows where the pool is, and since when.",
        collect: Collect::Node(|beats, samples| samples.with(&[("node", &beats.owner.node.name)], 1u64)),
    },
    Family {
        name: "forebay_node_taken_timestamp_seconds",
        kind: Kind::Gauge,
        labels: &[TAKEOVER],
        says: "When this node took the pool, in seconds since 1970. `first`: no node had it before. `restarted`: the daemon was started again on \
               the same node. `moved`: another node released it. `fenced`: another node was silent, and was fenced. In a database \
               the takeover itself is the fence.",
        then: "`fenced`: find out why the other node was silent, and start it again, since nobody can replace this one meanwhile. `moved` \
               without a planned move: read the other node's log.",
        collect: Collect::Node(|beats, samples| {
            let kind = TakeoverKind::from(beats.owner.takeover_kind()).to_string();
            samples.with(&[("takeover", &kind)], beats.owner.since);
        }),
    },
    Family {
        name: "forebay_node_takeover_seconds",
        kind: Kind::Gauge,
        labels: &[PHASE],
        says: "Duration of each phase of the last takeover. `silent`: until the node before was suspected. `fence`: until the fence program \
               ended. `opening`: until the pool was open. `addresses`: until the addresses were acquired. Phases that were not needed are \
               missing.",
        then: "Clients wait for all of them. A long `fence`: use a faster way to cut the node off. A long `opening`: the pool is large, \
               or the shared file system is slow.",
        collect: Collect::Node(|beats, samples| {
            let takeover = &beats.owner.takeover;
            let silent = Some(takeover.silent_ms).filter(|ms| *ms > 0);
            let phases = [
                ("silent", silent),
                ("fence", takeover.fence_ms),
                ("opening", takeover.open_ms),
                ("addresses", takeover.address_ms),
            ];
            for (phase, ms) in phases {
                if let Some(ms) = ms {
                    samples.with(&[("phase", phase)], ms as f64 / 1000.0);
                }
            }
        }),
    },
    Family {
        name: "forebay_node_beat_age_seconds",
        kind: Kind::Gauge,
        labels: &[],
        says: "Time since this node last wrote to the file OWNER that it is there, or, if the pool lies in a database, since it renewed its \
               lease. It does so twice a second.",
        then: "At 3.5 s, another node replaces this one: in a shared directory it has it fenced, unless it still answers over the network. Check the \
               shared file system, or the database.",
        collect: Collect::Node(|beats, samples| samples.one(beats.age.as_secs_f64())),
    },
    Family {
        name: "forebay_node_beat_failures_total",
        kind: Kind::Counter,
        labels: &[],
        says: "How often the file OWNER could not be written, or the lease in the database could not be renewed.",
        then: "Other nodes cannot see that this one owns the pool. The log has the error; check the shared file system, or the database.",
        collect: Collect::Node(|beats, samples| samples.one(beats.failures)),
    },
];
