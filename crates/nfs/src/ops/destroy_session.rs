//! DESTROY_SESSION: ends a session; its client and the client's state stay (RFC 8881 §18.37).

use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::DestroySessionArgs;

/// Destroys the session. Requests of it that are in work finish; their replies are not kept.
pub async fn destroy_session(context: &mut Context<'_>, args: DestroySessionArgs) -> Result<(), Status> {
    if context.server.sessions.remove(&args.sessionid) { Ok(()) } else { Err(Status::BadSession) }
}
