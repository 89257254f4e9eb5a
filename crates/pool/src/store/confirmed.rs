//! Stores that ask before each change whether this process may still make it ([`Permit`]).
//!
//! The stores are wrapped once, where the engine is built, and each copy by itself. So nothing above this floor can change a file
//! without asking, and no time lies between the answer and the system call but what the call's preparation takes. An operation of many
//! system calls that could destroy what another node wrote asks again between them: `log/file.rs` and `meta/journal_repair.rs`.
//!
//! Not asked are the threads of the metadata store, which write out and merge its tables on their own.

use std::cell::Cell;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;

use super::log::{LogFiles, LogStore};
use super::meta::{Batch, MetaFiles, MetaStore, MetaView, NewCopy, PairedMeta, Position, SecondMeta, Visit};
use super::segment::{SegmentCopies, SegmentFiles, SegmentStore};
use super::witness::{Found, State, Witness};
use crate::Result;
use crate::base::counters::ObjectCounts;
use crate::base::permit::Permit;
use crate::format::keys::{Key, SegmentId};

/// The metadata, each copy asking.
pub(crate) fn meta(permit: &Permit, files: MetaFiles) -> MetaFiles {
    if !permit.asks() {
        return files;
    }
    let MetaFiles { first, second, .. } = files;
    let second =
        second.map(|store| -> Arc<dyn SecondMeta> { Arc::new(Confirmed { permit: permit.clone(), store }) });
    MetaFiles {
        first: one_meta(permit, first),
        second,
        #[cfg(test)]
        broken: files.broken,
    }
}

fn one_meta(permit: &Permit, store: Arc<dyn PairedMeta>) -> Arc<dyn PairedMeta> {
    Arc::new(ConfirmedMeta { permit: permit.clone(), store })
}

/// The segments, each copy asking.
pub(crate) fn segments(permit: &Permit, files: SegmentFiles) -> SegmentFiles {
    if !permit.asks() {
        return files;
    }
    let SegmentFiles { first, second } = files;
    let first: Arc<dyn SegmentStore> = Arc::new(Confirmed { permit: permit.clone(), store: first });
    let permit = permit.clone();
    let of = |permit: Permit, store| -> Arc<dyn SegmentCopies> { Arc::new(Confirmed { permit, store }) };
    let second = second.map(|open| -> super::segment::OpenSecond {
        Box::new(move || open().map(|store| of(permit.clone(), store)))
    });
    SegmentFiles { first, second }
}

/// The files of the intent log, each copy asking.
pub(crate) fn log(permit: &Permit, files: LogFiles) -> LogFiles {
    if !permit.asks() {
        return files;
    }
    let LogFiles { first, second } = files;
    let of = |permit: Permit, store| -> Arc<dyn LogStore> { Arc::new(Confirmed { permit, store }) };
    let first = of(permit.clone(), first);
    let permit = permit.clone();
    let second = second.map(|open| -> super::log::OpenSecond {
        Box::new(move || open().map(|store| of(permit.clone(), store)))
    });
    LogFiles { first, second }
}

/// The witness, asking.
pub(crate) fn witness(permit: &Permit, store: Arc<dyn Witness>) -> Arc<dyn Witness> {
    if permit.asks() { Arc::new(Confirmed { permit: permit.clone(), store }) } else { store }
}

/// A store, and who is asked before it changes.
struct Confirmed<S: ?Sized> {
    permit: Permit,
    store: Arc<S>,
}

struct ConfirmedMeta {
    permit: Permit,
    store: Arc<dyn PairedMeta>,
}

impl Drop for ConfirmedMeta {
    /// A metadata store writes when it is dropped. If it must not, it stays until the process ends.
    fn drop(&mut self) {
        if self.permit.confirm().is_err() {
            std::mem::forget(self.store.clone());
        }
    }
}

impl MetaView for ConfirmedMeta {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.store.get(key)
    }
    fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>> {
        self.store.get_many(keys)
    }
    fn warm(&self, keys: &mut dyn Iterator<Item = Key>) -> Result<()> {
        self.store.warm(keys)
    }
    fn scan(&self, range: Range<Key>, visit: &mut Visit<'_>) -> Result<()> {
        self.store.scan(range, visit)
    }
}

impl MetaStore for ConfirmedMeta {
    fn write(&self, batch: Batch) -> Result<()> {
        self.permit.confirm()?;
        self.store.write(batch)
    }
    fn make_durable(&self) -> Result<()> {
        self.permit.confirm()?;
        self.store.make_durable()
    }
    fn position(&self) -> Position {
        self.store.position()
    }
    fn give_back(&self) -> Result<()> {
        self.permit.confirm()?;
        self.store.give_back()
    }
    fn failure(&self) -> Option<String> {
        self.store.failure()
    }
    fn snapshot(&self) -> Result<Arc<dyn MetaView>> {
        self.store.snapshot()
    }
}

impl PairedMeta for ConfirmedMeta {
    fn batches_after(&self, number: u64) -> Result<Option<Vec<Batch>>> {
        self.store.batches_after(number)
    }
    fn begin_write_out(&self) -> Result<()> {
        self.permit.confirm()?;
        self.store.begin_write_out()
    }
    fn is_written_out(&self) -> Result<bool> {
        self.store.is_written_out()
    }
    fn keys_about(&self) -> u64 {
        self.store.keys_about()
    }
}

impl SecondMeta for Confirmed<dyn SecondMeta> {
    fn open(&self) -> Result<Option<Arc<dyn PairedMeta>>> {
        Ok(self.store.open()?.map(|store| one_meta(&self.permit, store)))
    }
    fn create(&self) -> Result<Arc<dyn NewCopy>> {
        self.permit.confirm()?;
        let store = self.store.create()?;
        Ok(Arc::new(Confirmed { permit: self.permit.clone(), store }))
    }
    fn declare_whole(&self) -> Result<()> {
        self.permit.confirm()?;
        self.store.declare_whole()
    }
    fn declare_stale(&self) -> Result<()> {
        self.permit.confirm()?;
        self.store.declare_stale()
    }
}

impl NewCopy for Confirmed<dyn NewCopy> {
    fn fill(&self, batch: Batch) -> Result<()> {
        self.permit.confirm()?;
        self.store.fill(batch)
    }
    fn numbered(self: Arc<Self>, last: u64) -> Result<Arc<dyn PairedMeta>> {
        Ok(one_meta(&self.permit, self.store.clone().numbered(last)?))
    }
}

impl<S: SegmentStore + ?Sized> SegmentStore for Confirmed<S> {
    fn prepare(&self) -> Result<()> {
        self.permit.confirm()?;
        self.store.prepare()
    }
    fn create(&self, id: SegmentId, bytes: u64) -> Result<()> {
        self.permit.confirm()?;
        self.store.create(id, bytes)
    }
    fn write(&self, id: SegmentId, offset: u64, parts: &[Bytes]) -> Result<()> {
        self.permit.confirm()?;
        self.store.write(id, offset, parts)
    }
    fn sync(&self, id: SegmentId) -> Result<()> {
        self.permit.confirm()?;
        self.store.sync(id)
    }
    fn seal(&self, id: SegmentId, bytes: u64) -> Result<()> {
        self.permit.confirm()?;
        self.store.seal(id, bytes)
    }
    fn sync_all(&self, ids: &[SegmentId]) -> Result<()> {
        self.permit.confirm()?;
        self.store.sync_all(ids)
    }
    fn read(&self, id: SegmentId, offset: u64, length: usize) -> Result<Option<Bytes>> {
        self.store.read(id, offset, length)
    }
    fn read_stored(&self, id: SegmentId, offset: u64, length: usize) -> Result<Option<Bytes>> {
        self.store.read_stored(id, offset, length)
    }
    fn object_counts(&self) -> Option<ObjectCounts> {
        self.store.object_counts()
    }
    fn keeps_objects(&self) -> bool {
        self.store.keeps_objects()
    }
    fn forget_cached(&self, id: SegmentId, offset: u64, length: usize) {
        self.store.forget_cached(id, offset, length);
    }
    fn list_since(&self, first: SegmentId) -> Result<Vec<(SegmentId, u64)>> {
        self.store.list_since(first)
    }
    fn delete(&self, id: SegmentId) -> Result<bool> {
        self.permit.confirm()?;
        self.store.delete(id)
    }
    fn length(&self, id: SegmentId) -> Result<Option<u64>> {
        self.store.length(id)
    }
    fn list(&self) -> Result<Vec<(SegmentId, u64)>> {
        self.store.list()
    }
    fn sync_deletions(&self) -> Result<bool> {
        self.permit.confirm()?;
        self.store.sync_deletions()
    }
    fn set_aside(&self, id: SegmentId) -> Result<()> {
        self.permit.confirm()?;
        self.store.set_aside(id)
    }
    fn set_aside_all(&self, ids: &[SegmentId]) -> Result<()> {
        self.permit.confirm()?;
        self.store.set_aside_all(ids)
    }
    fn list_aside(&self) -> Result<Vec<(SegmentId, u64)>> {
        self.store.list_aside()
    }
    fn delete_aside(&self, id: SegmentId) -> Result<()> {
        self.permit.confirm()?;
        self.store.delete_aside(id)
    }
}

/// One copy of the segments, so the other operations on copies stay at their defaults.
impl SegmentCopies for Confirmed<dyn SegmentCopies> {
    fn is_complete(&self) -> Result<bool> {
        self.store.is_complete()
    }
    fn declare_complete(&self, is_complete: bool) -> Result<()> {
        self.permit.confirm()?;
        self.store.declare_complete(is_complete)
    }
}

impl LogStore for Confirmed<dyn LogStore> {
    fn file_bytes(&self) -> u64 {
        self.store.file_bytes()
    }
    fn files(&self) -> u32 {
        self.store.files()
    }
    fn read(&self, file: u32, bytes: u64) -> Result<Option<Vec<u8>>> {
        self.store.read(file, bytes)
    }
    fn prepare(&self, file: u32) -> Result<()> {
        self.permit.confirm()?;
        self.store.prepare(file)
    }
    fn write(&self, file: u32, offset: u64, bytes: &[u8]) -> Result<()> {
        self.permit.confirm()?;
        self.store.write(file, offset, bytes)
    }
    fn sync(&self, file: u32) -> Result<()> {
        self.permit.confirm()?;
        self.store.sync(file)
    }
    fn remove(&self, file: u32) -> Result<()> {
        self.permit.confirm()?;
        self.store.remove(file)
    }
}

impl Witness for Confirmed<dyn Witness> {
    fn own(&self) -> Result<Found> {
        self.store.own()
    }
    fn copy(&self) -> Result<Found> {
        self.store.copy()
    }
    fn establish(&self, state: &State) -> Result<()> {
        self.permit.confirm()?;
        self.store.establish(state)
    }
    fn note(&self, state: &State) -> Result<()> {
        self.permit.confirm()?;
        self.store.note(state)
    }
    fn starts(&self) -> Result<Vec<(PathBuf, State)>> {
        self.store.starts()
    }
    fn give_up(&self, boot_next: u64) -> Result<()> {
        self.permit.confirm()?;
        self.store.give_up(boot_next)
    }
    fn forget_earlier(&self, boot: u64) -> Result<()> {
        self.permit.confirm()?;
        self.store.forget_earlier(boot)
    }
    fn note_in_copy(&self, state: &State, durably: bool, may_replace: &dyn Fn(&Found) -> bool) -> Result<()> {
        // The look comes last, because a comparison takes a while.
        let refusal = Cell::new(None);
        let may_replace = |found: &Found| {
            may_replace(found) && self.permit.confirm().map_err(|error| refusal.set(Some(error))).is_ok()
        };
        let noted = self.store.note_in_copy(state, durably, &may_replace);
        refusal.into_inner().map_or(noted, Err)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::store::meta::MemoryMeta;
    use crate::store::segment::MemorySegments;
    use crate::store::witness::MemoryWitness;
    use crate::store::witness::tests::sample;
    use crate::{Error, Kind, NewInode, Pool, PoolOptions, Stability, VolumeSpec};

    fn refusing() -> Permit {
        Permit::asking(|| Err("another node has the pool".to_owned()))
    }

    fn refused<T>(outcome: Result<T>) -> bool {
        matches!(outcome, Err(Error::NotPermitted(cause)) if cause.contains("another node"))
    }

    #[test]
    fn no_store_changes_without_permission() {
        let id = SegmentId(1);
        let inner: Arc<MemorySegments> = Arc::default();
        inner.create(id, 0).unwrap();
        inner.write(id, 0, &[Bytes::from_static(b"one")]).unwrap();
        let files = SegmentFiles { first: inner.clone(), second: None };
        let store = segments(&refusing(), files).store(Box::new(|_| ()));
        assert!(refused(store.prepare()) && refused(store.create(SegmentId(2), 0)));
        assert!(refused(store.write(id, 0, &[Bytes::from_static(b"two")])) && refused(store.sync(id)));
        assert!(refused(store.seal(id, 1)) && refused(store.delete(id)) && refused(store.sync_deletions()));
        assert!(refused(store.set_aside(id)) && refused(store.delete_aside(id)));
        assert!(refused(store.restore(0, id, 0, &Bytes::from_static(b"two"))));
        assert_eq!(store.read(id, 0, 3).unwrap(), Some(Bytes::from_static(b"one")));
        assert_eq!(store.list().unwrap(), [(id, 3)]);

        let files = MetaFiles::single(Arc::<MemoryMeta>::default());
        let store = meta(&refusing(), files).store(Some(0)).unwrap();
        let changes = vec![(b"key".to_vec(), Some(Bytes::new()))];
        assert!(refused(store.write(Batch { changes })));
        assert!(refused(store.make_durable()) && refused(store.give_back()));
        assert_eq!(store.get(b"key").unwrap(), None);

        let store = witness(&refusing(), Arc::<MemoryWitness>::default());
        assert!(refused(store.establish(&sample())) && refused(store.note(&sample())));
        assert_eq!(store.own().unwrap(), Found::Missing);
    }

    /// Every file that a pool in a directory has, with its content.
    fn files(directory: &std::path::Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.extend(self::files(&path));
            } else {
                found.push((path.clone(), std::fs::read(path).unwrap()));
            }
        }
        found.sort();
        found
    }

    /// A pool on files, with a second copy, which has written everything that it can. Then it must not write any more.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_pool_without_permission_changes_no_file_not_even_when_it_is_dropped() {
        let (directory, copies) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let left = Arc::new(AtomicUsize::new(usize::MAX));
        let asked = left.clone();
        let ask = move || {
            let permitted =
                asked.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            permitted.map(drop).map_err(|_| "another node has the pool".to_owned())
        };
        let options = PoolOptions {
            copies_directory: Some(copies.path().join("second")),
            permit: Permit::asking(ask),
            ..PoolOptions::default()
        };
        let pool = Pool::open(directory.path(), options).await.unwrap();
        let root = pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap().root;
        let new = || NewInode::new(Kind::File, 0o600);
        let log = pool.create(root, b"log", new()).await.unwrap().attributes.handle;
        let bytes = Bytes::from(vec![7; 1 << 20]);
        pool.write(log, 0, bytes.clone(), Stability::FileSync).await.unwrap();
        pool.settle().await.unwrap();
        left.store(0, Ordering::SeqCst);
        let before = (files(directory.path()), files(copies.path()));
        assert!(pool.write(log, 0, bytes, Stability::FileSync).await.is_err());
        assert!(pool.create(root, b"other", new()).await.is_err());
        assert!(matches!(pool.create(root, b"other", new()).await, Err(Error::Failed(_))));
        assert!(pool.close().await.is_err());
        drop(pool);
        assert!(before == (files(directory.path()), files(copies.path())), "something was written");
    }
}
