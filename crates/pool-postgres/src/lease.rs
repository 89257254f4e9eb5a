//! The lease: who may answer clients, and when another process may take the pool.
//!
//! The owner raises a counter in the database twice a second. What it has read may be answered for 2.5 s after it *began* the last renewal that
//! succeeded. A candidate takes the pool when it has seen the counter stand still for 3.5 s of its own clock, in which every look at the
//! database succeeded. So a database that is away is no reason to take a pool, and an owner that is cut off from the database answers no more
//! when it is replaced, as long as no clock runs 1.4 times as fast as another.
//!
//! The lease does not protect what is stored: commit groups are fenced by the pool's epoch, and need no clock.
//!
//! `tenure.rs` and `claim.rs` have the rules, `renewing.rs` and `waiting.rs` the loops that follow them. The simulation (`sim`) runs these loops.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use forebay_pool::Result;
use forebay_pool::store::Connections;
use tokio::sync::watch;
use tokio_postgres::types::ToSql;

use crate::claim::{AVOIDED, RESERVED, name_of};
use crate::clients::Clients;
use crate::database::Database;
use crate::ownership::{Owned, new_instance};
use crate::renewing::Renewing;
use crate::rows::{NOTE_MAX, NOTES, PostgresLease};
use crate::session::{Bare, Role, limited, refused};
use crate::tenure::Tenure;
use crate::waiting::{Taken, Waiting};

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

/// The pause before a note that failed is written again.
const NOTE_PAUSE: Duration = Duration::from_secs(5);

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
        let store = Arc::new(PostgresLease { database: database.clone(), instance: new_instance()? });
        let waiting = Waiting { store: store.clone(), candidacy, options, stop: stop.clone() };
        let Some(taken) = connections.run(waiting.run())? else { return Ok(None) };
        let Taken { owned, takeover, from, clients } = taken;
        let renewing = Renewing::new(store, options, takeover, on_loss);
        let (tenure, requests) = (renewing.tenure.clone(), renewing.asked.subscribe());
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

    /// The list of clients that the owner before has left; empty if there is none.
    pub fn inherited_clients(&self) -> &str {
        &self.clients
    }

    /// Where this owner tells the next one about its clients.
    pub fn clients(&self) -> Result<Arc<Clients>> {
        Clients::of(&self.database, &self.owned.instance)
    }

    /// Records for others how long this process took to open the pool, and to get its addresses. Does not wait for it: it is tried until it succeeds, or the
    /// lease is lost or dropped.
    pub fn serving(&self, open_ms: u64, address_ms: u64) {
        let count = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
        let (open_ms, address_ms) = (count(open_ms), count(address_ms));
        let (database, instance) = (self.database.clone(), self.owned.instance.clone());
        let tenure = self.tenure.clone();
        self.connections.leave(async move {
            let mut is_told = false;
            loop {
                let noting = note_serving(&database, &instance, open_ms, address_ms);
                let cause = match tokio::time::timeout(NOTE_MAX, noting).await {
                    Ok(Ok(())) => return,
                    Ok(Err(error)) => error.to_string(),
                    Err(_) => "no answer".to_owned(),
                };
                if !std::mem::replace(&mut is_told, true) {
                    tracing::warn!(
                        cause,
                        "the database does not show yet that this node serves the pool; trying again"
                    );
                }
                tokio::time::sleep(NOTE_PAUSE).await;
                if tenure.is_lost() {
                    return;
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
        let releasing = async move {
            let bare = Bare::open(&database, &instance, Role::Lease).await?;
            let failed = |error| refused(&database, &error);
            bare.client.batch_execute("set default_transaction_read_only to off").await.map_err(failed)?;
            let statement = "update lease set released = true, renewed = clock_timestamp(), reserved_for = $2, avoided = $3, \
                             reserved_until = clock_timestamp() + make_interval(secs => $4) where instance = $1";
            let seconds = time.as_secs_f64();
            let values: [&(dyn ToSql + Sync); 4] = [&instance, &reserved_for, &avoided, &seconds];
            bare.client.execute(statement, &values).await.map_err(failed)?;
            Ok(())
        };
        let database = self.database.clone();
        self.connections.run(async move { limited(&database, NOTE_MAX, releasing).await })
    }
}

async fn note_serving(database: &Database, instance: &str, open_ms: i64, address_ms: i64) -> Result<()> {
    let bare = Bare::open(database, instance, Role::Lease).await?;
    let failed = |error| refused(database, &error);
    bare.client.batch_execute(NOTES).await.map_err(failed)?;
    let statement = "update lease set open_ms = $2, address_ms = $3 where instance = $1";
    bare.client.execute(statement, &[&instance, &open_ms, &address_ms]).await.map_err(failed)?;
    Ok(())
}
