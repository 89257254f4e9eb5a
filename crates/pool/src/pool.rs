//! The pool's interface.
#![allow(unused_variables, clippy::todo)]

use std::path::Path;

use bytes::Bytes;

use crate::*;

/// How a pool is to behave.
#[derive(Clone, Debug)]
pub struct PoolOptions {
    /// Bytes that the pool may hold; `None`: what the file system has room for.
    pub bytes_max: Option<u64>,
    /// Bytes of unstable writes kept in memory; beyond it writers wait. Default 256 MiB.
    pub dirty_bytes_max: u64,
    /// Age at which unstable writes are made durable unasked, in milliseconds. Default 5000.
    pub dirty_age_ms_max: u64,
    /// Size at which a segment is sealed. Default 128 MiB.
    pub segment_bytes: u64,
}

impl Default for PoolOptions {
    fn default() -> Self {
        PoolOptions {
            bytes_max: None,
            dirty_bytes_max: 256 << 20,
            dirty_age_ms_max: 5000,
            segment_bytes: 128 << 20,
        }
    }
}

/// A pool. Cheap to clone; all clones are the same pool.
///
/// Operations that change anything but file data (create, remove, rename, link, setattr, records) are
/// durable when they return. They are applied in one order, and a crash keeps a prefix of it.
/// Several may run at once; each is atomic.
#[derive(Clone)]
pub struct Pool {}

impl Pool {
    /// Opens the pool in `directory`, or creates one there if the directory is empty or does not exist.
    pub async fn open(directory: &Path, options: PoolOptions) -> Result<Pool> {
        todo!()
    }
    /// A pool in memory, gone with its last clone. For tests and fuzzing.
    pub async fn in_memory(options: PoolOptions) -> Result<Pool> {
        todo!()
    }
    /// Makes everything durable and gives the directory free. Later operations fail with [`Error::Closed`].
    pub async fn close(&self) -> Result<()> {
        todo!()
    }

    /// The pool's id.
    pub fn id(&self) -> PoolId {
        todo!()
    }
    /// How many times the pool has been opened. Strictly increases, also after a crash.
    pub fn boot(&self) -> u64 {
        todo!()
    }
    /// Changes with every opening: an unstable write answered with another verifier may be lost.
    pub fn write_verifier(&self) -> [u8; 8] {
        todo!()
    }
    /// Sizes of the whole pool.
    pub fn space(&self) -> Result<Space> {
        todo!()
    }

    // ---- volumes ----

    /// Creates a volume with an empty root directory.
    pub async fn volume_create(&self, spec: VolumeSpec) -> Result<Volume> {
        todo!()
    }
    /// All volumes, by name.
    pub fn volumes(&self) -> Vec<Volume> {
        todo!()
    }
    /// The volume of that name.
    pub fn volume(&self, name: &str) -> Result<Volume> {
        todo!()
    }
    /// The volume of that id; [`Error::Stale`] if there is none.
    pub fn volume_by_id(&self, id: VolumeId) -> Result<Volume> {
        todo!()
    }
    /// Deletes a volume; with `force` also if it has files.
    pub async fn volume_delete(&self, name: &str, force: bool) -> Result<()> {
        todo!()
    }
    /// Sizes of one volume.
    pub fn volume_space(&self, id: VolumeId) -> Result<Space> {
        todo!()
    }

    // ---- inodes and directories ----

    /// Attributes of an inode, unstable writes included.
    pub async fn getattr(&self, handle: Handle) -> Result<Attributes> {
        todo!()
    }
    /// Sets attributes, and returns what they are then.
    pub async fn setattr(&self, handle: Handle, set: SetAttributes) -> Result<Attributes> {
        todo!()
    }
    /// What `name` in `directory` stands for. `.` and `..` are not looked up: see [`Pool::parent`].
    pub async fn lookup(&self, directory: Handle, name: &[u8]) -> Result<Attributes> {
        todo!()
    }
    /// The directory that holds `directory`; `None` for a volume's root.
    pub async fn parent(&self, directory: Handle) -> Result<Option<Attributes>> {
        todo!()
    }
    /// Up to `entries_max` entries after `cookie` (0: from the start), without `.` and `..`.
    pub async fn readdir(&self, directory: Handle, cookie: u64, entries_max: usize) -> Result<DirectoryPage> {
        todo!()
    }
    /// Creates an inode under a name that must not exist ([`Error::Exists`]).
    pub async fn create(&self, directory: Handle, name: &[u8], new: NewInode) -> Result<Created> {
        todo!()
    }
    /// Gives an inode that is not a directory another name.
    pub async fn link(&self, handle: Handle, directory: Handle, name: &[u8]) -> Result<ChangeInfo> {
        todo!()
    }
    /// Removes a name: of an empty directory, or of anything else. An inode that loses its last name while
    /// it is held becomes an orphan in the same atomic step; one that is not held is freed.
    pub async fn remove(&self, directory: Handle, name: &[u8]) -> Result<Removed> {
        todo!()
    }
    /// Renames, replacing what `to_name` stood for exactly as [`Pool::remove`] would. Renaming onto another
    /// name of the same inode changes nothing. A directory cannot go below itself ([`Error::Invalid`]).
    pub async fn rename(
        &self,
        from: Handle,
        from_name: &[u8],
        to: Handle,
        to_name: &[u8],
    ) -> Result<Renamed> {
        todo!()
    }

    // ---- data ----

    /// Reads up to `length` bytes at `offset`; fewer only at the end of the file. Holes read as zeros.
    pub async fn read(&self, handle: Handle, offset: u64, length: u32) -> Result<ReadData> {
        todo!()
    }
    /// Writes; durable on return as `stability` says. Returns the file's attributes after the write.
    pub async fn write(
        &self,
        handle: Handle,
        offset: u64,
        data: Bytes,
        stability: Stability,
    ) -> Result<Attributes> {
        todo!()
    }
    /// Makes earlier writes to the range durable (`length` 0: to the end of the file).
    pub async fn commit(&self, handle: Handle, offset: u64, length: u64) -> Result<()> {
        todo!()
    }

    // ---- open inodes ----

    /// Holds an inode: as long as it is held it outlives its last name. Counted: one release for each hold.
    /// Holds end with the process; see [`Pool::reap_orphans`].
    pub fn hold(&self, handle: Handle) -> Result<()> {
        todo!()
    }
    /// Ends one hold. An orphan that nobody holds is freed.
    pub fn release(&self, handle: Handle) {
        todo!()
    }
    /// Until this is called, after an opening, no orphan is freed and every inode that loses its last name
    /// becomes one, because holders from before the restart may not have come back yet. From then on
    /// orphans that nobody holds are freed.
    pub async fn reap_orphans(&self) -> Result<()> {
        todo!()
    }

    // ---- records of the protocols ----

    /// Stores a protocol's own durable record, replacing one with the same key.
    pub async fn record_put(&self, namespace: &str, key: &[u8], value: &[u8]) -> Result<()> {
        todo!()
    }
    /// Deletes a record, if it is there.
    pub async fn record_delete(&self, namespace: &str, key: &[u8]) -> Result<()> {
        todo!()
    }
    /// All records of a namespace, by key.
    pub fn records(&self, namespace: &str) -> Result<Vec<(Bytes, Bytes)>> {
        todo!()
    }
}
