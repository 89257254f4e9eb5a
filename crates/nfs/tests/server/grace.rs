//! Grace periods: every volume has its own, and requests that have to wait for its end are held.

use std::time::{Duration, Instant};

use forebay_nfs_client::{Client, ClientOptions, FileHandle, OpenFile};
use forebay_nfs_proto::xdr::Status;

use crate::harness::*;
use crate::state::*;

/// A server with the volumes `a` and `b`, which holds requests for so long.
async fn two_volumes(hold_seconds: u32) -> Daemon {
    let daemon =
        Daemon::start_with(forebay_nfs::Config { grace_hold_seconds: hold_seconds, ..config() }).await;
    for name in ["a", "b"] {
        daemon.pool().volume_create(volume(name, true)).await.expect("a volume");
    }
    daemon
}

async fn directory(client: &Client, volume: &str) -> FileHandle {
    client.files().resolve(&format!("/{volume}")).await.expect("the volume is mounted")
}

async fn create(client: &Client, volume: &str, name: &str) -> OpenFile {
    let directory = directory(client, volume).await;
    client.files().create(&directory, name).await.expect("a file")
}

/// How an OPEN that is no reclaim fares in a volume.
async fn open_new(client: &Client, volume: &str) -> Result<(), Status> {
    let directory = directory(client, volume).await;
    match client.files().create(&directory, "new").await {
        Ok(file) => {
            client.files().close(&file).await.expect("closed");
            Ok(())
        }
        Err(error) => Err(error.status().expect("a status")),
    }
}

#[tokio::test]
async fn a_client_that_does_not_return_delays_only_its_own_volumes() {
    let mut server = two_volumes(0).await;
    let (gone, back) = (server.mount("gone").await, server.mount("back").await);
    create(&gone, "a", "log").await;
    let file = create(&back, "b", "log").await;

    server.restart().await;
    let other = server.mount("other").await;
    assert_eq!(open_new(&other, "kafka").await, Ok(()), "nobody had anything open there");
    assert_eq!(open_new(&other, "a").await, Err(Status::Grace));
    assert_eq!(open_new(&other, "b").await, Err(Status::Grace));
    let back = server.connect("back").await;
    reclaim(&back, &file.handle).await.expect("it was open");
    back.reclaim_complete().await.expect("complete");
    assert_eq!(open_new(&other, "b").await, Ok(()), "all are back who had something open there");
    assert_eq!(open_new(&back, "b").await, Ok(()));
    assert_eq!(open_new(&other, "a").await, Err(Status::Grace));
    let grace = server.shared().state.grace().expect("it goes on");
    let names: Vec<String> =
        grace.missing.iter().flatten().map(|name| name.escape_ascii().to_string()).collect();
    assert!(grace.missing_count == 1 && names[0].contains("gone"), "{names:?}");
    assert!(grace.remaining > Duration::ZERO);
    server.expire_all_but(&[&other, &back]).await;
    assert_eq!(open_new(&other, "a").await, Ok(()), "its time is over");
    assert_eq!(server.shared().state.grace(), None);
}

#[tokio::test]
async fn a_client_reclaims_only_where_it_had_something_open() {
    let mut server = two_volumes(0).await;
    let (one, both) = (server.mount("one").await, server.mount("both").await);
    create(&one, "a", "log").await;
    let (in_a, in_b) = (create(&both, "a", "both").await, create(&both, "b", "both").await);

    server.restart().await;
    let one = server.connect("one").await;
    assert_eq!(status(reclaim(&one, &in_b.handle).await), Status::ReclaimBad);
    reclaim(&one, &in_a.handle).await.expect("it had something open in this volume");
    let both = server.connect("both").await;
    for file in [&in_a, &in_b] {
        reclaim(&both, &file.handle).await.expect("it was open");
    }
    both.reclaim_complete().await.expect("complete");
    assert_eq!(open_new(&both, "b").await, Ok(()));
    assert_eq!(open_new(&both, "a").await, Err(Status::Grace));
    assert_eq!(status(reclaim(&one, &in_b.handle).await), Status::ReclaimBad, "others may have it now");
}

/// The client was absent, so nobody waits for it in the volume that only it had files in. What it had there it must not reclaim after yet
/// another restart either, because others may have got it meanwhile.
#[tokio::test]
async fn a_volume_that_is_not_waited_for_leaves_the_records_of_absent_clients() {
    let mut server = two_volumes(0).await;
    let absent = server.mount("absent").await;
    let (in_a, in_b) = (create(&absent, "a", ".lock").await, create(&absent, "b", ".lock").await);
    server.pass(LEASE * 12).await;
    let waited_for = server.mount("waited-for").await;
    create(&waited_for, "b", "log").await;

    server.restart().await;
    let other = server.mount("other").await;
    let in_a_directory = directory(&other, "a").await;
    let theirs = other.files().open(&in_a_directory, ".lock").await.expect("the volume is not waited for");
    lock(&other, &theirs).await.expect("nobody has it");

    server.restart().await;
    let absent = server.connect("absent").await;
    assert_eq!(status(reclaim(&absent, &in_a.handle).await), Status::ReclaimBad, "another client has it");
    reclaim(&absent, &in_b.handle).await.expect("the other volume was waited for all the time");
}

#[tokio::test]
async fn a_volume_in_which_nothing_is_open_any_more_is_not_waited_for() {
    let mut server = two_volumes(0).await;
    let client = server.mount("client").await;
    create(&client, "a", "log").await;
    let closed = create(&client, "b", "log").await;
    client.files().close(&closed).await.expect("closed");
    for _ in 0..6 {
        server.pass(LEASE / 2).await;
        client.renew().await.expect("its lease is good");
    }
    server.restart().await;
    let other = server.mount("other").await;
    assert_eq!(open_new(&other, "b").await, Ok(()));
    assert_eq!(open_new(&other, "a").await, Err(Status::Grace));
}

#[tokio::test]
async fn what_is_opened_again_after_a_while_is_waited_for_again() {
    let mut server = two_volumes(0).await;
    let client = server.mount("client").await;
    for round in 0..2 {
        let file = create(&client, "b", "log").await;
        if round == 0 {
            client.files().close(&file).await.expect("closed");
        }
        for _ in 0..6 {
            server.pass(LEASE / 2).await;
            client.renew().await.expect("its lease is good");
        }
    }
    server.restart().await;
    let other = server.mount("other").await;
    assert_eq!(open_new(&other, "b").await, Err(Status::Grace));
}

#[tokio::test]
async fn a_request_is_held_until_the_grace_period_is_over() {
    let mut server = two_volumes(5).await;
    let broker = server.mount("broker").await;
    let file = create(&broker, "a", ".lock").await;
    lock(&broker, &file).await.expect("nobody has it");

    server.restart().await;
    let other = server.mount("other").await;
    let broker = server.connect("broker").await;
    let opening = async {
        let directory = directory(&other, "a").await;
        other.files().open(&directory, ".lock").await
    };
    let reclaiming = async {
        let held = async || server.shared().state.census().confirmed > 0;
        eventually("the other client is there", held).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        let file = reclaim(&broker, &file.handle).await.expect("it was open");
        reclaim_lock(&broker, &file).await.expect("it was locked");
        broker.reclaim_complete().await.expect("complete");
    };
    let (theirs, ()) = tokio::join!(opening, reclaiming);
    let theirs = theirs.expect("it waited for the end of the grace period");
    assert_eq!(lock(&other, &theirs).await, Err(Status::Denied), "the lock was reclaimed first");
    assert_eq!(server.shared().counters().events.held, 1);
}

#[tokio::test]
async fn a_request_is_not_held_for_longer_than_configured_nor_by_a_server_that_stops() {
    let mut server = two_volumes(5).await;
    let broker = server.mount("broker").await;
    create(&broker, "a", "log").await;
    server.restart().await;
    let other = server.mount("other").await;
    let passing = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        server.pass(Duration::from_secs(6)).await;
    };
    let (opened, ()) = tokio::join!(open_new(&other, "a"), passing);
    assert_eq!(opened, Err(Status::Grace));

    let begun = Instant::now();
    let opening = tokio::spawn(async move { open_new(&other, "a").await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    server.stop().await;
    assert!(begun.elapsed() < DEADLINE / 2, "the stop waited for a request that was held");
    assert_eq!(opening.await.expect("it does not panic"), Err(Status::Grace));
}

#[tokio::test]
async fn a_client_that_is_still_reclaiming_is_answered_at_once() {
    let mut server = two_volumes(60).await;
    let broker = server.mount("broker").await;
    create(&broker, "a", "log").await;
    server.restart().await;
    let broker = Client::connect(server.address(), ClientOptions::new("broker")).await.expect("a client");
    assert_eq!(open_new(&broker, "a").await, Err(Status::Grace));
    assert_eq!(server.shared().counters().events.held, 0);
}
