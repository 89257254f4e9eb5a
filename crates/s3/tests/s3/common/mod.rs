//! A server in this process, and a small client that signs its requests.

pub mod signer;

use std::net::SocketAddr;
use std::sync::Arc;

use forebay_net::http::{self, Limits, Listener};
use forebay_pool::{Pool, PoolOptions};
use forebay_s3::auth::access::{Caller, Gate};
use forebay_s3::auth::users::Users;
use forebay_s3::server::Server;
use forebay_s3::shared::Shared;
use forebay_service::{Service, ServiceOptions};
use hmac::{Hmac, KeyInit, Mac};
use s3s::S3Result;
use s3s::access::{S3Access, S3AccessContext};
use s3s::auth::{S3Auth, SimpleAuth};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const ACCESS_KEY: &str = "AKIATESTBED";
const SECRET_KEY: &str = "secret";
const REGION: &str = "us-east-1";

/// Lets everybody do everything. Who sends x-amz-bypass-governance-retention bypasses it.
struct Everything;

#[async_trait::async_trait]
impl S3Access for Everything {
    async fn check(&self, context: &mut S3AccessContext<'_>) -> S3Result<()> {
        let bypasses_governance = context.headers().contains_key("x-amz-bypass-governance-retention");
        let caller = Caller { user: "tester".to_owned(), bypasses_governance, ..Caller::default() };
        context.extensions_mut().insert(caller);
        Ok(())
    }
}

/// A server on a loopback port, with a pool in memory.
pub struct Testbed {
    pub shared: Arc<Shared>,
    address: SocketAddr,
}

/// An access key's id and secret.
#[derive(Clone)]
pub struct Keys {
    pub id: String,
    pub secret: String,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: String,
}

impl Testbed {
    /// Starts a server that lets everybody do everything. It ends with the test.
    pub async fn start() -> Testbed {
        Self::on(Pool::in_memory(PoolOptions::default()).await.unwrap()).await
    }

    /// Starts a server on a pool that lets everybody do everything. It ends with the test.
    pub async fn on(pool: Pool) -> Testbed {
        let auth = SimpleAuth::from_single(ACCESS_KEY, SECRET_KEY);
        Self::serve(pool, |_| (auth, Everything)).await
    }

    /// Starts a server on which these users may do what their groups' policies allow. It ends with the test.
    pub async fn with_users(users: &Users, pool: Pool) -> Testbed {
        Self::serve(pool, |shared| {
            let gate = Gate::new(shared, users.clone());
            (gate.clone(), gate)
        })
        .await
    }

    async fn serve<A: S3Auth, B: S3Access>(pool: Pool, gate: impl FnOnce(Arc<Shared>) -> (A, B)) -> Testbed {
        let service = Arc::new(Service::open(pool, ServiceOptions::default()).unwrap());
        let shared = Arc::new(Shared::new(service, REGION));
        let (auth, access) = gate(shared.clone());
        let server = Server::new(shared.clone(), auth, access, &[]).unwrap();
        let listener = Listener::tcp("127.0.0.1:0".parse().unwrap(), None).await.unwrap();
        let address = listener.local_addr().unwrap();
        let limits = Limits { name: "s3", connections_max: 64, connections_per_address_max: 64 };
        let connections = shared.statistics.connections.clone();
        tokio::spawn(http::serve_counted(listener, limits, connections, server, std::future::pending()));
        Testbed { shared, address }
    }

    /// Sends a request.
    pub async fn send(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let keys = Keys { id: ACCESS_KEY.to_owned(), secret: SECRET_KEY.to_owned() };
        self.send_as(&keys, method, target, headers, body).await
    }

    /// Sends a request that is signed with another access key.
    pub async fn send_as(
        &self,
        keys: &Keys,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let mut all: Vec<(String, String)> =
            headers.iter().map(|(name, value)| (name.to_lowercase(), (*value).to_owned())).collect();
        all.push(("host".to_owned(), self.address.to_string()));
        sign(keys, method, target, &mut all, body);
        self.exchange(method, target, &all, body).await
    }

    /// Sends a request with a header that was changed after it was signed.
    pub async fn send_changed(
        &self,
        method: &str,
        target: &str,
        (name, signed, sent): (&str, &str, &str),
    ) -> Answer {
        let mut all =
            vec![("host".to_owned(), self.address.to_string()), (name.to_owned(), signed.to_owned())];
        let keys = Keys { id: ACCESS_KEY.to_owned(), secret: SECRET_KEY.to_owned() };
        sign(&keys, method, target, &mut all, "");
        for (found, value) in &mut all {
            if found == name {
                *value = sent.to_owned();
            }
        }
        self.exchange(method, target, &all, "").await
    }

    /// Sends a request, and returns what the first packet of the answer has.
    pub async fn first_packet(&self, method: &str, target: &str) -> String {
        let mut all = vec![("host".to_owned(), self.address.to_string())];
        let keys = Keys { id: ACCESS_KEY.to_owned(), secret: SECRET_KEY.to_owned() };
        sign(&keys, method, target, &mut all, "");
        let mut stream = self.connection(method, target, &all, "").await;
        let mut bytes = vec![0; 64 << 10];
        let length = stream.read(&mut bytes).await.unwrap();
        String::from_utf8(bytes[..length].to_vec()).unwrap()
    }

    async fn exchange(&self, method: &str, target: &str, all: &[(String, String)], body: &str) -> Answer {
        let mut stream = self.connection(method, target, all, body).await;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        Answer::parse(&String::from_utf8(bytes).unwrap())
    }

    /// A connection over which a request was sent.
    async fn connection(
        &self,
        method: &str,
        target: &str,
        all: &[(String, String)],
        body: &str,
    ) -> TcpStream {
        let mut text = format!("{method} {target} HTTP/1.1\r\nconnection: close\r\n");
        for (name, value) in all {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        stream
    }

    /// Sends a request that must succeed.
    pub async fn ok(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let answer = self.send(method, target, headers, body).await;
        assert!((200..300).contains(&answer.status), "{method} {target}: {answer:?}");
        answer
    }

    /// Sends a request that must be refused, and returns the status and the code.
    pub async fn refused(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> String {
        let answer = self.send(method, target, headers, body).await;
        assert!(answer.status >= 400, "{method} {target}: {answer:?}");
        format!("{} {}", answer.status, answer.element("Code").unwrap_or_default())
    }
}

impl Answer {
    fn parse(text: &str) -> Answer {
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let is_chunked =
            headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
        let body = if is_chunked { unchunked(body) } else { body.to_owned() };
        Answer { status, headers, body }
    }

    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The text of the first element with this name.
    pub fn element(&self, name: &str) -> Option<&str> {
        let (_, rest) = self.body.split_once(&format!("<{name}>"))?;
        rest.split_once(&format!("</{name}>")).map(|(text, _)| text)
    }
}

fn unchunked(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            break;
        }
        body.push_str(&after[..size]);
        rest = &after[size + 2..];
    }
    body
}

/// Adds the headers of Signature Version 4.
fn sign(keys: &Keys, method: &str, target: &str, headers: &mut Vec<(String, String)>, body: &str) {
    let format = time::macros::format_description!("[year][month][day]T[hour][minute][second]Z");
    let time = time::OffsetDateTime::now_utc().format(format).unwrap();
    let day = &time[..8];
    let payload = hex(&Sha256::digest(body.as_bytes()));
    headers.push(("x-amz-date".to_owned(), time.clone()));
    headers.push(("x-amz-content-sha256".to_owned(), payload.clone()));
    headers.sort();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut parameters: Vec<String> = query
        .split('&')
        .filter(|parameter| !parameter.is_empty())
        .map(|parameter| if parameter.contains('=') { parameter.to_owned() } else { format!("{parameter}=") })
        .collect();
    parameters.sort();
    let lines: String = headers.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
    let names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
    let names = names.join(";");
    let canonical = format!("{method}\n{path}\n{}\n{lines}\n{names}\n{payload}", parameters.join("&"));
    let scope = format!("{day}/{REGION}/s3/aws4_request");
    let digest = hex(&Sha256::digest(canonical.as_bytes()));
    let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{digest}");
    let mut key = format!("AWS4{}", keys.secret).into_bytes();
    for part in [day, REGION, "s3", "aws4_request"] {
        key = mac(&key, part);
    }
    let signature = hex(&mac(&key, &text));
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={signature}",
        keys.id
    );
    headers.push(("authorization".to_owned(), authorization));
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
