//! SETATTR (RFC 8881 §18.30).

use forebay_pool::Handle;

use crate::compound::Context;
use crate::fs;
use crate::fs::attributes;
use crate::state::{IoBasis, Share};
use crate::status::OrStatus;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{SetattrArgs, SetattrResult, StateId};

/// Sets all attributes or none. Durable before the response.
pub async fn setattr(context: &mut Context<'_>, args: SetattrArgs) -> Result<SetattrResult, Status> {
    let handle = context.current()?.writable()?;
    let wanted =
        attributes::decode(&context.server.identities, context.minor_version, &args.attributes).await?;
    let now = context.server.pool.getattr(handle).await.or_status()?;
    let is_file = now.kind == forebay_pool::Kind::File;
    let write_open = wanted.size.is_some() && is_file && is_write_open(context, handle, args.stateid).await?;
    let set = fs::authorize(&context.credential, &now, wanted, write_open)?;
    if !args.attributes.mask.is_empty() {
        context.server.pool.setattr(handle, set).await.or_status()?;
    }
    Ok(SetattrResult { status: Status::Ok, attributes_set: args.attributes.mask })
}

/// Setting the size counts as a write: the stateid must allow one, and an open for writing needs no further
/// permission. For other attributes the stateid has no meaning.
async fn is_write_open(context: &Context<'_>, file: Handle, given: StateId) -> Result<bool, Status> {
    let stateid = context.stateid(given)?;
    let client = context.client()?;
    let basis =
        context.server.state.check_io(client, file, &stateid, Share::WRITE, context.mapping()).await?;
    Ok(basis == IoBasis::Open)
}
