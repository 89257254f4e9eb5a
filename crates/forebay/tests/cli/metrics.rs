//! Metrics, and their history, as collectors and the console ask for them.

use tempfile::tempdir;

use crate::daemon::{Daemon, wait_until};
use crate::http::{Answer, User};

fn metrics(user: &User) -> Answer {
    user.send_to("GET", "/metrics", "", "")
}

#[test]
fn metrics_are_for_everyone_with_a_token_or_for_everyone() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let refused = metrics(&User::of(&daemon, None));
    assert_eq!((refused.status, refused.code()), (401, "token_missing"));
    let told = metrics(&User::with_role(&daemon, "read-only"));
    assert_eq!(told.status, 200);
    assert_eq!(told.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let text = told.body.as_str().unwrap();
    assert!(text.contains("\nforebay_volume_inodes{volume=\"kafka\"} 1\n"), "{text}");
    daemon.stop();

    let daemon = Daemon::start_with(scratch.path(), &["--metrics-public", "on"]);
    let nobody = User::of(&daemon, None);
    assert_eq!(metrics(&nobody).status, 200);
    assert_eq!(nobody.get("/metrics/history").status, 401, "that is the API's");
    daemon.stop();
}

/// The address of the listener for metrics, from the log.
fn monitoring(daemon: &Daemon) -> String {
    let find = || {
        let log = daemon.log();
        let said = log.split("metrics and health at http://").nth(1)?;
        Some(said.split(|letter: char| letter.is_whitespace() || letter == '"').next()?.to_owned())
    };
    wait_until("the listener is logged", || find().is_some());
    find().unwrap()
}

#[test]
fn collectors_and_probes_have_a_listener_that_serves_nothing_else() {
    let scratch = tempdir().unwrap();
    let daemon =
        Daemon::start_that_survives_file_limits(scratch.path(), &["--metrics-listen", "127.0.0.1:0"]);
    let address = monitoring(&daemon);
    assert!(daemon.greeting().contains(&format!("metrics: http://{address}/metrics")));
    let nobody = User::at(&address);
    let text = metrics(&nobody).body;
    assert!(text.as_str().unwrap().contains("\nforebay_volume_inodes{volume=\"kafka\"} 1\n"), "{text}");
    let get = |path: &str| nobody.send_to("GET", path, "", "");
    let health = get("/health");
    assert_eq!((health.status, &health.body["status"]), (200, &"ok".into()), "{health:?}");
    assert_eq!((get("/livez").status, nobody.send_to("HEAD", "/livez", "", "").status), (200, 200));
    for path in ["/", "/api/v1/health", "/api/v1/volumes", "/volumes", "/metrics/history", "/health/x"] {
        let refused = get(path);
        assert_eq!((refused.status, refused.code()), (404, "route_not_found"), "{path}");
    }
    for (method, path) in [("POST", "/metrics"), ("DELETE", "/health"), ("PUT", "/livez")] {
        assert_eq!(nobody.send_to(method, path, "", "").status, 405, "{method} {path}");
    }
    assert_eq!(metrics(&User::of(&daemon, None)).status, 401, "the API still wants a token");

    daemon.fail_writes();
    let _ = daemon.run(&["volume", "create", "other"]);
    wait_until("the probe sees that the pool has stopped", || get("/health").status == 503);
    assert_eq!(get("/livez").status, 200);
}

#[test]
fn a_port_of_metrics_that_is_in_use_is_named() {
    let scratch = tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let mut command = crate::daemon::forebay();
    command.args(["serve", "--nfs-listen", "127.0.0.1:0", "--api-listen", "off", "--pool-directory"]);
    command.arg(scratch.path().join("pool")).args(["--metrics-listen", &address]);
    let refused = crate::daemon::finish(&mut command);
    crate::daemon::assert_refused(&refused, 1, &["metrics.listen", &address, "in use", "--metrics-listen"]);
}

#[test]
fn the_history_grows_by_itself() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let reader = User::with_role(&daemon, "read-only");
    let path = "/metrics/history?series=capacity/free,throughput/";
    let recorded = || reader.get(path).body["series"].as_array().is_some_and(|series| series.len() == 3);
    wait_until("something is recorded", recorded);
    let view = reader.get(path).body;
    assert_eq!((&view["step"], &view["series"][0]["name"]), (&5.into(), &"capacity/free".into()));
    for query in ["step=0", "from=10&to=5", "serie=x"] {
        let refused = reader.get(&format!("/metrics/history?{query}"));
        assert_eq!((refused.status, refused.code()), (400, "bad_request"), "{query}");
    }
    daemon.stop();
}
