//! `forebay kafka place`, on text in the form of Kafka's tools, and with programs in their place.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::daemon::{Finished, assert_refused, finish, forebay, wait_until};

const POOLS: [&str; 4] = ["--pool", "one=/p1", "--pool", "two=/p2"];

fn dir(path: &str, partitions: &[(&str, u64)]) -> Value {
    let row = |(partition, size): &(&str, u64)| json!({"partition": partition, "size": size, "offsetLag": 0, "isFuture": false});
    json!({"partitions": partitions.iter().map(row).collect::<Vec<_>>(), "error": null, "logDir": path})
}

/// What the tool prints of three brokers. `orders-0` lies in both pools, `orders-1` in the second.
fn log_dirs() -> Value {
    let broker = |id, one: &[(&str, u64)], two: &[(&str, u64)]| json!({"broker": id, "logDirs": [dir("/p1", one), dir("/p2", two)]});
    json!({"version": 1, "brokers": [
        broker(1, &[("orders-0", 3 << 20)], &[("orders-1", 2 << 20)]),
        broker(2, &[("orders-0", 3 << 20)], &[("orders-1", 2 << 20)]),
        broker(3, &[], &[("orders-0", 3 << 20), ("orders-1", 2 << 20)]),
    ]})
}

fn printed(description: &Value) -> String {
    format!(
        "Querying brokers for log directories information\nReceived log directory information from brokers 1,2,3\n{description}\n"
    )
}

const TOPICS: &str = "Topic: orders\tTopicId: c0ffee\tPartitionCount: 2\tReplicationFactor: 3\tConfigs: \n\
     \tTopic: orders\tPartition: 0\tLeader: 3\tReplicas: 3,1,2\tIsr: 3,1,2\tElr: \tLastKnownElr: \n\
     \tTopic: orders\tPartition: 1\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\tElr: \tLastKnownElr: \n";

const PLAN: &str = r#"{"partitions":[{"log_dirs":["/p1","/p1","/p1"],"partition":0,"replicas":[3,1,2],"topic":"orders"}],"version":1}"#;

/// A folder with what the tools have printed.
fn recorded(text: &str) -> (TempDir, PathBuf, PathBuf) {
    let folder = tempdir().unwrap();
    let (dirs, topics) = (folder.path().join("log-dirs.txt"), folder.path().join("topics.txt"));
    fs::write(&dirs, text).unwrap();
    fs::write(&topics, TOPICS).unwrap();
    (folder, dirs, topics)
}

fn place(arguments: &[&str]) -> Finished {
    finish(forebay().args(["kafka", "place"]).args(arguments))
}

fn place_file(file: &Path, arguments: &[&str]) -> Finished {
    place(&[&[file.to_str().unwrap()], arguments].concat())
}

#[test]
fn a_plan_is_reported_and_printed_as_kafkas_reassignment() {
    let (_folder, dirs, topics) = recorded(&printed(&log_dirs()));
    let report = place_file(&dirs, &[&POOLS[..], &["--keep"]].concat());
    assert_eq!(report.status, 0, "{report:?}");
    for part in ["partitions in several", "1.88:1", "3.00:1", "1 replicas of 1 partitions, 3.00 MiB"] {
        assert!(report.stdout.contains(part), "{part}: {}", report.stdout);
    }
    let topics = topics.to_str().unwrap();
    let plan = place_file(&dirs, &[&POOLS[..], &["--keep", "--assignment", topics, "-o", "json"]].concat());
    assert_eq!((plan.status, plan.stdout.trim_end(), plan.stderr.as_str()), (0, PLAN, ""));

    // Without --keep pool one may have at most a tenth more than half.
    let balanced = place_file(&dirs, &[&POOLS[..], &["--assignment", topics]].concat());
    assert!(balanced.stdout.contains("pool one is 20 % above its share"), "{}", balanced.stdout);
    let nothing = place_file(&dirs, &[&POOLS[..], &["--topics", "other*,*s2"]].concat());
    assert!(nothing.stdout.contains("to move  nothing"), "{}", nothing.stdout);

    let refused = place_file(&dirs, &[&POOLS[..], &["-o", "json"]].concat());
    assert_refused(
        &refused,
        1,
        &["order of the replicas", "--assignment FILE", "kafka-topics.sh --describe"],
    );
}

#[test]
fn standard_input_is_read() {
    let (_folder, dirs, _) = recorded(&printed(&log_dirs()));
    let file = fs::File::open(&dirs).unwrap();
    let report = finish(forebay().args(["kafka", "place", "-"]).args(POOLS).stdin(file));
    assert!(
        report.status == 0 && report.stdout.contains("to its share".to_uppercase().as_str()),
        "{report:?}"
    );
}

#[test]
fn input_that_cannot_be_planned_is_refused_in_one_line() {
    let whole = printed(&log_dirs());
    let refused = |text: &str, pools: &[&str], parts: &[&str]| {
        let (_folder, dirs, _) = recorded(text);
        assert_refused(&place_file(&dirs, pools), 1, parts);
    };
    refused(whole.get(..whole.len() - 40).unwrap(), &POOLS, &["log-dirs.txt", "cut off", "again"]);
    refused("Error: no broker\n", &POOLS, &["log-dirs.txt", "no line of JSON"]);
    refused(&whole, &POOLS[..2], &["broker 1", "/p2 is in no pool", "--pool NAME=/p2"]);
    refused(&whole, &[&POOLS[..], &["--pool", "three=/p3"]].concat(), &["/p3 of pool three", "/p1, /p2"]);
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut description = log_dirs();
        change(&mut description);
        printed(&description)
    };
    let lacks = changed(&|all| drop(all["brokers"][2]["logDirs"].as_array_mut().unwrap().remove(0)));
    refused(&lacks, &POOLS, &["broker 3 has no log directory in pool one"]);
    let offline = changed(&|all| all["brokers"][1]["logDirs"][0]["error"] = json!("KAFKA_STORAGE_ERROR"));
    refused(&offline, &POOLS, &["broker 2", "/p1 is offline", "KAFKA_STORAGE_ERROR"]);

    let missing = place(&[&["/nonexistent/dirs"][..], &POOLS].concat());
    assert_refused(&missing, 1, &["/nonexistent/dirs", "cannot be read"]);
    for usage in [
        &["-"][..],
        &["--pool", "one=/p1"],
        &["-", "--pool", "one=p1"],
        &["-", "--pool", "one=/p1", "--execute"],
        &["-", "--pool", "one=/p1", "--kafka", "/k", "--bootstrap-server", "k:9092"],
        &["--pool", "one=/p1", "--kafka", "/k"],
        &["-", "--pool", "one=/p1", "--keep", "--balance", "5"],
    ] {
        assert_eq!(place(usage).status, 2, "{usage:?}");
    }
}

#[test]
fn a_move_under_way_is_said_and_left_out() {
    let mut description = log_dirs();
    let copy = json!({"partition": "orders-0", "size": 9, "offsetLag": 5, "isFuture": true});
    description["brokers"][2]["logDirs"][0]["partitions"].as_array_mut().unwrap().push(copy);
    let (_folder, dirs, topics) = recorded(&printed(&description));
    let topics = topics.to_str().unwrap();
    let plan = place_file(&dirs, &[&POOLS[..], &["--keep", "--assignment", topics, "-o", "json"]].concat());
    assert_eq!(plan.stdout.trim_end(), r#"{"partitions":[],"version":1}"#);
    assert!(plan.stderr.contains("orders-0 is left out: it is being moved"), "{}", plan.stderr);
}

/// Programs in place of Kafka's tools. They write their arguments to `calls`. The description is `before` until the reassignment begins, then
/// `after`; if there is a file `fails`, its first reading after that fails. Topics are those of `next`, if there is one, from their second reading on.
fn tools(folder: &Path, after: &Value) {
    let bin = folder.join("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(folder.join("before"), printed(&log_dirs())).unwrap();
    fs::write(folder.join("after"), printed(after)).unwrap();
    fs::write(folder.join("topics"), TOPICS).unwrap();
    let program = |name: &str, body: &str| {
        let file = bin.join(name);
        let text = format!("#!/bin/sh\ncd '{}'\necho \"$0 $*\" >> calls\n{body}\n", folder.display());
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    };
    program("kafka-topics.sh", "cat topics; if [ -e next ]; then mv next topics; fi");
    program(
        "kafka-log-dirs.sh",
        "if [ ! -e begun ]; then cat before; exit; fi\n\
         if [ -e fails ]; then rm fails; echo 'Error: broker 3 is gone' >&2; exit 1; fi\ncat after",
    );
    program(
        "kafka-reassign-partitions.sh",
        "while [ $# -gt 0 ]; do case $1 in\n\
         --reassignment-json-file) cat \"$2\" > plan;;\n\
         --execute) touch begun;;\n\
         --verify) echo 'Reassignment of replica orders-0-3 completed successfully.';;\n\
         esac; shift; done\n\
         if [ -e refuses ]; then echo 'Error: Cannot execute because there is an existing partition assignment.' >&2; exit 1; fi",
    );
}

fn moved() -> Value {
    let mut after = log_dirs();
    let replica = after["brokers"][2]["logDirs"][1]["partitions"].as_array_mut().unwrap().remove(0);
    after["brokers"][2]["logDirs"][0]["partitions"].as_array_mut().unwrap().push(replica);
    after
}

const RUN: [&str; 6] = ["--bootstrap-server", "k1:9092", "--keep", "--execute", "--throttle", "50MB"];

#[test]
fn kafka_moves_the_replicas_and_the_command_waits_for_them() {
    let folder = tempdir().unwrap();
    tools(folder.path(), &moved());
    let kafka = folder.path().to_str().unwrap();
    // A broker that restarts in the middle does not end the waiting.
    fs::write(folder.path().join("fails"), "").unwrap();
    let config = folder.path().join("topics");
    let arguments =
        [&POOLS[..], &["--kafka", kafka, "--command-config", config.to_str().unwrap()], &RUN].concat();
    let done = finish(forebay().args(["kafka", "place"]).args(&arguments).env("TMPDIR", folder.path()));
    assert_eq!(done.status, 0, "{done:?}");
    assert!(done.stdout.ends_with("moved 1 replicas, 3.00 MiB\n"), "{}", done.stdout);
    assert!(done.stderr.contains("1 of 1 replicas are moved"), "{}", done.stderr);
    assert_eq!(fs::read_to_string(folder.path().join("plan")).unwrap(), PLAN);
    let calls = fs::read_to_string(folder.path().join("calls")).unwrap();
    let common = format!("--bootstrap-server k1:9092 --command-config {}", config.display());
    assert!(calls.lines().all(|call| call.contains(&common)), "{calls}");
    assert!(calls.contains("--replica-alter-log-dirs-throttle 50000000"), "{calls}");
    assert!(calls.lines().next_back().unwrap().contains("--verify"), "the throttle is removed: {calls}");
    let left = fs::read_dir(folder.path()).unwrap().flatten();
    assert!(
        !left.map(|entry| entry.file_name()).any(|name| name.to_string_lossy().starts_with("forebay-place"))
    );

    fs::write(folder.path().join("before"), printed(&moved())).unwrap();
    let again = place(&[&POOLS[..], &["--kafka", kafka], &RUN].concat());
    assert!(again.status == 0 && again.stdout.contains("to move  nothing"), "{again:?}");
}

#[test]
fn a_plan_that_is_out_of_date_when_it_is_confirmed_is_not_carried_out() {
    let folder = tempdir().unwrap();
    tools(folder.path(), &moved());
    fs::write(folder.path().join("next"), TOPICS.replace("3,1,2", "4,1,2")).unwrap();
    let refused = place(&[&POOLS[..], &["--kafka", folder.path().to_str().unwrap()], &RUN].concat());
    assert_refused(&refused, 1, &["orders-0 have changed", "plan again"]);
    let calls = fs::read_to_string(folder.path().join("calls")).unwrap();
    assert!(!calls.contains("reassign"), "{calls}");
}

#[test]
fn a_tool_that_fails_is_quoted() {
    let folder = tempdir().unwrap();
    tools(folder.path(), &moved());
    fs::write(folder.path().join("refuses"), "").unwrap();
    let kafka = folder.path().join("bin");
    let arguments = [&POOLS[..], &["--kafka", kafka.to_str().unwrap()], &RUN].concat();
    let refused = finish(forebay().args(["kafka", "place"]).args(&arguments).env("TMPDIR", folder.path()));
    let parts =
        ["did not begin", "forebay-place-", "--delete-config replica.alter", "existing partition assignment"];
    assert_refused(&refused, 1, &parts);
    let none = place(&[&POOLS[..], &["--kafka", "/nonexistent"], &RUN].concat());
    assert_refused(&none, 1, &["--kafka /nonexistent", "kafka-topics.sh"]);
}

#[test]
fn ctrl_c_leaves_the_moves_to_kafka() {
    let folder = tempdir().unwrap();
    // The replica never arrives.
    let mut after = log_dirs();
    let copy = json!({"partition": "orders-0", "size": 9, "offsetLag": 5, "isFuture": true});
    after["brokers"][2]["logDirs"][0]["partitions"].as_array_mut().unwrap().push(copy);
    tools(folder.path(), &after);
    let arguments = [&POOLS[..], &["--kafka", folder.path().to_str().unwrap()], &RUN].concat();
    let mut command = forebay();
    command.args(["kafka", "place"]).args(&arguments).env("TMPDIR", folder.path());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let calls = folder.path().join("calls");
    wait_until("the command waits", || {
        let calls = fs::read_to_string(&calls).unwrap_or_default();
        calls.matches("kafka-log-dirs.sh").count() >= 2
    });
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    for part in [
        "0 of 1 replicas are moved",
        "1 being copied",
        "Kafka continues to move",
        "--verify --reassignment-json-file",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}
