//! Measures how long it takes to create many files.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use serde::{Deserialize, Serialize};

/// The arguments.
#[derive(Debug, Args)]
pub struct CreateArgs {
    /// A folder that does not exist yet; it is removed at the end
    folder: PathBuf,
    /// Number of files
    count: u32,
}

/// The result that is printed at the end.
#[derive(Debug, Serialize, Deserialize)]
pub struct Created {
    /// The time to create all files, one after the other, in microseconds.
    pub elapsed_us: u64,
}

/// Creates the files, prints the time, and removes them.
pub fn run(args: &CreateArgs) -> Result<()> {
    fs::create_dir(&args.folder).with_context(|| format!("make {}", args.folder.display()))?;
    let start = Instant::now();
    for index in 0..args.count {
        let path = args.folder.join(format!("{index:06}.log"));
        File::create_new(&path).with_context(|| format!("create {}", path.display()))?;
    }
    let elapsed_us = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
    println!("{}", serde_json::to_string(&Created { elapsed_us })?);
    fs::remove_dir_all(&args.folder).with_context(|| format!("remove {}", args.folder.display()))
}
