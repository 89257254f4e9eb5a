//! The directory that holds the backups of one pool.
//!
//! ```text
//! FOREBAY-BACKUPS    "forebay-backups 1 POOL REPOSITORY\n": the pool's id, and a random number of the directory
//! LOCK               locked exclusively (flock) by the process that changes the directory
//! backups/NAME.json  a manifest; written last. Locked (flock) while the backup is read, so that it is not pruned
//! backups/NAME.meta  the metadata of that backup
//! segments/ID.seg    the beginning of a segment, or all of it; shared by all backups
//! incoming/          a segment that is being copied
//! ```
//! Segments are only appended to, so a longer copy serves every backup that needs a shorter one. A file is in `segments` only after all of
//! it is durable. What no manifest names is a leftover, and goes with the next backup that is removed.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

use super::files::{self, failed};
use super::manifest::Manifest;
use crate::format::keys::SegmentId;
use crate::store::home;
use crate::{Error, PoolId, Result};

const MARK_FILE: &str = "FOREBAY-BACKUPS";
const MARK_WORD: &str = "forebay-backups 1";
const LOCK_FILE: &str = "LOCK";
const BACKUPS: &str = "backups";
const SEGMENTS: &str = "segments";
const INCOMING: &str = "incoming";

/// Keeps a backup from being pruned, also by another machine, until it is dropped or the process ends.
pub(crate) struct Hold {
    /// `None` if the file system knows no locks.
    _manifest: Option<File>,
}

/// See the module.
pub(crate) struct Repository {
    directory: PathBuf,
    pool: String,
    id: String,
    /// `None` if the directory is only read.
    _lock: Option<File>,
}

impl Repository {
    /// Opens the backups in `directory` to add one of `pool`, and locks them. An empty directory becomes one for backups, unless `known` says
    /// which ones were there before.
    pub(crate) fn open(directory: &Path, pool: PoolId, known: Option<&str>) -> Result<Repository> {
        if known.is_none() {
            std::fs::create_dir_all(directory)
                .map_err(failed(directory, "create the directory for backups"))?;
        }
        let lock = || {
            let lock = files::create_private(&directory.join(LOCK_FILE));
            let lock = lock.map_err(failed(&directory.join(LOCK_FILE), "open the lock file"))?;
            home::locked(directory, lock)
        };
        let Some((of, id)) = read_mark(directory)? else {
            if known.is_some() {
                return Err(no_backups(
                    directory,
                    "it has no FOREBAY-BACKUPS file, and it had one: if its disk is not mounted, mount it; to begin again in this \
                     directory, back up there once by hand with --new",
                ));
            }
            require_empty(directory)?;
            let lock = lock()?;
            let id = random_id()?;
            let (pool, text) = (pool.to_string(), format!("{MARK_WORD} {pool} {id}\n"));
            for part in [BACKUPS, SEGMENTS, INCOMING] {
                let part = directory.join(part);
                std::fs::create_dir_all(&part).map_err(failed(&part, "create the directory"))?;
            }
            files::put(directory, MARK_FILE, &text)?;
            return Ok(Repository { directory: directory.to_path_buf(), pool, id, _lock: Some(lock) });
        };
        if of != pool.to_string() {
            let cause =
                format!("it has backups of another pool, {of}; this one is {pool}: choose another directory");
            return Err(no_backups(directory, &cause));
        }
        if known.is_some_and(|known| known != id) {
            return Err(no_backups(
                directory,
                "it has other backups of this pool than before: if another disk belongs there, mount it; to go on in this directory, back up \
                 there once by hand with --new",
            ));
        }
        Ok(Repository { directory: directory.to_path_buf(), pool: of, id, _lock: Some(lock()?) })
    }

    /// Opens the backups in `directory` for reading.
    pub(crate) fn open_to_read(directory: &Path) -> Result<Repository> {
        let Some((pool, id)) = read_mark(directory)? else {
            return Err(no_backups(directory, "it has no FOREBAY-BACKUPS file"));
        };
        Ok(Repository { directory: directory.to_path_buf(), pool, id, _lock: None })
    }

    /// The random number of the directory.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn segments(&self) -> PathBuf {
        self.directory.join(SEGMENTS)
    }

    pub(crate) fn incoming(&self) -> PathBuf {
        self.directory.join(INCOMING)
    }

    fn backups(&self) -> PathBuf {
        self.directory.join(BACKUPS)
    }

    pub(crate) fn metadata(&self, name: &str) -> PathBuf {
        self.backups().join(format!("{name}.meta"))
    }

    fn manifest(&self, name: &str) -> PathBuf {
        self.backups().join(format!("{name}.json"))
    }

    /// The names of all files that end so, without the end.
    fn names(&self, end: &str) -> Result<Vec<String>> {
        let directory = self.backups();
        let list = || -> io::Result<Vec<String>> {
            let mut names = Vec::new();
            for entry in std::fs::read_dir(&directory)? {
                let name = entry?.file_name().into_string();
                names.extend(name.ok().and_then(|name| name.strip_suffix(end).map(str::to_owned)));
            }
            Ok(names)
        };
        list().map_err(failed(&directory, "list the backups"))
    }

    /// All backups, the oldest first, and the errors of those that cannot be used.
    pub(crate) fn list(&self) -> Result<(Vec<Manifest>, Vec<Error>)> {
        let (mut whole, mut broken) = (Vec::new(), Vec::new());
        for name in self.names(".json")? {
            match self.read(&name) {
                Ok(manifest) => whole.push(manifest),
                Err(error) => broken.push(error),
            }
        }
        whole.sort_by_key(|manifest| manifest.number);
        Ok((whole, broken))
    }

    fn read(&self, name: &str) -> Result<Manifest> {
        let path = self.manifest(name);
        let text = files::read(&path)?;
        let text = text.ok_or_else(|| no_backups(&self.directory, &format!("it has no backup {name}")))?;
        let manifest = Manifest::parse(&path, &text)?;
        if manifest.name != name || manifest.pool != self.pool {
            let of = (&manifest.name, &manifest.pool);
            return Err(Error::Damaged(format!(
                "{} describes backup {} of pool {}",
                path.display(),
                of.0,
                of.1
            )));
        }
        Ok(manifest)
    }

    /// The backup with this name; without one, the newest.
    pub(crate) fn find(&self, name: Option<&str>) -> Result<Manifest> {
        if let Some(name) = name {
            let names = self.names(".json")?;
            if !names.iter().any(|there| there == name) {
                let cause = format!("it has no backup {name:?}; `forebay pool backups` lists them");
                return Err(no_backups(&self.directory, &cause));
            }
            return self.read(name);
        }
        let (whole, broken) = self.list()?;
        match (whole.into_iter().next_back(), broken.into_iter().next()) {
            (Some(newest), _) => Ok(newest),
            (None, Some(error)) => Err(error),
            (None, None) => Err(no_backups(&self.directory, "it has no finished backup")),
        }
    }

    /// Like [`Repository::find`], and keeps the backup from being pruned.
    pub(crate) fn hold(&self, name: Option<&str>) -> Result<(Manifest, Hold)> {
        loop {
            let manifest = self.find(name)?;
            let path = self.manifest(&manifest.name);
            let file = match File::open(&path) {
                Ok(file) => file,
                // It was pruned since.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(&path, "open the backup")(error)),
            };
            let is_locked = lock_of(&file, FlockOperation::LockShared)
                .map_err(failed(&path, "keep the backup from being pruned"))?;
            let is_there = file
                .metadata()
                .ok()
                .zip(std::fs::metadata(&path).ok())
                .is_some_and(|(held, there)| (held.dev(), held.ino()) == (there.dev(), there.ino()));
            if is_there {
                return Ok((manifest, Hold { _manifest: is_locked.then_some(file) }));
            }
        }
    }

    /// Removes a manifest, unless somebody reads its backup.
    fn remove_unheld(&self, name: &str) -> Result<bool> {
        let path = self.manifest(name);
        // Over NFS, an exclusive lock takes a file that is open for writing.
        let opened = File::options().read(true).write(true).open(&path);
        let file = opened.map_err(failed(&path, "open the backup"))?;
        match lock_of(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(_) => files::remove(&path).map(|()| true),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(failed(&path, "lock the backup")(error)),
        }
    }

    /// Adds a backup, durably. All that it names must be durable.
    pub(crate) fn add(&self, manifest: &Manifest) -> Result<()> {
        files::sync_directory(&self.segments())?;
        files::put(&self.backups(), &format!("{}.json", manifest.name), &manifest.text()?)
    }

    /// Removes all but the newest `keep` backups and those that are being read, and what no backup needs. Returns how many backups were
    /// removed. A manifest that cannot be read may need any segment, so then nothing is removed.
    pub(crate) fn prune(&self, keep: usize) -> Result<u64> {
        let (whole, broken) = self.list()?;
        if let Some(error) = broken.into_iter().next() {
            return Err(error);
        }
        let many = whole.len().saturating_sub(keep.max(1));
        let mut kept = Vec::new();
        for (index, manifest) in whole.iter().enumerate() {
            if index >= many {
                kept.push(manifest);
            } else if !self.remove_unheld(&manifest.name)? {
                tracing::info!(
                    backup = manifest.name,
                    "an old backup is being read, and stays until the next one is made"
                );
                kept.push(manifest);
            }
        }
        let removed = whole.len() - kept.len();
        if removed > 0 {
            files::sync_directory(&self.backups())?;
        }
        let names: BTreeSet<&str> = kept.iter().map(|manifest| manifest.name.as_str()).collect();
        for name in self.names(".meta")? {
            if !names.contains(name.as_str()) {
                files::remove(&self.metadata(&name))?;
            }
        }
        let mut needed = BTreeSet::new();
        for manifest in kept {
            needed.extend(manifest.segments()?.into_iter().map(|(id, _)| id));
        }
        for id in self.segments_there()? {
            if !needed.contains(&id) {
                files::remove(&segment_in(&self.segments(), id))?;
            }
        }
        Ok(removed as u64)
    }

    fn segments_there(&self) -> Result<Vec<SegmentId>> {
        use crate::store::segment::{FileSegments, SegmentStore};
        let listed = FileSegments::open_to_read(&self.segments()).list()?;
        Ok(listed.into_iter().map(|(id, _)| id).collect())
    }
}

/// Locks a file; `false` if its file system knows no locks.
fn lock_of(file: &File, how: FlockOperation) -> io::Result<bool> {
    use rustix::io::Errno;
    match rustix::fs::flock(file, how) {
        Ok(()) => Ok(true),
        Err(Errno::NOSYS | Errno::NOTSUP | Errno::NOLCK) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}

/// The file of a segment in a directory of segments.
pub(crate) fn segment_in(directory: &Path, id: SegmentId) -> PathBuf {
    directory.join(format!("{id}.seg"))
}

fn no_backups(directory: &Path, cause: &str) -> Error {
    Error::Unusable { path: directory.to_path_buf(), cause: cause.to_owned() }
}

fn read_mark(directory: &Path) -> Result<Option<(String, String)>> {
    let Some(text) = files::read(&directory.join(MARK_FILE))? else { return Ok(None) };
    let words = text.strip_suffix('\n').and_then(|line| line.strip_prefix(MARK_WORD)?.strip_prefix(' '));
    let (pool, id) = words.and_then(|words| words.split_once(' ')).ok_or_else(|| {
        no_backups(directory, "its FOREBAY-BACKUPS file is not one that this release writes")
    })?;
    Ok(Some((pool.to_owned(), id.to_owned())))
}

/// An interrupted creation may have left a lock and directories.
fn require_empty(directory: &Path) -> Result<()> {
    let own = ["lost+found", LOCK_FILE, BACKUPS, SEGMENTS, INCOMING, "FOREBAY-BACKUPS.new"];
    if home::Home::is_in(directory) {
        return Err(no_backups(directory, "it holds a pool"));
    }
    let entries = std::fs::read_dir(directory).map_err(failed(directory, "list the directory"))?;
    for entry in entries {
        let entry = entry.map_err(failed(directory, "list the directory"))?;
        let name = entry.file_name();
        let is_own = own.iter().any(|own| name == *own);
        let is_empty = || std::fs::read_dir(entry.path()).is_ok_and(|mut entries| entries.next().is_none());
        if !is_own || (entry.path().is_dir() && name != "lost+found" && !is_empty()) {
            let cause = format!(
                "it holds {} and no FOREBAY-BACKUPS file: name an empty directory, or one that holds backups of this pool",
                name.to_string_lossy()
            );
            return Err(no_backups(directory, &cause));
        }
    }
    Ok(())
}

fn random_id() -> Result<String> {
    use crate::base::sources::{Entropy, SystemEntropy};
    let mut bytes = [0; 8];
    SystemEntropy::new()?.fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
