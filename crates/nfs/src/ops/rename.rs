//! RENAME (RFC 8881 §18.26): from the saved into the current directory.

use forebay_pool::{Error, Kind};

use crate::compound::Context;
use crate::fs;
use crate::fs::access::{WRITE, require};
use crate::fs::{Node, change_info, name};
use crate::status::status_of;
use crate::tree::FileHandle;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{RenameArgs, RenameResult};

/// If the new name exists, it is replaced as REMOVE would remove it.
pub async fn rename(context: &mut Context<'_>, args: RenameArgs) -> Result<RenameResult, Status> {
    name::check(&args.oldname)?;
    name::check(&args.newname)?;
    let (saved, current) = (context.saved()?, context.current()?);
    let (server, credential) = (context.server, &context.credential);
    let (from, from_directory) = fs::writable_directory(server, credential, saved).await?;
    let (to, to_directory) = fs::writable_directory(server, credential, current).await?;
    fs::check_changed(server, from, &args.oldname).map_err(|_| Status::Access)?;
    fs::check_changed(server, to, &args.newname)?;
    fs::check_victim(server, credential, &from_directory, &args.oldname).await?;
    fs::check_victim(server, credential, &to_directory, &args.newname).await?;
    if from != to {
        check_moved(context, saved, &args.oldname).await?;
    }
    let renamed = server.pool.rename(from, &args.oldname, to, &args.newname).await.map_err(status)?;
    Ok(RenameResult {
        source_change_info: change_info(renamed.from_directory),
        target_change_info: change_info(renamed.to_directory),
    })
}

/// A directory that gets another parent is itself changed, since its `..` changes.
async fn check_moved(context: &Context<'_>, from: FileHandle, name: &[u8]) -> Result<(), Status> {
    if context.credential.is_root() {
        return Ok(());
    }
    let moved: Node = fs::lookup(context.server, &context.credential, from, name).await?;
    if moved.kind == Kind::Directory { require(&context.credential, &moved, WRITE) } else { Ok(()) }
}

/// A directory and another object cannot replace each other; the RFC has one error for both cases.
fn status(error: Error) -> Status {
    match error {
        Error::IsDirectory | Error::NotDirectory => Status::Exist,
        other => status_of(other),
    }
}
