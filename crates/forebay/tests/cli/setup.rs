//! `forebay setup`, as a script runs it.

use forebay_nfs_client::xdr::nfs4::{LockArgs, LockType, Locker, OpenToLockOwner, Operation, PutfhArgs};
use forebay_nfs_client::{Client, ClientOptions};
use serde_json::Value;
use tempfile::tempdir;

use crate::daemon::{Daemon, assert_refused, finish, forebay};

fn json(daemon: &Daemon, arguments: &[&str]) -> Value {
    serde_json::from_str(&daemon.done(&[arguments, &["--json"]].concat())).unwrap()
}

#[test]
fn brokers_get_a_policy_volumes_and_lines_and_repeating_it_changes_nothing() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let setup =
        ["setup", "--brokers", "10.1.0.11,10.1.0.12", "--owner", "993:990", "--size", "2GiB", "--yes"];
    let said = daemon.done(&setup);
    for part in [
        "syncs/s",
        "created export policy brokers: 2 rules, squash root",
        "created volume kafka-1, with up to 2.00 GiB",
        "volume kafka of the first start is empty",
        "warning: the daemon listens on 127.0.0.1 alone, which 10.1.0.11 cannot reach: set nfs.listen",
        "127.0.0.1:/kafka-2  /var/lib/kafka  nfs  vers=4.2,hard,nconnect=4,port=",
        ",_netdev  0  0",
        "log.dirs=/var/lib/kafka/data",
        "--wait",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let volume = json(&daemon, &["volume", "show", "kafka-2"]);
    let parts = ["export", "uid", "gid", "mode", "size"].map(|key| volume[key].to_string());
    assert_eq!(parts, ["\"brokers\"", "993", "990", "\"0750\"", "2147483648"]);
    assert_eq!(json(&daemon, &["volume", "show", "kafka"])["export"], "brokers");

    daemon.done(&["export", "rule", "add", "brokers", "10.9.0.0/16", "--access", "ro"]);
    let again = daemon.done(&setup);
    assert!(
        again.contains("changed export policy brokers: 3 rules") && again.contains("kept volume kafka-1"),
        "{again}"
    );
    daemon.done(&["setup", "--brokers", "10.1.0.11,10.1.0.12", "--yes"]);
    assert_eq!(
        json(&daemon, &["volume", "show", "kafka-2"])["size"],
        2_147_483_648_u64,
        "what is not given stays"
    );
    let rules = json(&daemon, &["export", "show", "brokers"]);
    assert_eq!(
        (&rules["rules"][2]["clients"], &rules["rules"][2]["access"]),
        (&"10.9.0.0/16".into(), &"ro".into())
    );
    daemon.stop();
}

#[test]
fn answers_can_be_in_a_file_and_what_cannot_be_done_is_refused_before_anything_changes() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let file = scratch.path().join("answers.toml");
    let setup = |text: &str, more: &[&str]| {
        std::fs::write(&file, text).unwrap();
        daemon.run(&[&["setup", "--answers", file.to_str().unwrap()], more].concat())
    };
    assert_refused(&setup("brokers = []\n", &[]), 2, &["brokers: not given", "--brokers"]);
    assert_refused(&setup("broker = 1\n", &[]), 2, &["answers", "answers.toml", "broker"]);
    assert_refused(&setup("brokers = [\"a\", \"a\"]\n", &[]), 2, &["a: named twice"]);
    assert_refused(
        &setup("brokers = [\"10.1.0.11\"]\ntls = true\n", &[]),
        1,
        &["TLS", "nfs.tls_certificate"],
    );
    let silent = finish(
        forebay().args(["setup", "--admin-socket"]).arg(daemon.socket()).stdin(std::process::Stdio::null()),
    );
    assert_refused(&silent, 2, &["no terminal", "--answers"]);
    assert_eq!(json(&daemon, &["export", "list"]).as_array().unwrap().len(), 1, "nothing was made");

    let text = "brokers = [\"10.1.0.11\", \"10.1.0.12\"]\nlayout = \"folders\"\nsquash = \"none\"\nsnapshots = \"daily=7\"\n";
    let made = setup(text, &["--mount", "/srv/kafka"]);
    assert!(made.status == 0 && made.stdout.contains("log.dirs=/srv/kafka/broker-2"), "{made:?}");
    let volume = json(&daemon, &["volume", "show", "kafka"]);
    assert_eq!((&volume["snapshots"]["daily"], &volume["mode"]), (&7.into(), &"0750".into()));
    daemon.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn brokers_are_watched_until_they_write() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let setup = |seconds: &str| {
        daemon.run(&[
            "setup",
            "--brokers",
            "127.0.0.1",
            "--squash",
            "none",
            "--yes",
            "--wait",
            "--wait-seconds-max",
            seconds,
        ])
    };
    let waited = setup("1");
    assert_refused(&waited, 1, &["brokers 127.0.0.1", "do not write yet"]);
    assert!(waited.stdout.contains("broker 1 (127.0.0.1): not seen yet"), "{waited:?}");

    let client = Client::mount(daemon.address(), ClientOptions::new("broker 1")).await.unwrap();
    let files = client.files();
    let volume = files.resolve("/kafka-1").await.unwrap();
    assert!(setup("0").stdout.contains("broker 1 (127.0.0.1): mounted\n"));
    let data = files.mkdir(&volume, "data").await.unwrap();
    let lock = files.create(&data, ".lock").await.unwrap();
    let new = OpenToLockOwner {
        open_seqid: 0,
        open_stateid: lock.stateid,
        lock_seqid: 0,
        lock_owner: files.owner("broker"),
    };
    let locker = Locker::New(new);
    let args = LockArgs { locktype: LockType::Write, reclaim: false, offset: 0, length: u64::MAX, locker };
    client
        .compound([Operation::Putfh(PutfhArgs { object: lock.handle.clone() }), Operation::Lock(args)])
        .await
        .unwrap();
    assert!(setup("0").stdout.contains("has locked its log directory\n"));
    let topic = files.mkdir(&data, "orders-0").await.unwrap();
    let _log = files.create(&topic, "00000000000000000000.log").await.unwrap();
    let written = setup("60");
    assert!(written.status == 0 && written.stdout.contains("all brokers write to Forebay"), "{written:?}");
    daemon.stop();
}

#[test]
fn without_a_daemon_a_configuration_is_written_and_nothing_is_started() {
    let scratch = tempdir().unwrap();
    let file = scratch.path().join("new.toml");
    let run = || {
        let mut command = forebay();
        command
            .args(["setup", "--yes", "--brokers", "10.1.0.11", "--pool-directory"])
            .arg(scratch.path().join("pool"));
        finish(command.arg("--write-config").arg(&file))
    };
    let first = run();
    assert_eq!(first.status, 0, "{first:?}");
    let serve = format!("next: forebay serve --config {}", file.display());
    assert!(first.stdout.contains("syncs/s") && first.stdout.contains(&serve), "{first:?}");
    assert!(std::fs::read_to_string(&file).unwrap().contains("directory = "));
    assert!(!scratch.path().join("pool").exists());
    assert!(run().stdout.contains("kept configuration"));
}
