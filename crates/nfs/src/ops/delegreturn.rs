//! DELEGRETURN (RFC 8881 §18.6).

use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::DelegreturnArgs;

/// The server never grants delegations, so no stateid names one.
pub async fn delegreturn(context: &mut Context<'_>, _args: DelegreturnArgs) -> Result<(), Status> {
    context.current()?;
    Err(Status::BadStateid)
}
