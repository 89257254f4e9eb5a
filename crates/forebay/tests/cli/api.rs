//! The API over TCP, as somebody uses it who knows HTTP and nothing else of Forebay.

use serde_json::{Value, json};
use tempfile::tempdir;

use crate::daemon::{Daemon, assert_refused, finish, forebay, wait_until};
use crate::http::User;

#[test]
fn without_a_token_only_health_and_the_document_are_answered() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let nobody = User::of(&daemon, None);
    let health = nobody.get("/health");
    assert_eq!((health.status, &health.body["status"]), (200, &"ok".into()));
    assert_eq!(nobody.get("/openapi.json").body["openapi"], "3.1.0");
    for (method, path) in
        [("GET", "/pool"), ("GET", "/volumes/ghost"), ("POST", "/volumes"), ("GET", "/tokens")]
    {
        let refused = nobody.ask(method, path, None);
        assert_eq!((refused.status, refused.code()), (401, "token_missing"), "{path}");
        assert_eq!(refused.header("www-authenticate"), Some("Bearer realm=\"forebay\""));
    }
    for token in ["nonsense", &format!("fb_{}_{}", "0".repeat(16), "0".repeat(64))] {
        let refused = User::of(&daemon, Some(token)).get("/pool");
        assert_eq!((refused.status, refused.code()), (401, "token_refused"));
    }
    daemon.stop();
}

#[test]
fn roles_bound_what_users_may_do() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let [reader, operator, admin] =
        ["read-only", "operator", "admin"].map(|role| User::with_role(&daemon, role));
    let new = Some(r#"{"name":"logs"}"#);
    for user in [&reader, &operator, &admin] {
        assert_eq!(user.get("/volumes").status, 200);
    }
    let refused = reader.ask("POST", "/volumes", new);
    assert_eq!((refused.status, refused.code()), (403, "role_insufficient"));
    assert!(
        refused.body["error"]["message"].as_str().unwrap().contains("needs the role operator"),
        "{refused:?}"
    );
    assert_eq!(operator.ask("POST", "/volumes", new).status, 201);
    for (method, path) in [("GET", "/users"), ("GET", "/tokens"), ("DELETE", "/volumes/logs?force=true")] {
        let refused = operator.ask(method, path, None);
        assert_eq!((refused.status, refused.code()), (403, "role_insufficient"), "{path}");
    }
    assert_eq!(admin.get("/users").body["total"], 3);
    assert_eq!(admin.ask("DELETE", "/volumes/logs?force=true", None).status, 204);
    let noted = daemon.done(&["event", "list", "--severity", "warning"]);
    assert!(noted.contains("user read-only") && noted.contains("needs the role"), "{noted}");
    daemon.stop();
}

#[test]
fn tokens_are_told_once_kept_as_hashes_and_end_with_their_user() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let admin = User::with_role(&daemon, "admin");
    admin.ask("PUT", "/users/monitor", Some(r#"{"role":"read-only"}"#));
    let made = admin.ask("POST", "/tokens", Some(r#"{"user":"monitor","description":"graphs"}"#));
    assert_eq!(made.status, 201, "{made:?}");
    let secret = made.body["secret"].as_str().unwrap().to_owned();
    let place = made.header("location").unwrap().strip_prefix("/api/v1").unwrap().to_owned();
    let monitor = User::of(&daemon, Some(&secret));
    assert_eq!(admin.get(&place).body["last_used"], Value::Null);
    assert_eq!(monitor.get("/pool").status, 200);
    assert!(admin.get(&place).body["last_used"].is_string());
    assert!(!admin.get("/tokens").body.to_string().contains(&secret[20..]));

    let soon = admin.ask("POST", "/tokens", Some(r#"{"user":"monitor","expires_in":1}"#));
    let soon = User::of(&daemon, soon.body["secret"].as_str());
    wait_until("the token expires", || soon.get("/pool").status == 401);
    let both = r#"{"user":"monitor","expires_in":1,"expires":"2100-01-01T00:00:00Z"}"#;
    assert_eq!(admin.ask("POST", "/tokens", Some(both)).code(), "bad_request");
    let past = r#"{"user":"monitor","expires":"2001-01-01T00:00:00Z"}"#;
    assert_eq!(admin.ask("POST", "/tokens", Some(past)).code(), "invalid");
    assert_eq!(admin.ask("POST", "/tokens", Some(r#"{"user":"ghost"}"#)).code(), "user_not_found");
    daemon.stop();

    let daemon = Daemon::start(scratch.path());
    let monitor = User::of(&daemon, Some(&secret));
    assert_eq!(monitor.get("/pool").status, 200, "a token outlives a restart");
    daemon.done(&["user", "delete", "monitor"]);
    assert_eq!(monitor.get("/pool").code(), "token_refused");
    daemon.done(&["user", "set", "monitor", "--role", "admin"]);
    assert_eq!(monitor.get("/pool").code(), "token_refused", "another user of that name is another user");
    daemon.stop();
    let mut folders = vec![scratch.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                let kept = std::fs::read(&path).unwrap();
                assert!(!kept.windows(40).any(|part| part == &secret.as_bytes()[20..60]), "{path:?}");
            }
        }
    }
}

#[test]
fn every_refusal_has_the_same_shape() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let admin = User::with_role(&daemon, "admin");
    let large = format!(r#"{{"name":"{}"}}"#, "x".repeat(100 << 10));
    for (method, path, body, status, code) in [
        ("GET", "/nothing", None, 404, "route_not_found"),
        ("PUT", "/pool", None, 405, "method_not_allowed"),
        ("GET", "/volumes/ghost", None, 404, "volume_not_found"),
        ("GET", "/volumes/id:00ffffff", None, 404, "volume_not_found"),
        ("GET", "/volumes/kafka/snapshots/ghost", None, 404, "snapshot_not_found"),
        ("GET", "/export-policies/ghost", None, 404, "export_policy_not_found"),
        ("DELETE", "/export-policies/default/rules/7", None, 404, "export_rule_not_found"),
        ("GET", "/nfs/clients/0000000000000000", None, 404, "client_not_found"),
        ("GET", "/nfs/clients/xyz", None, 400, "bad_request"),
        ("DELETE", "/nfs/opens/000000000000000000000000", None, 404, "stateid_not_found"),
        ("GET", "/users/ghost", None, 404, "user_not_found"),
        ("GET", "/tokens/ghost", None, 404, "token_not_found"),
        ("GET", "/jobs/99", None, 404, "job_not_found"),
        ("GET", "/jobs/x", None, 400, "bad_request"),
        ("GET", "/volumes?colour=red", None, 400, "bad_request"),
        ("GET", "/nfs/opens?limit=0", None, 400, "bad_request"),
        ("GET", "/nfs/opens?limit=1&limit=2", None, 400, "bad_request"),
        ("GET", "/events?severity=loud", None, 400, "bad_request"),
        ("POST", "/volumes", Some("{"), 400, "bad_request"),
        ("POST", "/volumes", Some("[]"), 400, "bad_request"),
        ("POST", "/volumes", Some("{}"), 400, "bad_request"),
        ("POST", "/volumes", Some(r#"{"name":"x","colour":1}"#), 400, "bad_request"),
        ("POST", "/volumes", Some(r#"{"name":"x","size":0}"#), 400, "bad_request"),
        ("POST", "/volumes", Some(r#"{"name":"x","size":9223372036854775808}"#), 400, "bad_request"),
        ("POST", "/volumes", Some(r#"{"name":"x","mode":"999"}"#), 400, "bad_request"),
        ("POST", "/volumes", Some(r#"{"name":"../x"}"#), 400, "invalid"),
        ("POST", "/volumes", Some(r#"{"name":"kafka"}"#), 409, "already_exists"),
        ("POST", "/volumes", Some(&large), 413, "body_too_large"),
        ("PATCH", "/volumes/kafka", Some(r#"{"uid":null,"size":-1}"#), 400, "bad_request"),
        ("DELETE", "/export-policies/default", None, 409, "permanent"),
    ] {
        let refused = admin.ask(method, path, body);
        assert_eq!((refused.status, refused.code()), (status, code), "{method} {path} {refused:?}");
        assert_eq!(refused.header("content-type"), Some("application/json"), "{method} {path}");
        assert!(refused.header("x-request-id").is_some(), "{method} {path}");
        let error = refused.body["error"].as_object().unwrap();
        assert_eq!(error["request_id"].as_str(), refused.header("x-request-id"), "{method} {path}");
        assert_eq!(
            error.keys().map(String::as_str).collect::<Vec<_>>(),
            ["code", "message", "object", "remedy", "request_id"]
        );
    }
    let refused = admin.ask("PUT", "/pool", None);
    assert_eq!(refused.header("allow"), Some("GET,HEAD"));
    let refused = admin.send("POST", "/volumes", "Content-Type: text/plain\r\n", "{}");
    assert_eq!((refused.status, refused.code()), (415, "media_type_unsupported"));
    let given = admin.send("GET", "/pool", "X-Request-Id: mine-1\r\n", "");
    assert_eq!(given.header("x-request-id"), Some("mine-1"));
    daemon.stop();
}

#[test]
fn put_twice_is_put_once_and_another_body_is_a_conflict() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let user = User::with_role(&daemon, "operator");
    let body = Some(r#"{"path":"/a/b","size":1000000,"mode":"700","snapshots":{"daily":2}}"#);
    let made = user.ask("PUT", "/volumes/logs", body);
    assert_eq!((made.status, made.header("location")), (201, Some("/api/v1/volumes/logs")));
    let again = user.ask("PUT", "/volumes/logs", body);
    assert_eq!((again.status, &again.body["id"]), (200, &made.body["id"]));
    let other = user.ask(
        "PUT",
        "/volumes/logs",
        Some(r#"{"path":"/a/b","size":5,"mode":"700","snapshots":{"daily":2}}"#),
    );
    assert_eq!((other.status, other.code()), (409, "differs"));
    assert!(other.body["error"]["message"].as_str().unwrap().contains("with a different size"), "{other:?}");
    let by_id = format!("/volumes/id:{}", made.body["id"].as_str().unwrap());
    assert_eq!(user.get(&by_id).body["name"], "logs");

    assert_eq!(user.ask("PUT", "/volumes/logs/snapshots/monday", None).status, 201);
    assert_eq!(user.ask("PUT", "/volumes/logs/snapshots/monday", None).status, 200);
    let rules = Some(r#"{"rules":[{"clients":"10.0.0.0/8","access":"ro"},{"clients":"*","access":"none"}]}"#);
    assert_eq!(user.ask("PUT", "/export-policies/brokers", rules).status, 201);
    let same = user.ask("PUT", "/export-policies/brokers", rules);
    assert_eq!((same.status, &same.body["rules"][0]["access"]), (200, &"ro".into()));
    let twice = Some(r#"{"rules":[{"clients":"*"},{"clients":"*"}]}"#);
    assert_eq!(user.ask("PUT", "/export-policies/brokers", twice).code(), "already_exists");
    let guarded = user.ask("DELETE", "/export-policies/brokers/rules/1?clients=10.1.0.0/16", None);
    assert_eq!((guarded.status, guarded.code()), (409, "differs"));
    daemon.stop();
}

#[test]
fn a_volume_is_changed_as_a_whole_or_not_at_all() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let user = User::with_role(&daemon, "operator");
    user.ask("POST", "/volumes", Some(r#"{"name":"logs","max_bytes_per_second":2000000}"#));
    let change = json!({
        "path": "/elsewhere/logs", "size": 5_000_000, "uid": 7, "gid": 8, "mode": "0750", "compression": "zstd",
        "preserve_unlink": false, "max_bytes_per_second": null, "snapshots": {"hourly": 3},
    });
    let changed = user.ask("PATCH", "/volumes/logs", Some(&change.to_string()));
    assert_eq!(changed.status, 200, "{changed:?}");
    for (field, value) in change.as_object().unwrap() {
        let shown = &changed.body[field];
        let same = if field == "snapshots" { shown["hourly"] == 3 } else { shown == value };
        assert!(same, "{field}: {changed:?}");
    }
    for (wrong, code) in [
        (json!({"size": 6_000_000, "path": "/kafka"}), "already_exists"),
        (json!({"size": 6_000_000, "path": "/kafka/below"}), "already_exists"),
        (json!({"size": 6_000_000, "export": "ghost"}), "export_policy_not_found"),
        (json!({"size": 6_000_000, "max_bytes_per_second": 5}), "invalid"),
        (json!({"size": 6_000_000, "path": "relative"}), "invalid"),
    ] {
        assert_eq!(user.ask("PATCH", "/volumes/logs", Some(&wrong.to_string())).code(), code, "{wrong}");
        assert_eq!(user.get("/volumes/logs").body["size"], 5_000_000, "{wrong}");
    }
    daemon.stop();
    let daemon = Daemon::start(scratch.path());
    let shown: Value = serde_json::from_str(&daemon.done(&["volume", "show", "logs", "--json"])).unwrap();
    assert_eq!(
        (&shown["path"], &shown["mode"], &shown["uid"]),
        (&"/elsewhere/logs".into(), &"0750".into(), &7.into())
    );
    assert_eq!((&shown["compression"], &shown["preserve_unlink"]), (&"zstd".into(), &false.into()));
    let said = daemon.done(&["volume", "modify", "logs", "--path", "/logs", "--preserve-unlink", "on"]);
    assert_eq!(said, "volume logs is at /logs\nvolume logs has preserve-unlink on\n");
    daemon.stop();
}

#[test]
fn a_check_is_a_job() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let user = User::with_role(&daemon, "operator");
    let begun = user.ask("POST", "/pool/check", Some(r#"{"read":true}"#));
    assert_eq!((begun.status, &begun.body["kind"]), (202, &"pool_check".into()));
    let place = begun.header("location").unwrap().strip_prefix("/api/v1").unwrap().to_owned();
    wait_until("the check ends", || user.get(&place).body["state"] != "running");
    let ended = user.get(&place).body;
    assert_eq!(
        (&ended["state"], &ended["result"]["differences_count"]),
        (&"succeeded".into(), &0.into()),
        "{ended}"
    );
    assert_eq!(user.ask("DELETE", &place, None).code(), "job_ended");
    assert!(daemon.done(&["job", "list"]).contains("pool_check"));
    let id = ended["id"].to_string();
    assert!(daemon.done(&["job", "show", &id]).contains("succeeded"));
    daemon.stop();
}

#[test]
fn what_happens_is_told_as_events_and_logged_once() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let user = User::with_role(&daemon, "operator");
    user.ask("POST", "/volumes", Some(r#"{"name":"logs"}"#));
    let events = user.get("/events?limit=2000").body["items"].as_array().unwrap().clone();
    let kinds: Vec<&str> = events.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds.first(), Some(&"daemon_started"));
    let last = events.last().unwrap();
    assert_eq!((&last["kind"], &last["object"]), (&"volume_created".into(), &"volume logs".into()));
    assert_eq!((&last["user"], &last["address"]), (&"operator".into(), &"127.0.0.1".into()));
    let after = format!("/events?after={}", last["id"]);
    assert_eq!(user.get(&after).body["items"], json!([]));
    daemon.done(&["volume", "delete", "logs"]);
    assert_eq!(user.get(&after).body["items"][0]["kind"], "volume_deleted");
    assert_eq!(daemon.log().matches("volume_created").count(), 1, "{}", daemon.log());
    daemon.stop();
}

#[test]
fn the_command_line_reaches_any_daemon_also_by_a_profile() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let url = daemon.api();
    let token = daemon.done(&["token", "create"]);
    let run = |arguments: &[&str]| finish(forebay().args(arguments).env("XDG_CONFIG_HOME", scratch.path()));
    let listed = run(&["volume", "list", "--server", &url, "--token", token.trim()]);
    assert!(listed.status == 0 && listed.stdout.contains("kafka"), "{listed:?}");
    assert_refused(
        &run(&["volume", "list", "--server", &url]),
        1,
        &["token: missing", "forebay token create", "--token"],
    );
    let with_tls = url.replace("http://", "https://");
    assert_refused(
        &run(&["volume", "list", "--server", &with_tls, "--token", token.trim()]),
        1,
        &["TLS failed", "api.tls_certificate", "--ca-certificate"],
    );
    let socket = format!("unix:{}", daemon.socket().display());
    assert_eq!(run(&["pool", "show", "--server", &socket, "-o", "yaml"]).status, 0);

    let added = run(&["profile", "add", "prod", "--server", &url, "--token", token.trim()]);
    assert_eq!(added.status, 0, "{added:?}");
    let shown = run(&["volume", "show", "kafka", "-o", "yaml"]);
    assert!(shown.stdout.lines().any(|line| line == "name: kafka"), "{shown:?}");
    assert!(run(&["profile", "list"]).stdout.contains("prod*"));
    run(&["profile", "use", "local"]);
    assert_refused(&run(&["volume", "list"]), 1, &["no daemon listens"]);
    assert_eq!(run(&["volume", "list", "--profile", "prod"]).status, 0);
    assert_eq!(run(&["profile", "remove", "prod"]).status, 0);
    assert_refused(&run(&["volume", "list", "--profile", "prod"]), 1, &["profile prod: not found"]);
    let clear = run(&["profile", "add", "x", "--server", "http://storage.example.org"]);
    assert_refused(&clear, 1, &["unencrypted", "https://"]);
    daemon.stop();
}

#[test]
fn a_pool_is_made_with_a_token_without_serving_it() {
    let scratch = tempdir().unwrap();
    let pool = scratch.path().join("pool").display().to_string();
    let made = finish(forebay().args(["init", "--pool-directory", &pool]));
    assert_eq!(made.status, 0, "{made:?}");
    let token = made.stdout.lines().last().unwrap().to_owned();
    assert_refused(&finish(forebay().args(["init", "--pool-directory", &pool])), 1, &["already exists"]);
    let daemon = Daemon::start(scratch.path());
    let admin = User::of(&daemon, Some(&token));
    assert_eq!(admin.get("/users/admin").body["role"], "admin");
    assert_eq!(admin.get("/volumes/kafka").status, 200);
    // Who was deleted on purpose does not come back.
    assert_refused(
        &daemon.run(&["user", "delete", "admin"]),
        1,
        &["user admin: is the last user", "forebay user set"],
    );
    daemon.done(&["user", "set", "root", "--role", "admin"]);
    daemon.done(&["user", "delete", "admin"]);
    let demoted = daemon.run(&["user", "set", "root", "--role", "operator"]);
    assert_refused(&demoted, 1, &["user root: is the last user", "forebay user set"]);
    daemon.stop();
    let daemon = Daemon::start(scratch.path());
    let users: Value = serde_json::from_str(&daemon.done(&["user", "list", "-o", "json"])).unwrap();
    assert_eq!((users.as_array().unwrap().len(), &users[0]["name"]), (1, &"root".into()));
    daemon.stop();
}

#[test]
fn an_api_for_others_needs_tls() {
    let refused = finish(forebay().args(["serve", "--api-listen", "0.0.0.0:0"]));
    assert_refused(&refused, 2, &["api.listen is 0.0.0.0:0", "api.tls_certificate"]);
}

#[test]
fn completions_and_manual_pages_are_written() {
    let scratch = tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let script = finish(forebay().args(["completions", shell]));
        assert!(script.status == 0 && script.stdout.contains("forebay"), "{shell}");
    }
    let written = finish(forebay().arg("man").arg(scratch.path()));
    assert_eq!(written.status, 0, "{written:?}");
    let page = std::fs::read_to_string(scratch.path().join("forebay-volume-create.1")).unwrap();
    assert!(page.contains("max\\-bytes\\-per\\-second"), "{page}");
}
