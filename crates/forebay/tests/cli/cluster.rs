//! Pools in a database as their operator sees and moves them.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::daemon::{Daemon, Finished, assert_refused, forebay, run, wait_until};
use crate::database::{Shared, postgres, url_of};
use crate::http::User;

/// A new database, so that no other test has pools in it.
fn new_database() -> String {
    let name = postgres::new_name();
    postgres::execute(&format!("create database {name}"));
    name
}

/// A daemon that waits for a pool. Killed when dropped.
struct Waiting(Child);

impl Waiting {
    fn start(shared: &Shared, node: &str) -> Waiting {
        Waiting::start_with(shared, node, &[])
    }

    /// Returns when the database shows that it waits.
    fn start_with(shared: &Shared, node: &str, more: &[&str]) -> Waiting {
        let own = shared.scratch.path().join(node);
        std::fs::create_dir_all(&own).unwrap();
        let mut command = forebay();
        command.args([
            "serve",
            "--nfs-listen",
            "127.0.0.1:0",
            "--api-listen",
            "127.0.0.1:0",
            "--pool-directory",
        ]);
        command
            .arg(own.join("pool"))
            .args(shared.arguments(node))
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        let log = std::fs::File::create(own.join("log")).unwrap();
        let waiting = Waiting(command.stderr(log).spawn().unwrap());
        wait_until("the node waits", || {
            let (_, pool) = seen(shared);
            pool["candidates"].as_array().unwrap().iter().any(|candidate| candidate["node"] == node)
        });
        waiting
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn status(url: &str) -> Finished {
    run(&["cluster", "status", "--metadata", url, "-o", "json"])
}

/// The pool as `cluster status` shows it, with the exit status.
fn seen(shared: &Shared) -> (i32, Value) {
    let finished = status(&shared.url);
    let view: Value = serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished:?}"));
    let pools = view["items"].as_array().unwrap();
    let pool = pools.iter().find(|pool| pool["name"] == shared.name.as_str());
    (finished.status, pool.cloned().unwrap_or_else(|| panic!("{finished:?}")))
}

fn cluster(shared: &Shared, words: &[&str]) -> Finished {
    let mut arguments = vec!["cluster", words[0], &shared.name, "--metadata", &shared.url];
    arguments.extend(&words[1..]);
    run(&arguments)
}

/// The messages of the events of a kind.
fn events(daemon: &User, kind: &str) -> Vec<String> {
    let all = daemon.get("/events").body;
    let of_kind = all["items"].as_array().unwrap().iter().filter(|event| event["kind"] == kind);
    of_kind.map(|event| event["message"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_status_shows_all_pools_of_a_database_and_whether_they_are_served() {
    let database = new_database();
    let none = status(&url_of("forebay", &database));
    assert_eq!(none.status, 1, "{none:?}");
    let table = run(&["cluster", "status", "--metadata", &url_of("forebay", &database)]);
    assert!(table.stdout.contains("there is no pool in database"), "{table:?}");

    let first = Shared::create_in(&database);
    let (status_of_new, pool) = seen(&first);
    assert_eq!((status_of_new, pool["state"].as_str()), (1, Some("never_opened")), "{pool}");
    let daemon = first.serve("a");
    let (status_of_served, pool) = seen(&first);
    assert_eq!(status_of_served, 0, "commits that nothing guards are only a remark: {pool}");
    assert_eq!((pool["state"].as_str(), pool["node"].as_str()), (Some("serving"), Some("a")), "{pool}");
    assert_eq!(
        (pool["epoch"].as_u64(), pool["takeover"]["kind"].as_str()),
        (Some(1), Some("first")),
        "{pool}"
    );
    assert!(pool["lease_age_ms"].as_u64().unwrap() < 2500, "{pool}");
    assert!(pool["batch"].as_u64().unwrap() > 0 && pool["bytes"].as_u64().unwrap() > 0, "{pool}");
    assert_eq!(pool["candidates"], serde_json::json!([]), "{pool}");

    let second = Shared::create_in(&database);
    let both = status(&first.url);
    let view: Value = serde_json::from_str(&both.stdout).unwrap();
    assert_eq!(
        (both.status, view["total"].as_u64(), view["synchronous"].as_str()),
        (1, Some(2), Some("unguarded"))
    );
    let table = run(&["cluster", "status", "--metadata", &first.url]);
    for part in
        ["serving", "never opened", "WAITING", "commits in database", "synchronous_standby_names is empty"]
    {
        assert!(table.stdout.contains(part), "{part}: {table:?}");
    }
    let csv = run(&["cluster", "status", "--metadata", &first.url, "-o", "csv"]);
    assert_eq!(csv.stdout.lines().count(), 3, "{csv:?}");

    daemon.kill();
    std::thread::sleep(Duration::from_secs(3));
    let (status_of_silent, pool) = seen(&first);
    assert_eq!((status_of_silent, pool["state"].as_str()), (1, Some("silent")), "{pool}");
    assert!(pool["silent_ms"].as_u64().unwrap() >= 3000, "{pool}");
    first.serve("a").stop();
    let (_, pool) = seen(&first);
    assert_eq!(
        (pool["state"].as_str(), pool["takeover"]["kind"].as_str()),
        (Some("released"), Some("restarted"))
    );
    let newer = format!("update forebay_{}.pool set format = 99", second.name);
    postgres::execute_on(&second.url, &newer);
    assert_refused(
        &status(&first.url),
        2,
        &[&second.name, "tables have version 99", "use the newer release"],
    );
}

/// Two nodes wait; the pool goes to the named one, whoever is faster.
#[test]
fn a_pool_is_moved_to_the_named_node_by_the_database_and_by_the_socket() {
    let shared = Shared::create_in(&new_database());
    let mut first = shared.serve("a");
    let (b, c) = (Waiting::start(&shared, "b"), Waiting::start(&shared, "c"));
    assert_refused(&cluster(&shared, &["move", "--to", "d"]), 1, &["node d does not wait", "these do: b, c"]);
    assert_refused(&cluster(&shared, &["move", "--to", "a"]), 1, &["node a serves it already"]);
    let refused = first.run(&["cluster", "move", "--to", "d"]);
    assert_refused(&refused, 1, &["node d does not wait", "b, c"]);

    let moved = cluster(&shared, &["move", "--to", "c"]);
    assert_eq!(moved.status, 0, "{moved:?}");
    for part in ["node a is asked to hand it over to node c", "node c serves pool", "the move took"] {
        assert!(moved.stdout.contains(part), "{part}: {moved:?}");
    }
    assert!(first.wait().success(), "{}", first.log());
    assert!(first.log().contains("asked in the database"), "{}", first.log());
    let (_, pool) = seen(&shared);
    assert_eq!(
        (pool["node"].as_str(), pool["takeover"]["kind"].as_str()),
        (Some("c"), Some("moved")),
        "{pool}"
    );
    assert!(pool["takeover"]["open_ms"].is_u64(), "{pool}");

    // The socket of the owner is that of the directory, and the request is in its events.
    let directory = shared.scratch.path().join("c").join("pool");
    let moved = run(&[
        "cluster",
        "move",
        &shared.name,
        "--to",
        "b",
        "--metadata",
        &shared.url,
        "-o",
        "json",
        "--pool-directory",
        directory.to_str().unwrap(),
    ]);
    let result: Value = serde_json::from_str(&moved.stdout).unwrap_or_else(|_| panic!("{moved:?}"));
    assert_eq!((result["from"].as_str(), result["to"].as_str()), (Some("c"), Some("b")), "{moved:?}");
    let log = std::fs::read_to_string(shared.scratch.path().join("c").join("log")).unwrap();
    assert!(
        log.contains("node c hands the pool over to node b") && !log.contains("asked in the database"),
        "{log}"
    );
    drop((b, c));
}

#[test]
fn a_release_needs_a_node_that_waits_unless_it_is_forced() {
    let shared = Shared::create_in(&new_database());
    let nobody = cluster(&shared, &["release"]);
    assert_refused(&nobody, 1, &["no node serves it now (never opened)"]);
    let mut first = shared.serve("a");
    assert_refused(&cluster(&shared, &["release"]), 1, &["no node waits for it", "--force"]);
    assert_refused(
        &cluster(&shared, &["move", "--to", "b"]),
        1,
        &["no node waits for it", "start the daemon"],
    );
    let user = User::of(&first, Some(first.done(&["token", "create"]).trim()));
    let refused = user.ask("POST", "/cluster/release", Some("{}"));
    assert_eq!((refused.status, refused.body["error"]["code"].as_str()), (409, Some("node_not_waiting")));
    let refused = user.ask("POST", "/cluster/move", Some(r#"{"to":"b"}"#));
    assert_eq!((refused.status, refused.body["error"]["code"].as_str()), (409, Some("node_not_waiting")));
    let forced = cluster(&shared, &["release", "--force"]);
    assert_eq!(forced.status, 0, "{forced:?}");
    assert!(forced.stdout.contains("is released; no node serves it"), "{forced:?}");
    assert!(first.wait().success());

    let first = shared.serve("a");
    let waiting = Waiting::start(&shared, "b");
    // The name of the pool is not needed.
    let released = run(&["cluster", "release", "--metadata", &shared.url]);
    assert!(released.status == 0 && released.stdout.contains("node b serves pool"), "{released:?}");
    drop((first, waiting));
}

#[test]
fn a_named_node_that_dies_leaves_the_pool_to_another_after_five_seconds() {
    let shared = Shared::create_in(&new_database());
    let first = shared.serve("a");
    let (b, named) = (Waiting::start(&shared, "b"), Waiting::start(&shared, "c"));
    drop(named);
    let begun = Instant::now();
    // Its row stays for some seconds.
    let moved = cluster(&shared, &["move", "--to", "c"]);
    assert_refused(&moved, 1, &["node c did not take it within five seconds, so node b did"]);
    assert!(begun.elapsed() > Duration::from_secs(5), "{:?}", begun.elapsed());
    drop((first, b));
}

#[test]
fn the_daemon_shows_the_cluster_its_candidates_and_its_lease() {
    let shared = Shared::create_in(&new_database());
    let daemon = shared.serve("a");
    let user = User::of(&daemon, Some(daemon.done(&["token", "create"]).trim()));
    wait_until("the daemon has looked at the database", || user.get("/cluster").status == 200);
    let waiting = Waiting::start_with(&shared, "b", &["--node-priority", "3"]);
    wait_until("the candidate is shown", || !events(&user, "candidate_came").is_empty());
    assert_eq!(events(&user, "candidate_came"), ["node b waits for the pool"]);
    let view = user.get("/cluster").body;
    let pool = &view["items"][0];
    assert_eq!(
        (view["pool"].as_str(), view["total"].as_u64()),
        (Some(shared.name.as_str()), Some(1)),
        "{view}"
    );
    assert_eq!(pool["state"], "serving", "{view}");
    assert_eq!(
        (&pool["candidates"][0]["node"], &pool["candidates"][0]["priority"]),
        (&"b".into(), &3.into())
    );
    let node = user.get("/node").body;
    assert_eq!((node["name"].as_str(), node["phase"].as_str()), (Some("a"), Some("serving")), "{node}");
    assert!(node["beat_age_ms"].as_u64().unwrap() < 2500, "{node}");
    let owner = daemon.done(&["pool", "owner"]);
    assert!(owner.contains("serving"), "{owner}");
    drop(waiting);
    wait_until("the candidate is gone", || !events(&user, "candidate_went").is_empty());
    let metrics = user.send_to("GET", "/metrics", "", "").body.as_str().unwrap().to_owned();
    for line in [
        "forebay_node_info{node=\"a\"} 1",
        "forebay_cluster_candidates 0",
        "forebay_cluster_synchronous_standby 0",
    ] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
    // The next owner says how it came to the pool.
    daemon.kill();
    let next = shared.serve("c");
    let user = User::of(&next, Some(next.done(&["token", "create"]).trim()));
    let taken = events(&user, "pool_taken");
    assert!(taken.iter().any(|said| said.contains("node c took the pool from node a")), "{taken:?}");
    assert_eq!(user.get("/node").body["takeover"]["kind"], "fenced");
    next.stop();
}

#[test]
fn a_role_that_may_only_read_is_enough_to_look_and_not_to_move() {
    let database = new_database();
    let shared = Shared::create_in(&database);
    let daemon = shared.serve("a");
    let waiting = Waiting::start(&shared, "b");
    let (name, role) = (&shared.name, format!("looks_{}", shared.name));
    postgres::execute_on(&shared.url, &format!("create role {role} login"));
    let url = url_of(&role, &database);
    assert_refused(&status(&url), 2, &["may not read its tables", "grant usage on schema"]);
    postgres::execute_on(
        &shared.url,
        &format!(
            "grant usage on schema forebay_{name} to {role}; grant select on all tables in schema forebay_{name} to {role}"
        ),
    );
    let looked = status(&url);
    let view: Value = serde_json::from_str(&looked.stdout).unwrap();
    assert_eq!(looked.status, 0, "{looked:?}");
    assert_eq!(view["items"][0]["candidates"][0]["node"], "b", "{view}");
    let moved = run(&["cluster", "move", "--to", "b", "--metadata", &url]);
    assert_refused(&moved, 1, &["may not write to its table `lease`"]);
    assert_eq!(seen(&shared).1["node"], "a");
    drop((daemon, waiting));
}

#[test]
fn mistakes_are_one_line_that_says_what_to_do() {
    let shared = Shared::create_in(&new_database());
    assert_refused(&status("postgres://forebay@127.0.0.1:1/forebay"), 2, &["see whether the database runs"]);
    assert_refused(
        &status(&url_of("forebay", "nosuch")),
        2,
        &["\"nosuch\" does not exist", "create the database"],
    );
    assert_refused(
        &status(&url_of("nobody", "postgres")),
        2,
        &["role \"nobody\" does not exist", "correct the user"],
    );
    assert_refused(&status("http://db/forebay"), 2, &["--metadata", "write postgres://"]);
    let password = status("postgres://forebay:secret@db/forebay");
    assert_refused(&password, 2, &["the URL has a password", "metadata_password_file"]);
    assert!(!password.stderr.contains("secret"), "{password:?}");
    let missing =
        run(&["cluster", "status", "--metadata", &shared.url, "--metadata-password-file", "/nonexistent"]);
    assert_refused(&missing, 2, &["--metadata-password-file /nonexistent", "No such file"]);
    let nowhere = tempfile::tempdir().unwrap();
    let nothing = run(&["cluster", "status", "--pool-directory", nowhere.path().to_str().unwrap()]);
    assert_refused(&nothing, 2, &["no database is named", "no daemon listens"]);
    let pool = run(&["cluster", "release", "nosuch", "--metadata", &shared.url]);
    assert_refused(&pool, 1, &["pool nosuch: there is no such pool", &shared.name]);
    // A daemon whose pool lies in a directory.
    let scratch = tempfile::tempdir().unwrap();
    let alone = Daemon::start(scratch.path());
    assert_refused(&alone.run(&["cluster", "status"]), 2, &["the pool does not lie in a database"]);
    alone.stop();
}

#[test]
fn the_settings_of_the_daemon_name_the_database_and_the_pool() {
    let database = new_database();
    let (shared, other) = (Shared::create_in(&database), Shared::create_in(&database));
    let several = run(&["cluster", "release", "--metadata", &shared.url]);
    assert_refused(&several, 1, &["there are several pools", "name one", &shared.name, &other.name]);
    let file = shared.scratch.path().join("forebay.toml");
    let settings = format!(
        "[pool]\nname = \"{}\"\nmetadata = \"{}\"\nsegments = \"{}\"\ndirectory = \"{}\"\n",
        shared.name,
        shared.url,
        shared.segments.display(),
        shared.scratch.path().join("own").display(),
    );
    std::fs::write(&file, settings).unwrap();
    let file = file.to_str().unwrap();
    let looked = run(&["cluster", "status", "--config", file]);
    assert!(looked.status == 1 && looked.stdout.contains(&shared.name), "{looked:?}");
    let release = run(&["cluster", "release", "--config", file]);
    assert_refused(&release, 1, &[&format!("pool {}: no node serves it", shared.name)]);
}
