//! The folders a run makes outside its results, and their removal, also by a later run.
//!
//! Processes, network and mounts of a run are in namespaces that the kernel takes down; what can stay behind after a kill -9
//! of the supervisor are two folders. Each run notes in its state folder which process owns it (pid and start time, since
//! pids come again); the next run removes the folders of owners that are gone.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// Holds one folder per run: short, free of spaces, emptied at boot.
const STATE_ROOT: &str = "/run/forebay-lab";

const OWNER_FILE: &str = "owner.json";

/// The folders of one run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunFolders {
    /// For what is small: configurations, sockets, pid files.
    pub state: PathBuf,
    /// For what is large: disk images, a server's data.
    pub scratch: PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
struct Owner {
    pid: u32,
    /// Field 22 of /proc/PID/stat, in clock ticks since boot.
    start_ticks: u64,
    scratch: PathBuf,
}

impl RunFolders {
    /// Makes the folders of a run that this process owns.
    pub fn create(cache: &Path) -> Result<Self> {
        let pid = std::process::id();
        let name = format!("forebay-lab-{pid}");
        let folders =
            Self { state: Path::new(STATE_ROOT).join(&name), scratch: cache.join("runs").join(&name) };
        let start_ticks = start_ticks(pid).context("read this process's own start time from /proc")?;
        // Of an earlier process with the same pid; it is gone, since this one has the pid.
        folders.remove()?;
        fs::create_dir_all(&folders.state).with_context(|| format!("make {}", folders.state.display()))?;
        let owner = Owner { pid, start_ticks, scratch: folders.scratch.clone() };
        let path = folders.state.join(OWNER_FILE);
        fs::write(&path, serde_json::to_vec(&owner)?).with_context(|| format!("write {}", path.display()))?;
        fs::create_dir_all(&folders.scratch)
            .with_context(|| format!("make {}", folders.scratch.display()))?;
        Ok(folders)
    }

    /// Where the worker leaves its result for the supervisor.
    pub fn worker_result(&self) -> PathBuf {
        self.state.join("result.json")
    }

    /// Removes both folders; the one that names the other goes last.
    pub fn remove(&self) -> Result<()> {
        for folder in [&self.scratch, &self.state] {
            match fs::remove_dir_all(folder) {
                Ok(()) => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(error).with_context(|| format!("remove {}", folder.display())),
            }
        }
        Ok(())
    }
}

/// Removes the folders of runs whose owner is gone; returns the names of those runs.
pub fn remove_abandoned() -> Vec<String> {
    let Ok(entries) = fs::read_dir(STATE_ROOT) else { return Vec::new() };
    let abandoned = entries.flatten().filter_map(|entry| {
        let state = entry.path();
        let owner: Owner = serde_json::from_slice(&fs::read(state.join(OWNER_FILE)).ok()?).ok()?;
        if start_ticks(owner.pid) == Some(owner.start_ticks) {
            return None;
        }
        RunFolders { state, scratch: owner.scratch }.remove().ok()?;
        Some(entry.file_name().to_string_lossy().into_owned())
    });
    abandoned.collect()
}

/// When a process started; `None` if there is none with this pid.
fn start_ticks(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the program's name in parentheses, which may itself hold both spaces and parentheses.
    let after_name = stat.rsplit_once(") ")?.1;
    after_name.split(' ').nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_pid_and_start_time() {
        assert_eq!(start_ticks(std::process::id()), start_ticks(std::process::id()));
        assert!(start_ticks(std::process::id()).is_some());
        assert_eq!(start_ticks(u32::MAX), None);
    }
}
