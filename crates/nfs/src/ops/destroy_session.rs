//! DESTROY_SESSION (RFC 8881 §18.37): ends a session; its client keeps its state.

use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::DestroySessionArgs;

/// Destroys the session. Its requests in progress finish, but their replies are not stored. A client destroys a session from
/// before a restart, too, when it needs none of its replies any more.
pub async fn destroy_session(context: &mut Context<'_>, args: DestroySessionArgs) -> Result<(), Status> {
    let server = context.server;
    match server.sessions.remove(&args.sessionid) {
        Some(session) => {
            server.replies.forget(&session).await;
            Ok(())
        }
        None => {
            server.replies.forget_ended(args.sessionid).await;
            Err(Status::BadSession)
        }
    }
}
