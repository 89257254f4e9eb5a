//! SECINFO_NO_NAME (RFC 8881 §18.45): the authentication methods for the current object or its parent.

use super::secinfo::{consume, without_symlink};
use crate::compound::Context;
use crate::fs;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{SecinfoNoNameArgs, SecinfoResult, SecinfoStyle};

/// The result is the same for every object. The current filehandle is consumed, as the RFC requires.
pub async fn secinfo_no_name(
    context: &mut Context<'_>,
    args: SecinfoNoNameArgs,
) -> Result<SecinfoResult, Status> {
    let current = context.current()?;
    if args.style == SecinfoStyle::Parent {
        fs::parent(context.server, &context.credential, current).await.map_err(without_symlink)?;
    }
    Ok(consume(context))
}
