//! RECLAIM_COMPLETE (RFC 8881 §18.51): a client has reclaimed all it had, or has nothing to reclaim.

use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::ReclaimCompleteArgs;

/// For one file system it says nothing, as none moves from server to server.
pub async fn reclaim_complete(context: &mut Context<'_>, args: ReclaimCompleteArgs) -> Result<(), Status> {
    if args.one_fs {
        return context.current().map(|_| ());
    }
    context.server.state.reclaim_complete(context.client()?).await
}
