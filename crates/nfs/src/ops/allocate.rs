//! ALLOCATE (RFC 7862 §15.1).

use super::file;
use crate::compound::Context;
use crate::fs::OrStatus;
use crate::state::Share;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::AllocateArgs;

/// The file reaches to the end of the range when this is answered. [`Status::NoSpc`] unless all of the range fits
/// into the volume, and into the pool, as they are now.
///
/// The RFC wants the space set aside. Storage that shares and compresses cannot promise it: how much a write takes
/// is known when it is stored. What an application gets is the early answer that it asks for.
pub async fn allocate(context: &mut Context<'_>, args: AllocateArgs) -> Result<(), Status> {
    let handle = file::regular(context, context.current()?).await?;
    file::check_io(context, handle, context.stateid(args.stateid)?, Share::WRITE).await?;
    file::require_range(args.offset, args.length)?;
    let attributes = context.server.pool.allocate(handle, args.offset, args.length).await.or_status()?;
    file::drop_privileges(context, &attributes).await
}
