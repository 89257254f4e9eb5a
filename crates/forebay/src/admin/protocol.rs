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

mod export;
mod nfs;

use serde::{Deserialize, Serialize};

pub use export::{ExportCommand, PolicyView, RuleChangeView, RuleView};
pub use nfs::{
    ClientView, FileView, LockView, LocksView, NfsCommand, OpenView, OpensView, OperationView, SessionView,
};

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
    /// Change a volume; answered with it.
    VolumeModify {
        /// Its name.
        name: String,
        /// Its export policy, if that is to change.
        export: Option<String>,
        /// The snapshots that are taken by the clock and kept, if that is to change.
        snapshots: Option<Plan>,
        /// How fast clients may use it, if that is to change.
        throughput: Option<Throughput>,
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
        /// The clone's export policy; none: that of the volume.
        export: Option<String>,
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
    /// Something with export policies.
    Export(ExportCommand),
    /// Something with NFS clients.
    Nfs(NfsCommand),
    /// The pool and its sizes.
    PoolShow {},
    /// Recount the pool, and compare.
    PoolCheck {
        /// Also read and verify all data.
        read_chunks: bool,
    },
    /// Begin to verify everything in the background; answered with how it stands.
    ScrubStart {},
    /// End that; answered with how it stands.
    ScrubStop {},
    /// How that stands.
    ScrubStatus {},
    /// What is stored for the files of a volume, or of all.
    Efficiency {
        /// The volume's name.
        volume: Option<String>,
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
    /// Bytes per second that clients may read and write, if that is limited.
    pub max_bytes_per_second: Option<u64>,
    /// How what is written to it is compressed: `none`, `lz4` or `zstd`.
    pub compression: String,
    /// Snapshots that are taken by the clock.
    pub snapshots: Plan,
    /// Its export policy.
    pub export: String,
}

/// How fast clients may use a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Throughput {
    /// Bytes per second that they may read and write; none: no limit.
    pub max_bytes_per_second: Option<u64>,
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
    Answer(Box<Answer>),
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
    /// To [`ExportCommand::List`].
    Exports(Vec<PolicyView>),
    /// To commands that make, show or change a policy.
    Export(PolicyView),
    /// To [`NfsCommand::Clients`].
    NfsClients(Vec<ClientView>),
    /// To [`NfsCommand::Sessions`].
    NfsSessions(Vec<SessionView>),
    /// To [`NfsCommand::Opens`].
    NfsOpens(OpensView),
    /// To [`NfsCommand::Locks`].
    NfsLocks(LocksView),
    /// To [`NfsCommand::Stats`].
    NfsStats(Vec<OperationView>),
    /// To [`Command::PoolShow`].
    Pool(PoolView),
    /// To [`Command::PoolCheck`].
    Checked(CheckView),
    /// To [`Command::ScrubStart`], [`Command::ScrubStop`] and [`Command::ScrubStatus`].
    Scrub(ScrubView),
    /// To [`Command::Efficiency`].
    Efficiency(EfficiencyView),
}

/// What a check looked at, and found; also what `--json` prints.
#[derive(Debug, Serialize, Deserialize)]
pub struct CheckView {
    /// Inodes whose names, links and sizes were counted.
    pub inodes: u64,
    /// Extents that were looked at.
    pub extents: u64,
    /// Chunks whose references were counted.
    pub chunks: u64,
    /// Segments whose live bytes were counted.
    pub segments: u64,
    /// Bytes of frames that are referenced.
    pub bytes_live: u64,
    /// Frames that were read and verified.
    pub frames_read: u64,
    /// Bytes of them.
    pub bytes_read: u64,
    /// Number of things that do not agree.
    pub differences_count: u64,
    /// One sentence for each, up to ten thousand.
    pub differences: Vec<String>,
}

/// How the verification of everything stands; also what `--json` prints.
#[derive(Debug, Serialize, Deserialize)]
pub struct ScrubView {
    /// One is under way.
    pub running: bool,
    /// When the last one began, in UTC.
    pub started: Option<String>,
    /// When the last one that was not stopped ended, in UTC.
    pub finished: Option<String>,
    /// Frames verified in it.
    pub frames: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// Bytes of all frames that are referenced.
    pub bytes_total: u64,
    /// What was written again from the other copy.
    pub repaired: u64,
    /// Frames that are damaged in every copy.
    pub damaged: u64,
    /// The first of them.
    pub damage: Vec<String>,
    /// Copies that are kept of everything.
    pub copies: u64,
    /// A copy is not there.
    pub degraded: bool,
}

/// What is stored for the files of a volume, or of all; also what `--json` prints.
#[derive(Debug, Serialize, Deserialize)]
pub struct EfficiencyView {
    /// Bytes of files that are not holes.
    pub bytes_logical: u64,
    /// Bytes of files that are holes.
    pub bytes_holes: u64,
    /// Bytes that take no space because others are the same.
    pub bytes_deduplicated: u64,
    /// Bytes that compression saves.
    pub bytes_compressed: u64,
    /// Bytes that are stored.
    pub bytes_physical: u64,
    /// The part of them in the metadata store.
    pub bytes_inline: u64,
    /// Logical to physical.
    pub ratio: f64,
}

/// A volume as an operator sees it; also what `--json` prints.
#[derive(Debug, Serialize, Deserialize)]
pub struct VolumeView {
    /// Its name.
    pub name: String,
    /// Its export policy.
    pub export: String,
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
    /// Bytes per second that clients may read and write, if that is limited.
    pub max_bytes_per_second: Option<u64>,
    /// Requests that had to wait for that since it is limited, or since the daemon started.
    pub waits: Option<WaitsView>,
    /// Bytes that can still be written to it.
    pub bytes_free: u64,
    /// Bytes of its files that are not holes.
    pub bytes_logical: u64,
    /// Inodes that exist, the root directory and orphans included.
    pub inodes_used: u64,
    /// Files without a name that are still open.
    pub orphans: u64,
    /// How what is written to it is compressed: `none`, `lz4` or `zstd`.
    pub compression: String,
    /// Snapshots that are taken by the clock.
    pub snapshots: Plan,
    /// The snapshot that it was made of, as VOLUME@SNAPSHOT.
    pub clone_of: Option<String>,
}

/// Requests that had to wait for the limit of a volume.
#[derive(Debug, Serialize, Deserialize)]
pub struct WaitsView {
    /// How many.
    pub requests: u64,
    /// Milliseconds that they waited, all together.
    pub waited_ms: u64,
    /// How many of them were told to come again, as the wait would have been too long.
    pub turned_away: u64,
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
    /// Number of segments.
    pub segments: u64,
    /// Bytes of frames that are referenced.
    pub bytes_live: u64,
    /// Bytes of frames that are not; the cleaner gives them back.
    pub bytes_dead: u64,
    /// Bytes of tails, in the metadata store.
    pub bytes_inline: u64,
    /// Verification of what is stored.
    pub scrub: ScrubView,
    /// Release of the daemon.
    pub release: String,
}
