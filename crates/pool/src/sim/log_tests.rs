//! Whether the simulation finds a log that breaks one of its rules.
//!
//! Most rules are broken in random histories. Others are broken only in a race that is rare there, or impossible, such as the use of a
//! file that another client has not finished to create. They have a history of their own here.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;

use super::client::Shared;
use super::history::{self, Failure, Setting, appetite, finish, simulated};
use super::random::Random;
use crate::format::keys::{EPOCH_FIRST, Item};
use crate::parts::log::Rule;
use crate::sim::faulty::{FaultyDisk, Plan};
use crate::{CloneSpec, Error, Handle, Kind, NewInode, Pool, Stability, VolumeSpec};

/// Within so many histories a broken rule must be found.
const HISTORIES: u64 = 2000;

/// A history of a pool with a log, on this disk.
type Run = fn(Arc<FaultyDisk>, u64) -> Result<(), Failure>;

/// The first seed whose history fails.
pub(super) fn found_by(rule: Option<Rule>, histories: u64, run: Run) -> Option<u64> {
    let (next, found) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::SeqCst);
            if seed >= histories.min(found.load(Ordering::SeqCst)) {
                return;
            }
            let is_mirrored =
                matches!(rule, Some(Rule::TellLoss | Rule::MendCopies)) || (rule.is_none() && seed % 3 == 0);
            let disk = if is_mirrored { FaultyDisk::mirrored() } else { FaultyDisk::default() };
            let disk = disk.with_log(if seed % 2 == 0 { 4 } else { 8 });
            let disk = match rule {
                Some(rule) => disk.breaking(rule),
                None => disk,
            };
            if let Err(failure) = run(Arc::new(disk), seed) {
                if rule.is_none() {
                    eprintln!("{failure}");
                }
                found.fetch_min(seed, Ordering::SeqCst);
            }
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        (0..threads).for_each(|_| {
            scope.spawn(work);
        });
    });
    Some(found.into_inner()).filter(|seed| *seed < u64::MAX)
}

/// The history that can find out that a rule is broken.
fn run_of(rule: Rule) -> Run {
    match rule {
        Rule::WaitForBatch => run_use_of_new_file,
        Rule::FloorAtCreation => run_use_of_new_clone,
        Rule::WaitForData => run_two_commits,
        Rule::FailedGroup | Rule::TellLoss => run_failed_sync,
        Rule::FlushRefused => run_refused,
        Rule::SyncEarly => super::early_tests::run_streams,
        Rule::WaitForLogging | Rule::WaitForOvertaken => run_overtaken,
        Rule::FlushForSnapshot | Rule::Floor => |disk, seed| history::run_on(disk, seed).map(drop),
        _ => |disk, seed| history::run_syncs_on(disk, seed).map(drop),
    }
}

fn bytes(seed: u64, length: usize) -> Bytes {
    let mut bytes = vec![0; length];
    blake3::Hasher::new().update(&seed.to_le_bytes()).finalize_xof().fill(&mut bytes);
    bytes.into()
}

pub(super) fn words<T>(outcome: crate::Result<T>) -> std::result::Result<T, String> {
    outcome.map_err(|error| error.to_string())
}

/// A simulated machine with a disk.
pub(super) struct Machine {
    setting: Setting,
    shared: Rc<Shared>,
    pub(super) random: Random,
}

impl Machine {
    pub(super) fn new(disk: Arc<FaultyDisk>, seed: u64) -> Machine {
        let mut random = Random::new(seed);
        let mut setting = Setting::draw(&mut random);
        setting.options.bytes_max = None;
        setting.preempted = random.between(200, 900);
        let shared = Shared::new(disk, appetite(&mut random), false);
        Machine { setting, shared, random }
    }

    /// Opens the pool and runs `life` on it, until it ends or the power fails. Then the power is cut.
    pub(super) fn run<F: Future<Output = std::result::Result<(), String>>>(
        &mut self,
        life: impl FnOnce(Pool) -> F,
    ) {
        if self.shared.has_failed() {
            return;
        }
        let (disk, options) = (self.shared.disk.clone(), self.setting.options.clone());
        disk.arm(Plan::default());
        simulated(&self.setting, &self.shared, &mut self.random, async {
            let pool = words(disk.open(options))?;
            life(pool).await
        });
        disk.crash(self.random.next());
    }

    pub(super) fn end(self, seed: u64) -> Result<(), Failure> {
        finish(seed, &self.shared)
    }
}

/// Writes until the log answers.
async fn warm(pool: &Pool, file: Handle) -> std::result::Result<(), String> {
    for round in 0..100 {
        let logged = words(pool.counters())?.log_records;
        words(pool.write(file, round, bytes(round, 100), Stability::FileSync).await)?;
        if words(pool.counters())?.log_records > logged {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Err("nothing was logged".into())
}

/// Lets others go on, for a moment or until nothing else is left to do.
pub(super) async fn wander(random: &mut Random) {
    if random.permille(600) {
        tokio::task::yield_now().await;
    } else {
        tokio::time::sleep(Duration::from_micros(random.below(3000))).await;
    }
}

pub(super) async fn content_of(
    pool: &Pool,
    root: Handle,
    name: &str,
) -> std::result::Result<Vec<u8>, String> {
    let found = words(pool.lookup(root, name.as_bytes()).await)?;
    Ok(words(pool.read(found.handle, 0, u32::MAX).await)?.pieces.concat())
}

/// Returns an error unless the file has this content.
async fn require_content(pool: &Pool, name: &str, expected: Bytes) -> std::result::Result<(), String> {
    let content = content_of(pool, words(pool.volume("v"))?.root, name).await?;
    if content == expected { Ok(()) } else { Err(format!("{name} does not have what was promised")) }
}

pub(super) async fn file_in(pool: &Pool, root: Handle, name: &str) -> std::result::Result<Handle, String> {
    let new = NewInode::new(Kind::File, 0o644);
    Ok(words(pool.create(root, name.as_bytes(), new).await)?.attributes.handle)
}

/// One client creates a file, and another finds it and writes to it. What it was promised must be there after a power failure.
fn run_use_of_new_file(disk: Arc<FaultyDisk>, seed: u64) -> Result<(), Failure> {
    let mut machine = Machine::new(disk.clone(), seed);
    let cut = machine.random.below(6);
    let mut random = machine.random.fork();
    let promised = Rc::new(Cell::new(false));
    let tell = promised.clone();
    machine.run(|pool| async move {
        let root = words(pool.volume_create(VolumeSpec::new("v", "/v")).await)?.root;
        let warmed = file_in(&pool, root, "warm").await?;
        warm(&pool, warmed).await?;
        disk.set_slow(40);
        disk.arm(Plan { power: Some(cut), ..Plan::default() });
        let creator = pool.clone();
        tokio::task::spawn_local(async move { file_in(&creator, root, "new").await });
        for _ in 0..50 {
            if let Ok(found) = pool.lookup(root, b"new").await {
                let written = pool.write(found.handle, 0, bytes(seed, 500), Stability::FileSync).await;
                tell.set(written.is_ok());
                break;
            }
            wander(&mut random).await;
        }
        Ok(())
    });
    machine.run(|pool| async move {
        if promised.get() { require_content(&pool, "new", bytes(seed, 500)).await } else { Ok(()) }
    });
    machine.end(seed)
}

/// One client creates a clone, and another writes to it. The power fails, and the clone is created again.
fn run_use_of_new_clone(disk: Arc<FaultyDisk>, seed: u64) -> Result<(), Failure> {
    let mut machine = Machine::new(disk.clone(), seed);
    let cut = machine.random.below(6);
    let mut random = machine.random.fork();
    let spec = || CloneSpec { name: "c".to_owned(), junction_path: "/c".to_owned() };
    let warmed = Rc::new(RefCell::new(Vec::new()));
    let content = warmed.clone();
    machine.run(|pool| async move {
        let root = words(pool.volume_create(VolumeSpec::new("v", "/v")).await)?.root;
        let file = file_in(&pool, root, "log").await?;
        warm(&pool, file).await?;
        *content.borrow_mut() = content_of(&pool, root, "log").await?;
        words(pool.snapshot_create(&["v".to_owned()], "s").await)?;
        warm(&pool, file).await?;
        disk.set_slow(40);
        disk.arm(Plan { power: Some(cut), ..Plan::default() });
        let creator = pool.clone();
        tokio::task::spawn_local(async move { creator.volume_clone("v", "s", spec()).await });
        for _ in 0..50 {
            if let Ok(clone) = pool.volume("c") {
                if let Ok(found) = pool.lookup(clone.root, b"log").await {
                    let _ = pool.write(found.handle, 0, bytes(seed, 500), Stability::FileSync).await;
                }
                break;
            }
            wander(&mut random).await;
        }
        Ok(())
    });
    let is_new = Rc::new(Cell::new(false));
    let tell = is_new.clone();
    machine.run(|pool| async move {
        if pool.volume("c").is_err() {
            words(pool.volume_clone("v", "s", spec()).await)?;
            tell.set(true);
        }
        Ok(())
    });
    machine.run(|pool| async move {
        if is_new.get() {
            let root = words(pool.volume("c"))?.root;
            if content_of(&pool, root, "log").await? != *warmed.borrow() {
                return Err("the clone does not have the content of its snapshot".into());
            }
        }
        Ok(())
    });
    machine.end(seed)
}

/// One client commits more than is logged, and another commits the same file meanwhile.
fn run_two_commits(disk: Arc<FaultyDisk>, seed: u64) -> Result<(), Failure> {
    let mut machine = Machine::new(disk.clone(), seed);
    let cut = machine.random.below(8);
    let mut random = machine.random.fork();
    let promised = Rc::new(Cell::new(false));
    let tell = promised.clone();
    machine.run(|pool| async move {
        let root = words(pool.volume_create(VolumeSpec::new("v", "/v")).await)?.root;
        let file = file_in(&pool, root, "log").await?;
        let warmed = file_in(&pool, root, "warm").await?;
        warm(&pool, warmed).await?;
        words(pool.write(file, 0, bytes(seed, 30_000), Stability::Unstable).await)?;
        disk.set_slow(40);
        disk.arm(Plan { power: Some(cut), ..Plan::default() });
        let other = pool.clone();
        tokio::task::spawn_local(async move { other.commit(file, 0, 0).await });
        for _ in 0..random.below(10) {
            wander(&mut random).await;
        }
        tell.set(pool.commit(file, 0, 0).await.is_ok());
        Ok(())
    });
    machine.run(|pool| async move {
        if promised.get() { require_content(&pool, "log", bytes(seed, 30_000)).await } else { Ok(()) }
    });
    machine.end(seed)
}

/// Several files are committed by two clients each, with more bytes than the log has room for. So the logger refuses some, and their
/// first client flushes them while the second one comes.
fn run_refused(disk: Arc<FaultyDisk>, seed: u64) -> Result<(), Failure> {
    const FILES: u64 = 8;
    let mut machine = Machine::new(disk.clone(), seed);
    let cut = machine.random.below(10);
    let mut random = machine.random.fork();
    let promised = Rc::new(RefCell::new(BTreeSet::new()));
    let tell = promised.clone();
    machine.run(|pool| async move {
        let root = words(pool.volume_create(VolumeSpec::new("v", "/v")).await)?.root;
        let warmed = file_in(&pool, root, "warm").await?;
        let mut files = Vec::new();
        for number in 0..FILES {
            files.push((number, file_in(&pool, root, &format!("file{number}")).await?));
        }
        warm(&pool, warmed).await?;
        for (number, file) in &files {
            words(pool.write(*file, 0, bytes(*number, 12_000), Stability::Unstable).await)?;
        }
        disk.set_slow(40);
        disk.arm(Plan { power: Some(cut), ..Plan::default() });
        let mut clients = Vec::new();
        for (number, file) in files.iter().chain(&files).copied() {
            let (pool, tell, mut random) = (pool.clone(), tell.clone(), random.fork());
            clients.push(tokio::task::spawn_local(async move {
                for _ in 0..random.below(6) {
                    wander(&mut random).await;
                }
                if pool.commit(file, 0, 0).await.is_ok() {
                    tell.borrow_mut().insert(number);
                }
            }));
        }
        for client in clients {
            let _ = client.await;
        }
        Ok(())
    });
    machine.run(|pool| async move {
        for number in promised.take() {
            require_content(&pool, &format!("file{number}"), bytes(number, 12_000)).await?;
        }
        Ok(())
    });
    machine.end(seed)
}

/// A clone flushes what a COMMIT has handed to the logger, and another COMMIT comes before either is durable.
fn run_overtaken(disk: Arc<FaultyDisk>, seed: u64) -> Result<(), Failure> {
    let mut machine = Machine::new(disk.clone(), seed);
    let cut = machine.random.below(8);
    let mut random = machine.random.fork();
    let promised = Rc::new(Cell::new(false));
    let tell = promised.clone();
    machine.run(|pool| async move {
        let root = words(pool.volume_create(VolumeSpec::new("v", "/v")).await)?.root;
        let (file, clone) = (file_in(&pool, root, "log").await?, file_in(&pool, root, "clone").await?);
        let warmed = file_in(&pool, root, "warm").await?;
        warm(&pool, warmed).await?;
        words(pool.write(file, 0, bytes(seed, 4096), Stability::Unstable).await)?;
        disk.set_slow(40);
        disk.set_slow_log(random.between(20, 80));
        disk.arm(Plan { power: Some(cut), ..Plan::default() });
        for round in 0..random.below(3) {
            let (pool, bytes) = (pool.clone(), bytes(round, 3000));
            tokio::task::spawn_local(async move { pool.write(warmed, 0, bytes, Stability::FileSync).await });
        }
        let (other, cloner) = (pool.clone(), pool.clone());
        tokio::task::spawn_local(async move { other.commit(file, 0, 0).await });
        tokio::task::spawn_local(async move { cloner.clone_range((file, 0), (clone, 0), None).await });
        for _ in 0..random.below(10) {
            wander(&mut random).await;
        }
        tell.set(pool.commit(file, 0, 0).await.is_ok());
        Ok(())
    });
    machine.run(|pool| async move {
        if promised.get() { require_content(&pool, "log", bytes(seed, 4096)).await } else { Ok(()) }
    });
    machine.end(seed)
}

/// A flush absorbs what the oldest lap holds, while that lap is taken for another use.
fn run_reuse(disk: Arc<FaultyDisk>, seed: u64) -> Result<(), Failure> {
    let mut machine = Machine::new(disk.clone(), seed);
    // Nothing is flushed because of its age.
    machine.setting.options.dirty_age_ms_max = 3_600_000;
    let cut = machine.random.below(10);
    let mut random = machine.random.fork();
    let promised = Rc::new(Cell::new(0));
    let tell = promised.clone();
    machine.run(|pool| async move {
        let root = words(pool.volume_create(VolumeSpec::new("v", "/v")).await)?.root;
        let (file, other) = (file_in(&pool, root, "log").await?, file_in(&pool, root, "warm").await?);
        warm(&pool, other).await?;
        // More than is logged. So the file alone has records in the oldest laps that are not absorbed.
        words(pool.write(other, 0, bytes(seed, 30_000), Stability::FileSync).await)?;
        for part in 0..random.between(4, 8) {
            words(pool.write(file, part * 12_000, bytes(seed, 12_000), Stability::FileSync).await)?;
            tell.set((part + 1) * 12_000);
        }
        for round in 0..random.below(8) {
            words(pool.write(other, round * 12_000, bytes(round, 12_000), Stability::FileSync).await)?;
        }
        words(pool.write(file, 96_000, bytes(seed + 1, 30_000), Stability::Unstable).await)?;
        disk.set_slow(40);
        disk.arm(Plan { power: Some(cut), ..Plan::default() });
        let flusher = pool.clone();
        tokio::task::spawn_local(async move { flusher.commit(file, 0, 0).await });
        for round in 0..12 {
            let _ = pool.write(other, round * 12_000, bytes(round, 12_000), Stability::FileSync).await;
            wander(&mut random).await;
        }
        Ok(())
    });
    machine.run(|pool| async move {
        let root = words(pool.volume("v"))?.root;
        let content = content_of(&pool, root, "log").await?;
        let expected = bytes(seed, 12_000).repeat(promised.get() as usize / 12_000);
        if content.starts_with(&expected) { Ok(()) } else { Err("what was written is gone".into()) }
    });
    machine.end(seed)
}

/// A sync of the log fails, and the power fails soon after.
fn run_failed_sync(disk: Arc<FaultyDisk>, seed: u64) -> Result<(), Failure> {
    let mut machine = Machine::new(disk.clone(), seed);
    let fails_at = machine.random.below(6);
    let promised = Rc::new(RefCell::new(Vec::new()));
    let tell = promised.clone();
    machine.run(|pool| async move {
        let root = words(pool.volume_create(VolumeSpec::new("v", "/v")).await)?.root;
        let mut files = Vec::new();
        for number in 0..4_u64 {
            files.push((number, file_in(&pool, root, &format!("file{number}")).await?));
        }
        warm(&pool, file_in(&pool, root, "warm").await?).await?;
        disk.arm(Plan { sync: Some(fails_at), ..Plan::default() });
        for (number, file) in files {
            if pool.write(file, 0, bytes(number, 500), Stability::FileSync).await.is_ok() {
                tell.borrow_mut().push(number);
            }
        }
        Ok(())
    });
    machine.run(|pool| async move {
        for number in promised.take() {
            require_content(&pool, &format!("file{number}"), bytes(number, 500)).await?;
        }
        Ok(())
    });
    machine.end(seed)
}

/// The record of one file is damaged. Opening skips the file's bytes in the log, and puts those of the other file back.
#[test]
fn a_damaged_file_does_not_keep_the_others_from_what_they_were_promised() {
    let disk = Arc::new(FaultyDisk::default().with_log(4));
    let mut machine = Machine::new(disk.clone(), 1);
    machine.setting.options.dirty_age_ms_max = 3_600_000;
    let damaged = Rc::new(Cell::new(None));
    let tell = damaged.clone();
    machine.run(|pool| async move {
        let root = words(pool.volume_create(VolumeSpec::new("v", "/v")).await)?.root;
        let (bad, good) = (file_in(&pool, root, "bad").await?, file_in(&pool, root, "good").await?);
        for file in [bad, good] {
            warm(&pool, file).await?;
            words(pool.write(file, 0, bytes(1, 5000), Stability::FileSync).await)?;
        }
        tell.set(Some(bad));
        Ok(())
    });
    let damaged = damaged.take().unwrap();
    disk.spoil(&Item::inode(damaged.inode).at(damaged.volume, EPOCH_FIRST));
    for _ in 0..2 {
        machine.run(|pool| async move {
            let root = words(pool.volume("v"))?.root;
            let content = content_of(&pool, root, "good").await?;
            if content.get(..5000) != Some(&bytes(1, 5000)[..]) {
                return Err("what was promised is gone".into());
            }
            let error = pool.read(damaged, 0, 1).await.err();
            if !matches!(error, Some(Error::Damaged(_))) {
                return Err(format!("the damaged file gives {error:?}"));
            }
            let engine = words(pool.engine())?;
            let log = engine.log.clone().ok_or("no log")?;
            words(engine.absorb_laps(&log, true).await)?;
            if log.to_absorb(true).is_empty() { Ok(()) } else { Err("a lap is not absorbed".into()) }
        });
    }
    if let Err(failure) = machine.end(1) {
        panic!("{failure}");
    }
}

#[test]
fn what_is_promised_in_a_race_is_kept() {
    let runs = [
        run_use_of_new_file as Run,
        run_use_of_new_clone,
        run_two_commits,
        run_refused,
        run_overtaken,
        run_reuse,
        run_failed_sync,
    ];
    for run in runs {
        assert_eq!(found_by(None, 200, run), None);
    }
}

#[test]
#[ignore = "takes two minutes: `make log-rules`"]
fn each_rule_of_the_log_that_is_switched_off_is_found() {
    let only = std::env::var("FOREBAY_SIM_RULE").ok();
    let wanted = |rule: &Rule| only.as_ref().is_none_or(|only| *only == format!("{rule:?}"));
    let mut missed = Vec::new();
    for rule in Rule::ALL.into_iter().filter(wanted) {
        match found_by(Some(rule), HISTORIES, run_of(rule)) {
            Some(seed) => println!("{rule:?} is found by history {seed}"),
            None => {
                println!("{rule:?} is NOT found");
                missed.push(rule);
            }
        }
    }
    assert!(missed.is_empty(), "not found within {HISTORIES} histories: {missed:?}");
}
