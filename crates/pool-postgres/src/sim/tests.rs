//! What histories must show, with all rules and without one of them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::history::{Plot, run};
use super::{Counts, Failure, Mistake};

/// So many histories run in tests, unless FOREBAY_SIM_LEASE sets another number. Within so many a missing rule must be found.
const HISTORIES: u64 = 1000;

fn histories() -> u64 {
    std::env::var("FOREBAY_SIM_LEASE").ok().and_then(|text| text.parse().ok()).unwrap_or(HISTORIES)
}

/// Runs histories on two threads. Each must find nothing.
fn find_nothing(plot: Plot, count: u64) -> Counts {
    let (next, all) = (AtomicU64::new(0), Mutex::new(Counts::default()));
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= count {
                return;
            }
            let (failure, counts) = run(seed, plot, Mistake::None);
            assert_eq!(failure, None, "history {seed} of {plot:?}");
            let mut all = all.lock().unwrap();
            all.takeovers += counts.takeovers;
            all.by_silence += counts.by_silence;
            all.answers += counts.answers;
            all.held += counts.held;
            all.deposed += counts.deposed;
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    });
    let all = all.into_inner().unwrap();
    println!("{count} histories of {plot:?}: {all:?}");
    all
}

#[test]
fn no_client_learns_less_than_another_one_was_told_before() {
    let count = histories();
    let all = find_nothing(Plot::Disorder, count);
    assert!(all.by_silence > count && all.takeovers > 2 * count, "few takeovers: {all:?}");
    assert!(all.held > count && all.deposed > count / 4, "few answers that had to be held: {all:?}");
}

#[test]
fn a_silent_owner_is_replaced_after_its_silence_and_soon() {
    let count = histories() / 4;
    let all = find_nothing(Plot::SilentOwner, count);
    assert_eq!(all.by_silence, count);
}

#[test]
fn a_database_that_is_away_makes_nobody_take_the_pool() {
    let count = histories() / 4;
    let all = find_nothing(Plot::DatabaseAway, count);
    assert_eq!((all.takeovers, all.deposed), (count, 0), "each pool was taken once, at the beginning");
}

#[test]
fn a_pool_that_is_moved_goes_to_the_node_that_is_named() {
    let count = histories() / 4;
    let all = find_nothing(Plot::Move, count);
    assert_eq!((all.takeovers, all.by_silence), (2 * count, 0));
}

#[test]
fn a_reservation_that_nobody_asks_for_is_missed() {
    let is_wrong =
        |seed: u64| matches!(run(seed, Plot::Move, Mistake::NotReserved).0, Some(Failure::WrongNode(_)));
    assert!((0..HISTORIES).any(is_wrong), "not found within {HISTORIES} histories");
}

#[test]
fn a_history_is_what_its_seed_says() {
    for seed in 0..20 {
        let report = || format!("{:?}", run(seed, Plot::Disorder, Mistake::None));
        assert_eq!(report(), report(), "history {seed}");
    }
}

/// If the clients missed stale answers, no test would ever fail.
#[test]
fn each_rule_that_is_left_out_is_missed_by_a_client() {
    let mistakes = [
        Mistake::AnswersNotHeld,
        Mistake::ShortSilence,
        Mistake::ValidFromEnd,
        Mistake::SilentFromBeginning,
        Mistake::NoFence,
    ];
    let mut missed = Vec::new();
    for mistake in mistakes {
        let is_stale = |seed: &u64| matches!(run(*seed, Plot::Disorder, mistake).0, Some(Failure::Stale(_)));
        let found = (0..HISTORIES).find(is_stale);
        println!("{mistake:?} is found by history {found:?}");
        missed.extend(found.is_none().then_some(mistake));
    }
    assert!(missed.is_empty(), "{missed:?} not found within {HISTORIES} histories");
}
