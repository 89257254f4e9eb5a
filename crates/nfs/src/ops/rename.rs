//! RENAME (RFC 8881 §18.26): from the saved into the current directory.

use forebay_pool::{Error, Handle, Kind, Removed, Renamed};

use crate::compound::Context;
use crate::fs;
use crate::fs::access::{WRITE, require};
use crate::fs::{Node, change_info, name};
use crate::status::{OrStatus, status_of};
use crate::tree::FileHandle;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{OperationResult, RenameArgs, RenameResult};

/// Linux renames a deleted file that is open to this prefix, the inode number and a counter, both in hexadecimal.
const SILLY_PREFIX: &[u8] = b".nfs";
const SILLY_NUMBER_DIGITS: usize = 16;
const SILLY_COUNTER_DIGITS: usize = 8;

/// If the new name exists, it is replaced as REMOVE would remove it.
///
/// Linux renames an open file to `.nfsXXXX` before it renames another over it, whatever the server promised about open files. It
/// removes that name after the last close. Until then programs that delete a directory would find the name and fail. So such a
/// rename removes the name right away, and the file stays as an orphan for the client that has it open.
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
    if from == to && is_silly(context, from, &args).await? {
        let result = |removed: &Removed| RenameResult {
            source_change_info: change_info(removed.directory),
            target_change_info: change_info(removed.directory),
        };
        let record = context.record(move |removed| OperationResult::Rename(Ok(result(removed))));
        let removed = server.pool.remove_with(from, &args.oldname, record).await.or_status()?;
        return Ok(result(&removed));
    }
    let result = |renamed: &Renamed| RenameResult {
        source_change_info: change_info(renamed.from_directory),
        target_change_info: change_info(renamed.to_directory),
    };
    let record = context.record(move |renamed| OperationResult::Rename(Ok(result(renamed))));
    let (source, target) = ((from, &args.oldname[..]), (to, &args.newname[..]));
    let renamed = server.pool.rename_with(source, target, record).await.map_err(status)?;
    Ok(result(&renamed))
}

/// Whether this is a "silly rename" (see [`rename`]) of a file that the client has open, on a volume that preserves unlinked files.
async fn is_silly(context: &Context<'_>, directory: Handle, args: &RenameArgs) -> Result<bool, Status> {
    let Some(number) = silly_number(&args.newname) else { return Ok(false) };
    let pool = &context.server.pool;
    if !pool.volume_by_id(directory.volume).or_status()?.spec.preserve_unlink {
        return Ok(false);
    }
    let file = pool.lookup(directory, &args.oldname).await.or_status()?;
    let is_free = matches!(pool.lookup(directory, &args.newname).await, Err(Error::NotFound(_)));
    Ok(file.kind == Kind::File
        && file.handle.inode.0 == number
        && is_free
        && context.server.state.has_open(context.client()?, file.handle))
}

/// The inode number in a name such as `.nfs00000000000017de00000027`.
fn silly_number(name: &[u8]) -> Option<u64> {
    let digits = name.strip_prefix(SILLY_PREFIX)?;
    let is_hexadecimal = digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    if digits.len() != SILLY_NUMBER_DIGITS + SILLY_COUNTER_DIGITS || !is_hexadecimal {
        return None;
    }
    let number = digits.get(..SILLY_NUMBER_DIGITS)?;
    u64::from_str_radix(std::str::from_utf8(number).ok()?, 16).ok()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_linux_gives_has_the_number_of_the_file() {
        assert_eq!(silly_number(b".nfs00000000000017de00000027"), Some(0x17de));
        assert_eq!(silly_number(b".nfsffffffffffffffff00000000"), Some(u64::MAX));
        for other in [
            &b".nfs"[..],
            b".nfs00000000000017de0000002",
            b".nfs00000000000017de000000270",
            b".nfs00000000000017DE00000027",
            b".nfs+0000000000017de00000027",
            b"xnfs00000000000017de00000027",
        ] {
            assert_eq!(silly_number(other), None);
        }
    }
}
