//! GETXATTR (RFC 8276 §8.4.1).

use forebay_pool::Kind;

use super::xattr;
use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{GetxattrArgs, GetxattrResult};

/// Returns [`Status::NoXattr`] if there is no attribute of that name.
pub async fn getxattr(context: &mut Context<'_>, args: GetxattrArgs) -> Result<GetxattrResult, Status> {
    xattr::check_name(&args.name)?;
    let node = xattr::readable(context).await?;
    let handle = xattr::inode(&node).ok_or(Status::NoXattr)?;
    if args.name == xattr::SOURCE {
        if node.kind != Kind::File {
            return Err(Status::NoXattr);
        }
        return Ok(GetxattrResult { value: context.server.service.file_tokens.token(handle).into() });
    }
    let value = context.server.pool.xattr_get(handle, &args.name).await.map_err(xattr::status)?;
    Ok(GetxattrResult { value })
}
