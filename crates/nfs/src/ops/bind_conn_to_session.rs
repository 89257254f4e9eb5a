//! BIND_CONN_TO_SESSION: adds a connection to a session (RFC 8881 §18.34).
//!
//! Any connection may carry any session here, so there is nothing to store. A requested back channel is
//! always granted, because clients otherwise keep asking; it is only probed.

use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{
    BindConnToSessionArgs, BindConnToSessionResult, ChannelDirectionFromClient as Asked,
    ChannelDirectionFromServer as Granted,
};

/// Returns what the connection carries from now on.
pub async fn bind_conn_to_session(
    context: &mut Context<'_>,
    args: BindConnToSessionArgs,
) -> Result<BindConnToSessionResult, Status> {
    let session = context.server.sessions.get(&args.sessionid)?;
    let _renewal = session.client.renew();
    context.server.state.is_present(&session.client).await;
    if args.direction != Asked::Fore {
        session.offer_back_channel(&context.connection, context.minor_version);
    }
    let direction = match args.direction {
        Asked::Fore => Granted::Fore,
        Asked::Back => Granted::Back,
        Asked::ForeOrBoth | Asked::BackOrBoth => Granted::Both,
    };
    Ok(BindConnToSessionResult { sessionid: session.id, direction, use_conn_in_rdma_mode: false })
}
