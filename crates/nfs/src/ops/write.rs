//! WRITE (RFC 8881 §18.32).

use forebay_pool::{Attributes, Handle, Kind, SetAttributes, Stability};

use super::file;
use crate::compound::Context;
use crate::fs::access;
use crate::state::{IoBasis, Share};
use crate::xdr::Status;
use crate::xdr::nfs4::{StableHow, StateId, Verifier, WriteArgs, WriteResult};

/// Writes all of the data, as durably as asked for.
pub async fn write(context: &mut Context<'_>, args: WriteArgs) -> Result<WriteResult, Status> {
    let handle = file::inode(context)?;
    check(context, handle, args.stateid).await?;
    let count = u32::try_from(args.data.len()).map_err(|_| Status::FBig)?;
    if count > 0 {
        let written = context.server.pool.write(handle, args.offset, args.data, stability(args.stable)).await;
        match written {
            Ok(attributes) => drop_privileges(context, &attributes).await?,
            Err(error) => return Err(file::status(context, handle, error).await),
        }
    }
    let writeverf = Verifier(context.server.pool.write_verifier());
    Ok(WriteResult { count, committed: args.stable, writeverf })
}

/// An open has checked the permissions; without one they are checked now.
async fn check(context: &Context<'_>, handle: Handle, given: StateId) -> Result<(), Status> {
    let stateid = context.stateid(given)?;
    let basis = context.server.state.check_io(context.client()?, handle, &stateid, Share::WRITE).await?;
    if basis == IoBasis::Anonymous {
        let attributes = context.server.pool.getattr(handle).await?;
        access::require_data(&context.credential, &attributes, access::WRITE)?;
    }
    Ok(())
}

/// A program that a user other than root wrote to no longer runs with its owner's rights.
async fn drop_privileges(context: &Context<'_>, written: &Attributes) -> Result<(), Status> {
    let mode = access::mode_after_change(written.mode);
    if mode == written.mode || context.credential.is_root() || written.kind != Kind::File {
        return Ok(());
    }
    let set = SetAttributes { mode: Some(mode), ..SetAttributes::default() };
    context.server.pool.setattr(written.handle, set).await?;
    Ok(())
}

fn stability(stable: StableHow) -> Stability {
    match stable {
        StableHow::Unstable => Stability::Unstable,
        StableHow::DataSync => Stability::DataSync,
        StableHow::FileSync => Stability::FileSync,
    }
}
