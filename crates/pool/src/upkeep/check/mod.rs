//! The check: recounts everything from extents and directory entries, and compares the counts with the records.
//! [`crate::upkeep::check::view`] checks what each volume and each snapshot shows. This file checks what is stored,
//! whichever view shows it. Where metadata is damaged, the check continues behind the damage ([`crate::store::resilient`]),
//! and at the end reports the affected files ([`crate::upkeep::check::damage`]). It reads the headers of segments
//! ([`crate::upkeep::headers`]), and on request their content.
//!
//! The check reads the metadata as of one instant, so clients can continue to write. Segments and frames are read in their
//! current state. Before the check reports a fault there, it looks again whether the data was moved or freed meanwhile.
//!
//! The check keeps a record of each inode in memory, and up to [`REFERENCES_MAX`] counts of chunks. For more chunks it takes
//! several passes over the extents.

mod damage;
mod records;
mod view;
mod watch;

pub use watch::CheckWatch;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::base::sync;
use crate::engine::Engine;
use crate::format::keys::{self, ChunkId, SegmentId};
use crate::format::records::{
    BucketEntryRecord, ChunkRecord, Content, ExtentRecord, InodeRecord, SegmentRecord, UsageRecord,
    XattrRecord,
};
use crate::parts::view::View;
use crate::store::meta::MetaView;
use crate::store::resilient::ResilientView;
use crate::upkeep::check::damage::{describe_gaps, hits_view};
use crate::upkeep::check::records::{each, each_stored};
use crate::upkeep::check::view::check_view;
use crate::{CheckReport, Result, VolumeId};

/// The number of references that one pass counts. Each takes about 60 bytes.
const REFERENCES_MAX: u64 = 4 << 20;
/// The maximum number of differences that the report describes. Further ones are only counted.
const DESCRIBED_MAX: usize = 10_000;

/// A volume or snapshot at the instant of the check.
pub(crate) struct VolumeThen {
    pub(crate) id: VolumeId,
    pub(crate) view: Arc<View>,
    pub(crate) usage: UsageRecord,
}

struct Check<'a> {
    engine: &'a Engine,
    meta: Arc<ResilientView>,
    volumes: Vec<VolumeThen>,
    references: HashMap<ChunkId, u32>,
    segments: HashMap<SegmentId, u64>,
    usage: HashMap<VolumeId, UsageRecord>,
    report: CheckReport,
    watch: Arc<CheckWatch>,
}

impl Engine {
    pub(crate) async fn check(
        self: &Arc<Self>,
        read_chunks: bool,
        watch: Arc<CheckWatch>,
    ) -> Result<CheckReport> {
        let engine = self.clone();
        // In the committer, so that the volumes agree with the metadata.
        let (meta, volumes) = self
            .transact(|txn| {
                let volumes = &txn.engine.volumes;
                let then = volumes.all_kept().into_iter().map(|id| {
                    let (view, usage) = (volumes.view_kept(id)?, volumes.usage(id));
                    Ok(VolumeThen { id, view, usage })
                });
                Ok((txn.engine.stores.meta.snapshot()?, then.collect::<Result<Vec<_>>>()?))
            })
            .await?;
        sync::blocking(move || {
            let mut check = Check {
                meta: Arc::new(ResilientView::new(meta)),
                volumes,
                engine: &engine,
                references: HashMap::new(),
                segments: HashMap::new(),
                usage: HashMap::new(),
                report: CheckReport::default(),
                watch,
            };
            check.volumes()?;
            check.inodes()?;
            check.extents()?;
            check.xattrs()?;
            check.bucket_entries()?;
            check.chunks(read_chunks)?;
            check.compare_usage();
            check.compare_segments()?;
            check.others()?;
            check.gaps()?;
            Ok(check.report)
        })
        .await
    }
}

impl Check<'_> {
    fn report(&mut self, difference: String) {
        self.report.differences_count += 1;
        if self.report.differences.len() < DESCRIBED_MAX {
            self.report.differences.push(difference);
        }
    }

    fn volumes(&mut self) -> Result<()> {
        for volume in std::mem::take(&mut self.volumes) {
            self.watch.go_on()?;
            for difference in check_view(&self.meta, &volume)? {
                self.report(difference);
            }
            self.volumes.push(volume);
        }
        Ok(())
    }

    fn inodes(&mut self) -> Result<()> {
        let (usage, report) = (&mut self.usage, &mut self.report);
        each_stored((&*self.meta, &self.watch), keys::INODE, |volume, _: InodeRecord| {
            usage.entry(volume).or_default().inodes_stored += 1;
            report.inodes += 1;
        })
    }

    fn extents(&mut self) -> Result<()> {
        let (usage, report) = (&mut self.usage, &mut self.report);
        each_stored((&*self.meta, &self.watch), keys::EXTENT, |volume, extent: ExtentRecord| {
            report.extents += 1;
            if matches!(extent.content, Content::Inline(_)) {
                usage.entry(volume).or_default().bytes_inline += u64::from(extent.length);
            }
        })
    }

    fn xattrs(&mut self) -> Result<()> {
        let usage = &mut self.usage;
        each_stored((&*self.meta, &self.watch), keys::XATTR, |volume, xattr: XattrRecord| {
            usage.entry(volume).or_default().bytes_inline += xattr.value.len() as u64;
        })
    }

    fn bucket_entries(&mut self) -> Result<()> {
        let usage = &mut self.usage;
        each_stored((&*self.meta, &self.watch), keys::BUCKET_ENTRY, |volume, entry: BucketEntryRecord| {
            usage.entry(volume).or_default().bytes_inline += entry.facts.len() as u64;
        })
    }

    fn chunks(&mut self, read: bool) -> Result<()> {
        let mut chunks: u64 = 0;
        self.meta.scan(keys::chunks(), &mut |_, _| {
            chunks += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        self.report.chunks = chunks;
        self.watch.expect(chunks, self.engine.stored().bytes_live);
        let passes = chunks / REFERENCES_MAX + 1;
        (0..passes).try_for_each(|pass| self.chunks_of(pass, passes, read))
    }

    /// Checks the chunks of one of several passes. Every version of every extent refers to its chunk, whichever view shows
    /// it.
    fn chunks_of(&mut self, pass: u64, passes: u64, read: bool) -> Result<()> {
        // Ids are hashes, so the passes get equal shares.
        let is_due =
            |id: &ChunkId| (u64::from(u16::from_be_bytes([id.0[0], id.0[1]])) * passes) >> 16 == pass;
        let (meta, watch, references) = (self.meta.clone(), self.watch.clone(), &mut self.references);
        each_stored((&*meta, &watch), keys::EXTENT, |_, extent: ExtentRecord| {
            if let Content::Chunk { id, .. } = extent.content
                && is_due(&id)
            {
                *references.entry(id).or_default() += 1;
            }
        })?;
        each((&*meta, &watch), keys::chunks(), keys::chunk_in, |id, record: ChunkRecord| {
            if !is_due(&id) {
                return;
            }
            watch.compared();
            let counted = self.references.remove(&id).unwrap_or_default();
            *self.segments.entry(record.segment).or_default() += u64::from(record.bytes_stored);
            if counted != record.references && !self.lacks(keys::EXTENT) {
                let (place, references) = (record.place(), record.references);
                self.report(format!(
                    "the chunk at {place}: {references} references recorded, {counted} found"
                ));
            }
            if read {
                self.read_chunk(id, record);
            }
        })?;
        for (id, count) in std::mem::take(&mut self.references) {
            if self.meta.any_gap(|gap| gap.range.contains(&keys::chunk(id))) {
                continue;
            }
            self.report(format!("a chunk has no record, and {count} references"));
        }
        Ok(())
    }

    /// Verifies every copy of a chunk at its current place.
    fn read_chunk(&mut self, id: ChunkId, mut record: ChunkRecord) {
        self.watch.read(u64::from(record.bytes_stored));
        let wrong = loop {
            let wrong = match self.engine.repair_frame(id, &record) {
                Ok(repaired) if repaired.content.is_some() => {
                    self.report.frames_read += 1;
                    self.report.bytes_read += u64::from(record.bytes_stored);
                    return;
                }
                Ok(repaired) => repaired.wrong,
                Err(error) => format!("cannot be read: {error}"),
            };
            match self.engine.chunk_record(id) {
                // The chunk was moved during the read.
                Ok(Some(now)) if (now.segment, now.offset) != (record.segment, record.offset) => record = now,
                // The chunk was freed meanwhile.
                Ok(None) => return,
                _ => break wrong,
            }
        };
        let place = record.place();
        self.report(format!(
            "the chunk at {place}: {wrong}; the files that use this data cannot be read there"
        ));
    }

    /// Compares the recorded and the counted storage of each volume. `check_view` compares what each volume shows.
    fn compare_usage(&mut self) {
        let mut usage = std::mem::take(&mut self.usage);
        let volumes = std::mem::take(&mut self.volumes);
        for volume in &volumes {
            if self.meta.any_gap(|gap| hits_view(gap, volume)) {
                continue;
            }
            let counted = usage.remove(&volume.id).unwrap_or_default();
            let recorded = volume.usage.showing(UsageRecord::default());
            if counted != recorded {
                self.report(format!("volume {}: {recorded:?} recorded, {counted:?} stored", volume.id.0));
            }
        }
        self.volumes = volumes;
    }

    fn compare_segments(&mut self) -> Result<()> {
        let there = self.engine.segments_there()?;
        let (meta, watch) = (self.meta.clone(), self.watch.clone());
        each((&*meta, &watch), keys::segments(), keys::segment_in, |id, record: SegmentRecord| {
            let live = self.segments.remove(&id).unwrap_or_default();
            self.report.segments += 1;
            self.report.bytes_live += live;
            if live != record.bytes_live && !self.lacks(keys::CHUNK) {
                self.report(format!("segment {id}: {} live bytes recorded, {live} found", record.bytes_live));
            }
            // If it is not needed, it was emptied and may have been deleted meanwhile.
            let is_needed =
                || live.max(record.bytes_live) > 0 && self.engine.segments.usage(id).bytes_live > 0;
            let Some(copies) = there.get(&id) else {
                if is_needed() {
                    self.report(format!("segment {id}: holds chunks, but does not exist"));
                }
                return;
            };
            let faults = self.engine.header_faults(id, copies);
            if is_needed() {
                faults.into_iter().for_each(|fault| self.report(fault));
            }
        })?;
        for id in std::mem::take(&mut self.segments).into_keys() {
            if !self.meta.any_gap(|gap| gap.range.contains(&keys::segment(id))) {
                self.report(format!("segment {id}: holds chunks, but has no record"));
            }
        }
        Ok(())
    }

    /// Whether records of this kind cannot be read.
    fn lacks(&self, kind: u8) -> bool {
        self.meta.any_gap(|gap| gap.hits_kind(kind))
    }

    /// Reads the records that are not compared with anything.
    fn others(&mut self) -> Result<()> {
        let (first, last) = (keys::items_of_all(keys::INODE).start, keys::segments().end);
        for range in [keys::pool()..first, last..keys::end()] {
            self.meta.scan(range, &mut |_, _| self.watch.go_on().map(ControlFlow::Continue))?;
        }
        Ok(())
    }

    /// Reports the records that cannot be read.
    fn gaps(&mut self) -> Result<()> {
        for difference in describe_gaps(self.engine, &self.meta, &self.volumes)? {
            self.report(difference);
        }
        if self.lacks(keys::EXTENT) || self.lacks(keys::CHUNK) {
            self.report("some references and live bytes were not compared: records cannot be read".into());
        }
        Ok(())
    }
}
