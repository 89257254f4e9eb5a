//! ALLOCATE (RFC 7862 §15.1).

use super::file;
use crate::compound::Context;
use crate::state::Share;
use crate::status::OrStatus;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::AllocateArgs;

/// Extends the file to the end of the range. Returns [`Status::NoSpc`] unless the whole range fits into the
/// free space of the volume and of the pool.
///
/// The RFC asks to reserve the space. Storage that deduplicates and compresses cannot guarantee that, since
/// the size of a write is known only when it is stored. The application at least gets an early error.
pub async fn allocate(context: &mut Context<'_>, args: AllocateArgs) -> Result<(), Status> {
    let handle = file::regular(context, context.current()?).await?;
    file::check_io(context, handle, context.stateid(args.stateid)?, Share::WRITE).await?;
    file::require_range(args.offset, args.length)?;
    let attributes = context.server.pool.allocate(handle, args.offset, args.length).await.or_status()?;
    file::drop_privileges(context, &attributes).await
}
