//! BACKCHANNEL_CTL: sets the credentials for calls on the back channel (RFC 8881 §18.33).

use crate::compound::Context;
use crate::session::Callback;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{BackchannelCtlArgs, CallbackSecurity};

/// Applies to the session of the COMPOUND. Returns [`Status::NoEnt`] if only RPCSEC_GSS is offered, since its
/// handles are unknown to this server.
pub async fn backchannel_ctl(context: &mut Context<'_>, args: BackchannelCtlArgs) -> Result<(), Status> {
    let session = context.session.as_ref().ok_or(Status::OpNotInSession)?;
    let only_gss = args.sec_parms.iter().all(|security| matches!(security, CallbackSecurity::Gss(_)));
    if only_gss && !args.sec_parms.is_empty() {
        return Err(Status::NoEnt);
    }
    session.call_by(Callback::new(args.cb_program, &args.sec_parms));
    Ok(())
}
