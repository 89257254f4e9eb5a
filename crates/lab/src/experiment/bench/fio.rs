//! The rows of one Linux client: fio in a guest, on the mounted storage.

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use super::row::Row;
use crate::host::{Guest, GuestCommand};
use crate::probe::{self, Created};
use crate::toolbox::Toolbox;

/// A row of the result's table.
pub struct FioRow {
    /// The fields that all rows have.
    pub row: Row,
    work: Work,
}

enum Work {
    /// The data rate at which fio writes a file. The file stays for the read that follows.
    Write { bytes: u64 },
    /// The data rate at which fio reads that file, without the client's cache.
    Read { bytes: u64 },
    /// The number of blocks per second that fio appends, with an fsync after each.
    Append { block_bytes: u64, count: u64 },
    /// The number of empty files created per second.
    Create { count: u32 },
}

const LARGE_BYTES: u64 = 1536 << 20;
const BLOCK_BYTES: u64 = 1 << 20;
const PATIENCE: Duration = Duration::from_secs(600);

/// All rows, in the order of their measurement: the read needs the file of the write.
pub const ROWS: &[FioRow] = &[
    FioRow {
        row: Row {
            name: "sequential_write_mb_per_s",
            title: "Sequential write",
            unit: "MB/s",
            ratio_min: 1.2,
        },
        work: Work::Write { bytes: LARGE_BYTES },
    },
    FioRow {
        row: Row { name: "sequential_read_mb_per_s", title: "Sequential read", unit: "MB/s", ratio_min: 1.1 },
        work: Work::Read { bytes: LARGE_BYTES },
    },
    FioRow {
        row: Row {
            name: "append_4k_fsync_per_s",
            title: "Append 4 KiB + fsync",
            unit: "1/s",
            ratio_min: 1.0,
        },
        work: Work::Append { block_bytes: 4 << 10, count: 4096 },
    },
    FioRow {
        row: Row {
            name: "append_64k_fsync_per_s",
            title: "Append 64 KiB + fsync",
            unit: "1/s",
            ratio_min: 1.2,
        },
        work: Work::Append { block_bytes: 64 << 10, count: 2048 },
    },
    FioRow {
        row: Row { name: "create_files_per_s", title: "Create files", unit: "1/s", ratio_min: 1.0 },
        work: Work::Create { count: 300 },
    },
];

impl FioRow {
    /// Its description for the result's settings.
    pub fn settings(&self) -> String {
        let mib = |bytes: u64| bytes >> 20;
        match self.work {
            Work::Write { bytes } => format!("{} MiB in 1 MiB blocks, fsync at the end", mib(bytes)),
            Work::Read { bytes } => {
                format!("{} MiB in 1 MiB blocks, client's cache dropped before", mib(bytes))
            }
            Work::Append { block_bytes, count } => {
                format!("{count} blocks of {} KiB, fsync after each", block_bytes >> 10)
            }
            Work::Create { count } => format!("{count} empty files, one after the other"),
        }
    }

    /// Measures it once in a folder of the guest.
    pub fn measure(&self, guest: &Guest, tools: &Toolbox, folder: &str) -> Result<f64> {
        let large = format!("{folder}/large");
        let small = format!("{folder}/append");
        let fio = |rw: &str, file: &str, block_bytes: u64, bytes: u64| {
            fio_command(tools, rw, file).arg(format!("--bs={block_bytes}")).arg(format!("--size={bytes}"))
        };
        match self.work {
            Work::Write { bytes } => {
                remove(guest, &large)?;
                let command = fio("write", &large, BLOCK_BYTES, bytes).arg("--end_fsync=1");
                Ok(run_fio(guest, &command)?.bytes_per_s / 1e6)
            }
            Work::Read { bytes } => {
                guest.drop_caches()?;
                Ok(run_fio(guest, &fio("read", &large, BLOCK_BYTES, bytes))?.bytes_per_s / 1e6)
            }
            Work::Append { block_bytes, count } => {
                remove(guest, &small)?;
                let command = fio("write", &small, block_bytes, block_bytes * count).arg("--fsync=1");
                Ok(run_fio(guest, &command)?.operations_per_s)
            }
            Work::Create { count } => create(guest, &format!("{folder}/many"), count),
        }
    }
}

/// fio's result of one job.
struct Found {
    bytes_per_s: f64,
    operations_per_s: f64,
}

/// No two blocks have the same content, so deduplication has no effect.
fn fio_command(tools: &Toolbox, rw: &str, file: &str) -> GuestCommand {
    GuestCommand::from_words(tools.words("usr/bin/fio"))
        .args(["--name=row", "--output-format=json", "--ioengine=psync", "--fallocate=none", "--thread"])
        .arg("--scramble_buffers=1")
        .arg(format!("--rw={rw}"))
        .arg(format!("--filename={file}"))
}

fn run_fio(guest: &Guest, command: &GuestCommand) -> Result<Found> {
    parse_fio(&guest.run(command, PATIENCE)?)
}

fn parse_fio(text: &str) -> Result<Found> {
    // fio may print notes before its JSON.
    let json = text.find('{').and_then(|start| text.get(start..)).context("fio printed no JSON")?;
    let json: Value = serde_json::from_str(json).context("parse what fio printed")?;
    let job = json.pointer("/jobs/0").context("fio's JSON has no job")?;
    let rate = |name: &str| -> Result<f64> {
        let of = |way: &str| job.pointer(&format!("/{way}/{name}")).and_then(Value::as_f64);
        let both = of("read").zip(of("write")).map(|(read, write)| read + write);
        both.filter(|rate| *rate > 0.0).with_context(|| format!("fio's JSON tells of no {name}"))
    };
    Ok(Found { bytes_per_s: rate("bw_bytes")?, operations_per_s: rate("iops")? })
}

fn remove(guest: &Guest, path: &str) -> Result<()> {
    guest.run(&GuestCommand::new("rm").args(["-f", path]), PATIENCE).map(drop)
}

fn create(guest: &Guest, folder: &str, count: u32) -> Result<f64> {
    let command = probe::guest_command(&["create", folder, &count.to_string()])?;
    let created: Created = serde_json::from_str(&guest.run(&command, PATIENCE)?)?;
    Ok(f64::from(count) / (created.elapsed_us as f64 / 1e6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_taken_from_the_job_fio_ran() {
        let text = "note: both iodepth >= 1\n{\"jobs\": [{\"read\": {\"bw_bytes\": 0, \"iops\": 0.0}, \
                    \"write\": {\"bw_bytes\": 4096000, \"iops\": 1000.5}}]}";
        let found = parse_fio(text).unwrap();
        assert_eq!((found.bytes_per_s, found.operations_per_s), (4_096_000.0, 1000.5));
        assert!(parse_fio("fio: pid=0, err=28").is_err());
    }

    #[test]
    fn a_job_without_its_figures_is_an_error() {
        let idle = r#"{"jobs": [{"read": {"bw_bytes": 0, "iops": 0}, "write": {"bw_bytes": 0, "iops": 0}}]}"#;
        let renamed = r#"{"jobs": [{"read": {"bw": 1, "iops": 1}, "write": {"bw": 1, "iops": 1}}]}"#;
        for text in [idle, renamed] {
            assert!(parse_fio(text).is_err(), "{text}");
        }
    }
}
