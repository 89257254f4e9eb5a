//! RECLAIM_COMPLETE (RFC 8881 §18.51): a client has finished reclaiming, or has nothing to reclaim.

use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::ReclaimCompleteArgs;

/// For a single file system it has no effect, since file systems do not move between servers.
pub async fn reclaim_complete(context: &mut Context<'_>, args: ReclaimCompleteArgs) -> Result<(), Status> {
    if args.one_fs {
        return context.current().map(|_| ());
    }
    let (server, client) = (context.server, context.client()?);
    server.state.reclaim_complete(client).await?;
    // Before it reclaims, a client has waited for the replies to its requests in earlier sessions.
    server.replies.forget_of_client(client.owner()).await;
    Ok(())
}
