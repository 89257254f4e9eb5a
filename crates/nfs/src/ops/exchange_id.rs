//! EXCHANGE_ID (RFC 8881 §18.35): registers a client and returns its id.

use std::fmt::Write;

use bytes::Bytes;
use forebay_pool::PoolId;

use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{
    ExchangeIdArgs, ExchangeIdResult, ImplementationId, NfsTime, OPAQUE_LIMIT, ServerOwner, StateProtectArgs,
    StateProtectResult, exchange_flags,
};

/// Clients compare owner and scope to detect that two addresses lead to one server (trunking). Both are
/// derived from the pool, since only one server at a time uses it.
pub async fn exchange_id(
    context: &mut Context<'_>,
    args: ExchangeIdArgs,
) -> Result<ExchangeIdResult, Status> {
    let of_minor_2 = if context.minor_version >= 2 { exchange_flags::SUPP_FENCE_OPS } else { 0 };
    if args.flags & !(exchange_flags::MASK_A | of_minor_2) != 0 {
        return Err(Status::Inval);
    }
    if args.clientowner.ownerid.len() > OPAQUE_LIMIT {
        return Err(Status::BadXdr);
    }
    if args.state_protect != StateProtectArgs::None {
        // State protection requires RPCSEC_GSS, which this server does not support.
        return Err(Status::Inval);
    }
    let state = &context.server.state;
    let client = if args.flags & exchange_flags::UPD_CONFIRMED_REC_A != 0 {
        state.update_registration(&args.clientowner, context.principal)?
    } else {
        let peer = context.connection.peer;
        let (client, gone) = state.register(&args.clientowner, context.principal, peer).await?;
        if let Some(gone) = gone {
            context.server.sessions.remove_of_client(gone);
        }
        client
    };
    let confirmed = if client.is_confirmed() { exchange_flags::CONFIRMED_R } else { 0 };
    let server = server_name(context.server.pool.id());
    Ok(ExchangeIdResult {
        clientid: client.id(),
        sequenceid: client.next_create_session().await,
        // Required of a server that may have referrals.
        flags: exchange_flags::USE_NON_PNFS | exchange_flags::SUPP_MOVED_REFER | confirmed,
        state_protect: StateProtectResult::None,
        server_owner: ServerOwner { minor_id: 0, major_id: server.clone() },
        server_scope: server,
        server_impl_id: Some(ImplementationId {
            domain: Bytes::new(),
            name: Bytes::from_static(concat!("Forebay ", env!("CARGO_PKG_VERSION")).as_bytes()),
            date: NfsTime { seconds: 0, nseconds: 0 },
        }),
    })
}

/// Printable, because it appears in administrators' logs.
fn server_name(pool: PoolId) -> Bytes {
    let mut name = String::from("forebay-");
    for byte in pool.0 {
        // Writing to a String cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    Bytes::from(name)
}
