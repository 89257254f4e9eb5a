//! The pool's directory: whether it is one, whose it is, and the lock that makes it one process's.
//!
//! ```text
//! FORMAT      text: "forebay-pool VERSION\n"; written last when a pool is created
//! LOCK        locked exclusively (flock) while the pool is open
//! meta/       the metadata store
//! segments/   segments
//! COPIES      where the second copy is, and its mark; only if there is one
//! ```
//! A creation that was cut short leaves a directory without FORMAT that holds none but these names; it is begun anew.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

use crate::copies::CopiesMark;
use crate::{Error, Result};

/// The newest format that this release reads, and the one it writes.
const FORMAT: u32 = 2;
const FORMAT_FILE: &str = "FORMAT";
const FORMAT_WORD: &str = "forebay-pool";
const LOCK_FILE: &str = "LOCK";
const PARTS: [&str; 6] = [LOCK_FILE, "FORMAT.new", "meta", "segments", "COPIES", "COPIES.new"];

/// A pool's directory, locked.
pub(crate) struct Home {
    path: PathBuf,
    /// There was no pool before: [`Home::finish`] is to be called.
    pub(crate) is_new: bool,
    _lock: File,
}

fn io_error(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Io { path, action, source }
}

impl Home {
    /// Locks the pool in `path`, or prepares to create one there.
    pub(crate) fn open(path: &Path) -> Result<Home> {
        std::fs::create_dir_all(path)
            .map_err(io_error(path, "create the pool's directory (does the user own the one above?)"))?;
        let format = read_format(path)?;
        if format.is_none() {
            require_nothing_else(path)?;
        }
        let _lock = lock(path)?;
        // Somebody else may have created the pool before the lock was ours.
        let format = if format.is_none() { read_format(path)? } else { format };
        let home = Home { path: path.to_path_buf(), is_new: format.is_none(), _lock };
        if home.is_new {
            home.clear()?;
        }
        Ok(home)
    }

    /// Whether `path` holds a pool.
    pub(crate) fn is_in(path: &Path) -> bool {
        path.join(FORMAT_FILE).is_file()
    }

    pub(crate) fn meta(&self) -> PathBuf {
        self.path.join("meta")
    }

    pub(crate) fn segments(&self) -> PathBuf {
        self.path.join("segments")
    }

    /// What the directory of the second copy is recognised by.
    pub(crate) fn copies_mark(&self, directory: &Path) -> Result<CopiesMark> {
        CopiesMark::load(&self.path, directory)
    }

    /// Removes what a creation that was cut short has left.
    fn clear(&self) -> Result<()> {
        for part in [self.meta(), self.segments()] {
            match std::fs::remove_dir_all(&part) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(io_error(&part, "remove what an unfinished creation left")(error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The new pool is complete: makes it one.
    pub(crate) fn finish(&self) -> Result<()> {
        let (new, format) = (self.path.join("FORMAT.new"), self.path.join(FORMAT_FILE));
        let write = || {
            let mut file = File::create(&new)?;
            writeln!(file, "{FORMAT_WORD} {FORMAT}")?;
            file.sync_all()?;
            // The directories below are durable before the file that vouches for them.
            File::open(&self.path)?.sync_all()?;
            std::fs::rename(&new, &format)?;
            File::open(&self.path)?.sync_all()?;
            match self.path.canonicalize()?.parent() {
                Some(above) => File::open(above)?.sync_all(),
                None => Ok(()),
            }
        };
        write().map_err(io_error(&format, "write the pool's format file"))
    }
}

fn read_format(path: &Path) -> Result<Option<u32>> {
    let file = path.join(FORMAT_FILE);
    let text = match std::fs::read(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error(&file, "read the pool's format file")(error)),
    };
    let text = String::from_utf8_lossy(&text);
    let found = text.lines().next().and_then(|line| line.strip_prefix(FORMAT_WORD)?.trim().parse().ok());
    match found {
        Some(found) if found > FORMAT => {
            Err(Error::NewerFormat { path: path.to_path_buf(), found, known: FORMAT })
        }
        Some(found) if found == FORMAT => Ok(Some(found)),
        Some(found) if found > 0 => {
            Err(Error::OlderFormat { path: path.to_path_buf(), found, known: FORMAT })
        }
        _ => {
            Err(Error::NotPool { path: path.to_path_buf(), cause: "its FORMAT file is not a pool's".into() })
        }
    }
}

fn require_nothing_else(path: &Path) -> Result<()> {
    let listing = "list the directory";
    for entry in std::fs::read_dir(path).map_err(io_error(path, listing))? {
        let name = entry.map_err(io_error(path, listing))?.file_name();
        if !PARTS.iter().any(|part| name == *part) && name != "lost+found" {
            let cause =
                format!("it holds {} and no FORMAT file, so it is not a pool", name.to_string_lossy());
            return Err(Error::NotPool { path: path.to_path_buf(), cause });
        }
    }
    Ok(())
}

fn lock(path: &Path) -> Result<File> {
    let name = path.join(LOCK_FILE);
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&name)
        .map_err(io_error(&name, "open the lock file (make the directory writable for this user)"))?;
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(Error::Locked { path: path.to_path_buf() }),
        Err(errno) => Err(io_error(&name, "lock the pool")(errno.into())),
    }
}
