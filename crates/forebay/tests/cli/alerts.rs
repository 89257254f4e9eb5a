//! Alerts that are acknowledged, silenced and delivered, and what survives a restart and a crash.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use forebay_nfs_client::xdr::nfs4::StableHow;
use rustix::process::Signal;
use serde_json::Value;
use tempfile::tempdir;

use crate::daemon::{Daemon, assert_refused, finish, forebay, wait_until};
use crate::http::User;
use crate::status::mount;

/// A webhook that takes everything, and its file of targets.
struct Hook {
    file: PathBuf,
    bodies: Arc<Mutex<Vec<Value>>>,
}

impl Hook {
    fn new(scratch: &Path) -> Hook {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let bodies = Arc::<Mutex<Vec<Value>>>::default();
        let file = scratch.join("targets.toml");
        let text = format!(
            "[[target]]\nname = \"own\"\ntype = \"webhook\"\nurl = \"http://{}/hook\"\n[[target]]\nname = \"gone\"\ntype = \"slack\"\nurl = \"http://127.0.0.1:1/secret\"\n",
            listener.local_addr().unwrap()
        );
        write_targets(&file, &text);
        let seen = bodies.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let body = take(stream.unwrap());
                seen.lock().unwrap().push(body);
            }
        });
        Hook { file, bodies }
    }

    /// How often a notice of this state and object has come.
    fn count(&self, state: &str, object: &str) -> usize {
        let bodies = self.bodies.lock().unwrap();
        bodies.iter().filter(|body| body["state"] == state && body["object"] == object).count()
    }
}

fn write_targets(file: &Path, text: &str) {
    std::fs::write(file, text).unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)).unwrap();
}

fn take(mut stream: TcpStream) -> Value {
    let mut request = Vec::new();
    loop {
        let mut some = [0; 4096];
        let length = stream.read(&mut some).unwrap();
        request.extend(&some[..length]);
        let text = String::from_utf8_lossy(&request);
        if let Some((_, body)) = text.split_once("\r\n\r\n")
            && let Ok(body) = serde_json::from_str(body)
        {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
            return body;
        }
        assert!(length > 0, "{text}");
    }
}

fn start(scratch: &Path, settings: &[&str]) -> Daemon {
    // So that a nearly full disk of the machine does not matter.
    let mut all = vec!["--pool-size-max", "1GiB"];
    all.extend(settings);
    Daemon::start_with(scratch, &all)
}

/// Waits for an alert.
fn alert(daemon: &Daemon, object: &str) -> Value {
    let find = || {
        let alerts: Value = serde_json::from_str(&daemon.done(&["alert", "list", "--json"])).unwrap();
        alerts.as_array().unwrap().iter().find(|alert| alert["object"] == object).cloned()
    };
    wait_until(&format!("an alert of {object}"), || find().is_some());
    find().unwrap()
}

const SMALL: &str = "volume small";

/// Makes a volume that is nearly full.
async fn fill(daemon: &Daemon) {
    daemon.done(&["volume", "create", "small", "--size", "1MiB"]);
    let (client, root) = mount(daemon, "broker", "/small").await;
    let file = client.files().create(&root, "log").await.unwrap();
    let block = Bytes::from(vec![7; 1 << 20]);
    client.files().write(&file, 0, block, StableHow::FileSync).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alert_is_delivered_once_acknowledged_silenced_and_goes_on_after_a_restart() {
    let scratch = tempdir().unwrap();
    let hook = Hook::new(scratch.path());
    let settings = ["--alerts-targets", hook.file.to_str().unwrap()];
    let daemon = start(scratch.path(), &settings);
    fill(&daemon).await;
    let fired = alert(&daemon, SMALL);
    assert_eq!((&fired["name"], &fired["acknowledged"]), (&"ForebayVolumeFull".into(), &Value::Null));
    wait_until("the notice", || hook.count("firing", SMALL) == 1);
    let id = fired["id"].as_str().unwrap();
    let done = daemon.done(&["alert", "acknowledge", id, "--comment", "we know"]);
    assert!(done.contains("acknowledged ForebayVolumeFull"), "{done}");
    let shown = daemon.run(&["status"]);
    assert!(shown.status != 0 && shown.stdout.contains("acknowledged by"), "{shown:?}");
    // The target that is not there is an alert itself, and the other one has got it.
    let targets = daemon.done(&["alert", "targets"]);
    assert!(targets.contains("own") && targets.contains("failed: http://127.0.0.1:1"), "{targets}");
    assert!(!targets.contains("secret"), "{targets}");
    let tested = daemon.run(&["alert", "test"]);
    assert!(tested.stdout.contains("own: delivered"), "{tested:?}");
    assert_refused(&tested, 1, &["not delivered: gone"]);
    assert_eq!(hook.count("test", "forebay"), 1);

    // After a crash the alert goes on, and is still acknowledged, so no notice repeats it.
    let is_written = || {
        let path = daemon.pool.join("history/events");
        std::fs::read_to_string(path).is_ok_and(|text| text.contains("we know"))
    };
    wait_until("the event is written", is_written);
    daemon.kill();
    let daemon = start(scratch.path(), &settings);
    let again = alert(&daemon, SMALL);
    assert_eq!((&again["id"], &again["since"]), (&fired["id"], &fired["since"]));
    assert_eq!(again["acknowledged"]["comment"], "we know");
    daemon.done(&["alert", "acknowledge", id, "--undo"]);
    wait_until("the notice of an alert that nobody knows of", || hook.count("firing", SMALL) == 2);
    assert_refused(&daemon.run(&["alert", "acknowledge", id, "--undo"]), 1, &["is not acknowledged"]);
    assert_refused(&daemon.run(&["alert", "acknowledge", "000000000000"]), 1, &["does not fire"]);

    // A silence ends what counts.
    let silenced = daemon.done(&["alert", "silence", "--for", "2h", "--rule", "ForebayVolumeFull"]);
    assert!(silenced.contains("silence 1 lasts until"), "{silenced}");
    let shown = daemon.run(&["status"]);
    assert!(shown.stdout.contains("silent until"), "{shown:?}");
    let health = User::of(&daemon, None).get("/health").body;
    assert!(!health["reasons"].to_string().contains("ForebayVolumeFull"), "{health}");
    assert!(daemon.done(&["alert", "silences"]).contains("ForebayVolumeFull"));
    daemon.done(&["alert", "unsilence", "1"]);
    assert_refused(&daemon.run(&["alert", "unsilence", "1"]), 1, &["silence 1", "not found"]);
    let wrong = daemon.run(&["alert", "silence", "--for", "1h", "--rule", "ForebayNothing"]);
    assert_refused(&wrong, 1, &["there is no rule \"ForebayNothing\""]);
    let events = daemon.done(&["event", "list"]);
    for part in ["was acknowledged: we know", "its acknowledgement was taken back", "are silent until"] {
        assert!(events.contains(part), "{part}: {events}");
    }
}

#[test]
fn a_file_of_targets_that_is_wrong_is_refused_and_a_new_one_is_read_at_sighup() {
    let scratch = tempdir().unwrap();
    let hook = Hook::new(scratch.path());
    let good = std::fs::read_to_string(&hook.file).unwrap();
    write_targets(&hook.file, "[[target]]\nname = \"a\"\ntype = \"webhook\"\n");
    let settings = ["--alerts-targets", hook.file.to_str().unwrap()];
    let mut serve = forebay();
    serve.args(["serve", "--nfs-listen", "127.0.0.1:0", "--pool-directory"]).arg(scratch.path().join("pool"));
    let refused = finish(serve.args(settings));
    assert_refused(&refused, 2, &["alerts.targets", "targets.toml", "target a: url is missing"]);
    write_targets(&hook.file, "");
    let daemon = start(scratch.path(), &settings);
    assert!(daemon.done(&["alert", "targets"]).contains("No targets"));
    assert_refused(&daemon.run(&["alert", "test"]), 1, &["there are no targets"]);
    write_targets(&hook.file, &good);
    daemon.signal(Signal::HUP);
    wait_until("the targets are read", || daemon.done(&["alert", "targets"]).contains("own"));
    write_targets(&hook.file, "[[target]]\n");
    daemon.signal(Signal::HUP);
    wait_until("the mistake is logged", || daemon.log().contains("the old ones stay in use"));
    assert!(daemon.done(&["alert", "test", "own"]).contains("delivered"));
}

#[test]
fn events_graphs_and_days_show_the_time_before_a_crash() {
    let scratch = tempdir().unwrap();
    let daemon = start(scratch.path(), &[]);
    daemon.done(&["volume", "create", "orders"]);
    let job = daemon.done(&["pool", "check", "--json"]);
    assert!(job.contains("\"differences_count\""), "{job}");
    daemon.done(&["user", "set", "reader", "--role", "read-only"]);
    let token = daemon.done(&["token", "create", "--user", "reader"]);
    let points = |daemon: &Daemon| -> (usize, Vec<Value>) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let reader = User::of(daemon, Some(token.trim()));
        let view =
            reader.get(&format!("/metrics/history?series=nfs/clients&step=5&from={}", now - 1800)).body;
        let mean = view["series"][0]["mean"].as_array().cloned().unwrap_or_default();
        (mean.iter().filter(|point| !point.is_null()).count(), view["restarts"].as_array().unwrap().clone())
    };
    wait_until("something is recorded", || points(&daemon).0 >= 2);
    let before = points(&daemon).0;
    daemon.stop();
    let daemon = start(scratch.path(), &[]);
    assert!(points(&daemon).0 >= before);
    assert_eq!(points(&daemon).1[1]["clean"], true);
    daemon.done(&["volume", "create", "clicks"]);
    let is_written = || {
        let path = daemon.pool.join("history/events");
        std::fs::read_to_string(path).is_ok_and(|text| text.contains("volume clicks"))
    };
    wait_until("events are written", is_written);
    daemon.kill();
    let daemon = start(scratch.path(), &[]);
    let (count, restarts) = points(&daemon);
    assert!(count >= before, "{count} of {before}");
    assert_eq!(
        restarts.iter().map(|one| one["clean"].clone()).collect::<Vec<_>>(),
        [Value::Null, true.into(), false.into()]
    );
    let events = daemon.done(&["event", "list"]);
    for part in ["volume orders", "volume clicks", "the last stop was not clean"] {
        assert!(events.contains(part), "{part}: {events}");
    }
    let jobs = daemon.done(&["job", "list"]);
    assert!(jobs.contains("succeeded"), "{jobs}");
    let capacity = daemon.done(&["pool", "capacity"]);
    assert!(capacity.contains("no forecast") && capacity.contains(" used"), "{capacity}");
    let volume = daemon.done(&["pool", "capacity", "--volume", "orders"]);
    assert!(volume.contains("no size limit"), "{volume}");
    assert_refused(&daemon.run(&["pool", "capacity", "--volume", "none"]), 1, &["volume none"]);
}

#[test]
fn damaged_files_of_the_history_cost_only_what_was_in_them() {
    let scratch = tempdir().unwrap();
    let daemon = start(scratch.path(), &[]);
    daemon.done(&["volume", "create", "orders"]);
    let is_recorded = || {
        let view = User::with_role(&daemon, "read-only").get("/metrics/history?series=nfs/clients").body;
        view["series"].as_array().is_some_and(|series| !series.is_empty())
    };
    wait_until("something is recorded", is_recorded);
    daemon.stop();
    let history = scratch.path().join("pool/history");
    let mut names: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(&history).unwrap().flatten() {
        names.push(entry.file_name().into_string().unwrap());
        let mut content = std::fs::read(entry.path()).unwrap();
        let middle = content.len() / 2;
        content.truncate(middle);
        content.extend(b"\xff\xfe not what was written");
        std::fs::write(entry.path(), content).unwrap();
    }
    names.sort();
    for expected in ["alerts", "days", "events", "points-5s", "starts"] {
        assert!(names.iter().any(|name| name == expected), "{names:?}");
    }
    let daemon = start(scratch.path(), &[]);
    assert!(daemon.log().contains("is damaged: the graphs lack"), "{}", daemon.log());
    let status = daemon.run(&["status"]);
    assert_eq!(status.status, 0, "{status:?}");
    daemon.done(&["volume", "create", "clicks"]);
    daemon.stop();
    // A file where the folder should be.
    std::fs::remove_dir_all(&history).unwrap();
    std::fs::write(&history, b"").unwrap();
    let daemon = start(scratch.path(), &[]);
    daemon.done(&["volume", "create", "third"]);
    wait_until("the failure is logged", || daemon.log().contains("the history cannot be written"));
    daemon.stop();
}

#[test]
fn a_new_user_is_told_how_to_mount_where_the_console_is_and_who_has_access() {
    let scratch = tempdir().unwrap();
    let runtime = scratch.path().join("run");
    std::fs::create_dir(&runtime).unwrap();
    std::fs::set_permissions(&runtime, std::fs::Permissions::from_mode(0o700)).unwrap();
    let runtime = runtime.to_str().unwrap();
    let daemon =
        Daemon::start_in(scratch.path(), &["--pool-size-max", "1GiB"], &[("XDG_RUNTIME_DIR", runtime)]);
    daemon.done(&["volume", "create", "Broker_4"]);
    assert!(daemon.ready.contains(":/kafka "), "{}", daemon.ready);
    let token = format!("forebay token create --pool-directory {}", daemon.pool.display());
    assert!(
        daemon.greeting().contains(&token) && daemon.greeting().contains(daemon.api().as_str()),
        "{}",
        daemon.greeting()
    );
    assert!(!daemon.greeting().contains("warning:"), "only this machine reaches it: {}", daemon.greeting());
    // Commands without options find the daemon that was started last.
    let found = finish(forebay().args(["volume", "list"]).env("XDG_RUNTIME_DIR", runtime));
    assert!(found.status == 0 && found.stdout.contains("Broker_4"), "{found:?}");
    daemon.stop();
    let gone = finish(forebay().args(["volume", "list"]).env("XDG_RUNTIME_DIR", runtime));
    assert_refused(&gone, 1, &["forebay-data/admin.sock", "no daemon listens"]);
}

#[test]
fn the_settings_that_the_daemon_runs_with_are_shown() {
    let scratch = tempdir().unwrap();
    let daemon = start(scratch.path(), &["--nfs-grace-seconds", "90"]);
    let changed = daemon.done(&["config", "show", "--changed"]);
    assert!(changed.contains("nfs.grace_seconds") && changed.contains("90"), "{changed}");
    assert!(!changed.contains("nfs.lease_seconds"), "{changed}");
    assert!(daemon.done(&["config", "show"]).contains("nfs.lease_seconds"));
    // Options may come before the command.
    let pool = daemon.pool.to_str().unwrap();
    let first = finish(forebay().args(["--pool-directory", pool, "--json", "config", "show", "--changed"]));
    assert!(first.status == 0 && first.stdout.contains("\"grace_seconds\""), "{first:?}");
}
