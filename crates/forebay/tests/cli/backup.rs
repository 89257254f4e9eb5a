//! Backups of a pool in use, and pools made of them.

use std::path::Path;

use serde_json::Value;
use tempfile::tempdir;
use tokio::sync::watch;

use crate::daemon::{Daemon, assert_refused, run, wait_until};
use crate::http::User;
use crate::numbered::{assert_all_there, assert_consistent, create_until_it_stops, mount};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_made_under_load_has_everything_that_was_acknowledged_before() {
    let (scratch, disk) = (tempdir().unwrap(), tempdir().unwrap());
    let (to, restored) = (disk.path().join("backups"), disk.path().join("restored"));
    let daemon = Daemon::start(scratch.path());
    let (client, root) = mount(&daemon, "broker").await;
    let (sender, mut acknowledged) = watch::channel(0);
    let writer = tokio::spawn(create_until_it_stops(client, root, 0, sender));
    let mut before = Vec::new();
    for round in 1..=3_usize {
        acknowledged.wait_for(|count| *count >= round * 25).await.unwrap();
        let count = *acknowledged.borrow();
        let made =
            tokio::task::block_in_place(|| json(&daemon.done(&["pool", "backup", text(&to), "--json"])));
        assert_eq!(made["damaged"], 0);
        before.push((made["name"].as_str().unwrap().to_owned(), count));
    }
    let shown = tokio::task::block_in_place(|| daemon.done(&["pool", "backups"]));
    assert!(shown.contains(text(&to)) && shown.contains("none; set backup.directory"), "{shown}");
    daemon.kill();
    writer.await.unwrap();

    let listed = json(&run(&["pool", "backups", text(&to), "--json"]).stdout);
    assert_eq!(listed["items"].as_array().unwrap().len(), 3, "{listed}");
    for (round, (name, count)) in before.into_iter().enumerate() {
        let verified = run(&["pool", "verify-backup", text(&to), "--backup", &name]);
        assert!(verified.status == 0 && verified.stdout.contains("damaged frames"), "{verified:?}");
        let target = restored.join(round.to_string()).join("pool");
        let made = run(&["pool", "restore", text(&to), text(&target), "--backup", &name]);
        assert!(made.status == 0 && made.stdout.contains("is a pool now"), "{made:?}");
        let daemon = Daemon::start(target.parent().unwrap());
        let (client, root) = mount(&daemon, "broker").await;
        assert_all_there(&client, &root, count).await;
        assert_consistent(&daemon);
        // Onto a pool that is in use, nothing is restored.
        let again = run(&["pool", "restore", text(&to), text(&target)]);
        assert_refused(&again, 1, &["in use by another process"]);
        daemon.stop();
    }
}

#[test]
fn the_schedule_makes_the_first_backup_soon_and_says_what_is_wrong() {
    let (scratch, disk) = (tempdir().unwrap(), tempdir().unwrap());
    let to = disk.path().join("backups");
    let arguments = ["--backup-directory", text(&to), "--backup-keep", "2"];
    let daemon = Daemon::start_with(scratch.path(), &arguments);
    let last = || json(&daemon.done(&["pool", "backups", "--json"]))["last"].clone();
    wait_until("the schedule has made a backup", || !last().is_null());
    assert!(daemon.done(&["job", "list"]).contains("schedule"));
    daemon.done(&["pool", "backup"]);
    daemon.done(&["pool", "backup"]);
    let listed = json(&run(&["pool", "backups", text(&to), "--json"]).stdout);
    assert_eq!(listed["items"].as_array().unwrap().len(), 2, "{listed}");
    // The disk is not mounted any more.
    std::fs::rename(&to, disk.path().join("elsewhere")).unwrap();
    std::fs::create_dir(&to).unwrap();
    let failed = daemon.run(&["pool", "backup"]);
    assert_refused(&failed, 1, &["it had one", "mount it", "--new"]);
    wait_until("an alert says so", || daemon.run(&["status"]).stdout.contains("ForebayBackupFailed"));
    assert!(std::fs::read_dir(&to).unwrap().next().is_none());
    daemon.done(&["pool", "backup", "--new"]);
    wait_until("the alert is over", || !daemon.run(&["status"]).stdout.contains("ForebayBackupFailed"));
    // A directory that holds something else.
    let full = disk.path().join("full");
    std::fs::create_dir(&full).unwrap();
    std::fs::write(full.join("mine"), "").unwrap();
    assert_refused(&daemon.run(&["pool", "backup", text(&full)]), 1, &["it holds mine", "empty directory"]);
    daemon.stop();
    let away = run(&["pool", "backups", text(&disk.path().join("nosuch"))]);
    assert_refused(&away, 1, &["no FOREBAY-BACKUPS file"]);
}

#[test]
fn only_an_admin_names_a_directory_for_a_backup() {
    let (scratch, disk) = (tempdir().unwrap(), tempdir().unwrap());
    let to = disk.path().join("backups");
    let daemon =
        Daemon::start_with(scratch.path(), &["--backup-directory", text(&to), "--backup-every-hours", "0"]);
    let operator = User::with_role(&daemon, "operator");
    let post = |body: &Value| operator.ask("POST", "/pool/backups", Some(&body.to_string()));
    let elsewhere = serde_json::json!({"directory": disk.path().join("elsewhere")});
    assert_eq!(post(&elsewhere).status, 403);
    assert!(!disk.path().join("elsewhere").exists());
    for wrong in [
        serde_json::json!({"directory": "backups"}),
        serde_json::json!({"keep": 0}),
        serde_json::json!({"folder": "/x"}),
        serde_json::json!({"directory": format!("/{}", "x".repeat(5000))}),
    ] {
        assert_eq!(post(&wrong).status, 400, "{wrong}");
    }
    let begun = post(&serde_json::json!({}));
    assert_eq!((begun.status, &begun.body["kind"]), (202, &"pool_backup".into()));
    wait_until("the backup is finished", || {
        to.join("backups").read_dir().is_ok_and(|there| there.count() == 2)
    });
    daemon.stop();
}
