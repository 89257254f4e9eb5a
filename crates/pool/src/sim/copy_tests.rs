//! Two copies of the metadata: the first is lost between two lives, the second is away, fails, or comes back old. Whatever happens, the
//! pool that goes on has everything that was acknowledged. And each rule that is switched off is found out.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::history::{self, Failure, Report};
use crate::sim::faulty::{FaultyDisk, Protection};
use crate::store::meta::CopyRule;

/// The number of histories in a test run, unless FOREBAY_SIM_HISTORIES sets another.
const HISTORIES: u64 = 400;
/// Within so many histories a broken rule must be found.
const HISTORIES_BROKEN: u64 = 3000;

fn run(rule: Option<CopyRule>, seed: u64) -> Result<Report, Failure> {
    let disk = FaultyDisk::mirrored().with_log(if seed.is_multiple_of(2) { 4 } else { 8 });
    let disk = rule.into_iter().fold(disk, FaultyDisk::breaking_copies);
    match seed % 4 {
        0 | 1 => history::run_syncs_on(Arc::new(disk), seed),
        2 => history::run_on(Arc::new(disk), seed),
        _ if rule.is_some() => history::run_on(Arc::new(disk), seed),
        _ => history::run_nodes_on(Arc::new(disk.protected_by(Protection::Look)), seed),
    }
}

/// Runs histories until one fails. Returns its seed, and how often the first copy was lost until then.
fn run_many(rule: Option<CopyRule>, first: u64, histories: u64) -> (Option<u64>, u64) {
    let (next, found, losses) = (AtomicU64::new(first), AtomicU64::new(u64::MAX), AtomicU64::new(0));
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::SeqCst);
            if seed >= (first + histories).min(found.load(Ordering::SeqCst)) {
                return;
            }
            match run(rule, seed) {
                Ok(report) => drop(losses.fetch_add(report.losses, Ordering::SeqCst)),
                Err(failure) => {
                    if rule.is_none() {
                        eprintln!("{failure}");
                    }
                    found.fetch_min(seed, Ordering::SeqCst);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        (0..threads).for_each(|_| drop(scope.spawn(work)));
    });
    (Some(found.into_inner()).filter(|seed| *seed < u64::MAX), losses.into_inner())
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn whatever_happens_to_either_copy_the_pool_that_goes_on_has_everything() {
    let first = number("FOREBAY_SIM_FIRST").unwrap_or(0);
    let histories = number("FOREBAY_SIM_HISTORIES").unwrap_or(HISTORIES);
    let (found, losses) = run_many(None, first, histories);
    println!("{histories} histories, in which the first copy was lost {losses} times");
    assert_eq!(found, None, "a history failed; see above");
    assert!(histories < 100 || losses > histories / 20, "hardly a first copy was lost: {losses}");
}

#[test]
#[ignore = "takes minutes: make log-rules"]
fn each_rule_of_the_copies_that_is_switched_off_is_found() {
    let histories = number("FOREBAY_SIM_HISTORIES").unwrap_or(HISTORIES_BROKEN);
    let mut missed = Vec::new();
    for rule in CopyRule::ALL {
        let (found, _) = run_many(Some(rule), 0, histories);
        println!("{rule:?} is found by history {found:?}");
        missed.extend(found.is_none().then_some(rule));
    }
    assert!(missed.is_empty(), "not found within {histories} histories: {missed:?}");
}
