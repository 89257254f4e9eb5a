//! What the interface says about deleting volumes and recovering them, and about how long snapshots stay.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use bytes::Bytes;

use super::types::{SnapshotName, VolumeId};
use super::volume::VolumeSpec;

/// The properties that a caller chooses for a snapshot, apart from its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SnapshotSpec {
    /// When it is deleted by itself; `None`: never.
    pub expires: Option<SystemTime>,
    /// Until when nobody can delete it.
    pub locked_until: Option<SystemTime>,
}

/// What the deletion of each snapshot of a volume would free, by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotSpace {
    /// When it was computed.
    pub taken: SystemTime,
    /// Whether only a part of the chunks was counted.
    pub is_estimate: bool,
    /// Bytes by the snapshots' ids. What two snapshots share goes with neither.
    pub frees: HashMap<VolumeId, u64>,
}

/// Changes to a snapshot; `None` leaves a property unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotChange {
    /// Its own name.
    pub name: Option<String>,
    /// When it is deleted by itself; `Some(None)`: never.
    pub expires: Option<Option<SystemTime>>,
    /// Until when nobody can delete it. A lock can be made longer, and not shorter.
    pub locked_until: Option<SystemTime>,
}

/// A deleted volume that can be recovered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeletedVolume {
    /// The volume's id, in handles of its inodes too.
    pub id: VolumeId,
    /// Its properties when it was deleted. Another volume may have its name and its path now.
    pub spec: VolumeSpec,
    /// When it was created.
    pub created: SystemTime,
    /// When it was deleted.
    pub deleted: SystemTime,
    /// When it is purged: then it cannot be recovered any more.
    pub until: SystemTime,
    /// Bytes of its files that are not holes.
    pub bytes_logical: u64,
    /// Inodes in it.
    pub inodes: u64,
    /// Number of its snapshots.
    pub snapshots: u64,
    /// The lock of a snapshot that keeps it from being purged.
    pub locked_until: Option<SystemTime>,
    /// The snapshot that it was cloned from, if it is a clone.
    pub clone_of: Option<SnapshotName>,
    /// What the caller gave when the volume was deleted.
    pub note: Bytes,
}

/// Something that the pool did by itself because a time was over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnAction {
    /// A deleted volume was purged.
    VolumePurged {
        /// Its name.
        name: String,
    },
    /// A snapshot was deleted.
    SnapshotExpired {
        /// The volume.
        volume: String,
        /// The snapshot.
        name: String,
        /// Whether the schedule took it, and has newer ones now.
        is_scheduled: bool,
    },
}

/// How a volume is deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deletion {
    /// Delete it even if it has files or snapshots.
    pub force: bool,
    /// Keep the snapshot that was taken for it, if it is a clone.
    pub keep_snapshot: bool,
    /// How long it can be recovered; `None`: not at all, so that its space is freed at once.
    pub recoverable: Option<Duration>,
    /// Kept with a volume that can be recovered, up to 4096 bytes. The pool does not interpret it.
    pub note: Bytes,
}

/// The name and path of a recovered volume. `None`: as before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// See [`VolumeSpec::name`].
    pub name: Option<String>,
    /// See [`VolumeSpec::junction_path`]. If it is missing, and the path was `/` and the old name, it follows the name.
    pub junction_path: Option<String>,
}
