//! Tests that run the simulation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use super::at_rest;
use super::elsewhere;
use super::flips;
use super::history::{self, Report};
use crate::sim::faulty::{FaultyDisk, Lie, Protection};

/// The number of histories in a test run, unless FOREBAY_SIM_HISTORIES sets another.
const HISTORIES: u64 = 1500;
/// Within so many histories a missing fence must be found.
const HISTORIES_WITHOUT_FENCE: u64 = 1000;
/// So many histories with takeovers must pass where replaced nodes look before they write.
const HISTORIES_WITH_LOOKS: u64 = 200;
/// The interval at which a long run reports its progress.
const PROGRESS: Duration = Duration::from_secs(5);

/// The end of a run.
enum Extent {
    Histories(u64),
    Until(Instant),
}

/// The results of many histories.
#[derive(Default)]
struct Sum {
    histories: AtomicU64,
    crashes: AtomicU64,
    operations: AtomicU64,
    /// The number of histories in which inline bytes became chunks.
    chunked: AtomicU64,
    takeovers: AtomicU64,
    failed: AtomicBool,
}

impl Sum {
    fn add(&self, report: &Report) {
        self.histories.fetch_add(1, Ordering::SeqCst);
        self.crashes.fetch_add(report.crashes, Ordering::SeqCst);
        self.operations.fetch_add(report.operations, Ordering::SeqCst);
        self.chunked.fetch_add(u64::from(report.bytes_chunked > 0), Ordering::SeqCst);
        self.takeovers.fetch_add(report.takeovers, Ordering::SeqCst);
    }

    fn print(&self, begun: Instant) {
        let count = |of: &AtomicU64| of.load(Ordering::SeqCst);
        let (histories, seconds) = (count(&self.histories), begun.elapsed().as_secs_f64());
        println!(
            "{seconds:.0} s: {histories} histories, {} crashes, {} takeovers, {} operations, inline bytes chunked in {}; {:.0} histories a second",
            count(&self.crashes),
            count(&self.takeovers),
            count(&self.operations),
            count(&self.chunked),
            histories as f64 / seconds
        );
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Runs histories on all cores until one fails or the extent is reached. Returns false if one failed.
fn run_many(first: u64, extent: &Extent) -> bool {
    let (next, sum, begun) = (AtomicU64::new(first), Sum::default(), Instant::now());
    let work = || {
        while !sum.failed.load(Ordering::SeqCst) {
            let seed = next.fetch_add(1, Ordering::SeqCst);
            let enough = match extent {
                Extent::Histories(count) => seed - first >= *count,
                Extent::Until(end) => Instant::now() >= *end,
            };
            if enough {
                return;
            }
            match history::run(seed) {
                Ok(report) => sum.add(&report),
                Err(failure) => {
                    sum.failed.store(true, Ordering::SeqCst);
                    eprintln!("{failure}");
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut told = begun;
        while !workers.iter().all(|worker| worker.is_finished()) {
            std::thread::park_timeout(Duration::from_millis(20));
            if matches!(extent, Extent::Until(_)) && told.elapsed() >= PROGRESS {
                told = Instant::now();
                sum.print(begun);
            }
        }
    });
    sum.print(begun);
    let (histories, chunked) = (sum.histories.into_inner(), sum.chunked.into_inner());
    let takeovers = sum.takeovers.into_inner();
    assert!(histories < 1000 || chunked > histories / 20, "hardly an inline byte became a chunk");
    assert!(
        histories < 1000 || takeovers > histories / 20,
        "hardly another node took a pool over: {takeovers}"
    );
    !sum.failed.into_inner()
}

#[test]
fn random_histories_with_crashes_lose_nothing_and_invent_nothing() {
    if let Some(seed) = number("FOREBAY_SIM_SEED") {
        let report = history::run(seed).unwrap_or_else(|failure| panic!("{failure}"));
        println!("history {seed}: {report:?}");
        return;
    }
    let extent = match number("FOREBAY_SOAK_MINUTES") {
        Some(minutes) => Extent::Until(Instant::now() + Duration::from_secs(minutes * 60)),
        None => Extent::Histories(number("FOREBAY_SIM_HISTORIES").unwrap_or(HISTORIES)),
    };
    let first = number("FOREBAY_SIM_FIRST").unwrap_or(0);
    assert!(run_many(first, &extent), "a history failed; its seed is above");
}

#[test]
fn the_same_seed_is_the_same_history() {
    for seed in 0..40 {
        let one = history::run(seed).unwrap_or_else(|failure| panic!("{failure}"));
        let other = history::run(seed).unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(one, other, "seed {seed}");
    }
}

#[test]
fn whatever_step_the_power_fails_at_nothing_is_lost() {
    let mut steps = 0;
    for seed in 0..20 {
        let mut step = 0;
        while history::run_cut_at(seed, step).unwrap_or_else(|failure| panic!("cut at {step}: {failure}")) {
            step += 1;
        }
        steps += step;
    }
    assert!(steps > 100, "too few steps to mean anything: {steps}");
}

#[test]
fn a_flipped_bit_in_a_segment_is_an_error_or_nothing_but_never_wrong_bytes() {
    let met = (0..40).map(|seed| flips::run_flips(seed, 12).unwrap_or_else(|failure| panic!("{failure}")));
    let met: u64 = met.sum();
    assert!(met > 40, "hardly a flip was met by a reader: {met}");
}

#[test]
fn a_pool_whose_files_are_lost_or_old_is_refused_or_right_and_never_empty() {
    let (mut refused, mut opened) = (0, 0);
    for seed in 0..60 {
        let at_rest = at_rest::run(seed, 25).unwrap_or_else(|failure| panic!("{failure}"));
        refused += at_rest.refused;
        opened += at_rest.opened;
    }
    assert!(refused > 300 && opened > 100, "{refused} refused, {opened} opened");
}

/// A pool that other nodes take over, with this protection from those that they have replaced.
fn run_nodes(is_mirrored: bool, protection: Protection, seed: u64) -> Result<Report, history::Failure> {
    let disk = if is_mirrored { FaultyDisk::mirrored() } else { FaultyDisk::default() };
    history::run_nodes_on(Arc::new(disk.with_log(4).protected_by(protection)), seed)
}

/// Without a look before each write, and without a fence.
#[test]
fn a_node_that_was_replaced_and_goes_on_writing_is_found() {
    for is_mirrored in [false, true] {
        let run = |seed: u64| run_nodes(is_mirrored, Protection::Nothing, seed).is_err();
        let found = (0..HISTORIES_WITHOUT_FENCE).find(|seed| run(*seed));
        println!("a takeover without the fence is found by history {found:?}");
        assert!(found.is_some(), "not found within {HISTORIES_WITHOUT_FENCE} histories");
    }
}

/// A node that was replaced while it was stopped, and continues.
#[test]
fn a_node_that_looks_before_each_write_does_no_harm_without_a_fence() {
    for is_mirrored in [false, true] {
        let mut takeovers = 0;
        for seed in 0..HISTORIES_WITH_LOOKS {
            let report = run_nodes(is_mirrored, Protection::Look, seed);
            takeovers += report.unwrap_or_else(|failure| panic!("{failure}")).takeovers;
        }
        assert!(takeovers > HISTORIES_WITH_LOOKS / 2, "hardly another node took a pool over: {takeovers}");
    }
}

/// So many histories of pools in a database and a bucket run in tests, unless FOREBAY_SIM_ELSEWHERE sets another number.
const HISTORIES_ELSEWHERE: u64 = 1000;

/// Nodes that are replaced while they are stopped at any step, and continue. The database refuses their commits; the bucket takes what they store
/// and delete, however late.
#[test]
fn pools_in_a_database_and_a_bucket_lose_nothing_when_nodes_replace_each_other() {
    let count = number("FOREBAY_SIM_ELSEWHERE").unwrap_or(HISTORIES_ELSEWHERE);
    let first = number("FOREBAY_SIM_FIRST").unwrap_or(0);
    let (next, takeovers, crashes) = (AtomicU64::new(first), AtomicU64::new(0), AtomicU64::new(0));
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::SeqCst);
            if seed >= first + count {
                return;
            }
            let report = elsewhere::run_on(Arc::new(FaultyDisk::elsewhere()), seed);
            let report = report.unwrap_or_else(|failure| panic!("elsewhere: {failure}"));
            takeovers.fetch_add(report.takeovers, Ordering::SeqCst);
            crashes.fetch_add(report.crashes, Ordering::SeqCst);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    });
    let (takeovers, crashes) = (takeovers.into_inner(), crashes.into_inner());
    let joins = crate::upkeep::cleaner::JOINS.load(Ordering::Relaxed);
    println!(
        "{count} histories of pools in a database and a bucket: {takeovers} takeovers, {crashes} crashes, small segments joined {joins} times"
    );
    assert!(joins > count / 50, "small segments were joined {joins} times");
    assert!(takeovers > count / 2 && crashes > count / 2, "{takeovers} takeovers, {crashes} crashes");
}

/// Without the fence in the database.
#[test]
fn a_replaced_node_that_still_commits_to_the_database_is_found() {
    let disk = || Arc::new(FaultyDisk::elsewhere().protected_by(Protection::Nothing));
    let found = (0..HISTORIES_WITHOUT_FENCE).find(|seed| elsewhere::run_on(disk(), *seed).is_err());
    println!("a takeover without the fence of the database is found by history {found:?}");
    assert!(found.is_some(), "not found within {HISTORIES_WITHOUT_FENCE} histories");
}

/// If the model missed errors, no test would ever fail.
#[test]
fn a_disk_that_does_not_sync_is_found_out() {
    for lie in [Lie::Segments, Lie::Metadata] {
        let found = (0..300).any(|seed| history::run_on(Arc::new(FaultyDisk::lying(lie)), seed).is_err());
        assert!(found, "nobody misses what {lie:?} lost");
    }
}
