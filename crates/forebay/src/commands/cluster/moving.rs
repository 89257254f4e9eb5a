//! Moves a pool: asks its owner to hand it over, and follows it to the next one.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use forebay_admin::views::{
    ClusterMoveRequest, ClusterPoolState, ClusterPoolView, ClusterReleaseRequest, ClusterView, NodeView,
};
use forebay_pool_postgres::{Cluster, ClusterState, Database, ask, withdraw_request};
use serde::Serialize;

use super::arguments::OfDatabase;
use super::place::{self, Place};
use super::run::{runtime, state};
use super::view_of;
use crate::admin::client::Client;
use crate::arguments::{Format, Remote};
use crate::output::{print_as, print_line};

/// How often the database is looked at while the pool moves.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// The time between the two looks before.
const LOOK_PAUSE: Duration = Duration::from_millis(1200);
/// How long the owner may take to release the pool, and another node to serve it.
const MOVE_MAX: Duration = Duration::from_secs(120);

/// Who shall take the pool.
pub enum Wish {
    /// This node.
    To(String),
    /// Any node.
    Any {
        /// Also if none waits.
        force: bool,
    },
}

impl Wish {
    fn node(&self) -> Option<&str> {
        match self {
            Wish::To(node) => Some(node),
            Wish::Any { .. } => None,
        }
    }
}

/// How a pool has moved.
#[derive(Debug, Serialize)]
struct Moved {
    pool: String,
    from: String,
    /// The node that serves it; none if no node waited.
    to: Option<String>,
    milliseconds: u64,
}

/// Moves a pool.
pub fn run(pool: Option<String>, wish: &Wish, database: &OfDatabase, remote: &Remote) -> Result<()> {
    match place::of(database, remote)? {
        Some(place) => in_database(pool, wish, &place, remote),
        None => by_daemon(pool, wish, remote),
    }
}

/// Asks a daemon whose database this command does not know. So it cannot follow the pool.
fn by_daemon(pool: Option<String>, wish: &Wish, remote: &Remote) -> Result<()> {
    let client = Client::new(remote)?;
    let view: ClusterView = client
        .get("cluster")
        .context("no database is named: --metadata URL, or pool.metadata in the file of --config")?;
    if let Some(pool) = pool.filter(|pool| Some(pool) != view.pool.as_ref()) {
        let served = view.pool.as_deref().unwrap_or("none");
        bail!("pool {pool}: this daemon serves another one, {served}; name the database with --metadata URL");
    }
    let own = view.own().context("the daemon does not know its pool")?;
    check(own, wish)?;
    let node = post(&client, wish)?;
    print_as(remote.format(), &node, |node| {
        print_line(&format!(
            "node {} hands the pool over and stops; `forebay cluster status` shows who serves it",
            node.name
        ))
    })
}

fn post(client: &Client, wish: &Wish) -> Result<NodeView> {
    match wish {
        Wish::To(to) => client.post("cluster/move", &ClusterMoveRequest { to: to.clone() }),
        Wish::Any { force } => client.post("cluster/release", &ClusterReleaseRequest { force: *force }),
    }
}

fn in_database(pool: Option<String>, wish: &Wish, place: &Place, remote: &Remote) -> Result<()> {
    let runtime = runtime()?;
    let mut cluster = Cluster::new(&place.database);
    let seen = runtime.block_on(async {
        cluster.look().await?;
        tokio::time::sleep(LOOK_PAUSE).await;
        cluster.look().await
    });
    let seen = seen.map_err(|error| anyhow!("{error}"))?;
    let name = chosen(&seen, pool.or_else(|| place.pool.clone()))?;
    let (view, instance) = of_pool(&seen, &name)?;
    check(&view, wish)?;
    let from = view.node.clone().unwrap_or_default();
    let is_waited_for = !view.waiting().is_empty();
    let format = remote.format();
    let to = wish.node().map(|to| format!(" to node {to}")).unwrap_or_default();
    tell(format, &format!("pool {name}: node {from} is asked to hand it over{to}"))?;
    let begun = Instant::now();
    let database = place.database.pool(&name);
    match owner_here(remote, &name, &from) {
        Some(client) => drop(post(&client, wish)?),
        None => runtime.block_on(request(&database, &instance, wish))?,
    }
    let mut following = Following { cluster, name: &name, from: &from, instance: &instance, format, begun };
    let followed = runtime.block_on(following.follow(is_waited_for));
    if followed.is_err() {
        // Otherwise the owner would obey it later. It forgets it after a while anyway.
        let _ = runtime.block_on(withdraw_request(&database, &instance));
    }
    let to = followed?;
    if to.as_ref() == Some(&from) {
        bail!(
            "pool {name}: node {from} serves it again: it ended without releasing the pool, or no other node took it; see their logs"
        );
    }
    let milliseconds = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let moved = Moved { pool: name.clone(), from, to: to.clone(), milliseconds };
    let took = seconds(begun);
    print_as(format, &moved, |moved| match &moved.to {
        Some(to) => print_line(&format!("node {to} serves pool {name}; the move took {took}")),
        None => print_line(&format!("pool {name} is released; no node serves it")),
    })?;
    match (wish.node(), to) {
        (Some(wanted), Some(got)) if got != wanted => {
            bail!("pool {name}: node {wanted} did not take it within five seconds, so node {got} did")
        }
        _ => Ok(()),
    }
}

/// The daemon on this machine, if it is the owner.
fn owner_here(remote: &Remote, pool: &str, node: &str) -> Option<Client> {
    let client = Client::new(remote).ok()?;
    let view: ClusterView = client.get("cluster").ok()?;
    let is_owner = view.own().is_some_and(|own| own.name == pool && own.node.as_deref() == Some(node));
    is_owner.then_some(client)
}

async fn request(database: &Database, instance: &str, wish: &Wish) -> Result<()> {
    let asked = ask(database, instance, wish.node(), &who()).await.map_err(|error| anyhow!("{error}"))?;
    if !asked {
        bail!(
            "pool {}: its owner has just changed; look at `forebay cluster status`, and try again",
            database.name()
        );
    }
    Ok(())
}

/// Who asks, for the owner's events.
fn who() -> String {
    let user = std::env::var("USER").ok().filter(|user| !user.is_empty() && user.len() <= 64);
    let user = user.unwrap_or_else(|| format!("user {}", rustix::process::getuid().as_raw()));
    format!("{user} on {}", rustix::system::uname().nodename().to_string_lossy())
}

/// The pool that is meant.
fn chosen(seen: &ClusterState, given: Option<String>) -> Result<String> {
    let names: Vec<&str> = seen.pools.iter().map(|pool| pool.name.as_str()).collect();
    let place = &seen.place;
    match (given, names.as_slice()) {
        (Some(name), all) if all.contains(&name.as_str()) => Ok(name),
        (_, []) => bail!("there is no pool in {place}"),
        (Some(name), all) => {
            bail!("pool {name}: there is no such pool in {place}, which has {}", all.join(", "))
        }
        (None, [only]) => Ok((*only).to_owned()),
        (None, all) => bail!("there are several pools in {place}, so name one: {}", all.join(", ")),
    }
}

/// A pool, and the process that owns it.
fn of_pool(seen: &ClusterState, name: &str) -> Result<(ClusterPoolView, String)> {
    let view = view_of(seen, Some(name));
    let instance = seen.pools.iter().find(|pool| pool.name == name).and_then(|pool| pool.row.as_ref());
    let instance = instance.map(|row| row.instance.clone()).unwrap_or_default();
    let pool = view.own().cloned();
    Ok((pool.with_context(|| format!("pool {name}: it has been removed"))?, instance))
}

/// Refuses what cannot succeed, before anything is done.
fn check(pool: &ClusterPoolView, wish: &Wish) -> Result<()> {
    let name = &pool.name;
    if let Some(problem) = &pool.problem {
        bail!("pool {name}: {problem}");
    }
    if pool.state != ClusterPoolState::Serving {
        let node = pool.node.as_ref().map(|node| format!(", last by node {node}")).unwrap_or_default();
        bail!(
            "pool {name}: no node serves it now ({}{node}), so there is nothing to hand over; a node that waits takes it by itself",
            state(pool)
        );
    }
    let waiting = pool.waiting();
    match wish {
        Wish::Any { force: true } => Ok(()),
        _ if pool.candidates.is_none() => {
            bail!(
                "pool {name}: the role may not read who waits for it; grant select on table forebay_{name}.candidate"
            )
        }
        Wish::To(to) if pool.node.as_ref() == Some(to) && !waiting.contains(&to.as_str()) => {
            bail!("pool {name}: node {to} serves it already")
        }
        Wish::To(to) if !waiting.is_empty() && !waiting.contains(&to.as_str()) => {
            bail!("pool {name}: node {to} does not wait for it; these do: {}", waiting.join(", "))
        }
        Wish::To(_) if waiting.is_empty() => {
            bail!("pool {name}: no node waits for it; start the daemon on another node first")
        }
        Wish::Any { .. } if waiting.is_empty() => bail!(
            "pool {name}: no node waits for it; start the daemon on another node first, or release it all the same with --force"
        ),
        _ => Ok(()),
    }
}

fn tell(format: Format, line: &str) -> Result<()> {
    if format.is_for_people() { print_line(line) } else { Ok(()) }
}

fn seconds(begun: Instant) -> String {
    format!("{:.1} s", begun.elapsed().as_secs_f64())
}

/// A pool on its way.
struct Following<'a> {
    cluster: Cluster,
    name: &'a str,
    from: &'a str,
    /// The process that hands it over.
    instance: &'a str,
    format: Format,
    begun: Instant,
}

impl Following<'_> {
    /// Returns the node that serves the pool in the end. If no node waits, the release is the end.
    async fn follow(&mut self, is_waited_for: bool) -> Result<Option<String>> {
        let mut last = None;
        while self.begun.elapsed() < MOVE_MAX {
            tokio::time::sleep(LOOK_EVERY).await;
            // The database may be away for a moment.
            let Ok(seen) = self.cluster.look().await else { continue };
            let (pool, instance) = of_pool(&seen, self.name)?;
            let is_old = instance == self.instance;
            let now = (pool.state, is_old);
            if is_old && pool.state == ClusterPoolState::Released && !is_waited_for {
                return Ok(None);
            }
            let node = pool.node.unwrap_or_default();
            if !is_old && pool.state == ClusterPoolState::Serving {
                return Ok(Some(node));
            }
            if last.replace(now) != Some(now) {
                self.tell(now, &node)?;
            }
        }
        bail!(
            "pool {}: no other node serves it after {}; look at `forebay cluster status`, and at the log of node {}",
            self.name,
            seconds(self.begun),
            self.from
        )
    }

    fn tell(&self, now: (ClusterPoolState, bool), node: &str) -> Result<()> {
        let (name, after) = (self.name, seconds(self.begun));
        match now {
            (ClusterPoolState::Released, true) => {
                tell(self.format, &format!("pool {name}: node {node} has released it after {after}"))
            }
            (ClusterPoolState::Opening, false) => tell(
                self.format,
                &format!("pool {name}: node {node} has taken it after {after}, and opens it"),
            ),
            (ClusterPoolState::Silent, _) => tell(
                self.format,
                &format!("pool {name}: node {node} is silent; a node that waits takes the pool"),
            ),
            _ => Ok(()),
        }
    }
}
