//! A pool in a database that was restored to an earlier time, and has no server any more that knows the rest.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use forebay_nfs_client::{Client, FileHandle};

use crate::bucket_pool::Setup;
use crate::daemon::{Daemon, Finished, assert_refused, finish, forebay, run};
use crate::database::{Shared, postgres};
use crate::numbered::{assert_all_there, assert_consistent, create, mount};

/// Files before the database's backup, and after it.
const KEPT: usize = 12;
const LOST: usize = 8;

/// Creates the files with these numbers.
async fn fill((client, root): &(Client, FileHandle), numbers: std::ops::Range<usize>) {
    for number in numbers {
        create(client, root, number).await.unwrap();
    }
}

/// The tables of a pool as they are now, as a program for `psql`.
fn dump(pool: &str) -> Vec<u8> {
    let server = postgres::server();
    let mut command = server.program("pg_dump");
    command.args(["--dbname", &server.url(), "--schema", &format!("forebay_{pool}")]);
    let output = command.current_dir("/").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Puts the tables of a pool back to what they were.
fn restore(pool: &str, dump: &[u8]) {
    let server = postgres::server();
    postgres::execute_on(&server.url(), &format!("drop schema forebay_{pool} cascade"));
    let mut command = server.program("psql");
    command.args(["--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", &server.url()]);
    let mut psql = command.stdin(Stdio::piped()).stdout(Stdio::null()).current_dir("/").spawn().unwrap();
    psql.stdin.take().unwrap().write_all(dump).unwrap();
    assert!(psql.wait().unwrap().success());
}

/// Starts a daemon that is expected to end.
fn serve_in_vain(own: &Path, place: &[&str]) -> Finished {
    let mut command = forebay();
    command.args(["serve", "--nfs-listen", "127.0.0.1:0", "--api-listen", "off", "--pool-directory"]);
    finish(command.arg(own).args(place))
}

/// A pool of the tests.
struct Place<'a> {
    name: &'a str,
    /// The options that name it.
    options: &'a [&'a str],
    own: &'a Path,
    /// The path of lost+found; none in a bucket.
    lost_and_found: Option<&'a Path>,
}

/// The database goes back to an instant in the middle of a start, if `is_within`, or by several starts.
async fn set_back(place: Place<'_>, is_within: bool, serve: impl Fn() -> Daemon) {
    let Place { name, options, own, lost_and_found } = place;
    let serve = || tokio::task::block_in_place(&serve);
    let recover = |more: &[&str]| run(&[&["pool", "recover"], options, more].concat());
    let daemon = serve();
    let client = mount(&daemon, "client").await;
    fill(&client, 0..KEPT).await;
    let backup;
    if is_within {
        backup = dump(name);
        fill(&client, KEPT..KEPT + LOST).await;
        assert_refused(&recover(&["--accept-loss"]), 1, &[name, "has it", "stop its daemon"]);
        daemon.kill();
    } else {
        daemon.stop();
        backup = dump(name);
        for start in [KEPT..KEPT + LOST / 2, KEPT + LOST / 2..KEPT + LOST] {
            let daemon = serve();
            fill(&mount(&daemon, "client").await, start).await;
            daemon.stop();
        }
    }
    restore(name, &backup);
    assert_refused(&serve_in_vain(own, options), 3, &[name, "nothing was changed", "forebay pool recover"]);
    // A directory's only segment may have everything, before and after the backup.
    let has_unknown = lost_and_found.is_none() || !is_within;
    for _ in 0..2 {
        let told = recover(&[]);
        assert_refused(&told, 3, &[name, "nothing was changed"]);
        for part in ["inconsistent: ", "volumes kafka", "missing segments: 0"] {
            assert!(told.stdout.contains(part), "{part:?} is not in {told:?}");
        }
        assert_eq!(!told.stdout.contains("lost+found: 0"), has_unknown, "{told:?}");
    }
    if let (true, Some(blocked)) = (has_unknown, lost_and_found) {
        // It cannot be carried out. Who begins one must end it: no other opening may take the pool for whole.
        std::fs::write(blocked, b"").unwrap();
        assert_refused(&recover(&["--accept-loss"]), 1, &["move the segment to lost+found"]);
        std::fs::remove_file(blocked).unwrap();
        let told = recover(&[]);
        assert_refused(&told, 3, &[name]);
        assert!(told.stdout.contains("a recovery that was begun"), "{told:?}");
    }
    let recovered = recover(&["--accept-loss"]);
    assert_eq!(recovered.status, 0, "{recovered:?}");
    assert!(recovered.stdout.contains("are in lost+found"), "{recovered:?}");
    let again = recover(&[]);
    assert_eq!(again.status, 0, "{again:?}");
    assert!(again.stdout.contains("the pool is consistent"), "{again:?}");

    let daemon = serve();
    let (client, root) = mount(&daemon, "client").await;
    assert_all_there(&client, &root, KEPT).await;
    assert!(client.files().open(&root, &format!("file{KEPT}")).await.is_err());
    assert_consistent(&daemon);
    let listed = daemon.done(&["pool", "lost-found", "list", "--output", "json"]);
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(!listed["items"].as_array().unwrap().is_empty(), has_unknown, "{listed}");
    // More batches than were lost, which have the same numbers.
    fill(&(client, root), KEPT..KEPT + 2 * LOST).await;
    daemon.kill();
    let daemon = serve();
    let (client, root) = mount(&daemon, "client").await;
    assert_all_there(&client, &root, KEPT + 2 * LOST).await;
    assert_consistent(&daemon);
    daemon.done(&["pool", "lost-found", "delete", "--all"]);
    daemon.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pool_is_opened_as_the_backup_has_it_when_the_loss_is_accepted() {
    for is_within in [true, false] {
        let shared = tokio::task::block_in_place(Shared::create);
        let own = shared.scratch.path().join("a");
        let (name, options) = (&shared.name, &shared.place());
        let aside = shared.segments.join("lost+found");
        let place = Place { name, options, own: &own, lost_and_found: Some(&aside) };
        set_back(place, is_within, || shared.serve("a")).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn so_is_one_whose_segments_are_in_a_bucket() {
    for is_within in [true, false] {
        let setup = tokio::task::block_in_place(Setup::create);
        let own = setup.scratch.path().join("a");
        let (name, options) = (&setup.name, &setup.place());
        let place = Place { name, options, own: &own, lost_and_found: None };
        set_back(place, is_within, || setup.serve("a")).await;
    }
}

/// Nothing of the other pool may be moved.
#[tokio::test(flavor = "multi_thread")]
async fn another_place_than_the_pools_own_is_refused_whatever_is_accepted() {
    let shared = tokio::task::block_in_place(Shared::create);
    let other = tokio::task::block_in_place(Shared::create);
    for (number, pool) in [&shared, &other].into_iter().enumerate() {
        let daemon = tokio::task::block_in_place(|| pool.serve("a"));
        fill(&mount(&daemon, "client").await, number * KEPT..(number + 1) * KEPT).await;
        daemon.stop();
    }
    let files = || {
        let entries = std::fs::read_dir(&other.segments).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect::<std::collections::BTreeSet<_>>()
    };
    let before = files();
    let recover_in = |segments: &Path| {
        let segments = segments.to_str().unwrap();
        let place =
            ["--pool-name", &shared.name, "--pool-metadata", &shared.url, "--pool-segments", segments];
        run(&[&["pool", "recover", "--accept-loss"][..], &place].concat())
    };
    let refused = recover_in(&other.segments);
    assert_refused(&refused, 3, &["belongs to pool", "nothing was changed", "that belong to each other"]);
    assert_eq!(files(), before);
    // A file system that is not mounted.
    let empty = tempfile::tempdir().unwrap();
    assert_refused(&recover_in(empty.path()), 3, &["none of them is in", "nothing was changed", "mount"]);
    assert_eq!(std::fs::read_dir(empty.path()).unwrap().count(), 0);
    assert_refused(&recover_in(&shared.scratch.path().join("absent")), 1, &["there is no such directory"]);
    let daemon = tokio::task::block_in_place(|| shared.serve("a"));
    let (client, root) = mount(&daemon, "client").await;
    assert_all_there(&client, &root, KEPT).await;
    daemon.stop();
}
