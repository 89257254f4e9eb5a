//! The changes that clients make, except to data: names, attributes, records, volumes, snapshots.

use bytes::Bytes;

use super::model::NodeId;
use super::tree::Tree;
use crate::{Handle, VolumeId};

/// The inode to create.
#[derive(Clone, Debug)]
pub(super) enum New {
    File { size: u64 },
    Directory,
    Symlink(Bytes),
}

/// A change of names, attributes, records or volumes.
#[derive(Clone, Debug)]
pub(super) enum Effect {
    Create {
        directory: NodeId,
        name: String,
        new: New,
        mode: u32,
    },
    Link {
        node: NodeId,
        directory: NodeId,
        name: String,
    },
    Remove {
        directory: NodeId,
        name: String,
    },
    Rename {
        from: NodeId,
        from_name: String,
        to: NodeId,
        to_name: String,
    },
    Mode {
        node: NodeId,
        mode: u32,
    },
    /// Sets an extended attribute, or removes it.
    Xattr {
        node: NodeId,
        name: String,
        value: Option<Bytes>,
    },
    RecordPut {
        key: u8,
        value: Bytes,
    },
    RecordDelete {
        key: u8,
    },
    VolumeCreate {
        name: String,
    },
    VolumeDelete {
        name: String,
    },
    /// Deletes a volume so that it can be recovered.
    Shelve {
        name: String,
    },
    /// Recovers a deleted volume, perhaps under another name.
    Recover {
        volume: VolumeId,
        name: String,
    },
    /// Purges a deleted volume.
    Purge {
        volume: VolumeId,
    },
    SnapshotCreate {
        volume: String,
        name: String,
    },
    SnapshotDelete {
        volume: String,
        name: String,
    },
    Clone {
        volume: String,
        snapshot: String,
        name: String,
    },
    /// Also deletes younger snapshots.
    Rollback {
        volume: String,
        snapshot: String,
    },
}

/// The object that an effect created.
pub(super) enum Made {
    Nothing,
    Inode(Handle),
    /// A snapshot or a clone, and its content.
    Tree(Handle, Tree),
}
