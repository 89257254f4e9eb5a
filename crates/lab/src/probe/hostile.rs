//! Hostile peers. Prints `ready` when the attack has started, and continues until the process is killed.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use bytes::Bytes;
use clap::{Args, ValueEnum};
use forebay_nfs_client::xdr::nfs4::StableHow;
use forebay_nfs_client::{Client, ClientOptions, Wire};
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The arguments.
#[derive(Debug, Args)]
pub struct HostileArgs {
    /// Address of the server
    #[arg(long)]
    server: SocketAddr,
    /// Path of the volume, from the server's root
    #[arg(long, default_value = "/kafka")]
    path: String,
    /// Kind of attack
    attack: Attack,
}

/// The kinds of attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Attack {
    /// Announce records of 2 GiB, on many connections
    Headers,
    /// Open 10,000 connections, and reopen those that the server closes
    Connections,
    /// Send 1,000 requests of 1 MiB, a byte a second
    Dribble,
    /// Write 1 MiB at a time over 16 connections, as fast as the server takes it
    Flood,
}

impl Attack {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Attack::Headers => "headers",
            Attack::Connections => "connections",
            Attack::Dribble => "dribble",
            Attack::Flood => "flood",
        }
    }
}

/// The record marker of a last fragment with this many bytes.
const fn header(bytes: u32) -> [u8; 4] {
    (0x8000_0000 | bytes).to_be_bytes()
}

const HEADER_2_GIB: [u8; 4] = header(0x7fff_ffff);
const HEADER_1_MIB: [u8; 4] = header(1 << 20);
/// The number of peers that announce records.
const ANNOUNCERS: usize = 8;
const CONNECTIONS: usize = 10_000;
/// The number of connections that are opened at the same time.
const OPENING: usize = 32;
const DRIBBLERS: usize = 1_000;
const FLOOD_CONNECTIONS: usize = 16;
const FLOOD_FILE_BYTES: u64 = 256 << 20;
const SECOND: Duration = Duration::from_secs(1);
/// Time limit for all peers to connect.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs the attack.
pub fn run(args: &HostileArgs) -> Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).context("raise the limit of open files")?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("start tokio")?;
    runtime.block_on(async {
        match args.attack {
            Attack::Headers => headers(args.server).await,
            Attack::Connections => connections(args.server).await,
            Attack::Dribble => dribble(args.server).await,
            Attack::Flood => flood(args).await,
        }
    })
}

fn say_ready() {
    println!("ready");
}

/// Waits until each peer has reached the server once. Each peer then adds a permit.
async fn all_have_reached_it(reached: &Semaphore, peers: usize) -> Result<()> {
    let all = u32::try_from(peers).context("too many peers")?;
    let Ok(permits) = timeout(PATIENCE, reached.acquire_many(all)).await else {
        let count = reached.available_permits();
        bail!("only {count} of {peers} peers reached the server within {} s", PATIENCE.as_secs());
    };
    permits?.forget();
    Ok(())
}

async fn headers(server: SocketAddr) -> Result<()> {
    let reached = Arc::new(Semaphore::new(0));
    let mut peers = JoinSet::new();
    for _ in 0..ANNOUNCERS {
        let reached = reached.clone();
        peers.spawn(async move {
            loop {
                if let Ok(mut wire) = Wire::connect(server).await {
                    reached.add_permits(1);
                    // Fails if the server has already closed the connection.
                    let _ = wire.send(&HEADER_2_GIB).await;
                    let _ = wire.send(&[0; 1000]).await;
                    let _ = wire.receive(10 * SECOND).await;
                }
                tokio::time::sleep(SECOND / 50).await;
            }
        });
    }
    all_have_reached_it(&reached, ANNOUNCERS).await?;
    say_ready();
    forever(peers).await
}

async fn connections(server: SocketAddr) -> Result<()> {
    let opening = Arc::new(Semaphore::new(OPENING));
    let reached = Arc::new(Semaphore::new(0));
    let mut peers = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let (opening, reached) = (opening.clone(), reached.clone());
        peers.spawn(async move {
            loop {
                let wire = {
                    let _turn = opening.acquire().await;
                    Wire::connect(server).await
                };
                match wire {
                    Ok(mut wire) => {
                        reached.add_permits(1);
                        while wire.receive(60 * SECOND).await.is_err() {}
                    }
                    Err(_) => tokio::time::sleep(SECOND).await,
                }
            }
        });
    }
    all_have_reached_it(&reached, CONNECTIONS).await?;
    say_ready();
    forever(peers).await
}

async fn dribble(server: SocketAddr) -> Result<()> {
    let reached = Arc::new(Semaphore::new(0));
    let mut peers = JoinSet::new();
    for _ in 0..DRIBBLERS {
        let reached = reached.clone();
        peers.spawn(async move {
            loop {
                if let Ok(mut wire) = Wire::connect(server).await
                    && wire.send(&HEADER_1_MIB).await.is_ok()
                {
                    reached.add_permits(1);
                    while wire.send(&[0]).await.is_ok() {
                        tokio::time::sleep(SECOND).await;
                    }
                }
                tokio::time::sleep(SECOND).await;
            }
        });
    }
    all_have_reached_it(&reached, DRIBBLERS).await?;
    say_ready();
    forever(peers).await
}

async fn flood(args: &HostileArgs) -> Result<()> {
    let owner = format!("flood of {}", std::process::id());
    let options = ClientOptions::new(&owner).connections(FLOOD_CONNECTIONS);
    let client = Arc::new(Client::mount(args.server, options).await.context("mount")?);
    let root = client.files().resolve(&args.path).await.context("find the volume")?;
    let file = client.files().create(&root, &owner).await.context("create a file")?;
    let data = Bytes::from(vec![0x5a; 1 << 20]);
    let mut writers = JoinSet::new();
    for number in 0..2 * FLOOD_CONNECTIONS as u64 {
        let (client, file, data) = (client.clone(), file.clone(), data.clone());
        writers.spawn(async move {
            let mut offset = number << 20;
            loop {
                let files = client.files();
                if files
                    .write(&file, offset % FLOOD_FILE_BYTES, data.clone(), StableHow::Unstable)
                    .await
                    .is_err()
                {
                    return;
                }
                offset += (2 * FLOOD_CONNECTIONS as u64) << 20;
            }
        });
    }
    tokio::time::sleep(SECOND).await;
    say_ready();
    forever(writers).await
}

async fn forever(mut peers: JoinSet<()>) -> Result<()> {
    while peers.join_next().await.is_some() {}
    Ok(())
}
