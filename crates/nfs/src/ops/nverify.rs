//! NVERIFY (RFC 8881 §18.15): continues only if attributes differ from the client's.

use super::verify::are_same;
use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::VerifyArgs;

/// Returns [`Status::Same`] if they are equal.
pub async fn nverify(context: &mut Context<'_>, args: VerifyArgs) -> Result<(), Status> {
    if are_same(context, &args.attributes).await? { Err(Status::Same) } else { Ok(()) }
}
