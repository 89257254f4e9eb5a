//! PUTFH (RFC 8881 §18.19): the client's filehandle becomes the current one.

use crate::compound::Context;
use crate::tree::FileHandle;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::PutfhArgs;

/// Whether the object still exists is checked when it is used.
pub async fn putfh(context: &mut Context<'_>, args: PutfhArgs) -> Result<(), Status> {
    let handle = FileHandle::from_wire(&args.object, context.server.pool.id())?;
    context.set_current(handle);
    Ok(())
}
