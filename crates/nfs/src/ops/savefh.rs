//! SAVEFH (RFC 8881 §18.28): saves the current filehandle and stateid.

use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;

/// Fails only without a current filehandle.
pub async fn savefh(context: &mut Context<'_>, _args: ()) -> Result<(), Status> {
    context.saved = Some(context.current()?);
    context.saved_stateid = context.current_stateid;
    Ok(())
}
