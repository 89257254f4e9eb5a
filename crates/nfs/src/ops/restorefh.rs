//! RESTOREFH (RFC 8881 §18.27): the saved filehandle and stateid become current again.

use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;

/// Fails only if nothing was saved.
pub async fn restorefh(context: &mut Context<'_>, _args: ()) -> Result<(), Status> {
    let saved = context.saved()?;
    context.set_current(saved);
    context.current_stateid = context.saved_stateid;
    Ok(())
}
