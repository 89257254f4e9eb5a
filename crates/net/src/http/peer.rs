//! What is known about the other end of an HTTP connection.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::Notify;

/// The other end of a connection. The server adds it to the extensions of each request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// A process on this machine that may open the UNIX socket.
    Socket,
    /// A TCP peer.
    Tcp(SocketAddr),
}

/// The request came over TLS. The server adds it to the extensions of such requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secured;

/// Who uses a connection, as far as its requests have shown. The server adds it to the extensions of each request, and the
/// service updates it.
#[derive(Debug, Default)]
pub struct Standing {
    identified: AtomicBool,
    working: AtomicUsize,
    closed: Notify,
}

impl Standing {
    /// An identified caller makes a request, which lasts until the returned guard is dropped.
    pub fn begin(self: &Arc<Self>) -> Working {
        self.identified.store(true, Ordering::Relaxed);
        self.working.fetch_add(1, Ordering::Relaxed);
        Working(self.clone())
    }

    /// Whether an identified caller has made a request on the connection.
    pub fn is_identified(&self) -> bool {
        self.identified.load(Ordering::Relaxed)
    }

    /// Closes the connection at once, even in the middle of a response.
    pub fn close(&self) {
        self.closed.notify_one();
    }

    /// Resolves when the connection must be closed.
    pub(super) async fn closed(&self) {
        self.closed.notified().await;
    }

    /// Whether a request of an identified caller is being carried out.
    pub fn is_working(&self) -> bool {
        self.working.load(Ordering::Relaxed) > 0
    }
}

/// A request that is being carried out.
pub struct Working(Arc<Standing>);

impl Drop for Working {
    fn drop(&mut self) {
        self.0.working.fetch_sub(1, Ordering::Relaxed);
    }
}
