//! The pool's interface. Each method hands over to the engine's method of the same name.

use std::path::Path;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::watch;

use crate::base::sources::{SystemClock, SystemEntropy};
use crate::base::sync;
use crate::engine::Engine;
use crate::opening::assemble;
use crate::opening::examine::Wanted;
use crate::opening::lifecycle::Foundation;
use crate::store::home::Home;
use crate::store::meta::MemoryMeta;
use crate::store::room::UnlimitedRoom;
use crate::store::segment::MemorySegments;
use crate::store::witness::MemoryWitness;
use crate::*;

/// Time that closing waits for operations that are under way.
const CLOSE_WAIT_MAX: Duration = Duration::from_secs(10);

/// Batches of a copy that is answered as one.
const COPY_BATCHES_MAX: usize = 16;

/// A pool. Cheap to clone; all clones are the same pool.
///
/// Operations that change anything but file data (create, remove, rename, link, setattr, records) are
/// durable when they return. They are applied in one order, and a crash keeps a prefix of it.
/// Several may run at once; each is atomic.
#[derive(Clone)]
pub struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    id: PoolId,
    boot: u64,
    write_verifier: [u8; 8],
    /// Taken out when the pool is closed.
    engine: RwLock<Option<Arc<Engine>>>,
}

impl Pool {
    /// Opens the pool in `directory`, or creates one there if the directory is empty or does not exist.
    pub async fn open(directory: &Path, options: PoolOptions) -> Result<Pool> {
        let directory = directory.to_path_buf();
        sync::blocking(move || Pool::on(assemble::to_use(&directory, options, false)?)).await
    }
    /// Opens the pool in `directory` although what is there does not fit together: with the metadata that is there, and at most that. Segments that it
    /// does not name are set aside. What did not fit is in [`Pool::mismatches`].
    pub async fn recover(directory: &Path, options: PoolOptions) -> Result<Pool> {
        let directory = directory.to_path_buf();
        sync::blocking(move || Pool::on(assemble::to_use(&directory, options, true)?)).await
    }
    /// Says what [`Pool::recover`] would do, and changes nothing.
    pub async fn assess(directory: &Path, options: PoolOptions) -> Result<Assessment> {
        let directory = directory.to_path_buf();
        sync::blocking(move || {
            let (engine, view) = assemble::to_read(&directory, options, true)?;
            let assessment = engine.assess();
            drop(engine);
            drop(view);
            assessment
        })
        .await
    }
    /// Checks the pool in `directory`, which nobody has open, and changes nothing there. See [`Pool::check_watched`].
    pub async fn check_unopened(
        directory: &Path,
        options: PoolOptions,
        read_chunks: bool,
        watch: Arc<CheckWatch>,
    ) -> Result<CheckReport> {
        let directory = directory.to_path_buf();
        let (engine, view) = sync::blocking(move || assemble::to_read(&directory, options, false)).await?;
        let report = engine.check(read_chunks, watch).await;
        // What cannot be written to the view, which nobody needs any more, has nothing to do with the pool.
        let _ = engine.close().await;
        sync::blocking(move || {
            drop(engine);
            drop(view);
            report
        })
        .await
    }
    /// Whether `directory` holds a pool, of whatever format.
    pub fn is_in(directory: &Path) -> bool {
        Home::is_in(directory)
    }
    /// A pool in memory, gone with its last clone. For tests and fuzzing.
    pub async fn in_memory(options: PoolOptions) -> Result<Pool> {
        let foundation = Foundation {
            meta: Arc::new(MemoryMeta::default()),
            store: Arc::new(MemorySegments::default()),
            room: Box::new(UnlimitedRoom),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy::new()?),
            witness: Arc::new(MemoryWitness::default()),
            wanted: Wanted { is_new: true, has_state: true, ..Wanted::default() },
            home: None,
        };
        Pool::on(Engine::open(foundation, options)?)
    }
    /// Makes everything durable and gives the directory free. Later operations fail with [`Error::Closed`].
    pub async fn close(&self) -> Result<()> {
        let Some(engine) = sync::write(&self.shared.engine).take() else { return Err(Error::Closed) };
        let outcome = engine.close().await;
        // Operations under way still have the engine; they fail soon, now that nothing is committed any more.
        let deadline = tokio::time::Instant::now() + CLOSE_WAIT_MAX;
        while Arc::strong_count(&engine) > 1 && tokio::time::Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        sync::blocking(move || {
            drop(engine);
            outcome
        })
        .await
    }

    /// The pool's id.
    pub fn id(&self) -> PoolId {
        self.shared.id
    }
    /// How many times the pool has been opened. Strictly increases, also after a crash.
    pub fn boot(&self) -> u64 {
        self.shared.boot
    }
    /// Changes with every opening: an unstable write answered with another verifier may be lost.
    pub fn write_verifier(&self) -> [u8; 8] {
        self.shared.write_verifier
    }
    /// What was counted since the pool was opened, and how it stands. Cheap enough to be asked for every second.
    pub fn counters(&self) -> Result<PoolCounters> {
        self.engine()?.counters_now()
    }
    /// Sizes of the whole pool.
    pub fn space(&self) -> Result<Space> {
        self.engine()?.space()
    }

    // ---- volumes ----

    /// Creates a volume with an empty root directory.
    pub async fn volume_create(&self, spec: VolumeSpec) -> Result<Volume> {
        self.engine()?.volume_create(spec).await
    }
    /// All volumes, by name.
    pub fn volumes(&self) -> Result<Vec<Volume>> {
        Ok(self.engine()?.volumes.list())
    }
    /// The volume of that name.
    pub fn volume(&self, name: &str) -> Result<Volume> {
        self.engine()?.volumes.by_name(name)
    }
    /// Changes whenever a volume or a snapshot comes, goes, or is changed as such. Begins anew at each opening.
    pub fn volumes_version(&self) -> u64 {
        self.engine().map(|engine| engine.volumes.version()).unwrap_or_default()
    }
    /// Tells of each change of [`Pool::volumes_version`], and ends when the pool is closed.
    pub fn watch_volumes(&self) -> Result<watch::Receiver<u64>> {
        Ok(self.engine()?.volumes.watch())
    }
    /// Whether that is a snapshot, in which nothing can be changed.
    pub fn is_read_only(&self, id: VolumeId) -> Result<bool> {
        Ok(matches!(self.engine()?.volumes.require_writable(id), Err(Error::ReadOnly)))
    }
    /// The volume of that id, or the snapshot; [`Error::Stale`] if there is none.
    pub fn volume_by_id(&self, id: VolumeId) -> Result<Volume> {
        self.engine()?.volumes.get(id)
    }
    /// Gives a volume another size in bytes, or with `None` as much as the pool has room for.
    /// [`Error::SizeBelowUsed`] if it holds more already.
    pub async fn volume_resize(&self, name: &str, size: Option<u64>) -> Result<Volume> {
        self.engine()?.volume_resize(name, size).await
    }
    /// Changes what a volume was created with: all of it, or with an error nothing.
    pub async fn volume_modify(&self, name: &str, change: VolumeChange) -> Result<Volume> {
        self.engine()?.volume_modify(name, change).await
    }
    /// Makes a volume that begins as a copy of a snapshot, in constant time. It keeps the snapshot from being deleted.
    pub async fn volume_clone(&self, volume: &str, snapshot: &str, clone: CloneSpec) -> Result<Volume> {
        self.engine()?.volume_clone(volume, snapshot, clone).await
    }
    /// Makes a volume what its snapshot shows. With `force` also if there are younger snapshots, which go with it.
    /// Files that the snapshot does not have are stale from then on; others go on, open or not.
    pub async fn volume_rollback(&self, volume: &str, snapshot: &str, force: bool) -> Result<()> {
        self.engine()?.volume_rollback(volume, snapshot, force).await
    }
    /// Deletes a volume; with `force` also if it has files or snapshots. [`Error::InUse`] if it has clones.
    pub async fn volume_delete(&self, name: &str, force: bool) -> Result<()> {
        self.engine()?.volume_delete(name, force).await
    }
    /// Sizes of one volume.
    pub fn volume_space(&self, id: VolumeId) -> Result<Space> {
        self.engine()?.volume_space(id)
    }

    // ---- snapshots ----

    /// Takes a snapshot of each of the volumes, all of the same instant. It holds everything that was accepted before, and
    /// is durable on return. [`Error::Exists`] if one of the volumes has a snapshot of that name.
    pub async fn snapshot_create(&self, volumes: &[String], name: &str) -> Result<Vec<Snapshot>> {
        self.engine()?.snapshot_create(volumes, name, None).await
    }
    /// The snapshots of one volume, or of all, by volume and age.
    pub fn snapshots(&self, volume: Option<VolumeId>) -> Result<Vec<Snapshot>> {
        Ok(self.engine()?.volumes.snapshots(volume))
    }
    /// The snapshot of that id; [`Error::Stale`] if there is none.
    pub fn snapshot_by_id(&self, id: VolumeId) -> Result<Snapshot> {
        self.engine()?.volumes.snapshot_by_id(id)
    }
    /// The snapshot of that name.
    pub fn snapshot(&self, volume: &str, name: &str) -> Result<Snapshot> {
        let engine = self.engine()?;
        engine.snapshot_of(engine.volumes.by_name(volume)?.id, name)
    }
    /// Deletes a snapshot. [`Error::InUse`] if it has clones.
    pub async fn snapshot_delete(&self, volume: &str, name: &str) -> Result<()> {
        self.engine()?.snapshot_delete(volume, name).await
    }

    // ---- inodes and directories ----

    /// Attributes of an inode, unstable writes included.
    pub async fn getattr(&self, handle: Handle) -> Result<Attributes> {
        self.engine()?.inode(handle)?.attributes()
    }
    /// Sets attributes, and returns what they are then.
    pub async fn setattr(&self, handle: Handle, set: SetAttributes) -> Result<Attributes> {
        self.engine()?.setattr(handle, set).await
    }
    /// What `name` in `directory` stands for. `.` and `..` are not looked up: see [`Pool::parent`].
    pub async fn lookup(&self, directory: Handle, name: &[u8]) -> Result<Attributes> {
        self.engine()?.lookup(directory, name)
    }
    /// The directory that holds `directory`; `None` for a volume's root.
    pub async fn parent(&self, directory: Handle) -> Result<Option<Attributes>> {
        self.engine()?.parent(directory)
    }
    /// Up to `entries_max` entries after `cookie` (0: from the start), without `.` and `..`.
    pub async fn readdir(&self, directory: Handle, cookie: u64, entries_max: usize) -> Result<DirectoryPage> {
        self.engine()?.readdir(directory, cookie, entries_max)
    }
    /// Creates an inode under a name that must not exist ([`Error::Exists`]).
    pub async fn create(&self, directory: Handle, name: &[u8], new: NewInode) -> Result<Created> {
        self.engine()?.create(directory, name, new).await
    }
    /// Gives an inode that is not a directory another name.
    pub async fn link(&self, handle: Handle, directory: Handle, name: &[u8]) -> Result<ChangeInfo> {
        self.engine()?.link(handle, directory, name).await
    }
    /// Removes a name: of an empty directory, or of anything else. An inode that loses its last name while
    /// it is held becomes an orphan in the same atomic step; one that is not held is freed.
    pub async fn remove(&self, directory: Handle, name: &[u8]) -> Result<Removed> {
        self.engine()?.remove(directory, name).await
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
        self.engine()?.rename(from, from_name, to, to_name).await
    }

    // ---- extended attributes of files and directories ----

    /// The value of an extended attribute; [`Error::NotFound`] if there is none of that name.
    pub async fn xattr_get(&self, handle: Handle, name: &[u8]) -> Result<Bytes> {
        self.engine()?.xattr_get(handle, name)
    }
    /// Sets an extended attribute, durably. [`Error::NoSpace`] beyond what one inode can have of them: see
    /// [`XATTRS_BYTES_MAX`] and [`XATTR_NAMES_BYTES_MAX`].
    pub async fn xattr_set(
        &self,
        handle: Handle,
        name: &[u8],
        value: Bytes,
        how: SetXattr,
    ) -> Result<ChangeInfo> {
        self.engine()?.xattr_set(handle, name, value, how).await
    }
    /// Removes an extended attribute, durably.
    pub async fn xattr_remove(&self, handle: Handle, name: &[u8]) -> Result<ChangeInfo> {
        self.engine()?.xattr_remove(handle, name).await
    }
    /// About `names_max` names of extended attributes after `cookie` (0: from the start).
    pub async fn xattr_list(&self, handle: Handle, cookie: u64, names_max: usize) -> Result<XattrPage> {
        self.engine()?.xattr_list(handle, cookie, names_max)
    }

    // ---- data ----

    /// Reads up to `length` bytes at `offset`; fewer only at the end of the file. Holes read as zeros.
    pub async fn read(&self, handle: Handle, offset: u64, length: u32) -> Result<ReadData> {
        self.engine()?.read(handle, offset, length).await
    }
    /// Writes; durable on return as `stability` says. Returns the file's attributes after the write.
    pub async fn write(
        &self,
        handle: Handle,
        offset: u64,
        data: Bytes,
        stability: Stability,
    ) -> Result<Attributes> {
        self.engine()?.write(handle, offset, data, stability).await
    }
    /// Makes earlier writes to the range durable (`length` 0: to the end of the file).
    pub async fn commit(&self, handle: Handle, offset: u64, length: u64) -> Result<()> {
        // The whole file is flushed, whatever the range: what is in it is on its way in one go.
        let _ = (offset, length);
        self.engine()?.commit(handle).await
    }

    /// Like [`Pool::read`], but holes of at least `hole_bytes_min` bytes are told, not zeros.
    pub async fn read_stretches(
        &self,
        handle: Handle,
        offset: u64,
        length: u32,
        hole_bytes_min: u64,
    ) -> Result<ReadStretches> {
        self.engine()?.read_stretches(handle, offset, length, hole_bytes_min).await
    }
    /// Begins to read a range into memory, as much of it as there is room for. False if the pool is too busy for that.
    pub fn prefetch(&self, handle: Handle, offset: u64, length: u64) -> Result<bool> {
        self.engine()?.prefetch(handle, offset, length)
    }
    /// The first data at or behind `offset`, or the end of the file; `None` if the file ends at or before `offset`.
    pub async fn seek_data(&self, handle: Handle, offset: u64) -> Result<Option<Sought>> {
        self.engine()?.seek_data(handle, offset).await
    }
    /// The first hole at or behind `offset`, where the end of the file counts as one; `None` if the file ends at or
    /// before `offset`.
    pub async fn seek_hole(&self, handle: Handle, offset: u64) -> Result<Option<Sought>> {
        self.engine()?.seek_hole(handle, offset).await
    }
    /// Makes a hole: the range reads as zeros from then on, and takes no space. The size of the file stays. Durable on
    /// return; if it fails, or in a crash, a first part of it may be done.
    pub async fn deallocate(&self, handle: Handle, offset: u64, length: u64) -> Result<Attributes> {
        self.engine()?.deallocate(handle, offset, length).await
    }
    /// Makes the file reach to the end of the range, durably, if all of the range could be written now; else
    /// [`Error::NoSpace`]. It does not set space aside: what others write later can take it.
    pub async fn allocate(&self, handle: Handle, offset: u64, length: u64) -> Result<Attributes> {
        self.engine()?.allocate(handle, offset, length).await
    }
    /// Has a range of a file share what is stored for a range of another, of any volume, or of its own, which it must
    /// not overlap. `length` `None`: up to the source's end; a source that ends before the range does is [`Error::Invalid`].
    /// Durable on return. A range of up to some thousand extents is cloned at once or not at all; of a larger one a first part may be
    /// done if it fails, or in a crash.
    pub async fn clone_range(
        &self,
        from: (Handle, u64),
        to: (Handle, u64),
        length: Option<u64>,
    ) -> Result<Cloned> {
        self.engine()?.clone_range(from, to, length, usize::MAX).await
    }
    /// Like [`Pool::clone_range`], but may do a first part only, so that it does not take long.
    pub async fn copy_range(
        &self,
        from: (Handle, u64),
        to: (Handle, u64),
        length: Option<u64>,
    ) -> Result<Cloned> {
        self.engine()?.clone_range(from, to, length, COPY_BATCHES_MAX).await
    }

    // ---- open inodes ----

    /// Holds an inode: as long as it is held it outlives its last name. Counted: one release for each hold.
    /// Holds end with the process; see [`Pool::reap_orphans`].
    pub fn hold(&self, handle: Handle) -> Result<()> {
        self.engine()?.hold(handle)
    }
    /// Ends one hold. An orphan that nobody holds is freed.
    pub fn release(&self, handle: Handle) {
        if let Ok(engine) = self.engine() {
            engine.release(handle);
        }
    }
    /// Until this is called, after an opening, no orphan is freed and every inode that loses its last name
    /// becomes one, because holders from before the restart may not have come back yet. From then on
    /// orphans that nobody holds are freed.
    pub async fn reap_orphans(&self) -> Result<()> {
        self.engine()?.reap_orphans().await
    }

    // ---- records of the protocols ----

    /// Stores a protocol's own durable record, replacing one with the same key.
    pub async fn record_put(&self, namespace: &str, key: &[u8], value: &[u8]) -> Result<()> {
        self.engine()?.record_put(namespace, key, value).await
    }
    /// Deletes a record, if it is there.
    pub async fn record_delete(&self, namespace: &str, key: &[u8]) -> Result<()> {
        self.engine()?.record_delete(namespace, key).await
    }
    /// All records of a namespace, by key.
    pub fn records(&self, namespace: &str) -> Result<Vec<(Bytes, Bytes)>> {
        self.engine()?.records(namespace)
    }

    /// Waits until all that was deleted has been freed, apart from orphans that are held. For tests, and for
    /// whoever wants to see space given back.
    pub async fn settle(&self) -> Result<()> {
        self.engine()?.settle().await
    }

    /// Recounts everything from the extents and the directory entries, and returns what does not agree, one
    /// sentence for each difference. With `read_chunks` every copy of every chunk is read and verified as well.
    pub async fn check(&self, read_chunks: bool) -> Result<Vec<String>> {
        Ok(self.check_report(read_chunks).await?.differences)
    }
    /// Like [`Pool::check`], with what was looked at.
    pub async fn check_report(&self, read_chunks: bool) -> Result<CheckReport> {
        self.check_watched(read_chunks, Arc::default()).await
    }
    /// Like [`Pool::check_report`], and can be watched and cancelled meanwhile ([`Error::Cancelled`]).
    pub async fn check_watched(&self, read_chunks: bool, watch: Arc<CheckWatch>) -> Result<CheckReport> {
        self.engine()?.check(read_chunks, watch).await
    }
    /// What is stored for the files of a volume, or of all volumes. Looks at every extent.
    pub async fn efficiency(&self, volume: Option<VolumeId>) -> Result<Efficiency> {
        self.engine()?.efficiency(volume).await
    }
    /// What the segments hold.
    pub fn stored(&self) -> Result<Stored> {
        Ok(self.engine()?.stored())
    }

    /// What did not fit together when the pool was opened by [`Pool::recover`].
    pub fn mismatches(&self) -> Result<Vec<Mismatch>> {
        Ok(self.engine()?.accepted.clone())
    }
    /// Segments that were found at an opening and that no metadata names. They take space until they are deleted.
    pub fn lost_and_found(&self) -> Result<Vec<LostSegment>> {
        Ok(self.engine()?.lost_and_found())
    }
    /// Deletes a segment that was found and that no metadata names; [`Error::NotFound`] if there is none of that number.
    pub async fn lost_and_found_delete(&self, segment: u64) -> Result<()> {
        self.engine()?.lost_and_found_delete(segment).await
    }

    /// Begins to verify everything that is stored, from the start.
    pub async fn scrub_start(&self) -> Result<()> {
        self.engine()?.scrub_start().await
    }
    /// Ends the verification that is under way.
    pub async fn scrub_stop(&self) -> Result<()> {
        self.engine()?.scrub_stop().await
    }
    /// How the verification stands, and what it found.
    pub fn scrub_status(&self) -> Result<ScrubStatus> {
        Ok(self.engine()?.scrub_status())
    }

    pub(crate) fn on(engine: Arc<Engine>) -> Result<Pool> {
        let shared = Shared {
            id: engine.identity.id,
            boot: engine.identity.boot,
            write_verifier: engine.new_write_verifier()?,
            engine: RwLock::new(Some(engine)),
        };
        Ok(Pool { shared: Arc::new(shared) })
    }

    pub(crate) fn engine(&self) -> Result<Arc<Engine>> {
        sync::read(&self.shared.engine).clone().ok_or(Error::Closed)
    }
}
