//! DEALLOCATE (RFC 7862 §15.4).

use super::file;
use crate::compound::Context;
use crate::state::Share;
use crate::status::OrStatus;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::DeallocateArgs;

/// Makes the range a hole, durably, including unstable writes. The size does not change.
pub async fn deallocate(context: &mut Context<'_>, args: DeallocateArgs) -> Result<(), Status> {
    let handle = file::regular(context, context.current()?).await?;
    file::check_io(context, handle, context.stateid(args.stateid)?, Share::WRITE).await?;
    file::require_range(args.offset, args.length)?;
    let attributes = context.server.pool.deallocate(handle, args.offset, args.length).await.or_status()?;
    file::drop_privileges(context, &attributes).await
}
