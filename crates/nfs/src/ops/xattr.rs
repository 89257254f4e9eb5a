//! Shared code of the operations on extended attributes (RFC 8276).
//!
//! Names are bytes, like file names. Clients omit Linux's `user.` prefix, and can use no other namespace. A
//! caller who may read an object's data may read its attributes, and one who may write it may set them;
//! ACCESS reports the same.
//!
//! One attribute of a regular file is not stored: [`SOURCE`]. It is not listed, and can be neither set nor removed.

use forebay_pool::{Error, Handle, NAME_BYTES_MAX};

use crate::compound::Context;
use crate::fs;
use crate::fs::Node;
use crate::fs::access::{READ, WRITE, is_sticky_for, require};
use crate::tree::FileHandle;
use forebay_nfs_proto::xdr::Status;

/// The attribute with the token of a file: who may read the file may have another protocol read it. On Linux,
/// `user.forebay.source`.
pub(super) const SOURCE: &[u8] = b"forebay.source";

/// The current object, if its attributes can be read.
pub(super) async fn readable(context: &Context<'_>) -> Result<Node, Status> {
    let node = fs::node(context.server, context.current()?).await?;
    require(&context.credential, &node, READ)?;
    Ok(node)
}

/// The inode that has the attributes. Directories above the volumes have none.
pub(super) fn inode(node: &Node) -> Option<Handle> {
    match node.handle {
        FileHandle::Inode(handle) => Some(handle),
        FileHandle::Pseudo(_) => None,
    }
}

/// The current object, if its attributes can be set. Any user may create names in a directory with the sticky
/// bit, so there only the owner may set attributes.
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

/// Returns [`Status::Inval`] and [`Status::NameTooLong`] as for file names, and [`Status::BadChar`] for a
/// name that no system can display.
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

/// As [`check_name`], and returns [`Status::Perm`] for an attribute that the server makes.
pub(super) fn check_changeable(name: &[u8]) -> Result<(), Status> {
    check_name(name)?;
    if name == SOURCE { Err(Status::Perm) } else { Ok(()) }
}

/// A missing attribute has its own error.
pub(super) fn status(error: Error) -> Status {
    match error {
        Error::NotFound(_) => Status::NoXattr,
        other => crate::status::status_of(other),
    }
}
