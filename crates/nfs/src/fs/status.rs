//! The one place where the pool's errors become NFS statuses.

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
            // NFS4ERR_DQUOT would be for a user's quota; a volume is a file system, and this one is full.
            Error::NoSpace | Error::SizeBelowUsed { .. } => Status::NoSpc,
            // The daemon is going down. A client that waits finds the next one; one that is told of an
            // I/O error gives it to the application, and a Kafka broker takes its log directory offline.
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

/// What the client can do nothing about: it gets an I/O error, and the operator gets the reason.
fn failure(error: &Error) -> Status {
    tracing::error!(%error, "the pool failed; the client gets NFS4ERR_IO");
    Status::Io
}
