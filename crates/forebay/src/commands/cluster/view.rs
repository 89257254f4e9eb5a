//! The pools of a database, in the form of the API.

use std::time::Duration;

use forebay_admin::views::{
    CandidateView, ClusterPoolState, ClusterPoolView, ClusterView, SynchronousState, TakeoverKind,
    TakeoverView,
};
use forebay_pool_postgres::{
    Candidate, ClusterState, PoolRow, PoolSeen, PoolState, Synchronous, TakeoverSeen,
};

/// The view of a database. `own` is the pool that the daemon serves, if a daemon looks.
pub fn view_of(state: &ClusterState, own: Option<&str>) -> ClusterView {
    let (synchronous, standbys) = match &state.synchronous {
        Synchronous::Guarded(names) => (SynchronousState::Guarded, names.clone()),
        Synchronous::Unguarded => (SynchronousState::Unguarded, Vec::new()),
        Synchronous::Missing => (SynchronousState::Missing, Vec::new()),
        Synchronous::Unknown => (SynchronousState::Unknown, Vec::new()),
    };
    let items: Vec<_> = state.pools.iter().map(pool_view).collect();
    ClusterView {
        database: state.place.clone(),
        pool: own.map(str::to_owned),
        synchronous,
        standbys,
        total: items.len() as u64,
        items,
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn pool_view(pool: &PoolSeen) -> ClusterPoolView {
    let (state, silent_ms, problem) = match pool.state {
        PoolState::Serves => (ClusterPoolState::Serving, None, None),
        PoolState::Opening => (ClusterPoolState::Opening, None, None),
        PoolState::Silent(time) => (ClusterPoolState::Silent, Some(milliseconds(time)), None),
        PoolState::Released => (ClusterPoolState::Released, None, None),
        PoolState::NeverOpened => (ClusterPoolState::NeverOpened, None, None),
        PoolState::Newer(format) => {
            let problem = format!(
                "its tables have version {format}, which this release does not know; use the newer release"
            );
            (ClusterPoolState::Newer, None, Some(problem))
        }
        PoolState::Unreadable => {
            let problem = format!(
                "the role may not read its tables; grant usage on schema forebay_{0}, and select on all tables in schema forebay_{0}",
                pool.name
            );
            (ClusterPoolState::Unreadable, None, Some(problem))
        }
    };
    let row = pool.row.as_ref();
    let owned = row.filter(|row| !row.instance.is_empty());
    let count = |of: fn(&PoolRow) -> i64| row.and_then(|row| u64::try_from(of(row)).ok());
    ClusterPoolView {
        name: pool.name.clone(),
        state,
        node: owned.map(|row| row.node.clone()),
        since: owned.map(|row| row.since.clone()),
        silent_ms,
        lease_age_ms: row.and_then(|row| row.lease_age).map(milliseconds),
        epoch: count(|row| row.epoch),
        batch: count(|row| row.batch),
        bytes: pool.bytes,
        candidates: pool.candidates.as_ref().map(|all| all.iter().map(candidate_view).collect()),
        takeover: owned.and_then(|row| Some(takeover_view(row.takeover.as_ref()?, &row.node))),
        problem,
    }
}

fn candidate_view(candidate: &Candidate) -> CandidateView {
    CandidateView {
        node: candidate.node.clone(),
        instance: candidate.instance.clone(),
        priority: candidate.priority,
        since: candidate.since.clone(),
        age_ms: milliseconds(candidate.age),
    }
}

fn takeover_view(takeover: &TakeoverSeen, node: &str) -> TakeoverView {
    let kind = match (takeover.from.as_str(), takeover.was_silent) {
        ("", _) => TakeoverKind::First,
        (_, true) => TakeoverKind::Fenced,
        (from, false) if from == node => TakeoverKind::Restarted,
        _ => TakeoverKind::Moved,
    };
    TakeoverView {
        kind,
        from: (!takeover.from.is_empty()).then(|| takeover.from.clone()),
        silent_ms: takeover.silent_ms,
        fence_ms: None,
        open_ms: takeover.open_ms,
        address_ms: takeover.address_ms,
    }
}
