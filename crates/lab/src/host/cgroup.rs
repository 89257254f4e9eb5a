//! Control groups (version 2) for the programs of native nodes: they count the processor time of all of a node's programs, including those that
//! have ended, and end all of them at once.
//!
//! That needs no controller, so none is enabled, and the machine's other groups stay unchanged.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// Time limit for the kernel to remove an ended process from its group.
const REMOVAL_PATIENCE: Duration = Duration::from_secs(10);

/// The control group of this process, as a folder; `None` if there is no version 2, or it is not writable.
pub fn own() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let root = mounts.lines().find_map(mount_point)?;
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    // `0::/path` is the line of version 2.
    let path = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let folder = Path::new(root).join(path);
    rustix::fs::access(&folder, rustix::fs::Access::WRITE_OK).ok()?;
    Some(folder)
}

/// The mount point of version 2, if a line of `/proc/self/mounts` has it.
fn mount_point(line: &str) -> Option<&str> {
    let mut words = line.split(' ').skip(1);
    let point = words.next()?;
    (words.next()? == "cgroup2").then_some(point)
}

/// A group with one node's programs. Dropping it ends them.
#[derive(Debug)]
pub struct CpuGroup {
    folder: PathBuf,
}

impl CpuGroup {
    /// Makes an empty group below another one.
    pub fn create(parent: &Path, name: &str) -> Result<Self> {
        let folder = parent.join(name);
        fs::create_dir(&folder).with_context(|| format!("make the control group {}", folder.display()))?;
        let group = Self { folder };
        // Not every kernel counts in every group.
        group.busy()?;
        Ok(group)
    }

    /// Adds a process, and with it everything that the process starts from now on.
    pub fn add(&self, pid: u32) -> Result<()> {
        let file = self.folder.join("cgroup.procs");
        fs::write(&file, pid.to_string())
            .with_context(|| format!("put process {pid} into {}", file.display()))
    }

    /// Processor time that its processes have taken so far, ended ones included.
    pub fn busy(&self) -> Result<Duration> {
        let file = self.folder.join("cpu.stat");
        let text = fs::read_to_string(&file).with_context(|| format!("read {}", file.display()))?;
        let usec = usage_usec(&text).with_context(|| format!("{} has no usage_usec", file.display()))?;
        Ok(Duration::from_micros(usec))
    }

    /// Kills its processes. Returns false if the kernel (before 5.14) does not support this.
    pub fn kill(&self) -> bool {
        fs::write(self.folder.join("cgroup.kill"), "1").is_ok()
    }
}

impl Drop for CpuGroup {
    fn drop(&mut self) {
        self.kill();
        // A remaining group is removed when the run ends.
        let _ = remove(&self.folder);
    }
}

fn usage_usec(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("usage_usec "))?.trim().parse().ok()
}

/// Removes a group and those below it, whose processes have ended or are ending; it may be missing.
pub fn remove(folder: &Path) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other.with_context(|| format!("list {}", folder.display()))?,
    };
    for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        remove(&entry.path())?;
    }
    let deadline = Instant::now() + REMOVAL_PATIENCE;
    loop {
        match fs::remove_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy && Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => return other.with_context(|| format!("remove the control group {}", folder.display())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_version_is_found_among_mounts() {
        assert_eq!(
            mount_point("cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0"),
            Some("/sys/fs/cgroup/unified")
        );
        assert_eq!(mount_point("cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0"), None);
    }

    #[test]
    fn the_time_is_found_by_its_whole_name() {
        assert_eq!(usage_usec("nr_usage_usec 7\nusage_usec 1234\nuser_usec 1000\n"), Some(1234));
        assert_eq!(usage_usec("user_usec 1000\n"), None);
    }

    /// Where the machine lets it make one.
    #[test]
    fn a_group_counts_what_its_processes_took_and_ends_them() {
        let Some(own) = own() else { return };
        let Ok(group) = CpuGroup::create(&own, &format!("forebay-lab-test-{}", std::process::id())) else {
            return;
        };
        let mut child = std::process::Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        group.add(child.id()).unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while group.busy().unwrap() < Duration::from_millis(50) {
            assert!(Instant::now() < deadline, "it counts nothing");
            std::thread::sleep(Duration::from_millis(10));
        }
        let folder = group.folder.clone();
        if !group.kill() {
            child.kill().unwrap();
        }
        child.wait().unwrap();
        drop(group);
        assert!(!folder.exists());
    }
}
