//! Access control: an object's permission bits against the user of a call.
//!
//! The rules are those of POSIX, with two additions because an NFS server does not see the client's open
//! files ([`require_data`]): the owner may always read and write the data, as the file could have been opened
//! before its mode changed; and a user who may execute a file may read it, as executing means reading. User 0
//! may do everything.

use forebay_pool::{Attributes, Kind};

use crate::fs::Node;
use forebay_nfs_proto::rpc::Credential;
use forebay_nfs_proto::xdr::Status;

/// Search a directory, or execute a file.
pub const EXECUTE: u32 = 1;
/// Write the data, or change a directory's entries.
pub const WRITE: u32 = 2;
/// Read the data, or list a directory.
pub const READ: u32 = 4;

const SET_GROUP_ID: u32 = 0o2000;
const SET_USER_ID: u32 = 0o4000;
const STICKY: u32 = 0o1000;
const GROUP_EXECUTE: u32 = 0o0010;
const ANY_EXECUTE: u32 = 0o0111;

/// The attributes on which permissions depend.
#[derive(Clone, Copy, Debug)]
pub struct Ownership {
    /// Permission bits.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Whether the object is a directory.
    pub directory: bool,
}

impl From<&Attributes> for Ownership {
    fn from(attributes: &Attributes) -> Ownership {
        Ownership {
            mode: attributes.mode,
            uid: attributes.uid,
            gid: attributes.gid,
            directory: attributes.kind == Kind::Directory,
        }
    }
}

impl From<&Node> for Ownership {
    fn from(node: &Node) -> Ownership {
        Ownership { mode: node.mode, uid: node.uid, gid: node.gid, directory: node.kind == Kind::Directory }
    }
}

/// Which of [`READ`], [`WRITE`] and [`EXECUTE`] the user has.
pub fn granted(credential: &Credential, object: impl Into<Ownership>) -> u32 {
    let object = object.into();
    if credential.is_root() {
        let executable = object.directory || object.mode & ANY_EXECUTE != 0;
        return READ | WRITE | if executable { EXECUTE } else { 0 };
    }
    let shift = if credential.uid == object.uid {
        6
    } else if credential.is_member(object.gid) {
        3
    } else {
        0
    };
    (object.mode >> shift) & (READ | WRITE | EXECUTE)
}

/// Returns [`Status::Access`] unless the user has all of `wanted`. OPEN of an existing file and all
/// operations on directories use this check.
pub fn require(credential: &Credential, object: impl Into<Ownership>, wanted: u32) -> Result<(), Status> {
    if granted(credential, object) & wanted == wanted { Ok(()) } else { Err(Status::Access) }
}

/// The check for reading or writing data without an open that has already checked it: with a special stateid,
/// or a size set by SETATTR.
pub fn require_data(
    credential: &Credential,
    object: impl Into<Ownership>,
    wanted: u32,
) -> Result<(), Status> {
    let object = object.into();
    if object.uid == credential.uid {
        return Ok(());
    }
    let granted = granted(credential, object);
    let executable = wanted == READ && granted & EXECUTE != 0 && !object.directory;
    if granted & wanted == wanted || executable { Ok(()) } else { Err(Status::Access) }
}

/// Whether `credential` may remove only its own files from `directory`.
pub fn is_sticky_for(credential: &Credential, directory: &Node) -> bool {
    directory.mode & STICKY != 0 && !credential.is_root() && credential.uid != directory.uid
}

/// The permission bits that remain when a user writes to a file, or changes its size or owner: a program that
/// another user has changed no longer runs with its owner's rights.
pub fn mode_after_change(mode: u32) -> u32 {
    let group = if mode & GROUP_EXECUTE != 0 { SET_GROUP_ID } else { 0 };
    mode & !(SET_USER_ID | group)
}

/// The permission bits that `credential` may give to an object of group `gid`: the set-group-ID bit requires
/// that the user belongs to the group.
pub fn mode_to_set(credential: &Credential, gid: u32, mode: u32) -> u32 {
    if credential.is_root() || credential.is_member(gid) { mode } else { mode & !SET_GROUP_ID }
}

/// The group and permission bits of a new object in `directory`. A directory with the set-group-ID bit passes
/// its group on to new objects, and the bit to new directories.
pub fn inherit(
    credential: &Credential,
    directory: impl Into<Ownership>,
    kind: &Kind,
    mode: u32,
) -> (u32, u32) {
    let directory = directory.into();
    if directory.mode & SET_GROUP_ID == 0 {
        return (credential.gid, mode);
    }
    let bit = if *kind == Kind::Directory { SET_GROUP_ID } else { 0 };
    (directory.gid, mode_to_set(credential, directory.gid, mode) | bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(uid: u32, gid: u32, groups: &[u32]) -> Credential {
        Credential { uid, gid, groups: groups.to_vec() }
    }

    fn file(mode: u32) -> Ownership {
        Ownership { mode, uid: 10, gid: 20, directory: false }
    }

    #[test]
    fn the_first_class_that_fits_decides() {
        let owner = user(10, 20, &[]);
        assert_eq!(granted(&owner, file(0o077)), 0);
        let member = user(11, 99, &[20]);
        assert_eq!(granted(&member, file(0o707)), 0);
        assert_eq!(granted(&member, file(0o050)), READ | EXECUTE);
        let other = user(11, 99, &[21]);
        assert_eq!(granted(&other, file(0o772)), WRITE);
    }

    #[test]
    fn root_may_do_all_but_execute_what_nobody_may_execute() {
        let root = user(0, 0, &[]);
        assert_eq!(granted(&root, file(0o000)), READ | WRITE);
        assert_eq!(granted(&root, file(0o001)), READ | WRITE | EXECUTE);
        assert_eq!(granted(&root, Ownership { directory: true, ..file(0) }), READ | WRITE | EXECUTE);
    }

    #[test]
    fn data_is_open_to_the_owner_and_reading_to_those_who_may_execute() {
        assert_eq!(require_data(&user(10, 1, &[]), file(0), WRITE), Ok(()));
        let other = user(11, 1, &[]);
        assert_eq!(require_data(&other, file(0o001), READ), Ok(()));
        assert_eq!(require_data(&other, file(0o001), WRITE), Err(Status::Access));
        assert_eq!(require(&other, file(0o001), READ), Err(Status::Access));
    }

    #[test]
    fn a_set_group_id_directory_gives_its_group_on() {
        let parent = Ownership { mode: 0o2775, uid: 1, gid: 50, directory: true };
        let maker = user(10, 20, &[50]);
        assert_eq!(inherit(&maker, parent, &Kind::Directory, 0o755), (50, 0o2755));
        assert_eq!(inherit(&maker, parent, &Kind::File, 0o644), (50, 0o644));
        let stranger = user(10, 20, &[]);
        assert_eq!(inherit(&stranger, parent, &Kind::File, 0o2755), (50, 0o755));
        let plain = Ownership { mode: 0o775, ..parent };
        assert_eq!(inherit(&maker, plain, &Kind::Directory, 0o755), (20, 0o755));
    }
}
