//! A history: several lives of one pool on one disk. Each life begins with an opening and ends with a crash or a clean
//! close. Everything in it depends only on the seed.

use std::fmt;
use std::future::Future;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::task::LocalSet;
use tokio::time::Instant;

use super::buckets::verify::delete_buckets;
use super::client::{Client, Shared};
use super::elsewhere::sweep;
use super::file::Change;
use super::model::{Effect, Life, NodeId};
use super::ops::{Appetite, Op};
use super::random::Random;
use super::relay::Phase;
use super::takeover::Takeover;
use super::{content, schedule, verify};
use crate::base::sources::Clock;
use crate::sim::faulty::{FaultyDisk, Plan, Protection};
use crate::store::meta::PAIR_KEY;
use crate::{Error, Pool, PoolOptions, Stability};

/// The simulated time after which unfinished operations count as hanging.
const HANG: Duration = Duration::from_secs(24 * 60 * 60);

/// The result of a history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) crashes: u64,
    pub(crate) operations: u64,
    /// The number of inline bytes that were turned into chunks.
    pub(crate) bytes_chunked: u64,
    /// How often another node took the pool over.
    pub(crate) takeovers: u64,
    /// How often the first copy was lost.
    pub(crate) losses: u64,
    /// A hash of all steps of the disk.
    pub(crate) trace: u64,
}

/// A failure of a history.
pub(crate) struct Failure {
    pub(crate) seed: u64,
    life: u64,
    what: String,
    log: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { seed, life, what, log } = self;
        write!(
            formatter,
            "history {seed}, life {life}: {what}\nthe last operations:\n{log}again: FOREBAY_SIM_SEED={seed} cargo test \
             --profile ci -p forebay-pool --lib sim::tests::random_histories -- --nocapture"
        )
    }
}

/// The way in which a life ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    /// According to the plan of the disk, or between two steps if the plan does not cut the power.
    Crash,
    Close,
}

/// The parameters that the seed determines for the whole history.
#[derive(Clone)]
pub(super) struct Setting {
    pub(super) options: PoolOptions,
    pub(super) clients: u64,
    pub(super) operations: u64,
    lives: u64,
    pub(super) preempted: u64,
    /// In how many of a thousand lives a sync fails.
    sync_fails: u64,
}

impl Setting {
    pub(super) fn draw(random: &mut Random) -> Setting {
        let bounded = random.permille(100);
        // A generator of its own, so that histories stay what they were before there was this option.
        let dedup_verify = random.clone().fork().permille(200);
        Setting {
            options: PoolOptions {
                bytes_max: bounded.then(|| random.between(200_000, 2_000_000)),
                dirty_bytes_max: random.between(64 << 10, 2 << 20),
                dirty_age_ms_max: random.pick(&[20, 200, 2_000, 3_600_000]).unwrap_or(2_000),
                inline_age: Duration::from_millis(random.pick(&[5, 100, 60_000]).unwrap_or(5)),
                segment_bytes: random.between(60_000, 600_000),
                cache_bytes: random.pick(&[0, 100_000, 4 << 20]).unwrap_or(0),
                dedup_verify,
                scrub_period: random.permille(100).then_some(Duration::from_secs(2)),
                ..PoolOptions::default()
            },
            clients: random.between(1, 5),
            operations: random.between(5, 40),
            lives: random.between(1, 3),
            preempted: random.pick(&[0, 0, 20, 150]).unwrap_or(0),
            sync_fails: 80,
        }
    }
}

/// The time of the runtime.
struct SimulatedClock {
    from: SystemTime,
    begun: Instant,
}

impl Clock for SimulatedClock {
    fn now(&self) -> SystemTime {
        self.from + self.begun.elapsed()
    }
}

pub(super) fn appetite(random: &mut Random) -> Appetite {
    Appetite {
        file_bytes_max: random.pick(&[50_000, 300_000, 1_500_000]).unwrap_or(50_000),
        write_bytes_max: random.pick(&[20_000, 100_000, 1 << 20]).unwrap_or(20_000),
        names: random.between(2, 12),
        buckets: random.pick(&[0, 200, 500, 900]).unwrap_or(200),
        syncs: 0,
        volumes: 0,
    }
}

/// In how many of a thousand histories there is a second node.
const WITH_SECOND_NODE: u64 = 150;
/// In how many of a thousand lives of these it takes the pool over.
pub(super) const TAKEOVERS: u64 = 700;

/// Runs the history with this seed. One in four pools has a second copy, and every other one was made by an older release.
pub(crate) fn run(seed: u64) -> Result<Report, Failure> {
    let mut random = Random::new(seed).fork();
    let disk = if random.permille(250) { FaultyDisk::mirrored() } else { FaultyDisk::default() };
    let disk = if random.permille(500) { disk.older() } else { disk };
    let files = random.pick(&[0, 4, 5, 8]).unwrap_or(4);
    // A generator of its own, so that the other histories stay what they were before there was a second node.
    let mut nodes = Random::new(!seed);
    let takeovers = if nodes.permille(WITH_SECOND_NODE) { TAKEOVERS } else { 0 };
    let looks = takeovers > 0 && nodes.permille(500);
    let protection = if looks { Protection::Look } else { Protection::Fence };
    let disk = Arc::new(disk.with_log(files).protected_by(protection));
    let drawn = if random.permille(300) { draw_syncs(&disk, seed) } else { draw(seed) };
    run_with(disk, seed, drawn, takeovers)
}

/// Like [`run`], on the given disk, with one node.
pub(crate) fn run_on(disk: Arc<FaultyDisk>, seed: u64) -> Result<Report, Failure> {
    run_with(disk, seed, draw(seed), 0)
}

/// Like [`run_on`], and in most lives another node takes the pool over.
pub(crate) fn run_nodes_on(disk: Arc<FaultyDisk>, seed: u64) -> Result<Report, Failure> {
    let drawn = if seed.is_multiple_of(3) { draw_syncs(&disk, seed) } else { draw(seed) };
    run_with(disk, seed, drawn, TAKEOVERS)
}

/// The settings of a history, drawn from its seed.
pub(super) struct Drawn {
    random: Random,
    pub(super) setting: Setting,
    appetite: Appetite,
}

pub(super) fn draw(seed: u64) -> Drawn {
    let mut random = Random::new(seed);
    let setting = Setting::draw(&mut random);
    let appetite = appetite(&mut random);
    Drawn { random, setting, appetite }
}

/// Like [`run_on`], but most operations are small writes and syncs, by several clients of the same files, whose threads often
/// take turns.
pub(crate) fn run_syncs_on(disk: Arc<FaultyDisk>, seed: u64) -> Result<Report, Failure> {
    let drawn = draw_syncs(&disk, seed);
    run_with(disk, seed, drawn, 0)
}

/// Like [`run_on`], and many operations are on whole volumes: they are deleted, recovered and purged while files in them are used.
pub(crate) fn run_volumes_on(disk: Arc<FaultyDisk>, seed: u64) -> Result<Report, Failure> {
    let mut random = Random::new(seed);
    let setting = Setting {
        clients: random.between(2, 5),
        operations: random.between(20, 60),
        lives: random.between(2, 4),
        ..Setting::draw(&mut random)
    };
    let appetite = Appetite { names: 3, buckets: 50, volumes: 200, ..appetite(&mut random) };
    run_with(disk, seed, Drawn { random, setting, appetite }, 0)
}

pub(super) fn draw_syncs(disk: &FaultyDisk, seed: u64) -> Drawn {
    let mut random = Random::new(seed);
    let setting = Setting {
        clients: random.between(2, 5),
        operations: random.between(20, 80),
        lives: random.between(2, 4),
        preempted: random.pick(&[20, 150, 500]).unwrap_or(150),
        sync_fails: 400,
        ..Setting::draw(&mut random)
    };
    disk.set_slow(random.pick(&[0, 0, 40]).unwrap_or(0));
    let appetite = Appetite { names: 2, buckets: 0, syncs: 900, ..appetite(&mut random) };
    Drawn { random, setting, appetite }
}

pub(super) fn run_with(
    disk: Arc<FaultyDisk>,
    seed: u64,
    drawn: Drawn,
    takeovers: u64,
) -> Result<Report, Failure> {
    let Drawn { mut random, mut setting, appetite } = drawn;
    let shared = Shared::new(disk.clone(), appetite, setting.options.bytes_max.is_some());
    let mut report = Report::default();
    // A generator of its own, so that histories of pools with one copy stay what they were.
    let mut losses = Random::new(seed ^ 0x1055);
    let keeps_dead = setting.options.keep_dead_segments;
    for life in 0..=setting.lives {
        let last = life == setting.lives;
        // At the end, nothing must be left.
        setting.options.keep_dead_segments = if last { Duration::ZERO } else { keeps_dead };
        let end = if !last && random.permille(750) { End::Crash } else { End::Close };
        report.crashes += u64::from(matches!(end, End::Crash));
        let mut of_life = random.fork();
        let is_taken = takeovers > 0 && !last && random.permille(takeovers);
        let takeover = is_taken.then(|| Takeover::prepare(&setting, &shared, &mut random));
        live_with(
            &setting,
            &shared,
            &mut of_life,
            !last,
            takeover.as_ref().map(Takeover::begin),
            |pool, mut random| {
                let shared = shared.clone();
                let setting = &setting;
                async move {
                    if last {
                        let all = random.permille(500);
                        take_down(&pool, &shared, random, all).await
                    } else {
                        let plan = plan(&mut random, end, setting);
                        work(pool, &shared, random, setting, end, plan).await
                    }
                }
            },
        );
        report.takeovers += u64::from(takeover.is_some_and(|takeover| takeover.end(&shared)));
        disk.crash(random.next());
        match disk.befall(&mut losses, setting.clients * setting.operations) {
            Ok(is_lost) => report.losses += u64::from(is_lost),
            Err(error) => shared.fail(format!("the second copy cannot take the place of the first: {error}")),
        }
        report.bytes_chunked += shared.meters.take().map_or(0, |meters| meters.bytes_chunked.get());
        if shared.has_failed() {
            break;
        }
        report.operations = shared.operations.get();
        report.trace = disk.trace();
    }
    if !shared.has_failed() {
        live(&setting, &shared, &mut random.fork(), false, |pool, _| nothing_left(pool, shared.clone()));
    }
    finish(seed, &shared).map(|()| report)
}

/// Runs a short history in which the power fails at exactly this step, and nothing else fails. Returns false if the
/// history ends before that step.
pub(crate) fn run_cut_at(seed: u64, step: u64) -> Result<bool, Failure> {
    let mut random = Random::new(seed);
    let setting = Setting { operations: 8, clients: 3, ..Setting::draw(&mut random) };
    let disk = Arc::new(FaultyDisk::default().with_log(4));
    let shared = Shared::new(disk.clone(), appetite(&mut random), setting.options.bytes_max.is_some());
    let plan = Plan { power: Some(step), ..Plan::default() };
    live(&setting, &shared, &mut random, false, |pool, random| {
        let (shared, setting) = (shared.clone(), &setting);
        async move { work(pool, &shared, random, setting, End::Close, plan).await }
    });
    let cut = disk.was_cut();
    disk.crash(random.next());
    if !shared.has_failed() {
        live(&setting, &shared, &mut random.fork(), false, |pool, random| {
            let shared = shared.clone();
            async move { take_down(&pool, &shared, random, true).await }
        });
    }
    finish(seed, &shared).map(|()| cut)
}

pub(super) fn finish(seed: u64, shared: &Shared) -> Result<(), Failure> {
    let what = shared.failure.borrow_mut().take();
    let life = shared.world.borrow().verifiers.len() as u64;
    what.map_or(Ok(()), |what| Err(Failure { seed, life, what, log: shared.log() }))
}

/// Opens the pool, verifies it, and runs `using` on it. `disturbed`: the power may fail during the opening.
pub(super) fn live<F: Future<Output = Result<(), String>>>(
    setting: &Setting,
    shared: &Rc<Shared>,
    random: &mut Random,
    disturbed: bool,
    using: impl FnOnce(Pool, Random) -> F,
) {
    live_with(setting, shared, random, disturbed, None::<fn()>, using);
}

/// Like [`live`]. Calls `begin` at the beginning of the simulation.
pub(super) fn live_with<F: Future<Output = Result<(), String>>>(
    setting: &Setting,
    shared: &Rc<Shared>,
    random: &mut Random,
    disturbed: bool,
    begin: Option<impl FnOnce()>,
    using: impl FnOnce(Pool, Random) -> F,
) {
    let disk = shared.disk.clone();
    // Sometimes the next crash comes during this opening, which still recovers from the last crash.
    if disturbed && random.permille(80) {
        disk.arm(Plan { power: Some(random.below(12)), ..Plan::default() });
    }
    let mut of_life = random.fork();
    simulated(setting, shared, random, async {
        begin.into_iter().for_each(|begin| begin());
        let clock = SimulatedClock {
            from: UNIX_EPOCH + Duration::from_secs(1_700_000_000 + of_life.below(100_000)),
            begun: Instant::now(),
        };
        let opened = disk.open_at(setting.options.clone(), Arc::new(clock));
        schedule::enter(Phase::Other);
        let pool = opened.map_err(|error| format!("open: {error}"))?;
        if let Ok(engine) = pool.engine() {
            *shared.meters.borrow_mut() = Some(engine.meters.clone());
        }
        verify::compare_copies(&pool, &disk)?;
        verify::verify(&pool, shared).await?;
        // A generator of its own. At any time, beside everything else.
        if of_life.clone().fork().permille(400) {
            let pool = pool.clone();
            tokio::task::spawn_local(async move {
                let _ = sweep(&pool).await;
            });
        }
        using(pool, of_life).await
    });
}

/// Runs `life` on a new simulated machine, until it ends or the power fails.
pub(super) fn simulated(
    setting: &Setting,
    shared: &Shared,
    random: &mut Random,
    life: impl Future<Output = Result<(), String>>,
) {
    let simulated = schedule::simulate(random.fork(), setting.preempted);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime");
    let local = LocalSet::new();
    local.block_on(&runtime, async {
        tokio::select! {
            biased;
            () = until_dead(&shared.disk) => {}
            outcome = tokio::time::timeout(HANG, life) => match outcome {
                _ if shared.disk.is_dead() => {}
                Ok(Ok(())) => {}
                Ok(Err(what)) => shared.fail(what),
                Err(_) => shared.fail("operations hang".into()),
            },
        }
    });
    schedule::enter(Phase::Other);
    // Work that still runs has no effect, as on a machine without power.
    shared.disk.kill();
    schedule::drain();
    drop(local);
    drop(runtime);
    if schedule::has_panicked() {
        // That must not happen in a node that was replaced either.
        shared.failure.borrow_mut().get_or_insert("something panicked".into());
    }
    drop(simulated);
}

async fn until_dead(disk: &FaultyDisk) {
    while !disk.is_dead() {
        disk.power_failed.notified().await;
    }
}

/// Runs the clients until the end of the life.
pub(super) async fn work(
    pool: Pool,
    shared: &Rc<Shared>,
    mut random: Random,
    setting: &Setting,
    end: End,
    plan: Plan,
) -> Result<(), String> {
    schedule::enter(Phase::Working);
    let mut first = client(&pool, shared, 0, &mut random);
    if shared.world.borrow().volumes.is_empty() {
        first.perform(Op::Effect(Effect::VolumeCreate { name: "v0".into() })).await;
    }
    reclaim(&mut first, &mut random).await;
    if random.permille(900) {
        reap(&pool, shared).await?;
    }
    if shared.disk.is_dead() {
        return Ok(());
    }
    shared.world.borrow_mut().buckets.reads_fail = plan.read.is_some();
    shared.disk.arm(plan);
    let mut clients = tokio::task::JoinSet::new();
    for number in 0..setting.clients {
        clients.spawn_local(client(&pool, shared, number, &mut random).run(setting.operations));
    }
    while clients.join_next().await.is_some() {}
    if shared.is_replaced.get() {
        // Its background work goes on.
        tokio::time::sleep(Duration::from_millis(random.below(8000))).await;
    }
    if let End::Crash = end {
        shared.disk.kill();
        return Ok(());
    }
    close(&pool, shared).await
}

fn client(pool: &Pool, shared: &Rc<Shared>, number: u64, random: &mut Random) -> Client {
    let random = random.fork();
    Client { number, pool: pool.clone(), shared: shared.clone(), random, readers: Vec::new() }
}

/// Frees orphans without holders from now on. The power may fail during the call, when some of them have been freed.
async fn reap(pool: &Pool, shared: &Shared) -> Result<(), String> {
    shared.world.borrow_mut().reap();
    pool.reap_orphans().await.map_err(|error| format!("reap: {error}"))
}

/// Holds some of the orphans again, before the others are freed.
async fn reclaim(client: &mut Client, random: &mut Random) {
    let orphans: Vec<NodeId> = {
        let world = client.shared.world.borrow();
        world.nodes.iter().filter(|(_, node)| node.life == Life::Orphan).map(|(id, _)| *id).collect()
    };
    for node in orphans {
        if random.permille(500) {
            client.perform(Op::Hold { node }).await;
        }
    }
}

/// The failures in a life.
pub(super) fn plan(random: &mut Random, end: End, setting: &Setting) -> Plan {
    let mut plan = Plan::default();
    let steps = setting.clients * setting.operations;
    if let End::Crash = end {
        // Sometimes no operation is cut short.
        plan.power = random.permille(900).then(|| random.below(steps * 2));
        if random.permille(setting.sync_fails) {
            plan.sync = Some(random.below(steps / 2 + 1));
        }
    }
    if random.permille(80) {
        plan.read = Some(random.below(steps * 8));
    }
    if random.permille(50) {
        plan.write = Some(random.below(steps / 2 + 1));
    }
    if random.permille(50) {
        plan.full = Some((random.below(steps / 2 + 1), random.between(1, 20)));
    }
    plan
}

async fn close(pool: &Pool, shared: &Shared) -> Result<(), String> {
    schedule::enter(Phase::Closing);
    // A failure that no operation has met so far will not be met later.
    let failed = shared.disk.has_failed();
    match pool.close().await {
        Ok(()) => shared.world.borrow_mut().closed(),
        Err(_) if failed || shared.disk.has_failed() => {}
        Err(Error::NoSpace) if shared.bounded => {}
        Err(error) => return Err(format!("close: {error}")),
    }
    Ok(())
}

/// Deletes everything, one by one or by whole volumes, and checks that nothing is left.
async fn take_down(
    pool: &Pool,
    shared: &Rc<Shared>,
    mut random: Random,
    one_by_one: bool,
) -> Result<(), String> {
    let mut client = client(pool, shared, 0, &mut random);
    reap(pool, shared).await?;
    while one_by_one && let Some((directory, name)) = removable(shared) {
        client.perform(Op::Effect(Effect::Remove { directory, name })).await;
        if shared.has_failed() {
            return Ok(());
        }
    }
    delete_buckets(&mut client, one_by_one).await?;
    if one_by_one {
        client.perform(Op::Settle).await;
        let space = pool.space().map_err(|error| format!("space: {error}"))?;
        let roots = shared.world.borrow().volumes.len() as u64;
        let bare = shared.world.borrow().snapshots.is_empty() && shared.world.borrow().shelves.is_empty();
        if bare && (space.bytes_logical > 0 || space.inodes_used != roots || space.orphans > 0) {
            return Err(format!("everything was removed, and left are {space:?}"));
        }
    }
    if !one_by_one {
        dirty_some(&mut client, &mut random).await;
    }
    while !shared.has_failed()
        && let Some(volume) = { shared.world.borrow().shelves.keys().next().copied() }
    {
        client.perform(Op::Effect(Effect::Purge { volume })).await;
    }
    while !shared.has_failed()
        && let Some(name) = deletable(shared)
    {
        client.perform(Op::Effect(Effect::VolumeDelete { name })).await;
    }
    // The close then meets unfinished freeing and dirty files.
    if random.permille(500) {
        client.perform(Op::Settle).await;
    }
    close(pool, shared).await
}

/// Leaves some files with unstable writes.
async fn dirty_some(client: &mut Client, random: &mut Random) {
    let files: Vec<NodeId> = {
        let world = client.shared.world.borrow();
        let named = world.nodes.iter().filter(|(_, node)| node.life == Life::Named && node.file().is_some());
        named.map(|(id, _)| *id).take(8).collect()
    };
    for node in files {
        let bytes = content::any(random, 5000);
        let change = Change::Write { offset: random.below(30_000), bytes };
        client.perform(Op::Change { node, change, stability: Stability::Unstable }).await;
    }
}

/// A volume whose snapshots have no clones.
fn deletable(shared: &Shared) -> Option<String> {
    let world = shared.world.borrow();
    let cloned = |name: &str| world.snapshots_of(name).any(|(_, taken)| !taken.clones.is_empty());
    world.volumes.keys().find(|name| !cloned(name)).cloned()
}

/// A name that can be removed.
fn removable(shared: &Shared) -> Option<(NodeId, String)> {
    let world = shared.world.borrow();
    world.nodes.iter().filter(|(_, node)| node.life == Life::Named).find_map(|(id, node)| {
        let empty = |child: &NodeId| {
            world.node(*child).is_none_or(|child| child.entries().is_none_or(|entries| entries.is_empty()))
        };
        let (name, _) = node.entries()?.iter().find(|(_, child)| empty(child))?;
        Some((*id, name.clone()))
    })
}

/// After everything was deleted, checks that nothing is left on the disk after one more opening.
async fn nothing_left(pool: Pool, shared: Rc<Shared>) -> Result<(), String> {
    reap(&pool, &shared).await?;
    sweep(&pool).await?;
    pool.settle().await.map_err(|error| format!("settle: {error}"))?;
    pool.close().await.map_err(|error| format!("close: {error}"))?;
    // No operation deletes the records of protocols.
    let theirs = |key: &[u8]| key.first() == Some(&0x40) || *key == PAIR_KEY;
    // The marks of starts stay for the lifetime of the pool.
    let starts = crate::format::keys::starts();
    let keys = shared.disk.keys().into_iter().filter(|key| !theirs(key) && !starts.contains(key));
    let left = keys.count();
    let segments = shared.disk.segments();
    // The pool's record, and its counters if they were ever stored.
    if left > 2 || segments > 0 {
        return Err(format!(
            "everything was deleted, and left are {left} keys and {segments} segments: {:?}",
            shared.disk.keys()
        ));
    }
    Ok(())
}
