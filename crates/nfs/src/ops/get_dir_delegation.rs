//! GET_DIR_DELEGATION (RFC 8881 §18.39).

use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{GetDirDelegationArgs, GetDirDelegationResult};

/// There are no delegations, and nothing will say when there are. Linux ≥ 6.19 asks with every GETATTR of a
/// directory, and takes an error for the GETATTR's.
pub async fn get_dir_delegation(
    context: &mut Context<'_>,
    _args: GetDirDelegationArgs,
) -> Result<GetDirDelegationResult, Status> {
    context.current()?;
    Ok(GetDirDelegationResult::Unavailable(false))
}
