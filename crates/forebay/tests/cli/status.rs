//! What is wrong is named, with its cause and remedy: by `forebay status`, `/health`, `/status`, `/alerts`, events and metrics, within ten
//! seconds.

use std::time::{Duration, Instant};

use bytes::Bytes;
use forebay_nfs_client::xdr::Status;
use forebay_nfs_client::xdr::nfs4::StableHow;
use forebay_nfs_client::{Client, ClientOptions, FileHandle};
use rustix::process::Signal;
use serde_json::Value;
use tempfile::tempdir;

use crate::daemon::{Daemon, Finished, forebay, wait_until};
use crate::http::User;

/// Everything must be named within this time. The margin is for busy machines.
const NAMED_WITHIN: Duration = Duration::from_secs(10);
const MARGIN: Duration = Duration::from_secs(10);

fn start(scratch: &std::path::Path) -> Daemon {
    // So that a nearly full disk of the machine does not matter.
    Daemon::start_with(scratch, &["--pool-size-max", "1GiB"])
}

pub async fn mount(daemon: &Daemon, name: &str, volume: &str) -> (Client, FileHandle) {
    let client = Client::connect(daemon.address(), ClientOptions::new(name)).await.unwrap();
    client.reclaim_complete().await.unwrap();
    let root = client.files().resolve(volume).await.unwrap();
    (client, root)
}

fn alerts(daemon: &Daemon) -> Vec<Value> {
    let status: Value = serde_json::from_str(&daemon.run(&["status", "--json"]).stdout).unwrap();
    status["alerts"].as_array().unwrap().clone()
}

/// Waits for an alert, and returns it. It must be everywhere.
fn named(daemon: &Daemon, name: &str) -> Value {
    let begun = Instant::now();
    let find = || alerts(daemon).into_iter().find(|alert| alert["name"] == name);
    wait_until(&format!("{name} fires"), || find().is_some());
    assert!(begun.elapsed() < NAMED_WITHIN + MARGIN, "{name}: {:?}", begun.elapsed());
    let alert = find().unwrap();
    let events = daemon.done(&["event", "list", "--json", "--limit", "1000"]);
    assert!(events.contains(&format!("({name})")), "no event: {events}");
    let nobody = User::of(daemon, None);
    let health = nobody.get("/health").body;
    let reason = health["reasons"].as_array().unwrap().iter().find(|reason| reason["name"] == name);
    let reason = reason.unwrap_or_else(|| panic!("{health}"));
    assert!(reason["summary"].as_str().unwrap().len() > 10 && reason["remedy"].as_str().unwrap().len() > 10);
    assert_eq!(nobody.get("/status").status, 401, "objects are named to users only");
    let reader = User::with_role(daemon, "read-only");
    let listed = reader.get("/alerts?state=firing").body;
    assert!(listed["items"].as_array().unwrap().iter().any(|one| one["name"] == name), "{listed}");
    let metrics = reader.send_to("GET", "/metrics", "", "").body;
    let severity = alert["severity"].as_str().unwrap();
    let sample = format!("forebay_alert{{name=\"{name}\",severity=\"{severity}\"}} 0\n");
    assert!(!metrics.as_str().unwrap().contains(&sample), "the metric is 0");
    alert
}

fn assert_names(alert: &Value, object: &str, parts: &[&str]) {
    assert_eq!(alert["object"], object, "{alert}");
    let said = format!("{} {}", alert["message"], alert["remedy"]);
    for part in parts {
        assert!(said.contains(part), "{part:?} is not in {said}");
    }
}

fn status(daemon: &Daemon) -> Finished {
    daemon.run(&["status"])
}

#[test]
fn a_healthy_daemon_is_healthy_and_one_that_is_not_there_is_critical() {
    let scratch = tempdir().unwrap();
    let daemon = start(scratch.path());
    let healthy = status(&daemon);
    assert_eq!(healthy.status, 0, "{healthy:?}");
    assert!(healthy.stdout.starts_with("Healthy\n") && healthy.stdout.contains("new pool"), "{healthy:?}");
    let health = User::of(&daemon, None).get("/health");
    assert_eq!((health.status, &health.body["status"]), (200, &"ok".into()));
    let view: Value = serde_json::from_str(&daemon.done(&["status", "-o", "json"])).unwrap();
    assert!(
        view["changes"].as_array().unwrap().iter().any(|event| event["kind"] == "daemon_started"),
        "{view}"
    );
    let pool = daemon.pool.clone();
    daemon.stop();
    let gone = crate::daemon::finish(forebay().args(["status", "--pool-directory"]).arg(pool));
    assert_eq!(gone.status, 2, "{gone:?}");
    assert!(gone.stderr.contains("no daemon listens"), "{gone:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_volume_is_named_with_the_client_that_is_hurt_and_the_command() {
    let scratch = tempdir().unwrap();
    let daemon = start(scratch.path());
    daemon.done(&["volume", "create", "small", "--size", "1MiB"]);
    let (client, root) = mount(&daemon, "broker", "/small").await;
    let file = client.files().create(&root, "log").await.unwrap();
    let block = Bytes::from(vec![7; 256 << 10]);
    let mut failed = None;
    for index in 0..8 {
        let written =
            client.files().write(&file, index * (256 << 10), block.clone(), StableHow::FileSync).await;
        failed = failed.or(written.err());
    }
    assert_eq!(failed.unwrap().status(), Some(Status::NoSpc));
    let alert = named(&daemon, "ForebayNoSpaceForClients");
    assert_names(
        &alert,
        "volume small",
        &["no space left", "127.0.0.1", "Kafka stops a broker", "forebay volume resize small 1GiB"],
    );
    named(&daemon, "ForebayVolumeFull");
    let shown = status(&daemon);
    assert_eq!(shown.status, 2, "{shown:?}");
    assert!(
        shown.stdout.contains("critical alert") && shown.stdout.contains("CRITICAL  volume small"),
        "{shown:?}"
    );
    daemon.done(&["volume", "resize", "small", "1GiB"]);
    wait_until("there is space again", || {
        !alerts(&daemon).iter().any(|alert| alert["name"] == "ForebayVolumeFull")
    });
    let events = daemon.done(&["event", "list", "--json", "--limit", "1000"]);
    assert!(events.contains("alert_resolved"), "{events}");
    drop(client);
    daemon.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_and_the_clients_that_have_not_come_back_are_named() {
    let scratch = tempdir().unwrap();
    let daemon = start(scratch.path());
    let (client, root) = mount(&daemon, "broker-3", "/kafka").await;
    let _file = client.files().create(&root, ".lock").await.unwrap();
    drop(client);
    daemon.kill();
    // Long enough for all questions on a busy machine.
    let settings = ["--pool-size-max", "1GiB", "--nfs-grace-seconds", "120"];
    let daemon = Daemon::start_with(scratch.path(), &settings);
    let alert = named(&daemon, "ForebayUncleanStop");
    assert_names(&alert, "daemon", &["not stopped in order", "journalctl"]);
    let alert = named(&daemon, "ForebayGracePeriod");
    assert_names(&alert, "NFS", &["1 client has not come back", "broker-3", "ends in"]);
    let shown = status(&daemon);
    assert_eq!(shown.status, 1, "{shown:?}");
    for part in ["2 warnings", "last stop NOT clean", "not back yet", "broker-3"] {
        assert!(shown.stdout.contains(part), "{part}: {shown:?}");
    }
    daemon.stop();
    let daemon = start(scratch.path());
    let view: Value = serde_json::from_str(&daemon.run(&["status", "--json"]).stdout).unwrap();
    assert_eq!(view["last_stop"], "clean");
    assert!(!alerts(&daemon).iter().any(|alert| alert["name"] == "ForebayUncleanStop"));
    daemon.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_an_export_policy_refuses_is_named_with_the_rule_that_would_let_it_in() {
    let scratch = tempdir().unwrap();
    let daemon = start(scratch.path());
    daemon.done(&["export", "create", "brokers"]);
    daemon.done(&["volume", "modify", "kafka", "--export", "brokers"]);
    let client = Client::connect(daemon.address(), ClientOptions::new("stranger")).await.unwrap();
    client.reclaim_complete().await.unwrap();
    assert!(client.files().resolve("/kafka").await.is_err());
    let alert = named(&daemon, "ForebayClientsRefused");
    assert_names(
        &alert,
        "client 127.0.0.1",
        &["volume kafka", "has no rule for it", "forebay export rule add brokers 127.0.0.1"],
    );
    assert_eq!(status(&daemon).status, 1);
    daemon.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pool_that_has_stopped_answers_503_and_is_critical() {
    let scratch = tempdir().unwrap();
    let mut daemon = Daemon::start_that_survives_file_limits(scratch.path(), &["--pool-size-max", "1GiB"]);
    let nobody = User::of(&daemon, None);
    let reader = User::with_role(&daemon, "read-only");
    let (client, root) = mount(&daemon, "broker", "/kafka").await;
    let file = client.files().create(&root, "log").await.unwrap();
    daemon.fail_writes();
    let write = client.files().write(&file, 0, Bytes::from(vec![7; 1 << 20]), StableHow::FileSync).await;
    assert!(write.is_err());
    // A change of metadata that cannot be written stops the pool.
    assert!(client.files().create(&root, "another").await.is_err());
    wait_until("it answers 503", || nobody.get("/health").status == 503);
    assert_eq!(nobody.get("/health").body["status"], "critical");
    let names = || {
        let alerts = reader.get("/alerts?state=firing").body["items"].clone();
        alerts
            .as_array()
            .unwrap()
            .iter()
            .map(|alert| alert["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let wanted = ["ForebayPoolStopped", "ForebayServerFails"];
    wait_until("it is named", || wanted.iter().all(|name| names().contains(&(*name).to_owned())));
    assert_eq!(status(&daemon).status, 2);
    daemon.signal(Signal::TERM);
    assert!(!daemon.wait().success(), "the pool cannot be closed cleanly");
    let daemon = start(scratch.path());
    named(&daemon, "ForebayUncleanStop");
    daemon.stop();
}
