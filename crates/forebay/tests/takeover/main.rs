//! Several nodes and one pool, with the daemon as it is installed: who serves it, and what clients see. Needs root.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking"
)]

mod database;
mod nodes;
#[path = "../../../pool-postgres/tests/database/common/mod.rs"]
#[allow(dead_code, reason = "tests of the database use the rest")]
mod postgres;

use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use forebay_nfs_client::xdr::nfs4::{DelegationType, OpenClaim, OpenHow, StableHow, share};
use forebay_nfs_client::{Client, ClientOptions, FileHandle, OpenFile};
use nodes::{Cluster, Daemon, Fence, nfs, owner_file, wait_for};
use rustix::process::Signal;

/// A takeover takes at most so long until a client that asks all the time is answered, also on a busy machine.
const TAKEOVER_MAX: Duration = Duration::from_secs(20);
/// The same, where nobody has to be silent for a while first.
const HANDOVER_MAX: Duration = Duration::from_secs(10);

/// A client that has nothing to reclaim, as soon as the server answers.
async fn mount(name: &str) -> Client {
    connect(name, false).await
}

/// The same client again, after the server has started anew.
async fn come_back(name: &str) -> Client {
    connect(name, true).await
}

async fn connect(name: &str, reclaims: bool) -> Client {
    let begun = Instant::now();
    loop {
        let options = ClientOptions::new(name);
        let attempt = async {
            if reclaims { Client::connect(nfs(), options).await } else { Client::mount(nfs(), options).await }
        };
        match tokio::time::timeout(Duration::from_millis(500), attempt).await {
            Ok(Ok(client)) => return client,
            _ => assert!(begun.elapsed() < Duration::from_secs(30), "nobody answers"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn directory(client: &Client) -> FileHandle {
    client.files().resolve("/kafka").await.unwrap()
}

async fn write(client: &Client, file: &OpenFile, offset: u64, bytes: &'static [u8]) {
    client.files().write(file, offset, Bytes::from_static(bytes), StableHow::FileSync).await.unwrap();
}

async fn reclaim(client: &Client, handle: &FileHandle) -> OpenFile {
    let files = client.files();
    let claim = OpenClaim::Previous(DelegationType::None);
    files
        .open_with(handle, files.open_args("owner", share::ACCESS_BOTH, OpenHow::NoCreate, claim))
        .await
        .unwrap()
}

async fn contents(client: &Client, file: &OpenFile) -> Vec<u8> {
    client.files().read(file, 0, 1 << 16).await.unwrap().0.0.concat()
}

/// Node a serves, node b has seen that, and a broker has a file open.
fn two_nodes(fence: Fence) -> Option<(Cluster, [Daemon; 2], FileHandle)> {
    let cluster = Cluster::new(2, fence)?;
    let a = cluster.start("a");
    a.wait_for("ready:");
    let b = cluster.start("b");
    b.wait_for("node a has the pool, and what it writes is seen");
    let handle = write_and_unlink(&cluster);
    Some((cluster, [a, b], handle))
}

/// Opens a file for a broker, writes to it, and removes its name, on the machine with the clients.
fn write_and_unlink(cluster: &Cluster) -> FileHandle {
    cluster.on_clients(async || {
        let broker = mount("broker").await;
        let root = directory(&broker).await;
        let file = broker.files().create(&root, "log").await.unwrap();
        write(&broker, &file, 0, b"before ").await;
        broker.files().remove(&root, "log").await.unwrap();
        file.handle
    })
}

/// The broker is back, reclaims the file without a name, and goes on to write. Returns how long it took until the server answered.
fn reclaim_and_write(cluster: &Cluster, handle: &FileHandle) -> Duration {
    cluster.on_clients(async || {
        let begun = Instant::now();
        let broker = come_back("broker").await;
        let took = begun.elapsed();
        let file = reclaim(&broker, handle).await;
        broker.reclaim_complete().await.unwrap();
        assert_eq!(contents(&broker, &file).await, b"before ");
        write(&broker, &file, 7, b"after").await;
        assert_eq!(contents(&broker, &file).await, b"before after");
        let root = directory(&broker).await;
        let new = broker.files().create(&root, "new").await.unwrap();
        broker.files().close(&new).await.unwrap();
        broker.files().remove(&root, "new").await.unwrap();
        took
    })
}

#[test]
fn a_node_that_vanishes_is_fenced_and_replaced_and_nothing_is_lost() {
    let Some((cluster, [a, _b], handle)) = two_nodes(Fence::Kills) else { return };
    cluster.vanish("a", &a);
    let took = reclaim_and_write(&cluster, &handle);
    assert!(took < TAKEOVER_MAX, "{took:?}");
    assert_eq!(cluster.fenced(), "a\n");
    let owner = cluster.command("b", &["pool", "owner"]);
    assert!(owner.contains("takeover     fenced") && owner.contains("node before  a"), "{owner}");
    let events = cluster.command("b", &["event", "list"]);
    assert!(events.contains("took the pool from node a"), "{events}");
    // Its exit status says that there are no differences.
    cluster.command("b", &["pool", "check", "--read"]);
}

/// A client that has got the acknowledgement of TCP for its request, and no reply, sends nothing that could be answered by a reset.
#[test]
fn a_client_that_only_waits_learns_that_its_connection_is_gone() {
    let Some((cluster, [a, b], handle)) = two_nodes(Fence::Kills) else { return };
    let mut waiting = cluster.on_clients(async || TcpStream::connect(nfs()).unwrap());
    let client = waiting.local_addr().unwrap().to_string();
    let list = cluster.pool().join("CONNECTIONS");
    wait_for("the connection in the list", || {
        std::fs::read_to_string(&list).is_ok_and(|list| list.contains(&client))
    });
    cluster.vanish("a", &a);
    waiting.set_read_timeout(Some(TAKEOVER_MAX)).unwrap();
    // Waits again when a signal interrupts it: other tests of this process handle SIGCHLD.
    assert_eq!(waiting.read_exact(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert!(b.log().contains("clients of the last owner are told to connect again"), "{}", b.log());
    reclaim_and_write(&cluster, &handle);
}

#[test]
fn a_planned_move_takes_seconds_and_fences_nobody() {
    let Some((cluster, [mut a, _b], handle)) = two_nodes(Fence::Kills) else { return };
    let begun = Instant::now();
    let said = cluster.command("a", &["pool", "release"]);
    assert!(said.contains("hands the pool over"), "{said}");
    assert_eq!(a.end(), Some(0));
    reclaim_and_write(&cluster, &handle);
    assert!(begun.elapsed() < HANDOVER_MAX, "{:?}", begun.elapsed());
    assert_eq!(cluster.fenced(), "");
    // It can go back.
    let a = cluster.start("a");
    a.wait_for("node b has the pool, and what it writes is seen");
    cluster.command("b", &["pool", "release"]);
    wait_for("the pool on node a again", || a.log().matches("ready:").count() == 2);
}

#[test]
fn a_daemon_that_is_killed_starts_again_on_its_node_without_a_fence() {
    let Some(cluster) = Cluster::new(1, Fence::Fails) else { return };
    let a = cluster.start("a");
    a.wait_for("ready:");
    let handle = write_and_unlink(&cluster);
    drop(a);
    let _a = cluster.start("a");
    let took = reclaim_and_write(&cluster, &handle);
    assert!(took < HANDOVER_MAX, "{took:?}");
}

#[test]
fn a_node_that_was_not_fenced_is_never_replaced() {
    let Some((cluster, [a, b], handle)) = two_nodes(Fence::Fails) else { return };
    cluster.vanish("a", &a);
    b.wait_for("the power switch does not answer");
    assert!(!b.log().contains("ready:"));
    cluster.come_back("a", &a);
    the_owner_goes_on(&cluster, &handle);
}

/// The node that was suspended goes on as if nothing had happened.
fn the_owner_goes_on(cluster: &Cluster, handle: &FileHandle) {
    cluster.on_clients(async || {
        let other = mount("other").await;
        let attributes = other.files().getattr(handle).await;
        assert!(attributes.is_ok(), "the file that the broker has open is there: {attributes:?}");
    });
}

#[test]
fn a_fence_program_that_lies_is_found_out_and_the_pool_stays_with_its_owner() {
    let Some((cluster, [a, mut b], handle)) = two_nodes(Fence::Lies) else { return };
    cluster.vanish("a", &a);
    assert_eq!(b.end(), Some(1));
    assert!(b.log().contains("the fence program said that node a cannot write any more"), "{}", b.log());
    cluster.come_back("a", &a);
    the_owner_goes_on(&cluster, &handle);
}

/// Writes to a file of its own until nobody answers.
async fn write_until_silence(number: u64) {
    let broker = mount(&format!("broker-{number}")).await;
    let root = directory(&broker).await;
    let file = broker.files().create(&root, &format!("log-{number}")).await.unwrap();
    let files = broker.files();
    for record in 0.. {
        let appended = files.write(&file, record * 6, Bytes::from_static(b"record"), StableHow::FileSync);
        if tokio::time::timeout(Duration::from_secs(1), appended).await.is_err() {
            return;
        }
    }
}

/// A stopped node that no fence has touched. It has requests to carry out when it continues.
#[test]
fn a_node_that_was_stopped_and_replaced_ends_before_it_writes() {
    let Some((cluster, [mut a, b], handle)) = two_nodes(Fence::LosesLocks) else { return };
    thread::scope(|scope| {
        let cluster = &cluster;
        for number in 0..8 {
            scope.spawn(move || cluster.on_clients(async || write_until_silence(number).await));
        }
        thread::sleep(Duration::from_millis(700));
        a.signal(Signal::STOP);
        thread::sleep(Duration::from_millis(200));
        cluster.vanish("a", &a);
    });
    b.wait_for("ready:");
    let before = cluster.open_files();
    cluster.come_back("a", &a);
    assert_eq!(a.end(), Some(75));
    assert!(a.log().contains("another node has taken the pool"), "{}", a.log());
    let after = cluster.open_files();
    let changed: Vec<_> = before.keys().filter(|file| before.get(*file) != after.get(*file)).collect();
    assert!(changed.is_empty() && before.len() == after.len(), "{changed:?}");
    the_owner_goes_on(&cluster, &handle);
    cluster.command("b", &["pool", "check", "--read"]);
}

#[test]
fn mistakes_are_told_in_one_line_and_change_nothing() {
    let Some(cluster) = Cluster::new(1, Fence::Kills) else { return };
    let mut plain = cluster.start_with("a", &["--node-any-file-system", "off"]);
    assert_eq!(plain.end(), Some(1));
    assert!(plain.log().contains("only one machine may mount"), "{}", plain.log());
    let mut elsewhere = cluster.start_with("a", &["--pool-directory", "/nonexistent/pool"]);
    assert_eq!(elsewhere.end(), Some(1));
    assert!(elsewhere.log().contains("there is no pool in /nonexistent/pool"), "{}", elsewhere.log());
    assert!(!owner_file(&cluster.pool()).exists());
    let a = cluster.start("a");
    a.wait_for("ready:");
    a.signal(Signal::TERM);
    let mut a = a;
    assert_eq!(a.end(), Some(0));
    let mut alone = cluster.start_with("a", &["--node-standby", "off"]);
    assert_eq!(alone.end(), Some(1));
    assert!(alone.log().contains("start with --standby"), "{}", alone.log());
}
