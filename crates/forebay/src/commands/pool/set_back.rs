//! `forebay pool recover` for a pool in a database: takes the pool as a node that serves it would, and opens it with the metadata that is left.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use forebay_ownership::Node;
use forebay_pool::{Error, Pool};
use forebay_pool_postgres::{Candidacy, Cluster, Database, Lease, LeaseOptions, Leaving, PoolState, name_of};

use super::recovery::show;
use crate::commands::init::check_owner_of_files;
use crate::commands::serve::database::{backends_of, database_of, in_database, name_in, require_directory};
use crate::config::{Config, Place};
use crate::output::{complain, print_line};

/// How long this process waits for the pool. An owner whose process is gone is replaced after 3.5 s.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// Opens a pool in a database with the metadata that is left. Without `accept_loss`, only reports what that would do.
pub fn recover(config: &Config, accept_loss: bool) -> Result<()> {
    let database = database_of(&config.pool.database)?;
    if let Some(Place::Directory(segments)) = &config.pool.database.segments {
        require_directory(segments)?;
        if accept_loss {
            check_owner_of_files(segments)?;
        }
    }
    let mut config = config.clone();
    // Nothing is read twice.
    config.object_store.cache_size = 0;
    let runtime = tokio::runtime::Runtime::new().context("the asynchronous runtime cannot be started")?;
    runtime.block_on(async {
        let lease = take(&config, &database).await?;
        let done = recover_as_owner(&config, &database, &lease, accept_loss).await;
        let released = tokio::task::spawn_blocking(move || lease.release(Leaving::Stopped)).await;
        // If that failed, a node takes the pool 3.5 s later.
        drop(released);
        done
    })
}

/// Makes this process the owner of the pool, unless a node serves it.
async fn take(config: &Config, database: &Database) -> Result<Lease> {
    let node = Node::here(config.node.name.as_deref())?;
    // Not the node itself: after a daemon has failed to open the pool, its node leaves the pool to others for a while.
    let candidacy = Candidacy::of(&format!("{}:recovery {}", node.name, std::process::id()), false);
    let stop = Arc::new(AtomicBool::new(false));
    let (waiting_for, stopping) = (database.clone(), stop.clone());
    let mut waiting = tokio::task::spawn_blocking(move || {
        let on_loss = |owner: &str| {
            complain(&format!("node {} has taken the pool meanwhile; look again", name_of(owner)));
            std::process::exit(1);
        };
        Lease::wait(&waiting_for, candidacy, LeaseOptions::default(), &stopping, on_loss)
    });
    let taken = match tokio::time::timeout(WAIT_MAX, &mut waiting).await {
        Ok(taken) => taken,
        Err(_) => {
            stop.store(true, Ordering::Release);
            waiting.await
        }
    };
    let taken = taken.context("the thread that waits for the pool ended")?;
    match taken.map_err(|error| anyhow!("{error}"))? {
        Some(lease) => Ok(lease),
        None => Err(why_not(database).await),
    }
}

/// Why the pool could not be taken.
async fn why_not(database: &Database) -> anyhow::Error {
    let state = match Cluster::new(database).look().await {
        Ok(state) => state,
        Err(error) => return anyhow!("{error}"),
    };
    let pool = state.pools.into_iter().find(|pool| pool.name == database.name());
    let owner = pool.and_then(|pool| match pool.state {
        PoolState::Serves | PoolState::Opening | PoolState::Silent(_) => pool.row.map(|row| row.node),
        _ => None,
    });
    let name = name_in(database);
    match owner {
        Some(node) => {
            anyhow!("pool {name}: node {node} has it; stop its daemon and those of the other nodes first")
        }
        None => anyhow!("pool {name}: could not be taken within {} s; try again", WAIT_MAX.as_secs()),
    }
}

async fn recover_as_owner(
    config: &Config,
    database: &Database,
    lease: &Lease,
    accept_loss: bool,
) -> Result<()> {
    let refused = |error| in_database(error, database);
    let (backends, _) = backends_of(config, database, lease)?;
    let assessment = Pool::assess_on(backends).await.map_err(refused)?;
    show(&name_in(database), &assessment)?;
    let Some(mismatch) = assessment.mismatches.into_iter().next() else {
        return print_line("the pool is consistent; `forebay serve` opens it");
    };
    if !accept_loss {
        let mismatch = Box::new(mismatch);
        return Err(refused(Error::Refused { path: Default::default(), mismatch, segments: None }));
    }
    let (backends, options) = backends_of(config, database, lease)?;
    let pool = Pool::recover_on(backends, options).await.map_err(refused)?;
    let aside = pool.lost_and_found();
    if let Err(error) = pool.close().await {
        bail!("the pool was not closed cleanly: {error}");
    }
    let aside = aside?.len();
    print_line(&format!(
        "the pool now matches its metadata; {aside} segments are in lost+found; start its daemons, and check it with `forebay pool check --read`"
    ))
}
