//! DESTROY_CLIENTID (RFC 8881 §18.50): removes a client that has no state.

use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::DestroyClientidArgs;

/// The client's durable record is removed before the response.
pub async fn destroy_clientid(context: &mut Context<'_>, args: DestroyClientidArgs) -> Result<(), Status> {
    let server = context.server;
    server.state.client(args.clientid)?;
    if server.sessions.count_of_client(args.clientid) > 0 {
        return Err(Status::ClientidBusy);
    }
    server.state.destroy_client(args.clientid).await
}
