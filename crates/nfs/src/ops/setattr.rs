//! SETATTR (RFC 8881 §18.30).

use crate::compound::Context;
use crate::fs;
use crate::fs::attributes;
use crate::xdr::Status;
use crate::xdr::nfs4::{SetattrArgs, SetattrResult};

/// Sets all attributes or none. Durable when answered.
pub async fn setattr(context: &mut Context<'_>, args: SetattrArgs) -> Result<SetattrResult, Status> {
    let handle = context.current()?.writable()?;
    let wanted = attributes::decode(context.minor_version, &args.attributes)?;
    let now = context.server.pool.getattr(handle).await?;
    let write_open = false;
    let set = fs::authorize(&context.credential, &now, wanted, write_open)?;
    context.server.pool.setattr(handle, set).await?;
    Ok(SetattrResult { status: Status::Ok, attributes_set: args.attributes.mask })
}
