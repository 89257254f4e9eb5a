//! A POST to a URL. Redirects are not followed, and the answer is not used.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, LOCATION, USER_AGENT};
use hyper::{Request, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::targets::{Webhook, resolve};

/// The whole exchange, with the name's resolution.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// Bytes of an answer that are read for the cause of a failure, and characters that are shown.
const ANSWER_BYTES_MAX: usize = 4096;
const ANSWER_SHOWN: usize = 200;

/// A URL of http or https.
#[derive(Clone, Debug)]
pub struct Url {
    uri: Uri,
    host: String,
    port: u16,
    is_secure: bool,
}

impl Url {
    /// Reads a URL.
    pub fn parse(text: &str) -> Result<Url, String> {
        let hint = "write https://HOST/PATH or http://HOST:PORT/PATH";
        let wrong = || format!("`{text}` is not a URL; {hint}");
        let uri = Uri::from_str(text).map_err(|_| wrong())?;
        let is_secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(wrong()),
        };
        let authority = uri.authority().ok_or_else(wrong)?;
        if authority.as_str().contains('@') {
            return Err("a user and a password do not belong in a URL; use authorization".to_owned());
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() {
            return Err(wrong());
        }
        let port = authority.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
        Ok(Url { uri, host, port, is_secure })
    }

    /// The URL without its path, which often is a secret.
    pub fn origin(&self) -> String {
        let scheme = if self.is_secure { "https" } else { "http" };
        format!("{scheme}://{}", self.uri.authority().map_or("", |authority| authority.as_str()))
    }
}

/// Sends JSON to a webhook. The error names the cause.
pub async fn post(to: &Webhook, body: &Value) -> Result<(), String> {
    let body = Bytes::from(body.to_string());
    let sent = tokio::time::timeout(WAIT_MAX, exchange(to, body)).await;
    sent.unwrap_or_else(|_| Err(format!("{}: no answer within {} s", to.url.origin(), WAIT_MAX.as_secs())))
}

async fn exchange(to: &Webhook, body: Bytes) -> Result<(), String> {
    let url = &to.url;
    let of = |cause: String| format!("{}: {cause}", url.origin());
    let address = address_of(url).await.map_err(of)?;
    let stream = TcpStream::connect(address).await.map_err(|error| of(format!("{address}: {error}")))?;
    if url.is_secure {
        let name = ServerName::try_from(url.host.clone())
            .map_err(|_| of("no certificate can be for this name".into()))?;
        let connector = connector().map_err(of)?;
        let stream = connector.connect(name, stream).await.map_err(|error| of(format!("TLS: {error}")))?;
        send(to, stream, body).await.map_err(of)
    } else {
        send(to, stream, body).await.map_err(of)
    }
}

/// The first address of a host that is not link-local: there, cloud machines find credentials.
async fn address_of(url: &Url) -> Result<SocketAddr, String> {
    let (host, port) = (url.host.clone(), url.port);
    let resolved = tokio::task::spawn_blocking(move || resolve(&host, port)).await;
    let addresses = match resolved {
        Ok(Ok(addresses)) => addresses,
        Ok(Err(error)) => return Err(format!("the name cannot be resolved: {error}")),
        Err(error) => return Err(error.to_string()),
    };
    let is_allowed = |address: &&SocketAddr| !is_link_local(address.ip());
    match addresses.iter().find(is_allowed) {
        Some(address) => Ok(*address),
        None if addresses.is_empty() => Err("the name has no address".to_owned()),
        None => {
            Err("the address is link-local, where cloud machines find credentials: not called".to_owned())
        }
    }
}

fn is_link_local(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address.is_link_local() || address.is_unspecified() || address.is_multicast(),
        IpAddr::V6(address) => {
            address.is_unicast_link_local() || address.is_unspecified() || address.is_multicast()
        }
    }
}

fn connector() -> Result<TlsConnector, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err(
            "this machine trusts no certificate authority; install the package ca-certificates".to_owned()
        );
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|error| error.to_string())?;
    Ok(TlsConnector::from(Arc::new(config.with_root_certificates(roots).with_no_client_auth())))
}

async fn send(
    to: &Webhook,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    body: Bytes,
) -> Result<(), String> {
    let words = |error: hyper::Error| error.to_string();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(words)?;
    let path = to.url.uri.path_and_query().map_or("/", |path| path.as_str());
    let mut request = Request::post(path)
        .header(HOST, to.url.uri.authority().map_or("", |authority| authority.as_str()))
        .header(CONTENT_TYPE, "application/json")
        .header(USER_AGENT, concat!("forebay/", env!("CARGO_PKG_VERSION")));
    if let Some(value) = &to.authorization {
        request = request.header(AUTHORIZATION, value);
    }
    let request = request.body(Full::new(body)).map_err(|error| error.to_string())?;
    let connection = tokio::spawn(connection);
    let answer = sender.send_request(request).await.map_err(words);
    let outcome = match answer {
        Ok(answer) if answer.status().is_success() => Ok(()),
        Ok(answer) => Err(refusal(answer).await),
        Err(error) => Err(error),
    };
    connection.abort();
    outcome
}

async fn refusal(answer: hyper::Response<hyper::body::Incoming>) -> String {
    let status = answer.status();
    if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
        let place =
            answer.headers().get(LOCATION).and_then(|place| place.to_str().ok()).unwrap_or("another place");
        let place: String = place.chars().take(ANSWER_SHOWN).collect();
        return format!(
            "answers with a redirect to {place}, which is not followed; write the address that it leads to"
        );
    }
    let body = Limited::new(answer.into_body(), ANSWER_BYTES_MAX).collect().await;
    let body = body.map(|body| String::from_utf8_lossy(&body.to_bytes()).into_owned()).unwrap_or_default();
    let is_shown = |character: &char| !character.is_control();
    let shown: String = body.trim().chars().filter(is_shown).take(ANSWER_SHOWN).collect();
    if shown.is_empty() { format!("answers {status}") } else { format!("answers {status}: {shown}") }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    async fn answered(answer: &'static str) -> (Result<(), String>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook?key=secret", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 4096];
            let mut length = 0;
            while !request[..length].ends_with(b"{\"a\":1}") {
                length += stream.read(&mut request[length..]).await.unwrap();
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
            String::from_utf8_lossy(&request[..length]).into_owned()
        });
        let to = Webhook { url: Url::parse(&url).unwrap(), authorization: Some("Bearer x".into()) };
        let sent = post(&to, &serde_json::json!({"a": 1})).await;
        (sent, serving.await.unwrap())
    }

    #[tokio::test]
    async fn an_answer_is_a_success_a_refusal_or_a_redirect_that_is_not_followed() {
        let (sent, request) = answered("HTTP/1.1 204 No Content\r\n\r\n").await;
        sent.unwrap();
        assert!(request.starts_with("POST /hook?key=secret HTTP/1.1\r\n"), "{request}");
        assert!(request.to_lowercase().contains("authorization: bearer x\r\n"), "{request}");
        let (sent, _) = answered("HTTP/1.1 400 Bad Request\r\ncontent-length: 9\r\n\r\nno\x07 field").await;
        let error = sent.unwrap_err();
        assert!(error.ends_with("answers 400 Bad Request: no field") && !error.contains("secret"), "{error}");
        let moved = "HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n";
        let error = answered(moved).await.0.unwrap_err();
        assert!(error.contains("redirect to http://169.254.169.254/, which is not followed"), "{error}");
        let error = answered("nonsense\r\n\r\n").await.0.unwrap_err();
        assert!(error.starts_with("http://127.0.0.1:"), "{error}");
    }

    #[tokio::test]
    async fn addresses_with_credentials_of_the_machine_are_not_called() {
        for host in ["169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]", "0.0.0.0"] {
            let url = Url::parse(&format!("http://{host}/latest/meta-data")).unwrap();
            let error = post(&Webhook { url, authorization: None }, &Value::Null).await.unwrap_err();
            assert!(error.contains("link-local"), "{host}: {error}");
        }
    }

    #[test]
    fn only_urls_of_http_are_taken_and_their_paths_are_not_shown() {
        let url = Url::parse("https://hooks.example/services/T/B/secret").unwrap();
        assert_eq!((url.origin().as_str(), url.port), ("https://hooks.example", 443));
        for text in ["", "hooks.example", "ftp://x/", "https:///x", "http://user:password@x/", "http://"] {
            assert!(Url::parse(text).is_err(), "{text}");
        }
    }
}
