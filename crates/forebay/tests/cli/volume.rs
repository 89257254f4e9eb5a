//! `forebay volume` and `forebay pool`.

use serde_json::Value;
use tempfile::tempdir;

use crate::daemon::{Daemon, assert_refused, finish, forebay};

fn names(daemon: &Daemon) -> Vec<String> {
    let volumes: Vec<Value> = serde_json::from_str(&daemon.done(&["volume", "list", "--json"])).unwrap();
    volumes.iter().map(|volume| volume["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn volumes_are_created_listed_shown_and_deleted() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    assert_eq!(names(&daemon), ["kafka"]);

    let create = ["volume", "create", "b1", "--path", "/brokers/1", "--owner", "1000:1001", "--mode", "0750"];
    assert_eq!(daemon.done(&create), "created volume b1 at /brokers/1\n");
    assert_eq!(names(&daemon), ["b1", "kafka"]);
    let table = daemon.done(&["volume", "list"]);
    assert!(table.starts_with("NAME "), "{table}");
    assert!(table.lines().any(|line| line.starts_with("b1 ") && line.contains("/brokers/1")), "{table}");

    let shown: Value = serde_json::from_str(&daemon.done(&["volume", "show", "b1", "--json"])).unwrap();
    assert_eq!(shown["path"], "/brokers/1");
    assert_eq!((&shown["uid"], &shown["gid"], &shown["mode"]), (&1000.into(), &1001.into(), &"0750".into()));
    assert_eq!(shown["preserve_unlink"], true);
    assert!(daemon.done(&["volume", "show", "b1"]).contains("1000:1001"));

    assert_eq!(daemon.done(&["volume", "delete", "b1", "--now"]), "deleted volume b1\n");
    assert_eq!(names(&daemon), ["kafka"]);
    daemon.stop();
}

#[test]
fn labels_are_set_shown_replaced_and_select_volumes() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    daemon.done(&["volume", "create", "a", "--label", "owner=team-a", "--label", "cost-centre=4711"]);
    daemon.done(&["volume", "create", "b", "--label", "owner=team-b"]);
    let listed = |label: &str| {
        let text = daemon.done(&["volume", "list", "--label", label, "--json"]);
        let volumes: Vec<Value> = serde_json::from_str(&text).unwrap();
        volumes.iter().map(|volume| volume["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed("owner"), ["a", "b"]);
    assert_eq!((listed("owner=team-b"), listed("owner=x")), (vec!["b".to_owned()], vec![]));
    assert!(daemon.done(&["volume", "show", "a"]).contains("cost-centre=4711, owner=team-a"));

    let changed = daemon.done(&["volume", "modify", "a", "--label", "owner=team-c"]);
    assert_eq!(changed, "volume a has labels owner=team-c\n");
    assert!(daemon.done(&["event", "list"]).contains("to owner=team-c"));
    daemon.done(&["volume", "rename", "a", "c"]);
    assert_eq!(listed("owner=team-c"), ["c"], "labels follow a volume that is renamed");
    daemon.done(&["volume", "delete", "c", "--force"]);
    daemon.done(&["volume", "recover", "c"]);
    assert_eq!(listed("owner=team-c"), ["c"], "and one that is recovered");
    assert_eq!(daemon.done(&["volume", "modify", "c", "--no-labels"]), "volume c has labels none\n");
    assert_eq!(listed("owner"), ["b"]);
    let wrong = daemon.run(&["volume", "modify", "b", "--label", "a b=1"]);
    assert_refused(&wrong, 1, &["labels", "\"a b\" cannot be used", "at most 32"]);
    daemon.stop();
}

#[test]
fn a_volumes_size_is_shown_and_changed() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    daemon.done(&["volume", "create", "small", "--size", "10MiB"]);
    let size = || {
        let shown: Value =
            serde_json::from_str(&daemon.done(&["volume", "show", "small", "--json"])).unwrap();
        shown["size"].clone()
    };
    assert_eq!(size(), 10 << 20);
    assert!(daemon.done(&["volume", "list"]).contains("10.00 MiB"));
    assert_eq!(daemon.done(&["volume", "resize", "small", "1GiB"]), "volume small has size 1.00 GiB\n");
    assert_eq!(daemon.done(&["volume", "resize", "small", "none"]), "volume small has size none\n");
    assert_eq!(size(), Value::Null);
    assert_eq!(daemon.done(&["volume", "resize", "small", "1.5GB"]), "volume small has size 1.40 GiB\n");
    assert_eq!(size(), 1_500_000_000);
    assert_eq!(daemon.run(&["volume", "resize", "small", "10XB"]).status, 2);
    assert_refused(&daemon.run(&["volume", "resize", "ghost", "1GiB"]), 1, &["ghost: not found"]);
    let nothing = daemon.run(&["volume", "create", "nothing", "--size", "0"]);
    assert!(nothing.status == 2 && nothing.stderr.contains("at least 1 byte; write none"), "{nothing:?}");
    daemon.stop();
}

#[test]
fn a_volumes_throughput_is_limited_shown_and_set_free_again() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    daemon.done(&["volume", "create", "slow", "--max-bytes-per-second", "50MiB"]);
    let limit = |daemon: &Daemon| {
        let shown: Value = serde_json::from_str(&daemon.done(&["volume", "show", "slow", "--json"])).unwrap();
        shown["max_bytes_per_second"].clone()
    };
    assert_eq!(limit(&daemon), 50 << 20);
    let modify = ["volume", "modify", "slow", "--max-bytes-per-second"];
    assert_eq!(daemon.done(&[&modify[..], &["2000000"]].concat()), "volume slow has limit 1.91 MiB/s\n");
    daemon.done(&["volume", "modify", "slow", "--snapshots", "hourly=1"]);
    daemon.stop();
    let daemon = Daemon::start(scratch.path());
    assert_eq!(limit(&daemon), 2_000_000);
    assert!(daemon.done(&["volume", "list"]).contains("1.91 MiB/s"));
    assert!(daemon.done(&["volume", "show", "slow"]).contains("0 requests"));
    assert_eq!(daemon.done(&[&modify[..], &["none"]].concat()), "volume slow has limit none\n");
    assert_eq!(limit(&daemon), Value::Null);
    assert_refused(&daemon.run(&[&modify[..], &["1KiB"]].concat()), 1, &["at least 1000000"]);
    assert_eq!(daemon.run(&[&modify[..], &["fast"]].concat()).status, 2);
    daemon.stop();
}

#[test]
fn a_deleted_default_volume_does_not_come_back() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    daemon.done(&["volume", "delete", "kafka"]);
    daemon.stop();
    let daemon = Daemon::start(scratch.path());
    assert!(names(&daemon).is_empty());
    assert!(daemon.ready.contains("forebay volume create"), "{}", daemon.ready);
    daemon.stop();
}

#[test]
fn what_cannot_be_done_is_said_in_one_line() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    for (arguments, part) in [
        (&["volume", "create", "kafka"][..], "kafka: already exists"),
        (&["volume", "create", "nested", "--path", "/kafka/below"], "/kafka"),
        (&["volume", "create", "relative", "--path", "relative"], "relative"),
        (&["volume", "show", "ghost"], "ghost: not found; `forebay volume list`"),
        (&["volume", "delete", "ghost"], "ghost: not found"),
    ] {
        assert_refused(&daemon.run(arguments), 1, &[part]);
    }
    daemon.stop();
}

#[test]
fn the_pool_is_shown_with_its_sizes() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start_with(scratch.path(), &["--pool-size-max", "1GiB"]);
    let shown: Value = serde_json::from_str(&daemon.done(&["pool", "show", "--json"])).unwrap();
    assert_eq!(shown["id"].as_str().unwrap().len(), 32);
    assert_eq!(shown["volumes"], 1);
    assert!(shown["bytes_total"].as_u64().unwrap() <= 1 << 30, "{shown}");
    assert!(daemon.done(&["pool", "show"]).contains("directory"));
    assert!(daemon.done(&["pool", "check", "--read"]).ends_with("the pool is consistent\n"));
    daemon.stop();
}

#[test]
fn without_a_daemon_it_says_which_socket_it_tried_and_how_to_start_one() {
    let scratch = tempdir().unwrap();
    let socket = scratch.path().join("admin.sock").display().to_string();
    let list = || finish(forebay().args(["volume", "list", "--pool-directory"]).arg(scratch.path()));
    assert_refused(&list(), 1, &[&socket, "forebay serve", "--pool-directory"]);

    // A socket that a killed daemon left.
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    assert_refused(&list(), 1, &[&socket, "forebay serve"]);
}

#[test]
fn the_pool_is_scrubbed_and_says_what_it_saves() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    assert!(daemon.done(&["pool", "scrub", "start"]).contains("scrub"));
    daemon.done(&["pool", "scrub", "stop"]);
    let status: Value = serde_json::from_str(&daemon.done(&["pool", "scrub", "status", "--json"])).unwrap();
    assert_eq!((&status["running"], &status["damaged"]), (&false.into(), &0.into()), "{status}");
    assert!(daemon.done(&["volume", "show", "kafka", "--efficiency"]).contains("ratio"));
    let pool: Value =
        serde_json::from_str(&daemon.done(&["pool", "show", "--efficiency", "--json"])).unwrap();
    assert_eq!(pool["efficiency"]["bytes_logical"], 0, "{pool}");
    assert_eq!(pool["pool"]["scrub"]["copies"], 1, "{pool}");
    daemon.stop();
}

#[test]
fn a_pool_is_checked_without_a_daemon_and_damage_has_a_status_of_its_own() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let pool = daemon.socket().parent().unwrap().to_owned();
    daemon.stop();
    let check = |directory: &std::path::Path| {
        finish(forebay().args(["pool", "check", "--read", "--pool-directory"]).arg(directory))
    };
    let checked = check(&pool);
    assert!(checked.status == 0 && checked.stdout.ends_with("the pool is consistent\n"), "{checked:?}");
    // A file without a frame, which the daemon removes when it opens the pool: nothing to report, and the check leaves it.
    let stray = pool.join("segments/00000000010000aa.seg");
    std::fs::write(&stray, "stray").unwrap();
    assert_eq!(check(&pool).status, 0);
    assert!(stray.exists());
    let nothing = scratch.path().join("nothing");
    assert_refused(&check(&nothing), 1, &["no daemon listens"]);
    assert!(!nothing.exists());
}

#[test]
fn the_daemon_and_the_command_line_say_alike_how_a_volume_is_mounted() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let command = daemon.ready.split_once("as root: ").unwrap().1.to_owned();
    assert!(command.starts_with("mount -t nfs -o vers=4.2,hard,nconnect=4,port="), "{command}");
    let shown = daemon.done(&["volume", "show", "kafka"]);
    assert!(
        shown.lines().any(|line| line.starts_with("mount command") && line.ends_with(&command)),
        "{shown}"
    );
    daemon.stop();
}

#[test]
fn what_can_be_no_name_is_wrong_usage_and_no_path_of_the_api_is_shown() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    for wrong in ["", ".", "..", "a/b", "../users", "a%2Fb", "a?force=true", "a#b", "a b", "id:../x"] {
        let on_snapshot = format!("kafka@{wrong}");
        let of_snapshot = format!("{wrong}@monday");
        for arguments in [
            &["volume", "create", wrong][..],
            &["volume", "show", wrong],
            &["volume", "delete", wrong],
            &["volume", "resize", wrong, "1GiB"],
            &["volume", "traffic", wrong],
            &["volume", "rollback", "kafka", "--to", wrong],
            &["volume", "clone", wrong, "copy"],
            &["volume", "modify", "kafka", "--export", wrong],
            &["snapshot", "create", "kafka", wrong],
            &["snapshot", "create", wrong, "monday"],
            &["snapshot", "list", wrong],
            &["snapshot", "delete", wrong],
            &["snapshot", "delete", &on_snapshot],
            &["snapshot", "delete", &of_snapshot],
            &["export", "show", wrong],
            &["export", "delete", wrong],
            &["export", "rule", "add", wrong, "*"],
            &["user", "set", wrong, "--role", "operator"],
            &["user", "delete", wrong],
            &["token", "create", "--user", wrong],
            &["token", "delete", wrong],
            &["nfs", "evict", wrong],
            &["nfs", "revoke", wrong],
        ] {
            let refused = daemon.run(arguments);
            assert_eq!(refused.status, 2, "{arguments:?}: {refused:?}");
            assert!(
                refused.stderr.starts_with("error: ") && !refused.stderr.contains("/api/"),
                "{refused:?}"
            );
        }
    }
    for wrong in ["@", "kafka@", "@monday"] {
        let refused = daemon.run(&["snapshot", "delete", wrong]);
        assert!(refused.status == 2 && refused.stderr.contains("VOLUME@SNAPSHOT"), "{refused:?}");
    }
    assert_refused(
        &daemon.run(&["snapshot", "delete", "kafka@ghost"]),
        1,
        &["snapshot kafka@ghost: not found"],
    );
    daemon.stop();
}
