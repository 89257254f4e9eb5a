//! OPEN_DOWNGRADE (RFC 8881 §18.18).

use super::file;
use crate::compound::Context;
use crate::state::Share;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::share::ACCESS_BOTH;
use forebay_nfs_proto::xdr::nfs4::{OpenDowngradeArgs, OpenDowngradeResult};

/// Gives up access, or denial of access to others, that earlier OPENs requested.
pub async fn open_downgrade(
    context: &mut Context<'_>,
    args: OpenDowngradeArgs,
) -> Result<OpenDowngradeResult, Status> {
    let stateid = context.stateid(args.open_stateid)?;
    // The other bits concern delegations, which the server does not grant.
    let to = Share::new(args.share_access & ACCESS_BOTH, args.share_deny)?;
    let open_stateid =
        context.server.state.downgrade(context.client()?, file::opened(context)?, &stateid, to)?;
    context.current_stateid = Some(open_stateid);
    Ok(OpenDowngradeResult { open_stateid })
}
