//! This machine, the limits of the daemon's process, and the files in the pool's directory. Nothing is opened
//! for writing.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};

use super::{Contents, output_of, read};
use crate::config::Config;

/// The unit whose journal is collected, and the number of lines without and with `--logs`.
const UNIT: &str = "forebay.service";
const LINES: &str = "500";
const LINES_WITH_LOGS: &str = "100000";

/// Collects everything that is available without the daemon.
pub fn look(contents: &mut Contents, config: Option<&Config>, daemon: Option<u32>, logs: bool) {
    for (name, path) in [
        ("host/os-release.txt", "/etc/os-release"),
        ("host/kernel.txt", "/proc/version"),
        ("host/memory.txt", "/proc/meminfo"),
        ("host/load.txt", "/proc/loadavg"),
        ("host/uptime.txt", "/proc/uptime"),
        ("host/pressure-io.txt", "/proc/pressure/io"),
        ("host/pressure-memory.txt", "/proc/pressure/memory"),
    ] {
        contents.add(name, read(Path::new(path)));
    }
    contents.add("host/processors.txt", processors());
    match daemon {
        Some(process) => {
            for what in ["limits", "status", "io"] {
                contents.add(
                    &format!("process/{what}.txt"),
                    read(&PathBuf::from(format!("/proc/{process}/{what}"))),
                );
            }
        }
        None => contents.add(
            "process/",
            Err(anyhow!("the daemon's process is unknown: it did not answer on the admin socket")),
        ),
    }
    match config {
        Some(config) => look_at_pool(contents, &config.pool.directory),
        None => {
            contents.add("pool/", Err(anyhow!("the configuration is invalid, so its directory is unknown")))
        }
    }
    contents.add("log/unit.txt", output_of("systemctl", &["show", "--no-pager", UNIT]));
    let lines = if logs { LINES_WITH_LOGS } else { LINES };
    contents.add(
        "log/journal.txt",
        output_of(
            "journalctl",
            &["--no-pager", "--quiet", "--output=short-iso", "--unit", UNIT, "--lines", lines],
        ),
    );
}

/// The CPU model and the number of CPUs.
fn processors() -> Result<Vec<u8>> {
    let text = String::from_utf8_lossy(&read(Path::new("/proc/cpuinfo"))?).into_owned();
    let models: Vec<&str> = text.lines().filter(|line| line.starts_with("model name")).collect();
    let model = models.first().and_then(|line| line.split(": ").nth(1)).unwrap_or("unknown model");
    let allowed = std::thread::available_parallelism().map_or(0, usize::from);
    Ok(format!("{model}\nprocessors: {}\nusable by this process: {allowed}\n", models.len()).into_bytes())
}

fn look_at_pool(contents: &mut Contents, directory: &Path) {
    contents.add("pool/format.txt", read(&directory.join("FORMAT")));
    contents.add("pool/files.txt", files(directory));
    contents.add("pool/file-system.txt", file_system(directory));
}

/// Every file with its size. Segments can be very many, so they are summarised by number and size.
fn files(directory: &Path) -> Result<Vec<u8>> {
    let mut text = format!("{}\n", directory.display());
    for entry in entries(directory)? {
        let metadata = fs::symlink_metadata(&entry)?;
        let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
        text.push_str(&format!(
            "{name}: {} bytes, owner {}:{}, mode {:o}\n",
            metadata.len(),
            metadata.uid(),
            metadata.gid(),
            metadata.mode() & 0o7777
        ));
        if metadata.is_dir() {
            text.push_str(&summary(&entry)?);
        }
    }
    Ok(text.into_bytes())
}

/// The number of files below a folder, their size, and their space on the disk.
fn summary(folder: &Path) -> Result<String> {
    let (mut count, mut bytes, mut blocks, mut largest) = (0_u64, 0_u64, 0_u64, 0_u64);
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in entries(&folder)? {
            // The daemon may have removed the file meanwhile.
            let Ok(metadata) = fs::symlink_metadata(&entry) else { continue };
            if metadata.is_dir() {
                folders.push(entry);
                continue;
            }
            count = count.saturating_add(1);
            bytes = bytes.saturating_add(metadata.len());
            blocks = blocks.saturating_add(metadata.blocks());
            largest = largest.max(metadata.len());
        }
    }
    let disk = blocks.saturating_mul(512);
    Ok(format!("  {count} files below it, {bytes} bytes, {disk} on the disk, the largest {largest}\n"))
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let listed = fs::read_dir(folder).map_err(|error| anyhow!("{}: {error}", folder.display()))?;
    let mut paths = listed.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// The pool's file system: device, type, options, space.
fn file_system(directory: &Path) -> Result<Vec<u8>> {
    let directory =
        fs::canonicalize(directory).map_err(|error| anyhow!("{}: {error}", directory.display()))?;
    let mounts = String::from_utf8_lossy(&read(Path::new("/proc/self/mounts"))?).into_owned();
    let mount = mounts
        .lines()
        .filter(|line| line.split(' ').nth(1).is_some_and(|point| directory.starts_with(point)))
        .max_by_key(|line| line.split(' ').nth(1).map(str::len));
    let room =
        rustix::fs::statvfs(&directory).map_err(|error| anyhow!("{}: {error}", directory.display()))?;
    let bytes = |blocks: u64| blocks.saturating_mul(room.f_frsize);
    Ok(format!(
        "{}\nbytes: {}\nfree: {}\nfree for the daemon: {}\nfiles free: {}\n",
        mount.unwrap_or("unknown mount"),
        bytes(room.f_blocks),
        bytes(room.f_bfree),
        bytes(room.f_bavail),
        room.f_favail
    )
    .into_bytes())
}
