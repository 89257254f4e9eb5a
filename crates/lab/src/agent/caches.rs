//! Writes back and drops the kernel's caches of files, so that later reads come from the storage.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use anyhow::{Context, Result};
use rustix::fs::Advice;

const DROP: &str = "/proc/sys/vm/drop_caches";

/// Writes all dirty pages back, and drops all caches.
pub fn drop_all() -> Result<()> {
    rustix::fs::sync();
    fs::write(DROP, "3").context("drop caches")
}

/// Writes back only the file system of a folder. Others can be slow, or wait for a server that has ended.
pub fn sync(folder: &Path) -> Result<()> {
    let handle = File::open(folder).with_context(|| format!("open {}", folder.display()))?;
    rustix::fs::syncfs(&handle).with_context(|| format!("write back the file system of {}", folder.display()))
}

/// Drops the cached pages of the files below a folder. Also drops cached names and attributes if the kernel permits it; in most containers
/// it does not.
pub fn drop_below(folder: &Path) -> Result<()> {
    forget(folder)?;
    // Drops only names and attributes, so the pages of all other files stay.
    let _ = fs::write(DROP, "2");
    Ok(())
}

/// Writes back and drops the cached pages of the files below a folder: only clean pages can be dropped. Skips files that are removed at the
/// same time.
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
