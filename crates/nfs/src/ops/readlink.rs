//! READLINK (RFC 8881 §18.24).

use forebay_pool::Kind;

use crate::compound::Context;
use crate::fs;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::ReadlinkResult;

/// Returns [`Status::WrongType`] for an object that is not a symbolic link.
pub async fn readlink(context: &mut Context<'_>, _args: ()) -> Result<ReadlinkResult, Status> {
    match fs::node(context.server, context.current()?).await?.kind {
        Kind::Symlink(link) => Ok(ReadlinkResult { link }),
        _ => Err(Status::WrongType),
    }
}
