//! COMMIT: makes unstable writes durable (RFC 8881 §18.3).

use super::file;
use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{CommitArgs, CommitResult, Verifier};

/// Waits until all writes to the range are durable. The verifier tells the client whether its writes were
/// sent to the same instance of the server, and are therefore covered.
pub async fn commit(context: &mut Context<'_>, args: CommitArgs) -> Result<CommitResult, Status> {
    let handle = file::inode(context)?;
    // A range beyond the maximum file size is cut, since COMMIT has no error for it.
    let length = u64::from(args.count).min(u64::MAX.saturating_sub(args.offset));
    match context.server.pool.commit(handle, args.offset, length).await {
        Ok(()) => Ok(CommitResult { writeverf: Verifier(context.server.pool.write_verifier()) }),
        Err(error) => Err(file::status(context, handle, error).await),
    }
}
