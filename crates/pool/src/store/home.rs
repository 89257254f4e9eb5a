//! The pool's directory: whether it holds a pool, and the lock that reserves it for one process.
//!
//! ```text
//! FORMAT      text: "forebay-pool VERSION\n"; written last when a pool is created
//! LOCK        locked exclusively (flock) while the pool is open, and so is the directory itself
//! STATE       how far the metadata reached: see `witness/file.rs`
//! meta/       the metadata store
//! segments/   segments
//! log/        the intent log, unless it is elsewhere
//! COPIES      where the second copy is, and its mark; only if there is one
//! history/    events, graphs and alerts, which the daemon writes and the pool never reads
//! CREATING    empty; there only while a pool is being created
//! ```
//! A pool is created only in a directory that holds nothing but empty parts, or CREATING and no segments. The latter is an
//! interrupted creation, which starts again. A directory with parts of a pool but without FORMAT is a pool that has lost it,
//! and is left unchanged.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

use crate::format::{FORMAT, FORMAT_KEPT};
use crate::store::copies::CopiesMark;
use crate::store::witness::STATE_FILE;
use crate::{Error, Mismatch, Result};

/// The oldest format that this release reads. Its pools have no STATE, so nothing records how far their metadata reached.
const FORMAT_OLDEST: u32 = 2;
const FORMAT_FILE: &str = "FORMAT";
const FORMAT_WORD: &str = "forebay-pool";
const LOCK_FILE: &str = "LOCK";
const CREATING_FILE: &str = "CREATING";
/// There while a backup is being restored into the directory: see [`crate::backup`].
pub(crate) const RESTORING_FILE: &str = "RESTORING";
const PARTS: [&str; 10] = [
    LOCK_FILE,
    "FORMAT.new",
    "meta",
    "segments",
    "log",
    "COPIES",
    "COPIES.new",
    STATE_FILE,
    CREATING_FILE,
    "history",
];

/// A pool's directory, locked.
pub(crate) struct Home {
    path: PathBuf,
    /// The format that was found; `None` if there is no pool yet.
    pub(crate) format: Option<u32>,
    /// `None` if the directory is only read, and has no lock file.
    _lock: Option<File>,
    _directory: File,
}

fn io_error(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Io { path, action, source }
}

impl Home {
    /// Locks the pool in `path`, or prepares the directory for a new one.
    pub(crate) fn open(path: &Path) -> Result<Home> {
        std::fs::create_dir_all(path)
            .map_err(io_error(path, "create the pool's directory (does the user own the one above?)"))?;
        if read_format(path)?.is_none() {
            require_nothing_else(path)?;
        }
        let (directory, lock) = (lock_directory(path)?, lock(path)?);
        // Another process may have created the pool before this one got the lock.
        let home = Home {
            path: path.to_path_buf(),
            format: read_format(path)?,
            _lock: Some(lock),
            _directory: directory,
        };
        if home.format.is_none() {
            home.begin()?;
        }
        Ok(home)
    }

    /// Locks the pool in `path` for reading. Changes nothing.
    pub(crate) fn open_to_read(path: &Path) -> Result<Home> {
        let Some(format) = read_format(path)? else {
            require_nothing_else(path)?;
            let Some(there) = there(path)? else {
                let cause = "there is no pool in it".to_owned();
                return Err(Error::NotPool { path: path.to_path_buf(), cause });
            };
            return Err(Error::refused(Mismatch::NoFormat { there, format: FORMAT }));
        };
        let directory = lock_directory(path)?;
        let _lock = match File::open(path.join(LOCK_FILE)) {
            Ok(file) => Some(locked(path, file)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(io_error(&path.join(LOCK_FILE), "open the lock file")(error)),
        };
        Ok(Home { path: path.to_path_buf(), format: Some(format), _lock, _directory: directory })
    }

    /// Whether the directory holds no pool yet.
    pub(crate) fn is_new(&self) -> bool {
        self.format.is_none()
    }

    /// The format that the pool has while it is open.
    pub(crate) fn format_in_use(&self) -> u32 {
        self.format.filter(|found| *found >= FORMAT_KEPT).unwrap_or(FORMAT)
    }

    /// Whether the pool must have a STATE file.
    pub(crate) fn has_state(&self) -> bool {
        self.format.is_some_and(|format| format > FORMAT_OLDEST)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether `path` holds a pool.
    pub(crate) fn is_in(path: &Path) -> bool {
        path.join(FORMAT_FILE).is_file()
    }

    pub(crate) fn meta(&self) -> PathBuf {
        self.path.join("meta")
    }

    /// Where the intent log is, unless the options name another directory.
    pub(crate) fn log(&self) -> PathBuf {
        self.path.join("log")
    }

    pub(crate) fn segments(&self) -> PathBuf {
        self.path.join("segments")
    }

    /// The mark of the second copy in `directory`.
    pub(crate) fn copies_mark(&self, directory: &Path) -> Result<CopiesMark> {
        CopiesMark::load(&self.path, directory)
    }

    /// Like [`Home::copies_mark`], but changes nothing: `None` if the directory was never used.
    pub(crate) fn copies_mark_known(&self, directory: &Path) -> Result<Option<CopiesMark>> {
        let known = CopiesMark::known(&self.path, directory)?;
        if known.is_none() {
            CopiesMark::require_unused(directory)?;
        }
        Ok(known)
    }

    /// Begins to create a pool, in an empty directory or after an interrupted creation.
    fn begin(&self) -> Result<()> {
        let mark = self.path.join(CREATING_FILE);
        if !mark.exists()
            && let Some(there) = there(&self.path)?
        {
            return Err(Error::refused(Mismatch::NoFormat { there, format: FORMAT }));
        }
        let segments = count_segments(&self.segments());
        if segments > 0 {
            let there = format!("{segments} segments");
            return Err(Error::refused(Mismatch::NoFormat { there, format: FORMAT }));
        }
        let create = || {
            File::create(&mark)?.sync_all()?;
            File::open(&self.path)?.sync_all()?;
            for file in [STATE_FILE, "FORMAT.new"] {
                absent(std::fs::remove_file(self.path.join(file)))?;
            }
            absent(std::fs::remove_dir_all(self.meta()))
        };
        create().map_err(io_error(&self.path, "begin to create the pool"))
    }

    /// Records that the pool is complete and of the format in use.
    pub(crate) fn finish(&self) -> Result<()> {
        let creating = self.path.join(CREATING_FILE);
        if self.format.is_some_and(|format| format >= FORMAT_KEPT) && !creating.exists() {
            return Ok(());
        }
        write_format(&self.path, self.format_in_use())
    }

    /// Records that the pool is of the newest format from now on.
    pub(crate) fn finalize(&self) -> Result<()> {
        write_format(&self.path, FORMAT)
    }
}

/// The format of the pool in `directory`; `None` if there is none.
pub(crate) fn format_of(directory: &Path) -> Result<Option<u32>> {
    read_format(directory)
}

/// Records that `directory` holds a complete pool of this format.
pub(crate) fn write_format(directory: &Path, format_in_use: u32) -> Result<()> {
    let creating = directory.join(CREATING_FILE);
    let (new, format) = (directory.join("FORMAT.new"), directory.join(FORMAT_FILE));
    let write = || {
        let mut file = File::create(&new)?;
        writeln!(file, "{FORMAT_WORD} {format_in_use}")?;
        file.sync_all()?;
        // The directories must be durable before the FORMAT file that vouches for them.
        File::open(directory)?.sync_all()?;
        std::fs::rename(&new, &format)?;
        File::open(directory)?.sync_all()?;
        absent(std::fs::remove_file(&creating))?;
        File::open(directory)?.sync_all()?;
        match directory.canonicalize()?.parent() {
            Some(above) => File::open(above)?.sync_all(),
            None => Ok(()),
        }
    };
    write().map_err(io_error(&format, "write the pool's format file"))
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
        Some(found) if found >= FORMAT_OLDEST => Ok(Some(found)),
        Some(found) if found > 0 => {
            Err(Error::OlderFormat { path: path.to_path_buf(), found, known: FORMAT_OLDEST })
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
        if name == RESTORING_FILE {
            let cause =
                "a restore into it was interrupted: run `forebay pool restore` again, with the same backup"
                    .to_owned();
            return Err(Error::NotPool { path: path.to_path_buf(), cause });
        }
        if !PARTS.iter().any(|part| name == *part) && name != "lost+found" {
            let cause =
                format!("it holds {} and no FORMAT file, so it is not a pool", name.to_string_lossy());
            return Err(Error::NotPool { path: path.to_path_buf(), cause });
        }
    }
    Ok(())
}

/// The parts of a pool in `path`, as text; `None` if there are none.
fn there(path: &Path) -> Result<Option<String>> {
    let segments = count_segments(&path.join("segments"));
    if segments > 0 {
        return Ok(Some(format!("a pool's data ({segments} segments)")));
    }
    let meta = path.join("meta");
    let has_meta = match std::fs::read_dir(&meta) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) => return Err(io_error(&meta, "list the directory")(error)),
    };
    if has_meta {
        return Ok(Some("a pool's metadata".to_owned()));
    }
    let file = [STATE_FILE, "COPIES"].into_iter().find(|file| path.join(file).exists());
    Ok(file.map(|file| format!("a pool's {file} file")))
}

/// The number of segments in a directory of segments.
pub(crate) fn count_segments(directory: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(directory) else { return 0 };
    entries
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "seg"))
        .count()
}

/// Treats a file that does not exist as removed.
fn absent(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Locks the directory itself, so that the pool stays locked even if the lock file is deleted.
pub(crate) fn lock_directory(path: &Path) -> Result<File> {
    let directory = File::open(path).map_err(io_error(path, "open the pool's directory"))?;
    locked(path, directory)
}

fn lock(path: &Path) -> Result<File> {
    let name = path.join(LOCK_FILE);
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&name)
        .map_err(io_error(&name, "open the lock file (make the directory writable for this user)"))?;
    locked(path, file)
}

/// Locks a file that exists already.
pub(crate) fn lock_file(path: &Path) -> Result<File> {
    let file = File::open(path).map_err(io_error(path, "open the lock file"))?;
    locked(path, file)
}

/// Locks an open file, whose path or directory is `path` in messages.
pub(crate) fn locked(path: &Path, file: File) -> Result<File> {
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(Error::Locked { path: path.to_path_buf() }),
        Err(errno) => Err(io_error(path, "lock the pool")(errno.into())),
    }
}
