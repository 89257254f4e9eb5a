//! The TCP server: accepts connections up to a limit, and ends them in order. What happens on one is in [`super::requests`].

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};
use tokio::time::timeout;

use super::Connection;
use super::requests::{Memory, Resources, asked_to_drain, serve_connection};
use crate::shared::Shared;

/// How long the server waits for requests in work when it shuts down.
const DRAIN_TIME_MAX: Duration = Duration::from_secs(10);
/// Pause after the system refused a new connection, for example because no descriptor is left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves connections until `draining` becomes true, then finishes what is in work.
pub async fn serve(shared: Arc<Shared>, listener: TcpListener, draining: watch::Receiver<bool>) {
    let memory = Arc::new(Memory::new(&shared.config));
    let mut draining_here = draining.clone();
    let mut connections = JoinSet::new();
    let mut accepted = 0u64;
    loop {
        tokio::select! {
            () = asked_to_drain(&mut draining_here) => break,
            Some(ended) = connections.join_next() => note_panic(ended),
            incoming = listener.accept() => match incoming {
                Ok((stream, peer)) if connections.len() < shared.config.connections_max => {
                    let connection = Arc::new(Connection::new(accepted, peer));
                    accepted += 1;
                    let resources = Resources {
                        shared: shared.clone(),
                        memory: memory.clone(),
                        draining: draining.clone(),
                    };
                    connections.spawn(serve_connection(resources, connection, stream));
                }
                Ok((_, peer)) => refuse(peer, &shared),
                Err(error) => {
                    tracing::warn!(%error, "cannot accept NFS connections; is the limit of open files too low?");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
    drop(listener);
    let drained = timeout(DRAIN_TIME_MAX, async {
        while let Some(ended) = connections.join_next().await {
            note_panic(ended);
        }
    });
    if drained.await.is_err() {
        tracing::warn!(
            connections = connections.len(),
            "NFS connections cut off: their requests take too long"
        );
    }
}

fn refuse(peer: SocketAddr, shared: &Shared) {
    let limit = shared.config.connections_max;
    tracing::warn!(%peer, limit, "NFS connection refused: too many; raise connections_max or find who opens them");
}

/// Says that a connection was closed because of a mistake in the server.
fn note_panic(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!(%error, "NFS connection's task failed");
    }
}
