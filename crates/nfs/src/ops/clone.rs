//! CLONE (RFC 7862 §15.13) from the saved into the current file.

use super::file;
use crate::compound::Context;
use crate::fs::attributes::CLONE_BLOCK_BYTES;
use crate::status::OrStatus;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::CloneArgs;

/// Makes both files share the stored data of the range. Returns [`Status::Inval`] unless the range begins and
/// ends at a multiple of `clone_blksize`, or ends at the end of the source.
pub async fn clone(context: &mut Context<'_>, args: CloneArgs) -> Result<(), Status> {
    let (from, to) = file::source_and_target(context, args.src_stateid, args.dst_stateid).await?;
    let pool = &context.server.pool;
    let length = Some(args.count).filter(|count| *count > 0);
    let aligned = |at: u64| at.is_multiple_of(u64::from(CLONE_BLOCK_BYTES));
    if !aligned(args.src_offset) || !aligned(args.dst_offset) {
        return Err(Status::Inval);
    }
    if !aligned(args.count) {
        let size = pool.getattr(from).await.or_status()?.size;
        if args.src_offset.checked_add(args.count) != Some(size) {
            return Err(Status::Inval);
        }
    }
    let cloned =
        pool.clone_range((from, args.src_offset), (to, args.dst_offset), length).await.or_status()?;
    file::drop_privileges(context, &cloned.attributes).await
}
