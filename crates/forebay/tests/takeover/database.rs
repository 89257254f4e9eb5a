//! A pool in a database: the address moves although the machine of an owner that was silent still answers for it, since no fence program is called.

use std::time::Instant;

use rustix::process::Signal;

use super::nodes::{Cluster, Daemon};
use super::{FileHandle, TAKEOVER_MAX, reclaim_and_write, the_owner_goes_on, wait_for, write_and_unlink};

/// Node a serves, node b waits, and a broker has a file open.
fn two_nodes() -> Option<(Cluster, [Daemon; 2], FileHandle)> {
    let cluster = Cluster::in_database(2)?;
    let a = cluster.start("a");
    a.wait_for("ready:");
    let b = cluster.start("b");
    b.wait_for("waiting: another node serves the pool");
    let handle = write_and_unlink(&cluster);
    assert!(cluster.has_address("a") && !cluster.has_address("b"));
    Some((cluster, [a, b], handle))
}

/// Node b takes the address from the machine of the silent owner, and the broker goes on there.
fn b_serves(cluster: &Cluster, b: &Daemon, handle: &FileHandle) {
    let begun = Instant::now();
    b.wait_for("ready:");
    reclaim_and_write(cluster, handle);
    assert!(begun.elapsed() < TAKEOVER_MAX, "{:?}", begun.elapsed());
    assert!(b.log().contains("still has the address; taking it"), "{}", b.log());
    assert!(cluster.has_address("b"));
}

#[test]
fn the_machine_of_a_stopped_owner_still_answers_for_the_address_and_the_next_owner_takes_it() {
    let Some((cluster, [mut a, b], handle)) = two_nodes() else { return };
    a.signal(Signal::STOP);
    b_serves(&cluster, &b, &handle);
    assert!(cluster.has_address("a"), "nobody has removed it");
    // It learns from the database that it was replaced.
    a.signal(Signal::CONT);
    assert_eq!(a.end(), Some(75));
    assert!(a.log().contains("another node has taken the pool; stopping at once node=\"b\""), "{}", a.log());
    assert!(!cluster.has_address("a") && cluster.has_address("b"));
    the_owner_goes_on(&cluster, &handle);
    cluster.command("b", &["pool", "check", "--read"]);
}

/// The lease is the right to the address, also for an owner that took the pool from one that released it.
#[test]
fn an_address_for_which_a_silent_machine_still_answers_is_taken_again_after_a_planned_restart() {
    let Some((cluster, [a, mut b], handle)) = two_nodes() else { return };
    a.signal(Signal::STOP);
    b_serves(&cluster, &b, &handle);
    b.signal(Signal::TERM);
    assert_eq!(b.end(), Some(0), "{}", b.log());
    assert!(cluster.has_address("a") && !cluster.has_address("b"));
    let b = cluster.start("b");
    wait_for("the address on node b again", || cluster.has_address("b"));
    wait_for("node b serves again", || b.log().matches("ready:").count() == 2);
    assert_eq!(b.log().matches("still has the address; taking it").count(), 2, "{}", b.log());
}

/// The owner goes on to run, and its machine to answer for the address. It cannot learn from the database that it was replaced.
#[test]
fn an_owner_that_loses_the_database_ends_when_another_machine_has_its_address() {
    let Some((cluster, [mut a, b], handle)) = two_nodes() else { return };
    cluster.lose_database("a");
    b_serves(&cluster, &b, &handle);
    assert_eq!(a.end(), Some(75));
    assert!(
        a.log().contains("another machine has the pool's address, so it has the pool; stopping at once"),
        "{}",
        a.log()
    );
    wait_for("the address on node b only", || !cluster.has_address("a") && cluster.has_address("b"));
    cluster.command("b", &["pool", "check", "--read"]);
}

#[test]
fn an_address_that_a_killed_process_has_left_is_removed_by_the_next_one_on_its_machine() {
    let Some((cluster, [a, b], handle)) = two_nodes() else { return };
    drop(a);
    b_serves(&cluster, &b, &handle);
    let a = cluster.start("a");
    a.wait_for("the address was left here and is removed");
    assert!(!cluster.has_address("a") && cluster.has_address("b"));
}
