//! A load generator that speaks NFSv4.1 itself, so that one process can drive many streams at little cost: without a kernel
//! client, a cache or a guest.
//!
//! There are three workloads ([`append`], [`read`], [`replicas`]), and a client that does very little ([`light`]). Each has sessions over
//! several connections and a bounded number of requests in flight. All content is generated before the measurement starts, and is sent
//! without being copied. The result ([`LoadDone`]) has the amount of data, the time, the latency, and the processor time of both sides.

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
    /// Folder for the files, below the path; created if it does not exist
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
    /// Append Kafka's record batches to many files, with unstable writes and a COMMIT after some of them
    Append(append::AppendArgs),
    /// Do one small step after another, like a client with little to do
    Light(light::LightArgs),
    /// Write files for the readers, so that the read itself writes nothing
    PrepareRead(read::ReadArgs),
    /// Read many files at the same time, each from beginning to end
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
    /// The median latency of an operation, in microseconds.
    pub latency_us_p50: u64,
    /// The 99th percentile of the latency of an operation, in microseconds.
    pub latency_us_p99: u64,
    /// The processor time of this process during the measurement, in seconds.
    pub client_cpu_s: f64,
    /// The processor time of the server during the measurement, in seconds, if its process was named.
    pub server_cpu_s: Option<f64>,
}

/// Runs the load, and prints the result.
pub fn run(args: &LoadArgs) -> Result<()> {
    // One thread, so that the load leaves the other processors to the server.
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
