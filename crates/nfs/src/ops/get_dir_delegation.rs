//! GET_DIR_DELEGATION (RFC 8881 §18.39).

use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{GetDirDelegationArgs, GetDirDelegationResult};

/// The server grants no delegations, and never will signal one. Linux 6.19 and later send this with every
/// GETATTR of a directory, and treat an error as one of the GETATTR.
pub async fn get_dir_delegation(
    context: &mut Context<'_>,
    _args: GetDirDelegationArgs,
) -> Result<GetDirDelegationResult, Status> {
    context.current()?;
    Ok(GetDirDelegationResult::Unavailable(false))
}
