//! A history: what happens to machines, to the database, and to messages.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use super::client;
use super::daemon::{self, Request};
use super::database::Rows;
use super::machine::Machine;
use super::random::Random;
use super::{Counts, Failure, Mistake, Network, REGISTERS, World};
use crate::claim::{PRIORITY_STEP, RESERVED};
use crate::lease::LeaseOptions;

/// How long anything may happen.
const DISORDER: Duration = Duration::from_secs(60);
/// After that somebody serves the pool within this time. The node that was silent leaves the pool to others for 30 s.
const SERVED_MAX: Duration = Duration::from_secs(60);
/// Within this time a silent owner is replaced, if nothing else is wrong.
const REPLACED_MAX: Duration = Duration::from_millis(4600);
/// It is not replaced before: it has renewed the lease up to half a second earlier. Both are for candidates of priority 0.
const REPLACED_MIN: Duration = Duration::from_millis(2900);
/// Within this time a pool that is moved is at the node that was named: two periods of half a second, and the daemon's end.
const MOVED_MAX: Duration = Duration::from_millis(1800);
/// Within this time the owner answers again after the database was away.
const ANSWERS_MAX: Duration = Duration::from_secs(6);

/// The events of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plot {
    /// Everything, at a time.
    Disorder,
    /// One owner becomes silent.
    SilentOwner,
    /// The database is away for a while.
    DatabaseAway,
    /// An operator moves the pool to a node, which may be gone.
    Move,
}

impl Plot {
    /// The most that a clock is fast or slow, in millionths. In disorder no clock runs 1.4 times as fast as another.
    fn drift(self, random: &mut Random) -> u64 {
        match self {
            Plot::Disorder => random.pick(&[0, 1000, 150_000]),
            Plot::SilentOwner | Plot::DatabaseAway | Plot::Move => 5000,
        }
    }
}

/// The network of a history in disorder.
fn disorderly(random: &mut Random) -> Network {
    Network {
        late: random.pick(&[0, 20, 100]),
        lost: random.pick(&[0, 0, 10, 40]),
        late_ms_max: random.pick(&[800, 3000]),
        stalled: random.pick(&[0, 3, 20]),
        slow_looks: random.pick(&[0, 0, 500]),
    }
}

/// Runs the history with this seed.
pub(super) fn run(seed: u64, plot: Plot, mistake: Mistake) -> (Option<Failure>, Counts) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.unwrap().block_on(async {
        let world = begin(seed, plot, mistake);
        let first = until_served(&world, SERVED_MAX).await;
        if first.is_none() {
            world.fail(Failure::NotServed, "nobody has begun to serve");
        }
        match plot {
            Plot::Disorder => disorder(&world).await,
            Plot::SilentOwner => silent_owner(&world).await,
            Plot::DatabaseAway => database_away(&world).await,
            Plot::Move => moved(&world).await,
        }
        let counts = *world.counts.lock().unwrap();
        (world.found(), counts)
    })
}

/// Starts the machines and the clients.
fn begin(seed: u64, plot: Plot, mistake: Mistake) -> Arc<World> {
    let mut random = Random::new(seed);
    let drift = plot.drift(&mut random);
    let names = random.pick(&[&["a", "b"][..], &["a", "b", "c"]]);
    let machines = names.iter().map(|name| {
        let (offset, rate) =
            (random.time(0, 1_000_000_000), random.between(1_000_000 - drift, 1_000_000 + drift));
        Arc::new(Machine::new(name, offset, rate, random.pick(&[0, 0, 0, 1, 3])))
    });
    let machines: Vec<_> = machines.collect();
    let clients = random.between(4, 8);
    let mut options = LeaseOptions::default();
    if mistake == Mistake::ShortSilence {
        options.silence = options.valid - options.period * 2;
    }
    let world = Arc::new(World {
        begun: Instant::now(),
        mistake,
        random: Mutex::new(random),
        network: Mutex::default(),
        rows: Mutex::new(Rows::new()),
        machines,
        known: Mutex::new([0; REGISTERS]),
        counts: Mutex::default(),
        failure: Mutex::default(),
    });
    for machine in &world.machines {
        tokio::spawn(daemon::run(world.clone(), machine.clone(), options));
    }
    for _ in 0..clients {
        tokio::spawn(client::run(world.clone()));
    }
    world
}

/// Waits until a machine answers, and returns it.
async fn until_served(world: &Arc<World>, time: Duration) -> Option<Arc<Machine>> {
    let asking = async {
        loop {
            for machine in &world.machines {
                let asking = client::ask(world, machine, Request::Write(0));
                if tokio::time::timeout(Duration::from_secs(1), asking).await == Ok(true) {
                    return machine.clone();
                }
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(time, asking).await.ok()
}

/// The machine whose process has the pool.
fn owner(world: &World) -> Option<Arc<Machine>> {
    let rows = world.rows.lock().unwrap();
    world.machines.iter().find(|machine| rows.holder() == Some(&machine.name)).cloned()
}

async fn disorder(world: &Arc<World>) {
    *world.network.lock().unwrap() = world.random(disorderly);
    let end = Instant::now() + DISORDER;
    while Instant::now() < end && !matches!(world.found(), Some(Failure::Stale(_))) {
        tokio::time::sleep(world.random(|random| random.time(100, 6000))).await;
        happen(world);
    }
    *world.network.lock().unwrap() = Network::default();
    world.machines.iter().for_each(|machine| machine.heal());
    world.rows.lock().unwrap().go_away(Duration::ZERO);
    if until_served(world, SERVED_MAX).await.is_none() {
        world.fail(Failure::NotServed, "all is well again, and nobody answers");
    }
}

/// Something happens, mostly to the owner.
fn happen(world: &World) {
    let owner = owner(world);
    world.random(|random| {
        let any = random.between(0, world.machines.len() as u64 - 1) as usize;
        let machine = owner.filter(|_| random.permille(600)).unwrap_or_else(|| world.machines[any].clone());
        let time_ms_max = random.pick(&[3000, 9000]);
        match random.between(0, 10) {
            0 | 1 => machine.suspend(random.time(200, time_ms_max)),
            2..=5 => machine.cut(random.time(200, time_ms_max)),
            6 => machine.kill(false),
            7 => machine.process().iter().for_each(|process| process.asked.notify_one()),
            8 => {
                let to = random.permille(800).then(|| world.machines[any].name.as_str());
                world.rows.lock().unwrap().ask(to);
            }
            9 => world.rows.lock().unwrap().crash(random.time(0, 4000), random.between(0, 20)),
            _ => world.rows.lock().unwrap().go_away(random.time(200, 8000)),
        }
    });
}

async fn silent_owner(world: &Arc<World>) {
    tokio::time::sleep(world.random(|random| random.time(1000, 6000))).await;
    let Some(owner) = owner(world) else { return world.fail(Failure::NotServed, "nobody has the pool") };
    let epoch = world.rows.lock().unwrap().epoch;
    let long = Duration::from_secs(60);
    match world.random(|random| random.between(0, 2)) {
        0 => owner.suspend(long),
        1 => owner.cut(long),
        _ => owner.kill(true),
    }
    let others = || world.machines.iter().filter(|machine| machine.name != owner.name);
    let Some(first) = others().min_by_key(|machine| machine.priority) else { return };
    let later = PRIORITY_STEP * first.priority;
    let took = until_taken(world, epoch, REPLACED_MAX + later).await;
    if took >= REPLACED_MAX + later {
        world.fail(Failure::NotServed, &format!("{} was silent, and was not replaced", owner.name));
    }
    if took < REPLACED_MIN + later {
        world.fail(Failure::Needless, &format!("{} was replaced after {took:?}", owner.name));
    }
    // A candidate looks once in a step. So one step between two candidates is not always enough.
    let is_certain = others().all(|it| it.name == first.name || it.priority >= first.priority + 2);
    match until_served(world, Duration::from_secs(2)).await {
        Some(server) if server.name == owner.name || (is_certain && server.name != first.name) => {
            let (taken, wanted) = (&server.name, &first.name);
            world.fail(Failure::WrongNode, &format!("{taken} has replaced {}, and not {wanted}", owner.name));
        }
        Some(_) => {}
        None => world.fail(Failure::NotServed, "the new owner does not answer"),
    }
}

/// Waits until the pool is taken, and returns how long that took; at least `max` if it was not.
async fn until_taken(world: &World, epoch: i64, max: Duration) -> Duration {
    let begun = Instant::now();
    while world.rows.lock().unwrap().epoch == epoch && begun.elapsed() < max {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    begun.elapsed()
}

/// The node that is named gets the pool, and no other one. If it is gone, another one gets it when the reservation is over.
async fn moved(world: &Arc<World>) {
    tokio::time::sleep(world.random(|random| random.time(1000, 6000))).await;
    let Some(owner) = owner(world) else { return world.fail(Failure::NotServed, "nobody has the pool") };
    let others: Vec<_> = world.machines.iter().filter(|machine| machine.name != owner.name).collect();
    let named = others[world.random(|random| random.between(0, others.len() as u64 - 1)) as usize];
    let is_gone = world.random(|random| random.permille(300));
    if is_gone {
        named.kill(true);
    }
    let epoch = {
        let mut rows = world.rows.lock().unwrap();
        rows.ask(Some(&named.name));
        rows.epoch
    };
    let (min, max) = if is_gone { (RESERVED, RESERVED + MOVED_MAX) } else { (Duration::ZERO, MOVED_MAX) };
    let took = until_taken(world, epoch, max).await;
    if took >= max {
        world.fail(Failure::NotServed, &format!("nobody has taken what was moved to {}", named.name));
    }
    match until_served(world, Duration::from_secs(2)).await {
        Some(server) if took < min || (server.name == named.name) == is_gone => {
            let (taken, wanted) = (&server.name, &named.name);
            world.fail(
                Failure::WrongNode,
                &format!("{taken} has taken after {took:?} what was moved to {wanted}"),
            );
        }
        Some(_) => {}
        None => world.fail(Failure::NotServed, "the new owner does not answer"),
    }
}

async fn database_away(world: &Arc<World>) {
    tokio::time::sleep(world.random(|random| random.time(1000, 6000))).await;
    let Some(owner) = owner(world) else { return world.fail(Failure::NotServed, "nobody has the pool") };
    let epoch = world.rows.lock().unwrap().epoch;
    let time = world.random(|random| random.time(100, 50_000));
    if world.random(|random| random.permille(500)) {
        world.rows.lock().unwrap().go_away(time);
    } else {
        let lost = world.random(|random| random.between(0, 3));
        world.rows.lock().unwrap().crash(time, lost);
    }
    tokio::time::sleep(time).await;
    let answers = until_served(world, ANSWERS_MAX).await;
    if answers.is_none_or(|machine| machine.name != owner.name) {
        world.fail(Failure::NotServed, "the database is back, and the owner does not answer");
    }
    tokio::time::sleep(Duration::from_secs(10)).await;
    if world.rows.lock().unwrap().epoch != epoch {
        let what = format!("the database was away for {time:?}, and {} was replaced", owner.name);
        world.fail(Failure::Needless, &what);
    }
}
