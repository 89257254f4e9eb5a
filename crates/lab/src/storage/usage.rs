//! The resources that a process and a folder use, as the kernel reports them.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use super::interface::Usage;

/// The unit of a file's block count, independent of the file system's block size.
const BLOCK_BYTES: u64 = 512;

/// A unit of the times in `/proc/PID/stat`: the kernel's `USER_HZ`, which is 100 on every system that the lab runs on.
const TICK: Duration = Duration::from_millis(10);

/// The memory of a process.
pub fn of_process(pid: u32) -> Result<Usage> {
    let read = |name: &str| {
        let path = format!("/proc/{pid}/{name}");
        fs::read_to_string(&path).with_context(|| format!("read {path}"))
    };
    let resident_kib = field(&read("status")?, "VmRSS").context("the kernel reports no VmRSS")?;
    Ok(Usage { resident: resident_kib.saturating_mul(1024) })
}

/// Processor time that a process and its threads have taken since its start.
pub fn cpu_of_process(pid: u32) -> Result<Duration> {
    let path = format!("/proc/{pid}/stat");
    let text = fs::read_to_string(&path).with_context(|| format!("read {path}"))?;
    cpu_in(&text).with_context(|| format!("{path} is not as expected"))
}

/// The sum of user's and system's time in a line of `/proc/PID/stat`. The program's name, in brackets, may hold anything.
fn cpu_in(stat: &str) -> Option<Duration> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    Some(TICK * user + TICK * system)
}

/// Whether a process has ended, even if it is not reaped yet.
pub fn process_has_ended(pid: u32) -> bool {
    match fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(text) => matches!(state_in(&text), None | Some("Z" | "X")),
        Err(_) => true,
    }
}

fn state_in(stat: &str) -> Option<&str> {
    stat.rsplit_once(')')?.1.split_whitespace().next()
}

/// The number in a line `name: number …`.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Bytes that the file system has allocated to a folder and all below it. Files that are removed meanwhile are not counted.
pub fn allocated_bytes(folder: &Path) -> Result<u64> {
    let entries = fs::read_dir(folder).with_context(|| format!("list {}", folder.display()))?;
    let mut bytes = 0u64;
    for entry in entries {
        let path = entry.with_context(|| format!("list {}", folder.display()))?.path();
        let own = match path.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            other => other.with_context(|| format!("stat {}", path.display()))?,
        };
        bytes = bytes.saturating_add(own.blocks().saturating_mul(BLOCK_BYTES));
        if own.is_dir() {
            bytes = bytes.saturating_add(allocated_bytes(&path)?);
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_program_does_not_confuse_its_times() {
        let stat = "12 (a) b) S 1 12 12 0 -1 4194560 1 0 0 0 150 50 0 0 20 0 9 0 1 2 3";
        assert_eq!(cpu_in(stat), Some(Duration::from_secs(2)));
        assert_eq!(cpu_in("12 (a"), None);
    }

    #[test]
    fn a_process_has_ended_before_anybody_asks_how() {
        assert!(!process_has_ended(std::process::id()));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let deadline = std::time::Instant::now() + Duration::from_secs(30);
        while !process_has_ended(child.id()) {
            assert!(std::time::Instant::now() < deadline, "it has not ended");
            std::thread::sleep(Duration::from_millis(5));
        }
        child.wait().unwrap();
        assert!(process_has_ended(child.id()));
    }

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let text = "wchar: 12\ncancelled_write_bytes: 7\nwrite_bytes: 4096\nVmRSS:\t  2048 kB\n";
        assert_eq!(field(text, "write_bytes"), Some(4096));
        assert_eq!(field(text, "VmRSS"), Some(2048));
        assert_eq!(field(text, "read_bytes"), None);
    }

    #[test]
    fn this_process_takes_memory() {
        assert!(of_process(std::process::id()).unwrap().resident > 100_000);
    }

    #[test]
    fn a_sparse_file_takes_what_was_written_and_not_its_length() {
        let folder = std::env::temp_dir().join(format!("forebay-lab-allocated-{}", std::process::id()));
        fs::create_dir_all(folder.join("below")).unwrap();
        let file = fs::File::create(folder.join("below/sparse")).unwrap();
        file.set_len(64 << 20).unwrap();
        let bytes = allocated_bytes(&folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert!(bytes < 1 << 20, "{bytes}");
    }
}
