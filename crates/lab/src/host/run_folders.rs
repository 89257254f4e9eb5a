//! The folders that a run creates besides its results, and their removal, also by a later run.
//!
//! Processes, network and mounts of a run are in namespaces that the kernel removes. After a kill -9 of the supervisor, folders can remain: two
//! of the lab's own, one in each storage `mount:DIR`, and a control group; and, after a run on an existing cluster, topics. Each run records in
//! its state folder the objects that it will create and the process that owns them (pid and start time, because pids are reused). The next run
//! removes the objects of processes that have ended.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::cgroup;
use crate::request::{ClusterAddress, ExternalCluster};

/// Holds one folder per run. The path is short and has no spaces, and its file system is empty after a boot.
const STATE_ROOT: &str = "/run/forebay-lab";

/// Holds a folder of a run that other users can reach. Its file system is on a disk.
const PUBLIC_ROOT: &str = "/var/tmp";

const OWNER_FILE: &str = "owner.json";

/// Time limit for the removal of a folder: an NFS client keeps a `.nfs…` file there until shortly after the last process that had it open
/// has ended.
const REMOVAL_PATIENCE: Duration = Duration::from_secs(20);

/// The folders of one run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunFolders {
    /// For small files: configurations, sockets, pid files.
    pub state: PathBuf,
    /// For large files: disk images, a server's data.
    pub scratch: PathBuf,
    /// For programs that run as a user of their own, who may not reach the scratch folder. Made when it is needed.
    #[serde(default)]
    pub public: PathBuf,
    /// The run's folders in storages `mount:DIR`.
    in_storages: Vec<PathBuf>,
    /// The control group above those of the native nodes.
    cgroup: Option<PathBuf>,
    /// The cluster that the lab did not start, where the run makes topics. The field has the name that older versions wrote.
    #[serde(rename = "visit")]
    external: Option<ExternalCluster>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Owner {
    pid: u32,
    /// Field 22 of /proc/PID/stat, in clock ticks since boot.
    start_ticks: u64,
    folders: RunFolders,
}

impl RunFolders {
    /// Creates the folders of a run that this process owns, one of them in each of `storages`, which are storages `mount:DIR`.
    pub fn create(cache: &Path, storages: &[&Path], cluster: Option<&ClusterAddress>) -> Result<Self> {
        let pid = std::process::id();
        let name = format!("forebay-lab-{pid}");
        let start_ticks = start_ticks(pid).context("read this process's own start time from /proc")?;
        // Several machines can share a storage or a cluster, and pids are reused.
        let own_name = format!("{name}-{start_ticks}-{}", boot_id()?);
        let in_storages = storages.iter().map(|folder| folder.join(&own_name)).collect();
        let cgroup = cgroup::own().filter(|_| !storages.is_empty()).map(|own| own.join(&name));
        let state = state_root(cache).join(&name);
        let external = cluster.map(|cluster| ExternalCluster {
            cluster: cluster.clone(),
            topic_prefix: own_name,
            cache: cache.to_owned(),
            mark: state.join("visiting"),
        });
        let (scratch, public) = (cache.join("runs").join(&name), Path::new(PUBLIC_ROOT).join(&name));
        let folders = Self { state, scratch, public, in_storages, cgroup, external };
        // They belonged to an earlier process with the same pid, which must have ended.
        for folder in [&folders.scratch, &folders.state] {
            remove_tree(folder)?;
        }
        make(&folders.state)?;
        let owner = Owner { pid, start_ticks, folders };
        let path = owner.folders.state.join(OWNER_FILE);
        fs::write(&path, serde_json::to_vec(&owner)?).with_context(|| format!("write {}", path.display()))?;
        owner.folders.make_noted()
    }

    /// Creates what the state folder now records.
    fn make_noted(mut self) -> Result<Self> {
        make(&self.scratch)?;
        // Without a control group, processor time is read from /proc.
        self.cgroup = self.cgroup.filter(|folder| fs::create_dir(folder).is_ok());
        for (index, folder) in self.in_storages.iter().enumerate() {
            // An existing folder is an error: it would be removed at the end with all of its content.
            if let Err(error) = fs::create_dir(folder) {
                let context = format!("make {}", folder.display());
                self.in_storages.truncate(index);
                self.remove()?;
                return Err(error).context(context);
            }
        }
        Ok(self)
    }

    /// The file in which the worker leaves its result for the supervisor.
    pub fn worker_result(&self) -> PathBuf {
        self.state.join("result.json")
    }

    /// The file in which the worker records the stage that the experiment is at.
    pub fn stage(&self) -> PathBuf {
        self.state.join("stage")
    }

    /// The run's folder in a storage `mount:DIR`.
    pub fn in_storage(&self, storage: &Path) -> Option<&Path> {
        self.in_storages.iter().map(PathBuf::as_path).find(|folder| folder.parent() == Some(storage))
    }

    /// The run's control group, if it has one.
    pub fn cgroup(&self) -> Option<&Path> {
        self.cgroup.as_deref()
    }

    /// The cluster that the lab did not start, where the run makes topics.
    pub fn external(&self) -> Option<&ExternalCluster> {
        self.external.as_ref()
    }

    /// Removes all folders, the one that names the others last.
    pub fn remove(&self) -> Result<()> {
        self.cgroup.as_deref().map_or(Ok(()), cgroup::remove)?;
        self.in_storages.iter().try_for_each(|folder| remove_tree(folder))?;
        remove_tree(&self.scratch)?;
        if self.public.is_absolute() {
            remove_tree(&self.public)?;
        }
        remove_tree(&self.state)
    }
}

fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))
}

/// Removes a folder and its content, if it exists.
fn remove_tree(folder: &Path) -> Result<()> {
    let deadline = Instant::now() + REMOVAL_PATIENCE;
    loop {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) if may_pass(&error) && Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(100));
            }
            other => return other.with_context(|| format!("remove {}", folder.display())),
        }
    }
}

fn may_pass(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::ResourceBusy)
}

/// A run whose process has ended without cleaning up.
#[derive(Debug)]
pub struct Abandoned {
    /// Its name.
    pub name: String,
    /// The folder that records what the run left behind. Without it, later runs do not know of it.
    pub noted_in: PathBuf,
    /// What the run left behind.
    pub folders: RunFolders,
}

/// The runs whose process has ended without cleaning up.
pub fn abandoned(cache: &Path) -> Vec<Abandoned> {
    let Ok(entries) = fs::read_dir(state_root(cache)) else { return Vec::new() };
    let abandoned = entries.flatten().filter_map(|entry| {
        let owner: Owner = serde_json::from_slice(&fs::read(entry.path().join(OWNER_FILE)).ok()?).ok()?;
        if start_ticks(owner.pid) == Some(owner.start_ticks) {
            return None;
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        Some(Abandoned { name, noted_in: entry.path(), folders: owner.folders })
    });
    abandoned.collect()
}

/// The directory of the runs' state folders. A run on an existing cluster does not need root, so any user must be able to create its folder.
fn state_root(cache: &Path) -> PathBuf {
    if rustix::process::geteuid().is_root() { STATE_ROOT.into() } else { cache.join("state") }
}

/// Identifies this boot of this machine.
fn boot_id() -> Result<String> {
    const FILE: &str = "/proc/sys/kernel/random/boot_id";
    let id = fs::read_to_string(FILE).with_context(|| format!("read {FILE}"))?;
    Ok(id.chars().take_while(char::is_ascii_hexdigit).collect())
}

/// When the process with this pid started; `None` if there is none.
fn start_ticks(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the program's name in parentheses, and can itself contain spaces and parentheses.
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
