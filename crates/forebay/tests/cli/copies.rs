//! A pool with two copies loses its first disk under load: what clients were told is in the second copy, which becomes the pool.

use std::path::PathBuf;
use std::time::Duration;

use forebay_nfs_client::xdr::nfs4::StableHow;
use serde_json::Value;
use tempfile::{TempDir, tempdir};
use tokio::sync::watch;

use crate::daemon::{Daemon, Finished, assert_refused, run, wait_until};
use crate::numbered::{assert_all_there, assert_consistent, content, create_until_it_stops, mount};

/// The directories of a pool: the first copy, the second, and one for a new disk.
struct Disks {
    first: TempDir,
    second: TempDir,
    third: TempDir,
}

impl Disks {
    fn new() -> Disks {
        Disks { first: tempdir().unwrap(), second: tempdir().unwrap(), third: tempdir().unwrap() }
    }
    /// The second copy, where a daemon on this disk has its pool.
    fn copy(&self) -> PathBuf {
        self.second.path().join("pool")
    }
    fn start(&self) -> Daemon {
        let copy = self.copy();
        Daemon::start_with(self.first.path(), &["--pool-copies-directory", copy.to_str().unwrap()])
    }
    fn promote(&self, more: &[&str]) -> Finished {
        let copy = self.copy();
        run(&[&["pool", "promote", copy.to_str().unwrap()], more].concat())
    }
}

fn metadata(daemon: &Daemon) -> Value {
    let pool: Value = serde_json::from_str(&daemon.done(&["pool", "show", "--json"])).unwrap();
    pool["metadata"].clone()
}

fn wait_for_copies(daemon: &Daemon) {
    wait_until("the metadata is in two copies", || metadata(daemon)["copies"] == 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_disk_is_destroyed_under_load_and_the_second_copy_has_everything() {
    let disks = Disks::new();
    let daemon = disks.start();
    wait_for_copies(&daemon);
    let (client, root) = mount(&daemon, "broker").await;
    let (sender, mut acknowledged) = watch::channel(0);
    let writer = tokio::spawn(create_until_it_stops(client, root, 0, sender));
    acknowledged.wait_for(|count| *count >= 40).await.unwrap();
    // A daemon that still has the copy open keeps it.
    assert_refused(&disks.promote(&["--first-is-lost"]), 1, &["another process"]);
    let first = disks.first.path().join("pool");
    tokio::task::block_in_place(|| {
        // At one instant: the daemon still makes files in it.
        std::fs::rename(&first, disks.first.path().join("lost")).unwrap();
        std::fs::remove_dir_all(disks.first.path().join("lost")).unwrap();
        // What it acknowledges now, it has only in the second copy.
        std::thread::sleep(Duration::from_millis(300));
        daemon.kill();
    });
    writer.await.unwrap();
    let count = *acknowledged.borrow();

    let told = disks.promote(&[]);
    assert_refused(&told, 1, &["nothing was changed", "--first-is-lost"]);
    assert!(told.stdout.contains("last recorded its state here"), "{told:?}");
    let promoted = disks.promote(&["--first-is-lost"]);
    assert!(promoted.status == 0 && promoted.stdout.contains("is the pool now"), "{promoted:?}");
    assert_refused(&disks.promote(&["--first-is-lost"]), 1, &["is a pool already"]);

    // The pool goes on, first with one copy, and with two again when there is a new disk.
    let daemon = Daemon::start(disks.second.path());
    let (client, root) = mount(&daemon, "broker").await;
    assert_all_there(&client, &root, count).await;
    assert_consistent(&daemon);
    daemon.stop();
    let third = disks.third.path().join("copy");
    let daemon =
        Daemon::start_with(disks.second.path(), &["--pool-copies-directory", third.to_str().unwrap()]);
    wait_for_copies(&daemon);
    let (client, root) = mount(&daemon, "broker").await;
    let files = client.files();
    for number in count..count + 10 {
        let name = format!("file{number}");
        // The last one may be there, without having been acknowledged.
        let _ = files.remove(&root, &name).await;
        let file = files.create(&root, &name).await.unwrap();
        let bytes = content(number);
        for (part, piece) in bytes.chunks(100_000).enumerate() {
            let offset = part as u64 * 100_000;
            files.write(&file, offset, bytes.slice_ref(piece), StableHow::FileSync).await.unwrap();
        }
        files.close(&file).await.unwrap();
    }
    assert_all_there(&client, &root, count + 10).await;
    assert_consistent(&daemon);
    daemon.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_that_was_left_behind_says_so_and_the_pool_that_it_was_promoted_from_does_not_start() {
    let disks = Disks::new();
    let daemon = disks.start();
    wait_for_copies(&daemon);
    daemon.stop();
    // A start without the copy.
    let daemon = Daemon::start(disks.first.path());
    daemon.done(&["volume", "create", "more", "--path", "/more"]);
    daemon.stop();
    // It comes back, and is behind until a new copy is whole.
    let daemon = disks.start();
    wait_for_copies(&daemon);
    wait_until("the segments are in both copies", || disks.copy().join("COMPLETE").is_file());
    daemon.stop();
    let promoted = disks.promote(&["--first-is-lost"]);
    assert_eq!(promoted.status, 0, "{promoted:?}");
    let daemon = Daemon::start(disks.second.path());
    assert!(daemon.done(&["volume", "list"]).contains("/more"));
    daemon.stop();
    let pool = disks.first.path().join("pool");
    let copy = disks.copy();
    let arguments = [
        "serve",
        "--pool-directory",
        pool.to_str().unwrap(),
        "--pool-copies-directory",
        copy.to_str().unwrap(),
    ];
    assert_refused(&run(&arguments), 1, &["is a pool of its own", "pool.directory"]);
}
