//! SEEK (RFC 7862 §15.11).

use super::file;
use crate::compound::Context;
use crate::state::Share;
use crate::status::OrStatus;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{SeekArgs, SeekResult, content};

/// Finds the next data, or the next hole, at or after the offset. A file ends with a hole. Returns
/// [`Status::Nxio`] if it ends before the offset.
pub async fn seek(context: &mut Context<'_>, args: SeekArgs) -> Result<SeekResult, Status> {
    let handle = file::regular(context, context.current()?).await?;
    file::check_io(context, handle, context.stateid(args.stateid)?, Share::READ).await?;
    let pool = &context.server.pool;
    let found = match args.what {
        content::DATA => pool.seek_data(handle, args.offset).await.or_status()?,
        content::HOLE => pool.seek_hole(handle, args.offset).await.or_status()?,
        _ => return Err(Status::UnionNotSupp),
    };
    let found = found.ok_or(Status::Nxio)?;
    Ok(SeekResult { eof: found.eof, offset: found.offset })
}
