//! Candidates, and the lease of the owner.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use forebay_pool::store::{Batch, MetaStore, MetaView};
use forebay_pool_postgres::{Database, Lease, LeaseOptions, PostgresMeta, PostgresOptions};

fn wait(database: &Database, node: &str, restarts: bool, losses: &Arc<AtomicUsize>) -> Lease {
    let (stop, losses) = (Arc::default(), losses.clone());
    let lost = move |_: &str| {
        losses.fetch_add(1, Ordering::SeqCst);
    };
    Lease::wait(database, node, restarts, LeaseOptions::default(), &stop, lost).unwrap().unwrap()
}

fn open(database: &Database, lease: &Lease) -> PostgresMeta {
    PostgresMeta::open(database, lease.owned(), PostgresOptions::default()).unwrap()
}

fn put(store: &PostgresMeta, key: u8) -> forebay_pool::Result<()> {
    store.write(Batch { changes: vec![(vec![0x10, key], Some(Bytes::from_static(b"x")))] })?;
    store.make_durable()
}

#[test]
fn a_released_pool_is_taken_at_once_and_one_that_is_held_is_not() {
    let (database, losses) = (common::new_database(), Arc::default());
    let begun = Instant::now();
    let first = wait(&database, "a", false, &losses);
    assert!(begun.elapsed() < Duration::from_secs(2), "nobody had it");
    assert_eq!(first.taken_from().0, None);
    put(&open(&database, &first), 1).unwrap();
    // Longer than silence would take: the lease is renewed.
    let stop = Arc::new(AtomicBool::new(false));
    let candidate = {
        let (database, stop) = (database.clone(), stop.clone());
        std::thread::spawn(move || Lease::wait(&database, "b", false, LeaseOptions::default(), &stop, |_| ()))
    };
    std::thread::sleep(Duration::from_secs(6));
    assert!(!candidate.is_finished() && first.tenure().holds());
    first.release().unwrap();
    let second = candidate.join().unwrap().unwrap().unwrap();
    assert_eq!(second.taken_from(), (Some("a"), Duration::ZERO));
    assert!(open(&database, &second).get(&[0x10, 1]).unwrap().is_some());
    assert_eq!(losses.load(Ordering::SeqCst), 0);
}

#[test]
fn a_silent_owner_is_replaced_and_may_not_answer_when_that_happens() {
    let (database, losses) = (common::new_database(), Arc::<AtomicUsize>::default());
    let first = wait(&database, "a", false, &losses);
    let (store, tenure) = (open(&database, &first), first.tenure());
    put(&store, 1).unwrap();
    // The process goes on, but nothing of it renews the lease any more.
    drop(first);
    let begun = Instant::now();
    let second = wait(&database, "b", false, &losses);
    let took = begun.elapsed();
    assert!(!tenure.holds(), "the tenure ended before the pool was taken");
    assert!((Duration::from_secs(3)..Duration::from_secs(6)).contains(&took), "{took:?}");
    assert_eq!(second.taken_from().0, Some("a"));
    assert!(put(&store, 2).is_err());
    assert!(second.tenure().holds());
    assert_eq!(open(&database, &second).get(&[0x10, 2]).unwrap(), None);
}

#[test]
fn a_process_that_restarts_on_its_machine_takes_its_own_lease_at_once() {
    let (database, losses) = (common::new_database(), Arc::<AtomicUsize>::default());
    let first = wait(&database, "a", true, &losses);
    std::thread::sleep(Duration::from_millis(700));
    let begun = Instant::now();
    let second = wait(&database, "a", true, &losses);
    assert!(begun.elapsed() < Duration::from_secs(2));
    // The first one learns of it with its next renewal.
    let deadline = Instant::now() + Duration::from_secs(3);
    while losses.load(Ordering::SeqCst) == 0 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(losses.load(Ordering::SeqCst), 1);
    assert!(first.tenure().is_lost() && !first.tenure().holds() && second.tenure().holds());
}

#[test]
fn of_several_candidates_one_takes_the_pool() {
    let (database, losses) = (common::new_database(), Arc::<AtomicUsize>::default());
    let first = wait(&database, "a", false, &losses);
    let stop = Arc::new(AtomicBool::new(false));
    let candidates: Vec<_> = ["b", "c", "d"]
        .map(|node| {
            let (database, stop) = (database.clone(), stop.clone());
            std::thread::spawn(move || {
                Lease::wait(&database, node, false, LeaseOptions::default(), &stop, |_| ())
            })
        })
        .into();
    drop(first);
    let deadline = Instant::now() + Duration::from_secs(10);
    while !candidates.iter().any(|candidate| candidate.is_finished()) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_secs(1));
    stop.store(true, Ordering::SeqCst);
    let taken = candidates.into_iter().filter_map(|candidate| candidate.join().unwrap().unwrap());
    assert_eq!(taken.count(), 1);
}
