//! `mount:DIR`: a folder of this host, whatever is mounted there. Brokers run on the host, and each gets a folder of its own below
//! a folder of the run, which is removed when the run ends.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::interface::Storage;
use crate::host::{Environment, Guest};
use crate::request::StorageKind;

/// The storage.
pub struct Mounted {
    folder: PathBuf,
    run: PathBuf,
    file_system: String,
}

impl Mounted {
    /// Starts nothing: the folder exists, and the supervisor has created the run's folder in it.
    pub fn start(folder: &Path, environment: &Environment) -> Result<Self> {
        let run = environment.folder_in(folder)?.to_owned();
        empty(&run)?;
        let mounts = fs::read_to_string("/proc/self/mountinfo").context("read /proc/self/mountinfo")?;
        let real = folder.canonicalize().with_context(|| format!("resolve {}", folder.display()))?;
        let file_system = file_system_of(&real, &mounts).unwrap_or_else(|| "unknown".to_owned());
        Ok(Self { folder: folder.to_owned(), run, file_system })
    }
}

impl Storage for Mounted {
    fn kind(&self) -> StorageKind {
        StorageKind::Mount(self.folder.clone())
    }

    fn versions(&self) -> Vec<(String, String)> {
        vec![(format!("file system of {}", self.folder.display()), self.file_system.clone())]
    }

    fn renames_unlinked(&self) -> bool {
        self.file_system.starts_with("nfs")
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.run)
    }

    fn mount(&self, guest: &Guest, _: &str) -> Result<()> {
        bail!("{} is a folder of this host, and cannot be mounted in guest {}", self.kind(), guest.name())
    }

    fn stop(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // An experiment may start it again; what cannot be removed now is removed when the run ends.
        let _ = empty(&self.run);
    }
}

/// Removes the content of a folder.
fn empty(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("list {}", folder.display()))? {
        let path = entry.with_context(|| format!("list {}", folder.display()))?.path();
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.with_context(|| format!("remove {}", path.display()))?;
    }
    Ok(())
}

/// Fails, with the remedy, if brokers cannot keep `needed` bytes in a folder.
pub fn check(folder: &Path, needed: u64) -> Result<()> {
    let name = folder.display();
    match fs::metadata(folder) {
        Ok(stat) if stat.is_dir() => {}
        Ok(_) => bail!("storage mount:{name}: {name} is not a directory"),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!(
                "storage mount:{name}: there is no directory {name}; make it, or mount the file system, first"
            )
        }
        Err(error) => return Err(error).with_context(|| format!("storage mount:{name}: look at {name}")),
    }
    let probe = folder.join(format!(".forebay-lab-{}", std::process::id()));
    fs::create_dir(&probe).and_then(|()| fs::remove_dir(&probe)).with_context(|| {
        format!(
            "storage mount:{name}: {name} is not writable for this user; make it so (an NFS server may refuse root: export it \
             with no_root_squash)"
        )
    })?;
    let stat = rustix::fs::statvfs(folder).with_context(|| format!("ask how much space {name} has"))?;
    let available = stat.f_bavail.saturating_mul(stat.f_frsize);
    if available < needed {
        bail!(
            "storage mount:{name}: {name} has {} of free space, and this experiment needs {}: free some, or use a smaller --profile",
            gibibytes(available),
            gibibytes(needed)
        );
    }
    Ok(())
}

fn gibibytes(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30))
}

/// Type, source and options of the file system that holds a path, from the text of `/proc/self/mountinfo`.
fn file_system_of(path: &Path, mounts: &str) -> Option<String> {
    // ID PARENT MAJOR:MINOR ROOT MOUNT-POINT OPTIONS [TAG…] - TYPE SOURCE OPTIONS
    let parse = |line: &str| {
        let (place, what) = line.split_once(" - ")?;
        let point = unescaped(place.split(' ').nth(4)?);
        Some((PathBuf::from(point), what.to_owned()))
    };
    let holding = mounts.lines().filter_map(parse).filter(|(point, _)| path.starts_with(point));
    // If several are mounted on one path, the last one hides the others.
    let (_, what) = holding.max_by_key(|(point, _)| point.as_os_str().len())?;
    Some(unescaped(&what))
}

/// The kernel writes white space and backslashes as three octal digits.
fn unescaped(text: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(text.to_owned(), |text, (code, plain)| text.replace(code, plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
21 1 254:0 / / rw,relatime - ext4 /dev/vda rw
40 21 0:50 / /mnt/my\\040kafka rw,relatime shared:1 - nfs4 server:/kafka rw,vers=4.2,nconnect=4
41 21 0:51 / /mnt rw - tmpfs tmpfs rw
";

    #[test]
    fn the_file_system_of_a_folder_is_the_one_mounted_nearest_above_it() {
        let of = |path: &str| file_system_of(Path::new(path), MOUNTS).unwrap();
        assert_eq!(of("/mnt/my kafka/below"), "nfs4 server:/kafka rw,vers=4.2,nconnect=4");
        assert_eq!(of("/mnt/my"), "tmpfs tmpfs rw");
        assert_eq!(of("/srv"), "ext4 /dev/vda rw");
    }

    #[test]
    fn a_folder_that_cannot_be_used_is_refused_with_the_reason() {
        let folder = std::env::temp_dir().join(format!("forebay-lab-mounted-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let refusal = |path: &Path, needed| format!("{:#}", check(path, needed).unwrap_err());
        let file = folder.join("file");
        fs::write(&file, b"").unwrap();
        assert!(refusal(&folder.join("missing"), 1).contains("there is no directory"));
        assert!(refusal(&file, 1).contains("is not a directory"));
        assert!(refusal(&folder, u64::MAX).contains("free space"));
        assert!(refusal(Path::new("/proc"), 1).contains("not writable"));
        check(&folder, 1).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "it leaves nothing");
        fs::remove_dir_all(&folder).unwrap();
    }
}
