//! `forebay bucket` and `forebay s3` against a daemon that serves S3.

use std::io::Write;
use std::process::Stdio;

use bytes::Bytes;
use forebay_nfs_client::xdr::nfs4::StableHow;
use forebay_nfs_client::{Client, ClientOptions};
use serde_json::Value;
use tempfile::tempdir;

use crate::daemon::{Daemon, Finished, assert_refused, forebay, run};

const WRITERS: &str = r#"{"Version": "2012-10-17", "Statement": [
    {"Sid": "Objects", "Effect": "Allow", "Action": "s3:PutObject", "Resource": "arn:aws:s3:::tiered/*"}]}"#;

fn start(scratch: &std::path::Path) -> Daemon {
    Daemon::start_with(scratch, &["--s3-listen", "127.0.0.1:0"])
}

/// Runs a command whose standard input is `input`.
fn with_input(daemon: &Daemon, arguments: &[&str], input: &str) -> Finished {
    let mut child = forebay()
        .args(arguments)
        .arg("--pool-directory")
        .arg(&daemon.pool)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    Finished {
        status: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn json(daemon: &Daemon, arguments: &[&str]) -> Value {
    let printed = daemon.done(&[arguments, &["--output", "json"]].concat());
    serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"))
}

#[test]
fn a_user_gets_rights_from_a_group_and_a_key_that_is_shown_once() {
    let scratch = tempdir().unwrap();
    let daemon = start(scratch.path());
    assert_eq!(daemon.done(&["s3", "group", "create", "writers"]), "created S3 group writers\n");
    let set = with_input(&daemon, &["s3", "group", "policy", "set", "writers", "tiered", "-"], WRITERS);
    assert_eq!((set.status, set.stdout.as_str()), (0, "group writers has policy tiered\n"), "{set:?}");
    let created = daemon.done(&["s3", "user", "create", "kafka", "--group", "writers"]);
    assert_eq!(created, "created S3 user kafka in writers\n");

    let printed = daemon.done(&["s3", "key", "create", "kafka", "--section", "tiering"]);
    let lines: Vec<&str> = printed.lines().collect();
    let [section, id, secret] = lines[..] else { panic!("{printed}") };
    let id = id.strip_prefix("aws_access_key_id = ").unwrap();
    let secret = secret.strip_prefix("aws_secret_access_key = ").unwrap();
    assert_eq!((section, id.len(), secret.len()), ("[tiering]", 20, 40));
    let second = json(&daemon, &["s3", "key", "create", "kafka", "--expires-in", "90d"]);
    assert_eq!(second["secret"].as_str().unwrap().len(), 40);
    assert!(second["key"]["expires"].is_string(), "{second}");
    // A user has two keys at most.
    assert_refused(&daemon.run(&["s3", "key", "create", "kafka"]), 1, &["kafka"]);

    let listed = daemon.done(&["s3", "key", "list", "kafka"]);
    assert!(listed.contains(id) && !listed.contains(secret), "{listed}");
    assert_eq!(
        daemon.done(&["s3", "key", "disable", id]),
        format!("disabled access key {id} of S3 user kafka\n")
    );
    let shown = json(&daemon, &["s3", "user", "show", "kafka"]);
    let key = shown["keys"].as_array().unwrap().iter().find(|key| key["id"] == id).unwrap();
    assert_eq!((&key["disabled"], &shown["groups"][0]), (&true.into(), &"writers".into()), "{shown}");
    assert!(daemon.done(&["s3", "key", "enable", id]).starts_with("enabled access key "));
    daemon.done(&["s3", "key", "delete", id]);
    assert_refused(&daemon.run(&["s3", "key", "delete", id]), 1, &[id, "not found", "forebay s3 key list"]);

    assert_eq!(daemon.done(&["s3", "user", "disable", "kafka"]), "disabled S3 user kafka\n");
    assert!(daemon.done(&["s3", "user", "list"]).contains("disabled"));
    daemon.done(&["s3", "user", "enable", "kafka"]);
    daemon.done(&["s3", "group", "remove-member", "writers", "kafka"]);
    daemon.done(&["s3", "group", "add-member", "writers", "kafka"]);
    assert_eq!(json(&daemon, &["s3", "group", "show", "writers"])["members"], serde_json::json!(["kafka"]));
    assert_eq!(daemon.done(&["s3", "user", "delete", "kafka"]), "deleted S3 user kafka\n");
    assert_eq!(json(&daemon, &["s3", "group", "show", "writers"])["members"], serde_json::json!([]));
    daemon.done(&["s3", "group", "policy", "remove", "writers", "tiered"]);
    daemon.done(&["s3", "group", "delete", "writers"]);
    assert!(!daemon.done(&["s3", "group", "list"]).contains("writers"));
    daemon.stop();
}

#[test]
fn a_bucket_is_created_changed_and_deleted() {
    let scratch = tempdir().unwrap();
    let daemon = start(scratch.path());
    let created = daemon.done(&[
        "bucket",
        "create",
        "tiered",
        "--size",
        "2GiB",
        "--tag",
        "team=logs",
        "--versioning",
        "enabled",
    ]);
    assert_eq!(created, "created bucket tiered, owned by S3 user admin\n");
    let listed = daemon.done(&["bucket", "list"]);
    assert!(listed.contains("tiered") && listed.contains("2.00 GiB"), "{listed}");
    let changed = daemon.done(&[
        "bucket",
        "modify",
        "tiered",
        "--size",
        "none",
        "--versioning",
        "suspended",
        "--block-public-access",
        "on",
        "--no-tags",
    ]);
    assert_eq!(
        changed,
        "bucket tiered has versioning suspended\nbucket tiered has size none\nbucket tiered has tags none\n\
         bucket tiered blocks public access: yes\n"
    );
    let shown = json(&daemon, &["bucket", "show", "tiered"]);
    assert_eq!((&shown["size"], &shown["versioning"]), (&Value::Null, &"suspended".into()), "{shown}");
    assert_eq!(daemon.done(&["bucket", "objects", "list", "tiered", "--versions"]), "");
    assert_eq!(daemon.done(&["bucket", "delete", "tiered"]), "deleted bucket tiered\n");
    assert_refused(&daemon.run(&["bucket", "show", "tiered"]), 1, &["tiered", "not found"]);
    assert!(daemon.done(&["event", "list"]).contains("bucket tiered"));
    daemon.stop();
}

/// Writes a file to the volume `kafka`.
fn write_file(daemon: &Daemon, name: &str, content: &'static [u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = Client::mount(daemon.address(), ClientOptions::new("broker")).await.unwrap();
        let root = client.files().resolve("/kafka").await.unwrap();
        let file = client.files().create(&root, name).await.unwrap();
        client.files().write(&file, 0, Bytes::from_static(content), StableHow::FileSync).await.unwrap();
        client.files().close(&file).await.unwrap();
        client.unmount().await.unwrap();
    });
}

#[test]
fn a_file_of_a_volume_becomes_an_object_once_and_only_as_what_it_is() {
    let scratch = tempdir().unwrap();
    let daemon = start(scratch.path());
    daemon.done(&["bucket", "create", "tiered"]);
    write_file(&daemon, "notes", b"no log segment");
    let put = |more: &[&'static str], object: &'static str| {
        daemon.run(&[&["object", "put", "--from-volume", "kafka:/notes", object], more].concat())
    };
    let made = put(&["--content-type", "text/plain"], "s3://tiered/a/");
    assert_eq!(made.stdout, "created s3://tiered/a/notes, 14 B\n", "{}", made.stderr);
    let listed = daemon.done(&["bucket", "objects", "list", "tiered", "--output", "json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!((&listed["key"], &listed["size"]), (&"a/notes".into(), &14.into()), "{listed}");
    assert_eq!(
        (&listed["content_type"], &listed["owner"]),
        (&"text/plain".into(), &"admin".into()),
        "{listed}"
    );

    assert_refused(&put(&[], "s3://tiered/a/notes"), 1, &["a/notes", "there is an object with this key"]);
    assert_eq!(put(&["--replace"], "s3://tiered/a/notes").status, 0);
    let segment = put(&["--records", "0-9"], "s3://tiered/b");
    assert_refused(&segment, 1, &["kafka:/notes", "is not the log segment", "check the offsets"]);
    assert_refused(&put(&[], "s3://missing/b"), 1, &["missing", "not found"]);
    let ghost = daemon.run(&["object", "put", "--from-volume", "kafka:/ghost", "s3://tiered/b"]);
    assert_refused(&ghost, 1, &["kafka:/ghost", "not found"]);
    let inverted = put(&["--records", "9-0"], "s3://tiered/b");
    assert!(inverted.status == 2 && inverted.stderr.contains("write FIRST-LAST"), "{inverted:?}");
    let objects = daemon.done(&["bucket", "objects", "list", "tiered"]);
    assert_eq!(objects.lines().count(), 1, "{objects}");
    assert!(daemon.done(&["event", "list"]).contains("was made of kafka:/notes"));
    daemon.stop();
}

#[test]
fn documents_of_a_bucket_are_set_shown_and_removed() {
    let scratch = tempdir().unwrap();
    let daemon = start(scratch.path());
    daemon.done(&["bucket", "create", "tiered"]);
    let file = scratch.path().join("document.json");
    let path = file.to_str().unwrap();
    let policy = WRITERS.replace("\"Effect\"", "\"Principal\": {\"AWS\": \"000000000000\"},\n\t\"Effect\"");
    std::fs::write(&file, &policy).unwrap();
    assert_eq!(daemon.done(&["bucket", "policy", "set", "tiered", path]), "bucket tiered has a new policy\n");
    let printed = daemon.done(&["bucket", "policy", "show", "tiered"]);
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(read(&printed), read(&policy));
    daemon.done(&["bucket", "policy", "remove", "tiered"]);
    assert_refused(&daemon.run(&["bucket", "policy", "show", "tiered"]), 1, &["tiered", "policy"]);

    let rules = r#"{"rules": [{"id": "daily", "prefix": "daily/", "expire_days": 30}]}"#;
    let set = with_input(&daemon, &["bucket", "lifecycle", "set", "tiered", "-"], rules);
    assert_eq!(set.stdout, "bucket tiered has 1 lifecycle rules\n", "{set:?}");
    let shown = daemon.done(&["bucket", "lifecycle", "show", "tiered"]);
    assert!(shown.contains("daily/*") && shown.contains("expire after 30 days"), "{shown}");
    daemon.done(&["bucket", "lifecycle", "remove", "tiered"]);

    let rules = r#"{"rules": [{"allowed_origins": ["https://*.example.com"], "allowed_methods": ["GET"]}]}"#;
    let set = with_input(&daemon, &["bucket", "cors", "set", "tiered", "-"], rules);
    assert_eq!(set.stdout, "bucket tiered has 1 CORS rules\n", "{set:?}");
    assert!(daemon.done(&["bucket", "cors", "show", "tiered"]).contains("https://*.example.com"));
    daemon.done(&["bucket", "cors", "remove", "tiered"]);
    daemon.stop();
}

#[test]
fn a_document_that_cannot_be_used_is_refused_with_the_place_in_it() {
    let scratch = tempdir().unwrap();
    let daemon = start(scratch.path());
    daemon.done(&["s3", "group", "create", "writers"]);
    let set = ["s3", "group", "policy", "set", "writers", "tiered", "-"];
    let second = WRITERS.replace("]}", ", {\"Effect\": \"Maybe\", \"Action\": \"*\", \"Resource\": \"*\"}]}");
    assert_refused(&with_input(&daemon, &set, &second), 1, &["Statement 2", "Effect"]);
    assert_refused(&with_input(&daemon, &set, "{\"a\": 1,}"), 1, &["standard input: is not JSON", "line 1"]);
    let file = scratch.path().join("none.json");
    let set = ["s3", "group", "policy", "set", "writers", "tiered", file.to_str().unwrap()];
    assert_refused(&daemon.run(&set), 1, &["none.json: cannot be read"]);
    // A group that does not exist is found before the user is created.
    let create = ["s3", "user", "create", "kafka", "--group", "none"];
    assert_refused(&daemon.run(&create), 1, &["none", "not found"]);
    assert!(!daemon.done(&["s3", "user", "list"]).contains("kafka"));
    daemon.stop();
}

#[test]
fn names_that_cannot_exist_are_refused_before_a_daemon_is_asked() {
    for arguments in [
        &["bucket", "create", "Upper"][..],
        &["bucket", "show", "../x"],
        &["s3", "user", "show", "a/b"],
        &["s3", "key", "delete", "../users"],
        &["bucket", "create", "tiered", "--tag", "none"],
        &["bucket", "modify", "tiered", "--size", "1", "--no-tags", "--tag", "a=b"],
    ] {
        assert_eq!(run(arguments).status, 2, "{arguments:?}");
    }
}

#[test]
fn without_s3_the_commands_say_how_to_turn_it_on() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    for arguments in [&["bucket", "list"][..], &["s3", "user", "list"]] {
        assert_refused(&daemon.run(arguments), 1, &["S3", "s3.listen"]);
    }
    daemon.stop();
}
