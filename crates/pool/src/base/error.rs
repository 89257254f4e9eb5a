//! What can go wrong in the pool. Every message names the object, the cause and the remedy.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::calendar;
use super::mismatch::Mismatch;
use super::names::NAME_RULE;
use super::types::VolumeId;

/// An error in the parts that an operator needs. Programs match on the error itself, and never on these texts.
pub trait Explain {
    /// The object of the failed operation, such as `volume kafka`.
    fn object(&self) -> Option<String>;

    /// What happened, without the object.
    fn cause(&self) -> String;

    /// What the operator can do.
    fn remedy(&self) -> Option<String>;

    /// Writes `object: cause; remedy`.
    fn explain(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        if let Some(object) = self.object() {
            write!(formatter, "{object}: ")?;
        }
        formatter.write_str(&self.cause())?;
        match self.remedy() {
            Some(remedy) => write!(formatter, "; {remedy}"),
            None => Ok(()),
        }
    }
}

/// A thing that has a name in the pool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Object {
    /// An entry of a directory, by its name.
    Entry(String),
    /// An extended attribute of a file, by its name.
    ExtendedAttribute(String),
    /// A volume, by its name.
    Volume(String),
    /// A deleted volume that can be recovered, by its name or its id.
    DeletedVolume(String),
    /// A bucket, by its name.
    Bucket(String),
    /// A snapshot.
    Snapshot {
        /// The volume's name.
        volume: String,
        /// The snapshot's own name.
        name: String,
    },
    /// A path that clients mount, and the volume that is mounted there, above it or below it.
    JunctionPath {
        /// The path.
        path: String,
        /// The volume's name.
        volume: String,
        /// The path of the volume.
        volume_path: String,
    },
    /// A segment in `lost+found`, by its number in hexadecimal.
    LostSegment(String),
}

impl Object {
    /// A snapshot of that volume.
    pub fn snapshot(volume: impl Into<String>, name: impl Into<String>) -> Object {
        Object::Snapshot { volume: volume.into(), name: name.into() }
    }
}

impl Display for Object {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Object::Entry(name) => formatter.write_str(name),
            Object::ExtendedAttribute(name) => write!(formatter, "extended attribute {name}"),
            Object::Volume(name) => write!(formatter, "volume {name}"),
            Object::DeletedVolume(name) => write!(formatter, "deleted volume {name}"),
            Object::Bucket(name) => write!(formatter, "bucket {name}"),
            Object::Snapshot { volume, name } => write!(formatter, "snapshot {volume}@{name}"),
            Object::JunctionPath { path, .. } => write!(formatter, "junction path {path}"),
            Object::LostSegment(number) => write!(formatter, "segment {number} in lost+found"),
        }
    }
}

/// An argument that an operation does not accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The argument and its value, such as `volume name "a/b"`.
    pub argument: Option<String>,
    /// What is wrong with it, or what it must be.
    pub problem: String,
}

/// An error of the pool.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The handle's inode does not exist (any more).
    Stale,
    /// There is no such object.
    NotFound(Object),
    /// The name is taken.
    Exists(Object),
    /// The operation needs a directory.
    NotDirectory,
    /// The operation cannot be done to a directory.
    IsDirectory,
    /// The operation needs a symbolic link.
    NotSymlink,
    /// The operation needs a regular file.
    NotFile,
    /// The directory still has entries.
    NotEmpty,
    /// The name is longer than 255 bytes.
    NameTooLong,
    /// An argument is outside what the operation accepts.
    Invalid(Argument),
    /// The value of an extended attribute is too long.
    XattrTooLarge,
    /// The file would be larger than a file can be.
    FileTooLarge,
    /// The inode has as many names as it can have.
    TooManyLinks,
    /// The two handles are in different volumes.
    CrossVolume,
    /// The pool is full, or the volume has reached its size.
    NoSpace,
    /// A volume cannot be made smaller than what it holds.
    SizeBelowUsed {
        /// The volume's name.
        volume: String,
        /// The size that was asked for, in bytes.
        size: u64,
        /// What it holds, in bytes.
        used: u64,
    },
    /// A snapshot cannot be changed.
    ReadOnly,
    /// Other objects depend on it.
    InUse {
        /// What was to be deleted, or rolled back.
        what: InUse,
        /// What depends on it.
        by: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A snapshot is locked, so neither it nor what it belongs to can be deleted.
    SnapshotLocked {
        /// What was to be deleted, rolled back or changed.
        what: InUse,
        /// The snapshot.
        snapshot: String,
        /// Until when it is locked.
        until: SystemTime,
    },
    /// Several deleted volumes have this name.
    Ambiguous {
        /// The name.
        name: String,
        /// Their ids and when each was deleted.
        deleted: Vec<(VolumeId, SystemTime)>,
    },
    /// The volume still has files, or is in use. Holds its name.
    VolumeNotEmpty(String),
    /// Other operations kept changing the object, so that this one could not be carried out. Nothing was done.
    Contended(String),
    /// Stored bytes do not match their checksum. Nothing wrong is returned.
    Damaged(String),
    /// The pool is used by another process.
    Locked {
        /// The pool's directory.
        path: PathBuf,
    },
    /// The pool was written by a newer release.
    NewerFormat {
        /// The pool's directory.
        path: PathBuf,
        /// The format found.
        found: u32,
        /// The newest format that this release reads.
        known: u32,
    },
    /// The pool was written by a release whose format this one does not read.
    OlderFormat {
        /// The pool's directory.
        path: PathBuf,
        /// The format found.
        found: u32,
        /// The only format that this release reads.
        known: u32,
    },
    /// What was found in the pool's directory does not belong together. Nothing was changed.
    Refused {
        /// The pool's directory.
        path: PathBuf,
        /// What does not fit.
        mismatch: Box<Mismatch>,
        /// Segments that are in the directory; none if the pool does not lie in one.
        segments: Option<usize>,
    },
    /// The directory holds something that is not a pool.
    NotPool {
        /// The directory.
        path: PathBuf,
        /// What was found instead.
        cause: String,
    },
    /// The directory cannot be used for this: it does not hold what it should, or holds something else.
    Unusable {
        /// The directory.
        path: PathBuf,
        /// What was found instead, and what to do.
        cause: String,
    },
    /// The pool has the format of the former release, in which there is no such thing.
    NeedsFormat {
        /// What there is not.
        what: &'static str,
        /// The pool's format.
        found: u32,
        /// The first format that has it.
        needs: u32,
    },
    /// A backup cannot be made now.
    Backup {
        /// Why.
        cause: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// The operating system refused.
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// The process could not make sure that it may still change the pool's files. Nothing was written.
    NotPermitted(String),
    /// The metadata store failed.
    Meta(String),
    /// A store that is not in this machine: a database or a bucket.
    Remote {
        /// The database or bucket.
        object: String,
        /// What went wrong.
        cause: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Written data could not be made durable. The pool has stopped: nothing after this is acknowledged, because the system may have
    /// dropped what it could not write.
    Failed(String),
    /// The caller cancelled the operation.
    Cancelled,
    /// The pool is closing, or closed.
    Closed,
}

/// What [`Error::InUse`] is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InUse {
    /// The deletion of an object.
    Object(Object),
    /// The rollback of a volume to a snapshot.
    Rollback {
        /// The volume's name.
        volume: String,
        /// The snapshot's own name.
        snapshot: String,
    },
}

impl Display for InUse {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            InUse::Object(object) => write!(formatter, "{object}"),
            InUse::Rollback { volume, snapshot } => {
                write!(formatter, "rollback of volume {volume} to {snapshot}")
            }
        }
    }
}

/// What the pool's operations return.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A refusal of an argument by its name and value.
    pub(crate) fn invalid(argument: impl Into<String>, problem: impl Into<String>) -> Error {
        Error::Invalid(Argument { argument: Some(argument.into()), problem: problem.into() })
    }

    /// A refusal of arguments that do not go together.
    pub fn invalid_arguments(problem: impl Into<String>) -> Error {
        Error::Invalid(Argument { argument: None, problem: problem.into() })
    }

    /// A refusal of a name: of a `what` such as `volume`.
    pub(crate) fn invalid_name(what: &str, name: &str) -> Error {
        Error::invalid(format!("{what} name {name:?}"), format!("must be {NAME_RULE}"))
    }

    /// A refusal to open a pool; [`Error::in_pool`] says which.
    pub(crate) fn refused(mismatch: Mismatch) -> Error {
        Error::Refused { path: PathBuf::new(), mismatch: Box::new(mismatch), segments: None }
    }

    /// Names the pool in a refusal, and counts the segments in it.
    pub(crate) fn in_pool(self, directory: &Path, count: impl FnOnce() -> usize) -> Error {
        match self {
            Error::Refused { mismatch, .. } => {
                Error::Refused { path: directory.to_path_buf(), mismatch, segments: Some(count()) }
            }
            other => other,
        }
    }

    /// Names the pool in a refusal, where it does not lie in a directory.
    #[must_use]
    pub fn in_pool_at(self, place: &str) -> Error {
        match self {
            Error::Refused { mismatch, .. } => {
                Error::Refused { path: place.into(), mismatch, segments: None }
            }
            other => other,
        }
    }
}

impl Explain for Error {
    fn object(&self) -> Option<String> {
        let pool = |path: &Path| Some(format!("pool {}", path.display()));
        match self {
            Error::Stale => Some("stale handle".into()),
            Error::NotFound(object) | Error::Exists(object) => Some(object.to_string()),
            Error::NameTooLong => Some("name too long".into()),
            Error::Invalid(argument) => Some(argument.argument.clone().unwrap_or("invalid argument".into())),
            Error::XattrTooLarge => Some("extended attribute too large".into()),
            Error::FileTooLarge => Some("file too large".into()),
            Error::NoSpace => None,
            Error::SizeBelowUsed { volume, .. } | Error::VolumeNotEmpty(volume) => {
                Some(format!("volume {volume}"))
            }
            Error::ReadOnly => Some("read-only".into()),
            Error::InUse { what, .. } | Error::SnapshotLocked { what, .. } => Some(what.to_string()),
            Error::Ambiguous { name, .. } => Some(format!("deleted volume {name}")),
            Error::Contended(object) => Some(object.clone()),
            Error::Backup { .. } => Some("backup".into()),
            Error::NeedsFormat { what, .. } => Some((*what).into()),
            Error::Damaged(_) => Some("damaged data".into()),
            Error::Locked { path }
            | Error::NewerFormat { path, .. }
            | Error::OlderFormat { path, .. }
            | Error::Refused { path, .. } => pool(path),
            Error::NotPool { path, .. } | Error::Unusable { path, .. } | Error::Io { path, .. } => {
                Some(path.display().to_string())
            }
            Error::Meta(_) => Some("metadata store".into()),
            Error::Remote { object, .. } => Some(object.clone()),
            Error::NotDirectory
            | Error::IsDirectory
            | Error::NotSymlink
            | Error::NotFile
            | Error::NotEmpty
            | Error::TooManyLinks
            | Error::CrossVolume
            | Error::NotPermitted(_)
            | Error::Failed(_)
            | Error::Cancelled
            | Error::Closed => None,
        }
    }

    fn cause(&self) -> String {
        match self {
            Error::Stale => "the inode no longer exists".into(),
            Error::NotFound(_) => "not found".into(),
            Error::Exists(Object::JunctionPath { volume, volume_path, .. }) => {
                format!("already used by volume {volume} at {volume_path}")
            }
            Error::Exists(_) => "already exists".into(),
            Error::NotDirectory => "not a directory".into(),
            Error::IsDirectory => "is a directory".into(),
            Error::NotSymlink => "not a symbolic link".into(),
            Error::NotFile => "not a regular file".into(),
            Error::NotEmpty => "directory not empty".into(),
            Error::NameTooLong => "at most 255 bytes".into(),
            Error::Invalid(argument) => argument.problem.clone(),
            Error::XattrTooLarge => format!("at most {} bytes", super::limits::XATTR_BYTES_MAX),
            Error::FileTooLarge => format!("at most {} bytes", super::limits::FILE_SIZE_MAX),
            Error::TooManyLinks => "too many links".into(),
            Error::CrossVolume => "across volumes".into(),
            Error::NoSpace => {
                "no space left: delete files, or give the volume, or the pool, more space".into()
            }
            Error::SizeBelowUsed { size, used, .. } => {
                format!("cannot have a size of {size} bytes, because it holds {used}")
            }
            Error::ReadOnly => "a snapshot cannot be changed".into(),
            Error::InUse { by, .. } => format!("in use by {by}"),
            Error::SnapshotLocked { snapshot, until, .. } => {
                format!("snapshot {snapshot} is locked until {}", calendar::text(*until))
            }
            Error::Ambiguous { deleted, .. } => {
                let each =
                    deleted.iter().map(|(id, at)| format!("id:{:08x} deleted {}", id.0, calendar::text(*at)));
                format!(
                    "{} deleted volumes have this name: {}",
                    deleted.len(),
                    each.collect::<Vec<_>>().join(", ")
                )
            }
            Error::VolumeNotEmpty(_) => "not empty".into(),
            Error::Contended(_) => "other operations kept changing it".into(),
            Error::Damaged(what) => what.clone(),
            Error::Locked { .. } => "in use by another process".into(),
            Error::NewerFormat { found, known, .. } => {
                format!("format {found} is newer than this release knows ({known})")
            }
            Error::OlderFormat { found, known, .. } => {
                format!("format {found} is older than this release reads ({known})")
            }
            Error::Refused { mismatch, segments, .. } => {
                let count = segments.map(|count| format!(" ({count} segments are there)"));
                format!("{mismatch}; nothing was changed{}", count.unwrap_or_default())
            }
            Error::NotPool { cause, .. } | Error::Unusable { cause, .. } => cause.clone(),
            Error::Backup { cause, .. } => (*cause).to_owned(),
            Error::NeedsFormat { found, needs, .. } => {
                format!(
                    "needs format {needs}, and the pool has format {found}, which the former release can read"
                )
            }
            Error::Io { action, source, .. } => format!("{action}: {source}"),
            Error::NotPermitted(what) => {
                format!("nothing was written, because the pool may belong to another process: {what}")
            }
            Error::Meta(what) => what.clone(),
            Error::Remote { cause, .. } => cause.clone(),
            Error::Failed(what) => {
                format!("the pool has stopped, because writing to stable storage failed: {what}")
            }
            Error::Cancelled => "cancelled".into(),
            Error::Closed => "the pool is closing".into(),
        }
    }

    fn remedy(&self) -> Option<String> {
        let remedy = match self {
            Error::NotFound(Object::Volume(_)) => "`forebay volume list` shows all volumes",
            Error::Exists(Object::Volume(_) | Object::Bucket(_) | Object::Snapshot { .. }) => {
                "choose another name"
            }
            Error::NotFound(Object::DeletedVolume(_)) => "`forebay volume list --deleted` shows all of them",
            Error::SnapshotLocked { .. } => "nobody can end a lock early; wait until it is over",
            Error::Ambiguous { .. } => "give the id of one of them in place of the name",
            Error::NotFound(Object::Bucket(_)) => "`forebay bucket list` shows all buckets",
            Error::NotFound(Object::Snapshot { .. }) => "`forebay snapshot list` shows all snapshots",
            Error::Exists(Object::JunctionPath { .. }) => "choose a path that is not below or above it",
            Error::SizeBelowUsed { .. } => "delete files first",
            Error::ReadOnly => "clone it to get a volume that can be changed",
            Error::InUse { remedy, .. } => remedy,
            Error::VolumeNotEmpty(_) => "delete its files first",
            Error::Contended(_) => "try again",
            Error::Locked { .. } => "stop it first, or choose another pool directory",
            Error::NewerFormat { .. } => "use the newer release",
            Error::OlderFormat { .. } => {
                "copy its files with the older release, or choose an empty directory"
            }
            Error::Refused { segments: None, mismatch, .. }
                if matches!(
                    **mismatch,
                    Mismatch::OtherPool { .. }
                        | Mismatch::NoSegments { .. }
                        | Mismatch::Empty { .. }
                        | Mismatch::NoPool
                ) =>
            {
                "name the database and the place of the segments that belong to each other, and mount that place; if some are lost, \
                 `forebay pool recover` says what is left"
            }
            Error::Refused { segments: None, .. } => {
                "let the server write that has everything, or name the place that belongs to it; `forebay pool recover` says what \
                 would be lost otherwise, and with --accept-loss opens the pool with the metadata that is there"
            }
            Error::Refused { .. } => {
                "put back what is missing (mount its disk, or restore it from a backup that holds all of the directory), make the \
                 second copy the pool if there is one (`forebay pool promote`), or see what can be had without it: `forebay pool recover` opens the pool with the metadata that is there and says first what that \
                 loses, `forebay pool salvage` reads records out of the segments alone"
            }
            Error::Backup { remedy, .. } | Error::Remote { remedy, .. } => remedy,
            Error::NeedsFormat { .. } => {
                "run `forebay pool upgrade --finalize` if you need no way back to that release"
            }
            Error::NotPool { .. } => "choose an empty directory or an existing pool",
            Error::Failed(_) => "check the disk, then restart",
            Error::NotPermitted(_) => "check the pool's file system, then restart",
            _ => return None,
        };
        Some(remedy.to_owned())
    }
}

impl Display for Error {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        self.explain(formatter)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_object_the_cause_and_the_remedy() {
        let error = Error::NotFound(Object::Volume("kafka".into()));
        assert_eq!(error.object().as_deref(), Some("volume kafka"));
        assert_eq!(error.to_string(), "volume kafka: not found; `forebay volume list` shows all volumes");
        let error = Error::invalid_name("volume", "a/b");
        assert!(error.to_string().starts_with("volume name \"a/b\": must be 1 to 64"), "{error}");
        assert_eq!(Error::IsDirectory.to_string(), "is a directory");
    }
}
