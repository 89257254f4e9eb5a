//! Random operations on one file, each compared with a copy of the file in memory: the idea of the well-known program fsx.
//!
//! Reads go to the client's page cache unless it was dropped, so the client's copy is dropped now and then: what is compared then
//! comes from the server. Operations that the file system does not support are skipped from then on, and listed at the end.

mod operation;
mod work;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use serde::{Deserialize, Serialize};

use work::Work;

/// Between two lines that tell how far it is.
const REPORT_EVERY: Duration = Duration::from_secs(1);

/// Begins the lines that tell how many operations are done.
const PROGRESS: &str = "operations";

/// The arguments.
#[derive(Debug, Args)]
pub struct FsxArgs {
    /// A file; its content is replaced, and it stays
    file: PathBuf,
    /// Number of operations
    operations: u64,
    /// Seed of what is random
    seed: u64,
    /// The server may be killed meanwhile: do not rely on what Linux' NFS client does badly then
    #[arg(long)]
    server_restarts: bool,
}

/// The result that is printed at the end.
#[derive(Debug, Serialize, Deserialize)]
pub struct FsxDone {
    /// Operations done.
    pub operations: u64,
    /// How many of each kind, and how long they took together in milliseconds.
    pub kinds: Vec<(String, u64, u64)>,
    /// Bytes that were read and compared.
    pub compared_bytes: u64,
    /// Length of the file at the end.
    pub file_bytes: u64,
    /// Kinds of operations that the file system refused as not supported.
    pub unsupported: BTreeSet<String>,
}

/// How many operations are done, from what the probe printed so far.
pub fn operations_so_far(printed: &str) -> u64 {
    let count = |line: &str| line.strip_prefix(PROGRESS)?.trim().parse().ok();
    printed.lines().rev().find_map(count).unwrap_or(0)
}

/// What the probe printed at its end.
pub fn parse(printed: &str) -> Result<FsxDone> {
    let line = printed.lines().last().context("the probe printed nothing")?;
    serde_json::from_str(line).with_context(|| format!("the probe's last line is {line:?}"))
}

/// Does the operations, and fails at the first byte that is wrong.
pub fn run(args: &FsxArgs) -> Result<()> {
    let mut work = Work::start(&args.file, args.seed, args.server_restarts)?;
    let mut reported = Instant::now();
    for number in 0..args.operations {
        work.step().with_context(|| {
            format!("operation {number}, seed {}; the last of them: {}", args.seed, work.history())
        })?;
        if reported.elapsed() > REPORT_EVERY {
            println!("{PROGRESS} {}", number + 1);
            reported = Instant::now();
        }
    }
    let done = work.finish(args.operations)?;
    println!("{}", serde_json::to_string(&done)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correct_file_system_passes() {
        let file = std::env::temp_dir().join(format!("forebay-lab-fsx-right-{}", std::process::id()));
        run(&FsxArgs { file: file.clone(), operations: 3000, seed: 7, server_restarts: true }).unwrap();
        std::fs::remove_file(file).unwrap();
    }

    #[test]
    fn progress_and_result_are_found_among_the_lines() {
        assert_eq!(operations_so_far("operations 5\noperations 17\n"), 17);
        assert_eq!(operations_so_far(""), 0);
        assert!(parse("operations 5\n").is_err());
    }
}
