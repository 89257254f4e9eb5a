//! GETFH (RFC 8881 §18.8): the current filehandle.

use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::GetfhResult;

/// Fails only without a current filehandle.
pub async fn getfh(context: &mut Context<'_>, _args: ()) -> Result<GetfhResult, Status> {
    Ok(GetfhResult { object: context.current()?.to_wire(context.server.pool.id()) })
}
