//! What NFS clients keep when the daemon is stopped or killed under them.

use std::time::Duration;

use bytes::Bytes;
use forebay_nfs_client::xdr::Status;
use forebay_nfs_client::xdr::nfs4::{DelegationType, OpenClaim, OpenHow, StableHow, share};
use forebay_nfs_client::{Client, ClientOptions, FileHandle, OpenFile};
use serde_json::Value;
use tempfile::tempdir;
use tokio::sync::watch;

use crate::daemon::{Daemon, assert_refused, wait_until};

const BLOCK_BYTES: usize = 64 << 10;
/// After this a server that was stopped is taken to be gone.
const SILENCE_MAX: Duration = Duration::from_secs(5);

async fn connect(daemon: &Daemon) -> Client {
    Client::connect(daemon.address(), ClientOptions::new("broker")).await.unwrap()
}

/// A client with a session that has nothing to reclaim, and the root of the volume `kafka`.
async fn mount(daemon: &Daemon) -> (Client, FileHandle) {
    let client = connect(daemon).await;
    client.reclaim_complete().await.unwrap();
    let root = client.files().resolve("/kafka").await.unwrap();
    (client, root)
}

async fn reclaim(client: &Client, handle: &FileHandle) -> OpenFile {
    let claim = OpenClaim::Previous(DelegationType::None);
    let args = client.files().open_args("owner", share::ACCESS_BOTH, OpenHow::NoCreate, claim);
    client.files().open_with(handle, args).await.unwrap()
}

/// A block that is like no other, and cannot be compressed (SplitMix64, seeded with the block's number).
fn block(index: usize) -> Bytes {
    let mut state = (index as u64) << 32;
    let words = (0..BLOCK_BYTES / size_of::<u64>()).flat_map(|_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)).to_be_bytes()
    });
    words.collect()
}

async fn read_block(client: &Client, file: &OpenFile, index: usize) -> Vec<u8> {
    let offset = (index * BLOCK_BYTES) as u64;
    let (payload, _) = client.files().read(file, offset, BLOCK_BYTES as u32).await.unwrap();
    payload.0.concat()
}

fn volume(daemon: &Daemon) -> Value {
    serde_json::from_str(&daemon.done(&["volume", "show", "kafka", "--json"])).unwrap()
}

fn assert_consistent(daemon: &Daemon) {
    assert!(daemon.done(&["pool", "check", "--read"]).ends_with("the pool is consistent\n"));
}

/// Appends synchronous blocks until the server no longer answers; returns how many it acknowledged.
async fn append_until_it_stops(client: &Client, file: &OpenFile, acknowledged: &watch::Sender<usize>) {
    let files = client.files();
    let mut index = 0;
    loop {
        let offset = (index * BLOCK_BYTES) as u64;
        let write = files.write(file, offset, block(index), StableHow::FileSync);
        match tokio::time::timeout(SILENCE_MAX, write).await {
            Ok(Ok(_)) => index += 1,
            _ => return,
        }
        acknowledged.send_replace(index);
    }
}

/// Stops the daemon in the middle of synchronous appends: everything acknowledged must be there after.
async fn assert_acknowledged_writes_survive(stop: impl FnOnce(Daemon)) {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let (client, root) = mount(&daemon).await;
    let file = client.files().create(&root, "log").await.unwrap();
    let verifier = client.files().commit(&file.handle).await.unwrap();

    let (sender, mut acknowledged) = watch::channel(0);
    let writer = {
        let file = file.clone();
        tokio::spawn(async move { append_until_it_stops(&client, &file, &sender).await })
    };
    acknowledged.wait_for(|blocks| *blocks >= 20).await.unwrap();
    tokio::task::block_in_place(|| stop(daemon));
    writer.await.unwrap();
    let blocks = *acknowledged.borrow();

    let daemon = Daemon::start(scratch.path());
    let client = connect(&daemon).await;
    let file = reclaim(&client, &file.handle).await;
    client.reclaim_complete().await.unwrap();
    for index in 0..blocks {
        assert_eq!(read_block(&client, &file, index).await, block(index), "block {index} of {blocks}");
    }
    assert_ne!(client.files().commit(&file.handle).await.unwrap(), verifier, "clients must resend the rest");
    assert_consistent(&daemon);
    daemon.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_that_were_acknowledged_survive_a_kill() {
    assert_acknowledged_writes_survive(Daemon::kill).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_that_were_acknowledged_survive_a_stop_and_do_not_delay_it() {
    assert_acknowledged_writes_survive(Daemon::stop).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_file_that_was_open_at_the_kill_is_there_until_it_is_closed() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let (client, root) = mount(&daemon).await;
    let file = client.files().create(&root, "log").await.unwrap();
    for index in 0..4 {
        let offset = (index * BLOCK_BYTES) as u64;
        client.files().write(&file, offset, block(index), StableHow::FileSync).await.unwrap();
    }
    client.files().remove(&root, "log").await.unwrap();
    assert_eq!(volume(&daemon)["orphans"], 1);
    daemon.kill();

    let daemon = Daemon::start(scratch.path());
    let client = connect(&daemon).await;
    let file = reclaim(&client, &file.handle).await;
    client.reclaim_complete().await.unwrap();
    client.files().write(&file, 0, block(9), StableHow::FileSync).await.unwrap();
    assert_eq!(read_block(&client, &file, 0).await, block(9));
    assert_eq!(read_block(&client, &file, 3).await, block(3));
    let root = client.files().resolve("/kafka").await.unwrap();
    assert!(client.files().readdir(&root).await.unwrap().is_empty());

    client.files().close(&file).await.unwrap();
    wait_until("the orphan's space is given back", || {
        let volume = volume(&daemon);
        volume["orphans"] == 0 && volume["bytes_logical"] == 0
    });
    assert_consistent(&daemon);
    daemon.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_that_is_no_volume_cannot_be_mounted_and_a_new_volume_can_at_once() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let (client, _) = mount(&daemon).await;
    let missing = client.files().resolve("/clusters/b").await.unwrap_err();
    assert_eq!(missing.status(), Some(Status::NoEnt));
    daemon.done(&["volume", "create", "b", "--path", "/clusters/b"]);
    let root = client.files().resolve("/clusters/b").await.unwrap();
    client.files().create(&root, "log").await.unwrap();

    assert_refused(&daemon.run(&["volume", "delete", "b"]), 1, &["volume b: not empty"]);
    daemon.done(&["volume", "delete", "b", "--force"]);
    let stale = client.files().getattr(&root).await.unwrap_err();
    assert_eq!(stale.status(), Some(Status::Stale));
    daemon.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_pool_keeps_what_it_acknowledged_and_takes_writes_again_after_deletes() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start_with(scratch.path(), &["--pool-size-max", "64MiB"]);
    let (client, root) = mount(&daemon).await;
    let files = client.files();
    let full = files.create(&root, "full").await.unwrap();
    let mut blocks = 0;
    let refusal = loop {
        let offset = (blocks * BLOCK_BYTES) as u64;
        match files.write(&full, offset, block(blocks), StableHow::FileSync).await {
            Ok(_) => blocks += 1,
            Err(error) => break error,
        }
        assert!(blocks * BLOCK_BYTES <= 64 << 20, "more was written than fits");
    };
    assert_eq!(refusal.status(), Some(Status::NoSpc));
    assert!(blocks * BLOCK_BYTES > 32 << 20, "only {blocks} blocks fit");
    for index in 0..blocks {
        assert_eq!(read_block(&client, &full, index).await, block(index), "block {index} of {blocks}");
    }

    files.close(&full).await.unwrap();
    files.remove(&root, "full").await.unwrap();
    wait_until("the space is given back", || volume(&daemon)["bytes_logical"] == 0);
    let next = files.create(&root, "next").await.unwrap();
    for index in 0..blocks / 2 {
        let offset = (index * BLOCK_BYTES) as u64;
        files.write(&next, offset, block(index), StableHow::FileSync).await.unwrap();
    }
    assert_consistent(&daemon);
    daemon.stop();
}
