//! Snapshots, clones and rollbacks on the command line.

use serde_json::Value;
use tempfile::tempdir;

use crate::daemon::{Daemon, assert_refused};

fn snapshots(daemon: &Daemon) -> Vec<String> {
    let listed: Vec<Value> = serde_json::from_str(&daemon.done(&["snapshot", "list", "--json"])).unwrap();
    let full =
        |taken: &Value| format!("{}@{}", taken["volume"].as_str().unwrap(), taken["name"].as_str().unwrap());
    listed.iter().map(full).collect()
}

#[test]
fn snapshots_are_taken_listed_cloned_rolled_back_to_and_deleted() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    daemon.done(&["volume", "create", "logs"]);
    let took = daemon.done(&["snapshot", "create", "kafka,logs", "monday"]);
    assert_eq!(took, "created kafka@monday, logs@monday\n");
    assert_eq!(snapshots(&daemon), ["kafka@monday", "logs@monday"]);
    let table = daemon.done(&["snapshot", "list", "kafka"]);
    assert!(table.lines().any(|line| line.starts_with("kafka@monday ")), "{table}");
    assert!(!table.contains("logs@monday"), "{table}");

    let cloned = daemon.done(&["volume", "clone", "kafka@monday", "copy"]);
    assert_eq!(cloned, "created volume copy at /copy as a clone of kafka@monday\n");
    assert!(daemon.done(&["volume", "show", "copy"]).contains("kafka@monday"));
    let cloned = daemon.done(&["volume", "clone", "logs", "logs2", "--path", "/copies/logs"]);
    assert_eq!(cloned, "created volume logs2 at /copies/logs as a clone of logs@clone-logs2\n");

    daemon.done(&["snapshot", "create", "kafka", "tuesday"]);
    for (arguments, part) in [
        (&["snapshot", "create", "kafka", "monday"][..], "kafka@monday: already exists"),
        (&["snapshot", "create", "ghost", "monday"], "ghost: not found"),
        (&["snapshot", "delete", "kafka@monday"], "copy"),
        (&["snapshot", "delete", "kafka@ghost"], "kafka@ghost: not found"),
        (&["volume", "clone", "kafka@ghost", "other"], "kafka@ghost: not found"),
        (&["volume", "clone", "logs", "copy"], "copy: already exists"),
        (&["volume", "rollback", "kafka", "--to", "monday"], "tuesday"),
        (&["volume", "delete", "kafka", "--force"], "copy"),
    ] {
        assert_refused(&daemon.run(arguments), 1, &[part]);
    }
    assert!(
        !snapshots(&daemon).contains(&"logs@clone-copy".to_owned()),
        "it was for a clone that was not made"
    );
    let rolled = daemon.done(&["volume", "rollback", "kafka", "--to", "monday", "--force"]);
    assert_eq!(rolled, "reverted volume kafka to monday\n");
    assert!(!snapshots(&daemon).contains(&"kafka@tuesday".to_owned()));
    daemon.done(&["volume", "delete", "copy", "--now"]);
    assert_eq!(daemon.done(&["snapshot", "delete", "kafka@monday"]), "deleted snapshot kafka@monday\n");
    assert!(daemon.done(&["pool", "check", "--read"]).ends_with("the pool is consistent\n"));
    daemon.stop();
}

#[test]
fn what_is_taken_by_the_clock_is_shown_and_changed() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    daemon.done(&["volume", "create", "logs", "--snapshots", "hourly=6,weekly=4"]);
    assert!(daemon.done(&["volume", "show", "logs"]).contains("hourly=6,weekly=4"));
    let changed = daemon.done(&["volume", "modify", "logs", "--snapshots", "daily=7"]);
    assert_eq!(changed, "volume logs keeps snapshots daily=7\n");
    let shown: Value = serde_json::from_str(&daemon.done(&["volume", "show", "logs", "--json"])).unwrap();
    assert_eq!(shown["snapshots"]["daily"], 7);
    assert_eq!(
        daemon.done(&["volume", "modify", "logs", "--snapshots", "none"]),
        "volume logs keeps snapshots none\n"
    );
    assert_eq!(daemon.run(&["volume", "modify", "logs", "--snapshots", "yearly=1"]).status, 2);
    daemon.stop();
}
