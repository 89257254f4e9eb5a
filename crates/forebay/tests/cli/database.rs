//! Daemons that serve a pool whose metadata lies in a database, one at a time.

#[path = "../../../pool-postgres/tests/database/common/mod.rs"]
#[allow(dead_code, reason = "tests of the database use the rest")]
pub mod postgres;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tokio::sync::watch;

use crate::daemon::{Daemon, assert_refused, forebay, run};
use crate::numbered::{assert_all_there, assert_consistent, create_until_it_stops, mount};
use crate::tls::Authority;

/// A pool in a database of the tests, and its directory of segments.
pub struct Shared {
    pub scratch: tempfile::TempDir,
    pub url: String,
    pub name: String,
    pub segments: PathBuf,
}

impl Shared {
    pub fn create() -> Shared {
        Shared::create_in("postgres")
    }

    /// In this database of the server.
    pub fn create_in(database: &str) -> Shared {
        let scratch = tempfile::tempdir().unwrap();
        let segments = scratch.path().join("segments");
        std::fs::create_dir(&segments).unwrap();
        let url = url_of("forebay", database);
        let shared = Shared { scratch, url, name: postgres::new_name(), segments };
        let created = shared.create_again();
        assert_eq!(created.status, 0, "{created:?}");
        assert!(created.stdout.contains(&format!("name = \"{}\"", shared.name)), "{created:?}");
        shared
    }

    fn create_again(&self) -> crate::daemon::Finished {
        let segments = self.segments.to_str().unwrap();
        run(&["pool", "create", &self.name, "--metadata", &self.url, "--segments", segments])
    }

    /// Options that name the pool.
    pub fn place(&self) -> [&str; 6] {
        let segments = self.segments.to_str().unwrap();
        ["--pool-name", &self.name, "--pool-metadata", &self.url, "--pool-segments", segments]
    }

    pub fn arguments(&self, node: &str) -> Vec<String> {
        let arguments = self.place();
        arguments.iter().chain(&["--node-name", node]).map(|argument| (*argument).to_owned()).collect()
    }

    /// Starts a daemon, and waits until it serves the pool. The node's directory is its own.
    pub fn serve(&self, node: &str) -> Daemon {
        let own = self.scratch.path().join(node);
        std::fs::create_dir_all(&own).unwrap();
        let arguments = self.arguments(node);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        Daemon::start_with(&own, &arguments)
    }
}

/// The URL of a database of the tests' server.
pub fn url_of(user: &str, database: &str) -> String {
    format!("postgres://{user}@{}/{database}", percent(&postgres::server().directory))
}

/// A directory as the host of a URL.
pub fn percent(directory: &Path) -> String {
    directory.to_str().unwrap().replace('/', "%2F")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_daemon_takes_the_pool_of_one_that_was_killed_with_all_that_was_acknowledged() {
    let shared = Shared::create();
    let first = shared.serve("a");
    let (client, root) = mount(&first, "writer").await;
    let (acknowledged, mut so_far) = watch::channel(0);
    let writing = tokio::spawn(create_until_it_stops(client, root, 0, acknowledged));
    so_far.wait_for(|count| *count >= 20).await.unwrap();
    first.kill();
    let begun = Instant::now();
    let second = tokio::task::block_in_place(|| shared.serve("b"));
    let took = begun.elapsed();
    writing.await.unwrap();
    let count = *so_far.borrow();
    assert!(took > Duration::from_secs(3), "not before the lease is over: {took:?}");
    let (client, root) = mount(&second, "writer").await;
    assert_all_there(&client, &root, count).await;
    assert_consistent(&second);
    // An orderly stop lets the next one begin at once.
    second.stop();
    let third = tokio::task::block_in_place(|| shared.serve("a"));
    let owner: serde_json::Value =
        serde_json::from_str(&third.done(&["pool", "owner", "-o", "json"])).unwrap();
    let takeover = &owner["takeover"];
    assert_eq!(
        (takeover["kind"].as_str(), takeover["silent_ms"].as_u64()),
        (Some("moved"), Some(0)),
        "{owner}"
    );
    let (client, root) = mount(&third, "writer").await;
    assert_all_there(&client, &root, count).await;
    third.stop();
}

/// It goes on for a moment when it continues. What it could still answer from memory must not reach anybody.
#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_that_was_stopped_and_replaced_answers_nothing_more_and_ends() {
    let shared = Shared::create();
    let mut first = shared.serve("a");
    let (client, root) = mount(&first, "client").await;
    client.files().create(&root, "file").await.unwrap();
    let client = Arc::new(client);
    let reader = client.clone();
    first.signal(Signal::STOP);
    // These requests wait in the socket until the daemon continues. It could answer the second one without the database.
    let looked = tokio::spawn(async move { reader.files().resolve("/kafka").await.map(drop) });
    let late = tokio::spawn(async move { client.files().create(&root, "late").await.map(drop) });
    let second = tokio::task::block_in_place(|| shared.serve("b"));
    let (other, root) = mount(&second, "client").await;
    other.files().create(&root, "new").await.unwrap();
    first.signal(Signal::CONT);
    let begun = Instant::now();
    let status = tokio::task::block_in_place(|| first.wait());
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!(status.code(), Some(75), "{}", first.log());
    assert!(late.await.unwrap().is_err(), "an answer of the old owner was accepted");
    assert!(looked.await.unwrap().is_err(), "an answer of the old owner was accepted");
    let names = other.files();
    assert!(names.open(&root, "late").await.is_err());
    names.open(&root, "new").await.unwrap();
    assert_consistent(&second);
    second.stop();
}

#[test]
fn a_daemon_that_restarts_on_its_machine_does_not_wait_for_its_own_lease() {
    let shared = Shared::create();
    shared.serve("a").kill();
    let begun = Instant::now();
    let again = shared.serve("a");
    assert!(begun.elapsed() < Duration::from_millis(3400), "{:?}", begun.elapsed());
    again.stop();
}

/// A password and an encrypted connection, as a database has them that is not on the same machine.
#[tokio::test(flavor = "multi_thread")]
async fn a_database_is_reached_by_tls_and_with_a_password() {
    // Below those that the kernel gives to others who ask for any port.
    let is_free = |port: &u16| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let port = (20_000 + std::process::id() as u16 % 10_000..32_000).find(is_free).unwrap();
    let settings = format!(
        "listen_addresses = '127.0.0.1'\nport = {port}\nssl = on\nssl_cert_file = '../server.pem'\nssl_key_file = '../server.key'"
    );
    let server = postgres::Server::start_with(&settings, |directory| {
        Authority::new().install(directory);
        let key = directory.join("server.key");
        std::fs::set_permissions(key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let who = "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n";
        std::fs::write(directory.join("data/pg_hba.conf"), who).unwrap();
    });
    postgres::execute_on(&format!("{} port={port}", server.url()), "alter role forebay password 'correct'");
    let scratch = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = scratch.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let segments = scratch.path().join("segments");
    std::fs::create_dir(&segments).unwrap();
    let segments = segments.to_str().unwrap();
    let url = |parameters: &str| format!("postgres://forebay@localhost:{port}/postgres?{parameters}");
    let trusting = url(&format!("sslmode=require&sslrootcert={}/authority.pem", server.directory.display()));
    let create = |url: &str, password: &str| {
        let place = ["pool", "create", "kafka", "--metadata", url, "--segments", segments];
        run(&[&place[..], &["--metadata-password-file", password]].concat())
    };
    let (correct, wrong) = (file("correct", "correct\n"), file("wrong", "guessed\n"));
    tokio::task::block_in_place(|| {
        assert_refused(
            &create(&trusting, &wrong),
            1,
            &["password authentication failed", "correct the user and the password"],
        );
        assert_refused(&create(&url("sslmode=disable"), &correct), 1, &["no encryption"]);
        assert_refused(&create(&url("sslmode=require"), &correct), 1, &["certificate"]);
        let created = create(&trusting, &correct);
        assert_eq!(created.status, 0, "{created:?}");
        assert!(created.stdout.contains("metadata_password_file = "), "{created:?}");
    });
    let own = scratch.path().join("own");
    std::fs::create_dir(&own).unwrap();
    let arguments = ["--pool-name", "kafka", "--pool-metadata", &trusting, "--pool-segments", segments];
    let arguments = [&arguments[..], &["--pool-metadata-password-file", &correct]].concat();
    let daemon = tokio::task::block_in_place(|| Daemon::start_with(&own, &arguments));
    let (client, root) = mount(&daemon, "writer").await;
    client.files().create(&root, "file").await.unwrap();
    let encrypted = "select bool_and(ssl)::text from pg_stat_ssl join pg_stat_activity using (pid) where application_name like 'forebay %'";
    assert_eq!(postgres::query_on(&format!("{} port={port}", server.url()), encrypted), "true");
    assert_consistent(&daemon);
    daemon.stop();
}

#[test]
fn mistakes_are_named_with_what_to_do() {
    let shared = Shared::create();
    let segments = shared.segments.to_str().unwrap();
    assert_refused(&shared.create_again(), 1, &["has a schema", "already", "choose another name"]);
    let create = |name: &str, url: &str, segments: &str| {
        run(&["pool", "create", name, "--metadata", url, "--segments", segments])
    };
    let password = create("kafka", "postgres://forebay:secret@db/forebay", segments);
    assert_refused(&password, 2, &["the URL has a password", "metadata_password_file"]);
    assert!(!password.stderr.contains("secret"), "{password:?}");
    assert_refused(&create("Kafka!", &shared.url, segments), 1, &["cannot be the name of a pool"]);
    assert_refused(&create("kafka", &shared.url, "/nonexistent"), 1, &["there is no such directory"]);
    assert_refused(
        &create("kafka", "postgres://forebay@127.0.0.1:1/forebay", segments),
        1,
        &["see whether the database runs"],
    );
    std::fs::write(shared.segments.join("file"), b"something").unwrap();
    assert_refused(&create("kafka", &shared.url, segments), 1, &["it is not empty"]);
    let own = shared.scratch.path().join("own");
    let serve = |more: &[&str]| {
        let mut command = forebay();
        command
            .args(["serve", "--nfs-listen", "127.0.0.1:0", "--api-listen", "off", "--pool-directory"])
            .arg(&own);
        crate::daemon::finish(command.args(more))
    };
    let missing =
        serve(&["--pool-name", "nosuch", "--pool-metadata", &shared.url, "--pool-segments", segments]);
    assert_refused(&missing, 1, &["pool nosuch in database", "there is no such pool", "forebay pool create"]);
    let half = serve(&["--pool-metadata", &shared.url]);
    assert_refused(&half, 2, &["pool.name is not: set it too"]);
    let unmounted = serve(&[
        "--pool-name",
        &shared.name,
        "--pool-metadata",
        &shared.url,
        "--pool-segments",
        "/nonexistent",
    ]);
    assert_refused(&unmounted, 1, &["mount the file system"]);
}
