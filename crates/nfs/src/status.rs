//! Converts the pool's errors to NFS statuses; this is the only place that does.

use forebay_nfs_proto::xdr::Status;
use forebay_pool::Error;

/// Turns the outcome of a pool operation into that of an NFS operation.
pub trait OrStatus<T> {
    /// The value, or the status that the client gets.
    fn or_status(self) -> Result<T, Status>;
}

impl<T> OrStatus<T> for forebay_pool::Result<T> {
    fn or_status(self) -> Result<T, Status> {
        self.map_err(status_of)
    }
}

/// The status that a client gets for an error of the pool.
pub fn status_of(error: Error) -> Status {
    match error {
        Error::Stale => Status::Stale,
        Error::NotFound(_) => Status::NoEnt,
        Error::Exists(_) => Status::Exist,
        Error::NotDirectory => Status::NotDir,
        Error::IsDirectory => Status::IsDir,
        Error::NotSymlink | Error::NotFile => Status::WrongType,
        Error::ReadOnly => Status::RoFs,
        Error::InUse { .. } => Status::FileOpen,
        Error::NotEmpty | Error::VolumeNotEmpty(_) => Status::NotEmpty,
        Error::NameTooLong => Status::NameTooLong,
        Error::Invalid(_) => Status::Inval,
        Error::FileTooLarge => Status::FBig,
        Error::XattrTooLarge => Status::Xattr2Big,
        Error::TooManyLinks => Status::MLink,
        Error::CrossVolume => Status::XDev,
        // NFS4ERR_DQUOT would be for a user's quota; a volume is a file system, and this one is full.
        Error::NoSpace | Error::SizeBelowUsed { .. } => Status::NoSpc,
        // The client tries again.
        Error::Contended(_) => Status::Delay,
        // The daemon is going down. A client that waits finds the next one; one that gets an
        // I/O error gives it to the application, and a Kafka broker takes its log directory offline.
        Error::Closed => Status::Delay,
        // Nothing was written. The daemon gives the pool up if this goes on.
        Error::NotPermitted(_) => Status::Delay,
        Error::Damaged(_)
        | Error::Io { .. }
        | Error::Meta(_)
        | Error::Locked { .. }
        | Error::NewerFormat { .. }
        | Error::OlderFormat { .. }
        | Error::NotPool { .. }
        | Error::Unusable { .. }
        | Error::NeedsFormat { .. }
        | Error::Backup { .. } => failure(&error),
        other => failure(&other),
    }
}

/// The client gets an I/O error, since it cannot do anything about the failure, and the log has the reason
/// for the operator.
fn failure(error: &Error) -> Status {
    tracing::error!(%error, "the pool failed; the client gets NFS4ERR_IO");
    Status::Io
}
