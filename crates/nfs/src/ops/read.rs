//! READ (RFC 8881 §18.22).

use forebay_pool::Handle;

use super::file;
use crate::compound::Context;
use crate::fs::access;
use crate::state::{IoBasis, Share};
use crate::xdr::Status;
use crate::xdr::nfs4::{Payload, ReadArgs, ReadResult, StateId};

/// Reads up to `count` bytes, in the pieces in which the pool has them. A count beyond what one reply
/// carries is cut down, and the client asks for the rest.
pub async fn read(context: &mut Context<'_>, args: ReadArgs) -> Result<ReadResult, Status> {
    let handle = file::inode(context)?;
    check(context, handle, args.stateid).await?;
    let count = args.count.min(context.server.config.io_bytes_max());
    match context.server.pool.read(handle, args.offset, count).await {
        Ok(read) => Ok(ReadResult { eof: read.eof, data: Payload(read.pieces) }),
        Err(error) => Err(file::status(context, handle, error).await),
    }
}

/// An open has checked the permissions; without one they are checked now.
async fn check(context: &Context<'_>, handle: Handle, given: StateId) -> Result<(), Status> {
    let stateid = context.stateid(given)?;
    let basis = context.server.state.check_io(context.client()?, handle, &stateid, Share::READ).await?;
    if basis == IoBasis::Anonymous {
        let attributes = context.server.pool.getattr(handle).await?;
        access::require_data(&context.credential, &attributes, access::READ)?;
    }
    Ok(())
}
