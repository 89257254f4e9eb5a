//! The lease: who may answer clients, and when another process may take the pool.
//!
//! The owner raises a counter in the database twice a second. What it has read may be answered for 2.5 s after it *began* the last renewal that
//! succeeded. A candidate takes the pool when it has seen the counter stand still for 3.5 s of its own clock, in which every look at the
//! database succeeded. So a database that is away is no reason to take a pool, and an owner that is cut off from the database answers no more
//! when it is replaced, as long as no clock runs 1.4 times as fast as another.
//!
//! The lease does not protect what is stored: commit groups are fenced by the pool's epoch, and need no clock.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use forebay_pool::store::Connections;
use forebay_pool::{Error, Result};

use crate::database::Database;
use crate::ownership::{Owned, Seen, new_instance};
use crate::session::{Bare, Role, refused};

/// The periods of a lease. They must be the same for all processes that may serve a pool.
#[derive(Clone, Copy, Debug)]
pub struct LeaseOptions {
    /// How often the owner renews it, and candidates look. Default 0.5 s.
    pub period: Duration,
    /// How long the owner may answer after it began a renewal. Default 2.5 s.
    pub valid: Duration,
    /// How long a candidate must see no renewal. Default 3.5 s.
    pub silence: Duration,
}

impl Default for LeaseOptions {
    fn default() -> Self {
        LeaseOptions {
            period: Duration::from_millis(500),
            valid: Duration::from_millis(2500),
            silence: Duration::from_millis(3500),
        }
    }
}

/// The settings of a session that renews a lease, each time in a transaction of its own. A renewal that is lost in a crash of the database costs at
/// most a takeover that waits longer.
const RENEWALS: &str = "set synchronous_commit to off; set default_transaction_read_only to off";

/// Time since the machine started, also while it was suspended.
fn boottime() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Duration::new(
        u64::try_from(now.tv_sec).unwrap_or_default(),
        u32::try_from(now.tv_nsec).unwrap_or_default(),
    )
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Whether this process may answer clients.
#[derive(Debug, Default)]
pub struct Tenure {
    /// Until when, in nanoseconds since the machine started.
    until: AtomicU64,
    is_lost: AtomicBool,
}

impl Tenure {
    /// Whether an answer that was computed before this call may be sent.
    pub fn holds(&self) -> bool {
        !self.is_lost() && nanoseconds(boottime()) < self.until.load(Ordering::Acquire)
    }

    /// Whether another process has taken the pool. It stays so.
    pub fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Acquire)
    }

    fn extend(&self, began: Duration, valid: Duration) {
        self.until.fetch_max(nanoseconds(began + valid), Ordering::AcqRel);
    }

    fn lose(&self) {
        self.is_lost.store(true, Ordering::Release);
    }
}

/// Decides when an owner is silent.
struct Watch {
    silence: Duration,
    last: Option<(String, i64)>,
    since: Duration,
}

impl Watch {
    fn new(silence: Duration) -> Watch {
        Watch { silence, last: None, since: Duration::ZERO }
    }

    /// A look succeeded that began at `now`. Returns whether the owner has been silent for long enough.
    fn saw(&mut self, instance: &str, renewals: i64, now: Duration) -> bool {
        match &self.last {
            Some((known, count)) if known == instance && *count == renewals => {
                now.saturating_sub(self.since) >= self.silence
            }
            _ => {
                self.last = Some((instance.to_owned(), renewals));
                self.since = now;
                false
            }
        }
    }

    /// A look failed: the time of the database's absence counts for nobody.
    fn failed(&mut self) {
        self.last = None;
    }
}

/// The lease that this process holds, until it is released or dropped.
pub struct Lease {
    database: Database,
    owned: Owned,
    tenure: Arc<Tenure>,
    /// The owner before; none if there was none.
    from: Option<String>,
    silent: Duration,
    clients: String,
    connections: Connections,
}

/// What the owner tells the next one about its clients ([`Lease::clients`]).
pub struct Clients {
    database: Database,
    instance: String,
    session: Mutex<Option<Bare>>,
    connections: Connections,
}

impl Clients {
    /// Replaces what was told. It is not waited until that is durable: if it is lost, clients notice a takeover later. Blocks.
    pub fn tell(self: &Arc<Self>, list: String) -> Result<()> {
        let clients = self.clone();
        self.connections.run(async move {
            let kept = || clients.session.lock().unwrap_or_else(PoisonError::into_inner).take();
            let failed = |error| refused(&clients.database, &error);
            let session = match kept() {
                Some(session) if !session.client.is_closed() => session,
                _ => {
                    let session = Bare::open(&clients.database, &clients.instance, Role::Lease).await?;
                    session.client.batch_execute(RENEWALS).await.map_err(failed)?;
                    session
                }
            };
            // Not over what the next owner has told.
            let statement =
                "update client set connections = $1 where exists (select from lease where instance = $2)";
            session.client.execute(statement, &[&list, &clients.instance]).await.map_err(failed)?;
            *clients.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(session);
            Ok(())
        })
    }
}

impl Lease {
    /// Waits until this process may take the pool, and takes it. `node` names the machine. With `restarts` the caller vouches that a former
    /// process of this name has ended; then its lease is taken at once. Returns nothing once `stop` is set. Errors that waiting cannot cure
    /// are returned. `on_loss` is called once if another process takes the pool later. Blocks.
    pub fn wait(
        database: &Database,
        node: &str,
        restarts: bool,
        options: LeaseOptions,
        stop: &Arc<AtomicBool>,
        on_loss: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Option<Lease>> {
        let connections = Connections::start("pool-database", 1)?;
        let waiting = Waiting {
            database: database.clone(),
            node: node.to_owned(),
            restarts,
            options,
            stop: stop.clone(),
            instance: new_instance()?,
        };
        let Some(taken) = connections.run(waiting.run())? else { return Ok(None) };
        let Taken { owned, began, from, silent, clients } = taken;
        let tenure = Arc::<Tenure>::default();
        tenure.extend(began, options.valid);
        let renewing = Renewing {
            database: database.clone(),
            instance: owned.instance.clone(),
            options,
            tenure: tenure.clone(),
            on_loss: Box::new(on_loss),
        };
        connections.leave(renewing.run());
        Ok(Some(Lease { database: database.clone(), owned, tenure, from, silent, clients, connections }))
    }

    /// The pool's row, for opening its metadata.
    pub fn owned(&self) -> Owned {
        self.owned.clone()
    }

    /// Whether this process may answer.
    pub fn tenure(&self) -> Arc<Tenure> {
        self.tenure.clone()
    }

    /// The node that had the pool before, and how long it had been silent.
    pub fn taken_from(&self) -> (Option<&str>, Duration) {
        (self.from.as_deref(), self.silent)
    }

    /// What the owner before told of its clients; empty if nothing.
    pub fn inherited_clients(&self) -> &str {
        &self.clients
    }

    /// Where this owner tells the next one about its clients.
    pub fn clients(&self) -> Result<Arc<Clients>> {
        Ok(Arc::new(Clients {
            database: self.database.clone(),
            instance: self.owned.instance.clone(),
            session: Mutex::default(),
            connections: Connections::start("pool-clients", 1)?,
        }))
    }

    /// Lets others take the pool at once. The pool must be closed.
    pub fn release(self) -> Result<()> {
        let (database, instance) = (self.database.clone(), self.owned.instance.clone());
        self.connections.run(async move {
            let bare = Bare::open(&database, &instance, Role::Lease).await?;
            let failed = |error| refused(&database, &error);
            bare.client.batch_execute("set default_transaction_read_only to off").await.map_err(failed)?;
            let statement = "update lease set released = true where instance = $1";
            bare.client.execute(statement, &[&instance]).await.map_err(failed)?;
            Ok(())
        })
    }
}

/// A candidate.
struct Waiting {
    database: Database,
    node: String,
    restarts: bool,
    options: LeaseOptions,
    stop: Arc<AtomicBool>,
    instance: String,
}

struct Taken {
    owned: Owned,
    /// When the takeover began.
    began: Duration,
    from: Option<String>,
    silent: Duration,
    clients: String,
}

impl Waiting {
    async fn run(self) -> Result<Option<Taken>> {
        let mut watch = Watch::new(self.options.silence);
        let mut session: Option<Bare> = None;
        let mut has_looked = false;
        let mut told: Option<String> = None;
        while !self.stop.load(Ordering::Acquire) {
            match tokio::time::timeout(self.options.silence, self.look(&mut session, &mut watch, &mut told))
                .await
            {
                Ok(Ok(Some(taken))) => return Ok(Some(taken)),
                Ok(Ok(None)) => has_looked = true,
                // What never worked is a mistake of the operator, not an outage.
                Ok(Err(error)) if !has_looked => return Err(error),
                Ok(Err(error)) => {
                    tracing::warn!(%error, "cannot look at the lease; looking again");
                    (session, watch) = (None, Watch::new(self.options.silence));
                    watch.failed();
                }
                Err(_) => {
                    tracing::warn!("the database does not answer; looking at the lease again");
                    (session, watch) = (None, Watch::new(self.options.silence));
                }
            }
            tokio::time::sleep(self.options.period).await;
        }
        Ok(None)
    }

    async fn look(
        &self,
        kept: &mut Option<Bare>,
        watch: &mut Watch,
        told: &mut Option<String>,
    ) -> Result<Option<Taken>> {
        let session = match kept.take() {
            Some(session) => session,
            None => Bare::open(&self.database, &self.instance, Role::Lease).await?,
        };
        let began = boottime();
        let seen = Seen::read(&self.database, &session).await?;
        let is_silent = watch.saw(&seen.instance, seen.renewals, began);
        let is_ours = seen.instance == self.instance;
        let was_here = self.restarts && seen.node == self.node;
        let taken = if seen.released || is_ours || was_here || is_silent {
            let owned = seen.take(&self.database, &session, &self.instance, &self.node).await?;
            match owned {
                Some(owned) => {
                    let silent = if is_silent { self.options.silence } else { Duration::ZERO };
                    let from = (!seen.node.is_empty() && !is_ours).then_some(seen.node);
                    Some(Taken { owned, began, from, silent, clients: clients_of(&session).await })
                }
                None => None,
            }
        } else {
            if told.as_ref() != Some(&seen.node) {
                tracing::info!(owner = seen.node, "waiting: another node serves the pool");
                *told = Some(seen.node);
            }
            None
        };
        *kept = Some(session);
        Ok(taken)
    }
}

/// What the owner before told of its clients. Nothing depends on it but how soon they notice.
async fn clients_of(session: &Bare) -> String {
    let row = session.client.query_opt("select connections from client", &[]).await;
    match row.and_then(|row| row.map_or(Ok(String::new()), |row| row.try_get(0))) {
        Ok(list) => list,
        Err(error) => {
            tracing::warn!(%error, "the clients of the last owner are not known, and will notice the takeover by themselves");
            String::new()
        }
    }
}

/// Renews the lease until it is lost.
struct Renewing {
    database: Database,
    instance: String,
    options: LeaseOptions,
    tenure: Arc<Tenure>,
    on_loss: Box<dyn Fn(&str) + Send + Sync>,
}

impl Renewing {
    async fn run(self) {
        let mut kept: Option<Bare> = None;
        let mut ticks = tokio::time::interval(self.options.period);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let renewed = tokio::time::timeout(self.options.valid, self.renew(&mut kept)).await;
            match renewed {
                Ok(Ok(None)) => {}
                Ok(Ok(Some(owner))) => {
                    self.tenure.lose();
                    (self.on_loss)(&owner);
                    return;
                }
                Ok(Err(error)) => {
                    tracing::warn!(%error, "the lease was not renewed; trying again");
                    kept = None;
                }
                Err(_) => {
                    tracing::warn!("the database did not answer; renewing the lease again");
                    kept = None;
                }
            }
        }
    }

    /// Returns the node that has the pool, if that is not this one any more.
    async fn renew(&self, kept: &mut Option<Bare>) -> Result<Option<String>> {
        let session = match kept.take() {
            Some(session) => session,
            None => {
                let session = Bare::open(&self.database, &self.instance, Role::Lease).await?;
                let setting = session.client.batch_execute(RENEWALS).await;
                setting.map_err(|error| refused(&self.database, &error))?;
                session
            }
        };
        let failed = |error| refused(&self.database, &error);
        let began = boottime();
        let statement = "update lease set renewals = renewals + 1 where instance = $1 and not released";
        if session.client.execute(statement, &[&self.instance]).await.map_err(failed)? == 1 {
            self.tenure.extend(began, self.options.valid);
            *kept = Some(session);
            return Ok(None);
        }
        let seen = Seen::read(&self.database, &session).await?;
        if seen.instance == self.instance {
            // Released, by this process.
            return Err(Error::Closed);
        }
        Ok(Some(seen.node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    #[test]
    fn an_owner_is_silent_when_nothing_new_was_seen_for_the_whole_time() {
        let mut watch = Watch::new(seconds(3.5));
        assert!(!watch.saw("a", 1, seconds(0.0)));
        assert!(!watch.saw("a", 2, seconds(3.0)));
        assert!(!watch.saw("a", 2, seconds(6.4)));
        assert!(watch.saw("a", 2, seconds(6.5)));
        assert!(!watch.saw("b", 2, seconds(6.6)), "another owner");
        assert!(!watch.saw("b", 1, seconds(9.0)), "the database was restored");
        assert!(watch.saw("b", 1, seconds(12.5)));
    }

    #[test]
    fn time_without_the_database_counts_for_nobody() {
        let mut watch = Watch::new(seconds(3.5));
        watch.saw("a", 1, seconds(0.0));
        watch.failed();
        assert!(!watch.saw("a", 1, seconds(30.0)));
        assert!(!watch.saw("a", 1, seconds(33.0)));
        assert!(watch.saw("a", 1, seconds(33.5)));
    }

    #[test]
    fn a_tenure_ends_by_itself_and_never_returns_once_it_is_lost() {
        let tenure = Tenure::default();
        assert!(!tenure.holds());
        tenure.extend(boottime(), seconds(0.05));
        assert!(tenure.holds());
        std::thread::sleep(seconds(0.06));
        assert!(!tenure.holds());
        tenure.extend(boottime(), seconds(60.0));
        // A renewal that was answered late does not shorten it.
        tenure.extend(Duration::ZERO, seconds(1.0));
        assert!(tenure.holds());
        tenure.lose();
        assert!(!tenure.holds());
        tenure.extend(boottime(), seconds(60.0));
        assert!(!tenure.holds());
    }
}
