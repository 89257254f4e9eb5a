//! The words of the pool's interface: identifiers, attributes, and what callers pass in and get back.

use std::time::SystemTime;

use bytes::Bytes;

use super::volume::VolumeSpec;
use crate::Mismatch;

/// Names one pool among all pools: 16 random bytes drawn when the pool is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PoolId(pub [u8; 16]);

impl std::fmt::Display for PoolId {
    /// 32 hexadecimal digits.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:032x}", u128::from_be_bytes(self.0))
    }
}

/// Names one volume of a pool. Never used again after the volume is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VolumeId(pub u32);

/// Names one inode of a pool. Never used again after the inode is freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InodeId(pub u64);

/// Names an inode for as long as it exists, whatever its path is and through restarts.
///
/// `generation` is drawn at random when the inode is created, so that a handle cannot be guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle {
    /// The volume that the inode belongs to.
    pub volume: VolumeId,
    /// The inode.
    pub inode: InodeId,
    /// Must equal the inode's own generation, else the handle is stale.
    pub generation: u32,
}

/// What an inode is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, and the path it holds.
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

/// What is known of an inode apart from its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// The inode's handle.
    pub handle: Handle,
    /// What the inode is.
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
    /// Strictly increases with every change of data or attributes, also through restarts.
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

/// What a caller chooses for an inode that is to be created.
#[derive(Clone, Debug)]
pub struct NewInode {
    /// What the inode is to be.
    pub kind: Kind,
    /// Permission bits, at most 0o7777.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Initial size of a regular file, all of it a hole.
    pub size: u64,
    /// Last read, if not now.
    pub atime: Option<SystemTime>,
    /// Last change of data, if not now.
    pub mtime: Option<SystemTime>,
    /// Kept with the inode, to recognise a resent exclusive create.
    pub create_verifier: Option<[u8; 8]>,
}

impl NewInode {
    /// An empty one of root's, whose times are now.
    pub fn new(kind: Kind, mode: u32) -> NewInode {
        NewInode { kind, mode, uid: 0, gid: 0, size: 0, atime: None, mtime: None, create_verifier: None }
    }
}

/// A time to set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetTime {
    /// The pool's own clock.
    Now,
    /// The caller's choice.
    To(SystemTime),
}

/// Attributes to set; `None` leaves one as it is.
#[derive(Clone, Debug, Default)]
pub struct SetAttributes {
    /// Permission bits, at most 0o7777.
    pub mode: Option<u32>,
    /// Owner.
    pub uid: Option<u32>,
    /// Group.
    pub gid: Option<u32>,
    /// Size of a regular file: truncates, or extends with a hole.
    pub size: Option<u64>,
    /// Last read.
    pub atime: Option<SetTime>,
    /// Last change of data.
    pub mtime: Option<SetTime>,
}

/// How durable a write is when it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stability {
    /// In memory; lost in a crash unless committed. The write verifier then changes.
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

/// What a part of a file consists of.
#[derive(Clone, Debug)]
pub enum Stretch {
    /// Bytes, in as many pieces as they were stored in.
    Data(Vec<Bytes>),
    /// So many bytes that are zero, and take no space.
    Hole(u64),
}

/// What a part of a file holds, holes as such.
#[derive(Clone, Debug, Default)]
pub struct ReadStretches {
    /// In file order, without gaps.
    pub stretches: Vec<Stretch>,
    /// True if the range read reaches the end of the file.
    pub eof: bool,
}

/// Where data, or a hole, was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sought {
    /// Where it begins.
    pub offset: u64,
    /// True if nothing but the end of the file was found, which is at that offset.
    pub eof: bool,
}

/// Whether an extended attribute may be there before it is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetXattr {
    /// It may or may not.
    Either,
    /// It must not: [`crate::Error::Exists`].
    Create,
    /// It must: [`crate::Error::NotFound`].
    Replace,
}

/// Some of an inode's extended attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct XattrPage {
    /// Names, each with the cookie after which to go on. Those of the same cookie stand together.
    pub names: Vec<(u64, Bytes)>,
    /// True if no name follows.
    pub end: bool,
}

/// What was cloned.
#[derive(Clone, Debug)]
pub struct Cloned {
    /// Bytes, from the start of the range.
    pub bytes: u64,
    /// The target's attributes then.
    pub attributes: Attributes,
}

/// One name in a directory.
#[derive(Clone, Debug)]
pub struct DirectoryEntry {
    /// The name, without `/` or NUL, 1 to 255 bytes.
    pub name: Bytes,
    /// Pass it to `readdir` to continue after this entry. Greater than 2, at most `i64::MAX`, and valid for
    /// as long as the directory exists, whatever is created or removed meanwhile.
    pub cookie: u64,
    /// Attributes of what the name stands for.
    pub attributes: Attributes,
}

/// A part of a directory's listing.
#[derive(Clone, Debug, Default)]
pub struct DirectoryPage {
    /// The entries in cookie order.
    pub entries: Vec<DirectoryEntry>,
    /// True if no entry follows.
    pub end: bool,
}

/// What `create` made.
#[derive(Clone, Debug)]
pub struct Created {
    /// Attributes of the new inode.
    pub attributes: Attributes,
    /// The change of its directory.
    pub directory: ChangeInfo,
}

/// What `remove` did.
#[derive(Clone, Debug)]
pub struct Removed {
    /// The inode whose name went.
    pub handle: Handle,
    /// The change of its directory.
    pub directory: ChangeInfo,
}

/// What `rename` did.
#[derive(Clone, Debug)]
pub struct Renamed {
    /// The inode that was renamed.
    pub handle: Handle,
    /// The inode whose name was taken over, if there was one.
    pub replaced: Option<Handle>,
    /// The change of the directory that the name left.
    pub from_directory: ChangeInfo,
    /// The change of the directory that the name went to.
    pub to_directory: ChangeInfo,
}

/// How often snapshots are taken by the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Period {
    /// At each full hour.
    Hourly,
    /// At midnight, UTC.
    Daily,
    /// At midnight before each Sunday, UTC.
    Weekly,
}

/// A snapshot: what a volume held at one instant. It is a volume of its own that nothing can change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The id in handles of what is in it.
    pub id: VolumeId,
    /// The volume that it was taken of.
    pub volume: VolumeId,
    /// That volume's name.
    pub volume_name: String,
    /// Its own name, unique among the snapshots of the volume.
    pub name: String,
    /// The root directory.
    pub root: Handle,
    /// When it was taken.
    pub created: SystemTime,
    /// The schedule that took it; `None`: somebody asked for it.
    pub period: Option<Period>,
    /// Bytes of its files that are not holes.
    pub bytes_logical: u64,
    /// Names of the volumes that are clones of it, and keep it from being deleted.
    pub clones: Vec<String>,
}

/// What a caller chooses for a clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloneSpec {
    /// See [`VolumeSpec::name`].
    pub name: String,
    /// See [`VolumeSpec::junction_path`].
    pub junction_path: String,
}

/// A volume as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Volume {
    /// The volume's id.
    pub id: VolumeId,
    /// What it was created with.
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

/// How the verification of all that is stored stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScrubStatus {
    /// One is under way.
    pub running: bool,
    /// When the last one began.
    pub started: Option<SystemTime>,
    /// When the last one that was not stopped ended.
    pub finished: Option<SystemTime>,
    /// Frames verified in it so far.
    pub frames: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// Bytes of all frames that are referenced.
    pub bytes_total: u64,
    /// Frames, headers of segments, and whole segments, that were written again from another copy, by it or by readers since the pool
    /// was opened.
    pub repaired: u64,
    /// Frames that are damaged in every copy, headers of segments that could not be mended, and gaps in the metadata.
    pub damaged: u64,
    /// The first hundred of them that were found since the pool was opened.
    pub damage: Vec<String>,
    /// Copies that are kept of everything.
    pub copies: u64,
    /// A copy is not there.
    pub degraded: bool,
}

/// What a check of the pool found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Inodes that were looked at.
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

/// What is stored for the bytes of a volume's files, or of all.
///
/// What several extents share is attributed to each of them in equal parts. Of all volumes each stored version is
/// counted once, those that only snapshots show included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Efficiency {
    /// Bytes of files that are not holes.
    pub bytes_logical: u64,
    /// Bytes of files that are holes, and take no space.
    pub bytes_holes: u64,
    /// Bytes that take no space because others are the same.
    pub bytes_deduplicated: u64,
    /// Bytes that compression saves.
    pub bytes_compressed: u64,
    /// Bytes stored: frames with their headers, and tails.
    pub bytes_physical: u64,
    /// The part of `bytes_physical` that is in the metadata store: tails, and small overwrites.
    pub bytes_inline: u64,
    /// Extents that were looked at.
    pub extents: u64,
}

/// Segments of the pool, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// Number of segments.
    pub segments: u64,
    /// Frames that are referenced.
    pub bytes_live: u64,
    /// Frames that are not any more; the cleaner gives their space back.
    pub bytes_dead: u64,
    /// Tails, small overwrites and extended attributes, in the metadata store.
    pub bytes_inline: u64,
    /// Segments that hold data and were not there at opening. What they hold cannot be read.
    pub segments_missing: u64,
    /// Segments that no metadata names, kept in lost+found: see [`crate::Pool::lost_and_found`].
    pub lost_found_segments: u64,
    /// Their size.
    pub lost_found_bytes: u64,
}

/// A segment that no metadata names. It was found at an opening, and kept aside.
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
    /// What does not fit together. Empty: the pool opens without being recovered.
    pub mismatches: Vec<Mismatch>,
    /// Segments that the metadata does not name, and so would be set aside, with their sizes in bytes.
    pub unnamed: Vec<(u64, u64)>,
    /// Segments that hold data and are not there.
    pub lost: Vec<u64>,
    /// Volumes that the metadata has.
    pub volumes: Vec<String>,
    /// Bytes of files that the metadata knows of.
    pub bytes_logical: u64,
}
