//! The check: recounts everything from the extents and the directory entries, and compares.
//!
//! It looks at the metadata as of one instant, so nobody waits for it. Where it looks at what is there now, at segments
//! and frames, it asks again before it reports what may have been moved or freed since.
//!
//! Of each inode it keeps a record in memory, and of chunks as many counts as fit in [`REFERENCES_MAX`]; of more chunks
//! it takes several passes over the extents.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::engine::Engine;
use crate::extents::EXTENT_BYTES_MAX;
use crate::keys::{self, ChunkId, InodeKey};
use crate::meta::MetaView;
use crate::records::{
    ChunkRecord, Content, EntryRecord, ExtentRecord, InodeRecord, OrphanRecord, Record, SegmentRecord,
    UsageRecord, malformed,
};
use crate::segment::SegmentId;
use crate::{CheckReport, Result, VolumeId, sync};

/// What was counted of one inode.
#[derive(Default)]
struct Counted {
    names: u32,
    /// Of a directory: entries, and directories among them.
    entries: u64,
    subdirectories: u32,
    space_used: u64,
    extents_end: u64,
    orphan: Option<OrphanRecord>,
}

/// References that are counted in one pass; each takes about 60 bytes.
const REFERENCES_MAX: u64 = 4 << 20;
/// Differences that are described; further ones are counted.
const DESCRIBED_MAX: usize = 10_000;

struct Check<'a> {
    engine: &'a Engine,
    meta: Arc<dyn MetaView>,
    records: HashMap<InodeKey, InodeRecord>,
    counted: HashMap<InodeKey, Counted>,
    references: HashMap<ChunkId, u32>,
    segments: HashMap<SegmentId, u64>,
    usage: HashMap<VolumeId, UsageRecord>,
    report: CheckReport,
}

impl Engine {
    pub(crate) async fn check(self: &Arc<Self>, read_chunks: bool) -> Result<CheckReport> {
        let engine = self.clone();
        sync::blocking(move || {
            let mut check = Check {
                meta: engine.meta.snapshot()?,
                engine: &engine,
                records: HashMap::new(),
                counted: HashMap::new(),
                references: HashMap::new(),
                segments: HashMap::new(),
                usage: HashMap::new(),
                report: CheckReport::default(),
            };
            check.inodes()?;
            check.entries()?;
            check.orphans()?;
            check.extents()?;
            check.compare_inodes();
            check.chunks(read_chunks)?;
            check.compare_usage()?;
            check.compare_segments()?;
            Ok(check.report)
        })
        .await
    }
}

/// Visits all records of a kind with what their key names.
fn each<K, R: Record>(
    meta: &dyn MetaView,
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

impl Check<'_> {
    fn report(&mut self, difference: String) {
        self.report.differences_count += 1;
        if self.report.differences.len() < DESCRIBED_MAX {
            self.report.differences.push(difference);
        }
    }

    fn inodes(&mut self) -> Result<()> {
        let (records, usage, report) = (&mut self.records, &mut self.usage, &mut self.report);
        each(&*self.meta, keys::inodes(), keys::inode_in, |key, record: InodeRecord| {
            usage.entry(key.volume).or_default().inodes += 1;
            report.inodes += 1;
            records.insert(key, record);
        })
    }

    fn entries(&mut self) -> Result<()> {
        let meta = self.meta.clone();
        each(&*meta, keys::entries(), keys::inode_in, |directory, entry: EntryRecord| {
            let key = InodeKey { volume: directory.volume, inode: entry.inode };
            let child = self.records.get(&key);
            let is_directory = child.is_some_and(InodeRecord::is_directory);
            let wrong = match child {
                None => Some("does not exist"),
                Some(child) if child.generation != entry.generation => Some("has another generation"),
                Some(child) if is_directory && child.parent != directory.inode => Some("has another parent"),
                Some(_) => None,
            };
            // Entries of a deleted volume outlive their inodes for a while.
            if let Some(wrong) = wrong.filter(|_| self.engine.volumes.is_live(directory.volume)) {
                self.report(format!("{directory:?} names inode {}, which {wrong}", entry.inode.0));
            }
            let counted = self.counted.entry(directory).or_default();
            counted.entries += 1;
            counted.subdirectories += u32::from(is_directory);
            self.counted.entry(key).or_default().names += 1;
        })
    }

    fn orphans(&mut self) -> Result<()> {
        let (counted, usage) = (&mut self.counted, &mut self.usage);
        each(&*self.meta, keys::orphans(), keys::inode_in, |key, orphan: OrphanRecord| {
            usage.entry(key.volume).or_default().orphans += 1;
            counted.entry(key).or_default().orphan = Some(orphan);
        })
    }

    fn extents(&mut self) -> Result<()> {
        let name = |key: &[u8]| Some((keys::inode_in(key)?, keys::offset_in(key)?));
        let meta = self.meta.clone();
        each(&*meta, keys::extents_of_all(), name, |(key, offset), extent: ExtentRecord| {
            let length = u64::from(extent.length);
            let end = offset.saturating_add(length);
            let counted = self.counted.entry(key).or_default();
            let overlaps = offset < counted.extents_end;
            counted.extents_end = end;
            counted.space_used += length;
            let usage = self.usage.entry(key.volume).or_default();
            usage.bytes_logical += length;
            if matches!(extent.content, Content::Inline(_)) {
                usage.bytes_inline += length;
            }
            self.report.extents += 1;
            if overlaps || length > EXTENT_BYTES_MAX {
                self.report(format!("{key:?}: extent at {offset} overlaps the one before, or is too long"));
            }
        })
    }

    fn chunks(&mut self, read: bool) -> Result<()> {
        let mut chunks: u64 = 0;
        self.meta.scan(keys::chunks(), &mut |_, _| {
            chunks += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        self.report.chunks = chunks;
        let passes = chunks / REFERENCES_MAX + 1;
        (0..passes).try_for_each(|pass| self.chunks_of(pass, passes, read))
    }

    /// The chunks that are due in one of several passes.
    fn chunks_of(&mut self, pass: u64, passes: u64, read: bool) -> Result<()> {
        let is_due = |id: &ChunkId| u64::from(u16::from_be_bytes([id.0[0], id.0[1]])) * passes >> 16 == pass;
        let (meta, references) = (self.meta.clone(), &mut self.references);
        each(
            &*meta,
            keys::extents_of_all(),
            |_| Some(()),
            |(), extent: ExtentRecord| {
                if let Content::Chunk { id, .. } = extent.content
                    && is_due(&id)
                {
                    *references.entry(id).or_default() += 1;
                }
            },
        )?;
        each(&*meta, keys::chunks(), keys::chunk_in, |id, record: ChunkRecord| {
            if !is_due(&id) {
                return;
            }
            let counted = self.references.remove(&id).unwrap_or_default();
            *self.segments.entry(record.segment).or_default() += u64::from(record.bytes_stored);
            if counted != record.references {
                self.report(format!(
                    "chunk {id}: {} references recorded, {counted} found",
                    record.references
                ));
            }
            if read {
                self.read_chunk(id, record);
            }
        })?;
        for (id, count) in std::mem::take(&mut self.references) {
            self.report(format!("chunk {id}: no record, {count} references found"));
        }
        Ok(())
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

    fn compare_inodes(&mut self) {
        let mut counted = std::mem::take(&mut self.counted);
        for (key, record) in std::mem::take(&mut self.records) {
            let counted = counted.remove(&key).unwrap_or_default();
            let freeing = counted.orphan.is_some_and(|orphan| orphan.freeing);
            if freeing || !self.engine.volumes.is_live(key.volume) {
                continue;
            }
            for difference in compare_inode(&key, &record, &counted) {
                self.report(difference);
            }
        }
        for key in counted.into_keys().filter(|key| self.engine.volumes.is_live(key.volume)) {
            self.report(format!("{key:?}: no record, but a name, an extent or an orphan record"));
        }
    }

    fn compare_usage(&mut self) -> Result<()> {
        for (volume, counted) in std::mem::take(&mut self.usage) {
            let key = keys::usage(volume);
            let recorded = self.meta.get(&key)?.map(|value| UsageRecord::decode(&key, &value)).transpose()?;
            let recorded = recorded.unwrap_or_default();
            if counted != recorded {
                self.report(format!("{volume:?}: {recorded:?} recorded, {counted:?} found"));
            }
        }
        Ok(())
    }

    fn compare_segments(&mut self) -> Result<()> {
        let there: HashMap<SegmentId, u64> = self.engine.store.list()?.into_iter().collect();
        let meta = self.meta.clone();
        each(&*meta, keys::segments(), keys::segment_in, |id, record: SegmentRecord| {
            let live = self.segments.remove(&id).unwrap_or_default();
            self.report.segments += 1;
            self.report.bytes_live += live;
            if live != record.bytes_live {
                self.report(format!("segment {id}: {} live bytes recorded, {live} found", record.bytes_live));
            }
            // Else emptied and deleted since.
            let is_needed = live > 0 && self.engine.segments.usage(id).bytes_live > 0;
            if is_needed && !there.contains_key(&id) {
                self.report(format!("segment {id}: holds chunks and does not exist"));
            }
        })?;
        for id in std::mem::take(&mut self.segments).into_keys() {
            self.report(format!("segment {id}: holds chunks and has no record"));
        }
        Ok(())
    }
}

fn compare_inode(key: &InodeKey, record: &InodeRecord, counted: &Counted) -> Vec<String> {
    let mut differences = Vec::new();
    let mut compare = |what: &str, recorded: u64, found: u64| {
        if recorded != found {
            differences.push(format!("{key:?}: {what}: {recorded} recorded, {found} found"));
        }
    };
    compare("bytes used", record.space_used, counted.space_used);
    compare("entries", record.entries, counted.entries);
    compare("beyond the size", 0, counted.extents_end.saturating_sub(record.size));
    compare("orphan records", u64::from(record.nlink == 0), u64::from(counted.orphan.is_some()));
    let nlink = match (record.is_directory(), record.parent == key.inode) {
        (false, _) => counted.names,
        (true, true) => 2 + counted.subdirectories,
        (true, false) if counted.names == 1 => 2 + counted.subdirectories,
        (true, false) => 0,
    };
    compare("links", u64::from(record.nlink), u64::from(nlink));
    differences
}
