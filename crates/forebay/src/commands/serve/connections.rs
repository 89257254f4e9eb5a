//! What one node tells the next about its clients' connections, so that clients notice a takeover at once.
//!
//! What must hold: nothing here delays or ends the service. Clients that are told nothing find out by themselves, later.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forebay_nfs::Endpoints;
use forebay_ownership::{Connections, Ends};
use tokio::sync::watch::Receiver;
use tokio::task::{JoinHandle, spawn_blocking};

/// The list is written no more often than this.
const PAUSE: Duration = Duration::from_millis(300);
/// The last owner's connections stay in the list for so long, in case this node fails before all clients have noticed.
const INHERITED_FOR: Duration = Duration::from_secs(60);

/// Has the connections to the last owner reset. `addresses` are those that this node has acquired; without any, a program moved them.
pub fn reset(inherited: &Connections, addresses: &[IpAddr]) {
    let is_here = |(server, _): &&Ends| addresses.is_empty() || addresses.contains(&server.ip());
    let connections: Vec<Ends> =
        inherited.own.iter().chain(&inherited.before).filter(is_here).copied().collect();
    if connections.is_empty() {
        return;
    }
    tracing::info!(connections = connections.len(), "clients of the last owner are told to connect again");
    tokio::spawn(async move {
        if let Err(error) = forebay_address::tickle(connections).await {
            tracing::warn!(%error, "clients of the last owner cannot be told to connect again, and will notice by themselves; CAP_NET_RAW is needed");
        }
    });
}

/// Writes the list where the next owner reads it. Blocks.
pub type ListWriter = Arc<dyn Fn(&Connections) -> Result<(), String> + Send + Sync>;

/// Keeps the list of this node's connections, until the task is ended.
pub fn keep_list(
    writer: ListWriter,
    inherited: Vec<Ends>,
    open: Receiver<BTreeMap<u64, Endpoints>>,
) -> JoinHandle<()> {
    tokio::spawn(keep(writer, inherited, open))
}

async fn keep(writer: ListWriter, mut inherited: Vec<Ends>, mut open: Receiver<BTreeMap<u64, Endpoints>>) {
    let begun = Instant::now();
    let mut is_failing = false;
    loop {
        if begun.elapsed() >= INHERITED_FOR {
            inherited.clear();
        }
        let now: BTreeSet<Ends> =
            open.borrow_and_update().values().map(|ends| (ends.server, ends.client)).collect();
        let before = inherited.iter().filter(|ends| !now.contains(*ends)).copied().collect();
        let list = Connections { own: now.into_iter().collect(), before };
        let writer = writer.clone();
        let written = spawn_blocking(move || writer(&list)).await;
        match written {
            Ok(Ok(())) => is_failing = false,
            Ok(Err(error)) => {
                if !is_failing {
                    tracing::warn!(%error, "if another node takes the pool, some clients will notice late");
                }
                is_failing = true;
            }
            // The runtime is shutting down.
            Err(_) => return,
        }
        tokio::time::sleep(PAUSE).await;
        let expiry = INHERITED_FOR.saturating_sub(begun.elapsed());
        tokio::select! {
            changed = open.changed() => if changed.is_err() { return },
            () = tokio::time::sleep(expiry), if !inherited.is_empty() => {}
        }
    }
}
