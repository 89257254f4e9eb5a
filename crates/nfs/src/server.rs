//! The server from its owner's view: bind it, then run it until shutdown.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use forebay_service::Service;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::config::Config;
use crate::error::ServerError;
use crate::housekeeping;
use crate::policy;
use crate::rpc::server::serve;
use crate::shared::Shared;

/// An NFS server that is bound to its address but does not serve yet.
pub struct Server {
    shared: Arc<Shared>,
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Binds the address and loads the records of clients from before the restart. From now on clients can
    /// connect; they are served once the server runs. The grace period starts now.
    pub async fn bind(
        service: Arc<Service>,
        address: SocketAddr,
        config: Config,
    ) -> Result<Server, ServerError> {
        let unbound = |source| ServerError::Bind { address, source };
        let listener = TcpListener::bind(address).await.map_err(unbound)?;
        Server::on(service, listener, config).await
    }

    /// Like [`Server::bind`], with a listener that may have been bound before the pool was opened. Clients that connect in the meantime
    /// wait.
    pub async fn on(
        service: Arc<Service>,
        listener: TcpListener,
        config: Config,
    ) -> Result<Server, ServerError> {
        let unspecified = SocketAddr::from(([0, 0, 0, 0], 0));
        let unbound = |source| ServerError::Bind { address: unspecified, source };
        let address = listener.local_addr().map_err(unbound)?;
        let shared = Shared::open(service, config).await?;
        Ok(Server { shared: Arc::new(shared), listener, address })
    }

    /// The address that the server listens on, with the actual port if 0 was requested.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// The state shared by the server's operations, for tests and for the operator's view of clients.
    pub fn shared(&self) -> Arc<Shared> {
        self.shared.clone()
    }

    /// Serves until `shutdown` completes; then accepts no more requests, finishes those in progress and
    /// closes the connections. Clients keep their state: they can return in the grace period of the next
    /// start.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> Result<(), ServerError> {
        let (drain, draining) = watch::channel(false);
        let housekeeping = tokio::spawn(housekeeping::run(self.shared.clone()));
        let resolving = tokio::spawn(policy::hosts::run(
            self.shared.policies.clone(),
            self.shared.config.resolver.clone(),
            self.shared.config.clock.clone(),
        ));
        let serving = serve(self.shared.clone(), self.listener, draining);
        tokio::pin!(serving);
        tokio::select! {
            () = &mut serving => {}
            () = shutdown => {
                self.shared.service.throttle.lift();
                self.shared.state.lift_holds();
                drain.send_replace(true);
                serving.await;
            }
        }
        housekeeping.abort();
        resolving.abort();
        Ok(())
    }
}
