//! Several nodes that can serve the pool.

use std::time::{Duration, SystemTime};

use forebay_ownership::TakeoverKind;

use super::super::facts::Facts;
use super::super::rule::Source::Daemon;
use super::super::rule::{Finding, Rule, Severity, when};
use super::{AT_ONCE, minutes};
use crate::base::words::{millis, several};
use crate::views::SynchronousState;

/// How long a takeover is an alert.
const SHOWN: Duration = minutes(10);
/// The node writes twice a second that it is there.
const BEAT_AGE_MAX: Duration = Duration::from_secs(3);

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "ForebayNodeFenced",
        severity: Severity::Warning,
        watches: "This node took the pool from a silent node less than ten minutes ago.",
        summary: "a node was silent and was fenced, and another took the pool",
        runbook: "1. `forebay pool owner` names both nodes and shows how long the takeover took. Brokers wait and continue by themselves. \
                  2. Find out why the other node was silent: its log, its kernel's log, its network, the shared file system. 3. Start it \
                  again. Until then nobody can replace the node that serves.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: node_fenced },
    },
    Rule {
        name: "ForebayPoolMoved",
        severity: Severity::Info,
        watches: "This node took the pool from a node that released it less than ten minutes ago.",
        summary: "another node released the pool, and this one took it",
        runbook: "Nothing to do if somebody moved the pool, or stopped the other daemon. If nobody did, the other node's log says why its \
                  daemon ended.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: pool_moved },
    },
    Rule {
        name: "ForebayBeatFails",
        severity: Severity::Critical,
        watches: "This node could not write for 3 s that it owns the pool, or such a write failed in the last five minutes. In a database, \
                  the write is the renewal of the lease.",
        summary: "other nodes cannot see that this one owns the pool, and may have it fenced",
        runbook: "1. The line \"other machines cannot see that this one owns the pool\", or \"the lease was not renewed\", in the daemon's \
                  log has the error. 2. Check the shared file system on this node: whether it is mounted, answers and has space. For a pool in \
                  a database, check whether the database answers and can be reached from this node. 3. If it does not recover, move the pool \
                  (`forebay pool release`) to a node on which it works.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: beat_fails },
    },
    Rule {
        name: "ForebayNobodyWaits",
        severity: Severity::Warning,
        watches: "No node has waited for a pool in a database for five minutes, although one did before, or had the pool.",
        summary: "no node waits for the pool, so nobody replaces the one that serves",
        runbook: "1. `forebay cluster status` shows the nodes that wait. 2. Start the daemon on another node, or find out why it ended: its log says \
                  so. Until then, the pool is offline if this node fails.",
        source: Daemon { hold: minutes(5), keep: AT_ONCE, check: nobody_waits },
    },
    Rule {
        name: "ForebayCommitsUnguarded",
        severity: Severity::Info,
        watches: "The database of the pool names no synchronous standby.",
        summary: "the loss of the database's machine loses what was acknowledged",
        runbook: "Give the database a synchronous standby: set `synchronous_standby_names` on the primary. If one machine is enough for this \
                  pool, silence the alert.",
        source: Daemon { hold: minutes(5), keep: AT_ONCE, check: commits_unguarded },
    },
];

fn taken(facts: &Facts<'_>, kind: TakeoverKind, message: impl Fn(&str) -> String) -> Vec<Finding> {
    let Some(beats) = &facts.seen.node else { return Vec::new() };
    let since = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(beats.owner.since));
    let is_recent = since.is_some_and(|since| facts.since(since) < SHOWN);
    let from = beats.owner.takeover.from.as_deref().unwrap_or("another node");
    when(beats.owner.takeover_kind() == kind && is_recent, "pool", || message(from))
}

fn node_fenced(facts: &Facts<'_>) -> Vec<Finding> {
    taken(facts, TakeoverKind::Fenced, |from| {
        format!("Node {from} was silent and was fenced; this node took the pool.")
    })
}

fn pool_moved(facts: &Facts<'_>) -> Vec<Finding> {
    taken(facts, TakeoverKind::Moved, |from| format!("Node {from} released the pool, and this node took it."))
}

fn beat_fails(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(beats) = &facts.seen.node else { return Vec::new() };
    let failed = facts.increase(minutes(5), |counts| counts.beat_failures);
    when(failed > 0 || beats.age > BEAT_AGE_MAX, "node", || {
        let age = millis(beats.age);
        format!(
            "Other nodes cannot see that this one owns the pool: the last beat was {age} ago, {} in the last five minutes.",
            several(failed, "failure")
        )
    })
}

fn nobody_waits(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(cluster) = &facts.seen.cluster else { return Vec::new() };
    // Whoever may not read the candidates does not know that there are none.
    let Some(pool) = cluster.view.own().filter(|pool| pool.candidates.is_some()) else { return Vec::new() };
    let object = format!("pool {}", pool.name);
    when(cluster.had_candidates && pool.waiting().is_empty(), &object, || {
        "No node waits for the pool. If this node fails, nobody serves it.".to_owned()
    })
}

fn commits_unguarded(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(cluster) = &facts.seen.cluster else { return Vec::new() };
    when(cluster.view.synchronous == SynchronousState::Unguarded, &cluster.view.database, || {
        "The database names no synchronous standby: what it commits is on one machine.".to_owned()
    })
}
