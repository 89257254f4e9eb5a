//! Reads the directory of results without ever leaving it: each step goes from an open folder to a name in it, and symbolic links
//! are not followed.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstat, openat, statat};

/// The version of a file, which changes when the file changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    inode: u64,
    bytes: u64,
    seconds: i64,
    nanoseconds: i64,
}

impl Version {
    fn of(stat: &rustix::fs::Stat) -> Version {
        Version {
            inode: stat.st_ino,
            bytes: u64::try_from(stat.st_size).unwrap_or_default(),
            seconds: stat.st_mtime,
            nanoseconds: i64::try_from(stat.st_mtime_nsec).unwrap_or_default(),
        }
    }

    /// The size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The time of the last write to the file.
    pub fn modified(&self) -> SystemTime {
        let seconds = u64::try_from(self.seconds).unwrap_or_default();
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).unwrap_or(SystemTime::UNIX_EPOCH)
    }
}

/// The content of a folder.
#[derive(Default)]
pub struct Names {
    /// Folders, by name.
    pub folders: Vec<String>,
    /// Files, by name.
    pub files: Vec<String>,
    /// Whether names are missing, because there are too many or because a name is not UTF-8.
    pub left_out: bool,
}

/// An open folder.
pub struct Folder(OwnedFd);

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
// NONBLOCK, so that opening a FIFO does not wait.
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

impl Folder {
    /// Opens the directory of results. Its own path may contain symbolic links.
    pub fn open(path: &Path) -> io::Result<Folder> {
        Ok(Folder(rustix::fs::open(path, FOLDER, Mode::empty())?))
    }

    /// Opens a folder in this one.
    pub fn folder(&self, name: &str) -> io::Result<Folder> {
        if !is_name(name) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok(Folder(openat(&self.0, name, FOLDER.union(OFlags::NOFOLLOW), Mode::empty())?))
    }

    /// The names in the folder, in order, at most `entries_max` of them.
    pub fn names(&self, entries_max: usize) -> io::Result<Names> {
        let mut names = Names::default();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else {
                names.left_out = true;
                continue;
            };
            if !is_name(name) {
                continue;
            }
            if names.folders.len() + names.files.len() >= entries_max {
                names.left_out = true;
                break;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => self.kind(name),
                known => known,
            };
            match kind {
                FileType::Directory => names.folders.push(name.to_owned()),
                FileType::RegularFile => names.files.push(name.to_owned()),
                _ => {}
            }
        }
        names.folders.sort();
        names.files.sort();
        Ok(names)
    }

    fn kind(&self, name: &str) -> FileType {
        let stat = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW);
        stat.map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode))
    }

    /// The version of a file in the folder.
    pub fn version(&self, name: &str) -> io::Result<Version> {
        Ok(Version::of(&statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// Reads a whole file of at most `bytes_max` bytes.
    pub fn read(&self, name: &str, bytes_max: u64) -> io::Result<Vec<u8>> {
        if !is_name(name) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let file = openat(&self.0, name, FILE, Mode::empty())?;
        let stat = fstat(file.as_fd())?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(io::Error::other("it is no file"));
        }
        let mut bytes = Vec::new();
        File::from(file).take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > bytes_max {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("it has more than {bytes_max} bytes"),
            ));
        }
        Ok(bytes)
    }
}

/// Whether the text can name only an entry of the folder itself.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\0'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_is_reached() {
        let scratch = tempfile::tempdir().unwrap();
        let inside = scratch.path().join("inside");
        std::fs::create_dir_all(inside.join("run")).unwrap();
        std::fs::write(scratch.path().join("secret"), "secret").unwrap();
        std::fs::write(inside.join("report.html"), "report").unwrap();
        std::os::unix::fs::symlink(scratch.path().join("secret"), inside.join("link.html")).unwrap();
        std::os::unix::fs::symlink(scratch.path(), inside.join("way")).unwrap();
        let folder = Folder::open(&inside).unwrap();
        assert_eq!(folder.read("report.html", 6).unwrap(), b"report");
        assert_eq!(folder.read("report.html", 5).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        for outside in ["../secret", "..", ".", "", "link.html", "run", "run/../../secret"] {
            assert!(folder.read(outside, 99).is_err(), "{outside}");
        }
        for outside in ["..", "way", "../inside", "/"] {
            assert!(folder.folder(outside).is_err(), "{outside}");
        }
        let names = folder.names(10).unwrap();
        assert_eq!((names.folders, names.files), (vec!["run".to_owned()], vec!["report.html".to_owned()]));
        assert!(folder.names(1).unwrap().left_out);
    }
}
