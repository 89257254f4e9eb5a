//! Waits until a pool may be taken, and claims it.

use std::fs::File;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};

use crate::connections::{self, Connections};
use crate::directory::require_pool;
use crate::holder::{Holder, OnLoss};
use crate::owner::{Node, Owner, OwnerError, Phase, Takeover, now};
use crate::probe::{Probe, is_reachable};
use crate::watch::{PERIOD, Verdict, Watch, Witness};

/// The lock of the standby that is about to fence and claim.
const CLAIM_FILE: &str = "CLAIM";
/// The pool's own lock.
const LOCK_FILE: &str = "LOCK";
/// After a fence, the old owner must not write for so long.
const STILL: Duration = Duration::from_millis(700);
/// How long a dead owner's lock may take to be free.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);
/// A node that released the pool leaves it to the others for so long.
const YIELD: u64 = 10;
/// After a fence that failed, the next one is tried after this.
const FENCE_PAUSE: Duration = Duration::from_secs(5);
/// How often what does not change is logged again.
const REPEAT: Duration = Duration::from_secs(60);

/// A machine that waits for a pool.
#[derive(Clone, Debug)]
pub struct Standby {
    /// The pool's directory.
    pub directory: PathBuf,
    /// This machine.
    pub node: Node,
    /// An address that answers, or refuses connections, whenever this machine's network works: a gateway, or another server.
    pub witness: Option<SocketAddr>,
}

/// The right to open the pool. The other standbys wait until it is dropped.
#[derive(Debug)]
pub struct Claim {
    directory: PathBuf,
    owner: Owner,
    connections: Connections,
    _lock: File,
}

/// Why a standby cannot take the pool.
#[derive(Debug, thiserror::Error)]
pub enum StandbyError {
    /// The owner's file cannot be used.
    #[error(transparent)]
    Owner(#[from] OwnerError),
    /// The lock of a claim cannot be taken.
    #[error("cannot lock {}: {source}", file.display())]
    Claim {
        /// The lock file.
        file: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The owner writes after it was fenced.
    #[error(
        "the fence program said that node {0} cannot write any more, and it still does: mend the program; the pool was not opened"
    )]
    FenceLied(String),
    /// The two machines have different directories.
    #[error(
        "node {0} answers clients, but what it writes to {1} is not seen here: the file system is mounted on both nodes and is \
         none for that, or it is another one; the pool will not be taken"
    )]
    NotShared(String, String),
}

impl Claim {
    /// Makes this process the owner, visibly. `on_loss` is called if another machine takes the pool: the process must end at once then.
    pub fn hold(self, on_loss: impl Fn(&Owner) + Send + Sync + 'static) -> Result<Holder, OwnerError> {
        let on_loss: OnLoss = Box::new(on_loss);
        Holder::begin(self.directory, self.owner, on_loss)
    }

    /// The connections of clients to the last owner. Some may no longer exist, and some may be missing.
    pub fn connections(&self) -> &Connections {
        &self.connections
    }

    /// How the pool came to this process.
    pub fn takeover(&self) -> &Takeover {
        &self.owner.takeover
    }
}

/// What a standby does next.
enum Step {
    Wait,
    Take { silent: Duration, fence: bool },
    Refuse(StandbyError),
}

impl Standby {
    /// Waits until the pool may be taken, and claims it. `fence` must end the owner's writing, or fail. Returns at once if nobody owns the
    /// pool, or if a process of this machine did that is dead.
    pub async fn wait<F, E>(&self, fence: impl Fn(Owner) -> F) -> Result<Claim, StandbyError>
    where
        F: Future<Output = Result<(), E>>,
        E: std::fmt::Display,
    {
        let begun = Instant::now();
        let mut watch = Watch::new(Duration::ZERO);
        let mut probe: Option<Probe> = None;
        let mut told = Told::default();
        let mut timer = tokio::time::interval(PERIOD);
        timer.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            timer.tick().await;
            let found = match require_pool(&self.directory) {
                Ok(()) => Owner::read(&self.directory).map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            };
            let owner = match found {
                Ok(owner) => owner,
                Err(error) => {
                    watch.blind(begun.elapsed());
                    told.warn(&error);
                    continue;
                }
            };
            let step = match &owner {
                None => Step::Take { silent: Duration::ZERO, fence: false },
                Some(owner) => self.look(owner, &mut watch, &mut probe, begun.elapsed(), &mut told).await,
            };
            let (silent, needs_fence) = match step {
                Step::Wait => continue,
                Step::Refuse(error) => return Err(error),
                Step::Take { silent, fence } => (silent, fence),
            };
            let Some(lock) = self.try_claim()? else { continue };
            // Another standby may have taken the pool before the lock was free.
            let again = Owner::read(&self.directory)?;
            if again.as_ref().map(|owner| &owner.instance) != owner.as_ref().map(|owner| &owner.instance) {
                continue;
            }
            let fenced = match (&owner, needs_fence) {
                (Some(owner), true) => {
                    if !watch.has_seen_rise(owner) {
                        told.warn(&format!(
                            "node {} had the pool and is silent since before this start, so it is not known whether this directory shows \
                             what it wrote last; make sure that it is off and that this file system was mounted after that, and remove {}",
                            owner.node.name,
                            self.directory.join("OWNER").display()
                        ));
                        continue;
                    }
                    tracing::warn!(node = %owner.node.name, ?silent, "the owner of the pool is silent and will be fenced");
                    let fencing = Instant::now();
                    if let Err(error) = fence(owner.clone()).await {
                        tracing::error!(node = %owner.node.name, %error, "the owner was not fenced, so the pool cannot be taken");
                        drop(lock);
                        tokio::time::sleep(FENCE_PAUSE).await;
                        continue;
                    }
                    let took = fencing.elapsed();
                    self.require_stillness(owner).await?;
                    Some(took)
                }
                _ => None,
            };
            // Tried only under the claim, so that it never gets in the way of one who has claimed the pool and opens it.
            let is_free = if fenced.is_some() { self.lock_gets_free().await } else { self.lock_is_free() };
            match &owner {
                _ if is_free => {}
                Some(owner) if fenced.is_some() => {
                    return Err(StandbyError::FenceLied(owner.node.name.clone()));
                }
                _ => {
                    told.info("another process has the pool open");
                    continue;
                }
            }
            let takeover = Takeover {
                from: owner.map(|owner| owner.node.name),
                silent_ms: milliseconds(silent),
                fence_ms: fenced.map(milliseconds),
                open_ms: None,
                address_ms: None,
            };
            let owner = Owner::new(self.node.clone(), takeover)?;
            let connections = connections::read(&self.directory);
            return Ok(Claim { directory: self.directory.clone(), owner, connections, _lock: lock });
        }
    }

    async fn look(
        &self,
        owner: &Owner,
        watch: &mut Watch,
        probe: &mut Option<Probe>,
        now_is: Duration,
        told: &mut Told,
    ) -> Step {
        let is_own_name = owner.node.name == self.node.name;
        if owner.phase == Phase::Released {
            let yields = is_own_name && owner.moves && now().saturating_sub(owner.since) < YIELD;
            return if yields { Step::Wait } else { Step::Take { silent: Duration::ZERO, fence: false } };
        }
        // A process of this machine, which is dead if the pool's lock is free.
        if owner.node == self.node {
            return Step::Take { silent: Duration::ZERO, fence: false };
        }
        let answers = match owner.address {
            None => None,
            Some(address) => {
                if probe.as_ref().is_none_or(|probe| probe.address() != address) {
                    *probe = Some(Probe::new(address));
                }
                match probe {
                    Some(probe) => Some(probe.answers().await),
                    None => None,
                }
            }
        };
        let witness = match (answers, self.witness) {
            (Some(true), _) | (_, None) => Witness::None,
            (_, Some(witness)) if is_reachable(witness).await => Witness::Answers,
            _ => Witness::Silent,
        };
        let node = &owner.node.name;
        match watch.look(now_is, owner, answers, witness) {
            Verdict::Alive => {
                let seen = if watch.has_seen_rise(owner) { ", and what it writes is seen here" } else { "" };
                told.info(&format!("node {node} has the pool{seen}"));
                Step::Wait
            }
            Verdict::Unproved(silent) => {
                told.warn(&format!(
                    "node {node} has not answered over the network for {:.1} s, and {}",
                    silent.as_secs_f64(),
                    match witness {
                        Witness::Silent => "neither does the witness: the network of this node is suspected",
                        _ => "still writes to the directory: configure a witness to tell whose network has failed",
                    }
                ));
                Step::Wait
            }
            Verdict::NotShared => {
                Step::Refuse(StandbyError::NotShared(node.clone(), self.directory.display().to_string()))
            }
            // This machine has started anew, so its process is dead.
            Verdict::Suspect(silent) if is_own_name => Step::Take { silent, fence: false },
            Verdict::Suspect(silent) => Step::Take { silent, fence: true },
        }
    }

    /// The lock of the one standby that may fence, if it is free.
    fn try_claim(&self) -> Result<Option<File>, StandbyError> {
        let file = self.directory.join(CLAIM_FILE);
        let fails = |source| StandbyError::Claim { file: file.clone(), source };
        let lock = File::options().read(true).write(true).create(true).truncate(false).open(&file);
        let lock = lock.map_err(fails)?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(lock)),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(fails(error.into())),
        }
    }

    /// Whether no process has the pool open, as far as locks tell.
    fn lock_is_free(&self) -> bool {
        match File::open(self.directory.join(LOCK_FILE)) {
            Ok(lock) => flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }

    async fn lock_gets_free(&self) -> bool {
        let begun = Instant::now();
        while !self.lock_is_free() {
            if begun.elapsed() > LOCK_PATIENCE {
                return false;
            }
            tokio::time::sleep(PERIOD / 10).await;
        }
        true
    }

    /// A fenced owner writes no more.
    async fn require_stillness(&self, owner: &Owner) -> Result<(), StandbyError> {
        let before = Owner::read(&self.directory)?;
        tokio::time::sleep(STILL).await;
        if Owner::read(&self.directory)? == before {
            Ok(())
        } else {
            Err(StandbyError::FenceLied(owner.node.name.clone()))
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// What was logged last, so that nothing is repeated twice a second.
#[derive(Default)]
struct Told(Option<(String, Instant)>);

impl Told {
    fn is_new(&mut self, what: &str) -> bool {
        // Times differ each time.
        let key: String = what.chars().filter(|letter| !letter.is_ascii_digit()).collect();
        let is_known = self.0.as_ref().is_some_and(|(last, at)| *last == key && at.elapsed() < REPEAT);
        if !is_known {
            self.0 = Some((key, Instant::now()));
        }
        !is_known
    }

    fn info(&mut self, what: &str) {
        if self.is_new(what) {
            tracing::info!("standby: {what}");
        }
    }

    fn warn(&mut self, what: &str) {
        if self.is_new(what) {
            tracing::warn!("standby: {what}");
        }
    }
}
