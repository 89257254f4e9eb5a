//! The types of the pool's interface: identifiers, attributes, and what callers pass in and get back.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use bytes::Bytes;

use super::volume::VolumeSpec;
use crate::Mismatch;

/// Identifies a pool among all pools: 16 random bytes, drawn when the pool is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PoolId(pub [u8; 16]);

impl std::fmt::Display for PoolId {
    /// 32 hexadecimal digits.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:032x}", u128::from_be_bytes(self.0))
    }
}

/// Identifies a volume within a pool. Never reused after the volume is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VolumeId(pub u32);

/// Identifies an inode within a pool. Never reused after the inode is freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InodeId(pub u64);

/// Identifies an inode for as long as it exists, whatever its path and across restarts.
///
/// `generation` is drawn at random when the inode is created, so that nobody can guess a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle {
    /// The volume that the inode belongs to.
    pub volume: VolumeId,
    /// The inode.
    pub inode: InodeId,
    /// Must equal the inode's own generation; otherwise the handle is stale.
    pub generation: u32,
}

/// The kind of an inode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, with its target path.
    Symlink(Bytes),
    /// A named pipe.
    Fifo,
    /// A UNIX socket.
    Socket,
    /// A character device: major and minor number.
    CharacterDevice(u32, u32),
    /// A block device: major and minor number.
    BlockDevice(u32, u32),
}

/// The attributes of an inode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// The inode's handle.
    pub handle: Handle,
    /// The kind of the inode.
    pub kind: Kind,
    /// Permission bits, at most 0o7777.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Number of names; 0 for an orphan.
    pub nlink: u32,
    /// Size in bytes as a reader sees it, unstable writes included.
    pub size: u64,
    /// Bytes of the file that are not holes.
    pub space_used: u64,
    /// Strictly increases with every change of data or attributes, across restarts too.
    pub change: u64,
    /// Last read.
    pub atime: SystemTime,
    /// Last change of data.
    pub mtime: SystemTime,
    /// Last change of data or attributes.
    pub ctime: SystemTime,
    /// Creation.
    pub btime: SystemTime,
    /// The verifier of the exclusive create that made the inode, if one did.
    pub create_verifier: Option<[u8; 8]>,
}

/// The attributes that a caller chooses for a new inode.
#[derive(Clone, Debug)]
pub struct NewInode {
    /// The kind of the inode.
    pub kind: Kind,
    /// Permission bits, at most 0o7777.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Initial size of a regular file, all of it a hole.
    pub size: u64,
    /// Last read; `None` means now.
    pub atime: Option<SystemTime>,
    /// Last change of data; `None` means now.
    pub mtime: Option<SystemTime>,
    /// Stored with the inode, to recognise a retried exclusive create.
    pub create_verifier: Option<[u8; 8]>,
}

impl NewInode {
    /// An empty inode owned by root, with the current time.
    pub fn new(kind: Kind, mode: u32) -> NewInode {
        NewInode { kind, mode, uid: 0, gid: 0, size: 0, atime: None, mtime: None, create_verifier: None }
    }
}

/// A time to set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetTime {
    /// The pool's current time.
    Now,
    /// A time that the caller gives.
    To(SystemTime),
}

/// Attributes to set; `None` leaves an attribute unchanged.
#[derive(Clone, Debug, Default)]
pub struct SetAttributes {
    /// Permission bits, at most 0o7777.
    pub mode: Option<u32>,
    /// Owner.
    pub uid: Option<u32>,
    /// Group.
    pub gid: Option<u32>,
    /// Size of a regular file: truncates the file, or extends it with a hole.
    pub size: Option<u64>,
    /// Last read.
    pub atime: Option<SetTime>,
    /// Last change of data.
    pub mtime: Option<SetTime>,
}

/// How durable a write is when it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stability {
    /// In memory. A crash loses the write unless it was committed; the write verifier then changes.
    Unstable,
    /// Data, and the metadata needed to read it, are durable.
    DataSync,
    /// Data and all metadata are durable.
    FileSync,
}

/// A directory's `change` before and after an operation, taken under the directory's lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeInfo {
    /// The value before.
    pub before: u64,
    /// The value after.
    pub after: u64,
}

/// Bytes read from a file.
#[derive(Clone, Debug, Default)]
pub struct ReadData {
    /// The bytes in file order, in as many pieces as they were stored in.
    pub pieces: Vec<Bytes>,
    /// True if the range read reaches the end of the file.
    pub eof: bool,
}

/// A part of a file: data or a hole.
#[derive(Clone, Debug)]
pub enum Stretch {
    /// Bytes, in as many pieces as they were stored in.
    Data(Vec<Bytes>),
    /// The length of a hole, which reads as zeros and takes no space.
    Hole(u64),
}

/// The content of a range, with holes reported as holes.
#[derive(Clone, Debug, Default)]
pub struct ReadStretches {
    /// In file order, without gaps.
    pub stretches: Vec<Stretch>,
    /// True if the range read reaches the end of the file.
    pub eof: bool,
}

/// The position of the data or the hole that a seek found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sought {
    /// Where it begins.
    pub offset: u64,
    /// True if only the end of the file was found, which is at `offset`.
    pub eof: bool,
}

/// Whether setting an extended attribute requires that it exists, or that it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetXattr {
    /// It may exist or not.
    Either,
    /// It must not exist: [`crate::Error::Exists`].
    Create,
    /// It must exist: [`crate::Error::NotFound`].
    Replace,
}

/// A page of an inode's extended attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct XattrPage {
    /// Names, each with the cookie to continue after it. Names with the same cookie are adjacent, and never split over two
    /// pages.
    pub names: Vec<(u64, Bytes)>,
    /// True if no name follows.
    pub end: bool,
}

/// The result of cloning a range.
#[derive(Clone, Debug)]
pub struct Cloned {
    /// Bytes cloned, from the start of the range.
    pub bytes: u64,
    /// The target's attributes afterwards.
    pub attributes: Attributes,
}

/// One name in a directory.
#[derive(Clone, Debug)]
pub struct DirectoryEntry {
    /// The name, without `/` or NUL, 1 to 255 bytes.
    pub name: Bytes,
    /// The cookie to pass to `readdir` to continue after this entry. Greater than 2, at most `i64::MAX`, and valid for as long
    /// as the directory exists, whatever is created or removed meanwhile.
    pub cookie: u64,
    /// Attributes of the inode with this name.
    pub attributes: Attributes,
}

/// A page of a directory listing.
#[derive(Clone, Debug, Default)]
pub struct DirectoryPage {
    /// The entries in cookie order.
    pub entries: Vec<DirectoryEntry>,
    /// True if no entry follows.
    pub end: bool,
}

/// The result of `create`.
#[derive(Clone, Debug)]
pub struct Created {
    /// Attributes of the new inode.
    pub attributes: Attributes,
    /// The change of the directory.
    pub directory: ChangeInfo,
}

/// The result of `remove`.
#[derive(Clone, Debug)]
pub struct Removed {
    /// The inode whose name was removed.
    pub handle: Handle,
    /// The change of the directory.
    pub directory: ChangeInfo,
}

/// The result of `rename`.
#[derive(Clone, Debug)]
pub struct Renamed {
    /// The inode that was renamed.
    pub handle: Handle,
    /// The inode that lost its name to the renamed one, if any.
    pub replaced: Option<Handle>,
    /// The change of the source directory.
    pub from_directory: ChangeInfo,
    /// The change of the target directory.
    pub to_directory: ChangeInfo,
}

/// A protocol's own record, to be stored under a namespace and a key.
#[derive(Clone, Debug)]
pub struct ProtocolRecord {
    /// The protocol's namespace.
    pub namespace: &'static str,
    /// The key within the namespace.
    pub key: Bytes,
    /// The value, which the pool does not interpret.
    pub value: Bytes,
}

/// Makes a record from the result of an operation. It runs while every other change of the pool waits, so it must be
/// quick, and must not call the pool.
pub type RecordOf<T> = Box<dyn FnOnce(&T) -> ProtocolRecord + Send>;

/// The period of scheduled snapshots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Period {
    /// At each full hour.
    Hourly,
    /// At midnight, UTC.
    Daily,
    /// At midnight before each Sunday, UTC.
    Weekly,
}

/// A snapshot: the content of a volume at one instant. It is a read-only volume of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The volume id in handles of its inodes.
    pub id: VolumeId,
    /// The volume that was snapshotted.
    pub volume: VolumeId,
    /// That volume's name.
    pub volume_name: String,
    /// Its own name, unique among the snapshots of the volume.
    pub name: String,
    /// The root directory.
    pub root: Handle,
    /// When it was taken.
    pub created: SystemTime,
    /// The schedule that took it; `None` if a user took it.
    pub period: Option<Period>,
    /// Bytes of its files that are not holes.
    pub bytes_logical: u64,
    /// Names of the volumes cloned from it, which prevent its deletion.
    pub clones: Vec<String>,
    /// Names of deleted volumes cloned from it that can be recovered. They prevent its deletion too.
    pub clones_deleted: Vec<String>,
    /// When it is deleted by itself.
    pub expires: Option<SystemTime>,
    /// Until when nobody can delete it. `None` if it is not locked, or not any more.
    pub locked_until: Option<SystemTime>,
    /// It was taken for a clone, and is deleted with it.
    pub is_for_clone: bool,
}

/// The properties that a caller chooses for a clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloneSpec {
    /// See [`VolumeSpec::name`].
    pub name: String,
    /// See [`VolumeSpec::junction_path`].
    pub junction_path: String,
}

/// A volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Volume {
    /// The volume's id.
    pub id: VolumeId,
    /// Its properties.
    pub spec: VolumeSpec,
    /// The root directory.
    pub root: Handle,
    /// When it was created.
    pub created: SystemTime,
    /// The snapshot that it was cloned from, if it is a clone.
    pub clone_of: Option<SnapshotName>,
}

/// A snapshot, by names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotName {
    /// The volume's name.
    pub volume: String,
    /// The snapshot's own name.
    pub snapshot: String,
}

/// Sizes of a volume or of the whole pool, in bytes and inodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Space {
    /// Bytes that the volume, or the pool, can hold.
    pub bytes_total: u64,
    /// Bytes that can still be written.
    pub bytes_free: u64,
    /// Bytes of files that are not holes (of the volume, or of all volumes).
    pub bytes_logical: u64,
    /// Inodes that exist, orphans included.
    pub inodes_used: u64,
    /// Orphans among them.
    pub orphans: u64,
}

/// How the pool was stopped before it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LastStop {
    /// The pool is new: it was never open before.
    First,
    /// It was closed, and everything was durable.
    Clean,
    /// It was not closed: the process was killed or crashed, the machine lost power, or stable storage had failed.
    Unclean,
    /// A release that did not record it had opened the pool.
    #[default]
    Unknown,
}

/// The state of the scrub.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScrubStatus {
    /// A scrub is running.
    pub running: bool,
    /// When the latest scrub began.
    pub started: Option<SystemTime>,
    /// When a scrub last ended without being stopped.
    pub finished: Option<SystemTime>,
    /// Frames verified by this scrub so far.
    pub frames: u64,
    /// Bytes of these frames.
    pub bytes: u64,
    /// Bytes of all frames that are referenced.
    pub bytes_total: u64,
    /// Frames, segment headers and whole segments that a scrub or a reader rewrote from another copy since the pool was opened.
    pub repaired: u64,
    /// Frames that are damaged in every copy, segment headers that could not be repaired, and gaps in the metadata.
    pub damaged: u64,
    /// The first hundred of these that were found since the pool was opened.
    pub damage: Vec<String>,
    /// The number of copies that are kept.
    pub copies: u64,
    /// A copy is missing.
    pub degraded: bool,
}

/// A second copy of a pool, which may become the pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyAssessment {
    /// The pool's id.
    pub pool: PoolId,
    /// The last start that the copy knows.
    pub start: u64,
    /// The last batch of metadata that it has.
    pub batch: u64,
    /// When the pool last recorded its state there.
    pub written: Option<SystemTime>,
    /// What is missing, or does not fit.
    pub mismatches: Vec<Mismatch>,
}

/// The format of a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolFormat {
    /// The pool's.
    pub found: u32,
    /// The newest that this release reads and writes.
    pub newest: u32,
    /// Whether this release keeps the pool's format until [`crate::Pool::finalize`]. Otherwise a start of it changes the format at once.
    pub is_kept: bool,
    /// What the pool lacks as long as it has this format.
    pub news: Vec<String>,
}

/// The copies of the metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataCopies {
    /// The number of copies that should be kept.
    pub wanted: u64,
    /// The number of copies that have everything that was acknowledged.
    pub whole: u64,
    /// A second copy is being built: keys that it has, and about how many there are.
    pub building: Option<(u64, u64)>,
    /// Why the second copy is missing or behind.
    pub cause: Option<String>,
    /// Reads that the first copy could not answer, and the second one did, since the pool was opened.
    pub rescued: u64,
}

impl Default for MetadataCopies {
    fn default() -> MetadataCopies {
        MetadataCopies { wanted: 1, whole: 1, building: None, cause: None, rescued: 0 }
    }
}

/// The result of checking a pool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckReport {
    /// Inodes examined.
    pub inodes: u64,
    /// Extents examined.
    pub extents: u64,
    /// Chunks whose references were counted.
    pub chunks: u64,
    /// Segments whose live bytes were counted.
    pub segments: u64,
    /// Bytes of frames that are referenced.
    pub bytes_live: u64,
    /// Frames that were read and verified.
    pub frames_read: u64,
    /// Bytes of these frames.
    pub bytes_read: u64,
    /// Number of differences.
    pub differences_count: u64,
    /// One sentence for each difference, up to ten thousand.
    pub differences: Vec<String>,
}

/// How much is stored for the bytes of a volume's files, or of all files.
///
/// What several extents share is attributed to them in equal parts. For all volumes, each stored version is counted once,
/// including versions that only snapshots show: clones and snapshots add nothing to `bytes_logical` but what differs.
/// `bytes_shown` - `bytes_cloned` + `bytes_retained` = `bytes_logical`, and `bytes_logical` - `bytes_deduplicated` -
/// `bytes_compressed` = `bytes_physical`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Efficiency {
    /// Bytes of files that are not holes, in what volumes show now.
    pub bytes_shown: u64,
    /// The part of `bytes_shown` that clones show and do not store: it belongs to the volumes that they were cloned from.
    pub bytes_cloned: u64,
    /// Bytes that the volume that wrote them does not show any more. Snapshots and clones keep them, or they are about to be freed.
    pub bytes_retained: u64,
    /// Bytes of files that are not holes, each stored version once.
    pub bytes_logical: u64,
    /// Bytes of files that are holes and take no space.
    pub bytes_holes: u64,
    /// Bytes that take no space because equal bytes are already stored.
    pub bytes_deduplicated: u64,
    /// Bytes that compression saves.
    pub bytes_compressed: u64,
    /// Bytes stored: frames with their headers, and tails.
    pub bytes_physical: u64,
    /// The part of `bytes_physical` in the metadata store: tails and small overwrites.
    pub bytes_inline: u64,
    /// Extents examined.
    pub extents: u64,
}

/// The segments of a pool, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// Number of segments.
    pub segments: u64,
    /// Bytes of frames that are referenced.
    pub bytes_live: u64,
    /// Bytes of frames that are no longer referenced. The cleaner frees their space.
    pub bytes_dead: u64,
    /// Bytes of tails, small overwrites and extended attributes in the metadata store.
    pub bytes_inline: u64,
    /// Segments that hold data but were missing at opening. Their data cannot be read.
    pub segments_missing: u64,
    /// Segments that no metadata names, kept in lost+found: see [`crate::Pool::lost_and_found`].
    pub lost_found_segments: u64,
    /// Their size.
    pub lost_found_bytes: u64,
}

/// A segment that no metadata names. It was found at an opening and moved to lost+found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostSegment {
    /// Its number.
    pub segment: u64,
    /// Its size, in bytes.
    pub bytes: u64,
    /// The start of the pool that made it.
    pub start: u64,
}

/// What recovering a pool would do.
#[derive(Clone, Debug)]
pub struct Assessment {
    /// What does not belong together. If empty, the pool opens without recovery.
    pub mismatches: Vec<Mismatch>,
    /// Segments that recovery would set aside because the metadata does not name them, with their sizes in bytes.
    pub unnamed: Vec<(u64, u64)>,
    /// Segments that the metadata needs but that are missing.
    pub lost: Vec<u64>,
    /// Names of the volumes in the metadata.
    pub volumes: Vec<String>,
    /// Bytes of files according to the metadata.
    pub bytes_logical: u64,
}
