//! IO_ADVISE (RFC 7862 §15.5).

use super::file;
use crate::compound::Context;
use crate::state::Share;
use crate::status::OrStatus;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{Bitmap, IoAdviseArgs, IoAdviseResult, advice};

/// Returns the hints that have an effect: data that will be needed is read into memory as far as there is
/// room, and sequential readers always get read-ahead.
pub async fn io_advise(context: &mut Context<'_>, args: IoAdviseArgs) -> Result<IoAdviseResult, Status> {
    let handle = file::regular(context, context.current()?).await?;
    file::check_io(context, handle, context.stateid(args.stateid)?, Share::READ).await?;
    let mut heeded = Bitmap::default();
    for hint in [advice::NORMAL, advice::SEQUENTIAL] {
        if args.hints.contains(hint) {
            heeded.insert(hint);
        }
    }
    let length = if args.count == 0 { u64::MAX } else { args.count };
    if args.hints.contains(advice::WILLNEED)
        && context.server.pool.prefetch(handle, args.offset, length).or_status()?
    {
        heeded.insert(advice::WILLNEED);
    }
    Ok(IoAdviseResult { hints: heeded })
}
