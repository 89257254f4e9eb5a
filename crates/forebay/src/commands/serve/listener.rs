//! The listener of the NFS server, which the init system keeps while the daemon is restarted.
//!
//! After a connection is refused, a Linux client waits for three seconds before it tries again. So the daemon gives the init system a copy of
//! its listener (sd_pid_notify_with_fds(3), FDSTORE), and gets it back at its next start (sd_listen_fds(3)). A client that connects in
//! between waits in the listener's queue.

use std::net::{SocketAddr, TcpListener};

use anyhow::Result;
use listenfd::ListenFd;
use rustix::io::{FdFlags, fcntl_setfd};

use super::notify::Notifier;
use super::run::explain_bind;
use crate::config::Config;

/// The listener of the process before, if the init system has kept it and the configuration still has its address.
pub fn inherited(config: &Config, notifier: &Notifier) -> Option<TcpListener> {
    let mut passed = ListenFd::from_env();
    let mut found = None;
    for index in 0..passed.len() {
        let Ok(Some(listener)) = passed.take_tcp_listener(index) else { continue };
        if is_for(&listener, config.nfs.listen) && found.is_none() {
            found = prepare(&listener).is_ok().then_some(listener);
        }
    }
    if passed.len() > 0 && found.is_none() {
        tracing::info!(address = %config.nfs.listen, "the listener that the init system kept has another address");
        notifier.forget_listener();
    }
    found
}

/// Port 0 stands for any port, so nothing that was kept can be meant.
fn is_for(listener: &TcpListener, address: SocketAddr) -> bool {
    address.port() != 0 && listener.local_addr().is_ok_and(|own| own == address)
}

/// Programs that the daemon starts do not get it.
fn prepare(listener: &TcpListener) -> std::io::Result<()> {
    fcntl_setfd(listener, FdFlags::CLOEXEC)?;
    listener.set_nonblocking(true)
}

/// Listens on the configured address. An address that moves between nodes need not be here yet.
pub async fn listen(config: &Config) -> Result<tokio::net::TcpListener> {
    let address = config.nfs.listen;
    let moves = config.node.addresses.iter().any(|moving| moving.ip() == address.ip());
    let listener = if moves {
        forebay_address::bind(address).and_then(tokio::net::TcpListener::from_std)
    } else {
        tokio::net::TcpListener::bind(address).await
    };
    listener.map_err(|source| explain_bind("nfs", address, &source))
}
