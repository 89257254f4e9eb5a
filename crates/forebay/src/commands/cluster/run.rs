//! Carries out the commands of `forebay cluster`.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use forebay_admin::health::span;
use forebay_admin::views::{ClusterPoolState, ClusterPoolView, ClusterView, SynchronousState};
use forebay_pool_postgres::{Cluster, Database};

use super::arguments::{ClusterCommand, OfDatabase};
use super::moving::{self, Wish};
use super::{place, view_of};
use crate::admin::client::Client;
use crate::arguments::Remote;
use crate::config::size;
use crate::output::times::ago;
use crate::output::{complain, print_columns, print_line, print_list_as};

/// An owner renews its lease twice a second, so it has done so between two looks.
const LOOK_PAUSE: Duration = Duration::from_millis(1200);

/// All pools are served.
const SERVED: u8 = 0;
/// A pool is not served.
const NOT_SERVED: u8 = 1;
/// It cannot be told.
const UNKNOWN: u8 = 2;

/// Carries out a `forebay cluster` command.
pub fn run(command: ClusterCommand) -> Result<()> {
    match command {
        // `main` calls `status`, whose exit status is that of a monitoring check.
        ClusterCommand::Status { database, remote } => shown(&database, &remote).map(drop),
        ClusterCommand::Move { pool, to, database, remote } => {
            moving::run(pool, &Wish::To(to), &database, &remote)
        }
        ClusterCommand::Release { pool, force, database, remote } => {
            moving::run(pool, &Wish::Any { force }, &database, &remote)
        }
    }
}

/// Prints the pools. The exit status is that of a monitoring check.
pub fn status(database: &OfDatabase, remote: &Remote) -> ExitCode {
    match shown(database, remote) {
        Ok(view) => {
            for pool in &view.items {
                if let Some(problem) = &pool.problem {
                    complain(&format!("pool {}: {problem}", pool.name));
                }
            }
            ExitCode::from(exit_status(&view))
        }
        Err(error) => {
            complain(&format!("{error:#}"));
            ExitCode::from(UNKNOWN)
        }
    }
}

fn exit_status(view: &ClusterView) -> u8 {
    let any = |holds: fn(&ClusterPoolView) -> bool| view.items.iter().any(holds);
    if any(|pool| pool.problem.is_some()) {
        UNKNOWN
    } else if view.items.is_empty() || any(|pool| pool.state != ClusterPoolState::Serving) {
        NOT_SERVED
    } else {
        SERVED
    }
}

fn shown(database: &OfDatabase, remote: &Remote) -> Result<ClusterView> {
    let view = match place::of(database, remote)? {
        Some(place) => look_twice(&place.database)?,
        None => Client::new(remote)?
            .get("cluster")
            .context("no database is named: --metadata URL, or pool.metadata in the file of --config")?,
    };
    print_list_as(remote.format(), &view, &view.items, show)?;
    Ok(view)
}

/// Looks at all pools of a database, twice.
fn look_twice(database: &Database) -> Result<ClusterView> {
    let runtime = runtime()?;
    let mut cluster = Cluster::new(database);
    let state = runtime.block_on(async {
        cluster.look().await?;
        tokio::time::sleep(LOOK_PAUSE).await;
        cluster.look().await
    });
    Ok(view_of(&state.map_err(|error| anyhow!("{error}"))?, None))
}

/// A runtime for connections to a database.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime> {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.context("the asynchronous runtime cannot be started")
}

fn show(view: &ClusterView) -> Result<()> {
    if view.items.is_empty() {
        print_line(&format!("there is no pool in {}; `forebay pool create` creates one", view.database))?;
    } else {
        let headings = ["pool", "state", "node", "since", "lease", "waiting", "epoch", "batch", "size"];
        print_columns(&headings, view.items.iter().map(row))?;
    }
    print_line("")?;
    print_line(&format!("commits in {}: {}", view.database, guard(view)))
}

fn row(pool: &ClusterPoolView) -> Vec<String> {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let waiting = match &pool.candidates {
        None => "unknown".to_owned(),
        Some(all) if all.is_empty() => "none".to_owned(),
        Some(_) => pool.waiting().join(", "),
    };
    vec![
        pool.name.clone(),
        state(pool),
        or_none(pool.node.clone()),
        or_none(pool.since.as_deref().map(ago)),
        or_none(pool.lease_age_ms.map(|ms| format!("{:.1} s", ms as f64 / 1000.0))),
        waiting,
        or_none(pool.epoch.map(|epoch| epoch.to_string())),
        or_none(pool.batch.map(|batch| batch.to_string())),
        or_none(pool.bytes.map(size::rounded)),
    ]
}

/// The state in words: `silent for 5 s`.
pub(super) fn state(pool: &ClusterPoolView) -> String {
    match (pool.state, pool.silent_ms) {
        (ClusterPoolState::NeverOpened, _) => "never opened".to_owned(),
        (ClusterPoolState::Newer, _) => "newer release".to_owned(),
        (ClusterPoolState::Silent, Some(ms)) => format!("silent for {}", span(Duration::from_millis(ms))),
        (state, _) => state.to_string(),
    }
}

fn guard(view: &ClusterView) -> String {
    match view.synchronous {
        SynchronousState::Guarded => format!("guarded by the synchronous standby {}", view.standbys.join(", ")),
        SynchronousState::Unguarded => {
            "not guarded, because synchronous_standby_names is empty: the loss of this server loses them".to_owned()
        }
        SynchronousState::Missing => "waiting, because no synchronous standby is connected".to_owned(),
        SynchronousState::Unknown => {
            "unknown whether a synchronous standby guards them: the role may not see it (grant pg_read_all_stats)".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(state: ClusterPoolState, problem: Option<&str>) -> ClusterPoolView {
        ClusterPoolView {
            name: "kafka".to_owned(),
            state,
            node: None,
            since: None,
            silent_ms: (state == ClusterPoolState::Silent).then_some(5200),
            lease_age_ms: None,
            epoch: None,
            batch: None,
            bytes: None,
            candidates: None,
            takeover: None,
            problem: problem.map(str::to_owned),
        }
    }

    #[test]
    fn the_exit_status_is_that_of_the_pool_that_is_worst_off() {
        let status = |items: Vec<ClusterPoolView>| {
            exit_status(&ClusterView {
                database: "database forebay on db".to_owned(),
                pool: None,
                synchronous: SynchronousState::Unguarded,
                standbys: Vec::new(),
                total: items.len() as u64,
                items,
            })
        };
        let serving = || pool(ClusterPoolState::Serving, None);
        assert_eq!(status(vec![serving(), serving()]), SERVED, "whatever guards the commits");
        assert_eq!(status(vec![serving(), pool(ClusterPoolState::Released, None)]), NOT_SERVED);
        assert_eq!(status(Vec::new()), NOT_SERVED);
        let newer = pool(ClusterPoolState::Newer, Some("use the newer release"));
        assert_eq!(status(vec![pool(ClusterPoolState::Silent, None), newer]), UNKNOWN);
    }

    #[test]
    fn a_state_is_shown_in_words() {
        assert_eq!(state(&pool(ClusterPoolState::Silent, None)), "silent for 5 s");
        assert_eq!(state(&pool(ClusterPoolState::NeverOpened, None)), "never opened");
        assert_eq!(state(&pool(ClusterPoolState::Serving, None)), "serving");
    }
}
