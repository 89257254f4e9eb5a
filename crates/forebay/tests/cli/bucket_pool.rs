//! Daemons that serve a pool whose metadata lies in a database and whose segments lie in a bucket. The bucket is one of another daemon of ours;
//! in one test it is the one that `FOREBAY_TEST_BUCKET` names (see scripts/check-bucket).

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use forebay_nfs_client::xdr::nfs4::StableHow;
use rustix::process::Signal;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::daemon::{Daemon, Finished, assert_refused, run, wait_until};
use crate::database::{percent, postgres};
use crate::numbered::{assert_all_there, assert_consistent, create_until_it_stops, mount};
use crate::tls::Authority;

const EVERYTHING: &str = r#"{"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Action": "s3:*", "Resource": ["arn:aws:s3:::segments", "arn:aws:s3:::segments/*", "arn:aws:s3:::absent-bucket/*"]}]}"#;

/// A bucket, a database, and a pool in both.
pub struct Setup {
    pub scratch: tempfile::TempDir,
    /// The daemon that has the bucket; none for a bucket of another server.
    bucket: Option<Daemon>,
    endpoint: String,
    /// Where the segments of the pool lie.
    place: String,
    credentials: PathBuf,
    url: String,
    pub name: String,
    /// The file of certificates that the bucket's server is known by.
    trusted: Option<String>,
}

impl Setup {
    pub fn create() -> Setup {
        let setup = Setup::start(None);
        setup.create_its_pool();
        setup
    }

    /// In the bucket that the environment names.
    fn create_in_named_bucket() -> Setup {
        let of = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is missing"));
        let name = postgres::new_name();
        let setup = Setup {
            scratch: tempfile::tempdir().unwrap(),
            bucket: None,
            endpoint: of("FOREBAY_TEST_BUCKET_ENDPOINT"),
            place: format!("{}/{name}", of("FOREBAY_TEST_BUCKET")),
            credentials: of("FOREBAY_TEST_BUCKET_CREDENTIALS").into(),
            url: database_url(),
            name,
            trusted: None,
        };
        setup.create_its_pool();
        setup
    }

    fn create_its_pool(&self) {
        let created = self.create_pool(&self.name, &self.place);
        assert_eq!(created.status, 0, "{created:?}");
        for line in [&format!("segments = \"{}\"", self.place), "[object_store]", "credentials_file = "] {
            assert!(created.stdout.contains(line), "{created:?}");
        }
    }

    /// Without a pool. With an authority the bucket is reached by HTTPS.
    fn start(authority: Option<&Authority>) -> Setup {
        let scratch = tempfile::tempdir().unwrap();
        let of_bucket = scratch.path().join("bucket");
        std::fs::create_dir(&of_bucket).unwrap();
        let file = |name: &str| scratch.path().join(name).display().to_string();
        let (certificate, key) = (file("server.pem"), file("server.key"));
        let mut arguments = vec!["--s3-listen", "127.0.0.1:0"];
        if let Some(authority) = authority {
            authority.install(scratch.path());
            arguments.extend(["--s3-tls-certificate", &certificate, "--s3-tls-key", &key]);
        }
        let trusted = authority.map(|_| file("authority.pem"));
        let bucket = Daemon::start_with(&of_bucket, &arguments);
        bucket.done(&["bucket", "create", "segments"]);
        bucket.done(&["s3", "group", "create", "pools"]);
        let policy = scratch.path().join("policy.json");
        std::fs::write(&policy, EVERYTHING).unwrap();
        bucket.done(&["s3", "group", "policy", "set", "pools", "all", policy.to_str().unwrap()]);
        bucket.done(&["s3", "user", "create", "kafka", "--group", "pools"]);
        let credentials = scratch.path().join("keys");
        write_key(&bucket, &credentials);
        let endpoint = match &trusted {
            Some(_) => format!("https://localhost:{}", bucket.s3().port()),
            None => format!("http://{}", bucket.s3()),
        };
        Setup {
            scratch,
            bucket: Some(bucket),
            endpoint,
            place: "s3://segments/pools/one".into(),
            credentials,
            url: database_url(),
            name: postgres::new_name(),
            trusted,
        }
    }

    fn bucket(&self) -> &Daemon {
        self.bucket.as_ref().unwrap()
    }

    fn create_pool(&self, name: &str, segments: &str) -> Finished {
        let keys = self.credentials.to_str().unwrap();
        let place = ["--metadata", &self.url, "--segments", segments, "--endpoint", &self.endpoint];
        let trusted = self.trusted.iter().flat_map(|file| ["--ca-file", file]).collect::<Vec<_>>();
        run(&[&["pool", "create", name][..], &place, &["--credentials-file", keys], &trusted].concat())
    }

    pub fn serve(&self, node: &str) -> Daemon {
        self.serve_with(node, &[])
    }

    fn serve_with(&self, node: &str, arguments: &[&str]) -> Daemon {
        let own = self.scratch.path().join(node);
        std::fs::create_dir_all(&own).unwrap();
        Daemon::start_with(&own, &[&self.place()[..], &["--node-name", node], arguments].concat())
    }

    /// Options that name the pool.
    pub fn place(&self) -> Vec<&str> {
        let keys = self.credentials.to_str().unwrap();
        let pool = ["--pool-name", &self.name, "--pool-metadata", &self.url, "--pool-segments", &self.place];
        let bucket = ["--object-store-endpoint", &self.endpoint, "--object-store-credentials-file", keys];
        let trusted =
            self.trusted.iter().flat_map(|file| ["--object-store-ca-file", file]).collect::<Vec<_>>();
        [&pool[..], &bucket, &trusted].concat()
    }

    /// The objects of the pool, and their bytes.
    fn objects(&self) -> (u64, u64) {
        let shown: Value =
            serde_json::from_str(&self.bucket().done(&["bucket", "show", "segments", "--output", "json"]))
                .unwrap();
        (shown["objects"].as_u64().unwrap(), shown["bytes"].as_u64().unwrap_or_default())
    }
}

fn database_url() -> String {
    format!("postgres://forebay@{}/postgres", percent(&postgres::server().directory))
}

fn write_key(bucket: &Daemon, file: &Path) {
    let printed = bucket.done(&["s3", "key", "create", "kafka", "--section", "pool"]);
    let value = |line: &str| line.split(" = ").nth(1).unwrap().to_owned();
    let lines: Vec<&str> = printed.lines().collect();
    std::fs::write(file, format!("{}\n{}\n", value(lines[1]), value(lines[2]))).unwrap();
}

/// A daemon is killed while it serves a client, and another one, with nothing of the first, has what was acknowledged.
async fn another_daemon_finds_all(setup: &Setup) {
    let first = tokio::task::block_in_place(|| setup.serve("a"));
    let (client, root) = mount(&first, "writer").await;
    let (acknowledged, mut so_far) = watch::channel(0);
    let writing = tokio::spawn(create_until_it_stops(client, root, 0, acknowledged));
    so_far.wait_for(|count| *count >= 40).await.unwrap();
    first.kill();
    let second = tokio::task::block_in_place(|| setup.serve("b"));
    writing.await.unwrap();
    let count = *so_far.borrow();
    let (client, root) = mount(&second, "writer").await;
    assert_all_there(&client, &root, count).await;
    assert_consistent(&second);
    second.stop();
    // Without its cache.
    std::fs::remove_dir_all(setup.scratch.path().join("b")).unwrap();
    let third = tokio::task::block_in_place(|| setup.serve("b"));
    let (client, root) = mount(&third, "writer").await;
    assert_all_there(&client, &root, count).await;
    third.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn another_daemon_without_anything_of_the_first_finds_all_that_was_acknowledged() {
    let setup = tokio::task::block_in_place(Setup::create);
    another_daemon_finds_all(&setup).await;
    let (objects, _) = setup.objects();
    assert!(objects >= 2, "{objects} objects");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a bucket that FOREBAY_TEST_BUCKET names"]
async fn daemons_have_their_segments_in_the_named_bucket() {
    let setup = tokio::task::block_in_place(Setup::create_in_named_bucket);
    another_daemon_finds_all(&setup).await;
    let again = setup.create_pool(&postgres::new_name(), &setup.place);
    assert_refused(&again, 1, &["choose another prefix"]);
    let absent = setup.create_pool(&postgres::new_name(), "s3://absent-bucket/one");
    assert_refused(&absent, 1, &["s3://absent-bucket/one"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_that_does_not_answer_for_a_while_is_a_pause_and_no_error() {
    let setup = tokio::task::block_in_place(Setup::create);
    let daemon = tokio::task::block_in_place(|| setup.serve("a"));
    let (client, root) = mount(&daemon, "writer").await;
    let (acknowledged, mut so_far) = watch::channel(0);
    let writing = tokio::spawn(create_until_it_stops(client, root, 0, acknowledged));
    so_far.wait_for(|count| *count >= 10).await.unwrap();
    setup.bucket().signal(Signal::STOP);
    tokio::time::sleep(Duration::from_secs(2)).await;
    setup.bucket().signal(Signal::CONT);
    let before = *so_far.borrow();
    so_far.wait_for(|count| *count >= before + 10).await.unwrap();
    daemon.kill();
    writing.await.unwrap();
    let count = *so_far.borrow();
    let again = tokio::task::block_in_place(|| setup.serve("a"));
    let (client, root) = mount(&again, "writer").await;
    assert_all_there(&client, &root, count).await;
    assert_consistent(&again);
    again.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_that_does_not_answer_is_named_until_it_does() {
    let setup = tokio::task::block_in_place(Setup::create);
    let daemon = tokio::task::block_in_place(|| setup.serve("a"));
    let (client, root) = mount(&daemon, "writer").await;
    setup.bucket().signal(Signal::STOP);
    let (acknowledged, _so_far) = watch::channel(0);
    let writing = tokio::spawn(create_until_it_stops(client, root, 0, acknowledged));
    let says = || daemon.run(&["status"]).stdout.contains("The bucket with the segments");
    tokio::task::block_in_place(|| wait_until("an alert", says));
    setup.bucket().signal(Signal::CONT);
    tokio::task::block_in_place(|| wait_until("the end of the alert", || !says()));
    writing.abort();
    daemon.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_is_reached_by_https_if_its_certificate_is_trusted() {
    let authority = Authority::new();
    let mut setup = tokio::task::block_in_place(|| Setup::start(Some(&authority)));
    let (place, other) = (setup.place.clone(), tempfile::tempdir().unwrap());
    Authority::new().install(other.path());
    let trusted = setup.trusted.replace(other.path().join("authority.pem").display().to_string());
    assert_refused(
        &setup.create_pool(&setup.name, &place),
        1,
        &[&place, "certificate", "object_store.ca_file"],
    );
    setup.trusted = trusted;
    let created = setup.create_pool(&setup.name, &place);
    assert_eq!(created.status, 0, "{created:?}");
    assert!(created.stdout.contains("ca_file = "), "{created:?}");
    let daemon = tokio::task::block_in_place(|| setup.serve("a"));
    let (client, root) = mount(&daemon, "writer").await;
    client.files().create(&root, "file").await.unwrap();
    daemon.stop();
}

/// Ends TLS for `to`, with the certificate in `folder`. Returns the port, and what the clients have sent.
async fn end_tls(folder: &Path, to: SocketAddr) -> (u16, Arc<Mutex<Vec<u8>>>) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let certificates = CertificateDer::pem_file_iter(folder.join("server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(folder.join("server.key")).unwrap();
    let config = rustls::ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(certificates.map(Result::unwrap).collect(), key)
        .unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let sent = Arc::<Mutex<Vec<u8>>>::default();
    let kept = sent.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, sent) = (acceptor.clone(), kept.clone());
            tokio::spawn(async move {
                let Ok(client) = acceptor.accept(stream).await else { return };
                let (mut from_client, mut to_client) = tokio::io::split(client);
                let (mut from_server, mut to_server) = TcpStream::connect(to).await.unwrap().into_split();
                tokio::spawn(async move { tokio::io::copy(&mut from_server, &mut to_client).await });
                let mut bytes = vec![0; 64 << 10];
                while let Ok(count @ 1..) = from_client.read(&mut bytes).await {
                    sent.lock().unwrap().extend_from_slice(&bytes[..count]);
                    if to_server.write_all(&bytes[..count]).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    (port, sent)
}

#[tokio::test(flavor = "multi_thread")]
async fn signatures_leave_the_bytes_of_objects_to_https_unless_the_operator_wants_both() {
    let mut setup = tokio::task::block_in_place(|| Setup::start(None));
    Authority::new().install(setup.scratch.path());
    setup.trusted = Some(setup.scratch.path().join("authority.pem").display().to_string());
    let (port, sent) = end_tls(setup.scratch.path(), setup.bucket().s3()).await;
    setup.endpoint = format!("https://localhost:{port}");
    // Whether signatures since the last call did not cover bodies.
    let unsigned = || {
        let sent = std::mem::take(&mut *sent.lock().unwrap());
        let text = String::from_utf8_lossy(&sent).to_ascii_lowercase();
        assert!(text.contains("put /segments/pools/one"), "{text}");
        text.contains("x-amz-content-sha256: unsigned-payload")
    };
    tokio::task::block_in_place(|| setup.create_its_pool());
    assert!(unsigned());
    let write_with = async |sign: &str| {
        let arguments = ["--object-store-sign-payloads", sign];
        let daemon = tokio::task::block_in_place(|| setup.serve_with("a", &arguments));
        let (client, root) = mount(&daemon, "writer").await;
        let file = client.files().create(&root, &format!("file-{sign}")).await.unwrap();
        // Bytes that are not stored yet, and cannot be compressed.
        let mut bytes = vec![0; 256 << 10];
        getrandom::fill(&mut bytes).unwrap();
        client.files().write(&file, 0, bytes.into(), StableHow::FileSync).await.unwrap();
        daemon.stop();
        unsigned()
    };
    assert!(write_with("off").await);
    assert!(!write_with("on").await);
}

#[test]
fn mistakes_with_a_bucket_are_named_with_what_to_do() {
    let setup = Setup::create();
    let name = postgres::new_name();
    assert_refused(&setup.create_pool(&name, &setup.place), 1, &["choose another prefix"]);
    assert_refused(&setup.create_pool(&name, "s3://No/such"), 2, &["cannot be a bucket's name"]);
    assert_refused(
        &setup.create_pool(&name, "s3://absent-bucket/one"),
        1,
        &["s3://absent-bucket/one", "create the bucket"],
    );
    let keys = std::fs::read_to_string(&setup.credentials).unwrap();
    std::fs::write(&setup.credentials, "one line\n").unwrap();
    assert_refused(&setup.create_pool(&name, "s3://segments/two"), 2, &["keys", "the second one its secret"]);
    std::fs::write(&setup.credentials, keys.replace(|c: char| c.is_ascii_lowercase(), "x")).unwrap();
    assert_refused(&setup.create_pool(&name, "s3://segments/two"), 1, &["object_store.credentials_file"]);
    std::fs::write(&setup.credentials, keys).unwrap();
    let created = setup.create_pool(&name, "s3://segments/two");
    assert_eq!(created.status, 0, "{created:?}");
}
