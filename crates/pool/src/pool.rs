//! The pool's interface. Each method calls the engine's method of the same name.

mod backups;
mod copies;
mod elsewhere;
mod recorded;
mod recovery;
mod upgrade;

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::watch;

use crate::base::sync;
use crate::buckets::concatenate::Room;
use crate::engine::Engine;
use crate::opening::assemble;
use crate::opening::lifecycle::Foundation;
use crate::store::home::Home;
use crate::store::meta::MemoryMeta;
use crate::store::segment::MemorySegments;
use crate::*;

/// How long closing waits for operations in progress.
const CLOSE_WAIT_MAX: Duration = Duration::from_secs(10);

/// The most batches that one call of `copy_range` makes.
const COPY_BATCHES_MAX: usize = 16;

/// A pool. Cheap to clone; all clones are the same pool.
///
/// Operations that change anything but file data (create, remove, rename, link, setattr, records) are durable when they return.
/// They are applied in one order, and a crash keeps a prefix of that order. Callers may run several at once; each is atomic.
#[derive(Clone)]
pub struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    id: PoolId,
    boot: u64,
    last_stop: LastStop,
    write_verifier: [u8; 8],
    /// `None` once the pool is closed.
    engine: RwLock<Option<Arc<Engine>>>,
}

impl Pool {
    /// Opens the pool in `directory`, or creates one there if the directory is empty or does not exist.
    pub async fn open(directory: &Path, options: PoolOptions) -> Result<Pool> {
        let directory = directory.to_path_buf();
        sync::blocking(move || Pool::on(assemble::to_use(&directory, options, false)?)).await
    }
    /// Opens the pool in `directory` although its parts do not belong together. The pool has what the surviving metadata
    /// describes, and at most that. Segments that the metadata does not name are set aside. [`Pool::mismatches`] returns what
    /// did not fit.
    pub async fn recover(directory: &Path, options: PoolOptions) -> Result<Pool> {
        let directory = directory.to_path_buf();
        sync::blocking(move || Pool::on(assemble::to_use(&directory, options, true)?)).await
    }
    /// Returns what [`Pool::recover`] would do, and changes nothing.
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
    /// Checks the pool in `directory`, which must not be open, and changes nothing there. See [`Pool::check_watched`].
    pub async fn check_unopened(
        directory: &Path,
        options: PoolOptions,
        read_chunks: bool,
        watch: Arc<CheckWatch>,
    ) -> Result<CheckReport> {
        let directory = directory.to_path_buf();
        let (engine, view) = sync::blocking(move || assemble::to_read(&directory, options, false)).await?;
        let report = engine.check(read_chunks, watch).await;
        // The view is discarded, so a failure to write to it says nothing about the pool.
        let _ = engine.close().await;
        sync::blocking(move || {
            drop(engine);
            drop(view);
            report
        })
        .await
    }
    /// Returns whether `directory` holds a pool, of any format.
    pub fn is_in(directory: &Path) -> bool {
        Home::is_in(directory)
    }
    /// Creates a pool in memory, which is dropped with its last clone. For tests and fuzzing.
    pub async fn in_memory(options: PoolOptions) -> Result<Pool> {
        let foundation =
            Foundation::in_memory(Arc::new(MemoryMeta::default()), Arc::new(MemorySegments::default()))?;
        Pool::on(Engine::open(foundation, options)?)
    }
    /// Makes everything durable and releases the directory. Later operations fail with [`Error::Closed`].
    pub async fn close(&self) -> Result<()> {
        let Some(engine) = sync::write(&self.shared.engine).take() else { return Err(Error::Closed) };
        let outcome = engine.close().await;
        // Operations in progress still hold the engine. They fail soon, because nothing is committed any more.
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
    /// A key that only this pool has, and that stays the same. Each purpose has its own. For what clients carry and must not be able
    /// to make.
    pub fn derived_key(&self, purpose: &str) -> Result<[u8; 32]> {
        Ok(blake3::derive_key(purpose, &self.engine()?.identity.name_key))
    }
    /// How many times the pool has been opened. Strictly increases, even after a crash.
    pub fn boot(&self) -> u64 {
        self.shared.boot
    }
    /// How the pool was stopped before it was opened this time.
    pub fn last_stop(&self) -> LastStop {
        self.shared.last_stop
    }
    /// Whether the pool takes no changes any more: it is closed, or stable storage has failed.
    pub fn is_stopped(&self) -> bool {
        self.engine().map_or(true, |engine| engine.has_stopped())
    }
    /// A value that changes at each opening. If it differs from the one in the reply to an unstable write, that write may be
    /// lost.
    pub fn write_verifier(&self) -> [u8; 8] {
        self.shared.write_verifier
    }
    /// Counts since the pool was opened, and its current state. Cheap enough to call every second.
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
    /// All volumes, ordered by name.
    pub fn volumes(&self) -> Result<Vec<Volume>> {
        Ok(self.engine()?.volumes.list())
    }
    /// The volume named `name`.
    pub fn volume(&self, name: &str) -> Result<Volume> {
        self.engine()?.volumes.by_name(name)
    }
    /// A number that changes when a volume or a snapshot is created, deleted or modified. Starts again at each opening.
    pub fn volumes_version(&self) -> u64 {
        self.engine().map(|engine| engine.volumes.version()).unwrap_or_default()
    }
    /// Watches [`Pool::volumes_version`]. The channel closes when the pool is closed.
    pub fn watch_volumes(&self) -> Result<watch::Receiver<u64>> {
        Ok(self.engine()?.volumes.watch())
    }
    /// Returns whether `id` is a snapshot, which is read-only.
    pub fn is_read_only(&self, id: VolumeId) -> Result<bool> {
        Ok(matches!(self.engine()?.volumes.require_writable(id), Err(Error::ReadOnly)))
    }
    /// The volume or snapshot with this id; [`Error::Stale`] if there is none.
    pub fn volume_by_id(&self, id: VolumeId) -> Result<Volume> {
        let engine = self.engine()?;
        if engine.volumes.is_bucket(id) { Err(Error::Stale) } else { engine.volumes.get(id) }
    }
    /// Changes the size of a volume, in bytes; `None` removes the limit, so the volume may use all of the pool's free space.
    /// Fails with [`Error::SizeBelowUsed`] if the volume already holds more.
    pub async fn volume_resize(&self, name: &str, size: Option<u64>) -> Result<Volume> {
        self.engine()?.volume_resize(name, size).await
    }
    /// Changes properties of a volume. If it fails, nothing is changed.
    pub async fn volume_modify(&self, name: &str, change: VolumeChange) -> Result<Volume> {
        self.engine()?.volume_modify(name, change).await
    }
    /// Creates a volume from a snapshot, in constant time. The snapshot cannot be deleted while the clone exists.
    pub async fn volume_clone(&self, volume: &str, snapshot: &str, clone: CloneSpec) -> Result<Volume> {
        self.engine()?.volume_clone(volume, snapshot, clone).await
    }
    /// Creates a volume from the current state of another, in one step: it takes a snapshot, which is deleted with the clone.
    pub async fn volume_clone_now(&self, volume: &str, snapshot: &str, clone: CloneSpec) -> Result<Volume> {
        self.engine()?.volume_clone_now(volume, snapshot, clone).await
    }
    /// Rolls a volume back to one of its snapshots. If there are younger snapshots, `force` is required, and they are deleted.
    /// Handles of files that the snapshot does not have become stale. Other files stay usable, open or not.
    pub async fn volume_rollback(&self, volume: &str, snapshot: &str, force: bool) -> Result<()> {
        self.engine()?.volume_rollback(volume, snapshot, force).await
    }
    /// Deletes a volume. `force` is required if it has files or snapshots. Fails with [`Error::InUse`] if it has clones.
    pub async fn volume_delete(&self, name: &str, force: bool) -> Result<()> {
        self.volume_delete_as(name, Deletion { force, ..Deletion::default() }).await.map(drop)
    }
    /// Sizes of one volume.
    pub fn volume_space(&self, id: VolumeId) -> Result<Space> {
        self.engine()?.volume_space(id)
    }

    // ---- snapshots ----

    /// Takes a snapshot of each of the volumes, all at the same instant. The snapshots hold every write accepted before the
    /// call, and are durable on return. Fails with [`Error::Exists`] if one of the volumes has a snapshot of that name.
    pub async fn snapshot_create(&self, volumes: &[String], name: &str) -> Result<Vec<Snapshot>> {
        self.snapshot_create_as(volumes, name, SnapshotSpec::default()).await
    }
    /// The snapshots of one volume, or of all volumes, ordered by volume and age.
    pub fn snapshots(&self, volume: Option<VolumeId>) -> Result<Vec<Snapshot>> {
        Ok(self.engine()?.volumes.snapshots(volume))
    }
    /// The snapshot with this id; [`Error::Stale`] if there is none.
    pub fn snapshot_by_id(&self, id: VolumeId) -> Result<Snapshot> {
        self.engine()?.volumes.snapshot_by_id(id)
    }
    /// The snapshot of `volume` named `name`.
    pub fn snapshot(&self, volume: &str, name: &str) -> Result<Snapshot> {
        let engine = self.engine()?;
        engine.snapshot_of(engine.volumes.by_name(volume)?.id, name)
    }
    /// Deletes a snapshot. Fails with [`Error::InUse`] if it has clones.
    pub async fn snapshot_delete(&self, volume: &str, name: &str) -> Result<()> {
        self.engine()?.snapshot_delete(volume, name).await
    }

    // ---- inodes and directories ----

    /// Attributes of an inode, unstable writes included.
    pub async fn getattr(&self, handle: Handle) -> Result<Attributes> {
        self.engine()?.inode(handle)?.attributes()
    }
    /// Sets attributes, and returns the attributes after the change.
    pub async fn setattr(&self, handle: Handle, set: SetAttributes) -> Result<Attributes> {
        self.engine()?.setattr(handle, set).await
    }
    /// Looks up `name` in `directory`. `.` and `..` are not supported: see [`Pool::parent`].
    pub async fn lookup(&self, directory: Handle, name: &[u8]) -> Result<Attributes> {
        self.engine()?.lookup(directory, name)
    }
    /// The parent of `directory`; `None` for a volume's root.
    pub async fn parent(&self, directory: Handle) -> Result<Option<Attributes>> {
        self.engine()?.parent(directory)
    }
    /// Returns up to `entries_max` entries after `cookie` (0: from the start), without `.` and `..`.
    pub async fn readdir(&self, directory: Handle, cookie: u64, entries_max: usize) -> Result<DirectoryPage> {
        self.engine()?.readdir(directory, cookie, entries_max)
    }
    /// Creates an inode named `name`. Fails with [`Error::Exists`] if the name exists.
    pub async fn create(&self, directory: Handle, name: &[u8], new: NewInode) -> Result<Created> {
        self.create_with(directory, name, new, None).await
    }
    /// Adds a name to an inode that is not a directory.
    pub async fn link(&self, handle: Handle, directory: Handle, name: &[u8]) -> Result<ChangeInfo> {
        self.link_with(handle, directory, name, None).await
    }
    /// Removes a name. A directory must be empty. An inode that loses its last name while it is held becomes an orphan in the
    /// same atomic step; one that is not held is freed.
    pub async fn remove(&self, directory: Handle, name: &[u8]) -> Result<Removed> {
        self.remove_with(directory, name, None).await
    }
    /// Renames an entry. If `to_name` exists, it is replaced exactly as [`Pool::remove`] would remove it. Renaming onto another
    /// name of the same inode changes nothing. A directory cannot be moved below itself ([`Error::Invalid`]).
    pub async fn rename(
        &self,
        from: Handle,
        from_name: &[u8],
        to: Handle,
        to_name: &[u8],
    ) -> Result<Renamed> {
        self.rename_with((from, from_name), (to, to_name), None).await
    }

    // ---- extended attributes of files and directories ----

    /// The value of an extended attribute; [`Error::NotFound`] if there is none with that name.
    pub async fn xattr_get(&self, handle: Handle, name: &[u8]) -> Result<Bytes> {
        self.engine()?.xattr_get(handle, name)
    }
    /// Sets an extended attribute, durably. Fails with [`Error::NoSpace`] if the inode's attributes would exceed
    /// [`XATTRS_BYTES_MAX`] or [`XATTR_NAMES_BYTES_MAX`].
    pub async fn xattr_set(
        &self,
        handle: Handle,
        name: &[u8],
        value: Bytes,
        how: SetXattr,
    ) -> Result<ChangeInfo> {
        self.xattr_set_with(handle, name, value, how, None).await
    }
    /// Removes an extended attribute, durably.
    pub async fn xattr_remove(&self, handle: Handle, name: &[u8]) -> Result<ChangeInfo> {
        self.xattr_remove_with(handle, name, None).await
    }
    /// Returns about `names_max` names of extended attributes after `cookie` (0: from the start).
    pub async fn xattr_list(&self, handle: Handle, cookie: u64, names_max: usize) -> Result<XattrPage> {
        self.engine()?.xattr_list(handle, cookie, names_max)
    }

    // ---- data ----

    /// Reads up to `length` bytes at `offset`; fewer only at the end of the file. Holes read as zeros.
    pub async fn read(&self, handle: Handle, offset: u64, length: u32) -> Result<ReadData> {
        self.engine()?.read(handle, offset, length).await
    }
    /// Writes data, as durably as `stability` says. Returns the file's attributes after the write.
    pub async fn write(
        &self,
        handle: Handle,
        offset: u64,
        data: Bytes,
        stability: Stability,
    ) -> Result<Attributes> {
        self.engine()?.write(handle, offset, data, stability).await
    }
    /// Makes earlier writes to the range durable. `length` 0 means to the end of the file.
    pub async fn commit(&self, handle: Handle, offset: u64, length: u64) -> Result<()> {
        // Flushing the whole file costs no more than flushing a part: all its dirty data is written together.
        let _ = (offset, length);
        self.engine()?.commit(handle).await
    }

    /// Like [`Pool::read`], but returns holes of at least `hole_bytes_min` bytes as holes, not as zeros.
    pub async fn read_stretches(
        &self,
        handle: Handle,
        offset: u64,
        length: u32,
        hole_bytes_min: u64,
    ) -> Result<ReadStretches> {
        self.engine()?.read_stretches(handle, offset, length, hole_bytes_min).await
    }
    /// Starts reading a range into memory, as far as there is room. Returns false if the pool is too busy.
    pub fn prefetch(&self, handle: Handle, offset: u64, length: u64) -> Result<bool> {
        self.engine()?.prefetch(handle, offset, length)
    }
    /// Finds the first data at or after `offset`, or the end of the file; `None` if the file ends at or before `offset`.
    pub async fn seek_data(&self, handle: Handle, offset: u64) -> Result<Option<Sought>> {
        self.engine()?.seek_data(handle, offset).await
    }
    /// Finds the first hole at or after `offset`. The end of the file counts as a hole. `None` if the file ends at or before
    /// `offset`.
    pub async fn seek_hole(&self, handle: Handle, offset: u64) -> Result<Option<Sought>> {
        self.engine()?.seek_hole(handle, offset).await
    }
    /// Makes the range a hole: it then reads as zeros and takes no space. The file keeps its size. Durable on return. After a
    /// failure or a crash, a first part of the range may have been deallocated.
    pub async fn deallocate(&self, handle: Handle, offset: u64, length: u64) -> Result<Attributes> {
        self.engine()?.deallocate(handle, offset, length).await
    }
    /// Extends the file to the end of the range, durably, if the pool and the volume have room for the whole range; otherwise
    /// fails with [`Error::NoSpace`]. No space is reserved: other writes can use it up.
    pub async fn allocate(&self, handle: Handle, offset: u64, length: u64) -> Result<Attributes> {
        self.engine()?.allocate(handle, offset, length).await
    }
    /// Makes a range of a file share what is stored for a range of another file, in any volume, or of the same file if the
    /// ranges do not overlap. With `length` `None` the range reaches to the end of the source; a source that ends before the
    /// range does is [`Error::Invalid`]. Durable on return. A range of up to some thousand extents is cloned atomically. Of a
    /// larger range a first part may have been cloned after a failure or a crash.
    pub async fn clone_range(
        &self,
        from: (Handle, u64),
        to: (Handle, u64),
        length: Option<u64>,
    ) -> Result<Cloned> {
        self.engine()?.clone_range(from, to, length, usize::MAX).await
    }
    /// Like [`Pool::clone_range`], but may copy only a first part of the range, so that the call stays short.
    pub async fn copy_range(
        &self,
        from: (Handle, u64),
        to: (Handle, u64),
        length: Option<u64>,
    ) -> Result<Cloned> {
        self.engine()?.clone_range(from, to, length, COPY_BATCHES_MAX).await
    }

    // ---- buckets ----

    /// Creates a bucket. `fill` puts its first entries, so that they are there from the first moment.
    pub async fn bucket_create<F>(&self, spec: BucketSpec, fill: F) -> Result<Bucket>
    where
        F: FnOnce(&mut BucketChange<'_, '_>) -> Result<()> + Send + 'static,
    {
        self.engine()?.bucket_create(spec, fill).await
    }
    /// All buckets, ordered by name.
    pub fn buckets(&self) -> Result<Vec<Bucket>> {
        Ok(self.engine()?.volumes.buckets())
    }
    /// The bucket named `name`.
    pub fn bucket(&self, name: &str) -> Result<Bucket> {
        self.engine()?.volumes.bucket_by_name(name)
    }
    /// Changes properties of a bucket, and with `change` its entries, in one batch. If it fails, or `change` returns
    /// `Ok(Err(refusal))`, nothing is changed. `change` must return a refusal before it stages anything.
    pub async fn bucket_modify<T, F>(
        &self,
        name: &str,
        update: BucketUpdate,
        change: F,
    ) -> Result<std::result::Result<Bucket, T>>
    where
        T: Send + 'static,
        F: FnOnce(&mut BucketChange<'_, '_>) -> Result<std::result::Result<(), T>> + Send + 'static,
    {
        self.engine()?.bucket_modify(name, update, change).await
    }
    /// Deletes a bucket with everything in it, unless `check` returns `Ok(Err(refusal))`. Drafts and contents of the bucket become
    /// stale.
    pub async fn bucket_delete<T, F>(&self, id: VolumeId, check: F) -> Result<std::result::Result<(), T>>
    where
        T: Send + 'static,
        F: FnOnce(&mut BucketChange<'_, '_>) -> Result<std::result::Result<(), T>> + Send + 'static,
    {
        self.engine()?.bucket_delete(id, check).await
    }
    /// Changes entries of a bucket in one atomic batch, durable on return. `change` looks at entries and stages new ones. It
    /// runs while every other change of the pool waits, so it must be quick, and must not call the pool.
    ///
    /// An error of `change` is returned at once, and nothing is changed. To return a refusal that rests on what `change` has
    /// seen, return it as a value: it is then returned when what was seen is durable.
    pub async fn bucket_change<T, F>(&self, bucket: VolumeId, change: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut BucketChange<'_, '_>) -> Result<T> + Send + 'static,
    {
        self.engine()?.bucket_change(bucket, change).await
    }
    /// The entry of a bucket with this key and version.
    pub fn bucket_entry(
        &self,
        bucket: VolumeId,
        table: Table,
        key: &[u8],
        version: u64,
    ) -> Result<Option<BucketEntry>> {
        self.engine()?.bucket_entry(bucket, table, key, version)
    }
    /// The newest version of a key.
    pub fn bucket_newest(&self, bucket: VolumeId, table: Table, key: &[u8]) -> Result<Option<BucketEntry>> {
        self.engine()?.bucket_newest(bucket, table, key)
    }
    /// Up to `entries_max` entries of a table, in order, from `from` on, whose keys begin with `prefix`. They are those of one
    /// instant.
    pub fn bucket_scan(
        &self,
        bucket: VolumeId,
        table: Table,
        prefix: &[u8],
        from: &Seek<'_>,
        entries_max: usize,
    ) -> Result<Vec<BucketEntry>> {
        self.engine()?.bucket_scan(bucket, table, prefix, from, entries_max)
    }
    /// Creates an empty draft. Write to its handle, commit, and give it to an entry ([`EntryContent::Draft`]).
    pub async fn draft_create(&self, bucket: VolumeId) -> Result<Draft> {
        self.engine()?.draft_create(bucket).await
    }
    /// Fills an empty draft with ranges of other contents or files, one behind the other, and commits it. Bytes are shared, and
    /// cut anew only where two ranges meet. Returns the draft's size. If it fails, drop the draft. The bucket's size does not
    /// limit it: use it for contents that the draft is to replace.
    pub async fn concatenate(&self, draft: &Draft, ranges: Vec<(Handle, Range<u64>)>) -> Result<u64> {
        self.engine()?.concatenate(draft.handle, ranges, Room::OfReplaced).await
    }
    /// As [`Pool::concatenate`], with one range of a content that stays. Fails with [`Error::NoSpace`] if the bucket has no room.
    pub async fn draft_copy(&self, draft: &Draft, source: Handle, range: Range<u64>) -> Result<u64> {
        self.engine()?.concatenate(draft.handle, vec![(source, range)], Room::Reserved).await
    }

    // ---- open inodes ----

    /// Holds an inode: while it is held, it outlives its last name. Holds are counted, and each needs one release.
    /// Holds end with the process; see [`Pool::reap_orphans`].
    pub fn hold(&self, handle: Handle) -> Result<()> {
        self.engine()?.hold(handle)
    }
    /// Releases one hold. An orphan without holds is freed.
    pub fn release(&self, handle: Handle) {
        if let Ok(engine) = self.engine() {
            engine.release(handle);
        }
    }
    /// Allows orphans to be freed. From opening until this call, the pool frees no orphan, and every inode that loses its last
    /// name becomes one, because holders from before the restart may not have come back yet. After this call the pool frees
    /// orphans that nobody holds.
    pub async fn reap_orphans(&self) -> Result<()> {
        self.engine()?.reap_orphans().await
    }

    /// Waits until everything that was deleted has been freed, apart from orphans that are held. For tests, and for callers
    /// that wait for space.
    pub async fn settle(&self) -> Result<()> {
        self.engine()?.settle().await
    }

    /// Recounts everything from the extents and the directory entries. Returns one sentence for each difference. With
    /// `read_chunks` it also reads and verifies every copy of every chunk.
    pub async fn check(&self, read_chunks: bool) -> Result<Vec<String>> {
        Ok(self.check_report(read_chunks).await?.differences)
    }
    /// Like [`Pool::check`], but also reports what was examined.
    pub async fn check_report(&self, read_chunks: bool) -> Result<CheckReport> {
        self.check_watched(read_chunks, Arc::default()).await
    }
    /// Like [`Pool::check_report`], but the caller can watch and cancel it ([`Error::Cancelled`]).
    pub async fn check_watched(&self, read_chunks: bool, watch: Arc<CheckWatch>) -> Result<CheckReport> {
        self.engine()?.check(read_chunks, watch).await
    }
    /// How much is stored for the files of a volume, or of all volumes. Reads every extent.
    pub async fn efficiency(&self, volume: Option<VolumeId>) -> Result<Efficiency> {
        self.engine()?.efficiency(volume).await
    }
    /// The metadata of this instant, to find out which files store what. The pool cannot be closed completely before the survey
    /// is dropped; cancelling `watch` ends what is being read from it.
    pub async fn survey(&self, watch: Arc<CheckWatch>) -> Result<Survey> {
        self.engine()?.survey(watch).await
    }
    /// Sizes of the segments.
    pub fn stored(&self) -> Result<Stored> {
        Ok(self.engine()?.stored())
    }

    /// The mismatches that [`Pool::recover`] found when it opened the pool.
    pub fn mismatches(&self) -> Result<Vec<Mismatch>> {
        Ok(self.engine()?.accepted.clone())
    }
    /// Segments that no metadata names, found when the pool was opened. They take space until they are deleted.
    pub fn lost_and_found(&self) -> Result<Vec<LostSegment>> {
        Ok(self.engine()?.lost_and_found())
    }
    /// Deletes a segment from lost+found; [`Error::NotFound`] if there is none with that number.
    pub async fn lost_and_found_delete(&self, segment: u64) -> Result<()> {
        self.engine()?.lost_and_found_delete(segment).await
    }

    /// Starts a scrub from the beginning.
    pub async fn scrub_start(&self) -> Result<()> {
        self.engine()?.scrub_start().await
    }
    /// Stops the running scrub.
    pub async fn scrub_stop(&self) -> Result<()> {
        self.engine()?.scrub_stop().await
    }
    /// The state of the scrub, and what it has found.
    pub fn scrub_status(&self) -> Result<ScrubStatus> {
        Ok(self.engine()?.scrub_status())
    }

    pub(crate) fn on(engine: Arc<Engine>) -> Result<Pool> {
        let shared = Shared {
            id: engine.identity.id,
            boot: engine.identity.boot,
            last_stop: engine.identity.last_stop,
            write_verifier: engine.new_write_verifier()?,
            engine: RwLock::new(Some(engine)),
        };
        Ok(Pool { shared: Arc::new(shared) })
    }

    pub(crate) fn engine(&self) -> Result<Arc<Engine>> {
        sync::read(&self.shared.engine).clone().ok_or(Error::Closed)
    }
}
