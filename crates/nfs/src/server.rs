//! The server as its owner sees it: bind, then run until told to stop.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use forebay_service::Service;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::config::Config;
use crate::policy::{self, PolicyError};
use crate::rpc::server::serve;
use crate::shared::Shared;
use crate::state;
use forebay_net::tls::TlsError;

/// Why a server cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address cannot be listened on.
    #[error("NFS cannot listen on {address}: {source}; choose another address, or stop who uses it")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// TLS cannot be used as it is configured.
    #[error("NFS cannot use TLS: {0}")]
    Tls(#[from] TlsError),
    /// The pool's export policies cannot be read.
    #[error("{0}")]
    Policies(#[from] PolicyError),
    /// The pool did not give what the server keeps in it.
    #[error("NFS cannot read its records from the pool: {0}")]
    Pool(#[from] forebay_pool::Error),
}

/// An NFS server that has its address but does not serve yet.
pub struct Server {
    shared: Arc<Shared>,
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Binds the address and reads the records of clients from before the restart. Clients can connect from
    /// now on, and are answered once the server runs. The grace period starts now.
    pub async fn bind(
        service: Arc<Service>,
        address: SocketAddr,
        config: Config,
    ) -> Result<Server, ServerError> {
        let unbound = |source| ServerError::Bind { address, source };
        let listener = TcpListener::bind(address).await.map_err(unbound)?;
        let address = listener.local_addr().map_err(unbound)?;
        let shared = Shared::open(service, config).await?;
        Ok(Server { shared: Arc::new(shared), listener, address })
    }

    /// The address that clients reach the server at; its port is the one chosen, if 0 was asked for.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// What the server's operations share, for tests and for the operator's view of clients.
    pub fn shared(&self) -> Arc<Shared> {
        self.shared.clone()
    }

    /// Serves until `shutdown` ends; then takes no more requests, finishes those in work and closes the
    /// connections. Clients keep their state: they have the grace period of the next start to come back.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> Result<(), ServerError> {
        let (drain, draining) = watch::channel(false);
        let housekeeping = tokio::spawn(state::run(self.shared.clone()));
        let resolving = tokio::spawn(policy::hosts::run(self.shared.clone()));
        let serving = serve(self.shared.clone(), self.listener, draining);
        tokio::pin!(serving);
        tokio::select! {
            () = &mut serving => {}
            () = shutdown => {
                self.shared.service.throttle.lift();
                drain.send_replace(true);
                serving.await;
            }
        }
        housekeeping.abort();
        resolving.abort();
        Ok(())
    }
}
