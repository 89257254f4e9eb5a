//! A daemon whose database is lost, and whose standby is promoted although it lacks the last commits.

use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::daemon::{Daemon, assert_refused, forebay, run, wait_until};
use crate::database::{percent, postgres};
use crate::numbered::{assert_all_there, assert_consistent, create_until_it_stops, mount};

#[tokio::test(flavor = "multi_thread")]
async fn a_standby_without_the_last_commits_stops_the_daemon_which_names_what_is_lost() {
    let primary = postgres::Server::start();
    let standby = primary.standby();
    let hosts = [&primary, &standby].map(|server| percent(&server.directory)).join(",");
    let url = format!("postgres://forebay@{hosts}/postgres?target_session_attrs=read-write");
    let scratch = tempfile::tempdir().unwrap();
    let folder = |name: &str| {
        let path = scratch.path().join(name);
        std::fs::create_dir(&path).unwrap();
        path
    };
    let (segments, own) = (folder("segments"), folder("own"));
    let segments = segments.to_str().unwrap();
    let created = run(&["pool", "create", "kafka", "--metadata", &url, "--segments", segments]);
    assert_eq!(created.status, 0, "{created:?}");
    let pool = ["--pool-name", "kafka", "--pool-metadata", &url, "--pool-segments", segments];
    let mut daemon = tokio::task::block_in_place(|| Daemon::start_with(&own, &pool));
    let (client, root) = mount(&daemon, "writer").await;
    let (acknowledged, mut so_far) = watch::channel(0);
    let writing = tokio::spawn(create_until_it_stops(client, root, 0, acknowledged));
    so_far.wait_for(|count| *count >= 10).await.unwrap();
    tokio::task::block_in_place(|| {
        let batch = |server: &postgres::Server| {
            let text = postgres::query_on(&server.url(), "select batch::text from forebay_kafka.pool");
            text.parse::<u64>().unwrap()
        };
        let least = batch(&primary);
        wait_until("the standby has the first files", || batch(&standby) >= least);
        standby.control(&["stop", "--mode=immediate"]);
    });
    let received = *so_far.borrow();
    so_far.wait_for(|count| *count >= received + 10).await.unwrap();
    tokio::task::block_in_place(|| {
        primary.control(&["stop", "--mode=immediate"]);
        standby.control(&["start"]);
        standby.control(&["promote"]);
    });
    let begun = Instant::now();
    let status = tokio::task::block_in_place(|| daemon.wait());
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    let log = daemon.log();
    assert!(!status.success(), "{status}: {log}");
    for part in ["the database has lost commit groups that it had acknowledged", "batches", "are gone"] {
        assert!(log.contains(part), "{part} is not in {log}");
    }
    writing.await.unwrap();
    let count = *so_far.borrow();
    // The segments tell how far the metadata reached. So no other daemon serves what is left as if nothing was missing.
    let refused = tokio::task::block_in_place(|| {
        let mut command = forebay();
        command.args(["serve", "--nfs-listen", "127.0.0.1:0", "--api-listen", "off", "--pool-directory"]);
        crate::daemon::finish(command.arg(&own).args(pool))
    });
    assert_refused(
        &refused,
        3,
        &[
            "pool kafka in database postgres",
            "START.",
            "batches are missing",
            "let the server write that has everything",
        ],
    );
    // As the guide says, for those who accept the loss.
    for entry in std::fs::read_dir(segments).unwrap().flatten() {
        if entry.file_name().to_string_lossy().starts_with("START") {
            std::fs::remove_file(entry.path()).unwrap();
        }
    }
    let again = tokio::task::block_in_place(|| Daemon::start_with(&own, &pool));
    let (client, root) = mount(&again, "writer").await;
    assert_all_there(&client, &root, 10).await;
    let is_lost = client.files().open(&root, &format!("file{}", count - 1)).await.is_err();
    assert!(is_lost, "the standby had everything, so nothing was tested");
    assert_consistent(&again);
    again.stop();
}
