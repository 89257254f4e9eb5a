//! Backups: the metadata of one instant, and the segments that it needs, in a directory elsewhere, made while the pool serves.
//! docs/decisions/0050-backups-are-metadata-and-segments.md has the reasons.
//!
//! [`take`] makes one, [`verify`] reads one as a whole, [`restore`] makes a pool of one. `repository.rs` draws the directory.

mod files;
mod manifest;
mod repository;
mod restore;
mod stream;
mod take;
mod verify;

pub(crate) use restore::restore;
pub(crate) use verify::verify;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::SystemTime;

use repository::Repository;
use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// How a backup is made.
#[derive(Clone, Debug, Default)]
pub struct BackupOptions {
    /// The number of backups to keep in the directory, the new one included; `None` keeps all.
    pub keep: Option<usize>,
    /// The maximum rate of copying, in bytes per second.
    pub bytes_per_second: Option<u64>,
    /// The directory must be the one with this [`BackupReport::repository`]. Otherwise an empty directory will do, too.
    pub repository: Option<String>,
}

/// A finished backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backup {
    /// Its name: the instant in UTC, and a number if that is taken.
    pub name: String,
    /// The id of the pool that it is of.
    pub pool: String,
    /// The release that made it.
    pub release: String,
    /// The instant that it shows.
    pub taken: SystemTime,
    /// When it was finished.
    pub finished: SystemTime,
    /// The names of the volumes and buckets in it.
    pub volumes: Vec<String>,
    /// The bytes of all segments that it needs.
    pub bytes: u64,
    /// The bytes that were copied for it; the other ones were there already.
    pub bytes_copied: u64,
    /// The number of frames that were damaged in the pool, and so are damaged in it.
    pub damaged: u64,
}

/// The outcome of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupReport {
    /// The backup.
    pub backup: Backup,
    /// The random number of the directory, for [`BackupOptions::repository`].
    pub repository: String,
    /// The number of older backups that were removed.
    pub removed: u64,
}

/// The backups in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupList {
    /// All backups that can be used, the oldest first.
    pub backups: Vec<Backup>,
    /// What is wrong with the other ones.
    pub broken: Vec<String>,
}

/// The outcome of verifying a backup, or of a restore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyReport {
    /// The backup.
    pub backup: Backup,
    /// The number of metadata records that were read.
    pub records: u64,
    /// The number of frames that were read, and their bytes.
    pub frames: u64,
    /// Bytes of these frames.
    pub bytes: u64,
    /// Descriptions of frames that are missing or damaged, at most [`VerifyReport::DESCRIBED_MAX`].
    pub damage: Vec<String>,
    /// The number of frames that are missing or damaged.
    pub damaged: u64,
}

impl VerifyReport {
    /// The maximum number of frames that are described.
    pub const DESCRIBED_MAX: usize = 100;
}

/// Watches the making of a backup, its verification or a restore, and can cancel it.
#[derive(Debug, Default)]
pub struct BackupWatch {
    done: AtomicU64,
    total: AtomicU64,
    cancelled: AtomicBool,
}

impl BackupWatch {
    /// The number of bytes that were copied and verified, and of all that will be. The latter is 0 before it is known.
    pub fn bytes(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }

    /// Asks the work to end soon with [`Error::Cancelled`].
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    pub(crate) fn expect(&self, bytes: u64) {
        self.total.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn count(&self, bytes: u64) {
        self.done.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn go_on(&self) -> Result<()> {
        if self.cancelled.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// The backups in `directory`.
pub(crate) fn list(directory: &Path) -> Result<BackupList> {
    let (whole, broken) = Repository::open_to_read(directory)?.list()?;
    Ok(BackupList {
        backups: whole.iter().map(manifest::Manifest::described).collect(),
        broken: broken.iter().map(ToString::to_string).collect(),
    })
}
