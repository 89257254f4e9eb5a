//! `forebay export`, and the policies of volumes.

use forebay_nfs_client::xdr::Status;
use forebay_nfs_client::{Client, ClientOptions};
use serde_json::Value;
use tempfile::tempdir;

use crate::daemon::{Daemon, assert_refused, wait_until};

fn show(daemon: &Daemon, policy: &str) -> Value {
    serde_json::from_str(&daemon.done(&["export", "show", policy, "--json"])).unwrap()
}

fn export_of(daemon: &Daemon, volume: &str) -> String {
    let shown: Value = serde_json::from_str(&daemon.done(&["volume", "show", volume, "--json"])).unwrap();
    shown["export"].as_str().unwrap().to_owned()
}

#[test]
fn policies_are_made_shown_changed_and_deleted() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let default = show(&daemon, "default");
    assert_eq!(default["volumes"], serde_json::json!(["kafka"]));
    assert_eq!(
        (&default["rules"][0]["clients"], &default["rules"][0]["access"]),
        (&"*".into(), &"rw".into())
    );

    assert_eq!(daemon.done(&["export", "create", "brokers"]), "created export policy brokers\n");
    daemon.done(&[
        "export",
        "rule",
        "add",
        "brokers",
        "10.1.0.0/16",
        "--squash",
        "root",
        "--groups",
        "server",
    ]);
    let anonymous =
        ["export", "rule", "add", "brokers", "2001:db8::7", "--access", "ro", "--anonymous", "7:8"];
    daemon.done(&[&anonymous[..], &["--position", "1"]].concat());
    let table = daemon.done(&["export", "rule", "modify", "brokers", "10.1.0.0/16", "--access", "none"]);
    assert!(table.lines().any(|line| line.contains("10.1.0.0/16") && line.contains("none")), "{table}");
    let rules = show(&daemon, "brokers")["rules"].clone();
    assert_eq!((&rules[0]["clients"], &rules[0]["anonymous_gid"]), (&"2001:db8::7".into(), &8.into()));
    assert_eq!((&rules[1]["access"], &rules[1]["squash"]), (&"none".into(), &"root".into()));
    assert_eq!((&rules[0]["groups"], &rules[1]["groups"]), (&"client".into(), &"server".into()));
    daemon.done(&["export", "rule", "remove", "brokers", "2001:db8::7"]);
    assert_eq!(show(&daemon, "brokers")["rules"].as_array().unwrap().len(), 1);

    let given = daemon.done(&["volume", "modify", "kafka", "--export", "brokers"]);
    assert_eq!(given, "volume kafka has export policy brokers\n");
    let list = daemon.done(&["export", "list"]);
    assert!(list.lines().any(|line| line.starts_with("brokers ") && line.ends_with("kafka")), "{list}");
    daemon.stop();

    let daemon = Daemon::start(scratch.path());
    assert_eq!(export_of(&daemon, "kafka"), "brokers");
    daemon.done(&["volume", "modify", "kafka", "--export", "default"]);
    assert_eq!(daemon.done(&["export", "delete", "brokers"]), "deleted export policy brokers\n");
    daemon.stop();
}

#[test]
fn a_clone_is_seen_by_who_sees_the_volume_unless_something_else_is_said() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    daemon.done(&["export", "create", "nobody"]);
    daemon.done(&["volume", "create", "secret", "--export", "nobody"]);
    daemon.done(&["volume", "clone", "secret", "copy"]);
    daemon.done(&["volume", "clone", "secret", "public", "--export", "default"]);
    assert_eq!(
        ["secret", "copy", "public"].map(|name| export_of(&daemon, name)),
        ["nobody", "nobody", "default"]
    );
    daemon.stop();
}

#[test]
fn what_cannot_be_done_is_said_in_one_line() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    daemon.done(&["export", "create", "brokers"]);
    daemon.done(&["export", "rule", "add", "brokers", "10.0.0.0/8"]);
    daemon.done(&["volume", "modify", "kafka", "--export", "brokers"]);
    for (arguments, part) in [
        (&["export", "create", "brokers"][..], "brokers: already exists"),
        (&["export", "show", "ghost"], "forebay export list"),
        (&["export", "delete", "ghost"], "ghost: not found"),
        (&["export", "delete", "brokers"], "in use by volume kafka"),
        (&["export", "delete", "default"], "cannot be deleted"),
        (&["export", "rule", "add", "brokers", "10.0.0.0/8"], "already has a rule for 10.0.0.0/8"),
        (&["export", "rule", "remove", "brokers", "10.0.0.1"], "no rule for 10.0.0.1"),
        (&["export", "rule", "add", "brokers", "*", "--position", "5"], "positions 1 to 2"),
        (&["volume", "modify", "kafka", "--export", "ghost"], "ghost: not found"),
        (&["volume", "create", "new", "--export", "ghost"], "ghost: not found"),
    ] {
        assert_refused(&daemon.run(arguments), 1, &[part]);
    }
    for (arguments, part) in [
        (&["export", "rule", "add", "brokers", "10.0.0.5/8"][..], "write 10.0.0.0/8"),
        (&["export", "rule", "add", "brokers", "10.0.0.0/33"], "from 0 to 32"),
        (&["export", "rule", "add", "brokers", "*", "--access", "write"], "rw, ro, none"),
        (&["export", "rule", "modify", "brokers", "*"], "--access"),
        (&["volume", "modify", "kafka"], "--export"),
    ] {
        let refused = daemon.run(arguments);
        assert_eq!(refused.status, 2, "{refused:?}");
        assert!(refused.stderr.contains(part), "{part}: {refused:?}");
    }
    daemon.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_changed_by_command_is_in_force_for_who_has_the_volume_mounted() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let client = Client::mount(daemon.address(), ClientOptions::new("broker")).await.unwrap();
    let root = client.files().resolve("/kafka").await.unwrap();
    daemon.done(&["export", "rule", "modify", "default", "*", "--access", "ro"]);
    assert_eq!(client.files().mkdir(&root, "d").await.unwrap_err().status(), Some(Status::RoFs));
    daemon.done(&["export", "rule", "modify", "default", "*", "--access", "rw"]);
    client.files().mkdir(&root, "d").await.unwrap();
    drop(client);
    daemon.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_is_refused_is_an_event_and_a_line_of_the_log() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    daemon.done(&["export", "create", "brokers"]);
    daemon.done(&["volume", "modify", "kafka", "--export", "brokers"]);
    let client = Client::mount(daemon.address(), ClientOptions::new("broker")).await.unwrap();
    for _ in 0..50 {
        assert_eq!(client.files().resolve("/kafka").await.unwrap_err().status(), Some(Status::NoEnt));
    }
    let events = || daemon.done(&["event", "list", "--severity", "warning"]);
    wait_until("the event is there", || events().contains("client 127.0.0.1"));
    let said = events();
    assert!(said.contains("was refused volume kafka: export policy brokers has no rule for it"), "{said}");
    assert_eq!(said.matches("was refused volume").count(), 1, "{said}");
    assert!(daemon.log().contains("client_refused"), "{}", daemon.log());
    drop(client);
    daemon.stop();
}

#[test]
fn what_a_client_may_do_is_told_with_the_rule_and_a_rule_that_is_never_reached_is_named() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    daemon.done(&["export", "create", "brokers"]);
    daemon.done(&["export", "rule", "add", "brokers", "10.1.0.0/16"]);
    let added = daemon.done(&["export", "rule", "add", "brokers", "10.1.0.5", "--access", "ro"]);
    assert!(added.contains("warning: rule 2 is never reached, because rule 1"), "{added}");
    daemon.done(&["volume", "modify", "kafka", "--export", "brokers"]);
    let check = |client: &str| daemon.done(&["export", "check", client, "kafka"]);
    assert!(
        check("10.1.0.5")
            .starts_with("10.1.0.5 may read and write volume kafka: rule 1 of export policy brokers")
    );
    let out = check("192.0.2.7");
    assert!(out.contains("does not see volume kafka") && out.contains("rule add brokers 192.0.2.7"), "{out}");
    daemon.done(&["export", "rule", "remove", "brokers", "10.1.0.0/16"]);
    assert!(check("10.1.0.5").contains("may read volume kafka: rule 1"));
    assert!(!daemon.done(&["export", "show", "brokers"]).contains("warning"));
    assert_refused(&daemon.run(&["export", "check", "10.1.0.5", "none"]), 1, &["volume none"]);
}
