//! REMOVEXATTR (RFC 8276 §8.4.4).

use super::xattr;
use crate::compound::Context;
use crate::fs::change_info;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{RemovexattrArgs, RemovexattrResult};

/// Durable before the response.
pub async fn removexattr(
    context: &mut Context<'_>,
    args: RemovexattrArgs,
) -> Result<RemovexattrResult, Status> {
    xattr::check_changeable(&args.name)?;
    let handle = xattr::writable(context).await?;
    let change = context.server.pool.xattr_remove(handle, &args.name).await;
    Ok(RemovexattrResult { change_info: change_info(change.map_err(xattr::status)?) })
}
