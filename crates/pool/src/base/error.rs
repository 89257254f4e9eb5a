//! What can go wrong in the pool. Every message names the object, the cause and what to do.

use std::path::{Path, PathBuf};

use crate::Mismatch;

/// An error of the pool.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The handle's inode does not exist (any more).
    #[error("stale handle: the inode no longer exists")]
    Stale,
    /// No entry of that name, or no volume of that name.
    #[error("{0}: not found")]
    NotFound(String),
    /// The name is taken.
    #[error("{0}: already exists")]
    Exists(String),
    /// The operation needs a directory.
    #[error("not a directory")]
    NotDirectory,
    /// The operation cannot be done to a directory.
    #[error("is a directory")]
    IsDirectory,
    /// The operation needs a symbolic link.
    #[error("not a symbolic link")]
    NotSymlink,
    /// The operation needs a regular file.
    #[error("not a regular file")]
    NotFile,
    /// The directory still has entries.
    #[error("directory not empty")]
    NotEmpty,
    /// The name is longer than 255 bytes.
    #[error("name too long: at most 255 bytes")]
    NameTooLong,
    /// An argument is outside what the operation takes.
    #[error("invalid argument: {0}")]
    Invalid(String),
    /// The value of an extended attribute is too long.
    #[error("extended attribute too large: at most {max} bytes", max = crate::XATTR_BYTES_MAX)]
    XattrTooLarge,
    /// The file would be larger than a file can be.
    #[error("file too large: at most {max} bytes", max = crate::FILE_SIZE_MAX)]
    FileTooLarge,
    /// The inode has as many names as it can have.
    #[error("too many links")]
    TooManyLinks,
    /// The two handles are in different volumes.
    #[error("across volumes")]
    CrossVolume,
    /// The pool is full, or the volume has reached its size: delete files, or give it more space.
    #[error("no space left: delete files, or give the volume, or the pool, more space")]
    NoSpace,
    /// A volume cannot be made smaller than what it holds.
    #[error("volume {volume}: cannot have a size of {size} bytes, as it holds {used}; delete files first")]
    SizeBelowUsed {
        /// The volume's name.
        volume: String,
        /// The size that was asked for, in bytes.
        size: u64,
        /// What it holds, in bytes.
        used: u64,
    },
    /// A snapshot cannot be changed.
    #[error("read-only: a snapshot cannot be changed; clone it to have a volume that can")]
    ReadOnly,
    /// Something depends on it.
    #[error("{what}: in use by {by}; {remedy}")]
    InUse {
        /// What was to be deleted, or rolled back.
        what: String,
        /// What depends on it.
        by: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The volume still has files, or is in use.
    #[error("volume {0}: not empty; delete its files first")]
    VolumeNotEmpty(String),
    /// Stored bytes do not match their checksum. Nothing wrong is returned.
    #[error("damaged data: {0}")]
    Damaged(String),
    /// The pool is used by another process.
    #[error("pool {path}: in use by another process; stop it first, or choose another data directory")]
    Locked {
        /// The pool's directory.
        path: PathBuf,
    },
    /// The pool was written by a newer release.
    #[error("pool {path}: format {found} is newer than this release knows ({known}); use the newer release")]
    NewerFormat {
        /// The pool's directory.
        path: PathBuf,
        /// The format found.
        found: u32,
        /// The newest format that this release reads.
        known: u32,
    },
    /// The pool was written by a release whose format this one does not read.
    #[error(
        "pool {path}: format {found} is older than this release reads ({known}); copy its files with the older release, or choose an empty directory"
    )]
    OlderFormat {
        /// The pool's directory.
        path: PathBuf,
        /// The format found.
        found: u32,
        /// The only format that this release reads.
        known: u32,
    },
    /// What was found in the pool's directory does not belong together. Nothing was changed.
    #[error(
        "pool {path}: {mismatch}; nothing was changed ({segments} segments are there); put back what is missing (mount its disk, or \
         restore it from a backup that holds all of the directory), or see what can be had without it: `forebay pool recover` opens \
         the pool with the metadata that is there and says first what that loses, `forebay pool salvage` reads records out of the segments alone"
    )]
    Refused {
        /// The pool's directory.
        path: PathBuf,
        /// What does not fit.
        mismatch: Box<Mismatch>,
        /// Segments that are in the directory.
        segments: usize,
    },
    /// The directory holds something that is not a pool.
    #[error("{path}: {cause}; choose an empty directory or an existing pool")]
    NotPool {
        /// The directory.
        path: PathBuf,
        /// What was found instead.
        cause: String,
    },
    /// The operating system refused.
    #[error("{path}: {action}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// The metadata store failed.
    #[error("metadata store: {0}")]
    Meta(String),
    /// Something written could not be made durable. The pool has stopped: nothing after this is acknowledged,
    /// because the system may have dropped what it could not write.
    #[error(
        "the pool has stopped, because writing to stable storage failed: {0}; check the disk, then restart"
    )]
    Failed(String),
    /// Whoever asked for it did not want it any more.
    #[error("cancelled")]
    Cancelled,
    /// The pool is closing.
    #[error("the pool is closing")]
    Closed,
}

/// What the pool's operations return.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A refusal to open a pool; [`Error::in_pool`] says which.
    pub(crate) fn refused(mismatch: Mismatch) -> Error {
        Error::Refused { path: PathBuf::new(), mismatch: Box::new(mismatch), segments: 0 }
    }

    /// Names the pool in a refusal, and counts the segments in it.
    pub(crate) fn in_pool(self, directory: &Path, count: impl FnOnce() -> usize) -> Error {
        match self {
            Error::Refused { mismatch, .. } => {
                Error::Refused { path: directory.to_path_buf(), mismatch, segments: count() }
            }
            other => other,
        }
    }
}
