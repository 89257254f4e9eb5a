//! The attributes of new objects from CREATE and OPEN.

use forebay_pool::{Kind, NewInode, SetAttributes, SetTime};

use crate::fs::Node;
use crate::fs::access;
use forebay_nfs_proto::rpc::Credential;
use forebay_nfs_proto::xdr::Status;

/// Default permission bits of files and directories.
const FILE_MODE: u32 = 0o600;
const DIRECTORY_MODE: u32 = 0o700;

/// A new inode of this kind for `credential` in `directory`, with the attributes that the client chose.
/// `create_verifier` is that of an exclusive create.
///
/// # Errors
/// Returns [`Status::Perm`] for an owner or group that the user may not assign, and [`Status::Inval`] for a
/// size of an object that has none.
pub fn new_inode(
    credential: &Credential,
    directory: &Node,
    kind: Kind,
    chosen: &SetAttributes,
    create_verifier: Option<[u8; 8]>,
) -> Result<NewInode, Status> {
    if !credential.is_root() {
        let owner = chosen.uid.is_none_or(|uid| uid == credential.uid);
        let group = chosen.gid.is_none_or(|gid| credential.is_member(gid));
        if !owner || !group {
            return Err(Status::Perm);
        }
    }
    if chosen.size.is_some() && kind != Kind::File {
        return Err(Status::Inval);
    }
    let default = if kind == Kind::Directory { DIRECTORY_MODE } else { FILE_MODE };
    let (gid, mode) = access::inherit(credential, directory, &kind, chosen.mode.unwrap_or(default));
    Ok(NewInode {
        kind,
        mode,
        uid: chosen.uid.unwrap_or(credential.uid),
        gid: chosen.gid.unwrap_or(gid),
        size: chosen.size.unwrap_or(0),
        atime: time(chosen.atime),
        mtime: time(chosen.mtime),
        create_verifier,
    })
}

fn time(chosen: Option<SetTime>) -> Option<std::time::SystemTime> {
    match chosen {
        Some(SetTime::To(time)) => Some(time),
        Some(SetTime::Now) | None => None,
    }
}
