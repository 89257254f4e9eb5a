//! LOCK (RFC 8881 §18.10).

use super::file;
use crate::compound::Context;
use crate::state::{Denied, Locked};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{LockArgs, LockDenied, LockResult, Locker, OPAQUE_LIMIT, StateOwner};

/// Locks a range, or returns the conflicting lock. A client that wants to wait asks again.
pub async fn lock(context: &mut Context<'_>, mut args: LockArgs) -> Result<LockResult, Status> {
    match &mut args.locker {
        Locker::New(new) if new.lock_owner.owner.len() > OPAQUE_LIMIT => return Err(Status::BadXdr),
        Locker::New(new) => new.open_stateid = context.stateid(new.open_stateid)?,
        Locker::Existing(existing) => existing.lock_stateid = context.stateid(existing.lock_stateid)?,
    }
    match context.server.state.lock(context.client()?, file::inode(context)?, &args).await? {
        Locked::Granted(stateid) => {
            context.current_stateid = Some(stateid);
            Ok(LockResult::Granted(stateid))
        }
        Locked::Denied(denied) => Ok(LockResult::Denied(denied.into())),
    }
}

impl From<Denied> for LockDenied {
    fn from(denied: Denied) -> LockDenied {
        LockDenied {
            offset: denied.held.range.offset(),
            length: denied.held.range.length(),
            locktype: denied.held.kind.into(),
            owner: StateOwner { clientid: denied.client, owner: denied.owner },
        }
    }
}
