//! The rows of the load generator on the host: many streams, without a kernel client.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use rustix::fs::{Advice, fadvise};

use super::row::Row;
use crate::executable;
use crate::probe::LoadDone;
use crate::storage::HostServer;

/// A row of the result's table.
pub struct LoadRow {
    /// The fields that all rows have.
    pub row: Row,
    work: Work,
}

#[derive(Clone, Copy)]
enum Work {
    Append,
    Read,
    Replicas { unique: bool },
}

/// The names of the rows whose ratio is the gain from shared batches.
pub const REPLICAS: [&str; 2] = ["load_replicas_same_mb_per_s", "load_replicas_unique_mb_per_s"];

/// All rows.
pub const ROWS: &[LoadRow] = &[
    LoadRow {
        row: Row {
            part: "append-streams",
            name: "load_append_mb_per_s",
            title: "64 append streams",
            unit: "MB/s",
            ratio_min: 1.0,
            server_cpu_max: Some(4.2),
        },
        work: Work::Append,
    },
    LoadRow {
        row: Row {
            part: "readers",
            name: "load_read_mb_per_s",
            title: "16 readers",
            unit: "MB/s",
            ratio_min: 0.85,
            server_cpu_max: Some(0.85),
        },
        work: Work::Read,
    },
    LoadRow {
        row: Row {
            part: "streams-unlike",
            name: REPLICAS[1],
            title: "3 streams, unlike",
            unit: "MB/s",
            ratio_min: 1.0,
            server_cpu_max: Some(0.95),
        },
        work: Work::Replicas { unique: true },
    },
    LoadRow {
        row: Row {
            part: "replicas-alike",
            name: REPLICAS[0],
            title: "3 replicas, alike",
            unit: "MB/s",
            ratio_min: 1.3,
            server_cpu_max: Some(0.85),
        },
        work: Work::Replicas { unique: false },
    },
];

/// The seed of the files that are read.
const READ_SEED: u64 = 1;

impl LoadRow {
    /// Its description for the result's settings.
    pub fn settings(&self) -> &'static str {
        match self.work {
            Work::Append => {
                "64 files of 6 MiB of record batches, one session over 4 connections, unstable WRITEs of 32 KiB, a COMMIT \
                 after each 64 KiB that is waited for"
            }
            Work::Read => {
                "16 files of 96 MiB, each read once by its own stream with 2 READs of 1 MiB under way; the host's page cache \
                 is dropped for the server's files before"
            }
            Work::Replicas { unique: true } => {
                "3 sessions over 4 connections each, 192 MiB of record batches of its own for each, unstable WRITEs of 1 MiB, \
                 256 KiB and 700,000 bytes with 4 under way, a COMMIT after each 16 MiB"
            }
            Work::Replicas { unique: false } => "the same, but all three write the same record batches",
        }
    }

    /// Whether the row reads files that [`prepare`] writes.
    pub fn reads(&self) -> bool {
        matches!(self.work, Work::Read)
    }

    /// Measures the row once. `turn` makes the content differ from everything written before. `keeps_data` is whether a reader gets
    /// what was written.
    pub fn measure(&self, server: &HostServer, turn: u64, keeps_data: bool) -> Result<LoadDone> {
        let seed = (turn + READ_SEED + 1).to_string();
        match self.work {
            Work::Append => load(server, &seed, &["append"]),
            Work::Read => {
                forget(&server.data)?;
                let read: &[_] = if keeps_data { &["read"] } else { &["read", "--any-content"] };
                load(server, &READ_SEED.to_string(), read)
            }
            Work::Replicas { unique: true } => load(server, &seed, &["replicas", "--unique"]),
            Work::Replicas { unique: false } => load(server, &seed, &["replicas"]),
        }
    }
}

/// Writes the files of the readers.
pub fn prepare(server: &HostServer) -> Result<()> {
    load(server, &READ_SEED.to_string(), &["prepare-read"]).map(drop)
}

fn load(server: &HostServer, seed: &str, work: &[&str]) -> Result<LoadDone> {
    let output = Command::new(executable::lab()?)
        .args(["probe", "load", "--path", server.path, "--seed", seed])
        .args(["--server", &server.address.to_string(), "--server-pid", &server.pid.to_string()])
        .args(work)
        .output()
        .context("start the load generator")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the load generator failed ({}): {}", output.status, said.trim());
    serde_json::from_slice(&output.stdout).context("parse what the load generator printed")
}

/// Drops the files below a folder from the host's page cache, so that the next read comes from the disk.
fn forget(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("list {}", folder.display()))? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            forget(&path)?;
        } else if let Ok(file) = File::open(&path) {
            // Dirty pages stay cached; a file that is removed meanwhile is skipped.
            let _ = file.sync_data();
            let _ = fadvise(&file, 0, None, Advice::DontNeed);
        }
    }
    Ok(())
}
