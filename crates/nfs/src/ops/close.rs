//! CLOSE (RFC 8881 §18.2).

use super::file;
use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{CloseArgs, CloseResult, StateId};

/// Ends an open and the locks made under it. Frees a deleted file if no other client has it open.
pub async fn close(context: &mut Context<'_>, args: CloseArgs) -> Result<CloseResult, Status> {
    let stateid = context.stateid(args.open_stateid)?;
    context.server.state.close(context.client()?, file::opened(context)?, &stateid)?;
    context.current_stateid = Some(StateId::INVALID);
    Ok(CloseResult { open_stateid: StateId::INVALID })
}
