//! Files and directories of a backup.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::{Error, Result};

pub(crate) fn failed(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Io { path, action, source }
}

/// Creates or empties a file that only its owner can read: a backup holds what no client may see.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(true).mode(0o600).open(path)
}

pub(crate) fn sync_directory(directory: &Path) -> Result<()> {
    let synced = File::open(directory).and_then(|directory| directory.sync_all());
    synced.map_err(failed(directory, "sync the directory"))
}

/// Puts a file with this text in place of what is there, if anything, durably.
pub(crate) fn put(directory: &Path, name: &str, text: &str) -> Result<()> {
    let (path, new) = (directory.join(name), directory.join(format!("{name}.new")));
    let write = || {
        let mut file = create_private(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&new, &path)
    };
    write().map_err(failed(&path, "write the file"))?;
    sync_directory(directory)
}

/// Removes a file if it exists.
pub(crate) fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(path, "remove the file")(error)),
        _ => Ok(()),
    }
}

/// The text of a file; `None` if it does not exist.
pub(crate) fn read(path: &Path) -> Result<Option<String>> {
    match std::fs::read(path) {
        Ok(text) => Ok(Some(String::from_utf8_lossy(&text).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(path, "read the file")(error)),
    }
}
