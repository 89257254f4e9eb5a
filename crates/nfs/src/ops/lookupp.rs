//! LOOKUPP (RFC 8881 §18.14): the parent directory becomes current.

use crate::compound::Context;
use crate::fs;
use forebay_nfs_proto::xdr::Status;

/// Crosses from a volume's root into the pseudo file system.
pub async fn lookupp(context: &mut Context<'_>, _args: ()) -> Result<(), Status> {
    let directory = context.current()?;
    let parent = fs::parent(context.server, &context.credential, directory).await?;
    context.set_current(parent);
    Ok(())
}
