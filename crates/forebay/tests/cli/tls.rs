//! TLS as an operator sets it up: files, SIGHUP, and who uses it.

use std::path::Path;

use forebay_nfs_client::{Client, ClientOptions, Identity, TlsOptions};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustix::process::Signal;
use serde_json::Value;
use tempfile::tempdir;

use crate::daemon::{Daemon, assert_refused, forebay, wait_until};
use crate::http::User;
use crate::slow;

/// An authority that signs certificates.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub fn new() -> Authority {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Authority(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    /// A certificate and its key.
    fn sign(&self, name: &str) -> (String, String) {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.0).unwrap().pem(), key.serialize_pem())
    }

    /// Writes the files of a server whose name is localhost: `server.pem`, `server.key`, and `authority.pem`.
    pub fn install(&self, folder: &Path) {
        let (certificate, key) = self.sign("localhost");
        std::fs::write(folder.join("server.pem"), certificate).unwrap();
        std::fs::write(folder.join("server.key"), key).unwrap();
        std::fs::write(folder.join("authority.pem"), self.0.pem()).unwrap();
    }

    async fn mount(&self, daemon: &Daemon, name: &str) -> forebay_nfs_client::Result<Client> {
        let (certificates, key) = self.sign(name);
        let identity = Identity { certificates: &certificates, key: &key };
        let tls = TlsOptions::new(&self.0.pem(), "localhost", Some(identity)).unwrap();
        Client::mount(daemon.address(), ClientOptions::new(name).tls(tls)).await
    }
}

fn start(scratch: &Path) -> Daemon {
    let path = |name: &str| scratch.join(name).display().to_string();
    let (certificate, key, authorities) = (path("server.pem"), path("server.key"), path("authority.pem"));
    let arguments = [
        "--nfs-tls-certificate",
        &certificate,
        "--nfs-tls-key",
        &key,
        "--nfs-tls-client-authorities",
        &authorities,
    ];
    Daemon::start_with(scratch, &arguments)
}

#[tokio::test(flavor = "multi_thread")]
async fn who_uses_tls_is_shown_and_certificates_are_read_again_on_sighup() {
    let scratch = tempdir().unwrap();
    let old = Authority::new();
    old.install(scratch.path());
    let daemon = start(scratch.path());
    let secured = old.mount(&daemon, "broker1.example.org").await.unwrap();
    let plain = Client::mount(daemon.address(), ClientOptions::new("plain")).await.unwrap();
    let clients: Value = serde_json::from_str(&daemon.done(&["nfs", "clients", "--json"])).unwrap();
    assert_eq!((&clients[0]["tls"], &clients[1]["tls"]), (&"mutual".into(), &"off".into()));
    assert_eq!(clients[0]["certificates"][0], "CN=broker1.example.org");
    assert!(daemon.done(&["nfs", "clients"]).contains("mutual: CN=broker1.example.org"));

    daemon.done(&["export", "rule", "modify", "default", "*", "--tls", "mutual"]);
    assert!(plain.files().resolve("/kafka").await.is_err());
    secured.files().resolve("/kafka").await.unwrap();

    let new = Authority::new();
    new.install(scratch.path());
    daemon.signal(Signal::HUP);
    wait_until("the certificates are reloaded", || daemon.log().contains("certificates reloaded"));
    assert!(old.mount(&daemon, "broker2").await.is_err());
    new.mount(&daemon, "broker2").await.unwrap();
    secured.renew().await.unwrap();

    std::fs::write(scratch.path().join("server.key"), "nonsense").unwrap();
    daemon.signal(Signal::HUP);
    wait_until("the log says what is wrong", || daemon.log().contains("server.key"));
    new.mount(&daemon, "broker3").await.unwrap();
    daemon.stop();
}

#[test]
fn certificates_that_cannot_be_used_are_configuration_errors() {
    let scratch = tempdir().unwrap();
    Authority::new().install(scratch.path());
    let (other, _) = Authority::new().sign("localhost");
    std::fs::write(scratch.path().join("other.pem"), other).unwrap();
    let path = |name: &str| scratch.path().join(name).display().to_string();
    let serve = |certificate: &str, key: &str| {
        let mut command = forebay();
        command.args([
            "serve",
            "--nfs-listen",
            "127.0.0.1:0",
            "--api-listen",
            "off",
            "--pool-directory",
            &path("pool"),
        ]);
        crate::daemon::finish(command.args(["--nfs-tls-certificate", certificate, "--nfs-tls-key", key]))
    };
    assert_refused(&serve(&path("missing.pem"), &path("server.key")), 2, &["nfs.tls_", "missing.pem"]);
    assert_refused(&serve(&path("server.pem"), &path("server.pem")), 2, &["server.pem", "private key"]);
    assert_refused(&serve(&path("other.pem"), &path("server.key")), 2, &["other.pem", "server.key"]);
    assert_refused(&serve(&path("server.pem"), "none"), 2, &["nfs.tls_key"]);
}

/// The head of the answer to a request over TLS.
async fn head_of(daemon: &Daemon, authority: &Authority, path: &str) -> String {
    use rustls::pki_types::pem::PemObject;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut roots = rustls::RootCertStore::empty();
    roots
        .add(rustls::pki_types::CertificateDer::from_pem_slice(authority.0.pem().as_bytes()).unwrap())
        .unwrap();
    let config = rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let address = daemon.api().strip_prefix("https://").unwrap().to_owned();
    let stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let connector = tokio_rustls::TlsConnector::from(std::sync::Arc::new(config));
    let mut stream = connector.connect("localhost".try_into().unwrap(), stream).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // The end of the connection may be told by TLS or not.
    let _ = stream.read_to_end(&mut answer).await;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    answer.split("\r\n\r\n").next().unwrap().to_ascii_lowercase()
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_are_told_to_stay_with_tls_where_there_is_tls() {
    let scratch = tempdir().unwrap();
    let authority = Authority::new();
    authority.install(scratch.path());
    let path = |name: &str| scratch.path().join(name).display().to_string();
    let (certificate, key) = (path("server.pem"), path("server.key"));
    let daemon =
        Daemon::start_with(scratch.path(), &["--api-tls-certificate", &certificate, "--api-tls-key", &key]);
    for path in ["/", "/volumes", "/api/v1/health", "/api/v1/volumes", "/api/v1/nothing", "/metrics"] {
        let head = head_of(&daemon, &authority, path).await;
        assert!(head.contains("\r\nstrict-transport-security: max-age=31536000"), "{path}: {head}");
    }
    daemon.stop();
    let daemon = Daemon::start(scratch.path());
    let plain = User::of(&daemon, None).get("/health");
    assert_eq!((plain.status, plain.header("strict-transport-security")), (200, None));
    daemon.stop();
}

#[test]
fn a_self_signed_certificate_is_made_once_and_trusted_by_its_fingerprint_or_its_file() {
    let scratch = tempdir().unwrap();
    let start = || Daemon::start_with(scratch.path(), &["--api-tls-self-signed", "on"]);
    let shown = |daemon: &Daemon| {
        let greeting = daemon.greeting();
        let line = greeting.lines().find(|line| line.starts_with("certificate: ")).unwrap().to_owned();
        line.rsplit(' ').next().unwrap().to_owned()
    };
    let daemon = start();
    let (fingerprint, url) = (shown(&daemon), daemon.api());
    assert!(url.starts_with("https://127.0.0.1:") && daemon.log().contains(&fingerprint));
    let mode = std::os::unix::fs::PermissionsExt::mode;
    let key = std::fs::metadata(daemon.pool.join("api-tls.key")).unwrap();
    assert_eq!(mode(&key.permissions()) & 0o777, 0o600);

    let token = daemon.done(&["token", "create"]);
    let list = |options: &[&str]| {
        let mut command = forebay();
        command.args(["volume", "list", "--server", &url, "--token", token.trim()]).args(options);
        crate::daemon::finish(&mut command)
    };
    let trusted = list(&["--tls-fingerprint", &fingerprint]);
    assert!(trusted.status == 0 && trusted.stdout.contains("kafka"), "{trusted:?}");
    let file = daemon.pool.join("api-tls.pem").display().to_string();
    let trusted = list(&["--ca-certificate", &file]);
    assert_eq!(trusted.status, 0, "{trusted:?}");
    assert_refused(&list(&[]), 1, &["TLS failed", "--tls-fingerprint"]);
    let other = fingerprint.replace(':', "").chars().rev().collect::<String>();
    assert_refused(&list(&["--tls-fingerprint", &other]), 1, &["TLS failed", &fingerprint]);
    assert_eq!(list(&["--tls-fingerprint", "3A:5F"]).status, 2);

    let mut command = forebay();
    command.env("XDG_CONFIG_HOME", scratch.path()).args(["profile", "add", "test", "--server", &url]);
    command.args(["--token", token.trim(), "--tls-fingerprint", &fingerprint.to_lowercase()]);
    assert_eq!(crate::daemon::finish(&mut command).status, 0);
    let mut command = forebay();
    let listed =
        crate::daemon::finish(command.env("XDG_CONFIG_HOME", scratch.path()).args(["volume", "list"]));
    assert!(listed.status == 0 && listed.stdout.contains("kafka"), "{listed:?}");
    daemon.stop();

    let daemon = start();
    assert_eq!(shown(&daemon), fingerprint, "it stays over a restart");
    daemon.stop();
}

#[test]
fn the_api_is_secured_by_its_own_certificate() {
    let scratch = tempdir().unwrap();
    let authority = Authority::new();
    authority.install(scratch.path());
    let path = |name: &str| scratch.path().join(name).display().to_string();
    let (certificate, key) = (path("server.pem"), path("server.key"));
    let arguments = ["--api-tls-certificate", &certificate, "--api-tls-key", &key];
    let daemon = Daemon::start_with(scratch.path(), &arguments);
    let url = daemon.api().replace("127.0.0.1", "localhost");
    let token = daemon.done(&["token", "create"]);
    let list = |authority: &str| {
        let mut command = forebay();
        command.args([
            "volume",
            "list",
            "--server",
            &url,
            "--token",
            token.trim(),
            "--ca-certificate",
            authority,
        ]);
        crate::daemon::finish(&mut command)
    };
    let listed = list(&path("authority.pem"));
    assert!(listed.status == 0 && listed.stdout.contains("kafka"), "{listed:?}");
    std::fs::write(scratch.path().join("other.pem"), Authority::new().0.pem()).unwrap();
    assert_refused(&list(&path("other.pem")), 1, &["TLS failed"]);

    // Connections that never begin the handshake keep nobody out.
    let address = daemon.api().strip_prefix("https://").unwrap().parse().unwrap();
    let _silent = slow::connections(address, b"");
    let listed = list(&path("authority.pem"));
    assert_eq!(listed.status, 0, "{listed:?}");
    daemon.stop();
}
