//! A server that can be stopped and started again on the same pool, with a clock that tests move.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use forebay_nfs::{Config, Server, Shared};
use forebay_nfs_client::{Client, ClientOptions, Error, FileHandle};
use forebay_nfs_proto::rpc::message::{Call, PROCEDURE_COMPOUND};
use forebay_nfs_proto::rpc::{AuthSys, OpaqueAuth};
use forebay_nfs_proto::xdr::nfs4::{Operation, OperationResult, PutfhArgs};
use forebay_nfs_proto::xdr::{Encode, Encoder, Status};
use forebay_pool::{Pool, PoolOptions, VolumeSpec};
use forebay_service::{Clock, Service};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::recorder;

/// Where the volume is that every server has.
pub const VOLUME: &str = "/kafka";
/// How long a client may be silent.
pub const LEASE: Duration = Duration::from_secs(30);
/// How long it may be so beyond its lease, as long as nobody minds.
pub const COURTESY: Duration = Duration::from_secs(600);
/// How long clients have to come back after a restart.
pub const GRACE: Duration = Duration::from_secs(45);
/// No answer takes longer, unless something is wrong.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// A server and its pool's directory.
pub struct Daemon {
    directory: TempDir,
    clock: Clock,
    config: Config,
    running: Option<Running>,
}

struct Running {
    pool: Pool,
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Daemon {
    /// Starts a server on a new pool with one volume.
    pub async fn start() -> Daemon {
        Daemon::start_with(config()).await
    }

    /// Starts a server that behaves so, but for its times, on a new pool with one volume.
    pub async fn start_with(config: Config) -> Daemon {
        let directory = TempDir::new().expect("a temporary directory");
        let mut daemon = Daemon { directory, clock: Clock::manual(), config, running: None };
        let pool = daemon.open_pool().await;
        pool.volume_create(volume("kafka", true)).await.expect("a volume");
        daemon.run(pool).await;
        daemon
    }

    async fn open_pool(&self) -> Pool {
        Pool::open(self.directory.path(), PoolOptions::default()).await.expect("the pool opens")
    }

    async fn run(&mut self, pool: Pool) {
        let config = Config {
            lease_seconds: LEASE.as_secs() as u32,
            courtesy_seconds: COURTESY.as_secs() as u32,
            grace_seconds: GRACE.as_secs() as u32,
            clock: self.clock.clone(),
            ..self.config.clone()
        };
        let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let service = Arc::new(Service::open(pool.clone(), config.service_options()).expect("a service"));
        let server = Server::bind(service, any_port, config).await.expect("the server binds");
        let (address, shared) = (recorder::before(server.local_addr()).await, server.shared());
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            let stopped = async {
                let _ = stopped.await;
            };
            server.run(stopped).await.expect("the server runs");
        });
        self.running = Some(Running { pool, address, shared, stop, task });
    }

    /// Stops the server; clients lose their connections.
    pub async fn stop(&mut self) {
        let Running { pool, shared, stop, task, .. } = self.running.take().expect("it runs");
        let _ = stop.send(());
        tokio::time::timeout(DEADLINE, task).await.expect("in time").expect("the server ends");
        drop(shared);
        pool.close().await.expect("the pool closes");
    }

    /// Starts the server again, on the pool as it is.
    pub async fn start_again(&mut self) {
        let pool = self.open_pool().await;
        self.run(pool).await;
    }

    /// Stops the server and starts it again.
    pub async fn restart(&mut self) {
        self.stop().await;
        self.start_again().await;
    }

    fn running(&self) -> &Running {
        self.running.as_ref().expect("it runs")
    }

    /// Where clients reach the server. It changes with a restart.
    pub fn address(&self) -> SocketAddr {
        self.running().address
    }

    /// The pool.
    pub fn pool(&self) -> &Pool {
        &self.running().pool
    }

    /// What the server's operations share.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.running().shared
    }

    /// Lets time pass, and the server do what is due then.
    pub async fn pass(&self, time: Duration) {
        let mut rest = time;
        while !rest.is_zero() {
            let step = rest.min(Duration::from_secs(5));
            self.clock.advance(step);
            self.running().shared.state.sweep().await;
            rest -= step;
        }
    }

    /// Lets time pass in which the server does not run.
    pub fn halt(&self, time: Duration) {
        self.clock.advance(time);
    }

    /// Lets the leases of all but these clients run out, and a grace period.
    pub async fn expire_all_but(&self, alive: &[&Client]) {
        for _ in 0..3 {
            self.pass(LEASE / 2).await;
            for client in alive {
                client.renew().await.expect("its lease is good");
            }
        }
    }

    /// A client that has nothing to reclaim.
    pub async fn mount(&self, name: &str) -> Client {
        Client::mount(self.address(), ClientOptions::new(name)).await.expect("a client")
    }

    /// A client that has nothing to reclaim, and the volume's root directory.
    pub async fn mount_root(&self, name: &str) -> (Client, FileHandle) {
        let client = self.mount(name).await;
        let root = root(&client).await;
        (client, root)
    }

    /// A client that has not said whether it has anything to reclaim.
    pub async fn connect(&self, name: &str) -> Client {
        Client::connect(self.address(), ClientOptions::new(name)).await.expect("a client")
    }

    /// Orphans in the pool.
    pub fn orphans(&self) -> u64 {
        self.pool().space().expect("the pool knows its space").orphans
    }

    /// Waits until the pool has freed all orphans.
    pub async fn wait_until_no_orphan(&self) {
        eventually("orphans are freed", async || self.orphans() == 0).await;
    }
}

/// The defaults, but no request is held in a grace period, because only tests move the clock.
pub fn config() -> Config {
    Config { grace_hold_seconds: 0, ..Config::default() }
}

/// A volume that everyone may write to.
pub fn volume(name: &str, preserve_unlink: bool) -> VolumeSpec {
    VolumeSpec { preserve_unlink, mode: 0o777, ..VolumeSpec::new(name, &format!("/{name}")) }
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

/// The volume's root directory.
pub async fn root(client: &Client) -> FileHandle {
    client.files().resolve(VOLUME).await.expect("the volume is mounted")
}

/// The status with which something failed.
pub fn status<T: std::fmt::Debug>(outcome: Result<T, Error>) -> Status {
    outcome.expect_err("it should have failed").status().expect("it should have failed with a status")
}

/// PUTFH.
pub fn put(handle: &FileHandle) -> Operation {
    Operation::Putfh(PutfhArgs { object: handle.clone() })
}

/// Executes one operation on a filehandle, and returns its result.
pub async fn on(client: &Client, handle: &FileHandle, operation: Operation) -> OperationResult {
    let reply = client.try_compound([put(handle), operation]).await.expect("an answer");
    reply.results.into_iter().next_back().expect("the operation was executed")
}

/// A COMPOUND as a record, of version 4.2 and root.
pub fn compound(operations: &[Operation]) -> Vec<u8> {
    let mut out = Encoder::of(&Call::nfs(7, PROCEDURE_COMPOUND, OpaqueAuth::sys(&AuthSys::default())));
    Bytes::new().encode(&mut out);
    2u32.encode(&mut out);
    operations.to_vec().encode(&mut out);
    out.into_bytes().to_vec()
}
