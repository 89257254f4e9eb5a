//! READ (RFC 8881 §18.22).

use super::file;
use crate::compound::Context;
use crate::state::Share;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{Payload, ReadArgs, ReadResult};

/// Reads up to `count` bytes, in the pieces in which the pool stores them. A count that exceeds one reply is
/// reduced, and the client asks for the rest.
pub async fn read(context: &mut Context<'_>, args: ReadArgs) -> Result<ReadResult, Status> {
    let handle = file::inode(context)?;
    file::check_io(context, handle, context.stateid(args.stateid)?, Share::READ).await?;
    let count = args.count.min(context.server.config.io_bytes_max());
    context.reserve_reply(count).await;
    match context.server.pool.read(handle, args.offset, count).await {
        Ok(read) => Ok(ReadResult { eof: read.eof, data: Payload(read.pieces) }),
        Err(error) => Err(file::status(context, handle, error).await),
    }
}
