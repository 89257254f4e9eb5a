//! LOOKUP (RFC 8881 §18.13): what a name stands for becomes current.

use crate::compound::Context;
use crate::fs;
use crate::xdr::Status;
use crate::xdr::nfs4::LookupArgs;

/// Crosses from the pseudo file system into volumes.
pub async fn lookup(context: &mut Context<'_>, args: LookupArgs) -> Result<(), Status> {
    let directory = context.current()?;
    let found = fs::lookup(context.server, &context.credential, directory, &args.name).await?;
    context.set_current(found.handle);
    Ok(())
}
