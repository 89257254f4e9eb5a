//! The lease: who may answer clients, and when another process may take the pool.
//!
//! The owner raises a counter in the database twice a second. What it has read may be answered for 2.5 s after it *began* the last renewal that
//! succeeded. A candidate takes the pool when it has seen the counter stand still for 3.5 s of its own clock, in which every look at the
//! database succeeded. So a database that is away is no reason to take a pool, and an owner that is cut off from the database answers no more
//! when it is replaced, as long as no clock runs 1.4 times as fast as another.
//!
//! The lease does not protect what is stored: commit groups are fenced by the pool's epoch, and need no clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use forebay_pool::store::Connections;
use forebay_pool::{Error, Result};
use tokio::sync::watch;
use tokio_postgres::types::ToSql;

use crate::candidates;
use crate::claim::{AVOIDED, Claim, PRIORITY_STEP, RESERVED, Watch, name_of};
use crate::clients::{self, Clients};
use crate::database::Database;
use crate::ownership::{Owned, SILENT, Seen, Takeover, new_instance};
use crate::schema;
use crate::session::{Bare, Role, refused};

/// How long a candidate's row may take to write. The look at the lease has its own time.
const NOTE_MAX: Duration = Duration::from_secs(2);
/// How long the record of a takeover may take to write.
const RECORD_MAX: Duration = Duration::from_secs(10);
/// How often the owner removes the rows of candidates that are gone, in renewals.
const TIDY_EVERY: u64 = 60;

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
pub(crate) const RENEWALS: &str = "set synchronous_commit to off; set default_transaction_read_only to off";

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
    /// When the last renewal that succeeded began.
    renewed: AtomicU64,
    failures: AtomicU64,
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

    /// How long ago the last renewal began that succeeded.
    pub fn renewal_age(&self) -> Duration {
        Duration::from_nanos(nanoseconds(boottime()).saturating_sub(self.renewed.load(Ordering::Acquire)))
    }

    /// How often a renewal failed.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    fn failed(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    fn extend(&self, began: Duration, valid: Duration) {
        self.renewed.fetch_max(nanoseconds(began), Ordering::AcqRel);
        self.until.fetch_max(nanoseconds(began + valid), Ordering::AcqRel);
    }

    fn lose(&self) {
        self.is_lost.store(true, Ordering::Release);
    }
}

/// A process that waits for the pool.
#[derive(Clone, Debug)]
pub struct Candidacy {
    /// Names the machine: its first word is the name of the node. With `restarts` it must be different for processes that can run at the same time.
    pub node: String,
    /// The caller vouches that a former process of this `node` has ended; then its lease is taken at once.
    pub restarts: bool,
    /// How many steps of 0.5 s later than others this candidate takes a silent owner's pool.
    pub priority: u32,
}

impl Candidacy {
    /// A candidate with the priority 0.
    pub fn of(node: &str, restarts: bool) -> Candidacy {
        Candidacy { node: node.to_owned(), restarts, priority: 0 }
    }
}

/// A request in the database that the owner hands the pool over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The node that shall take it; none for any other node.
    pub to: Option<String>,
    /// Who asked.
    pub by: String,
}

/// How the owner leaves the pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// Anybody may take the pool.
    Stopped,
    /// Others may take it: this node leaves it to them for ten seconds.
    Released,
    /// This node may take it, and others after five seconds.
    MovedTo(String),
}

/// The lease that this process holds, until it is released or dropped.
pub struct Lease {
    database: Database,
    owned: Owned,
    node: String,
    tenure: Arc<Tenure>,
    from: TakenFrom,
    requests: watch::Receiver<Option<Request>>,
    clients: String,
    connections: Connections,
}

/// How the pool came to this process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakenFrom {
    /// The owner before; none if there was none.
    pub from: Option<String>,
    /// How long that one had been silent; zero if it had released the pool, or was a process of the same machine.
    pub silent: Duration,
    /// How long it took to make this process the owner.
    pub took: Duration,
}

impl Lease {
    /// Waits until this process may take the pool, and takes it. Returns nothing once `stop` is set. Errors that waiting cannot cure are
    /// returned. `on_loss` is called once if another process takes the pool later. Blocks.
    pub fn wait(
        database: &Database,
        candidacy: Candidacy,
        options: LeaseOptions,
        stop: &Arc<AtomicBool>,
        on_loss: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Option<Lease>> {
        let connections = Connections::start("pool-database", 1)?;
        let node = candidacy.node.clone();
        let waiting = Waiting {
            database: database.clone(),
            candidacy,
            options,
            stop: stop.clone(),
            instance: new_instance()?,
        };
        let Some(taken) = connections.run(waiting.run())? else { return Ok(None) };
        let Taken { owned, began, from, clients } = taken;
        let tenure = Arc::<Tenure>::default();
        tenure.extend(began, options.valid);
        let (asked, requests) = watch::channel(None);
        let renewing = Renewing {
            database: database.clone(),
            instance: owned.instance.clone(),
            options,
            tenure: tenure.clone(),
            asked,
            on_loss: Box::new(on_loss),
        };
        connections.leave(renewing.run());
        Ok(Some(Lease {
            database: database.clone(),
            owned,
            node,
            tenure,
            from,
            requests,
            clients,
            connections,
        }))
    }

    /// The pool's row, for opening its metadata.
    pub fn owned(&self) -> Owned {
        self.owned.clone()
    }

    /// Whether this process may answer.
    pub fn tenure(&self) -> Arc<Tenure> {
        self.tenure.clone()
    }

    /// How the pool came to this process.
    pub fn taken_from(&self) -> &TakenFrom {
        &self.from
    }

    /// The last request in the database that this process hands the pool over.
    pub fn requests(&self) -> watch::Receiver<Option<Request>> {
        self.requests.clone()
    }

    /// What the owner before told of its clients; empty if nothing.
    pub fn inherited_clients(&self) -> &str {
        &self.clients
    }

    /// Where this owner tells the next one about its clients.
    pub fn clients(&self) -> Result<Arc<Clients>> {
        Clients::of(&self.database, &self.owned.instance)
    }

    /// Records for others how long this process took to open the pool, and to get its addresses. Does not wait for it.
    pub fn serving(&self, open_ms: u64, address_ms: u64) {
        let count = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
        let (open_ms, address_ms) = (count(open_ms), count(address_ms));
        let (database, instance) = (self.database.clone(), self.owned.instance.clone());
        let writing = async move {
            let bare = Bare::open(&database, &instance, Role::Lease).await?;
            let failed = |error| refused(&database, &error);
            bare.client.batch_execute(RENEWALS).await.map_err(failed)?;
            let statement = "update lease set open_ms = $2, address_ms = $3 where instance = $1";
            bare.client.execute(statement, &[&instance, &open_ms, &address_ms]).await.map_err(failed)
        };
        self.connections.leave(async move {
            match tokio::time::timeout(RECORD_MAX, writing).await {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => {
                    tracing::warn!(%error, "the database does not show that this node serves the pool");
                }
                Err(_) => {
                    tracing::warn!("the database does not show that this node serves the pool: no answer")
                }
            }
        });
    }

    /// Lets others take the pool at once. The pool must be closed. Blocks.
    pub fn release(self, leaving: Leaving) -> Result<()> {
        let (reserved_for, avoided, time) = match leaving {
            Leaving::Stopped => (String::new(), String::new(), Duration::ZERO),
            Leaving::Released => (String::new(), name_of(&self.node).to_owned(), AVOIDED),
            Leaving::MovedTo(node) => (node, String::new(), RESERVED),
        };
        let (database, instance) = (self.database.clone(), self.owned.instance.clone());
        self.connections.run(async move {
            let bare = Bare::open(&database, &instance, Role::Lease).await?;
            let failed = |error| refused(&database, &error);
            bare.client.batch_execute("set default_transaction_read_only to off").await.map_err(failed)?;
            let statement = "update lease set released = true, renewed = clock_timestamp(), reserved_for = $2, avoided = $3, \
                             reserved_until = clock_timestamp() + make_interval(secs => $4) where instance = $1";
            let seconds = time.as_secs_f64();
            let values: [&(dyn ToSql + Sync); 4] = [&instance, &reserved_for, &avoided, &seconds];
            bare.client.execute(statement, &values).await.map_err(failed)?;
            Ok(())
        })
    }
}

/// A candidate.
struct Waiting {
    database: Database,
    candidacy: Candidacy,
    options: LeaseOptions,
    stop: Arc<AtomicBool>,
    instance: String,
}

struct Taken {
    owned: Owned,
    /// When the takeover began.
    began: Duration,
    from: TakenFrom,
    clients: String,
}

impl Waiting {
    async fn run(self) -> Result<Option<Taken>> {
        let mut watch = Watch::new(self.silence());
        let mut session: Option<Bare> = None;
        let mut has_looked = false;
        let mut told: Option<String> = None;
        while !self.stop.load(Ordering::Acquire) {
            match tokio::time::timeout(self.options.silence, self.look(&mut session, &mut watch, &mut told))
                .await
            {
                Ok(Ok(Some(taken))) => {
                    self.withdraw(session).await;
                    return Ok(Some(taken));
                }
                Ok(Ok(None)) => {
                    has_looked = true;
                    self.note(&mut session).await;
                }
                // What never worked is a mistake of the operator, not an outage.
                Ok(Err(error)) if !has_looked => return Err(error),
                Ok(Err(error)) => {
                    tracing::warn!(%error, "cannot look at the lease; looking again");
                    session = None;
                    watch.failed();
                }
                Err(_) => {
                    tracing::warn!("the database does not answer; looking at the lease again");
                    session = None;
                    watch.failed();
                }
            }
            tokio::time::sleep(self.options.period).await;
        }
        self.withdraw(session).await;
        Ok(None)
    }

    /// How long the owner must be silent.
    fn silence(&self) -> Duration {
        self.options.silence + PRIORITY_STEP.saturating_mul(self.candidacy.priority)
    }

    /// Writes the candidate's row. A failure delays nothing: the row is only shown.
    async fn note(&self, kept: &mut Option<Bare>) {
        let Some(session) = kept else { return };
        let Candidacy { node, priority, .. } = &self.candidacy;
        let noted = candidates::note(&session.client, &self.instance, node, *priority);
        match tokio::time::timeout(NOTE_MAX, noted).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "the database does not show that this node waits"),
            // The next look connects again.
            Err(_) => *kept = None,
        }
    }

    async fn withdraw(&self, session: Option<Bare>) {
        let Some(session) = session else { return };
        let withdrawn = candidates::withdraw(&session.client, &self.instance);
        match tokio::time::timeout(NOTE_MAX, withdrawn).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "the database shows for a while that this node waits"),
            Err(_) => tracing::debug!("the database shows for a while that this node waits"),
        }
    }

    async fn look(
        &self,
        kept: &mut Option<Bare>,
        watch: &mut Watch,
        told: &mut Option<String>,
    ) -> Result<Option<Taken>> {
        let session = match kept.take() {
            Some(session) => session,
            None => {
                let session = Bare::open(&self.database, &self.instance, Role::Lease).await?;
                schema::bring_up_to_date(&self.database, &session.client).await?;
                session
            }
        };
        let began = boottime();
        let seen = Seen::read(&self.database, &session).await?;
        let is_silent = watch.saw(&seen.instance, seen.renewals, began);
        let claim = self.claim(&seen, is_silent);
        let taken = if claim.may_take() {
            let silent =
                if is_silent && !seen.released && !claim.was_here { self.silence() } else { Duration::ZERO };
            self.take(&seen, &session, claim.is_ours, silent, began).await?
        } else {
            if told.as_ref() != Some(&seen.node) {
                tracing::info!(owner = name_of(&seen.node), "waiting: another node serves the pool");
                *told = Some(seen.node);
            }
            None
        };
        *kept = Some(session);
        Ok(taken)
    }

    fn claim<'a>(&'a self, seen: &'a Seen, is_silent: bool) -> Claim<'a> {
        Claim {
            node: name_of(&self.candidacy.node),
            is_ours: seen.instance == self.instance,
            was_here: self.candidacy.restarts && seen.node == self.candidacy.node,
            is_silent,
            released: seen.released,
            reserved_for: &seen.reserved_for,
            avoided: &seen.avoided,
            silenced: if seen.was_silent { name_of(&seen.taken_from) } else { "" },
            since: seen.since,
        }
    }

    async fn take(
        &self,
        seen: &Seen,
        session: &Bare,
        is_ours: bool,
        silent: Duration,
        began: Duration,
    ) -> Result<Option<Taken>> {
        let takeover = Takeover {
            node: &self.candidacy.node,
            from: &seen.node,
            how: if silent.is_zero() { "" } else { SILENT },
            silent_ms: i64::try_from(silent.as_millis()).unwrap_or(i64::MAX),
        };
        let Some(owned) = seen.take(&self.database, session, &self.instance, &takeover).await? else {
            return Ok(None);
        };
        // If an answer was lost, the owner before is the one that the earlier try has recorded.
        let (from, silent) = match (is_ours, seen.was_silent) {
            (false, _) => (&seen.node, silent),
            (true, true) => (&seen.taken_from, self.silence()),
            (true, false) => (&seen.taken_from, Duration::ZERO),
        };
        let from = TakenFrom {
            from: (!from.is_empty()).then(|| from.clone()),
            silent,
            took: boottime().saturating_sub(began),
        };
        Ok(Some(Taken { owned, began, from, clients: clients::told(session).await }))
    }
}

/// Renews the lease until it is lost.
struct Renewing {
    database: Database,
    instance: String,
    options: LeaseOptions,
    tenure: Arc<Tenure>,
    asked: watch::Sender<Option<Request>>,
    on_loss: Box<dyn Fn(&str) + Send + Sync>,
}

impl Renewing {
    async fn run(self) {
        let mut kept: Option<Bare> = None;
        let mut ticks = tokio::time::interval(self.options.period);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        for count in 1_u64.. {
            ticks.tick().await;
            let renewed = tokio::time::timeout(self.options.valid, self.renew(&mut kept)).await;
            match renewed {
                Ok(Ok(None)) if count.is_multiple_of(TIDY_EVERY) => self.tidy(&mut kept).await,
                Ok(Ok(None)) => {}
                Ok(Ok(Some(owner))) => {
                    self.tenure.lose();
                    (self.on_loss)(&owner);
                    return;
                }
                Ok(Err(error)) => {
                    tracing::warn!(%error, "the lease was not renewed; trying again");
                    self.tenure.failed();
                    kept = None;
                }
                Err(_) => {
                    tracing::warn!("the database did not answer; renewing the lease again");
                    self.tenure.failed();
                    kept = None;
                }
            }
        }
    }

    /// A failure delays nothing.
    async fn tidy(&self, kept: &mut Option<Bare>) {
        let Some(session) = kept else { return };
        let is_done = tokio::time::timeout(self.options.period, candidates::tidy(&session.client)).await;
        if is_done.is_err() {
            *kept = None;
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
        let statement = "update lease set renewals = renewals + 1, renewed = clock_timestamp() where instance = $1 and not released \
                         returning coalesce(asked > clock_timestamp() - interval '30 s', false), asked_for, asked_by";
        if let Some(row) = session.client.query_opt(statement, &[&self.instance]).await.map_err(failed)? {
            self.tenure.extend(began, self.options.valid);
            let (to, by): (String, String) =
                (row.try_get(1).map_err(failed)?, row.try_get(2).map_err(failed)?);
            let is_asked: bool = row.try_get(0).map_err(failed)?;
            let request = is_asked.then(|| Request { to: (!to.is_empty()).then_some(to), by });
            self.asked.send_if_modified(|known| std::mem::replace(known, request.clone()) != request);
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
