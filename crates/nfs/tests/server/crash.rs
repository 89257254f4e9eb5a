//! What clients keep when the server is killed: a server in a process of its own, on a pool on disk.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use bytes::Bytes;
use forebay_nfs::{Config, Server};
use forebay_nfs_client::{Client, ClientOptions};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::*;
use forebay_pool::{Pool, PoolOptions};
use forebay_service::Service;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::harness::*;
use crate::state::*;

/// Tells the server process where its pool is.
const POOL_VARIABLE: &str = "FOREBAY_TEST_POOL";
/// What the server process says before its port.
const LISTENS: &str = "listens on port ";

/// A server that can be killed.
pub struct ServerProcess {
    child: Child,
    address: SocketAddr,
}

impl ServerProcess {
    /// Runs this very test program as a server.
    pub async fn start(pool: &Path) -> ServerProcess {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["crash::server_process", "--exact", "--ignored", "--nocapture"])
            .env(POOL_VARIABLE, pool)
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let listening = async {
            while let Some(line) = lines.next_line().await.unwrap() {
                if let Some((_, port)) = line.split_once(LISTENS) {
                    return port.parse().unwrap();
                }
            }
            panic!("the server process ended");
        };
        let port: u16 = tokio::time::timeout(DEADLINE, listening).await.expect("it listens in time");
        ServerProcess { child, address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)) }
    }

    /// Where clients reach it.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its number for the system.
    pub fn id(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    /// kill -9.
    pub async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the server process of the other tests"]
async fn server_process() {
    let Some(directory) = std::env::var_os(POOL_VARIABLE) else { return };
    let pool = Pool::open(Path::new(&directory), PoolOptions::default()).await.unwrap();
    if pool.volume("kafka").is_err() {
        pool.volume_create(volume("kafka", true)).await.unwrap();
    }
    let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let config = Config { connections_max: 16_384, ..Config::default() };
    let service = Arc::new(Service::open(pool, config.service_options()).unwrap());
    let server = Server::bind(service, any_port, config).await.unwrap();
    println!("{LISTENS}{}", server.local_addr().port());
    server.run(std::future::pending()).await.unwrap();
}

#[tokio::test]
async fn an_open_file_without_a_name_outlives_a_kill() {
    let directory = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(directory.path()).await;
    let options = ClientOptions::new("broker");
    let broker = Client::mount(server.address, options.clone()).await.unwrap();
    let root_directory = root(&broker).await;
    let file = broker.files().create(&root_directory, "log").await.unwrap();
    let data = Bytes::from(vec![7; 100_000]);
    broker.files().write(&file, 0, data.clone(), StableHow::FileSync).await.unwrap();
    lock(&broker, &file).await.unwrap();
    broker.files().remove(&root_directory, "log").await.unwrap();
    server.kill().await;

    let server = ServerProcess::start(directory.path()).await;
    let broker = Client::connect(server.address, options).await.unwrap();
    let file = reclaim(&broker, &file.handle).await.unwrap();
    reclaim_lock(&broker, &file).await.unwrap();
    broker.reclaim_complete().await.unwrap();
    assert_eq!(broker.files().getattr(&file.handle).await.unwrap().numlinks, Some(0));
    assert_eq!(contents(&broker, &file).await, data[..1 << 16]);
    broker.files().write(&file, 100_000, data, StableHow::Unstable).await.unwrap();
    broker.files().commit(&file.handle).await.unwrap();
    broker.files().close(&file).await.unwrap();
    eventually("the orphan is freed", async || {
        let gone = broker.files().getattr(&file.handle).await.err();
        gone.and_then(|error| error.status()) == Some(Status::Stale)
    })
    .await;
    server.kill().await;

    let pool = Pool::open(directory.path(), PoolOptions::default()).await.unwrap();
    pool.reap_orphans().await.unwrap();
    eventually("the space is given back", async || {
        let space = pool.space().unwrap();
        (space.orphans, space.bytes_logical, space.inodes_used) == (0, 0, 1)
    })
    .await;
}

#[tokio::test]
async fn what_was_acknowledged_as_stable_is_there_after_a_kill_and_the_rest_is_known_to_be_lost() {
    let directory = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(directory.path()).await;
    let options = ClientOptions::new("broker");
    let broker = Client::mount(server.address, options.clone()).await.unwrap();
    let root_directory = root(&broker).await;
    let file = broker.files().create(&root_directory, "log").await.unwrap();
    let record = |number: u64| Bytes::from(number.to_be_bytes().repeat(125));
    let mut acknowledged = 0;
    let unstable = broker.files().create(&root_directory, "unstable").await.unwrap();
    let before = broker.files().write(&unstable, 0, record(1), StableHow::Unstable).await.unwrap();
    let mut server = Some(server);
    loop {
        let (files, data) = (broker.files(), record(acknowledged));
        if files.write(&file, acknowledged * 1000, data, StableHow::FileSync).await.is_err() {
            break;
        }
        acknowledged += 1;
        if acknowledged == 50
            && let Some(server) = server.take()
        {
            tokio::spawn(server.kill());
        }
    }

    let server = ServerProcess::start(directory.path()).await;
    let broker = Client::connect(server.address, options).await.unwrap();
    let file = reclaim(&broker, &file.handle).await.unwrap();
    let unstable = reclaim(&broker, &unstable.handle).await.unwrap();
    broker.reclaim_complete().await.unwrap();
    for number in 0..acknowledged {
        let (read, _) = broker.files().read(&file, number * 1000, 1000).await.unwrap();
        assert_eq!(read.0.concat(), record(number));
    }
    let after = broker.files().commit(&unstable.handle).await.unwrap();
    assert_ne!(after, before.writeverf, "the client sends again what it has not committed");
}

#[tokio::test]
async fn a_remove_cut_by_a_kill_has_happened_wholly_or_not_and_the_open_file_is_whole() {
    const FILES: u64 = 60;
    let directory = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(directory.path()).await;
    let options = ClientOptions::new("broker");
    let broker = Client::mount(server.address, options.clone()).await.unwrap();
    let root_directory = root(&broker).await;
    let name = |number: u64| format!("log-{number}");
    let content = |number: u64| Bytes::from(number.to_be_bytes().repeat(100));
    let mut open = Vec::new();
    for number in 0..FILES {
        let file = broker.files().create(&root_directory, &name(number)).await.unwrap();
        broker.files().write(&file, 0, content(number), StableHow::FileSync).await.unwrap();
        open.push(file);
    }
    let mut server = Some(server);
    let mut removed = 0;
    while removed < FILES && broker.files().remove(&root_directory, &name(removed)).await.is_ok() {
        removed += 1;
        if removed == FILES / 3
            && let Some(server) = server.take()
        {
            tokio::spawn(server.kill());
        }
    }

    let server = ServerProcess::start(directory.path()).await;
    let broker = Client::connect(server.address, options).await.unwrap();
    for (number, file) in (0..FILES).zip(&open) {
        let file = reclaim(&broker, &file.handle).await.unwrap();
        let links = broker.files().getattr(&file.handle).await.unwrap().numlinks.unwrap();
        let named = broker.files().lookup(&root_directory, &name(number)).await.ok();
        assert_eq!(
            named,
            (links == 1).then(|| file.handle.clone()),
            "file {number}: a name and a link, or neither"
        );
        assert!(links == 0 || number >= removed, "the REMOVE of file {number} was answered");
        assert!(links == 1 || number <= removed, "the REMOVE of file {number} was not sent");
        assert_eq!(contents(&broker, &file).await, content(number));
    }
    broker.reclaim_complete().await.unwrap();
    server.kill().await;
}
