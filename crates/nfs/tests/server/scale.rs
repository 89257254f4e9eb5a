//! As many clients as a large site has, each with as many connections as Linux opens at most (`nconnect=16`).

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use forebay_nfs_client::{Client, ClientOptions, OpenFile};
use forebay_nfs_proto::xdr::nfs4::*;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::crash::ServerProcess;
use crate::harness::*;
use crate::state::*;

const CLIENTS: usize = 1024;
const CONNECTIONS: usize = 16;
/// Clients that do something at a time.
const AT_ONCE: usize = 32;
/// What the server may take in memory, in KiB: 32 for each of all the connections, and 256 MiB.
const MEMORY_KIB_MAX: u64 = 32 * (CLIENTS * CONNECTIONS) as u64 + (256 << 10);
/// Descriptors for all else.
const DESCRIPTORS_SPARE: usize = 500;

/// A client that has a file open and locked.
struct Mounted {
    client: Client,
    file: OpenFile,
}

/// A line of a table in /proc, by how it begins, and the number that follows.
pub fn number_in(path: &str, line: &str) -> Option<u64> {
    let table = std::fs::read_to_string(path).ok()?;
    let rest = table.lines().find_map(|found| found.strip_prefix(line))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// How many clients there can be with how many connections each, as far as the system lets a process have descriptors.
fn scale() -> (usize, usize) {
    let descriptors = number_in("/proc/self/limits", "Max open files").unwrap_or(1024) as usize;
    let connections = descriptors.saturating_sub(DESCRIPTORS_SPARE).min(CLIENTS * CONNECTIONS);
    let each = (connections / CLIENTS).clamp(2, CONNECTIONS);
    ((connections / each).min(CLIENTS), each)
}

/// Runs `work` for each number, some at a time, and returns what it made.
async fn for_each<T, F>(count: usize, work: impl Fn(usize) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let at_once = Arc::new(Semaphore::new(AT_ONCE));
    let mut tasks = JoinSet::new();
    for number in 0..count {
        let (at_once, work) = (at_once.clone(), work(number));
        tasks.spawn(async move {
            let _permit = at_once.acquire_owned().await.unwrap();
            work.await
        });
    }
    tasks.join_all().await
}

async fn mount(address: SocketAddr, number: usize, connections: usize) -> Mounted {
    let options = ClientOptions::new(&format!("broker-{number}")).connections(connections);
    let client = Client::mount(address, options).await.expect("one more client");
    let root = root(&client).await;
    let file = client.files().create(&root, &format!("log-{number}")).await.expect("a file of its own");
    lock(&client, &file).await.expect("a lock of its own");
    Mounted { client, file }
}

/// Uses each connection of the client.
async fn use_all(mounted: Arc<Mounted>, connections: usize) {
    let Mounted { client, file } = &*mounted;
    for part in 0..connections {
        let data = Bytes::from(vec![part as u8; 1024]);
        let offset = 1024 * part as u64;
        client.files().write(file, offset, data, StableHow::Unstable).await.expect("it is written");
    }
    client.files().commit(&file.handle).await.expect("it is durable");
    for part in 0..connections {
        let (read, _) = client.files().read(file, 1024 * part as u64, 1024).await.expect("it is read");
        assert_eq!(read.0.concat(), vec![part as u8; 1024]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_clients_with_sixteen_connections_each_work_in_bounded_memory() {
    let (clients, connections) = scale();
    let directory = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(directory.path()).await;
    let address = server.address();
    let mounted = for_each(clients, move |number| mount(address, number, connections)).await;
    let mounted: Vec<Arc<Mounted>> = mounted.into_iter().map(Arc::new).collect();
    let all = mounted.clone();
    for_each(clients, move |number| use_all(all[number].clone(), connections)).await;

    let memory_kib = number_in(&format!("/proc/{}/status", server.id()), "VmHWM:").expect("the server runs");
    println!(
        "{clients} clients with {connections} connections each: the server took {memory_kib} KiB at most"
    );
    assert!(memory_kib < MEMORY_KIB_MAX, "{memory_kib} KiB for {clients} × {connections} connections");
    for_each(clients, move |number| {
        let mounted = mounted[number].clone();
        async move { mounted.client.files().close(&mounted.file).await.expect("it is closed") }
    })
    .await;
    server.kill().await;
}
