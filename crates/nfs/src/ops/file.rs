//! What the operations on the data of files have in common: which file it is, whether the stateid lets the client, and
//! what else a write changes.

use crate::fs::OrStatus;
use forebay_pool::{Attributes, Error, Handle, Kind, SetAttributes};

use crate::compound::Context;
use crate::fs::{FileHandle, access, status_of};
use crate::policy::gate;
use crate::state::{IoBasis, Share};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::StateId;

/// The current filehandle's inode, which may turn out not to be a file. Directories of the pseudo file
/// system are none for sure.
pub(super) fn inode(context: &Context<'_>) -> Result<Handle, Status> {
    match context.current()? {
        FileHandle::Inode(handle) => Ok(handle),
        FileHandle::Pseudo(_) => Err(Status::IsDir),
    }
}

/// The current filehandle's inode, for an operation on a stateid: of what is above the volumes there are none.
pub(super) fn opened(context: &Context<'_>) -> Result<Handle, Status> {
    match context.current()? {
        FileHandle::Inode(handle) => Ok(handle),
        FileHandle::Pseudo(_) => Err(Status::BadStateid),
    }
}

/// The status for an error of the pool. What is not a file has one of its own for each kind of object:
/// ISDIR, SYMLINK, and WRONG_TYPE for the rest (RFC 8881 §18.22.3).
pub(super) async fn status(context: &Context<'_>, handle: Handle, error: Error) -> Status {
    let Error::NotFile = error else { return status_of(error) };
    match context.server.pool.getattr(handle).await {
        Ok(attributes) if matches!(attributes.kind, Kind::Symlink(_)) => Status::Symlink,
        _ => Status::WrongType,
    }
}

/// The regular file that a filehandle names. For most operations of RFC 7862 anything else is WRONG_TYPE (§15.1.3).
pub(super) async fn regular(context: &Context<'_>, handle: FileHandle) -> Result<Handle, Status> {
    let FileHandle::Inode(handle) = handle else { return Err(Status::WrongType) };
    match context.server.pool.getattr(handle).await.or_status()?.kind {
        Kind::File => Ok(handle),
        _ => Err(Status::WrongType),
    }
}

/// [`Status::Inval`] if the range is empty, or ends beyond what an offset can be.
pub(super) fn require_range(offset: u64, length: u64) -> Result<(), Status> {
    let end = offset.checked_add(length).filter(|end| *end > offset);
    end.map(|_| ()).ok_or(Status::Inval)
}

/// Whether a stateid lets the client read or write the file. An open has checked the permissions; without one, or if the caller is taken for
/// someone else than at the open, they are checked now.
pub(super) async fn check_io(
    context: &Context<'_>,
    handle: Handle,
    stateid: StateId,
    share: Share,
) -> Result<(), Status> {
    let (client, mapping) = (context.client()?, context.mapping());
    let basis = context.server.state.check_io(client, handle, &stateid, share, mapping).await?;
    if basis == IoBasis::Unchecked {
        let attributes = context.server.pool.getattr(handle).await.or_status()?;
        let wanted = if share.writes() { access::WRITE } else { access::READ };
        access::require_data(&context.credential, &attributes, wanted)?;
    }
    Ok(())
}

/// The files from which and to which COPY and CLONE go: the saved and the current filehandle, if the stateids let the client
/// read the one and write the other. The current stateid, where one stands for it, is that of each filehandle.
pub(super) async fn source_and_target(
    context: &mut Context<'_>,
    source: StateId,
    target: StateId,
) -> Result<(Handle, Handle), Status> {
    let (saved, current) = (context.saved()?, context.current()?);
    let (from, to) = (regular(context, saved).await?, regular(context, current).await?);
    let source = match source {
        StateId::CURRENT => context.saved_stateid.ok_or(Status::BadStateid)?,
        given => given,
    };
    let target = context.stateid(target)?;
    // In another volume the caller may count as somebody else.
    gate::see(context, saved).await?;
    check_io(context, from, source, Share::READ).await?;
    gate::see(context, current).await?;
    check_io(context, to, target, Share::WRITE).await?;
    Ok((from, to))
}

/// A program that a user other than root wrote to no longer runs with its owner's rights.
pub(super) async fn drop_privileges(context: &Context<'_>, written: &Attributes) -> Result<(), Status> {
    let mode = access::mode_after_change(written.mode);
    if mode == written.mode || context.credential.is_root() || written.kind != Kind::File {
        return Ok(());
    }
    let set = SetAttributes { mode: Some(mode), ..SetAttributes::default() };
    context.server.pool.setattr(written.handle, set).await.or_status()?;
    Ok(())
}
