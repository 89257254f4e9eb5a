//! The check: recounts everything from the extents and the directory entries, and compares. What each volume and each
//! snapshot shows is in [`crate::check_view`]; here is what is stored, whoever sees it.
//!
//! It runs in the committer, so that nothing changes meanwhile.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::engine::Engine;
use crate::keys::{self, ChunkId};
use crate::meta::MetaStore;
use crate::records::{
    ChunkRecord, Content, ExtentRecord, InodeRecord, Record, UsageRecord, is_tombstone, malformed,
};
use crate::segment::SegmentId;
use crate::{Handle, InodeId, Result, VolumeId};

struct Check<'a> {
    engine: &'a Engine,
    references: HashMap<ChunkId, u32>,
    segments: HashMap<SegmentId, u64>,
    usage: HashMap<VolumeId, UsageRecord>,
    differences: Vec<String>,
}

impl Engine {
    pub(crate) async fn check(self: &Arc<Self>, read_chunks: bool) -> Result<Vec<String>> {
        self.transact(move |txn| {
            let mut check = Check {
                engine: txn.engine,
                references: HashMap::new(),
                segments: HashMap::new(),
                usage: HashMap::new(),
                differences: Vec::new(),
            };
            for volume in txn.engine.volumes.all_live() {
                check.differences.extend(txn.engine.check_view(volume)?);
            }
            check.inodes()?;
            check.extents()?;
            check.chunks(read_chunks)?;
            check.compare_usage();
            check.compare_segments()?;
            Ok(check.differences)
        })
        .await
    }
}

/// Visits all records of a kind with what their key names.
fn each<K, R: Record>(
    meta: &dyn MetaStore,
    range: std::ops::Range<keys::Key>,
    name: impl Fn(&[u8]) -> Option<K>,
    mut visit: impl FnMut(K, R),
) -> Result<()> {
    meta.scan(range, &mut |key, value| {
        let named = name(key).ok_or_else(|| malformed(R::NAME, key))?;
        visit(named, R::decode(key, value)?);
        Ok(ControlFlow::Continue(()))
    })
}

/// Visits all versions that are stored of a kind, but tombstones, with the volume that has them.
fn each_stored<R: Record>(engine: &Engine, kind: u8, mut visit: impl FnMut(VolumeId, R)) -> Result<()> {
    engine.meta.scan(keys::items_of_all(kind), &mut |key, value| {
        if !is_tombstone(value) {
            let volume = keys::volume_in(key).ok_or_else(|| malformed(R::NAME, key))?;
            visit(volume, R::decode(key, value)?);
        }
        Ok(ControlFlow::Continue(()))
    })
}

impl Check<'_> {
    fn report(&mut self, difference: String) {
        self.differences.push(difference);
    }

    fn inodes(&mut self) -> Result<()> {
        each_stored(self.engine, keys::INODE, |volume, _: InodeRecord| {
            self.usage.entry(volume).or_default().inodes_stored += 1;
        })
    }

    /// Every version of every extent refers to its chunk, whoever sees it.
    fn extents(&mut self) -> Result<()> {
        each_stored(self.engine, keys::EXTENT, |volume, extent: ExtentRecord| match extent.content {
            Content::Inline(_) => {
                self.usage.entry(volume).or_default().bytes_inline += u64::from(extent.length);
            }
            Content::Chunk { id, .. } => *self.references.entry(id).or_default() += 1,
        })
    }

    fn chunks(&mut self, read: bool) -> Result<()> {
        let meta = self.engine.meta.clone();
        each(&*meta, keys::chunks(), keys::chunk_in, |id, record: ChunkRecord| {
            let counted = self.references.remove(&id).unwrap_or_default();
            *self.segments.entry(record.segment).or_default() += u64::from(record.bytes_stored);
            if counted != record.references {
                self.report(format!(
                    "chunk {id}: {} references recorded, {counted} found",
                    record.references
                ));
            }
            if read {
                let nobody = Handle { volume: VolumeId(0), inode: InodeId(0), generation: 0 };
                if let Err(error) = self.engine.chunk_content(id, nobody) {
                    self.report(error.to_string());
                }
            }
        })?;
        for (id, count) in std::mem::take(&mut self.references) {
            self.report(format!("chunk {id}: no record, {count} references found"));
        }
        Ok(())
    }

    /// What volumes store; what they show is compared volume by volume.
    fn compare_usage(&mut self) {
        let mut usage = std::mem::take(&mut self.usage);
        for volume in self.engine.volumes.all_live() {
            let counted = usage.remove(&volume).unwrap_or_default();
            let recorded = self.engine.volumes.usage(volume).showing(UsageRecord::default());
            if counted != recorded {
                self.report(format!("{volume:?}: {recorded:?} recorded, {counted:?} stored"));
            }
        }
    }

    fn compare_segments(&mut self) -> Result<()> {
        let there: HashMap<SegmentId, u64> = self.engine.store.list()?.into_iter().collect();
        for (id, record) in self.engine.segments.list() {
            let live = self.segments.remove(&id).unwrap_or_default();
            if live != record.bytes_live {
                self.report(format!("segment {id}: {} live bytes recorded, {live} found", record.bytes_live));
            }
            if live > 0 && !there.contains_key(&id) {
                self.report(format!("segment {id}: holds chunks and does not exist"));
            }
        }
        for id in std::mem::take(&mut self.segments).into_keys() {
            self.report(format!("segment {id}: holds chunks and has no record"));
        }
        Ok(())
    }
}
