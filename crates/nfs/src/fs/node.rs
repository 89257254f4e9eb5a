//! The attributes of an object, in a volume or in the pseudo file system.

use std::time::SystemTime;

use forebay_pool::{Attributes, Kind};

use crate::tree::{FileHandle, PseudoId};
use crate::tree::{PseudoDirectory, Tree};

/// Permission bits of pseudo directories: every user may read them, none may change them.
const PSEUDO_MODE: u32 = 0o555;

/// An object and its attributes.
#[derive(Clone, Debug)]
pub struct Node {
    /// The object's filehandle.
    pub handle: FileHandle,
    /// The object's kind.
    pub kind: Kind,
    /// Permission bits.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Number of names; 0 for an orphan.
    pub nlink: u32,
    /// Size in bytes.
    pub size: u64,
    /// Bytes of space used.
    pub space_used: u64,
    /// Strictly increases with every change.
    pub change: u64,
    /// Last read.
    pub atime: SystemTime,
    /// Last change of data.
    pub mtime: SystemTime,
    /// Last change of data or attributes.
    pub ctime: SystemTime,
    /// Creation.
    pub btime: SystemTime,
}

impl From<Attributes> for Node {
    fn from(attributes: Attributes) -> Node {
        Node {
            handle: FileHandle::Inode(attributes.handle),
            kind: attributes.kind,
            mode: attributes.mode,
            uid: attributes.uid,
            gid: attributes.gid,
            nlink: attributes.nlink,
            size: attributes.size,
            space_used: attributes.space_used,
            change: attributes.change,
            atime: attributes.atime,
            mtime: attributes.mtime,
            ctime: attributes.ctime,
            btime: attributes.btime,
        }
    }
}

impl Node {
    /// A directory of the pseudo file system.
    pub fn pseudo(id: PseudoId, directory: &PseudoDirectory, tree: &Tree) -> Node {
        let subdirectories = u32::try_from(directory.children.len()).unwrap_or(u32::MAX);
        Node::above_volumes(id, subdirectories, directory.modified, tree)
    }

    /// The root directory of a file system that another server has. Of its attributes only those of the place are known.
    pub fn referral(id: PseudoId, tree: &Tree) -> Node {
        Node::above_volumes(id, 0, SystemTime::UNIX_EPOCH, tree)
    }

    fn above_volumes(id: PseudoId, subdirectories: u32, modified: SystemTime, tree: &Tree) -> Node {
        Node {
            handle: FileHandle::Pseudo(id),
            kind: Kind::Directory,
            mode: PSEUDO_MODE,
            uid: 0,
            gid: 0,
            nlink: subdirectories.saturating_add(2),
            size: 0,
            space_used: 0,
            change: tree.change(),
            atime: modified,
            mtime: modified,
            ctime: modified,
            btime: modified,
        }
    }

    /// Identifies the object within its file system.
    pub fn fileid(&self) -> u64 {
        match self.handle {
            FileHandle::Pseudo(node) => node.0,
            FileHandle::Inode(handle) => handle.inode.0,
        }
    }
}
