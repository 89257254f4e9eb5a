//! A server on loopback with users and policies, and a client that sends any bytes.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use forebay_net::http::{self, Limits, Listener};
use forebay_pool::{Pool, PoolOptions};
use forebay_s3::auth::access::Gate;
use forebay_s3::auth::users::{ADMINISTRATORS, Users};
use forebay_s3::server::Server;
use forebay_s3::shared::Shared;
use forebay_service::{Service, ServiceOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::common::signer::{REGION, Raw, Signer};

const DEADLINE: Duration = Duration::from_secs(60);

/// A server with one administrator, and the bucket `/bad`.
pub struct Testbed {
    pub signer: Signer,
    address: SocketAddr,
    _keys: tempfile::TempDir,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub text: String,
}

impl Testbed {
    pub async fn start() -> Testbed {
        let pool = Pool::in_memory(PoolOptions::default()).await.unwrap();
        let keys = tempfile::tempdir().unwrap();
        let users = Users::open(pool.clone(), &Path::new(keys.path()).join("key")).unwrap();
        users.create_user("admin").await.unwrap();
        users.add_member(ADMINISTRATORS, "admin").await.unwrap();
        let key = users.create_key("admin", None).await.unwrap();
        let signer = Signer::new(&key.key.id, key.secret.expose());
        let service = Arc::new(Service::open(pool, ServiceOptions::default()).unwrap());
        let shared = Arc::new(Shared::new(service, REGION));
        let gate = Gate::new(shared.clone(), users);
        let server = Server::new(shared, gate.clone(), gate, &[]).unwrap();
        let listener = Listener::tcp("127.0.0.1:0".parse().unwrap(), None).await.unwrap();
        let address = listener.local_addr().unwrap();
        let limits = Limits { name: "s3", connections_max: 64, connections_per_address_max: 64 };
        tokio::spawn(http::serve(listener, limits, server, std::future::pending()));
        let testbed = Testbed { signer, address, _keys: keys };
        testbed.ok("PUT", "/bad", b"").await;
        testbed
    }

    /// Sends bytes, and reads the answer until the server ends the connection.
    pub async fn send(&self, raw: &Raw) -> Answer {
        let exchange = async {
            let mut stream = TcpStream::connect(self.address).await.unwrap();
            // The server may refuse the request before it has read it.
            let _ = stream.write_all(&raw.bytes()).await;
            if raw.is_cut {
                let _ = stream.shutdown().await;
            }
            let mut bytes = Vec::new();
            let _ = stream.read_to_end(&mut bytes).await;
            bytes
        };
        let bytes = timeout(DEADLINE, exchange).await.expect("the server answers");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answer { status, text }
    }

    pub async fn request(&self, method: &str, target: &str, body: &[u8]) -> Answer {
        self.send(&self.signer.request(method, target, &[], body)).await
    }

    /// Sends a sound request.
    pub async fn ok(&self, method: &str, target: &str, body: &[u8]) -> Answer {
        let answer = self.request(method, target, body).await;
        assert!((200..300).contains(&answer.status), "{method} {target}: {answer:?}");
        answer
    }

    /// All versions and uploads, as the bucket lists them.
    pub async fn contents(&self) -> String {
        let versions = self.ok("GET", "/bad?versions", b"").await;
        let uploads = self.ok("GET", "/bad?uploads", b"").await;
        let body = |answer: Answer| answer.text.split_once("\r\n\r\n").unwrap().1.to_owned();
        body(versions) + &body(uploads)
    }

    /// Sends requests that must be refused with this status and code, and leave the bucket as it is.
    pub async fn refuses(&self, rows: Vec<(&str, Raw, &str)>) {
        let before = self.contents().await;
        let mut wrong = Vec::new();
        for (name, raw, expected) in rows {
            let answer = self.send(&raw).await;
            let found = format!("{} {}", answer.status, answer.element("Code").unwrap_or("-"));
            if found != expected {
                wrong.push(format!("{name}: {found} instead of {expected}: {}", answer.text));
            }
            if self.contents().await != before {
                wrong.push(format!("{name}: the bucket has changed"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

impl Answer {
    /// The text of the first element with this name.
    pub fn element(&self, name: &str) -> Option<&str> {
        let (_, rest) = self.text.split_once(&format!("<{name}>"))?;
        rest.split_once(&format!("</{name}>")).map(|(text, _)| text)
    }

    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let (head, _) = self.text.split_once("\r\n\r\n")?;
        let (_, rest) = head.split_once(&format!("\r\n{name}: "))?;
        rest.lines().next()
    }
}
