//! The database: its rows, and messages to it.

use std::sync::Arc;
use std::time::Duration;

use forebay_pool::{Error, Result};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::machine::Machine;
use super::random::Random;
use super::{Mistake, REGISTERS, World};
use crate::claim::{AVOIDED, RESERVED, name_of};
use crate::lease::{Leaving, Request};
use crate::ownership::{Owned, PoolRow, Seen, Takeover};
use crate::refusal::{Attempt, Refusal};
use crate::rows::{LeaseStore, Renewed};
use crate::schema;
use crate::tenure::Exchange;

/// A request to hand the pool over counts for so long.
const ASKED: Duration = Duration::from_secs(30);
/// How long a message is answered by nothing, before the connection breaks.
const BROKEN_AFTER: Duration = Duration::from_secs(20);

/// The rows of the database.
pub(super) struct Rows {
    /// Grows with each start. Sessions of earlier starts are gone.
    starts: u64,
    away_until: Instant,
    pub(super) epoch: i64,
    owner: String,
    batch: i64,
    /// The version of each register: how often it was written.
    pub(super) registers: [u64; REGISTERS],
    pub(super) instance: String,
    node: String,
    renewals: i64,
    released: bool,
    /// The renewals at the last commit that was synced: a crash may lose those since.
    synced: i64,
    taken_from: String,
    was_silent: bool,
    since: Instant,
    /// An operator's request to the owner, and until when it counts.
    asked: Option<(Request, Instant)>,
    reserved_for: String,
    avoided: String,
    reserved_until: Instant,
}

impl Rows {
    pub(super) fn new() -> Rows {
        let now = Instant::now();
        Rows {
            starts: 0,
            away_until: now,
            epoch: 0,
            owner: String::new(),
            batch: 0,
            registers: [0; REGISTERS],
            instance: String::new(),
            node: String::new(),
            renewals: 0,
            released: true,
            synced: 0,
            taken_from: String::new(),
            was_silent: false,
            since: now,
            asked: None,
            reserved_for: String::new(),
            avoided: String::new(),
            reserved_until: now,
        }
    }

    /// It cannot be reached for so long.
    pub(super) fn go_away(&mut self, time: Duration) {
        self.away_until = Instant::now() + time;
    }

    /// It ends at once, and starts again after this time. `lost` of the renewals that were not synced are lost.
    pub(super) fn crash(&mut self, time: Duration, lost: u64) {
        self.starts += 1;
        self.renewals = (self.renewals - lost as i64).max(self.synced);
        self.go_away(time);
    }

    /// An operator asks the owner to hand the pool over.
    pub(super) fn ask(&mut self, to: Option<&str>) {
        let request = Request { to: to.map(str::to_owned), by: "operator".to_owned() };
        self.asked = Some((request, Instant::now() + ASKED));
    }

    fn is_away(&self) -> bool {
        Instant::now() < self.away_until
    }

    /// The node that has the pool, unless it has released it.
    pub(super) fn holder(&self) -> Option<&str> {
        (!self.released).then(|| name_of(&self.node))
    }

    fn seen(&self, mistake: Mistake) -> Seen {
        let while_reserved =
            |node: &String| if Instant::now() < self.reserved_until { node.clone() } else { String::new() };
        let pool = PoolRow {
            epoch: self.epoch,
            batch: self.batch,
            format: schema::FORMAT,
            owner: self.owner.clone(),
        };
        Seen {
            instance: self.instance.clone(),
            node: self.node.clone(),
            renewals: self.renewals,
            released: self.released,
            pool,
            taken_from: self.taken_from.clone(),
            was_silent: self.was_silent,
            since: self.since.elapsed(),
            reserved_for: match mistake {
                Mistake::NotReserved => String::new(),
                _ => while_reserved(&self.reserved_for),
            },
            avoided: while_reserved(&self.avoided),
        }
    }

    /// As `Seen::take`. `seen` is the epoch, the owner and the counter that the candidate has seen.
    fn take(
        &mut self,
        seen: &(i64, String, i64),
        instance: &str,
        node: &str,
        from: &str,
        is_silent: bool,
    ) -> Option<Owned> {
        if (self.epoch, &self.instance, self.renewals) != (seen.0, &seen.1, seen.2) {
            return None;
        }
        if self.instance != instance {
            self.epoch += 1;
            (self.taken_from, self.was_silent) = (from.to_owned(), is_silent);
            self.since = Instant::now();
        }
        (self.owner, self.instance, self.node) = (instance.to_owned(), instance.to_owned(), node.to_owned());
        self.renewals += 1;
        self.released = false;
        (self.asked, self.reserved_until) = (None, Instant::now());
        self.synced = self.renewals;
        Some(Owned { epoch: self.epoch, batch: self.batch, instance: instance.to_owned() })
    }

    fn renew(&mut self, instance: &str) -> Option<Renewed> {
        if self.instance != instance || self.released {
            return None;
        }
        self.renewals += 1;
        let asked = self.asked.as_ref().filter(|(_, until)| Instant::now() < *until);
        Some(Renewed {
            renewals: self.renewals,
            node: self.node.clone(),
            request: asked.map(|(request, _)| request.clone()),
        })
    }

    fn release(&mut self, instance: &str, leaving: Leaving) {
        if self.instance != instance {
            return;
        }
        self.released = true;
        self.synced = self.renewals;
        let (reserved_for, avoided, time) = match leaving {
            Leaving::Stopped => (String::new(), String::new(), Duration::ZERO),
            Leaving::Released => (String::new(), name_of(&self.node).to_owned(), AVOIDED),
            Leaving::MovedTo(node) => (node, String::new(), RESERVED),
        };
        (self.reserved_for, self.avoided) = (reserved_for, avoided);
        self.reserved_until = Instant::now() + time;
    }

    /// Commits a group that writes a register once, unless an earlier copy of the same message has. Returns the register's version; nothing if
    /// another process owns the pool.
    fn commit(&mut self, owned: &Owned, last: i64, register: usize, is_fenced: bool) -> Option<u64> {
        let is_owner = self.epoch == owned.epoch && self.owner == owned.instance;
        let has_committed = is_owner && self.batch == last + 1;
        if is_fenced && !(is_owner && (self.batch == last || has_committed)) {
            return None;
        }
        if !has_committed {
            self.batch = last + 1;
            self.registers[register] += 1;
            self.synced = self.renewals;
        }
        Some(self.registers[register])
    }
}

/// One process's way to the database.
pub(super) struct Access {
    pub(super) world: Arc<World>,
    pub(super) machine: Arc<Machine>,
    pub(super) instance: String,
}

/// A connection, to the database's start with this number.
pub(super) struct Session(u64);

fn broken() -> Error {
    Error::Meta("the connection is broken".into())
}

impl Access {
    pub(super) async fn connect(&self) -> Result<Session> {
        self.send(None, |rows| rows.starts).await.map(Session)
    }

    /// Sends a message, which changes rows or reads them, and returns the answer. Never ends if either is lost without notice. What was sent is
    /// carried out even if nobody waits for it any more.
    async fn ask<T: Send + 'static>(
        &self,
        session: &Session,
        change: impl FnOnce(&mut Rows) -> T + Send + 'static,
    ) -> Result<T> {
        self.send(Some(session.0), change).await
    }

    async fn send<T: Send + 'static>(
        &self,
        start: Option<u64>,
        change: impl FnOnce(&mut Rows) -> T + Send + 'static,
    ) -> Result<T> {
        let (world, machine) = (self.world.clone(), self.machine.clone());
        let (sender, answer) = oneshot::channel();
        tokio::spawn(async move {
            let carried_out = async {
                let (there, back) = (world.delay(), world.delay());
                let (is_lost, is_answer_lost) = (world.is_lost(), world.is_lost());
                let is_silent = |rows: &Rows| machine.is_cut() || rows.is_away();
                if is_lost || is_silent(&world.rows.lock().unwrap()) {
                    return None;
                }
                tokio::time::sleep(there).await;
                let done = {
                    let mut rows = world.rows.lock().unwrap();
                    if is_silent(&rows) || start.is_some_and(|start| start != rows.starts) {
                        return None;
                    }
                    change(&mut rows)
                };
                tokio::time::sleep(back).await;
                let is_away = is_silent(&world.rows.lock().unwrap());
                (!is_answer_lost && !is_away).then_some(done)
            };
            match carried_out.await {
                Some(done) => drop(sender.send(done)),
                None => {
                    // The other side says that the connection is gone, or nobody says anything for long.
                    let is_told = world.random(|random| random.permille(400));
                    tokio::time::sleep(if is_told { Duration::from_millis(5) } else { BROKEN_AFTER }).await;
                }
            }
        });
        let answered = answer.await.map_err(|_| broken());
        self.world.step().await;
        answered
    }

    /// Commits a group. Returns the register's version; nothing if another process owns the pool.
    pub(super) async fn commit(
        &self,
        session: &Session,
        owned: &Owned,
        last: i64,
        register: usize,
    ) -> Result<Option<u64>> {
        let (owned, is_fenced) = (owned.clone(), self.world.mistake != Mistake::NoFence);
        self.ask(session, move |rows| rows.commit(&owned, last, register, is_fenced)).await
    }

    /// Reads all registers.
    pub(super) async fn read(&self, session: &Session) -> Result<[u64; REGISTERS]> {
        self.ask(session, |rows| rows.registers).await
    }

    pub(super) async fn release(&self, session: &Session, leaving: Leaving) -> Result<()> {
        let instance = self.instance.clone();
        self.ask(session, move |rows| rows.release(&instance, leaving)).await
    }
}

impl LeaseStore for Access {
    type Session = Session;

    fn instance(&self) -> &str {
        &self.instance
    }

    fn now(&self) -> Duration {
        self.machine.now()
    }

    fn answered(&self, began: Duration) -> Exchange {
        let now = self.now();
        match self.world.mistake {
            Mistake::ValidFromEnd => Exchange { began: now, answered: now },
            Mistake::SilentFromBeginning => Exchange { began, answered: began },
            _ => Exchange { began, answered: now },
        }
    }

    async fn connect_to_wait(&self) -> Attempt<Session> {
        self.connect().await.map_err(Refusal::silent)
    }

    async fn connect_to_renew(&self) -> Result<Session> {
        self.connect().await
    }

    async fn look(&self, session: &Session) -> Attempt<Seen> {
        let (mistake, slow) = (self.world.mistake, self.world.network().slow_looks);
        let late = |random: &mut Random| {
            if random.permille(slow) { random.time(1500, 3000) } else { Duration::ZERO }
        };
        tokio::time::sleep(self.world.random(late)).await;
        self.ask(session, move |rows| rows.seen(mistake)).await.map_err(Refusal::silent)
    }

    async fn take(&self, session: &Session, seen: &Seen, takeover: &Takeover<'_>) -> Attempt<Option<Owned>> {
        let (node, from, is_silent) =
            (takeover.node.to_owned(), takeover.from.to_owned(), takeover.silent_ms > 0);
        let (instance, world) = (self.instance.clone(), self.world.clone());
        let as_seen = (seen.pool.epoch, seen.instance.clone(), seen.renewals);
        let taken = self.ask(session, move |rows| {
            let before = rows.epoch;
            let taken = rows.take(&as_seen, &instance, &node, &from, is_silent);
            world.count(|counts| {
                counts.takeovers += u64::from(rows.epoch > before);
                counts.by_silence += u64::from(rows.epoch > before && is_silent);
            });
            taken
        });
        taken.await.map_err(Refusal::silent)
    }

    async fn renew(&self, session: &Session) -> Result<Option<Renewed>> {
        let instance = self.instance.clone();
        self.ask(session, move |rows| rows.renew(&instance)).await
    }

    async fn note(&self, session: &Session, _: &str, _: u32) -> Result<()> {
        self.ask(session, |_| ()).await
    }

    async fn withdraw(&self, session: &Session) -> Result<()> {
        self.ask(session, |_| ()).await
    }

    async fn tidy(&self, session: &Session) -> Result<()> {
        self.ask(session, |_| ()).await
    }

    async fn told(&self, session: &Session) -> String {
        // Without an answer nothing is known of the clients.
        let _ = self.ask(session, |_| ()).await;
        String::new()
    }
}
