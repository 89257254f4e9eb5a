//! The TCP server: accepts connections within the limits ([`super::roster`]), and closes them in order. A
//! single connection is handled in [`super::requests`].

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};
use tokio::time::timeout;

use super::requests::{Memory, Resources, asked_to_drain, serve_connection};
use super::roster::Roster;
use crate::connection::Connection;
use crate::shared::Shared;
use forebay_net::LogLimiter;

/// Maximum time for requests in progress to finish at shutdown.
const DRAIN_TIME_MAX: Duration = Duration::from_secs(10);
/// Pause after the system refused a new connection, for example for lack of a descriptor.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves connections until `draining` becomes true, then finishes the requests in progress.
pub async fn serve(shared: Arc<Shared>, listener: TcpListener, draining: watch::Receiver<bool>) {
    let mut draining_here = draining.clone();
    let config = &shared.config;
    let mut door = Door {
        roster: Roster::new(config.connections_max, config.connections_per_client_max),
        resources: Resources { shared: shared.clone(), memory: Arc::new(Memory::new(config)), draining },
        accepted: 0,
        complaints: LogLimiter::default(),
    };
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = asked_to_drain(&mut draining_here) => break,
            Some(ended) = connections.join_next() => note_panic(ended),
            incoming = listener.accept() => match incoming {
                Ok((stream, peer)) => door.admit(stream, peer, &mut connections),
                Err(error) => {
                    door.note_no_room(&error);
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

/// The listener.
struct Door {
    roster: Arc<Roster>,
    resources: Resources,
    accepted: u64,
    complaints: LogLimiter,
}

impl Door {
    fn admit(&mut self, stream: TcpStream, peer: SocketAddr, connections: &mut JoinSet<()>) {
        let connection = Arc::new(Connection::new(self.accepted, peer));
        self.accepted += 1;
        match self.roster.admit(&connection) {
            Ok(place) => {
                let resources = self.resources.clone();
                let connected = resources.shared.statistics.events.connected();
                // Without the server's end, the client has closed the connection already.
                let local = stream.local_addr();
                let open = local.map(|server| resources.shared.connections.add(connection.id, server, peer));
                connections.spawn(async move {
                    serve_connection(resources, connection, stream).await;
                    drop((place, connected, open));
                });
            }
            Err(setting) => {
                self.resources.shared.statistics.events.connections_refused.one();
                if let Some(refused) = self.complaints.due() {
                    let connections = self.roster.total();
                    tracing::warn!(%peer, refused, connections, "NFS connections refused: raise nfs.{setting}, or find who opens them");
                }
            }
        }
    }

    /// The system has no resources for another connection: closes an idle one, if there is one.
    fn note_no_room(&mut self, error: &std::io::Error) {
        let made_room = self.roster.make_room();
        if self.complaints.due().is_some() {
            let connections = self.roster.total();
            tracing::warn!(
                %error, connections, made_room,
                "NFS connections cannot be accepted: raise the limit of open files (LimitNOFILE= in the unit, or ulimit -n), or lower \
                 nfs.connections_max below it"
            );
        }
    }
}

/// Logs that a connection was closed because of a bug in the server.
fn note_panic(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!(%error, "NFS connection's task failed");
    }
}
