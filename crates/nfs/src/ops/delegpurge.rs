//! DELEGPURGE (RFC 8881 §18.5).

use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::DelegpurgeArgs;

/// Belongs to CLAIM_DELEGATE_PREV, which is not supported.
pub async fn delegpurge(_context: &mut Context<'_>, _args: DelegpurgeArgs) -> Result<(), Status> {
    Err(Status::NotSupp)
}
