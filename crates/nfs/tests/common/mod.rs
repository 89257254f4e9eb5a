//! A server on a pool of its own, with a clock that the test moves, and what tests ask of it.
#![allow(dead_code, reason = "every test file uses a part")]

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use forebay_nfs::{Clock, Config, Server, Shared};
use forebay_nfs_client::{Client, ClientOptions, FileHandle};
use forebay_pool::{Pool, PoolOptions, VolumeSpec};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// No answer takes longer, unless something is wrong.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// A server that runs.
pub struct TestServer {
    pub address: SocketAddr,
    pub clock: Clock,
    pub pool: Pool,
    pub shared: Arc<Shared>,
    config: Config,
    directory: Option<TempDir>,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<()>,
}

impl TestServer {
    /// On a pool in memory, with volume `kafka`.
    pub async fn start() -> TestServer {
        Self::start_with(Config::default()).await
    }

    /// On a pool in memory, with volume `kafka`, behaving so.
    pub async fn start_with(config: Config) -> TestServer {
        let pool = Pool::in_memory(PoolOptions::default()).await.unwrap();
        pool.volume_create(volume("kafka", true)).await.unwrap();
        Self::on(pool, None, config).await
    }

    /// On a pool on disk, with volume `kafka`, so that it can be restarted.
    pub async fn start_on_disk() -> TestServer {
        let directory = tempfile::tempdir().unwrap();
        let pool = Pool::open(directory.path(), PoolOptions::default()).await.unwrap();
        pool.volume_create(volume("kafka", true)).await.unwrap();
        Self::on(pool, Some(directory), Config::default()).await
    }

    async fn on(pool: Pool, directory: Option<TempDir>, config: Config) -> TestServer {
        let config = Config { clock: Clock::manual(), ..config };
        let clock = config.clock.clone();
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let server = Server::bind(pool.clone(), any, config.clone()).await.unwrap();
        let (address, shared) = (server.local_addr(), server.shared());
        let (stop, stopped) = oneshot::channel::<()>();
        let running = tokio::spawn(async move {
            let stopped = async move { drop(stopped.await) };
            server.run(stopped).await.unwrap();
        });
        TestServer { address, clock, pool, shared, config, directory, stop: Some(stop), running }
    }

    /// Stops the server, and starts another one on the same pool, which is opened anew. Only on disk.
    pub async fn restart(self) -> TestServer {
        let TestServer { shared, pool, config, directory, stop, running, .. } = self;
        drop(stop);
        tokio::time::timeout(DEADLINE, running).await.unwrap().unwrap();
        drop(shared);
        pool.close().await.unwrap();
        drop(pool);
        let directory = directory.expect("a pool on disk");
        let pool = Pool::open(directory.path(), PoolOptions::default()).await.unwrap();
        Self::on(pool, Some(directory), config).await
    }

    /// Stops the server in order.
    pub async fn stop(self) {
        drop(self.stop);
        tokio::time::timeout(DEADLINE, self.running).await.unwrap().unwrap();
    }

    /// A client of that name, with nothing to reclaim, and the root of volume `kafka`.
    pub async fn mount(&self, name: &str) -> (Client, FileHandle) {
        self.mount_with(ClientOptions::new(name)).await
    }

    /// A client, with nothing to reclaim, and the root of volume `kafka`.
    pub async fn mount_with(&self, options: ClientOptions) -> (Client, FileHandle) {
        let client = Client::mount(self.address, options).await.unwrap();
        let root = client.files().resolve("/kafka").await.unwrap();
        (client, root)
    }
}

/// A volume that everyone may write to.
pub fn volume(name: &str, preserve_unlink: bool) -> VolumeSpec {
    VolumeSpec {
        name: name.to_owned(),
        junction_path: format!("/{name}"),
        preserve_unlink,
        uid: 0,
        gid: 0,
        mode: 0o777,
    }
}

/// Waits until `condition` holds; fails after [`DEADLINE`].
pub async fn eventually(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    assert!(tokio::time::timeout(DEADLINE, waiting).await.is_ok(), "in vain: {what}");
}
