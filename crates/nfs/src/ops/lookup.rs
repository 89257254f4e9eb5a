//! LOOKUP (RFC 8881 §18.13): the object of that name becomes current.

use crate::compound::Context;
use crate::gate;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::LookupArgs;

/// Crosses from the pseudo file system into volumes that the client can see.
pub async fn lookup(context: &mut Context<'_>, args: LookupArgs) -> Result<(), Status> {
    let directory = context.current()?;
    let found = gate::lookup(context, directory, &args.name).await?;
    context.set_current(found.handle);
    Ok(())
}
