//! The log: which lines there are of a request, what they say, and in which form.

use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::Value;
use tempfile::tempdir;

use crate::daemon::{Daemon, assert_refused, run, wait_until};
use crate::http::User;

const JSON: &[&str] = &["--log-format", "json"];

/// Every line that has ended, as an object.
fn lines(daemon: &Daemon) -> Vec<Value> {
    let log = daemon.log();
    let ended = log.rfind('\n').map_or("", |end| &log[..end]);
    ended
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// The lines of a request.
fn of_request(daemon: &Daemon, id: &str) -> Vec<Value> {
    lines(daemon).into_iter().filter(|line| line["request_id"] == id).collect()
}

/// The line that says how a request was answered, once it is there.
fn answered(daemon: &Daemon, id: &str) -> Value {
    let find = || of_request(daemon, id).into_iter().find(|line| line["message"] == "answered");
    wait_until("the answer is logged", || find().is_some());
    find().unwrap()
}

#[test]
fn a_change_leaves_a_trail_with_the_id_of_its_request_and_without_secrets() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start_with(scratch.path(), JSON);
    daemon.done(&["user", "set", "ops", "--role", "operator"]);
    let secret = daemon.done(&["token", "create", "--user", "ops"]).trim().to_owned();
    let ops = User::of(&daemon, Some(&secret));
    let headers = "Content-Type: application/json\r\nX-Request-Id: change-1\r\n";
    let made = ops.send("POST", "/volumes", headers, r#"{"name":"logs"}"#);
    assert_eq!((made.status, made.header("x-request-id")), (201, Some("change-1")));

    let line = answered(&daemon, "change-1");
    let expected = [
        ("level", "INFO"),
        ("method", "POST"),
        ("path", "/api/v1/volumes"),
        ("route", "/api/v1/volumes"),
        ("user", "ops"),
        ("address", "127.0.0.1"),
    ];
    for (field, value) in expected {
        assert_eq!(line[field], value, "{line}");
    }
    assert_eq!(line["status"], 201, "{line}");
    assert!(line["duration_ms"].as_f64().is_some_and(|ms| ms > 0.0), "{line}");
    let token = line["token"].as_str().unwrap();
    assert!(daemon.done(&["token", "list"]).contains(token), "{line}");
    let kinds: Vec<Value> = of_request(&daemon, "change-1").iter().map(|line| line["kind"].clone()).collect();
    assert!(kinds.contains(&"volume_created".into()), "{kinds:?}");

    let refused = ops.ask("DELETE", "/volumes/ghost", None);
    let line = answered(&daemon, refused.header("x-request-id").unwrap());
    assert_eq!(
        (&line["status"], &line["route"]),
        (&404.into(), &"/api/v1/volumes/{volume}".into()),
        "{line}"
    );

    for line in lines(&daemon) {
        let time = line["time"].as_str().unwrap();
        assert!(time.len() == 27 && time.ends_with('Z') && &time[10..11] == "T", "{line}");
        assert!(
            line["level"].is_string() && line["target"].is_string() && line["message"].is_string(),
            "{line}"
        );
    }
    let log = daemon.log();
    assert!(!log.contains(&secret) && !log.contains(&secret[secret.len() - 20..]), "a token is in the log");
    daemon.stop();
}

#[test]
fn who_only_looks_and_who_is_nobody_fill_no_log() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start_with(scratch.path(), JSON);
    let reader = User::with_role(&daemon, "read-only");
    let nobody = User::of(&daemon, None);
    assert_eq!(reader.get("/pool").status, 200);
    for _ in 0..20 {
        assert_eq!(nobody.ask("POST", "/volumes", Some("{}")).status, 401);
    }
    let last = reader.ask("DELETE", "/volumes/kafka", None);
    assert_eq!(last.status, 403);
    answered(&daemon, last.header("x-request-id").unwrap());
    let lines = lines(&daemon);
    let count = |wanted: &dyn Fn(&Value) -> bool| lines.iter().filter(|line| wanted(line)).count();
    assert_eq!(count(&|line| line["method"] == "GET"), 0, "{lines:#?}");
    assert_eq!(count(&|line| line["message"] == "answered" && line["status"] == 401), 0, "{lines:#?}");
    assert_eq!(count(&|line| line["kind"] == "token_refused"), 1, "{lines:#?}");
    daemon.stop();
}

#[test]
fn debug_tells_of_every_request_also_of_nfs_ones_that_fail() {
    let scratch = tempdir().unwrap();
    let level = ["--log-level", "info,forebay_admin=debug,forebay_nfs=debug"];
    let daemon = Daemon::start_with(scratch.path(), &[JSON, &level].concat());
    let reader = User::with_role(&daemon, "read-only");
    let id = reader.get("/pool").header("x-request-id").unwrap().to_owned();
    assert_eq!(answered(&daemon, &id)["level"], "DEBUG");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let options = forebay_nfs_client::ClientOptions::new("looks");
        let client = forebay_nfs_client::Client::mount(daemon.address(), options).await.unwrap();
        assert!(client.files().resolve("/kafka/ghost").await.is_err());
        client.unmount().await.unwrap();
    });
    let failed = |line: &Value| line["operation"] == "LOOKUP" && line["status"] == "NoEnt";
    wait_until("the failure is logged", || lines(&daemon).iter().any(failed));
    let line = lines(&daemon).into_iter().find(failed).unwrap();
    assert!(
        line["peer"].as_str().unwrap().starts_with("127.0.0.1:") && line["session"].is_string(),
        "{line}"
    );
    daemon.stop();
}

#[test]
fn text_is_for_people_and_has_the_id_as_well() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let operator = User::with_role(&daemon, "operator");
    let headers = "Content-Type: application/json\r\nX-Request-Id: change-2\r\n";
    operator.send("POST", "/volumes", headers, r#"{"name":"logs"}"#);
    let find = || {
        daemon
            .log()
            .lines()
            .find(|line| line.contains("answered") && line.contains("change-2"))
            .map(str::to_owned)
    };
    wait_until("the answer is logged", || find().is_some());
    let line = find().unwrap();
    assert!(
        line.contains("INFO") && line.contains("user=\"operator\"") && line.contains("status=201"),
        "{line}"
    );
    daemon.stop();
}

#[test]
fn the_command_line_says_where_to_look_if_the_daemon_failed() {
    for (status, is_told) in [("500 Internal Server Error", true), ("409 Conflict", false)] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = format!("http://{}", listener.local_addr().unwrap());
        let answering = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 4096];
            assert!(stream.read(&mut request).unwrap() > 0);
            let body = r#"{"error":{"code":"internal","message":"pool: it failed","object":"pool","remedy":null,"request_id":"ab-1"}}"#;
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}",
                body.len()
            );
            stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).unwrap();
        });
        let refused = run(&["volume", "list", "--server", &server, "--token", "fb_any"]);
        answering.join().unwrap();
        assert_refused(&refused, 1, &["pool: it failed"]);
        assert_eq!(refused.stderr.contains("(request ab-1)"), is_told, "{refused:?}");
    }
}
