//! What the operations on extended attributes have in common (RFC 8276).
//!
//! Names are bytes, as those of files are; clients leave out Linux's `user.`, and may use nothing else. Who may read an
//! object's data may read its attributes, who may write it may set them: that is what ACCESS says, too.

use forebay_pool::{Error, Handle, NAME_BYTES_MAX};

use crate::compound::Context;
use crate::fs;
use crate::fs::access::{READ, WRITE, is_sticky_for, require};
use crate::fs::{FileHandle, Node};
use forebay_nfs_proto::xdr::Status;

/// The current object, if its attributes can be read. Directories above the volumes have none.
pub(super) async fn readable(context: &Context<'_>) -> Result<Option<Handle>, Status> {
    let node = fs::node(context.server, context.current()?).await?;
    require(&context.credential, &node, READ)?;
    Ok(match node.handle {
        FileHandle::Inode(handle) => Some(handle),
        FileHandle::Pseudo(_) => None,
    })
}

/// The current object, if its attributes can be set. In a directory with the sticky bit everyone may make names, so
/// there only the owner may.
pub(super) async fn writable(context: &Context<'_>) -> Result<Handle, Status> {
    let node: Node = fs::node(context.server, context.current()?).await?;
    if fs::is_read_only(context.server, node.handle)? {
        return Err(Status::RoFs);
    }
    require(&context.credential, &node, WRITE)?;
    if node.kind == forebay_pool::Kind::Directory && is_sticky_for(&context.credential, &node) {
        return Err(Status::Perm);
    }
    node.handle.writable()
}

/// [`Status::Inval`] and [`Status::NameTooLong`] as for names of files, [`Status::BadChar`] for what no system could show.
pub(super) fn check_name(name: &[u8]) -> Result<(), Status> {
    if name.is_empty() {
        Err(Status::Inval)
    } else if name.len() > NAME_BYTES_MAX {
        Err(Status::NameTooLong)
    } else if name.contains(&0) {
        Err(Status::BadChar)
    } else {
        Ok(())
    }
}

/// An attribute that is not there has an error of its own.
pub(super) fn status(error: Error) -> Status {
    match error {
        Error::NotFound(_) => Status::NoXattr,
        other => crate::fs::status_of(other),
    }
}
