//! Random operations on one file, each compared with a copy of the file in memory, like the well-known program fsx.
//!
//! Reads come from the client's page cache. So the probe sometimes drops the cache, after which reads come from the server. When the
//! file system does not support an operation, the probe skips that operation from then on, and lists it at the end.

mod operation;
mod work;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use serde::{Deserialize, Serialize};

use work::Work;

/// The interval between two progress lines.
const REPORT_EVERY: Duration = Duration::from_secs(1);

/// The first word of a progress line. The number of operations done follows.
const PROGRESS: &str = "operations";

/// The arguments.
#[derive(Debug, Args)]
pub struct FsxArgs {
    /// The file to work on; its content is replaced, and it is not removed
    file: PathBuf,
    /// Number of operations
    operations: u64,
    /// Seed of the random numbers
    seed: u64,
    /// The server may be killed during the test: avoid the known faults of Linux's NFS client in that case
    #[arg(long)]
    server_restarts: bool,
}

/// The result that is printed at the end.
#[derive(Debug, Serialize, Deserialize)]
pub struct FsxDone {
    /// The number of operations done.
    pub operations: u64,
    /// For each kind of operation: its name, the number of operations, and their total time in milliseconds.
    pub kinds: Vec<(String, u64, u64)>,
    /// The number of bytes that were read and compared.
    pub compared_bytes: u64,
    /// The length of the file at the end.
    pub file_bytes: u64,
    /// Kinds of operations that the file system refused as not supported.
    pub unsupported: BTreeSet<String>,
}

/// The number of operations done, according to the probe's output so far.
pub fn operations_so_far(printed: &str) -> u64 {
    let count = |line: &str| line.strip_prefix(PROGRESS)?.trim().parse().ok();
    printed.lines().rev().find_map(count).unwrap_or(0)
}

/// The result in the probe's complete output.
pub fn parse(printed: &str) -> Result<FsxDone> {
    let line = printed.lines().last().context("the probe printed nothing")?;
    serde_json::from_str(line).with_context(|| format!("the probe's last line is {line:?}"))
}

/// Runs the operations. Fails at the first wrong byte.
pub fn run(args: &FsxArgs) -> Result<()> {
    let mut work = Work::start(&args.file, args.seed, args.server_restarts)?;
    let mut reported = Instant::now();
    for number in 0..args.operations {
        work.step().with_context(|| {
            format!("operation {number} with seed {}; last operations: {}", args.seed, work.history())
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
