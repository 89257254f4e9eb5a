//! RPC-with-TLS: who is let in, with what, and that a policy can insist on it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use forebay_net::tls::{Tls, TlsError, TlsFiles};
use forebay_nfs::Config;
use forebay_nfs::policy::{Clients, Rule, RuleChange, TlsUse};
use forebay_nfs_client::{Client, ClientOptions, Identity, TlsOptions, Wire};
use forebay_nfs_proto::rpc::message::{Call, PROCEDURE_NULL, Refusal, ReplyHeader};
use forebay_nfs_proto::rpc::{ALPN, OpaqueAuth};
use forebay_nfs_proto::xdr::nfs4::{LookupArgs, Operation, OperationResult, SecinfoArgs, StableHow};
use forebay_nfs_proto::xdr::{Decode, Decoder, Encoder, Status};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    date_time_ymd,
};
use tempfile::TempDir;

use crate::harness::{DEADLINE, Daemon, eventually, root, status};

const SERVER: &str = "storage.example.org";

/// An authority, and what it has signed.
struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its key, in PEM.
struct Signed {
    certificate: String,
    key: String,
}

impl Authority {
    fn new(name: &str) -> Authority {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        Authority(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn pem(&self) -> String {
        self.0.pem()
    }

    fn sign(&self, name: &str, usage: ExtendedKeyUsagePurpose, last_year: i32) -> Signed {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.distinguished_name.push(DnType::OrganizationName, "Example");
        params.extended_key_usages = vec![usage];
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(last_year, 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        Signed { certificate: certificate.pem(), key: key.serialize_pem() }
    }

    fn server(&self) -> Signed {
        self.sign(SERVER, ExtendedKeyUsagePurpose::ServerAuth, 4000)
    }

    fn client(&self, name: &str) -> Signed {
        self.sign(name, ExtendedKeyUsagePurpose::ClientAuth, 4000)
    }
}

/// The server's files.
struct Files {
    folder: TempDir,
}

impl Files {
    fn new(server: &Signed, clients: Option<&Authority>) -> Files {
        let files = Files { folder: tempfile::tempdir().unwrap() };
        files.write("server.pem", &server.certificate);
        files.write("key.pem", &server.key);
        if let Some(clients) = clients {
            files.write("clients.pem", &clients.pem());
        }
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, content: &str) {
        std::fs::write(self.path(name), content).unwrap();
    }

    fn config(&self) -> Config {
        let clients = self.path("clients.pem");
        let tls = TlsFiles {
            certificate: self.path("server.pem"),
            key: self.path("key.pem"),
            client_authorities: clients.exists().then_some(clients),
        };
        Config { tls: Some(tls), ..Config::default() }
    }

    async fn serve(&self) -> Daemon {
        Daemon::start_with(self.config()).await
    }
}

fn trusting(authority: &Authority, identity: Option<&Signed>) -> TlsOptions {
    let identity = identity.map(|signed| Identity { certificates: &signed.certificate, key: &signed.key });
    TlsOptions::new(&authority.pem(), SERVER, identity).unwrap()
}

async fn mount(server: &Daemon, tls: Option<TlsOptions>) -> forebay_nfs_client::Result<Client> {
    static MOUNTS: AtomicUsize = AtomicUsize::new(0);
    let name = format!("client {}", MOUNTS.fetch_add(1, Ordering::Relaxed));
    let options = ClientOptions { tls, ..ClientOptions::new(&name) };
    tokio::time::timeout(DEADLINE, Client::mount(server.address(), options.connections(2))).await.unwrap()
}

/// The certificates that the server saw.
fn certificates(server: &Daemon) -> Vec<Option<String>> {
    let sessions = server.shared().sessions.all();
    let connections = sessions.iter().flat_map(|session| session.connections());
    let protections = connections.map(|connection| connection.protection().cloned());
    protections.map(|protection| protection.expect("TLS is used").certificate).collect()
}

async fn require(server: &Daemon, tls: TlsUse) {
    let policies = &server.shared().policies;
    let change = RuleChange { tls: Some(tls), ..RuleChange::default() };
    policies.rule_modify("default", &Clients::Everyone, change).await.unwrap();
}

#[tokio::test]
async fn what_is_written_over_tls_is_read_over_tls_and_without() {
    let authority = Authority::new("authority");
    let server = Files::new(&authority.server(), None).serve().await;
    let secured = mount(&server, Some(trusting(&authority, None))).await.unwrap();
    let root = root(&secured).await;
    let file = secured.files().create(&root, "file").await.unwrap();
    let data: Bytes = (0..5u32 << 18).flat_map(u32::to_be_bytes).collect();
    for (index, part) in data.chunks(1 << 20).enumerate() {
        let part = data.slice_ref(part);
        secured.files().write(&file, (index as u64) << 20, part, StableHow::Unstable).await.unwrap();
    }
    secured.files().commit(&file.handle).await.unwrap();
    assert_eq!(certificates(&server), [None, None]);
    let plain = server.mount("plain").await;
    for client in [&secured, &plain] {
        let file = client.files().open(&root, "file").await.unwrap();
        for (index, part) in data.chunks(1 << 20).enumerate() {
            let (read, _) = client.files().read(&file, (index as u64) << 20, 1 << 20).await.unwrap();
            assert!(read.into_bytes() == part);
        }
    }
}

#[tokio::test]
async fn many_requests_at_a_time_are_answered_over_tls() {
    let authority = Authority::new("authority");
    let server = Files::new(&authority.server(), None).serve().await;
    let client = std::sync::Arc::new(mount(&server, Some(trusting(&authority, None))).await.unwrap());
    let root = root(&client).await;
    let file = client.files().create(&root, "file").await.unwrap();
    let mut work = tokio::task::JoinSet::new();
    for number in 0..200u64 {
        let (client, file) = (client.clone(), file.clone());
        work.spawn(async move {
            let data = Bytes::from(vec![number as u8; 30_000]);
            let how = if number % 2 == 0 { StableHow::FileSync } else { StableHow::Unstable };
            client.files().write(&file, number * 30_000, data.clone(), how).await.unwrap();
            let (read, _) = client.files().read(&file, number * 30_000, 30_000).await.unwrap();
            assert!(read.into_bytes() == data);
        });
    }
    while let Some(done) = tokio::time::timeout(DEADLINE, work.join_next()).await.unwrap() {
        done.unwrap();
    }
}

#[tokio::test]
async fn a_client_with_a_certificate_is_known_by_it() {
    let (authority, of_clients) = (Authority::new("authority"), Authority::new("clients"));
    let server = Files::new(&authority.server(), Some(&of_clients)).serve().await;
    require(&server, TlsUse::Mutual).await;
    let broker = of_clients.client("broker1.example.org");
    let client = mount(&server, Some(trusting(&authority, Some(&broker)))).await.unwrap();
    root(&client).await;
    for certificate in certificates(&server) {
        let subject = certificate.unwrap();
        assert!(subject.contains("CN=broker1.example.org") && subject.contains("O=Example"), "{subject}");
    }
}

#[tokio::test]
async fn certificates_of_others_and_expired_ones_are_not_taken() {
    let (authority, of_clients) = (Authority::new("authority"), Authority::new("clients"));
    let stranger = Authority::new("stranger");
    let server = Files::new(&authority.server(), Some(&of_clients)).serve().await;
    let expired = of_clients.sign("broker1", ExtendedKeyUsagePurpose::ClientAuth, 2001);
    for identity in [stranger.client("broker1"), expired, of_clients.server()] {
        assert!(mount(&server, Some(trusting(&authority, Some(&identity)))).await.is_err());
    }
    assert!(
        mount(&server, Some(trusting(&stranger, None))).await.is_err(),
        "the client does not trust the server"
    );
    let elsewhere = TlsOptions::new(&authority.pem(), "elsewhere.example.org", None).unwrap();
    assert!(mount(&server, Some(elsewhere)).await.is_err(), "the server is not who the client wants");
    let failed = || server.shared().counters().events.tls_handshakes_failed;
    eventually("all of them are counted", async || failed() == 5).await;
    let counted = server.shared().counters();
    assert!(counted.certificate_expires.is_some_and(|expires| expires > std::time::SystemTime::now()));
    let before = counted.events.tls_handshakes;
    mount(&server, Some(trusting(&authority, None))).await.unwrap();
    assert!(server.shared().counters().events.tls_handshakes > before);
}

#[tokio::test]
async fn a_policy_decides_which_connections_will_do_and_is_in_force_at_once() {
    let (authority, of_clients) = (Authority::new("authority"), Authority::new("clients"));
    let server = Files::new(&authority.server(), Some(&of_clients)).serve().await;
    let identity = of_clients.client("broker1");
    let plain = mount(&server, None).await.unwrap();
    let secured = mount(&server, Some(trusting(&authority, None))).await.unwrap();
    let mutual = mount(&server, Some(trusting(&authority, Some(&identity)))).await.unwrap();
    let handle = root(&plain).await;
    let expected = [
        (TlsUse::Off, [true, false, false]),
        (TlsUse::Required, [false, true, true]),
        (TlsUse::Mutual, [false, false, true]),
        (TlsUse::Optional, [true; 3]),
    ];
    for (required, admitted) in expected {
        require(&server, required).await;
        for (client, admitted) in [&plain, &secured, &mutual].into_iter().zip(admitted) {
            let found = client.files().resolve("/kafka").await;
            let known = client.files().getattr(&handle).await;
            if admitted {
                assert_eq!((found.unwrap(), known.is_ok()), (handle.clone(), true));
            } else {
                assert_eq!(
                    (status(found), status(known)),
                    (Status::WrongSec, Status::WrongSec),
                    "{required}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_client_that_is_told_wrongsec_can_ask_what_would_be_right() {
    let authority = Authority::new("authority");
    let server = Files::new(&authority.server(), None).serve().await;
    require(&server, TlsUse::Required).await;
    let plain = mount(&server, None).await.unwrap();
    let name = Bytes::from_static(b"kafka");
    let secinfo = [Operation::Putrootfh(()), Operation::Secinfo(SecinfoArgs { name: name.clone() })];
    let results = plain.compound(secinfo).await.unwrap();
    assert!(matches!(results.last(), Some(OperationResult::Secinfo(Ok(_)))));
    let lookup = [Operation::Putrootfh(()), Operation::Lookup(LookupArgs { name })];
    assert_eq!(status(plain.compound(lookup).await), Status::WrongSec);
    assert_eq!(plain.files().readdir(&plain.files().resolve("/").await.unwrap()).await.unwrap().len(), 1);
}

fn probe() -> Bytes {
    Encoder::of(&Call::nfs(3, PROCEDURE_NULL, OpaqueAuth::TLS)).into_bytes()
}

async fn ask(wire: &mut Wire, record: &[u8]) -> ReplyHeader {
    wire.send_record(record).await.unwrap();
    ReplyHeader::decode(&mut Decoder::new(wire.receive(DEADLINE).await.unwrap().unwrap())).unwrap()
}

#[tokio::test]
async fn a_probe_need_not_be_followed_by_a_handshake() {
    let authority = Authority::new("authority");
    let server = Files::new(&authority.server(), None).serve().await;
    let mut wire = Wire::connect(server.address()).await.unwrap();
    let plain = Encoder::of(&Call::nfs(3, PROCEDURE_NULL, OpaqueAuth::NONE)).into_bytes();
    for _ in 0..3 {
        assert_eq!(ask(&mut wire, &probe()).await, ReplyHeader { xid: 3, outcome: Ok(()), starttls: true });
        assert_eq!(ask(&mut wire, &plain).await, ReplyHeader { xid: 3, outcome: Ok(()), starttls: false });
    }
}

#[tokio::test]
async fn a_server_without_certificates_does_not_offer_tls() {
    let server = Daemon::start().await;
    let mut wire = Wire::connect(server.address()).await.unwrap();
    assert_eq!(ask(&mut wire, &probe()).await.outcome, Err(Refusal::AuthTooWeak));
    let authority = Authority::new("authority");
    assert!(mount(&server, Some(trusting(&authority, None))).await.is_err());
}

#[tokio::test]
async fn a_handshake_that_was_not_offered_or_makes_no_sense_ends_the_connection() {
    let authority = Authority::new("authority");
    let server = Files::new(&authority.server(), None).serve().await;
    let hello = [&[0x16u8, 3, 1, 0, 200][..], &[1; 200]].concat();
    let mut wire = Wire::connect(server.address()).await.unwrap();
    wire.send(&hello).await.unwrap();
    assert!(wire.receive(DEADLINE).await.unwrap().is_none(), "it was not offered");
    let mut wire = Wire::connect(server.address()).await.unwrap();
    assert!(ask(&mut wire, &probe()).await.starttls);
    wire.send(&hello).await.unwrap();
    assert!(!matches!(
        wire.receive(DEADLINE).await,
        Ok(Some(_)) | Err(forebay_nfs_client::Error::Timeout(_))
    ));
}

#[tokio::test]
async fn certificates_are_read_again_when_asked_and_bad_ones_change_nothing() {
    let (old, new) = (Authority::new("old"), Authority::new("new"));
    let files = Files::new(&old.server(), None);
    let server = files.serve().await;
    let tls = server.shared().tls.as_ref().unwrap();
    let before = mount(&server, Some(trusting(&old, None))).await.unwrap();

    files.write("server.pem", "nonsense");
    let error = tls.reload().unwrap_err().to_string();
    assert!(error.contains("server.pem") && error.contains("does not hold a certificate"), "{error}");
    mount(&server, Some(trusting(&old, None))).await.unwrap();

    let signed = new.server();
    files.write("server.pem", &signed.certificate);
    let error = tls.reload().unwrap_err().to_string();
    assert!(error.contains("key.pem"), "the key is another one's: {error}");
    files.write("key.pem", &signed.key);
    tls.reload().unwrap();
    assert!(mount(&server, Some(trusting(&old, None))).await.is_err());
    mount(&server, Some(trusting(&new, None))).await.unwrap();
    before.connection(0).unwrap().null().await.unwrap();
}

#[tokio::test]
async fn files_that_cannot_be_used_are_named_before_anything_is_served() {
    let authority = Authority::new("authority");
    let files = Files::new(&authority.server(), Some(&authority));
    let load = || Tls::load(files.config().tls.unwrap(), ALPN);
    load().unwrap();
    files.write("clients.pem", "");
    let error = load().err().unwrap();
    assert!(
        matches!(&error, TlsError::Content { file, .. } if *file == files.path("clients.pem")),
        "{error}"
    );
    std::fs::remove_file(files.path("key.pem")).unwrap();
    let error = load().err().unwrap();
    assert!(matches!(&error, TlsError::Read { file, .. } if *file == files.path("key.pem")), "{error}");
    let rule = Rule::new(Clients::Everyone);
    assert_eq!(rule.tls, TlsUse::Optional, "who does not know of TLS is not kept out");
}
