//! Shared code of the operations on file data: finding the file, checking the stateid, and the side effects
//! of a write.

use forebay_pool::{Attributes, Error, Handle, Kind, SetAttributes};

use crate::compound::Context;
use crate::fs::access;
use crate::gate;
use crate::state::{IoBasis, Share};
use crate::status::OrStatus;
use crate::status::status_of;
use crate::tree::FileHandle;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::StateId;

/// The current filehandle's inode, which may not be a file. Directories of the pseudo file system are
/// rejected.
pub(super) fn inode(context: &Context<'_>) -> Result<Handle, Status> {
    match context.current()? {
        FileHandle::Inode(handle) => Ok(handle),
        FileHandle::Pseudo(_) => Err(Status::IsDir),
    }
}

/// The current filehandle's inode, for an operation on a stateid. Objects above the volumes have no stateids.
pub(super) fn opened(context: &Context<'_>) -> Result<Handle, Status> {
    match context.current()? {
        FileHandle::Inode(handle) => Ok(handle),
        FileHandle::Pseudo(_) => Err(Status::BadStateid),
    }
}

/// The status for an error of the pool. Objects that are not files have different statuses by kind: ISDIR,
/// SYMLINK, and WRONG_TYPE for the rest (RFC 8881 §18.22.3).
pub(super) async fn status(context: &Context<'_>, handle: Handle, error: Error) -> Status {
    let Error::NotFile = error else { return status_of(error) };
    match context.server.pool.getattr(handle).await {
        Ok(attributes) if matches!(attributes.kind, Kind::Symlink(_)) => Status::Symlink,
        _ => Status::WrongType,
    }
}

/// The regular file that a filehandle names. Most operations of RFC 7862 return WRONG_TYPE for other objects
/// (§15.1.3).
pub(super) async fn regular(context: &Context<'_>, handle: FileHandle) -> Result<Handle, Status> {
    let FileHandle::Inode(handle) = handle else { return Err(Status::WrongType) };
    match context.server.pool.getattr(handle).await.or_status()?.kind {
        Kind::File => Ok(handle),
        _ => Err(Status::WrongType),
    }
}

/// Returns [`Status::Inval`] if the range is empty or ends beyond the maximum offset.
pub(super) fn require_range(offset: u64, length: u64) -> Result<(), Status> {
    let end = offset.checked_add(length).filter(|end| *end > offset);
    end.map(|_| ()).ok_or(Status::Inval)
}

/// Checks whether a stateid lets the client read or write the file. An open has already checked the
/// permissions. Without one, or if the caller is now mapped to another user than at the open, they are
/// checked here.
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

/// The source and target of COPY and CLONE: the saved and the current filehandle, if the stateids allow
/// reading the one and writing the other. A current stateid is resolved separately for each filehandle.
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
    // In another volume the caller may be mapped to another user.
    gate::see(context, saved).await?;
    check_io(context, from, source, Share::READ).await?;
    gate::see(context, current).await?;
    check_io(context, to, target, Share::WRITE).await?;
    Ok((from, to))
}

/// Removes the set-user-ID and set-group-ID rights of a program when a user other than root has written to
/// it.
pub(super) async fn drop_privileges(context: &Context<'_>, written: &Attributes) -> Result<(), Status> {
    let mode = access::mode_after_change(written.mode);
    if mode == written.mode || context.credential.is_root() || written.kind != Kind::File {
        return Ok(());
    }
    let set = SetAttributes { mode: Some(mode), ..SetAttributes::default() };
    context.server.pool.setattr(written.handle, set).await.or_status()?;
    Ok(())
}
