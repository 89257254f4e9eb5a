//! The check: recounts everything from the extents and the directory entries, and compares.
//!
//! It runs in the committer, so that nothing changes meanwhile.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::engine::Engine;
use crate::extents::EXTENT_BYTES_MAX;
use crate::keys::{self, ChunkId, InodeKey};
use crate::meta::MetaStore;
use crate::records::{
    ChunkRecord, Content, EntryRecord, ExtentRecord, InodeRecord, OrphanRecord, Record, UsageRecord,
    malformed,
};
use crate::segment::SegmentId;
use crate::{Handle, InodeId, Result, VolumeId};

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

struct Check<'a> {
    engine: &'a Engine,
    records: HashMap<InodeKey, InodeRecord>,
    counted: HashMap<InodeKey, Counted>,
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
                records: HashMap::new(),
                counted: HashMap::new(),
                references: HashMap::new(),
                segments: HashMap::new(),
                usage: HashMap::new(),
                differences: Vec::new(),
            };
            check.inodes()?;
            check.entries()?;
            check.orphans()?;
            check.extents()?;
            check.chunks(read_chunks)?;
            check.compare_inodes();
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

impl Check<'_> {
    fn report(&mut self, difference: String) {
        self.differences.push(difference);
    }

    fn inodes(&mut self) -> Result<()> {
        let (records, usage) = (&mut self.records, &mut self.usage);
        each(&*self.engine.meta, keys::inodes(), keys::inode_in, |key, record: InodeRecord| {
            usage.entry(key.volume).or_default().inodes += 1;
            records.insert(key, record);
        })
    }

    fn entries(&mut self) -> Result<()> {
        let meta = self.engine.meta.clone();
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
        each(&*self.engine.meta, keys::orphans(), keys::inode_in, |key, orphan: OrphanRecord| {
            usage.entry(key.volume).or_default().orphans += 1;
            counted.entry(key).or_default().orphan = Some(orphan);
        })
    }

    fn extents(&mut self) -> Result<()> {
        let name = |key: &[u8]| Some((keys::inode_in(key)?, keys::offset_in(key)?));
        let meta = self.engine.meta.clone();
        each(&*meta, keys::extents_of_all(), name, |(key, offset), extent: ExtentRecord| {
            let length = u64::from(extent.length);
            let end = offset.saturating_add(length);
            let counted = self.counted.entry(key).or_default();
            let overlaps = offset < counted.extents_end;
            counted.extents_end = end;
            counted.space_used += length;
            let usage = self.usage.entry(key.volume).or_default();
            usage.bytes_logical += length;
            match extent.content {
                Content::Inline(_) => usage.bytes_inline += length,
                Content::Chunk { id, .. } => *self.references.entry(id).or_default() += 1,
            }
            if overlaps || length > EXTENT_BYTES_MAX {
                self.report(format!("{key:?}: extent at {offset} overlaps the one before, or is too long"));
            }
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
            self.differences.push(format!("{key:?}: no record, but a name, an extent or an orphan record"));
        }
    }

    fn compare_usage(&mut self) {
        for (volume, counted) in std::mem::take(&mut self.usage) {
            let recorded = self.engine.volumes.usage(volume);
            if counted != recorded {
                self.report(format!("{volume:?}: {recorded:?} recorded, {counted:?} found"));
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
