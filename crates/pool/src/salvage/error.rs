//! Why a salvage did not run, or did not run to its end. What it could not recover is no error: the report has it.

use std::io;
use std::path::{Path, PathBuf};

/// An error of a salvage. Every message names the object, the cause and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to read.
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
    /// The directory to write into has something in it.
    #[error("{path}: not empty, and nothing in it is overwritten; name a directory that is new or empty")]
    TargetNotEmpty {
        /// The directory.
        path: PathBuf,
    },
    /// The directory to write into is a part of what is read.
    #[error("{path}: lies within {from}, which is only read; name a directory outside of it")]
    TargetInSource {
        /// The directory to write into.
        path: PathBuf,
        /// The directory that is read.
        from: PathBuf,
    },
    /// The file system has too little room.
    #[error(
        "{path}: {needed} bytes would be written, and the file system has room for {available}; free space, or name a directory on another file system"
    )]
    NoRoom {
        /// The directory to write into.
        path: PathBuf,
        /// Bytes that would be written.
        needed: u64,
        /// Bytes that are free.
        available: u64,
    },
    /// There are more chunks than this release can keep track of.
    #[error("{path}: more than 4 billion chunks in all; salvage a part of the segments at a time")]
    TooMany {
        /// The segment in which they became too many.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("{path}: {action}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was tried, and what may help.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

/// What a salvage returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Makes an error of the system one that says what was tried.
pub(super) fn failed(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Io { path, action, source }
}
