//! Accepts connections, bounds them, and serves HTTP/1.1 on them until it is told to stop.
//!
//! What must hold: a peer that is slow, silent or one of very many takes a bounded number of connections and little memory,
//! for a bounded time, and keeps nobody else out ([`roster`]); and when the daemon stops, requests that are being carried out are finished.

mod patient;
mod roster;
mod socket;

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use forebay_nfs::Tls;
use hyper::body::Incoming;
use hyper::header::{HeaderValue, STRICT_TRANSPORT_SECURITY};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

use crate::caller::Peer;
use patient::Patient;
use roster::{Connection, Roster};
pub use socket::{BindError, Socket, check_path};

/// How long a request's headers, and the next request of a connection, may take to come.
const HEADERS_WAIT_MAX: Duration = Duration::from_secs(30);
/// How long a TLS handshake may take.
const HANDSHAKE_MAX: Duration = Duration::from_secs(10);
/// How long a peer may take none of an answer.
const WRITE_STALL_MAX: Duration = Duration::from_secs(30);
/// Bytes that the headers of a request may have.
const HEADERS_BYTES_MAX: usize = 64 << 10;
/// How long requests may still take once the daemon is to stop.
const LAST_REQUESTS_MAX: Duration = Duration::from_secs(10);

/// Connections of a listener at once, and of one address.
const CONNECTIONS_MAX: usize = 128;
const CONNECTIONS_PER_ADDRESS_MAX: usize = 48;

/// What is said over TLS: for a year, browsers shall not speak to this host without it.
const TLS_ONLY: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// TLS's name for HTTP/1.1, for ALPN.
pub const ALPN: &[u8] = b"http/1.1";

/// A place where connections come in.
pub enum Listener {
    /// The UNIX socket.
    Socket(Socket),
    /// TCP, secured if there is a certificate.
    Tcp(TcpListener, Option<Arc<Tls>>),
}

enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream, SocketAddr),
}

impl Listener {
    /// Binds a TCP address.
    pub async fn tcp(address: SocketAddr, tls: Option<Arc<Tls>>) -> io::Result<Listener> {
        Ok(Listener::Tcp(TcpListener::bind(address).await?, tls))
    }

    /// The address that it is bound to, if it is TCP.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        match self {
            Listener::Tcp(listener, _) => listener.local_addr().ok(),
            Listener::Socket(_) => None,
        }
    }

    async fn accept(&self) -> io::Result<Stream> {
        match self {
            Listener::Socket(socket) => {
                UnixListener::accept(socket.listener()).await.map(|(stream, _)| Stream::Unix(stream))
            }
            Listener::Tcp(listener, _) => {
                listener.accept().await.map(|(stream, peer)| Stream::Tcp(stream, peer))
            }
        }
    }

    fn tls(&self) -> Option<Arc<Tls>> {
        match self {
            Listener::Tcp(_, tls) => tls.clone(),
            Listener::Socket(_) => None,
        }
    }
}

/// Serves until `shutdown` resolves, then lets the requests that are being carried out finish.
pub async fn serve(listener: Listener, router: Router, shutdown: impl Future<Output = ()>) {
    let roster = Roster::new(CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS_MAX);
    let (stop, stopped) = watch::channel(false);
    let mut connections = JoinSet::new();
    tokio::pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            accepted = listener.accept() => accepted,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok(stream) => {
                let address = match &stream {
                    Stream::Unix(_) => None,
                    Stream::Tcp(_, peer) => Some(peer.ip()),
                };
                // Without a place it is closed: it would have to wait until requests end.
                let Some(place) = roster.admit(address) else { continue };
                let (router, tls, stopped) = (router.clone(), listener.tls(), stopped.clone());
                connections.spawn(async move {
                    serve_connection(stream, tls, &place.connection, router, stopped).await;
                    drop(place);
                });
            }
            Err(error) => {
                // Such as too many open files: it passes, and must not become a busy loop.
                tracing::warn!(%error, "api: cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    drop(listener);
    // Receivers may all be gone already.
    let _ = stop.send(true);
    let last = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(LAST_REQUESTS_MAX, last).await.is_err() {
        tracing::warn!("api: a request was not waited for");
    }
}

async fn serve_connection(
    stream: Stream,
    tls: Option<Arc<Tls>>,
    connection: &Connection,
    router: Router,
    stopped: watch::Receiver<bool>,
) {
    match (stream, tls) {
        (Stream::Unix(stream), _) => {
            serve_http(stream, connection, answers(router, Peer::Socket, connection, false), stopped).await;
        }
        (Stream::Tcp(stream, peer), None) => {
            serve_http(stream, connection, answers(router, Peer::Tcp(peer), connection, false), stopped)
                .await;
        }
        (Stream::Tcp(stream, peer), Some(tls)) => {
            let handshake = TlsAcceptor::from(tls.current()).accept(stream);
            let shaken = tokio::select! {
                shaken = tokio::time::timeout(HANDSHAKE_MAX, handshake) => shaken,
                () = connection.ended() => return,
            };
            match shaken {
                Ok(Ok(stream)) => {
                    let answers = answers(router, Peer::Tcp(peer), connection, true);
                    serve_http(stream, connection, answers, stopped).await;
                }
                Ok(Err(error)) => tracing::debug!(%peer, %error, "api: no TLS"),
                Err(_) => tracing::debug!(%peer, "api: no TLS in time"),
            }
        }
    }
}

/// What answers the requests of a connection.
fn answers(
    router: Router,
    peer: Peer,
    connection: &Connection,
    secured: bool,
) -> impl Fn(Request<Incoming>) -> Answering + use<> {
    let standing = connection.standing.clone();
    move |mut request| {
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(standing.clone());
        let answered = router.clone().oneshot(request);
        Box::pin(async move {
            let mut response = answered.await?;
            if secured {
                response.headers_mut().insert(STRICT_TRANSPORT_SECURITY, TLS_ONLY);
            }
            Ok(response)
        })
    }
}

type Answering = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

async fn serve_http<S>(
    stream: S,
    place: &Connection,
    answers: impl Fn(Request<Incoming>) -> Answering,
    mut stopped: watch::Receiver<bool>,
) where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let io = TokioIo::new(Patient::new(stream, WRITE_STALL_MAX));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_WAIT_MAX)
        .max_buf_size(HEADERS_BYTES_MAX)
        .serve_connection(io, service_fn(answers));
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = until(&mut stopped) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
        () = place.ended() => {
            // Only what is being carried out is finished.
            if !place.standing.is_working() {
                tracing::debug!("api: a connection made room for another");
                return;
            }
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "api: a connection broke");
    }
}

/// Waits until the daemon is to stop.
async fn until(stopped: &mut watch::Receiver<bool>) {
    // An error means that who would say so is gone, and then it is to stop as well.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}
