//! REMOVE (RFC 8881 §18.25).

use forebay_pool::Removed;

use crate::compound::Context;
use crate::fs;
use crate::fs::change_info;
use crate::fs::name;
use crate::status::OrStatus;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{OperationResult, RemoveArgs, RemoveResult};

/// Removes the name, durably. A file that is open stays as an orphan: the pool keeps it for the clients that
/// have it open, and after a restart until the end of the grace period.
pub async fn remove(context: &mut Context<'_>, args: RemoveArgs) -> Result<RemoveResult, Status> {
    name::check(&args.target)?;
    let (handle, directory) =
        fs::writable_directory(context.server, &context.credential, context.current()?).await?;
    fs::check_changed(context.server, handle, &args.target).map_err(|_| Status::Access)?;
    fs::check_victim(context.server, &context.credential, &directory, &args.target).await?;
    let result = |removed: &Removed| RemoveResult { change_info: change_info(removed.directory) };
    let record = context.record(move |removed| OperationResult::Remove(Ok(result(removed))));
    let removed = context.server.pool.remove_with(handle, &args.target, record).await.or_status()?;
    Ok(result(&removed))
}
