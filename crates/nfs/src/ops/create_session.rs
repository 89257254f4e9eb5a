//! CREATE_SESSION (RFC 8881 §18.36): creates a session; the first one confirms the client.

use std::sync::Arc;

use crate::compound::Context;
use crate::session::{self, Callback};
use crate::state::Client;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{
    ChannelAttributes, CreateSessionArgs, CreateSessionResult, session_flags,
};

/// A retry gets the same response, so every response is stored. Invalid arguments are rejected before the
/// client's sequence is checked, and "try later" is not stored as a response.
pub async fn create_session(
    context: &mut Context<'_>,
    args: CreateSessionArgs,
) -> Result<CreateSessionResult, Status> {
    if args.flags & !session_flags::MASK != 0 {
        return Err(Status::Inval);
    }
    let fore = session::negotiate(&context.server.config, &args.fore_chan_attrs)?;
    let back = session::negotiate_back(&args.back_chan_attrs)?;
    let client = context.server.state.client(args.clientid)?;
    let mut slot = client.create_session().lock().await;
    if let Some(reply) = slot.replay(args.sequence)? {
        return reply;
    }
    let reply = establish(context, &client, &args, fore, back).await;
    if !matches!(reply, Err(Status::Delay | Status::StaleClientid)) {
        slot.answer(args.sequence, reply.clone());
    }
    reply
}

async fn establish(
    context: &Context<'_>,
    client: &Arc<Client>,
    args: &CreateSessionArgs,
    fore: ChannelAttributes,
    back: ChannelAttributes,
) -> Result<CreateSessionResult, Status> {
    let server = context.server;
    if client.principal() != context.principal {
        return Err(Status::ClidInUse);
    }
    if server.sessions.count_of_client(client.id()) >= server.config.sessions_per_client_max {
        return Err(Status::NoSpc);
    }
    let _renewal = client.renew();
    if let Some(earlier) = server.state.confirm(client).await? {
        server.sessions.remove_of_client(earlier);
        server.replies.keep(server.sessions.take_ended());
    }
    server.replies.forget_earlier(client.owner()).await;
    server.state.is_present(client).await;
    let callback = Callback::new(args.cb_program, &args.sec_parms);
    let is_persistent = args.flags & session_flags::PERSIST != 0;
    let session = server.sessions.create(client, (fore.clone(), back.clone()), is_persistent, callback)?;
    if args.flags & session_flags::CONN_BACK_CHAN != 0 {
        session.offer_back_channel(&context.connection, context.minor_version);
    }
    Ok(CreateSessionResult {
        sessionid: session.id,
        sequence: args.sequence,
        // RDMA is not supported.
        flags: args.flags & (session_flags::PERSIST | session_flags::CONN_BACK_CHAN),
        fore_chan_attrs: fore,
        back_chan_attrs: back,
    })
}
