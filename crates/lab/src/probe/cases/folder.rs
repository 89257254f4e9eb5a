//! Small helpers that most cases use.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use rustix::fs::{Advice, fadvise};
use rustix::io::Errno;

/// Writes a file.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    fs::write(path, content).with_context(|| format!("write {}", path.display()))
}

/// Fails unless a file has this content.
pub fn ensure_content(path: &Path, expected: &[u8]) -> Result<()> {
    let found = fs::read(path).with_context(|| format!("read {}", path.display()))?;
    ensure!(found == expected, "{} does not hold what was written", path.display());
    Ok(())
}

/// The names in a folder, sorted.
pub fn names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("list {}", folder.display()))? {
        let entry = entry.with_context(|| format!("list {}", folder.display()))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// Fails unless an operation failed with one of these errors.
pub fn must_fail<T>(what: &str, result: io::Result<T>, errors: &[Errno]) -> Result<()> {
    match result {
        Ok(_) => bail!("{what} succeeded, and must fail with {errors:?}"),
        Err(error) if errors.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error())) => Ok(()),
        Err(error) => bail!("{what} failed with {error}, and must with {errors:?}"),
    }
}

/// Drops the file's cached pages, so that the next reads come from the server.
pub fn forget(file: &File) -> Result<()> {
    file.sync_all().context("fsync")?;
    fadvise(file, 0, None, Advice::DontNeed).context("drop the file's cached pages")
}

/// Bytes whose values depend on their offset.
pub fn pattern(seed: u64, length: usize) -> Vec<u8> {
    crate::probe::random::Random::new(seed).bytes(length)
}
