//! Converts the pool's errors to NFS statuses; this is the only place that does.

use forebay_pool::Error;

use crate::xdr::Status;

impl From<Error> for Status {
    fn from(error: Error) -> Status {
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
            // NFS4ERR_DQUOT would mean a user's quota; a volume is a file system, and it is full.
            Error::NoSpace | Error::SizeBelowUsed { .. } => Status::NoSpc,
            // The daemon is shutting down. A client that waits finds the next daemon. An I/O error would
            // reach the application, and a Kafka broker takes its log directory offline.
            Error::Closed => Status::Delay,
            Error::Damaged(_)
            | Error::Io { .. }
            | Error::Meta(_)
            | Error::Locked { .. }
            | Error::NewerFormat { .. }
            | Error::OlderFormat { .. }
            | Error::NotPool { .. } => failure(&error),
            other => failure(&other),
        }
    }
}

/// The client gets an I/O error, since it cannot do anything about the failure, and the log has the reason
/// for the operator.
fn failure(error: &Error) -> Status {
    tracing::error!(%error, "the pool failed; the client gets NFS4ERR_IO");
    Status::Io
}
