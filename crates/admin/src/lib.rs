//! The daemon's interface for operators: REST over HTTP/1.1, on a UNIX socket and on TCP.
//!
//! [`forebay_net::http`] accepts a connection and limits it. [`router`] leads each request, with an id and a span of its own
//! ([`access`]), to one of [`handlers`], after [`caller`] has identified the caller. Handlers take what [`request`] has read strictly,
//! call the [`Service`] or a protocol, and answer with [`views`], or with an error in one shape ([`error`]). [`openapi`] is the
//! document of all that, made from the same code. [`watch`] reports refused NFS clients. [`console`] is the web console's files, which
//! are served where the API is. [`lab`] shows results of the lab's experiments. [`metrics`] is what Prometheus reads, [`history`] what
//! is kept of it here, and [`dashboards`] are made for Grafana.
//! Start reading at [`router`].
//!
//! What must hold: nothing that comes from the network is trusted, waited for without a bound, or kept without one; and
//! a flood here does not hurt NFS.

pub mod access;
pub mod caller;
pub mod console;
pub mod dashboards;
pub mod error;
pub mod handlers;
pub mod history;
pub mod lab;
pub mod metrics;
pub mod mount;
pub mod openapi;
mod problem;
pub mod request;
pub mod router;
mod strict;
#[cfg(test)]
mod test_support;
pub mod traces;
pub mod views;
pub mod watch;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use error::{ApiError, Code};
use forebay_net::http::Limits;
use forebay_nfs::policy::Policies;
use forebay_service::Service;
use forebay_service::events::Kind;
use history::History;
use lab::Lab;
use views::NfsView;

/// What requests work on.
pub struct Api {
    /// The pool, and what its protocols share.
    pub service: Arc<Service>,
    /// The NFS server, if NFS is served.
    pub nfs: Option<Arc<forebay_nfs::Shared>>,
    /// The pool's directory.
    pub directory: PathBuf,
    /// Reports of the lab.
    pub lab: Lab,
    /// Where clients reach NFS.
    pub nfs_view: NfsView,
    /// What the metrics were.
    pub history: Arc<History>,
    /// Whether metrics are served without a token.
    pub metrics_public: bool,
    /// Held while every extent is looked at: one caller at a time, so that the disk is left to clients.
    counting: tokio::sync::Mutex<()>,
}

impl Api {
    /// The interface to a service whose pool is in `directory`. NFS is served at `address`, if it is.
    pub fn new(
        service: Arc<Service>,
        nfs: Option<Arc<forebay_nfs::Shared>>,
        address: SocketAddr,
        directory: PathBuf,
    ) -> Api {
        let with_tls = nfs.as_ref().is_some_and(|nfs| nfs.tls.is_some());
        Api {
            service,
            nfs,
            directory,
            lab: Lab::new(None),
            nfs_view: NfsView::of(address, with_tls),
            history: Arc::default(),
            metrics_public: false,
            counting: tokio::sync::Mutex::default(),
        }
    }

    /// What metrics are taken from.
    pub fn sources(&self) -> metrics::Sources {
        let mut sources = metrics::Sources::new(self.service.clone());
        if let Some(nfs) = &self.nfs {
            sources.add(nfs.clone());
        }
        sources
    }

    /// The NFS server; an error for the caller if NFS is not served.
    fn nfs(&self) -> error::Result<&Arc<forebay_nfs::Shared>> {
        let missing = || {
            ApiError::new(Code::Unavailable, "NFS", "is not served")
                .with_remedy("set nfs.listen, and restart the daemon")
        };
        self.nfs.as_ref().ok_or_else(missing)
    }

    /// The NFS server's export policies; an error for the caller if NFS is not served.
    fn export_policies(&self) -> error::Result<&Arc<Policies>> {
        Ok(&self.nfs()?.policies)
    }

    /// Reports what a caller did.
    fn note(
        &self,
        kind: Kind,
        object: impl Into<String>,
        message: impl Into<String>,
        caller: &caller::Caller,
    ) {
        self.service.events.note(kind, object, message, caller.who());
    }
}

/// The limits of the API's listeners.
pub const LIMITS: Limits = Limits { name: "api", connections_max: 128, connections_per_address_max: 48 };

/// The release of the daemon.
pub const RELEASE: &str = env!("CARGO_PKG_VERSION");
