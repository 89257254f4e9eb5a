//! The check: recounts everything from the extents and the directory entries, and compares. What each volume and each
//! snapshot shows is in [`crate::check_view`]; here is what is stored, whoever sees it.
//!
//! It looks at a picture of the pool as of one instant, so nobody waits for it. Where it looks at what is there now, at
//! segments and frames, it asks again before it reports what may have been moved or freed since.
//!
//! Of each inode of a volume it keeps a record in memory, and of chunks as many counts as fit in [`REFERENCES_MAX`]; of
//! more chunks it takes several passes over the extents.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::check_view::check_view;
use crate::engine::Engine;
use crate::keys::{self, ChunkId};
use crate::meta::MetaStore;
use crate::records::{
    ChunkRecord, Content, ExtentRecord, InodeRecord, Record, SegmentRecord, UsageRecord, is_tombstone,
    malformed,
};
use crate::segment::SegmentId;
use crate::view::View;
use crate::{CheckReport, Result, VolumeId, sync};

/// References that are counted in one pass; each takes about 60 bytes.
const REFERENCES_MAX: u64 = 4 << 20;
/// Differences that are described; further ones are counted.
const DESCRIBED_MAX: usize = 10_000;

/// What is compared with what, as of one instant.
struct Picture {
    meta: Arc<dyn MetaStore>,
    volumes: Vec<(VolumeId, Arc<View>, UsageRecord)>,
    segments: Vec<(SegmentId, SegmentRecord)>,
}

struct Check<'a> {
    engine: &'a Engine,
    picture: &'a Picture,
    references: HashMap<ChunkId, u32>,
    segments: HashMap<SegmentId, u64>,
    usage: HashMap<VolumeId, UsageRecord>,
    report: CheckReport,
}

impl Engine {
    pub(crate) async fn check(self: &Arc<Self>, read_chunks: bool) -> Result<CheckReport> {
        // Only the committer changes any of it.
        let picture = self.transact(|txn| txn.engine.picture()).await?;
        let engine = self.clone();
        sync::blocking(move || engine.compare(&picture, read_chunks)).await
    }

    fn picture(&self) -> Result<Picture> {
        let mut volumes = Vec::new();
        for volume in self.volumes.all_live() {
            volumes.push((volume, self.volumes.view(volume)?, self.volumes.usage(volume)));
        }
        Ok(Picture { meta: self.meta.snapshot()?, volumes, segments: self.segments.list() })
    }

    fn compare(&self, picture: &Picture, read_chunks: bool) -> Result<CheckReport> {
        let mut check = Check {
            engine: self,
            picture,
            references: HashMap::new(),
            segments: HashMap::new(),
            usage: HashMap::new(),
            report: CheckReport::default(),
        };
        check.views()?;
        check.inodes()?;
        check.extents()?;
        check.chunks(read_chunks)?;
        check.compare_usage();
        check.compare_segments()?;
        Ok(check.report)
    }
}

/// Visits all chunk records.
fn each_chunk(meta: &dyn MetaStore, mut visit: impl FnMut(ChunkId, ChunkRecord)) -> Result<()> {
    meta.scan(keys::chunks(), &mut |key, value| {
        let id = keys::chunk_in(key).ok_or_else(|| malformed(ChunkRecord::NAME, key))?;
        visit(id, ChunkRecord::decode(key, value)?);
        Ok(ControlFlow::Continue(()))
    })
}

/// Visits all versions that are stored of a kind, but tombstones, with the volume that has them.
fn each_stored<R: Record>(meta: &dyn MetaStore, kind: u8, mut visit: impl FnMut(VolumeId, R)) -> Result<()> {
    meta.scan(keys::items_of_all(kind), &mut |key, value| {
        if !is_tombstone(value) {
            let volume = keys::volume_in(key).ok_or_else(|| malformed(R::NAME, key))?;
            visit(volume, R::decode(key, value)?);
        }
        Ok(ControlFlow::Continue(()))
    })
}

impl Check<'_> {
    fn report(&mut self, difference: String) {
        self.report.differences_count += 1;
        if self.report.differences.len() < DESCRIBED_MAX {
            self.report.differences.push(difference);
        }
    }

    /// What each volume and each snapshot shows.
    fn views(&mut self) -> Result<()> {
        for (volume, view, usage) in &self.picture.volumes {
            for difference in check_view(&*self.picture.meta, *volume, view, *usage)? {
                self.report(difference);
            }
        }
        Ok(())
    }

    fn inodes(&mut self) -> Result<()> {
        each_stored(&*self.picture.meta, keys::INODE, |volume, _: InodeRecord| {
            self.usage.entry(volume).or_default().inodes_stored += 1;
            self.report.inodes += 1;
        })
    }

    fn extents(&mut self) -> Result<()> {
        each_stored(&*self.picture.meta, keys::EXTENT, |volume, extent: ExtentRecord| {
            if matches!(extent.content, Content::Inline(_)) {
                self.usage.entry(volume).or_default().bytes_inline += u64::from(extent.length);
            }
            self.report.extents += 1;
        })
    }

    fn chunks(&mut self, read: bool) -> Result<()> {
        each_chunk(&*self.picture.meta, |_, _| self.report.chunks += 1)?;
        let passes = self.report.chunks / REFERENCES_MAX + 1;
        (0..passes).try_for_each(|pass| self.chunks_of(pass, passes, read))
    }

    /// The chunks that are due in one of several passes.
    fn chunks_of(&mut self, pass: u64, passes: u64, read: bool) -> Result<()> {
        let is_due = |id: &ChunkId| u64::from(u16::from_be_bytes([id.0[0], id.0[1]])) * passes >> 16 == pass;
        let meta = &*self.picture.meta;
        // Every version of every extent refers to its chunk, whoever sees it.
        each_stored(meta, keys::EXTENT, |_, extent: ExtentRecord| {
            if let Content::Chunk { id, .. } = extent.content
                && is_due(&id)
            {
                *self.references.entry(id).or_default() += 1;
            }
        })?;
        each_chunk(meta, |id, record| {
            if is_due(&id) {
                self.chunk(id, record, read);
            }
        })?;
        for (id, count) in std::mem::take(&mut self.references) {
            self.report(format!("chunk {id}: no record, {count} references found"));
        }
        Ok(())
    }

    fn chunk(&mut self, id: ChunkId, record: ChunkRecord, read: bool) {
        let counted = self.references.remove(&id).unwrap_or_default();
        *self.segments.entry(record.segment).or_default() += u64::from(record.bytes_stored);
        if counted != record.references {
            self.report(format!("chunk {id}: {} references recorded, {counted} found", record.references));
        }
        if read {
            self.read_chunk(id, record);
        }
    }

    /// Verifies every copy of a chunk, where it is now.
    fn read_chunk(&mut self, id: ChunkId, mut record: ChunkRecord) {
        loop {
            let outcome = self.engine.repair_frame(id, &record);
            if matches!(&outcome, Ok(repaired) if repaired.content.is_some()) {
                self.report.frames_read += 1;
                self.report.bytes_read += u64::from(record.bytes_stored);
                return;
            }
            match self.engine.chunk_record(id) {
                // Moved while it was read.
                Ok(Some(now)) if (now.segment, now.offset) != (record.segment, record.offset) => record = now,
                // Freed since.
                Ok(None) => return,
                _ => break,
            }
        }
        self.report(format!(
            "chunk {id} in segment {} at offset {}: damaged; files that hold it cannot be read there",
            record.segment, record.offset
        ));
    }

    /// What volumes store; what they show is compared volume by volume.
    fn compare_usage(&mut self) {
        for (volume, _, recorded) in &self.picture.volumes {
            let counted = self.usage.remove(volume).unwrap_or_default();
            let recorded = recorded.showing(UsageRecord::default());
            if counted != recorded {
                self.report(format!("{volume:?}: {recorded:?} recorded, {counted:?} stored"));
            }
        }
    }

    fn compare_segments(&mut self) -> Result<()> {
        let there: HashMap<SegmentId, u64> = self.engine.store.list()?.into_iter().collect();
        for (id, record) in &self.picture.segments {
            let live = self.segments.remove(id).unwrap_or_default();
            self.report.segments += 1;
            self.report.bytes_live += live;
            if live != record.bytes_live {
                self.report(format!("segment {id}: {} live bytes recorded, {live} found", record.bytes_live));
            }
            // Else emptied and deleted since.
            let is_needed = live > 0 && self.engine.segments.usage(*id).bytes_live > 0;
            if is_needed && !there.contains_key(id) {
                self.report(format!("segment {id}: holds chunks and does not exist"));
            }
        }
        for id in std::mem::take(&mut self.segments).into_keys() {
            self.report(format!("segment {id}: holds chunks and has no record"));
        }
        Ok(())
    }
}
