//! Talks to a daemon over its API, one connection per request.

use std::future::Future;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use forebay_admin::error::{Code, ErrorBody};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::runtime::Runtime;
use tokio_rustls::TlsConnector;

use super::target::{self, Target};
use crate::arguments::Remote;

/// Longer than any request takes, except those that scan everything. A hanging daemon must not hang the
/// command forever.
const ANSWER_WAIT_MAX: Duration = Duration::from_secs(120);
/// Maximum time to connect.
const CONNECT_WAIT_MAX: Duration = Duration::from_secs(20);
/// Maximum size of a response: enough for more volumes than a pool will have.
const ANSWER_BYTES_MAX: usize = 64 << 20;

/// No process listens on the admin socket.
#[derive(Debug)]
pub struct NoDaemon(String);

impl std::fmt::Display for NoDaemon {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for NoDaemon {}

/// The daemon does not serve S3.
#[derive(Debug)]
pub struct NoS3(String);

impl std::fmt::Display for NoS3 {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for NoS3 {}

/// A connection to a daemon.
pub struct Client {
    target: Target,
    token: Option<String>,
    runtime: Runtime,
}

/// No body.
const NOTHING: Option<&()> = None;

impl Client {
    /// A client for the daemon that a command is about.
    pub fn new(remote: &Remote) -> Result<Client> {
        let (target, token) = target::of(remote)?;
        Client::of(target, token)
    }

    fn of(target: Target, token: Option<String>) -> Result<Client> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.context("the asynchronous runtime cannot be started")?;
        Ok(Client { target, token, runtime })
    }

    /// A client for the daemon that listens on a socket of this machine.
    pub fn at_socket(path: PathBuf) -> Result<Client> {
        forebay_net::http::check_path(&path)?;
        Client::of(Target::Socket(path), None)
    }

    /// The daemon's host name, if other machines know it by that name.
    pub fn reached(&self) -> Option<String> {
        match &self.target {
            Target::Secured { place: (host, _), .. } if host.contains(':') => Some(format!("[{host}]")),
            Target::Secured { place: (host, _), .. } => Some(host.clone()),
            Target::Socket(_) | Target::Plain { .. } => None,
        }
    }

    /// GET.
    pub fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        self.ask(Method::GET, path, NOTHING, Some(ANSWER_WAIT_MAX))
    }

    /// GET of a resource that scans everything, without a time limit.
    pub fn get_patiently<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        self.ask(Method::GET, path, NOTHING, None)
    }

    /// POST.
    pub fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T> {
        self.ask(Method::POST, path, Some(body), Some(ANSWER_WAIT_MAX))
    }

    /// POST of what may take as long as it takes.
    pub fn post_patiently<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T> {
        self.ask(Method::POST, path, Some(body), None)
    }

    /// PUT.
    pub fn put<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T> {
        self.ask(Method::PUT, path, Some(body), Some(ANSWER_WAIT_MAX))
    }

    /// PATCH.
    pub fn patch<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T> {
        self.ask(Method::PATCH, path, Some(body), Some(ANSWER_WAIT_MAX))
    }

    /// DELETE with a response body.
    pub fn end<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        self.ask(Method::DELETE, path, NOTHING, Some(ANSWER_WAIT_MAX))
    }

    /// DELETE.
    pub fn delete(&self, path: &str) -> Result<()> {
        let request = self.request(Method::DELETE, path, NOTHING)?;
        self.runtime.block_on(self.exchange(request, Some(ANSWER_WAIT_MAX))).map(drop)
    }

    /// GET of a document, as text.
    pub fn get_text(&self, path: &str) -> Result<String> {
        let request = self.request(Method::GET, path, NOTHING)?;
        let answer = self.runtime.block_on(self.exchange(request, Some(ANSWER_WAIT_MAX)))?;
        String::from_utf8(answer.to_vec()).with_context(|| self.unexpected())
    }

    /// PUT of a document that is JSON text already.
    pub fn put_text(&self, path: &str, document: String) -> Result<()> {
        self.send_text(path, document).map(drop)
    }

    /// The same with a response body.
    pub fn put_text_for<T: DeserializeOwned>(&self, path: &str, document: String) -> Result<T> {
        serde_json::from_slice(&self.send_text(path, document)?).with_context(|| self.unexpected())
    }

    fn send_text(&self, path: &str, document: String) -> Result<Bytes> {
        let request = self.request_of(Method::PUT, &self.below_base(path), Some(document.into()))?;
        self.runtime.block_on(self.exchange(request, Some(ANSWER_WAIT_MAX)))
    }

    /// GET of a path relative to the root, with any content type.
    pub fn fetch(&self, path: &str) -> Result<Vec<u8>> {
        let request = self.request_to(Method::GET, path, NOTHING)?;
        Ok(self.runtime.block_on(self.exchange(request, Some(ANSWER_WAIT_MAX)))?.to_vec())
    }

    /// Whether the daemon is reached through a socket on this machine.
    pub fn is_local(&self) -> bool {
        matches!(self.target, Target::Socket(_))
    }

    /// The daemon's process id, if it listens on the admin socket.
    pub fn daemon_process(&self) -> Option<u32> {
        let Target::Socket(path) = &self.target else { return None };
        let stream = self.runtime.block_on(async { self.in_time(UnixStream::connect(path)).await });
        stream.ok()?.ok()?.peer_cred().ok()?.pid().and_then(|process| process.try_into().ok())
    }

    fn ask<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<&impl Serialize>,
        patience: Option<Duration>,
    ) -> Result<T> {
        let request = self.request(method, path, body)?;
        let answer = self.runtime.block_on(self.exchange(request, patience))?;
        serde_json::from_slice(&answer).with_context(|| self.unexpected())
    }

    fn unexpected(&self) -> String {
        format!("{}: unexpected response; is the daemon from another release?", self.place())
    }

    fn below_base(&self, path: &str) -> String {
        format!("{}/{path}", forebay_admin::router::BASE)
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<&impl Serialize>,
    ) -> Result<Request<Full<Bytes>>> {
        self.request_to(method, &self.below_base(path), body)
    }

    fn request_to(
        &self,
        method: Method,
        path: &str,
        body: Option<&impl Serialize>,
    ) -> Result<Request<Full<Bytes>>> {
        let document = body.map(serde_json::to_vec).transpose()?;
        self.request_of(method, path, document.map(Bytes::from))
    }

    /// A request whose body, if it has one, is JSON text.
    fn request_of(
        &self,
        method: Method,
        path: &str,
        document: Option<Bytes>,
    ) -> Result<Request<Full<Bytes>>> {
        let mut request = Request::builder().method(method).uri(path);
        request = request.header(HOST, self.host());
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        if document.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        request
            .body(Full::new(document.unwrap_or_default()))
            .context("the request is invalid; was the token created by this daemon?")
    }

    fn host(&self) -> String {
        match &self.target {
            Target::Socket(_) => "localhost".to_owned(),
            Target::Plain { place: (host, port) } | Target::Secured { place: (host, port), .. } => {
                let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
                format!("{host}:{port}")
            }
        }
    }

    fn place(&self) -> String {
        match &self.target {
            Target::Socket(path) => format!("admin socket {}", path.display()),
            Target::Plain { .. } => format!("server http://{}", self.host()),
            Target::Secured { .. } => format!("server https://{}", self.host()),
        }
    }

    async fn exchange(&self, request: Request<Full<Bytes>>, patience: Option<Duration>) -> Result<Bytes> {
        let exchange = async {
            let sent = match &self.target {
                Target::Socket(path) => {
                    let stream = self.in_time(UnixStream::connect(path)).await?;
                    send(stream.map_err(|error| unreachable(path, &error))?, request).await
                }
                Target::Plain { place } => send(self.connect(place).await?, request).await,
                Target::Secured { place, name, tls } => {
                    let stream = self.connect(place).await?;
                    let shake = TlsConnector::from(tls.clone()).connect(name.clone(), stream);
                    let stream = self.in_time(shake).await?.map_err(|error| self.no_tls(&error))?;
                    send(stream, request).await
                }
            };
            let response = sent.with_context(|| format!("{}: the daemon did not answer", self.place()))?;
            self.read(response).await
        };
        match patience {
            None => exchange.await,
            Some(patience) => tokio::time::timeout(patience, exchange).await.unwrap_or_else(|_| {
                Err(anyhow!(
                    "{}: no response within {} seconds; its log may say why",
                    self.place(),
                    patience.as_secs()
                ))
            }),
        }
    }

    fn no_tls(&self, error: &std::io::Error) -> anyhow::Error {
        anyhow!(
            "{}: TLS failed: {error}; the daemon needs api.tls_certificate, whose authority must be trusted \
             (--ca-certificate FILE), or api.tls_self_signed, whose fingerprint must be given (--tls-fingerprint SHA256)",
            self.place()
        )
    }

    async fn connect(&self, (host, port): &(String, u16)) -> Result<TcpStream> {
        let stream = self.in_time(TcpStream::connect((host.as_str(), *port))).await?;
        stream.map_err(|error| {
            anyhow!(
                "{}: {error}; is `forebay serve` running with api.listen set to that address?",
                self.place()
            )
        })
    }

    async fn in_time<T>(&self, connecting: impl Future<Output = T>) -> Result<T> {
        tokio::time::timeout(CONNECT_WAIT_MAX, connecting)
            .await
            .map_err(|_| anyhow!("{}: timeout after {} seconds", self.place(), CONNECT_WAIT_MAX.as_secs()))
    }

    async fn read(&self, response: Response<Incoming>) -> Result<Bytes> {
        let status = response.status();
        let body = Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await;
        let body =
            body.map_err(|error| anyhow!("{}: the response was cut off: {error}", self.place()))?.to_bytes();
        if status.is_success() {
            return Ok(body);
        }
        match serde_json::from_slice::<ErrorBody>(&body) {
            Ok(ErrorBody { error }) => match &error.request_id {
                // The daemon's log has more under that id.
                Some(id) if status.is_server_error() => bail!("{} (request {id})", error.sentence()),
                // The daemon's message names a header, which the user did not type.
                _ if error.code == Code::TokenMissing => bail!(
                    "token: missing; create one on the daemon's machine with `forebay token create`, and pass it with --token or \
                     FOREBAY_TOKEN, or save it with `forebay profile add`"
                ),
                // The daemon's message names a path, which the user did not type.
                _ if [Code::RouteNotFound, Code::MethodNotAllowed].contains(&error.code) => bail!(
                    "{}: does not support this command; use the command line of the daemon's release",
                    self.place()
                ),
                _ if error.code == Code::S3IsOff => Err(anyhow!(NoS3(error.sentence()))),
                _ => bail!(error.sentence()),
            },
            Err(_) => {
                bail!("{}: answered {status}; this is not a Forebay daemon of this release", self.place())
            }
        }
    }
}

async fn send<S>(stream: S, request: Request<Full<Bytes>>) -> Result<Response<Incoming>>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // The task ends with the exchange, which also reports its errors.
    tokio::spawn(connection);
    Ok(sender.send_request(request).await?)
}

fn unreachable(socket: &Path, error: &std::io::Error) -> anyhow::Error {
    let path = socket.display();
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::ConnectionRefused => anyhow!(NoDaemon(format!(
            "no daemon listens on {path}: start one with `forebay serve`, or the installed service with `systemctl start forebay`; or give the running daemon's \
             pool (--pool-directory DIR) or its socket (--admin-socket PATH)"
        ))),
        ErrorKind::PermissionDenied => {
            anyhow!(
                "admin socket {path}: permission denied; run this as root, as the daemon's user, or as a member of its group if \
                 admin.group_access is on"
            )
        }
        _ => anyhow!("admin socket {path}: {error}"),
    }
}

/// A path segment, with special characters escaped.
pub fn part(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_paths_are_escaped() {
        assert_eq!(part("kafka-1.log"), "kafka-1.log");
        assert_eq!(part("a/b?c=d é"), "a%2Fb%3Fc%3Dd%20%C3%A9");
    }
}
