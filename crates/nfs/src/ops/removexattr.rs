//! REMOVEXATTR (RFC 8276 §8.4.4).

use forebay_pool::ChangeInfo;

use super::xattr;
use crate::compound::Context;
use crate::fs::change_info;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{OperationResult, RemovexattrArgs, RemovexattrResult};

/// Durable before the response.
pub async fn removexattr(
    context: &mut Context<'_>,
    args: RemovexattrArgs,
) -> Result<RemovexattrResult, Status> {
    xattr::check_changeable(&args.name)?;
    let handle = xattr::writable(context).await?;
    let result = |change: &ChangeInfo| RemovexattrResult { change_info: change_info(*change) };
    let record = context.record(move |change| OperationResult::Removexattr(Ok(result(change))));
    let change = context.server.pool.xattr_remove_with(handle, &args.name, record).await;
    Ok(result(&change.map_err(xattr::status)?))
}
