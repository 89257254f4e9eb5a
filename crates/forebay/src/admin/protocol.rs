//! What is said on the admin socket: one JSON object on a line for a request, one for its answer.
//!
//! ```text
//! → {"version":1,"command":{"volume_show":{"name":"kafka"}}}
//! ← {"version":1,"answer":{"volume":{"name":"kafka","path":"/kafka",…}}}
//! ← {"version":1,"error":"kafka: not found"}
//! ```
//!
//! A connection carries any number of requests, one after the other. The protocol is private to one release
//! of the binary: the version is there so that another release's is refused with a clear message.

use serde::{Deserialize, Serialize};

/// The version of the protocol that this release speaks.
pub const VERSION: u32 = 1;

/// Bytes that a request's line may have, newline included.
pub const REQUEST_BYTES_MAX: u64 = 64 << 10;

/// Bytes that an answer's line may have, newline included: room for more volumes than a pool will have.
pub const ANSWER_BYTES_MAX: u64 = 64 << 20;

/// What a client asks for.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request {
    /// [`VERSION`] of the client.
    pub version: u32,
    /// What to do.
    pub command: Command,
}

/// The part of a request that every version has.
#[derive(Debug, Deserialize)]
pub struct AnyRequest {
    /// The client's version.
    pub version: u32,
}

/// What can be asked for.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Create a volume; answered with it.
    VolumeCreate(NewVolume),
    /// All volumes, by name.
    VolumeList {},
    /// One volume.
    VolumeShow {
        /// Its name.
        name: String,
    },
    /// Give a volume another size; answered with it.
    VolumeResize {
        /// Its name.
        name: String,
        /// Bytes that it may hold; none: as many as the pool has room for.
        size: Option<u64>,
    },
    /// Change which snapshots are taken by the clock; answered with the volume.
    VolumeModify {
        /// Its name.
        name: String,
        /// What is taken and kept.
        snapshots: Plan,
    },
    /// Make a volume of a snapshot; answered with it.
    VolumeClone {
        /// The volume that the snapshot was taken of.
        volume: String,
        /// The snapshot's name; none: take one first.
        snapshot: Option<String>,
        /// The clone's name.
        name: String,
        /// The clone's junction path.
        path: String,
    },
    /// Make a volume what its snapshot shows; answered with `done`.
    VolumeRollback {
        /// Its name.
        name: String,
        /// The snapshot's name.
        to: String,
        /// Also if younger snapshots go with it.
        force: bool,
    },
    /// Take a snapshot of each of the volumes, of one instant; answered with them.
    SnapshotCreate {
        /// The volumes' names.
        volumes: Vec<String>,
        /// The snapshots' name.
        name: String,
    },
    /// The snapshots of one volume, or of all.
    SnapshotList {
        /// The volume's name.
        volume: Option<String>,
    },
    /// Delete a snapshot; answered with `done`.
    SnapshotDelete {
        /// The volume's name.
        volume: String,
        /// The snapshot's own name.
        name: String,
    },
    /// Delete a volume; answered with `done`.
    VolumeDelete {
        /// Its name.
        name: String,
        /// Also if it has files.
        force: bool,
    },
    /// The pool and its sizes.
    PoolShow {},
    /// Recount the pool, and compare.
    PoolCheck {
        /// Also read and verify all data.
        read_chunks: bool,
    },
}

/// A volume to be created.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewVolume {
    /// Its name.
    pub name: String,
    /// Its junction path.
    pub path: String,
    /// Whether clients are told that open files survive their unlink.
    pub preserve_unlink: bool,
    /// Owner of the root directory.
    pub uid: u32,
    /// Group of the root directory.
    pub gid: u32,
    /// Permission bits of the root directory.
    pub mode: u32,
    /// Bytes that it may hold, if that is limited.
    pub size: Option<u64>,
    /// Snapshots that are taken by the clock.
    pub snapshots: Plan,
}

/// How many snapshots of each period are taken by the clock, and kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// At full hours.
    pub hourly: u32,
    /// At midnight, UTC.
    pub daily: u32,
    /// At midnight before Sunday, UTC.
    pub weekly: u32,
}

/// What the daemon says to a request.
#[derive(Debug, Serialize, Deserialize)]
pub struct Response {
    /// [`VERSION`] of the daemon.
    pub version: u32,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What came of a request.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was done.
    Answer(Answer),
    /// It was not: why, and what to do about it.
    Error(String),
}

/// The answers there are.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// To commands that end something.
    Done,
    /// To commands that make, show or change a volume.
    Volume(VolumeView),
    /// To [`Command::VolumeList`].
    Volumes(Vec<VolumeView>),
    /// To [`Command::SnapshotCreate`] and [`Command::SnapshotList`].
    Snapshots(Vec<SnapshotView>),
    /// To [`Command::PoolShow`].
    Pool(PoolView),
    /// To [`Command::PoolCheck`]: one sentence for each thing that does not agree.
    Differences(Vec<String>),
}

/// A volume as an operator sees it; also what `--json` prints.
#[derive(Debug, Serialize, Deserialize)]
pub struct VolumeView {
    /// Its name.
    pub name: String,
    /// Its junction path: what clients mount.
    pub path: String,
    /// Whether clients are told that open files survive their unlink.
    pub preserve_unlink: bool,
    /// Owner of the root directory, as it is now.
    pub uid: u32,
    /// Group of the root directory, as it is now.
    pub gid: u32,
    /// Permission bits of the root directory, as they are now, in octal.
    pub mode: String,
    /// When it was created, in UTC, as RFC 3339 writes it.
    pub created: String,
    /// Bytes that it may hold, if that is limited.
    pub size: Option<u64>,
    /// Bytes that can still be written to it.
    pub bytes_free: u64,
    /// Bytes of its files that are not holes.
    pub bytes_logical: u64,
    /// Inodes that exist, the root directory and orphans included.
    pub inodes_used: u64,
    /// Files without a name that are still open.
    pub orphans: u64,
    /// Snapshots that are taken by the clock.
    pub snapshots: Plan,
    /// The snapshot that it was made of, as VOLUME@SNAPSHOT.
    pub clone_of: Option<String>,
}

/// A snapshot as an operator sees it; also what `--json` prints.
#[derive(Debug, Serialize, Deserialize)]
pub struct SnapshotView {
    /// The volume that it was taken of.
    pub volume: String,
    /// Its own name.
    pub name: String,
    /// When it was taken, in UTC, as RFC 3339 writes it.
    pub created: String,
    /// Bytes of its files that are not holes.
    pub bytes_logical: u64,
    /// `hourly`, `daily` or `weekly`, if it was taken by the clock.
    pub period: Option<String>,
    /// Volumes that are clones of it.
    pub clones: Vec<String>,
}

impl SnapshotView {
    /// VOLUME@SNAPSHOT.
    pub fn full_name(&self) -> String {
        format!("{}@{}", self.volume, self.name)
    }
}

/// The pool as an operator sees it; also what `--json` prints.
#[derive(Debug, Serialize, Deserialize)]
pub struct PoolView {
    /// Its id, in hexadecimal.
    pub id: String,
    /// How many times it has been opened.
    pub boot: u64,
    /// Its directory.
    pub directory: String,
    /// Bytes that it can hold.
    pub bytes_total: u64,
    /// Bytes that can still be written.
    pub bytes_free: u64,
    /// Bytes of all files that are not holes.
    pub bytes_logical: u64,
    /// Inodes that exist, orphans included.
    pub inodes_used: u64,
    /// Files without a name that are still open.
    pub orphans: u64,
    /// Number of volumes.
    pub volumes: u64,
    /// Release of the daemon.
    pub release: String,
}
