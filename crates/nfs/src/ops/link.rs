//! LINK (RFC 8881 §18.9): adds a name in the current directory for the saved object.

use forebay_pool::ChangeInfo;

use crate::compound::Context;
use crate::fs;
use crate::fs::{change_info, name};
use crate::status::OrStatus;
use crate::tree::FileHandle;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{LinkArgs, LinkResult, OperationResult};

/// Returns [`Status::IsDir`] for directories, and [`Status::XDev`] across volumes.
pub async fn link(context: &mut Context<'_>, args: LinkArgs) -> Result<LinkResult, Status> {
    name::check(&args.newname)?;
    let saved = context.saved()?;
    let (directory, _) =
        fs::writable_directory(context.server, &context.credential, context.current()?).await?;
    fs::check_changed(context.server, directory, &args.newname)?;
    let FileHandle::Inode(object) = saved else { return Err(Status::IsDir) };
    let result = |change: &ChangeInfo| LinkResult { change_info: change_info(*change) };
    let record = context.record(move |change| OperationResult::Link(Ok(result(change))));
    let pool = &context.server.pool;
    let change = pool.link_with(object, directory, &args.newname, record).await.or_status()?;
    Ok(result(&change))
}
