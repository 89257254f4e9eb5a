//! The simulation of the lease: random histories of machines, a database, and clients that ask every machine.
//!
//! The loops of the owner and of the candidates are those of production ([`crate::renewing`], [`crate::waiting`]), with all their rules. Time, the
//! database, the network and the daemon around the loops are simulated:
//!
//! ```text
//!   history   what happens to machines and to the database; whether somebody serves the pool when it must be served, and the right one
//!     client    reads and writes registers, at machines that have the pool and at machines that had it; never learns less than any client knows
//!     daemon    waits for the lease, serves, releases it, to a node if asked, ends when it is replaced, starts again
//!       machine   a clock that is fast or slow, a priority; a process that is stopped anywhere, killed, or cut off from the database
//!     database  the rows: lease, epoch, registers; messages that are late, lost, or carried out with the answer lost
//! ```
//! What is stored is fenced by the epoch, as in production. So a history shows a stale answer only if an owner answers after it was replaced. All time is
//! that of a paused tokio runtime with one thread, so a seed is a history.

mod client;
mod daemon;
mod database;
mod history;
mod machine;
mod random;
mod tests;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use self::database::Rows;
use self::machine::Machine;
use self::random::Random;

/// What is wrong on purpose: a rule that is left out. The histories must show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mistake {
    None,
    /// Answers are not held while the lease is not valid.
    AnswersNotHeld,
    /// A candidate waits for 1.5 s, and the owner answers for 2.5 s.
    ShortSilence,
    /// The owner answers for 2.5 s after the *end* of a renewal.
    ValidFromEnd,
    /// A candidate counts the silence from the beginning of the first look, and not from its answer.
    SilentFromBeginning,
    /// Commits do not look at the epoch.
    NoFence,
    /// Candidates do not ask for whom a released pool is reserved.
    NotReserved,
}

/// What a history may find.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Failure {
    /// A client was told less than a client was told before it asked.
    Stale(String),
    /// A process would have answered while another one had the pool.
    TwoOwners(String),
    /// Nobody served the pool in time.
    NotServed(String),
    /// A process took the pool although its owner could have gone on.
    Needless(String),
    /// Another node than the right one took the pool.
    WrongNode(String),
}

/// The registers that clients read and write.
const REGISTERS: usize = 2;

/// How long messages take, and how many of a thousand of them are late or lost.
#[derive(Clone, Copy, Debug, Default)]
struct Network {
    late: u64,
    lost: u64,
    /// The most that a message is late, in milliseconds.
    late_ms_max: u64,
    /// How many of a thousand steps of a process take up to seven seconds.
    stalled: u64,
    /// How many of a thousand looks at the lease reach the database more than a second late.
    slow_looks: u64,
}

/// What all parts of a history share.
struct World {
    begun: Instant,
    mistake: Mistake,
    random: Mutex<Random>,
    network: Mutex<Network>,
    rows: Mutex<Rows>,
    machines: Vec<Arc<Machine>>,
    /// What clients know of each register: the newest version that one of them was told.
    known: Mutex<[u64; REGISTERS]>,
    counts: Mutex<Counts>,
    failure: Mutex<Option<Failure>>,
}

/// What happened in histories, to show that they mean something.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    takeovers: u64,
    by_silence: u64,
    answers: u64,
    /// Answers that were held, as the lease was not valid.
    held: u64,
    /// Processes that learnt that they were replaced.
    deposed: u64,
}

impl World {
    fn random<T>(&self, draw: impl FnOnce(&mut Random) -> T) -> T {
        draw(&mut self.random.lock().unwrap())
    }

    fn network(&self) -> Network {
        *self.network.lock().unwrap()
    }

    fn count(&self, add: impl FnOnce(&mut Counts)) {
        add(&mut self.counts.lock().unwrap());
    }

    /// Notes what was found. The first finding is kept, except that a stale answer says more than that it could have been given.
    fn fail(&self, failure: impl FnOnce(String) -> Failure, what: &str) {
        let failure = failure(format!("after {:.3} s: {what}", self.begun.elapsed().as_secs_f64()));
        let mut known = self.failure.lock().unwrap();
        let is_stale = matches!(failure, Failure::Stale(_));
        if known.is_none() || (is_stale && !matches!(*known, Some(Failure::Stale(_)))) {
            *known = Some(failure);
        }
    }

    fn found(&self) -> Option<Failure> {
        self.failure.lock().unwrap().clone()
    }

    /// How long a message takes.
    fn delay(&self) -> Duration {
        let network = self.network();
        self.random(|random| {
            if random.permille(network.late) {
                random.time(100, network.late_ms_max.max(100))
            } else {
                random.time(1, 15)
            }
        })
    }

    fn is_lost(&self) -> bool {
        let lost = self.network().lost;
        self.random(|random| random.permille(lost))
    }

    /// A moment in which a process may be stopped, whatever it is doing.
    async fn step(&self) {
        let stalled = self.network().stalled;
        let time =
            self.random(
                |random| {
                    if random.permille(stalled) { random.time(100, 7000) } else { random.time(0, 2) }
                },
            );
        tokio::time::sleep(time).await;
    }
}
