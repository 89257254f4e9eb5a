//! LOCKT (RFC 8881 §18.11).

use forebay_pool::Kind;

use super::file;
use crate::compound::Context;
use crate::state::Range;
use crate::status::OrStatus;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{LocktArgs, LocktResult, OPAQUE_LIMIT};

/// Returns the lock that would conflict. The file need not be open.
pub async fn lockt(context: &mut Context<'_>, args: LocktArgs) -> Result<LocktResult, Status> {
    if args.owner.owner.len() > OPAQUE_LIMIT {
        return Err(Status::BadXdr);
    }
    let range = Range::new(args.offset, args.length)?;
    let server = context.server;
    let inode = file::inode(context)?;
    match server.pool.getattr(inode).await.or_status()?.kind {
        Kind::File => {}
        Kind::Directory => return Err(Status::IsDir),
        Kind::Symlink(_) => return Err(Status::Symlink),
        _ => return Err(Status::WrongType),
    }
    let kind = args.locktype.into();
    let denied = server.state.test_lock(context.client()?, inode, &args.owner.owner, range, kind).await?;
    Ok(denied.map_or(LocktResult::Free, |denied| LocktResult::Denied(denied.into())))
}
