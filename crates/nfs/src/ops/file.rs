//! What operations on open files have in common: the current filehandle must be a regular file's.

use forebay_pool::{Error, Handle, Kind};

use crate::compound::Context;
use crate::fs::FileHandle;
use crate::xdr::Status;

/// The current filehandle's inode, which may turn out not to be a file. Directories of the pseudo file
/// system are none for sure.
pub(super) fn inode(context: &Context<'_>) -> Result<Handle, Status> {
    match context.current()? {
        FileHandle::Inode(handle) => Ok(handle),
        FileHandle::Pseudo(_) => Err(Status::IsDir),
    }
}

/// The current filehandle's inode, for an operation on a stateid: of what is above the volumes there are none.
pub(super) fn opened(context: &Context<'_>) -> Result<Handle, Status> {
    match context.current()? {
        FileHandle::Inode(handle) => Ok(handle),
        FileHandle::Pseudo(_) => Err(Status::BadStateid),
    }
}

/// The status for an error of the pool. What is not a file has one of its own for each kind of object:
/// ISDIR, SYMLINK, and WRONG_TYPE for the rest (RFC 8881 §18.22.3).
pub(super) async fn status(context: &Context<'_>, handle: Handle, error: Error) -> Status {
    let Error::NotFile = error else { return error.into() };
    match context.server.pool.getattr(handle).await {
        Ok(attributes) if matches!(attributes.kind, Kind::Symlink(_)) => Status::Symlink,
        _ => Status::WrongType,
    }
}
