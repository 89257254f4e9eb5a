//! The errors that stop a salvage. Data that it could not recover is not an error: it is listed in the report.

use std::io;
use std::path::{Path, PathBuf};

/// An error of a salvage. Every message names the object, the cause and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There are no segments to read.
    #[error(
        "{path}: holds no segments; name a pool's directory, the directory of its second copy, or a folder of .seg files"
    )]
    NoSegments {
        /// The directory.
        path: PathBuf,
    },
    /// A daemon has the pool open.
    #[error("pool {path}: in use by another process, which may delete segments at any time; stop it first")]
    InUse {
        /// The pool's directory.
        path: PathBuf,
    },
    /// The target directory is not empty.
    #[error("{path}: not empty, and nothing in it is overwritten; name a directory that is new or empty")]
    TargetNotEmpty {
        /// The directory.
        path: PathBuf,
    },
    /// The target directory is inside a source.
    #[error("{path}: lies within {from}, which is only read; name a directory outside of it")]
    TargetInSource {
        /// The target directory.
        path: PathBuf,
        /// The source directory.
        from: PathBuf,
    },
    /// The file system has too little free space.
    #[error(
        "{path}: {needed} bytes would be written, and the file system has room for {available}; free space, or name a directory on another file system"
    )]
    NoRoom {
        /// The target directory.
        path: PathBuf,
        /// The number of bytes to write.
        needed: u64,
        /// The number of free bytes.
        available: u64,
    },
    /// There are more chunks than this release can keep track of.
    #[error("{path}: more than 4 billion chunks in all; salvage a part of the segments at a time")]
    TooMany {
        /// The segment that exceeded the limit.
        path: PathBuf,
    },
    /// The operating system returned an error.
    #[error("{path}: {action}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The failed action, and what may help.
        action: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
}

/// The result of a salvage.
pub type Result<T> = std::result::Result<T, Error>;

/// Adds the path and the failed action to an error of the operating system.
pub(super) fn failed(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Io { path, action, source }
}
