//! SECINFO (RFC 8881 §18.29): the authentication methods for a named object.

use crate::compound::Context;
use crate::gate;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{SecinfoArgs, SecinfoResult, SecurityFlavor};

/// The result is the same for every object. The current filehandle is consumed, as the RFC requires.
pub async fn secinfo(context: &mut Context<'_>, args: SecinfoArgs) -> Result<SecinfoResult, Status> {
    let directory = context.current()?;
    gate::find(context, directory, &args.name).await.map_err(without_symlink)?;
    Ok(consume(context))
}

/// SECINFO and SECINFO_NO_NAME have no NFS4ERR_SYMLINK for objects that are not directories.
pub(super) fn without_symlink(status: Status) -> Status {
    if status == Status::Symlink { Status::NotDir } else { status }
}

/// The authentication methods, best first.
pub(super) fn consume(context: &mut Context<'_>) -> SecinfoResult {
    context.current = None;
    context.current_stateid = None;
    SecinfoResult { flavors: vec![SecurityFlavor::AuthSys, SecurityFlavor::AuthNone] }
}
