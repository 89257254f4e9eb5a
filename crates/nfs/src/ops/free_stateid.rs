//! FREE_STATEID (RFC 8881 §18.38).

use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::FreeStateidArgs;

/// Removes the state of a lock owner that holds no lock on a file. Clients send it when the owner is done
/// with the file.
pub async fn free_stateid(context: &mut Context<'_>, args: FreeStateidArgs) -> Result<(), Status> {
    let stateid = context.stateid(args.stateid)?;
    context.server.state.free_stateid(context.client()?, &stateid).await
}
