//! A view of a store, in a directory of its own: copies of the files that change, and links to the tables, which never
//! change. The view may be written to, and its tables merged and deleted, without changing the store.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{Error, Result};

/// The prefix of a view's directory name.
pub(crate) const VIEW_PREFIX: &str = "VIEW.";

/// Numbers the views of this process.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// See the module. Removed when dropped.
pub(crate) struct View {
    directory: PathBuf,
}

/// Which parts of a store a view has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    All,
    /// Everything but the journals.
    Tables,
}

fn failed(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Io { path, action, source }
}

impl View {
    /// Creates a view of the store in `meta`, in a new directory below `parent`.
    pub(crate) fn make(meta: &Path, parent: &Path, extent: Extent) -> Result<View> {
        let meta = meta.canonicalize().map_err(failed(meta, "find the metadata store"))?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let directory = parent.join(format!("{VIEW_PREFIX}{}.{number}", std::process::id()));
        let action = "make a view of the metadata store (is there room, and may this user write here?)";
        // A killed process may have left a view with this name.
        let _ = fs::remove_dir_all(&directory);
        // Only the owner may read it: it may lie in the directory for temporary files, and journals hold file data.
        fs::DirBuilder::new().mode(0o700).create(&directory).map_err(failed(&directory, action))?;
        let view = View { directory };
        view.fill(&meta, extent).map_err(failed(&view.directory, action))?;
        Ok(view)
    }

    /// The directory of the view.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    fn fill(&self, meta: &Path, extent: Extent) -> io::Result<()> {
        copy_files(meta, &self.directory, |name| match name.strip_suffix(".jnl") {
            Some(_) => extent == Extent::All,
            None => ["version", "lock"].contains(&name),
        })?;
        for tree in fs::read_dir(meta.join("keyspaces"))? {
            let tree = tree?;
            let to = self.directory.join("keyspaces").join(tree.file_name());
            fs::create_dir_all(to.join("tables"))?;
            copy_files(&tree.path(), &to, |name| name == "current" || name.starts_with('v'))?;
            for table in fs::read_dir(tree.path().join("tables"))? {
                let table = table?;
                std::os::unix::fs::symlink(table.path(), to.join("tables").join(table.file_name()))?;
            }
        }
        Ok(())
    }
}

impl Drop for View {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.directory) {
            tracing::warn!(path = %self.directory.display(), %error, "could not remove a view of the metadata store");
        }
    }
}

fn copy_files(from: &Path, to: &Path, wanted: impl Fn(&str) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type()?.is_file() && name.to_str().is_some_and(&wanted) {
            fs::copy(entry.path(), to.join(name))?;
        }
    }
    Ok(())
}

/// Removes views that killed processes left in `parent`. The caller must hold the pool's lock.
pub(crate) fn remove_leftovers(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(VIEW_PREFIX)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
