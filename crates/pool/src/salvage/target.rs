//! The directory to write to: new or empty, outside of the sources, and with enough free space.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use super::error::{Error, Result, failed};

const CREATE: &str = "create the directory (does the user own the one above?)";
const SYNC: &str = "make the directory durable";

/// Creates the directory `path`. Fails if it exists and is not empty.
pub(super) fn create(path: &Path, roots: &[PathBuf]) -> Result<PathBuf> {
    let place = resolve(path)?;
    if let Some(root) = roots.iter().find(|root| place.starts_with(root)) {
        return Err(Error::TargetInSource { path: path.to_path_buf(), from: root.clone() });
    }
    match std::fs::read_dir(&place) {
        Ok(entries) => {
            for entry in entries {
                // The root of a file system has this directory from the start.
                if entry.map_err(failed(path, "list the directory"))?.file_name() != "lost+found" {
                    return Err(Error::TargetNotEmpty { path: path.to_path_buf() });
                }
            }
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(failed(path, "list the directory")(error)),
    }
    std::fs::create_dir_all(&place).map_err(failed(path, CREATE))?;
    Ok(place)
}

/// Resolves symbolic links in the path. Its last part need not exist yet.
fn resolve(path: &Path) -> Result<PathBuf> {
    let absolute = std::path::absolute(path).map_err(failed(path, "find out which directory that is"))?;
    for above in absolute.ancestors() {
        match above.canonicalize() {
            Ok(found) => {
                let rest = absolute.strip_prefix(above).unwrap_or(Path::new(""));
                // The meaning of `..` is known only once the directories exist.
                if rest.components().any(|part| part == Component::ParentDir) {
                    let error = ErrorKind::InvalidInput.into();
                    return Err(failed(path, "name the directory without `..` below what exists")(error));
                }
                return Ok(found.join(rest));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(failed(above, "open the directory")(error)),
        }
    }
    Ok(absolute)
}

/// Fails if the file system has less free space than this.
pub(super) fn require_room(path: &Path, needed: u64) -> Result<()> {
    let room = rustix::fs::statvfs(path).map_err(|error| failed(path, "ask for free space")(error.into()))?;
    let available = room.f_bavail.saturating_mul(room.f_frsize);
    if available < needed {
        return Err(Error::NoRoom { path: path.to_path_buf(), needed, available });
    }
    Ok(())
}

/// Creates a directory in an existing one.
pub(super) fn create_folder(path: &Path) -> Result<()> {
    std::fs::create_dir(path).map_err(failed(path, CREATE))
}

/// Makes the entries of a directory durable.
pub(super) fn sync_folder(path: &Path) -> Result<()> {
    File::open(path).and_then(|folder| folder.sync_all()).map_err(failed(path, SYNC))
}

/// Writes a file, and makes it durable.
pub(super) fn write_file(path: &Path, content: &[u8]) -> Result<()> {
    let write = || {
        let mut file = File::create_new(path)?;
        std::io::Write::write_all(&mut file, content)?;
        file.sync_all()
    };
    write().map_err(failed(path, "write the file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_new_or_empty_directory_outside_of_the_sources_is_written_to() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let source = root.join("pool");
        std::fs::create_dir(&source).unwrap();
        let roots = [source.clone()];
        assert_eq!(create(&root.join("new/deep"), &roots).unwrap(), root.join("new/deep"));
        assert!(create(&root.join("new/deep"), &roots).is_ok(), "it is empty");
        let refused = |path: PathBuf| create(&path, &roots).unwrap_err().to_string();
        assert!(refused(root.join("new")).contains("not empty"));
        assert!(refused(source.join("out")).contains("lies within"));
        assert!(refused(source.clone()).contains("lies within"));
        std::os::unix::fs::symlink(&source, root.join("link")).unwrap();
        assert!(refused(root.join("link/out")).contains("lies within"));
        assert!(refused(root.join("new/../pool/out")).contains("lies within"));
        assert!(refused(root.join("none/../pool/out")).contains("without `..`"));
        std::fs::write(root.join("file"), "x").unwrap();
        assert!(refused(root.join("file")).contains("list the directory"));
        assert!(!source.join("out").exists());
    }

    #[test]
    fn too_little_room_is_said_before_anything_is_written() {
        let scratch = tempfile::tempdir().unwrap();
        assert!(require_room(scratch.path(), 1).is_ok());
        let error = require_room(scratch.path(), u64::MAX).unwrap_err();
        assert!(error.to_string().contains("has room for"), "{error}");
    }
}
