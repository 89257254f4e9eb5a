//! What the kernel keeps of files: sending it to the storage, and forgetting it, so that what is read next comes from there.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use anyhow::{Context, Result};
use rustix::fs::Advice;

const DROP: &str = "/proc/sys/vm/drop_caches";

/// Writes everything back, and has the kernel forget all it can.
pub fn drop_all() -> Result<()> {
    rustix::fs::sync();
    fs::write(DROP, "3").context("drop caches")
}

/// Writes back the file system that holds a folder, and no other: another one may be slow, or wait for a server that is gone.
pub fn sync(folder: &Path) -> Result<()> {
    let handle = File::open(folder).with_context(|| format!("open {}", folder.display()))?;
    rustix::fs::syncfs(&handle).with_context(|| format!("write back the file system of {}", folder.display()))
}

/// Has the kernel forget the pages of the files below a folder, and names and attributes too where it lets this process ask for
/// that: not in most containers.
pub fn drop_below(folder: &Path) -> Result<()> {
    forget(folder)?;
    // Names and attributes alone: the pages of everybody else's files stay.
    let _ = fs::write(DROP, "2");
    Ok(())
}

/// Has the kernel forget the pages of the files below a folder. Those that are not written yet are, before: only clean pages can be forgotten.
/// What is removed meanwhile is left out.
pub fn forget(folder: &Path) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other.with_context(|| format!("list {}", folder.display()))?,
    };
    for entry in entries {
        let path = entry.with_context(|| format!("list {}", folder.display()))?.path();
        let Ok(stat) = path.symlink_metadata() else { continue };
        if stat.is_dir() {
            forget(&path)?;
        } else if stat.is_file()
            && let Ok(file) = File::open(&path)
        {
            file.sync_data().with_context(|| format!("write {}", path.display()))?;
            rustix::fs::fadvise(&file, 0, None, Advice::DontNeed)
                .with_context(|| format!("forget the pages of {}", path.display()))?;
        }
    }
    Ok(())
}
