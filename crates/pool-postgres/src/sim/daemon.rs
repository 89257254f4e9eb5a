//! The daemon around the lease: a server that answers from memory, and commits to the database.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::timeout;

use super::database::{Access, Session};
use super::machine::{Machine, Process};
use super::{Failure, Mistake, REGISTERS, World};
use crate::lease::{Candidacy, LeaseOptions, Leaving};
use crate::ownership::Owned;
use crate::renewing::Renewing;
use crate::tenure::Tenure;
use crate::waiting::Waiting;

/// How long the daemon waits for an answer of the database, except for the lease.
const ANSWER_MAX: Duration = Duration::from_secs(3);
/// How often it looks whether a held answer may be sent.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A request of a client.
#[derive(Clone, Copy, Debug)]
pub(super) enum Request {
    Read(usize),
    Write(usize),
}

impl Request {
    pub(super) fn register(self) -> usize {
        match self {
            Request::Read(register) | Request::Write(register) => register,
        }
    }
}

/// An open pool.
pub(super) struct Server {
    access: Arc<Access>,
    process: Arc<Process>,
    tenure: Arc<Tenure>,
    owned: Owned,
    /// The versions of the registers, as far as this process knows them.
    registers: Mutex<[u64; REGISTERS]>,
    /// The last batch. One group is committed at a time.
    last: tokio::sync::Mutex<i64>,
    is_closed: AtomicBool,
}

impl Server {
    /// The answer to a request: the version of its register. Nothing if the daemon does not answer.
    pub(super) async fn answer(&self, request: Request) -> Option<u64> {
        let world = &self.access.world;
        world.step().await;
        let version = match request {
            Request::Read(register) => self.registers.lock().unwrap()[register],
            Request::Write(register) => self.write(register).await?,
        };
        world.step().await;
        self.permitted().await?;
        world.step().await;
        Some(version)
    }

    /// Returns when an answer may be sent that was computed before the call. Nothing if it may not be sent any more.
    async fn permitted(&self) -> Option<()> {
        let Access { world, machine, .. } = &*self.access;
        let mut is_held = false;
        while world.mistake != Mistake::AnswersNotHeld && !self.tenure.holds_at(machine.now()) {
            world.count(|counts| counts.held += u64::from(!is_held));
            is_held = true;
            tokio::time::sleep(LOOK_EVERY).await;
        }
        if self.is_closed.load(Ordering::Relaxed) {
            return None;
        }
        let owner = world.rows.lock().unwrap().instance.clone();
        if owner != self.access.instance {
            world.fail(
                Failure::TwoOwners,
                &format!("{} answers, and {owner} has the pool", self.access.instance),
            );
        }
        Some(())
    }

    async fn write(&self, register: usize) -> Option<u64> {
        let mut last = self.last.lock().await;
        let mut kept = None;
        loop {
            match timeout(ANSWER_MAX, self.commit(&mut kept, *last, register)).await {
                Ok(Ok(Some(version))) => {
                    *last += 1;
                    self.registers.lock().unwrap()[register] = version;
                    return Some(version);
                }
                Ok(Ok(None)) => {
                    self.process.end();
                    return None;
                }
                // Perhaps it was committed. The same group is sent again.
                Ok(Err(_)) | Err(_) => {
                    kept = None;
                    tokio::time::sleep(LOOK_EVERY).await;
                }
            }
        }
    }

    async fn commit(
        &self,
        kept: &mut Option<Session>,
        last: i64,
        register: usize,
    ) -> forebay_pool::Result<Option<u64>> {
        let session = match kept.take() {
            Some(session) => session,
            None => self.access.connect().await?,
        };
        self.access.commit(kept.insert(session), &self.owned, last, register).await
    }
}

/// Runs daemons on this machine, one after the other.
pub(super) async fn run(world: Arc<World>, machine: Arc<Machine>, options: LeaseOptions) {
    for start in 0.. {
        while !machine.may_start() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        let process = machine.start();
        let instance = format!("{}{start}", machine.name);
        let access = Arc::new(Access { world: world.clone(), machine: machine.clone(), instance });
        let living = live(access, process.clone(), options);
        tokio::select! {
            biased;
            () = process.ended.notified() => {}
            _ = machine.run(&process, living) => {}
        }
        process.end();
        machine.serve(None);
        tokio::time::sleep(world.random(|random| random.time(50, 1500))).await;
    }
}

/// The life of a process.
async fn live(access: Arc<Access>, process: Arc<Process>, options: LeaseOptions) {
    let (world, machine) = (access.world.clone(), access.machine.clone());
    let node = format!("{} boot", machine.name);
    let candidacy = Candidacy { node, restarts: true, priority: machine.priority };
    let waiting = Waiting { store: access.clone(), candidacy, options, stop: Arc::default() };
    // A database that is away is waited for, also before the first look.
    let Ok(Some(taken)) = waiting.run().await else { return };
    let on_loss = {
        let (world, process) = (world.clone(), process.clone());
        move |_: &str| {
            world.count(|counts| counts.deposed += 1);
            process.end();
        }
    };
    let renewing = Renewing::new(access.clone(), options, taken.takeover, on_loss);
    let (tenure, mut requests) = (renewing.tenure.clone(), renewing.asked.subscribe());
    {
        let (machine, process) = (machine.clone(), process.clone());
        tokio::spawn(async move { machine.run(&process, renewing.run()).await });
    }
    let registers = loop {
        let reading = async { access.read(&access.connect().await?).await };
        if let Ok(Ok(registers)) = timeout(ANSWER_MAX, reading).await {
            break registers;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    };
    let server = Arc::new(Server {
        access: access.clone(),
        process: process.clone(),
        tenure,
        last: tokio::sync::Mutex::new(taken.owned.batch),
        owned: taken.owned,
        registers: Mutex::new(registers),
        is_closed: AtomicBool::new(false),
    });
    machine.serve(Some(server.clone()));
    let leaving = tokio::select! {
        // Otherwise chance decides if both are there, and not the seed.
        biased;
        () = process.asked.notified() => Leaving::Stopped,
        Ok(request) = requests.wait_for(Option::is_some) => match request.as_ref().and_then(|asked| asked.to.clone()) {
            Some(node) => Leaving::MovedTo(node),
            None => Leaving::Released,
        },
    };
    server.is_closed.store(true, Ordering::Relaxed);
    machine.serve(None);
    let releasing = async { access.release(&access.connect().await?, leaving).await };
    let _ = timeout(ANSWER_MAX, releasing).await;
}
