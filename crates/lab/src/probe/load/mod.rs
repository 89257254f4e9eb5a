//! A load generator that speaks NFSv4.1 itself, so that many streams can be driven from one process at little cost: no kernel
//! client, no cache, no guest.
//!
//! Three workloads ([`append`], [`read`], [`replicas`]), and a client that hardly does anything ([`light`]), each with sessions over several connections and a bounded number of
//! requests under way. All content is made before the clock starts and is sent without being copied. What is printed at the end
//! ([`LoadDone`]) says how much, how fast, how long each operation took, and what it cost in processor time on both sides.

mod append;
mod content;
mod light;
mod meter;
mod read;
mod replicas;
mod target;

use std::net::SocketAddr;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};

use target::Target;

/// The arguments.
#[derive(Debug, Args)]
pub struct LoadArgs {
    /// Address of the server
    #[arg(long)]
    server: SocketAddr,
    /// Path of the volume or export, from the server's root
    #[arg(long, default_value = "/kafka")]
    path: String,
    /// Folder for the files, below the path; made if it is not there
    #[arg(long, default_value = "load")]
    folder: String,
    /// TCP connections for each session
    #[arg(long, default_value_t = 4)]
    connections: usize,
    /// Process of the server on this machine, to measure its processor time
    #[arg(long)]
    server_pid: Option<u32>,
    /// Seed of the content
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(subcommand)]
    work: Work,
}

/// The kinds of work.
#[derive(Debug, Subcommand)]
pub enum Work {
    /// Append Kafka's record batches to many files, each with unstable writes and a commit after some of them
    Append(append::AppendArgs),
    /// Do one small step after the other, as a client with little to do
    Light(light::LightArgs),
    /// Write files for the readers, so that the read itself writes nothing
    PrepareRead(read::ReadArgs),
    /// Read many files at the same time, each from its begin to its end
    Read(read::ReadArgs),
    /// Write three streams of record batches, as three brokers would
    Replicas(replicas::ReplicasArgs),
}

/// The result that is printed at the end.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct LoadDone {
    /// Bytes written or read.
    pub bytes: u64,
    /// Time from the first request to the last answer, in microseconds.
    pub elapsed_us: u64,
    /// Operations measured: an append with its commit, a READ, a WRITE.
    pub operations: u64,
    /// Half of the operations took no longer than this, in microseconds.
    pub latency_us_p50: u64,
    /// 99 of 100 operations took no longer than this, in microseconds.
    pub latency_us_p99: u64,
    /// Processor time of this process meanwhile, in seconds.
    pub client_cpu_s: f64,
    /// Processor time of the server meanwhile, in seconds, if its process was named.
    pub server_cpu_s: Option<f64>,
}

/// Does it, and prints what was measured.
pub fn run(args: &LoadArgs) -> Result<()> {
    // One thread: the load is to leave the processor to the server.
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("start tokio")?;
    let done = runtime.block_on(work(args))?;
    println!("{}", serde_json::to_string(&done)?);
    Ok(())
}

async fn work(args: &LoadArgs) -> Result<LoadDone> {
    let target = Target {
        server: args.server,
        path: args.path.clone(),
        folder: args.folder.clone(),
        connections: args.connections,
        server_pid: args.server_pid,
        seed: args.seed,
    };
    match &args.work {
        Work::Append(work) => append::run(&target, work).await,
        Work::Light(work) => light::run(&target, work).await,
        Work::PrepareRead(work) => read::prepare(&target, work).await,
        Work::Read(work) => read::run(&target, work).await,
        Work::Replicas(work) => replicas::run(&target, work).await,
    }
}
