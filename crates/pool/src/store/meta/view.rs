//! A view of a store, in a directory of its own: copies of the files that change, and links to the tables, which never change. Whoever opens the
//! view may write to it, merge tables and delete them, without changing the store.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{Error, Result};

/// What the name of a view's directory begins with.
pub(crate) const VIEW_PREFIX: &str = "VIEW.";

/// Counts the views of this process.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// See the module. Removed when dropped.
pub(crate) struct View {
    directory: PathBuf,
}

/// How much of a store a view has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    All,
    /// Without the journals.
    Tables,
}

fn failed(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Io { path, action, source }
}

impl View {
    /// Makes a view of the store in `meta`, in a new directory below `parent`.
    pub(crate) fn make(meta: &Path, parent: &Path, extent: Extent) -> Result<View> {
        let meta = meta.canonicalize().map_err(failed(meta, "find the metadata store"))?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let directory = parent.join(format!("{VIEW_PREFIX}{}.{number}", std::process::id()));
        let action = "make a view of the metadata store (is there room, and may this user write here?)";
        // One of an earlier process that was killed.
        let _ = fs::remove_dir_all(&directory);
        // For its owner only: it may lie in the directory for temporary files, and journals hold the ends of files.
        fs::DirBuilder::new().mode(0o700).create(&directory).map_err(failed(&directory, action))?;
        let view = View { directory };
        view.fill(&meta, extent).map_err(failed(&view.directory, action))?;
        Ok(view)
    }

    /// Where the view is.
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
            tracing::warn!(path = %self.directory.display(), %error, "a view of the metadata store could not be removed");
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

/// Removes views that killed processes have left in `parent`. The caller holds the pool's lock.
pub(crate) fn remove_leftovers(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(VIEW_PREFIX)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
