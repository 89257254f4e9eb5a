//! Deleted volumes, renames, and snapshots that expire or are locked, on the command line and over NFS.

use bytes::Bytes;
use forebay_nfs_client::xdr::Status;
use forebay_nfs_client::xdr::nfs4::StableHow;
use forebay_nfs_client::{Client, ClientOptions};
use serde_json::Value;
use tempfile::tempdir;

use crate::daemon::{Daemon, assert_refused};
use crate::http::User;

fn json(daemon: &Daemon, arguments: &[&str]) -> Value {
    let arguments = [arguments, &["-o", "json"]].concat();
    serde_json::from_str(&daemon.done(&arguments)).unwrap()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_volume_is_recovered_with_its_policy_and_its_clients_go_on() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    daemon.done(&["export", "create", "brokers"]);
    daemon.done(&["export", "rule", "add", "brokers", "127.0.0.0/8"]);
    daemon.done(&["volume", "modify", "kafka", "--export", "brokers"]);
    let client = Client::connect(daemon.address(), ClientOptions::new("broker")).await.unwrap();
    client.reclaim_complete().await.unwrap();
    let root = client.files().resolve("/kafka").await.unwrap();
    let file = client.files().create(&root, "log").await.unwrap();
    client.files().write(&file, 0, Bytes::from_static(b"records"), StableHow::FileSync).await.unwrap();
    daemon.done(&["snapshot", "create", "kafka", "before"]);

    let users = User::with_role(&daemon, "read-only").get("/volumes/kafka/clients").body;
    assert_eq!((&users["clients"], &users["open_files"]), (&1.into(), &1.into()), "{users}");
    assert!(users["items"][0]["owner"].as_str().unwrap().contains("broker"), "{users}");

    let said = daemon.done(&["volume", "delete", "kafka", "--force"]);
    assert!(
        said.starts_with("deleted volume kafka; until 20") && said.contains("volume recover kafka"),
        "{said}"
    );
    let stale = client.files().getattr(&file.handle).await.unwrap_err();
    assert_eq!(stale.status(), Some(Status::Stale));
    assert_eq!(client.files().resolve("/kafka").await.unwrap_err().status(), Some(Status::NoEnt));
    let deleted = json(&daemon, &["volume", "list", "--deleted"]);
    assert_eq!(names(&deleted), ["kafka"]);
    assert_eq!((&deleted[0]["snapshots"], &deleted[0]["bytes_logical"]), (&1.into(), &7.into()));
    assert!(daemon.done(&["volume", "list", "--deleted"]).starts_with("NAME "));

    // The name is free, another volume takes it, and the policy is renamed meanwhile.
    daemon.done(&["volume", "create", "kafka"]);
    assert_eq!(
        daemon.done(&["export", "rename", "brokers", "servers"]),
        "renamed export policy brokers to servers\n"
    );
    assert_refused(&daemon.run(&["volume", "recover", "kafka"]), 1, &["kafka: already exists"]);
    daemon.done(&["volume", "delete", "kafka"]);
    assert_refused(&daemon.run(&["volume", "recover", "kafka"]), 1, &["2 deleted volumes", "id:"]);
    let id = format!("id:{}", deleted[0]["id"].as_str().unwrap());
    daemon.done(&["volume", "create", "other"]);
    daemon.kill();

    let daemon = Daemon::start(scratch.path());
    assert_eq!(daemon.done(&["volume", "recover", &id, "--as", "logs"]), "recovered volume logs at /logs\n");
    let shown = json(&daemon, &["volume", "show", "logs"]);
    assert_eq!((&shown["export"], &shown["path"]), (&"servers".into(), &"/logs".into()));
    assert_eq!(names(&json(&daemon, &["snapshot", "list", "logs"])), ["before"]);
    let client = Client::connect(daemon.address(), ClientOptions::new("other")).await.unwrap();
    client.reclaim_complete().await.unwrap();
    let root = client.files().resolve("/logs").await.unwrap();
    assert_eq!(client.files().readdir(&root).await.unwrap().len(), 1);
    client.files().getattr(&file.handle).await.unwrap();
    assert_eq!(daemon.done(&["volume", "purge", "kafka"]), "purged deleted volume kafka\n");
    assert_refused(&daemon.run(&["volume", "recover", "kafka"]), 1, &["not found", "volume list --deleted"]);
    assert!(daemon.done(&["pool", "check", "--read"]).ends_with("the pool is consistent\n"));
    daemon.stop();
}

#[test]
fn a_volume_whose_policy_is_gone_needs_another_to_be_recovered() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    daemon.done(&["export", "create", "brokers"]);
    daemon.done(&["volume", "create", "b", "--export", "brokers"]);
    daemon.done(&["volume", "delete", "b"]);
    daemon.done(&["export", "delete", "brokers"]);
    assert_refused(&daemon.run(&["volume", "recover", "b"]), 1, &["brokers", "not found"]);
    daemon.done(&["volume", "recover", "b", "--export", "default"]);
    assert_eq!(json(&daemon, &["volume", "show", "b"])["export"], "default");
    daemon.stop();
}

#[test]
fn without_recovery_hours_a_volume_is_deleted_for_good() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start_with(scratch.path(), &["--pool-recovery-hours", "0"]);
    assert_eq!(daemon.done(&["volume", "delete", "kafka"]), "deleted volume kafka\n");
    assert_eq!(names(&json(&daemon, &["volume", "list", "--deleted"])), [""; 0]);
    daemon.stop();
}

#[test]
fn volumes_and_snapshots_are_renamed_and_a_clones_snapshot_goes_with_it() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    assert_eq!(
        daemon.done(&["volume", "rename", "kafka", "logs"]),
        "renamed volume kafka to logs, at /logs\n"
    );
    assert_refused(&daemon.run(&["volume", "show", "kafka"]), 1, &["not found"]);
    daemon.done(&["snapshot", "create", "logs", "monday"]);
    assert_eq!(
        daemon.done(&["snapshot", "rename", "logs@monday", "tuesday"]),
        "renamed snapshot logs@monday to logs@tuesday\n"
    );
    daemon.done(&["volume", "clone", "logs", "copy"]);
    assert_eq!(names(&json(&daemon, &["snapshot", "list", "logs"])), ["tuesday", "clone-copy"]);
    daemon.done(&["volume", "delete", "copy"]);
    let listed = daemon.done(&["snapshot", "list", "logs"]);
    assert!(listed.contains("copy (deleted)"), "{listed}");
    daemon.done(&["volume", "purge", "copy"]);
    assert_eq!(names(&json(&daemon, &["snapshot", "list", "logs"])), ["tuesday"]);
    daemon.done(&["volume", "clone", "logs", "kept"]);
    daemon.done(&["volume", "delete", "kept", "--now", "--keep-snapshot"]);
    assert_eq!(names(&json(&daemon, &["snapshot", "list", "logs"])), ["tuesday", "clone-kept"]);
    daemon.stop();
}

#[test]
fn a_locked_snapshot_stays_and_one_that_expires_says_when() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    daemon.done(&["snapshot", "create", "kafka", "audit", "--expires", "90d", "--lock-until", "30d"]);
    let taken = &json(&daemon, &["snapshot", "list"])[0];
    assert!(taken["expires"].as_str() > taken["locked_until"].as_str(), "{taken}");
    assert_refused(&daemon.run(&["snapshot", "delete", "kafka@audit"]), 1, &["locked until 20", "wait"]);
    assert_refused(
        &daemon.run(&["snapshot", "modify", "kafka@audit", "--lock-until", "29d"]),
        1,
        &["locked until 20"],
    );
    let space = daemon.done(&["snapshot", "list", "kafka", "--space"]);
    assert!(space.lines().any(|line| line.starts_with("kafka@audit ") && line.contains("0 B")), "{space}");
    let said =
        daemon.done(&["snapshot", "modify", "kafka@audit", "--lock-until", "31d", "--expires", "never"]);
    assert!(said.starts_with("snapshot kafka@audit does not expire, is locked until 20"), "{said}");
    assert_refused(&daemon.run(&["volume", "delete", "kafka", "--force", "--now"]), 1, &["audit", "locked"]);
    daemon.done(&["volume", "delete", "kafka", "--force"]);
    assert_refused(&daemon.run(&["volume", "purge", "kafka"]), 1, &["audit", "locked"]);
    let refused = daemon.run(&["snapshot", "create", "kafka", "x", "--expires", "1999-01-01"]);
    assert!(refused.status == 2 && refused.stderr.contains("has passed"), "{refused:?}");
    daemon.stop();
}
