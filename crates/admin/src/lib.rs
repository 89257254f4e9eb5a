//! The daemon's interface for operators: REST over HTTP/1.1, on a UNIX socket and on TCP.
//!
//! A connection is accepted and bounded by [`server`]; [`router`] leads each request, with an id and a span of its own ([`access`]), to
//! one of [`handlers`], after [`caller`] found out who asks. Handlers take what [`request`] read strictly, do it to the pool and the NFS server,
//! and answer with [`views`], or with an error in one shape ([`error`]). [`openapi`] is the document of all that, made from the same
//! code. [`accounts`] keeps users and tokens, [`jobs`] long work, [`events`] what happened, and [`watch`] tells of what happens by itself.
//! [`console`] is the web console's files, which are served where the API is.
//! [`lab`] shows what experiments of the lab found. [`metrics`] is what Prometheus reads, [`history`] what is kept of it here, and [`dashboards`] are made for Grafana.
//! Start reading at [`router`].
//!
//! What must hold: nothing that comes from the network is trusted, waited for without a bound, or kept without one; and
//! a flood here does not hurt NFS.

pub mod access;
pub mod accounts;
pub mod caller;
pub mod console;
pub mod dashboards;
pub mod error;
pub mod events;
pub mod handlers;
pub mod history;
pub mod jobs;
pub mod lab;
pub mod metrics;
pub mod mount;
pub mod openapi;
pub mod request;
pub mod router;
pub mod server;
mod strict;
#[cfg(test)]
mod test_support;
pub mod traces;
pub mod views;
pub mod watch;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use accounts::Accounts;
use events::Events;
use history::History;
use jobs::Jobs;
use lab::Lab;
use views::NfsView;

/// What requests work on.
pub struct Api {
    /// The NFS server, and its pool.
    pub nfs: Arc<forebay_nfs::Shared>,
    /// The pool's directory.
    pub directory: PathBuf,
    /// Who may use it over TCP.
    pub accounts: Accounts,
    /// Work that goes on after it was answered.
    pub jobs: Arc<Jobs>,
    /// What happened.
    pub events: Arc<Events>,
    /// Reports of the lab.
    pub lab: Lab,
    /// Where clients reach NFS.
    pub nfs_view: NfsView,
    /// What the metrics were.
    pub history: Arc<History>,
    /// Whether metrics are served without a token.
    pub metrics_public: bool,
    /// Held by who looks at every extent: one at a time, so that the disk is left to clients.
    counting: tokio::sync::Mutex<()>,
}

impl Api {
    /// The interface to a server at that address and its pool, in `directory`. Fails if the pool's users or tokens cannot be read.
    pub fn open(
        nfs: Arc<forebay_nfs::Shared>,
        address: SocketAddr,
        directory: PathBuf,
    ) -> error::Result<Api> {
        let accounts = Accounts::load(nfs.pool.clone())?;
        let events = Arc::new(Events::new(nfs.pool.boot()));
        let nfs_view = NfsView::of(address, nfs.tls.is_some());
        Ok(Api {
            nfs,
            directory,
            accounts,
            jobs: Arc::default(),
            events,
            lab: Lab::new(None),
            nfs_view,
            history: Arc::default(),
            metrics_public: false,
            counting: tokio::sync::Mutex::default(),
        })
    }

    /// What metrics are taken from.
    pub fn sources(&self) -> metrics::Sources {
        metrics::Sources { nfs: self.nfs.clone() }
    }
}

/// The release of the daemon.
pub const RELEASE: &str = env!("CARGO_PKG_VERSION");
