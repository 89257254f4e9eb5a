//! BACKCHANNEL_CTL: how callbacks are to be sent (RFC 8881 §18.33). None ever are, so any way will do.

use crate::compound::Context;
use crate::xdr::Status;
use crate::xdr::nfs4::BackchannelCtlArgs;

/// Takes note of nothing.
pub async fn backchannel_ctl(_context: &mut Context<'_>, _args: BackchannelCtlArgs) -> Result<(), Status> {
    Ok(())
}
