//! Whether two machines can share a pool's directory at all.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock, statfs};

/// File systems that several machines can mount at a time, by the number that `statfs` tells.
const CLUSTER_FILE_SYSTEMS: &[(u64, &str)] = &[
    (0x0116_1970, "gfs2"),
    (0x7461_636f, "ocfs2"),
    (0x6969, "nfs"),
    (0x00c3_6400, "ceph"),
    (0x0bd0_0bd0, "lustre"),
    (0x4750_4653, "gpfs"),
    (0x1983_0326, "beegfs"),
];

/// Mount options with which locks are this machine's own.
const LOCAL_LOCKS: &[&str] = &["nolock", "local_lock=flock", "local_lock=all", "localflocks"];

/// The file whose lock is tried.
const TRIAL_FILE: &str = "lock-trial";

/// Why a directory cannot be shared.
#[derive(Debug, thiserror::Error)]
pub enum DirectoryError {
    /// There is no pool.
    #[error(
        "there is no pool in {}: mount the shared file system, or create the pool first by starting once without --standby",
        .0.display()
    )]
    NoPool(PathBuf),
    /// It cannot be used.
    #[error("{}: cannot {action}: {source}", directory.display())]
    Io {
        /// The directory.
        directory: PathBuf,
        /// What was tried.
        action: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// It is on a file system for one machine.
    #[error(
        "{} is on a file system that only one machine may mount ({kind}), so a standby must not use it: put the pool on a \
         cluster file system (gfs2, ocfs2, cephfs, NFS), or let a cluster manager mount it and start the daemon without \
         --standby",
        directory.display()
    )]
    OneMachine {
        /// The directory.
        directory: PathBuf,
        /// Its file system.
        kind: String,
    },
    /// Locks on it are not the other machines'.
    #[error(
        "locks on {} do not work between machines ({cause}): mount the file system with locks that its other clients see",
        directory.display()
    )]
    Locks {
        /// The directory.
        directory: PathBuf,
        /// What was seen.
        cause: String,
    },
}

/// Checks that the directory holds a pool, can be written to, and is on a file system that several machines can share, with locks. With
/// `any_file_system` the kind of file system is not checked, for several daemons on one machine.
pub fn check_directory(directory: &Path, any_file_system: bool) -> Result<(), DirectoryError> {
    let io = |action| move |source| DirectoryError::Io { directory: directory.to_owned(), action, source };
    require_pool(directory)?;
    if !any_file_system {
        let kind = statfs(directory).map_err(|error| io("find out its file system")(error.into()))?.f_type;
        // The field's width and sign depend on the architecture.
        let kind = u64::try_from(kind).unwrap_or(u64::MAX) & 0xffff_ffff;
        if !CLUSTER_FILE_SYSTEMS.iter().any(|(known, _)| *known == kind) {
            let kind = mount_of(directory).map_or_else(|| format!("type {kind:#x}"), |mount| mount.kind);
            return Err(DirectoryError::OneMachine { directory: directory.to_owned(), kind });
        }
    }
    if let Some(mount) = mount_of(directory)
        && let Some(option) = mount.options.iter().find(|option| LOCAL_LOCKS.contains(&option.as_str()))
    {
        let cause = format!("it is mounted with {option}");
        return Err(DirectoryError::Locks { directory: directory.to_owned(), cause });
    }
    try_lock(directory)
        .map_err(io("write to it"))?
        .map_err(|cause| DirectoryError::Locks { directory: directory.to_owned(), cause })
}

/// Checks that the directory holds a pool.
pub(crate) fn require_pool(directory: &Path) -> Result<(), DirectoryError> {
    let format = directory.join("FORMAT");
    match std::fs::metadata(&format) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(DirectoryError::NoPool(directory.to_owned()))
        }
        Err(source) => {
            Err(DirectoryError::Io { directory: directory.to_owned(), action: "look for its pool", source })
        }
    }
}

/// Locks a file of the directory, and sees whether a second lock is refused.
fn try_lock(directory: &Path) -> io::Result<Result<(), String>> {
    let path = directory.join(TRIAL_FILE);
    let open = || File::options().read(true).write(true).create(true).truncate(false).open(&path);
    let (first, second) = (open()?, open()?);
    // Another standby may be trying at this moment.
    Ok(match flock(&first, FlockOperation::LockExclusive) {
        Err(error) => Err(format!("a lock is refused: {}", io::Error::from(error))),
        Ok(()) => match flock(&second, FlockOperation::NonBlockingLockExclusive) {
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(()),
            Err(error) => Err(format!("a second lock fails with: {}", io::Error::from(error))),
            Ok(()) => Err("two locks on one file are granted at a time".to_owned()),
        },
    })
}

struct Mount {
    kind: String,
    options: Vec<String>,
}

/// The mount that the directory is on, by its device number.
fn mount_of(directory: &Path) -> Option<Mount> {
    let device = rustix::fs::stat(directory).ok()?.st_dev;
    let number = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    mounts.lines().filter_map(|line| parse_mount(line, &number)).next_back()
}

/// A line of `/proc/self/mountinfo`, if it is of this device (proc_pid_mountinfo(5)).
fn parse_mount(line: &str, device: &str) -> Option<Mount> {
    let (mount, file_system) = line.split_once(" - ")?;
    let mount: Vec<&str> = mount.split(' ').collect();
    let file_system: Vec<&str> = file_system.split(' ').collect();
    if mount.get(2) != Some(&device) {
        return None;
    }
    let options = mount.get(5)?.split(',').chain(file_system.get(2)?.split(','));
    Some(Mount { kind: (*file_system.first()?).to_owned(), options: options.map(str::to_owned).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("FORMAT"), "forebay-pool 7\n").unwrap();
        directory
    }

    #[test]
    fn a_directory_without_a_pool_is_refused_before_anything_is_written() {
        let directory = tempfile::tempdir().unwrap();
        let error = check_directory(directory.path(), true).unwrap_err();
        assert!(matches!(error, DirectoryError::NoPool(_)));
        assert!(error.to_string().contains("mount the shared file system"), "{error}");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        let missing = directory.path().join("missing");
        assert!(matches!(check_directory(&missing, true), Err(DirectoryError::NoPool(_))));
        assert!(!missing.exists());
    }

    #[test]
    fn a_file_system_for_one_machine_is_refused() {
        let directory = pool();
        let error = check_directory(directory.path(), false).unwrap_err();
        assert!(matches!(error, DirectoryError::OneMachine { .. }), "{error}");
        check_directory(directory.path(), true).unwrap();
    }

    #[test]
    fn mount_options_are_those_of_the_device() {
        let line =
            "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - nfs4 server:/pool rw,vers=4.2,local_lock=none";
        let mount = parse_mount(line, "98:0").unwrap();
        assert_eq!(mount.kind, "nfs4");
        assert!(mount.options.contains(&"local_lock=none".to_owned()));
        assert!(!mount.options.iter().any(|option| LOCAL_LOCKS.contains(&option.as_str())));
        assert!(parse_mount(line, "98:1").is_none());
        assert!(parse_mount("garbage", "98:0").is_none());
    }
}
