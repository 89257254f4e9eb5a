//! What is charged, against what a server process takes.

use std::net::SocketAddr;

use forebay_nfs::memory::audit;
use forebay_nfs_client::{Client, ClientOptions, Hoarder};
use tokio::task::JoinSet;

use crate::crash::ServerProcess;
use crate::harness::*;
use crate::scale::number_in;

/// A client with open files, and sessions full of replies; what is charged for it.
async fn take_all_kinds(address: SocketAddr, number: usize) -> (Client, Hoarder, usize) {
    const FILES: usize = 100;
    let name = format!("broker-{number}");
    let client = Client::mount(address, ClientOptions::new(&name)).await.unwrap();
    let root = root(&client).await;
    let mut charged = audit::client_bytes(name.len());
    for file in 0..FILES {
        let file = format!("{name}-{file}");
        client.files().create(&root, &file).await.unwrap();
        charged += audit::open_bytes("owner".len(), file.len());
    }
    let mut hoarder = Hoarder::connect(address, ClientOptions::new(&name)).await.unwrap();
    let hoard = hoarder.hoard(4, 64, Some(VOLUME)).await.unwrap();
    assert_eq!((hoard.sessions, hoard.replies), (4, 256));
    charged += 4 * audit::SESSION_BYTES + 256 * audit::SLOT_BYTES;
    charged += 256 * audit::further_reply_bytes(hoard.reply_bytes / 256);
    (client, hoarder, charged)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_charged_is_not_less_than_what_a_server_process_takes() {
    const CLIENTS: usize = 40;
    let directory = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(directory.path()).await;
    let resident = || number_in(&format!("/proc/{}/status", server.id()), "VmRSS:").expect("it runs") << 10;
    let warm = take_all_kinds(server.address(), CLIENTS).await;
    let before = resident();
    let mut tasks = JoinSet::new();
    for number in 0..CLIENTS {
        tasks.spawn(take_all_kinds(server.address(), number));
    }
    let kept = tasks.join_all().await;
    let grown = resident().saturating_sub(before);
    let charged: usize = kept.iter().map(|(.., charged)| charged).sum();
    println!(
        "{grown} bytes more in memory, {charged} charged: {} for a client, {} for a session, {} for a slot, {} for an open",
        audit::client_bytes(0),
        audit::SESSION_BYTES,
        audit::SLOT_BYTES,
        audit::open_bytes(0, 0)
    );
    // Connections, files that are new to the pool, and what an allocator keeps are not charged.
    assert!(grown < (charged + charged / 4 + (8 << 20)) as u64, "{grown} bytes, {charged} charged");
    drop((warm, kept));
    server.kill().await;
}
