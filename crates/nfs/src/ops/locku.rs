//! LOCKU (RFC 8881 §18.12).

use super::file;
use crate::compound::Context;
use crate::state::Range;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{LockuArgs, LockuResult};

/// Unlocks a range, whatever part of it is locked. The stateid stays valid even without locks.
pub async fn locku(context: &mut Context<'_>, args: LockuArgs) -> Result<LockuResult, Status> {
    let range = Range::new(args.offset, args.length)?;
    let stateid = context.stateid(args.lock_stateid)?;
    let lock_stateid =
        context.server.state.unlock(context.client()?, file::opened(context)?, &stateid, range)?;
    context.current_stateid = Some(lock_stateid);
    Ok(LockuResult { lock_stateid })
}
