//! BACKCHANNEL_CTL: how the client is to be called on its back channel (RFC 8881 §18.33).

use crate::compound::Context;
use crate::session::Callback;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{BackchannelCtlArgs, CallbackSecurity};

/// For the session of the COMPOUND. [`Status::NoEnt`] if there is only RPCSEC_GSS to choose: its handles are unknown here.
pub async fn backchannel_ctl(context: &mut Context<'_>, args: BackchannelCtlArgs) -> Result<(), Status> {
    let session = context.session.as_ref().ok_or(Status::OpNotInSession)?;
    let only_gss = args.sec_parms.iter().all(|security| matches!(security, CallbackSecurity::Gss(_)));
    if only_gss && !args.sec_parms.is_empty() {
        return Err(Status::NoEnt);
    }
    session.call_by(Callback::new(args.cb_program, &args.sec_parms));
    Ok(())
}
