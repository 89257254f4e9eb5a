//! DESTROY_SESSION (RFC 8881 §18.37): ends a session; its client keeps its state.

use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::DestroySessionArgs;

/// Destroys the session. Its requests in progress finish, but their replies are not stored.
pub async fn destroy_session(context: &mut Context<'_>, args: DestroySessionArgs) -> Result<(), Status> {
    if context.server.sessions.remove(&args.sessionid) { Ok(()) } else { Err(Status::BadSession) }
}
