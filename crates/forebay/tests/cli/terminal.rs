//! A terminal obeys what it is shown: names that come from clients and operators must not reach one as they are.

use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::path::Path;

use forebay_nfs_client::{Client, ClientOptions};
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::daemon::{Daemon, assert_refused, finish, forebay, wait_until};

/// Clears the screen, changes colours, forges a line, hides what comes next.
const NASTY: &str = "evil\u{1b}[2J\u{9b}31m\nforged\u{202e}\u{7f}";
const SHOWN: &str = r"evil\u{1b}[2J\u{9b}31m\nforged\u{202e}\u{7f}";

fn assert_shown(text: &str) {
    let commands = |character: char| character.is_control() && character != '\n' || character == '\u{202e}';
    assert!(!text.contains(commands), "{text:?}");
}

/// Somebody who answers every request with the same, as a daemon of another release might, or one that is none.
fn answering(socket: &Path, status: &str, body: &Value) {
    let listener = UnixListener::bind(socket).unwrap();
    let body = body.to_string();
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut request = [0; 8192];
            let _ = stream.read(&mut request);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
}

#[test]
fn whatever_a_daemon_says_is_shown_and_not_obeyed() {
    let scratch = tempdir().unwrap();
    let socket = scratch.path().join("admin.sock");
    let event = json!({
        "id": 1, "time": "2026-01-01T00:00:00Z", "severity": "info", "kind": "made_up", "object": NASTY, "message": NASTY,
        "user": NASTY, "address": null,
    });
    answering(&socket, "200 OK", &json!({ "items": [event], "total": 1 }));
    let list = |format: &str| {
        let listed = finish(forebay().args(["event", "list", "-o", format, "--admin-socket"]).arg(&socket));
        assert_eq!(listed.status, 0, "{listed:?}");
        assert_shown(&listed.stdout);
        listed.stdout
    };
    let table = list("table");
    assert_eq!((table.lines().count(), table.matches(SHOWN).count()), (2, 3), "{table}");
    assert_eq!(serde_json::from_str::<Value>(&list("json")).unwrap()[0]["message"], NASTY);
    list("yaml");

    let socket = scratch.path().join("refusing.sock");
    let error =
        json!({ "code": "invalid", "message": NASTY, "object": null, "remedy": NASTY, "request_id": null });
    answering(&socket, "400 Bad Request", &json!({ "error": error }));
    let refused = finish(forebay().args(["event", "list", "--admin-socket"]).arg(&socket));
    assert_refused(&refused, 1, &[SHOWN]);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_clients_chose_are_shown_and_not_obeyed() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start_with(scratch.path(), &["--log-level", "debug"]);
    let client = Client::mount(daemon.address(), ClientOptions::new(NASTY)).await.unwrap();
    let root = client.files().resolve("/kafka").await.unwrap();
    let _file = client.files().create(&root, NASTY).await.unwrap();
    for what in ["clients", "opens"] {
        let table = daemon.done(&["nfs", what]);
        assert_eq!((table.lines().count(), table.matches("evil").count()), (2, 1), "{table}");
        for text in [table, daemon.done(&["nfs", what, "--json"]), daemon.done(&["nfs", what, "-o", "yaml"])]
        {
            assert_shown(&text);
        }
    }
    assert_shown(&daemon.log());
    drop(client);
    daemon.stop();
}

#[test]
fn names_that_would_be_obeyed_are_refused_and_what_repeats_them_shows_them() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let path = format!("/{NASTY}");
    let refused = daemon.run(&["volume", "create", "logs", "--path", &path]);
    assert_refused(&refused, 1, &["junction path", "must not have control characters"]);
    assert_shown(&refused.stderr);
    assert_refused(
        &daemon.run(&["volume", "modify", "kafka", "--path", &path]),
        1,
        &["must not have control characters"],
    );
    let refused = daemon.run(&["token", "create", "--description", NASTY]);
    assert_refused(&refused, 1, &["description", "control characters"]);
    assert_shown(&refused.stderr);

    for arguments in
        [&["volume", "show", NASTY][..], &["export", "show", NASTY], &[NASTY], &["volume", NASTY]]
    {
        let refused = daemon.run(arguments);
        assert_eq!(refused.status, 2, "{refused:?}");
        assert_shown(&refused.stderr);
    }
    let nowhere = finish(forebay().args(["volume", "list", "--admin-socket", &format!("/nowhere/{NASTY}")]));
    assert_refused(&nowhere, 1, &[SHOWN]);
    daemon.stop();
}

#[test]
fn following_events_ends_when_nobody_reads_them_any_more() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let mut following = forebay()
        .args(["event", "list", "--follow", "--pool-directory"])
        .arg(&daemon.pool)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(following.stdout.take());
    let mut number = 0;
    wait_until("it ends", || {
        number += 1;
        daemon.done(&["user", "set", &format!("user{number}"), "--role", "operator"]);
        following.try_wait().unwrap().is_some()
    });
    assert!(following.wait().unwrap().success());
    daemon.stop();
}
