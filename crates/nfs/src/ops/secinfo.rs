//! SECINFO (RFC 8881 §18.29): how clients may authenticate to a named object.

use crate::compound::Context;
use crate::policy::gate;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{SecinfoArgs, SecinfoResult, SecurityFlavor};

/// The same everywhere. The current filehandle is gone afterwards, as the RFC wants.
pub async fn secinfo(context: &mut Context<'_>, args: SecinfoArgs) -> Result<SecinfoResult, Status> {
    let directory = context.current()?;
    gate::find(context, directory, &args.name).await.map_err(without_symlink)?;
    Ok(consume(context))
}

/// SECINFO and SECINFO_NO_NAME have no NFS4ERR_SYMLINK for what is no directory.
pub(super) fn without_symlink(status: Status) -> Status {
    if status == Status::Symlink { Status::NotDir } else { status }
}

/// The ways to authenticate, best first.
pub(super) fn consume(context: &mut Context<'_>) -> SecinfoResult {
    context.current = None;
    context.current_stateid = None;
    SecinfoResult { flavors: vec![SecurityFlavor::AuthSys, SecurityFlavor::AuthNone] }
}
