//! The directories with the segments. They are only read.
//!
//! A source is a pool's directory, the directory of a second copy, or a folder of `.seg` files. Files of the same
//! segment, in both copies or in `lost+found`, are grouped, so that a part that is damaged in one file is taken from
//! another.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

use super::error::{Error, Result, failed};

const SEGMENTS: &str = "segments";
const LOST_AND_FOUND: &str = "lost+found";
const LOCK_FILE: &str = "LOCK";
const SUFFIX: &str = ".seg";

/// A file that holds a segment, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SegmentFile {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    /// The number of the segment. All files of one segment have the same number.
    pub(super) segment: u32,
}

/// Everything that a salvage reads.
pub(super) struct Sources {
    /// The files by segment. Those of one segment are in the order of the directories.
    pub(super) files: Vec<SegmentFile>,
    /// The names of the segments, indexed by segment number.
    pub(super) segments: Vec<String>,
    /// Directories that nothing may be written to.
    pub(super) roots: Vec<PathBuf>,
    /// Shared locks, which keep a daemon from opening the pool during the salvage.
    _locks: Vec<File>,
}

impl Sources {
    pub(super) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

/// Finds the segments in the directories. Fails if one of them belongs to a pool that is in use.
pub(super) fn find(directories: &[&Path]) -> Result<Sources> {
    let mut by_name: BTreeMap<String, Vec<(PathBuf, u64)>> = BTreeMap::new();
    let (mut roots, mut locks) = (Vec::new(), Vec::new());
    for directory in directories {
        let root = directory.canonicalize().map_err(failed(directory, "open the directory"))?;
        if roots.contains(&root) {
            continue;
        }
        let folder = if root.join(SEGMENTS).is_dir() { root.join(SEGMENTS) } else { root.clone() };
        let mut count = list(&folder, &mut by_name)?;
        for lost in [folder.join(LOST_AND_FOUND), root.join(LOST_AND_FOUND)] {
            if lost.is_dir() && (lost.parent() == Some(&folder) || folder == root) {
                count += list(&lost, &mut by_name)?;
            }
        }
        if count == 0 {
            return Err(Error::NoSegments { path: directory.to_path_buf() });
        }
        let home = pool_of(&root);
        locks.extend(lock(&home)?);
        roots.push(root);
        if !roots.contains(&home) {
            roots.push(home);
        }
    }
    let mut sources =
        Sources { files: Vec::new(), segments: Vec::with_capacity(by_name.len()), roots, _locks: locks };
    for (name, mut paths) in by_name {
        let segment = u32::try_from(sources.segments.len()).unwrap_or(u32::MAX);
        sources.segments.push(name);
        // Read a folder that two of the directories have in common only once.
        let mut seen = Vec::new();
        paths.retain(|(path, _)| {
            let is_new = !seen.contains(path);
            seen.push(path.clone());
            is_new
        });
        sources.files.extend(paths.into_iter().map(|(path, bytes)| SegmentFile { path, bytes, segment }));
    }
    Ok(sources)
}

/// The directory of the pool that the segments may belong to. The user may have named the `segments` folder in it.
fn pool_of(root: &Path) -> PathBuf {
    let is_folder = root.file_name().is_some_and(|name| name == SEGMENTS);
    root.parent().filter(|_| is_folder).unwrap_or(root).to_path_buf()
}

/// Adds the segment files of a folder. Returns their number.
fn list(folder: &Path, by_name: &mut BTreeMap<String, Vec<(PathBuf, u64)>>) -> Result<usize> {
    let listing = "list the directory (run as a user who may read it)";
    let mut count = 0;
    for entry in std::fs::read_dir(folder).map_err(failed(folder, listing))? {
        let path = entry.map_err(failed(folder, listing))?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        // The name of a file in `lost+found` may continue after the suffix.
        let Some((segment, _)) = name.split_once(SUFFIX) else { continue };
        let metadata = std::fs::metadata(&path).map_err(failed(&path, "look at the segment"))?;
        if metadata.is_file() {
            let files = by_name.entry(segment.to_owned()).or_default();
            files.push((path.clone(), metadata.len()));
            count += 1;
        }
    }
    Ok(count)
}

/// Locks the pool against a daemon if there is a lock file. Does not create one.
fn lock(home: &Path) -> Result<Option<File>> {
    let path = home.join(LOCK_FILE);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(failed(&path, "open the lock file (run as a user who may read it)")(error));
        }
    };
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(Error::InUse { path: home.to_path_buf() }),
        // The file system does not support locks, so a daemon cannot hold one there either.
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: PathBuf) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "x").unwrap();
    }

    #[test]
    fn files_of_one_segment_are_grouped_whatever_directory_is_named() {
        let scratch = tempfile::tempdir().unwrap();
        let (pool, copy) = (scratch.path().join("pool"), scratch.path().join("copy"));
        touch(pool.join("segments/0000000001000001.seg"));
        touch(pool.join("segments/0000000001000000.seg"));
        touch(pool.join("segments/lost+found/0000000001000000.seg.1"));
        touch(pool.join("segments/notes.txt"));
        touch(copy.join("segments/0000000001000001.seg"));
        let names = |directories: &[&Path]| {
            let sources = find(directories).unwrap();
            let of = |file: &SegmentFile| {
                (file.segment, file.path.strip_prefix(scratch.path()).unwrap().to_owned())
            };
            sources.files.iter().map(of).collect::<Vec<_>>()
        };
        let expected = [
            (0, PathBuf::from("pool/segments/0000000001000000.seg")),
            (0, PathBuf::from("pool/segments/lost+found/0000000001000000.seg.1")),
            (1, PathBuf::from("pool/segments/0000000001000001.seg")),
            (1, PathBuf::from("copy/segments/0000000001000001.seg")),
        ];
        assert_eq!(names(&[&pool, &copy]), expected);
        assert_eq!(names(&[&pool.join("segments"), &pool]), expected[..3]);
        let error = find(&[scratch.path()]).err().unwrap();
        assert!(error.to_string().contains("holds no segments"), "{error}");
    }

    #[test]
    fn a_pool_that_is_in_use_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        touch(scratch.path().join("segments/0000000001000000.seg"));
        touch(scratch.path().join("LOCK"));
        assert!(find(&[scratch.path()]).is_ok());
        let daemon = File::open(scratch.path().join("LOCK")).unwrap();
        rustix::fs::flock(&daemon, FlockOperation::LockExclusive).unwrap();
        for directory in [scratch.path().to_path_buf(), scratch.path().join("segments")] {
            let error = find(&[&directory]).err().unwrap();
            assert!(matches!(error, Error::InUse { .. }), "{error}");
        }
    }
}
