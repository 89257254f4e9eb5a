//! WRITE (RFC 8881 §18.32).

use forebay_pool::Stability;

use super::file;
use crate::compound::Context;
use crate::state::Share;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{StableHow, Verifier, WriteArgs, WriteResult};

/// Writes all of the data, with the requested stability.
pub async fn write(context: &mut Context<'_>, args: WriteArgs) -> Result<WriteResult, Status> {
    let handle = file::inode(context)?;
    file::check_io(context, handle, context.stateid(args.stateid)?, Share::WRITE).await?;
    let count = u32::try_from(args.data.len()).map_err(|_| Status::FBig)?;
    if count > 0 {
        let written = context.server.pool.write(handle, args.offset, args.data, stability(args.stable)).await;
        match written {
            Ok(attributes) => file::drop_privileges(context, &attributes).await?,
            Err(error) => return Err(file::status(context, handle, error).await),
        }
    }
    let writeverf = Verifier(context.server.pool.write_verifier());
    Ok(WriteResult { count, committed: args.stable, writeverf })
}

fn stability(stable: StableHow) -> Stability {
    match stable {
        StableHow::Unstable => Stability::Unstable,
        StableHow::DataSync => Stability::DataSync,
        StableHow::FileSync => Stability::FileSync,
    }
}
