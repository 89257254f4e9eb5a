//! PUTROOTFH (RFC 8881 §18.21): the root of the pseudo file system becomes current.

use crate::compound::Context;
use crate::tree::{FileHandle, Tree};
use forebay_nfs_proto::xdr::Status;

/// Cannot fail.
pub async fn putrootfh(context: &mut Context<'_>, _args: ()) -> Result<(), Status> {
    context.set_current(FileHandle::Pseudo(Tree::root()));
    Ok(())
}
