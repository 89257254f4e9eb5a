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
