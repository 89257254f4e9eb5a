//! The HTTP/1.1 server that the API and other HTTP protocols share: accepts connections, limits them, and serves requests until the daemon
//! stops.
//!
//! What must hold: a peer that is slow, silent, or opens many connections gets a limited number of connections and little memory, for
//! a limited time, and keeps nobody else out ([`roster`]). When the daemon stops, requests in progress are finished.

mod counts;
mod idle_timeout;
mod linger;
mod peer;
pub mod request_id;
mod roster;
mod socket;

use std::convert::Infallible;
use std::error::Error;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Incoming};
use hyper::header::{HeaderValue, STRICT_TRANSPORT_SECURITY};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tower::{Service, ServiceExt};

use crate::tls::Tls;
pub use counts::{ConnectionCounters, ConnectionCounts};
use idle_timeout::IdleTimeout;
use linger::Linger;
pub use peer::{Peer, Secured, Standing, Working};
use roster::{Connection, Roster};
pub use socket::{BindError, Socket, check_path};

/// How long the server waits for a request's headers, and for the next request on a connection.
const HEADERS_WAIT_MAX: Duration = Duration::from_secs(30);
/// How long a TLS handshake may take.
const HANDSHAKE_MAX: Duration = Duration::from_secs(10);
/// How long a peer may stop reading while an answer is sent.
const WRITE_STALL_MAX: Duration = Duration::from_secs(30);
/// Maximum size of a request's headers, in bytes.
const HEADERS_BYTES_MAX: usize = 64 << 10;
/// How long requests in progress may take after the daemon was asked to stop.
const LAST_REQUESTS_MAX: Duration = Duration::from_secs(10);

/// Sent in responses over TLS: for a year, browsers must not contact this host without TLS.
const TLS_ONLY: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// The ALPN name of HTTP/1.1 (RFC 7301).
pub const ALPN: &[u8] = b"http/1.1";

/// A listener's name in the log, and its limits.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The protocol's name in the log, such as `api`.
    pub name: &'static str,
    /// Maximum number of simultaneous connections.
    pub connections_max: usize,
    /// Maximum number of simultaneous connections from one address.
    pub connections_per_address_max: usize,
}

/// A socket that accepts connections.
pub enum Listener {
    /// The UNIX socket.
    Socket(Socket),
    /// TCP, with TLS if there is a certificate.
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

    /// The address of a TCP listener.
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
                let (stream, peer) = listener.accept().await?;
                // The body of a response follows its headers in a write of its own. Nagle's algorithm would hold a small one back until
                // the client has acknowledged the headers, which takes 40 ms.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%peer, %error, "a connection stays with Nagle's algorithm");
                }
                Ok(Stream::Tcp(stream, peer))
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

/// A service that answers every request, if necessary with an error response.
pub trait HttpService<B>:
    Service<Request<Incoming>, Response = Response<B>, Error = Infallible, Future: Send>
    + Clone
    + Send
    + Sync
    + 'static
{
}

impl<S, B> HttpService<B> for S where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static
{
}

/// Serves until `shutdown` resolves, then waits for the requests in progress. Each request carries its [`Peer`] and the connection's
/// [`Standing`] as extensions.
pub async fn serve<S, B>(listener: Listener, limits: Limits, service: S, shutdown: impl Future<Output = ()>)
where
    S: HttpService<B>,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    serve_counted(listener, limits, Arc::default(), service, shutdown).await;
}

/// Like [`serve`], and counts the connections.
pub async fn serve_counted<S, B>(
    listener: Listener,
    limits: Limits,
    counters: Arc<ConnectionCounters>,
    service: S,
    shutdown: impl Future<Output = ()>,
) where
    S: HttpService<B>,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    let name = limits.name;
    let roster = Roster::new(limits.connections_max, limits.connections_per_address_max);
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
                // Without a place, dropping the stream closes the connection.
                let Some(place) = roster.admit(address) else {
                    counters.refused();
                    continue;
                };
                let (service, tls, stopped) = (service.clone(), listener.tls(), stopped.clone());
                let counters = counters.clone();
                connections.spawn(async move {
                    let opened = counters.opened();
                    serve_connection(name, stream, tls, &place.connection, &counters, service, stopped).await;
                    drop((opened, place));
                });
            }
            Err(error) => {
                // The cause, such as too many open files, is temporary. The pause prevents a busy loop.
                tracing::warn!(%error, "{name}: cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    drop(listener);
    // Cannot fail: `stopped` is still a receiver.
    let _ = stop.send(true);
    let last = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(LAST_REQUESTS_MAX, last).await.is_err() {
        tracing::warn!("{name}: stopped without waiting for all requests");
    }
}

async fn serve_connection<S, B>(
    name: &'static str,
    stream: Stream,
    tls: Option<Arc<Tls>>,
    connection: &Connection,
    counters: &ConnectionCounters,
    service: S,
    stopped: watch::Receiver<bool>,
) where
    S: HttpService<B>,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    // Until the first request has been read, its headers may have been refused.
    let had_body = Arc::new(AtomicBool::new(true));
    let respond = |peer, secured| responder(service, peer, connection, secured, had_body.clone());
    match (stream, tls) {
        (Stream::Unix(stream), _) => {
            serve_http(name, stream, connection, respond(Peer::Socket, false), &had_body, stopped).await;
        }
        (Stream::Tcp(stream, peer), None) => {
            serve_http(name, stream, connection, respond(Peer::Tcp(peer), false), &had_body, stopped).await;
        }
        (Stream::Tcp(stream, peer), Some(tls)) => {
            let handshake = TlsAcceptor::from(tls.current()).accept(stream);
            let shaken = tokio::select! {
                shaken = tokio::time::timeout(HANDSHAKE_MAX, handshake) => shaken,
                () = connection.ended() => return,
            };
            counters.shook_hands(matches!(shaken, Ok(Ok(_))));
            match shaken {
                Ok(Ok(stream)) => {
                    serve_http(name, stream, connection, respond(Peer::Tcp(peer), true), &had_body, stopped)
                        .await;
                }
                Ok(Err(error)) => tracing::debug!(%peer, %error, "{name}: the TLS handshake failed"),
                Err(_) => tracing::debug!(%peer, "{name}: the TLS handshake timed out"),
            }
        }
    }
}

/// Returns the function that answers the requests of one connection.
fn responder<S: HttpService<B>, B: 'static>(
    service: S,
    peer: Peer,
    connection: &Connection,
    secured: bool,
    had_body: Arc<AtomicBool>,
) -> impl Fn(Request<Incoming>) -> Responding<B> + use<S, B> {
    let standing = connection.standing.clone();
    move |mut request| {
        had_body.store(!request.body().is_end_stream(), Ordering::Relaxed);
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(standing.clone());
        if secured {
            request.extensions_mut().insert(Secured);
        }
        let responded = service.clone().oneshot(request);
        Box::pin(async move {
            let mut response = responded.await?;
            if secured {
                response.headers_mut().insert(STRICT_TRANSPORT_SECURITY, TLS_ONLY);
            }
            Ok(response)
        })
    }
}

type Responding<B> = Pin<Box<dyn Future<Output = Result<Response<B>, Infallible>> + Send>>;

async fn serve_http<T, B>(
    name: &'static str,
    stream: T,
    place: &Connection,
    respond: impl Fn(Request<Incoming>) -> Responding<B>,
    had_body: &Arc<AtomicBool>,
    mut stopped: watch::Receiver<bool>,
) where
    T: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    let io = TokioIo::new(Linger::new(IdleTimeout::new(stream, WRITE_STALL_MAX), had_body.clone()));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_WAIT_MAX)
        .max_buf_size(HEADERS_BYTES_MAX)
        .serve_connection(io, service_fn(respond));
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = until(&mut stopped) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
        () = place.standing.closed() => {
            tracing::debug!("{name}: a connection was closed because its peer is too slow");
            return;
        }
        () = place.ended() => {
            // A connection with a request in progress is closed after that request.
            if !place.standing.is_working() {
                tracing::debug!("{name}: a connection was closed to make room for another");
                return;
            }
            connection.as_mut().graceful_shutdown();
            tokio::select! {
                ended = &mut connection => ended,
                () = place.standing.closed() => return,
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "{name}: a connection failed");
    }
}

/// Waits until the daemon stops.
async fn until(stopped: &mut watch::Receiver<bool>) {
    // An error means that the sender was dropped, which also happens only when the daemon stops.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_small_body_does_not_wait_for_the_acknowledgement_of_the_headers() {
        let listener = Listener::tcp("127.0.0.1:0".parse().unwrap(), None).await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap());
        let (accepted, _client) = tokio::join!(listener.accept(), client);
        let Stream::Tcp(stream, _) = accepted.unwrap() else { panic!("not over TCP") };
        assert!(stream.nodelay().unwrap());
    }
}
