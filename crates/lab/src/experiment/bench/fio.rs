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
            part: "sequential-write",
            name: "sequential_write_mb_per_s",
            title: "Sequential write",
            unit: "MB/s",
            ratio_min: 0.95,
            server_cpu_max: None,
        },
        work: Work::Write { bytes: LARGE_BYTES },
    },
    FioRow {
        row: Row {
            part: "sequential-read",
            name: "sequential_read_mb_per_s",
            title: "Sequential read",
            unit: "MB/s",
            ratio_min: 0.95,
            server_cpu_max: None,
        },
        work: Work::Read { bytes: LARGE_BYTES },
    },
    FioRow {
        row: Row {
            part: "append-4k",
            name: "append_4k_fsync_per_s",
            title: "Append 4 KiB + fsync",
            unit: "1/s",
            ratio_min: 0.95,
            server_cpu_max: None,
        },
        work: Work::Append { block_bytes: 4 << 10, count: 4096 },
    },
    FioRow {
        row: Row {
            part: "append-64k",
            name: "append_64k_fsync_per_s",
            title: "Append 64 KiB + fsync",
            unit: "1/s",
            ratio_min: 0.8,
            server_cpu_max: None,
        },
        work: Work::Append { block_bytes: 64 << 10, count: 2048 },
    },
    FioRow {
        row: Row {
            part: "create",
            name: "create_files_per_s",
            title: "Create files",
            unit: "1/s",
            ratio_min: 1.0,
            server_cpu_max: None,
        },
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

    /// The end of the name, and the unit, of the server's processor time.
    pub fn server_cpu(&self) -> (&'static str, &'static str) {
        match self.work {
            Work::Write { .. } | Work::Read { .. } => ("server_cpu_s_per_gb", "s/GB"),
            Work::Append { .. } | Work::Create { .. } => ("server_cpu_ms_per_operation", "ms"),
        }
    }

    /// The processor time in that unit.
    pub fn server_cpu_of(&self, time: Duration) -> f64 {
        match self.work {
            Work::Write { bytes } | Work::Read { bytes } => time.as_secs_f64() / (bytes as f64 / 1e9),
            Work::Append { count, .. } => time.as_secs_f64() * 1e3 / count as f64,
            Work::Create { count } => time.as_secs_f64() * 1e3 / f64::from(count),
        }
    }

    /// Prepares a folder of the guest for one measurement.
    pub fn prepare(&self, guest: &Guest, tools: &Toolbox, folder: &str) -> Result<()> {
        match self.work {
            Work::Write { .. } => remove(guest, &large(folder)),
            Work::Read { bytes } => {
                if !exists(guest, &large(folder))? {
                    write_large(guest, tools, folder, bytes)?;
                }
                guest.drop_caches()
            }
            Work::Append { .. } => remove(guest, &small(folder)),
            Work::Create { .. } => Ok(()),
        }
    }

    /// Measures it once in a folder of the guest.
    pub fn measure(&self, guest: &Guest, tools: &Toolbox, folder: &str) -> Result<f64> {
        match self.work {
            Work::Write { bytes } => Ok(write_large(guest, tools, folder, bytes)?.bytes_per_s / 1e6),
            Work::Read { bytes } => {
                let command = fio_command(tools, "read", &large(folder), BLOCK_BYTES, bytes);
                Ok(run_fio(guest, &command)?.bytes_per_s / 1e6)
            }
            Work::Append { block_bytes, count } => {
                let command = fio_command(tools, "write", &small(folder), block_bytes, block_bytes * count);
                Ok(run_fio(guest, &command.arg("--fsync=1"))?.operations_per_s)
            }
            Work::Create { count } => create(guest, &format!("{folder}/many"), count),
        }
    }
}

/// The file that is written and read sequentially.
fn large(folder: &str) -> String {
    format!("{folder}/large")
}

/// The file that blocks are appended to.
fn small(folder: &str) -> String {
    format!("{folder}/append")
}

fn write_large(guest: &Guest, tools: &Toolbox, folder: &str, bytes: u64) -> Result<Found> {
    let command = fio_command(tools, "write", &large(folder), BLOCK_BYTES, bytes);
    run_fio(guest, &command.arg("--end_fsync=1"))
}

/// fio's result of one job.
struct Found {
    bytes_per_s: f64,
    operations_per_s: f64,
}

/// No two blocks have the same content, so deduplication has no effect.
fn fio_command(tools: &Toolbox, rw: &str, file: &str, block_bytes: u64, bytes: u64) -> GuestCommand {
    GuestCommand::from_words(tools.words("usr/bin/fio"))
        .args(["--name=row", "--output-format=json", "--ioengine=psync", "--fallocate=none", "--thread"])
        .arg("--scramble_buffers=1")
        .arg(format!("--rw={rw}"))
        .arg(format!("--filename={file}"))
        .arg(format!("--bs={block_bytes}"))
        .arg(format!("--size={bytes}"))
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

fn exists(guest: &Guest, path: &str) -> Result<bool> {
    let script = r#"if [ -e "$1" ]; then echo yes; fi"#;
    let said = guest.run(&GuestCommand::new("sh").args(["-c", script, "sh", path]), PATIENCE)?;
    Ok(!said.trim().is_empty())
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
    fn processor_time_counts_by_gigabyte_or_by_operation() {
        let found = |part: &str, seconds| {
            let fio = ROWS.iter().find(|fio| fio.row.part == part).unwrap();
            let value = fio.server_cpu_of(Duration::from_secs(seconds));
            (fio.row.detail_name(fio.server_cpu().0), (value * 100.0).round() / 100.0)
        };
        assert_eq!(found("sequential-write", 3), ("sequential_write_server_cpu_s_per_gb".into(), 1.86));
        assert_eq!(found("append-4k", 3), ("append_4k_fsync_server_cpu_ms_per_operation".into(), 0.73));
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
