//! The directory of the second copy, and how it is recognised.
//!
//! ```text
//! in the pool's directory    COPIES        "MARK DIRECTORY\n": the mark, and the directory that bears it
//! in the copy's directory    FOREBAY-COPY  "forebay-copy MARK\n"
//!                            segments/     segments
//! ```
//! A directory without the mark is not the copy: its disk may not be mounted, say. Nothing is written there. A directory that
//! was never used gets a new mark.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::{Error, Result};

const COPIES_FILE: &str = "COPIES";
const MARK_FILE: &str = "FOREBAY-COPY";
const MARK_FILE_NEW: &str = "FOREBAY-COPY.new";
/// The mark of a copy that becomes a pool.
const GIVEN_UP_FILE: &str = "FOREBAY-COPY.given-up";
const MARK_WORD: &str = "forebay-copy";

/// The mark that the copy's directory must have.
#[derive(Clone)]
pub(crate) struct CopiesMark(String);

fn failed(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Io { path, action, source }
}

fn read(path: &Path) -> Result<Option<String>> {
    match std::fs::read(path) {
        Ok(text) => Ok(Some(String::from_utf8_lossy(&text).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(path, "read the file")(error)),
    }
}

impl CopiesMark {
    /// Returns the mark of the second copy in `directory`, for the pool in `home`. If the directory was never used, gives it a
    /// mark.
    pub(crate) fn load(home: &Path, directory: &Path) -> Result<CopiesMark> {
        if let Some(mark) = CopiesMark::known(home, directory)? {
            return Ok(mark);
        }
        let record = home.join(COPIES_FILE);
        let mark = CopiesMark(random_mark()?);
        mark.put_on(directory)?;
        write_durably(home, &record, &format!("{} {}\n", mark.0, directory.display()))?;
        tracing::info!(directory = %directory.display(), "second copy begun; the scrub fills it");
        Ok(mark)
    }

    /// Returns the mark of the copy in `directory`; `None` if the directory was never used. Changes nothing.
    pub(crate) fn known(home: &Path, directory: &Path) -> Result<Option<CopiesMark>> {
        let known = read(&home.join(COPIES_FILE))?;
        let known = known.as_deref().and_then(|text| text.trim_end().split_once(' '));
        Ok(known
            .filter(|(_, used)| Path::new(used) == directory)
            .map(|(mark, _)| CopiesMark(mark.to_owned())))
    }

    /// Returns an error if the directory holds anything but a mark. A mark alone may be left from an interrupted start;
    /// segments come only after the record.
    pub(crate) fn require_unused(directory: &Path) -> Result<()> {
        let own = ["lost+found", MARK_FILE, MARK_FILE_NEW];
        let mut entries = match std::fs::read_dir(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(failed(directory, "list the directory"))?,
        };
        if entries.any(|entry| entry.is_ok_and(|entry| own.iter().all(|own| entry.file_name() != *own))) {
            return Err(Error::NotPool {
                path: directory.to_path_buf(),
                cause: format!(
                    "it is to hold the second copy of the pool for the first time (the pool has no {COPIES_FILE} file that names it), and is not empty; if the first copy of the pool is lost and this is \
                     the second, `forebay pool promote {}` makes it the pool",
                    directory.display()
                ),
            });
        }
        Ok(())
    }

    fn put_on(&self, directory: &Path) -> Result<()> {
        std::fs::create_dir_all(directory).map_err(failed(directory, "create the copies' directory"))?;
        CopiesMark::require_unused(directory)?;
        write_durably(directory, &directory.join(MARK_FILE), &format!("{MARK_WORD} {}\n", self.0))
    }

    /// Returns an error unless the directory has the mark.
    pub(crate) fn require(&self, directory: &Path) -> Result<()> {
        let path: PathBuf = directory.join(MARK_FILE);
        let expected = format!("{MARK_WORD} {}\n", self.0);
        match read(&path)? {
            Some(found) if found == expected => Ok(()),
            found => Err(Error::NotPool {
                path: directory.to_path_buf(),
                cause: format!(
                    "it is not the second copy of this pool ({MARK_FILE} {}): if its disk is not mounted, mount it; \
                     for a new disk, name a directory on it that was not used before",
                    if found.is_some() { "is another's" } else { "is missing" }
                ),
            }),
        }
    }
}

/// Whether `directory` is a second copy, or one whose promotion was interrupted.
pub(crate) fn is_copy(directory: &Path) -> bool {
    [MARK_FILE, GIVEN_UP_FILE].iter().any(|name| directory.join(name).is_file())
}

/// Lets the pool whose copy this is not find its mark any more.
pub(crate) fn give_up_mark(directory: &Path) -> Result<()> {
    let (mark, given_up) = (directory.join(MARK_FILE), directory.join(GIVEN_UP_FILE));
    match std::fs::rename(&mark, given_up) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => File::open(directory).and_then(|directory| directory.sync_all()),
    }
    .map_err(failed(&mark, "give up the copy's mark"))
}

/// Removes what is left of the mark.
pub(crate) fn forget_mark(directory: &Path) -> Result<()> {
    let given_up = directory.join(GIVEN_UP_FILE);
    match std::fs::remove_file(&given_up) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(failed(&given_up, "remove the file")(error))
        }
        _ => Ok(()),
    }
}

fn random_mark() -> Result<String> {
    let mut bytes = [0; 16];
    let path = Path::new("/dev/urandom");
    File::open(path)
        .and_then(|mut file| file.read_exact(&mut bytes))
        .map_err(failed(path, "read random bytes"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Replaces a file in `directory` atomically and durably.
pub(crate) fn write_durably(directory: &Path, path: &Path, text: &str) -> Result<()> {
    let new = path.with_extension("new");
    let write = || {
        let mut file = File::create(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&new, path)?;
        File::open(directory)?.sync_all()
    };
    write().map_err(failed(path, "write the file"))
}
