//! The sweep of a store in which it takes long to list all segments ([`crate::store::segment::SegmentStore::keeps_objects`]).
//!
//! Opening looks at the segments of the last start only. All of them are listed while the pool serves already. Until then the pool does not rely
//! on a segment of an earlier start for bytes that a client writes again ([`crate::parts::segment_table::SegmentTable::holds`]).
//!
//! The sweep lists them again, an hour after opening and then once a day. It notes which of the segments that hold data are missing, and deals
//! with those that earlier starts have left behind: a segment that the metadata does not name is set aside or deleted, as opening would do. The
//! owners of earlier starts were replaced, so no chunk in their segments will be named any more; the hour lets requests end that an owner had
//! sent before it was replaced. Of this start, segments are deleted in which nothing was ever named and nothing will be: what was appended early
//! and then overwritten.

use std::sync::Arc;
use std::time::Duration;

use crate::base::sync;
use crate::engine::Engine;
use crate::format::keys::SegmentId;
use crate::store::segment::{Fate, remove_unnamed};
use crate::{Error, LastStop, Result};

/// The time after which the segments are listed again if that failed after the opening.
pub(crate) const LIST_AGAIN: Duration = Duration::from_secs(30);
/// The time between opening and the first sweep.
pub(crate) const SWEEP_FIRST: Duration = Duration::from_secs(60 * 60);
/// A sweep ends after this many segments that cannot be removed.
const FAILURES_MAX: usize = 8;
/// The time between two sweeps.
pub(crate) const SWEEP_EVERY: Duration = Duration::from_secs(24 * 60 * 60);

/// A segment, and its length in bytes.
type Listed = (SegmentId, u64);

/// The result of a sweep.
struct Swept {
    /// The number of segments set aside.
    aside: usize,
    /// The segments of this start that the metadata did not name.
    own: Vec<SegmentId>,
    /// The first error about one segment.
    failure: Option<Error>,
}

impl Engine {
    /// Notes which segments of earlier starts are there.
    pub(crate) async fn find_segments(self: &Arc<Self>) -> Result<()> {
        let engine = self.clone();
        sync::blocking(move || engine.list_segments().map(drop)).await
    }

    /// Lists all segments, and notes those of earlier starts. Returns these and those of this start. Blocks.
    fn list_segments(&self) -> Result<(Vec<Listed>, Vec<Listed>)> {
        let boot = self.identity.boot;
        let (there, own): (Vec<_>, Vec<_>) = self
            .stores
            .segments
            .list()?
            .into_iter()
            .filter(|(id, _)| id.boot() <= boot)
            .partition(|(id, _)| id.boot() < boot);
        self.segments.found(&there);
        self.segments.report_lost();
        Ok((there, own))
    }

    /// Lists all segments, and deals with those that earlier starts have left behind. Returns the number of segments set aside. An error about one of
    /// them comes last.
    pub(crate) async fn sweep(self: &Arc<Self>) -> Result<usize> {
        let engine = self.clone();
        let Swept { aside, own, failure } = sync::blocking(move || engine.sweep_now()).await?;
        let dead: Vec<SegmentId> = self
            .transact(move |txn| {
                let Engine { segments, stores, .. } = txn.engine;
                // In this order: a chunk is named while its segment is not settled.
                Ok(own
                    .into_iter()
                    .filter(|id| stores.writer.is_settled(*id) && !segments.knows(*id))
                    .collect())
            })
            .await?;
        let engine = self.clone();
        sync::blocking(move || engine.delete_for_good(dead)).await?;
        failure.map_or(Ok(aside), Err)
    }

    fn sweep_now(&self) -> Result<Swept> {
        let store = &self.stores.segments;
        let boot = self.identity.boot;
        let (there, own) = self.list_segments()?;
        let own = own.into_iter().map(|(id, _)| id).filter(|id| !self.segments.knows(*id)).collect();
        // Nothing was named after a start closed the pool.
        let was_closed = |id: SegmentId| self.identity.last_stop == LastStop::Clean && id.boot() + 1 == boot;
        let (mut aside, mut changed) = (0, false);
        let (mut failures, mut failure) = (0, None);
        // Looked up after the list was made: a segment whose record is removed meanwhile is deleted already.
        for (id, bytes) in there.into_iter().filter(|(id, _)| !self.segments.knows(*id)) {
            self.require_open()?;
            match remove_unnamed(&**store, id, bytes, was_closed(id)) {
                Ok(fate) => {
                    changed = true;
                    if fate == Fate::Aside {
                        sync::lock(&self.upkeep.aside).insert(id, bytes);
                        aside += 1;
                    }
                }
                // The next ones may have to wait just as long, and this one must not keep them for ever.
                Err(error) => {
                    failure.get_or_insert(error);
                    failures += 1;
                    if failures == FAILURES_MAX {
                        break;
                    }
                }
            }
        }
        if changed {
            store.sync_deletions()?;
        }
        Ok(Swept { aside, own, failure })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::early::UNSYNCED_MAX;
    use crate::sim::faulty::{FaultyDisk, options};
    use crate::{Kind, NewInode, PoolOptions, SetAttributes, Stability, VolumeSpec};

    /// Bytes that cannot be compressed.
    fn content(seed: u64, bytes: usize) -> bytes::Bytes {
        let mut content = vec![0; bytes];
        blake3::Hasher::new().update(&seed.to_le_bytes()).finalize_xof().fill(&mut content);
        content.into()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_was_appended_early_in_vain_is_bounded_and_deleted() {
        let disk = Arc::new(FaultyDisk::elsewhere());
        // Half of the dirty bytes' room would begin a flush, which syncs.
        let options = PoolOptions { segment_bytes: 1 << 20, dirty_bytes_max: 64 << 20, ..options() };
        let pool = disk.open(options).unwrap();
        let root = pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap().root;
        let create = async |name: &[u8]| {
            pool.create(root, name, NewInode::new(Kind::File, 0o600)).await.unwrap().attributes.handle
        };
        let (vain, kept) = (create(b"vain").await, create(b"kept").await);
        let engine = pool.engine().unwrap();
        let mut most = 0;
        for round in 0..40 {
            pool.write(vain, 0, content(round, 3 << 20), Stability::Unstable).await.unwrap();
            let (done, is_through) = std::sync::mpsc::channel();
            engine.committing.early.submit(Box::new(move || done.send(()).unwrap())).unwrap();
            tokio::task::block_in_place(|| is_through.recv().unwrap());
            most = most.max(engine.stores.writer.unsynced());
            let empty = SetAttributes { size: Some(0), ..SetAttributes::default() };
            pool.setattr(vain, empty).await.unwrap();
        }
        assert!((UNSYNCED_MAX..UNSYNCED_MAX + 4).contains(&most), "{most} segments waited for a sync");
        let content = content(100, 300_000);
        pool.write(kept, 0, content.clone(), Stability::Unstable).await.unwrap();
        pool.commit(kept, 0, 0).await.unwrap();
        assert_eq!(engine.stores.writer.unsynced(), 0);
        let is_known = |(id, _): &(SegmentId, u64)| engine.segments.knows(*id);
        let listed = engine.stores.segments.list().unwrap();
        assert!(!listed.iter().all(is_known), "some have nothing that was named");
        engine.sweep().await.unwrap();
        let listed = engine.stores.segments.list().unwrap();
        assert!(!listed.is_empty() && listed.iter().all(is_known), "{listed:?}");
        drop(engine);
        let read = pool.read(kept, 0, 300_000).await.unwrap();
        assert!(read.pieces.concat() == content);
        pool.close().await.unwrap();
    }

    /// Whoever was replaced may have stored a segment late.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_segment_that_cannot_be_removed_keeps_no_other_from_it() {
        let disk = Arc::new(FaultyDisk::elsewhere());
        disk.open(options()).unwrap().close().await.unwrap();
        let pool = disk.open(options()).unwrap();
        let engine = pool.engine().unwrap();
        let (store, first) = (&engine.stores.segments, SegmentId::first_of(engine.identity.boot - 1, true));
        let late: Vec<SegmentId> = (500..503).map(|number| SegmentId(first.0 + number)).collect();
        for id in &late {
            store.create(*id, 100).unwrap();
            store.write(*id, 0, &[bytes::Bytes::from_static(b"no frame")]).unwrap();
            store.sync(*id).unwrap();
        }
        let left = || {
            let listed = store.list().unwrap().into_iter().map(|(id, _)| id);
            listed.filter(|id| late.contains(id)).collect::<Vec<SegmentId>>()
        };
        disk.set_stuck(&late[..1]);
        let error = engine.sweep().await.unwrap_err().to_string();
        assert!(error.contains("reach a segment"), "{error}");
        assert_eq!(left(), late[..1]);
        disk.set_stuck(&[]);
        engine.sweep().await.unwrap();
        assert_eq!(left(), []);
        drop(engine);
        pool.close().await.unwrap();
    }
}
