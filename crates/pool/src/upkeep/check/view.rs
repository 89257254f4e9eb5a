//! The part of the check that handles what one volume or snapshot shows: its inodes, their names, links, extents and
//! extended attributes, and its recorded usage.

use std::collections::HashMap;
use std::ops::ControlFlow;

use crate::format::records::{
    BucketEntryRecord, EXTENT_BYTES_MAX, EntryRecord, ExtentRecord, InodeRecord, OrphanRecord, Record,
    UsageRecord, XattrRecord, malformed,
};
use crate::format::{bucket_keys, keys};
use crate::parts::view::{BATCH_ITEMS, RangeIn};
use crate::store::resilient::ResilientView;
use crate::upkeep::check::VolumeThen;
use crate::upkeep::check::damage::hits_view;
use crate::upkeep::check::records::each_shown;
use crate::{InodeId, Kind, Result};

/// The counts of one inode.
#[derive(Default)]
struct Counted {
    names: u32,
    /// For a directory: its entries, and the directories among them.
    entries: u64,
    subdirectories: u32,
    space_used: u64,
    extents_end: u64,
    orphan: Option<OrphanRecord>,
}

struct ViewCheck<'a> {
    meta: &'a ResilientView,
    volume: &'a VolumeThen,
    records: HashMap<InodeId, InodeRecord>,
    counted: HashMap<InodeId, Counted>,
    usage: UsageRecord,
    differences: Vec<String>,
}

/// Returns all disagreements in a volume or a snapshot.
pub(crate) fn check_view(meta: &ResilientView, volume: &VolumeThen) -> Result<Vec<String>> {
    let mut check = ViewCheck {
        meta,
        volume,
        records: HashMap::new(),
        counted: HashMap::new(),
        usage: UsageRecord::default(),
        differences: Vec::new(),
    };
    check.inodes()?;
    check.entries()?;
    check.bucket_entries()?;
    check.orphans()?;
    check.extents()?;
    check.xattrs()?;
    if meta.any_gap(|gap| hits_view(gap, volume)) {
        let id = volume.id.0;
        return Ok(vec![format!(
            "volume {id}: counts, links and sizes are not compared, as records cannot be read"
        )]);
    }
    check.compare_inodes();
    check.compare_usage();
    Ok(check.differences)
}

impl ViewCheck<'_> {
    /// Visits all shown records of a kind, with the inode in their key.
    fn each<R: Record>(
        &self,
        range: &RangeIn<'_>,
        visit: impl FnMut(InodeId, &[u8], R) -> Result<()>,
    ) -> Result<()> {
        each_shown(self.meta, self.volume, range, visit)
    }

    fn report(&mut self, difference: String) {
        self.differences.push(format!("volume {}: {difference}", self.volume.id.0));
    }

    fn inodes(&mut self) -> Result<()> {
        let mut records = HashMap::new();
        self.each(&keys::inodes, |inode, _, record: InodeRecord| {
            records.insert(inode, record);
            Ok(())
        })?;
        self.usage.inodes = records.len() as u64;
        self.records = records;
        Ok(())
    }

    fn entries(&mut self) -> Result<()> {
        let mut counted = std::mem::take(&mut self.counted);
        let mut differences = Vec::new();
        self.each(&keys::entries, |directory, _, entry: EntryRecord| {
            let child = self.records.get(&entry.inode);
            let is_directory = child.is_some_and(InodeRecord::is_directory);
            let wrong = match child {
                None => Some("does not exist"),
                Some(child) if child.generation != entry.generation => Some("has another generation"),
                Some(child) if is_directory && child.parent != directory => Some("has another parent"),
                Some(_) => None,
            };
            if let Some(wrong) = wrong {
                differences
                    .push(format!("inode {} names inode {}, which {wrong}", directory.0, entry.inode.0));
            }
            let of = counted.entry(directory).or_default();
            of.entries += 1;
            of.subdirectories += u32::from(is_directory);
            counted.entry(entry.inode).or_default().names += 1;
            Ok(())
        })?;
        self.counted = counted;
        differences.into_iter().for_each(|difference| self.report(difference));
        Ok(())
    }

    /// An entry of a bucket that owns content counts as a name of it.
    fn bucket_entries(&mut self) -> Result<()> {
        let mut counted = std::mem::take(&mut self.counted);
        let mut differences = Vec::new();
        let all = |volume| keys::items(keys::BUCKET_ENTRY, volume);
        self.volume.view.scan(self.meta, &all, BATCH_ITEMS, &mut |key, value| {
            let visited = BucketEntryRecord::decode(key, value).and_then(|record| {
                bucket_keys::parts_of(key).ok_or_else(|| malformed(BucketEntryRecord::NAME, key))?;
                let Some((inode, generation)) = record.content else { return Ok(()) };
                let wrong = match self.records.get(&inode) {
                    None => Some("does not exist"),
                    Some(record) if record.generation != generation => Some("has another generation"),
                    Some(record) if record.kind != Kind::File => Some("is not a file"),
                    Some(_) => None,
                };
                if let Some(wrong) = wrong {
                    differences.push(format!("an entry owns inode {}, which {wrong}", inode.0));
                }
                counted.entry(inode).or_default().names += 1;
                Ok(())
            });
            self.meta.tolerate(key, visited)?;
            Ok(ControlFlow::Continue(()))
        })?;
        self.counted = counted;
        differences.into_iter().for_each(|difference| self.report(difference));
        Ok(())
    }

    fn orphans(&mut self) -> Result<()> {
        let mut counted = std::mem::take(&mut self.counted);
        let mut orphans = 0;
        self.each(&keys::orphans, |inode, _, orphan: OrphanRecord| {
            orphans += 1;
            counted.entry(inode).or_default().orphan = Some(orphan);
            Ok(())
        })?;
        self.counted = counted;
        self.usage.orphans = orphans;
        Ok(())
    }

    fn extents(&mut self) -> Result<()> {
        let mut counted = std::mem::take(&mut self.counted);
        let (mut bytes, mut differences) = (0, Vec::new());
        self.each(&keys::extents_of_volume, |inode, key, extent: ExtentRecord| {
            let offset = keys::offset_in(key).ok_or_else(|| malformed(ExtentRecord::NAME, key))?;
            let length = u64::from(extent.length);
            let of = counted.entry(inode).or_default();
            if offset < of.extents_end || length > EXTENT_BYTES_MAX {
                differences.push(format!(
                    "inode {}: extent at {offset} overlaps the one before, or is too long",
                    inode.0
                ));
            }
            of.extents_end = offset.saturating_add(length);
            of.space_used += length;
            bytes += length;
            Ok(())
        })?;
        self.counted = counted;
        self.usage.bytes_logical = bytes;
        differences.into_iter().for_each(|difference| self.report(difference));
        Ok(())
    }

    fn xattrs(&mut self) -> Result<()> {
        let mut counted = std::mem::take(&mut self.counted);
        self.each(&keys::xattrs_of_volume, |inode, _, _: XattrRecord| {
            counted.entry(inode).or_default();
            Ok(())
        })?;
        self.counted = counted;
        Ok(())
    }

    fn compare_inodes(&mut self) {
        let mut counted = std::mem::take(&mut self.counted);
        for (inode, record) in std::mem::take(&mut self.records) {
            let counted = counted.remove(&inode).unwrap_or_default();
            if counted.orphan.is_some_and(|orphan| orphan.freeing) {
                continue;
            }
            for difference in compare_inode(inode, &record, &counted) {
                self.report(difference);
            }
        }
        for inode in counted.into_keys() {
            self.report(format!(
                "inode {}: no record, but a name, an extent, an attribute or an orphan record",
                inode.0
            ));
        }
    }

    fn compare_usage(&mut self) {
        let recorded = self.volume.usage.shown();
        let counted = self.usage;
        if counted != recorded {
            self.report(format!("{recorded:?} recorded, {counted:?} found"));
        }
    }
}

fn compare_inode(inode: InodeId, record: &InodeRecord, counted: &Counted) -> Vec<String> {
    let mut differences = Vec::new();
    let mut compare = |what: &str, recorded: u64, found: u64| {
        if recorded != found {
            differences.push(format!("inode {}: {what}: {recorded} recorded, {found} found", inode.0));
        }
    };
    compare("bytes used", record.space_used, counted.space_used);
    compare("entries", record.entries, counted.entries);
    compare("beyond the size", 0, counted.extents_end.saturating_sub(record.size));
    compare("orphan records", u64::from(record.nlink == 0), u64::from(counted.orphan.is_some()));
    let nlink = match (record.is_directory(), record.parent == inode) {
        (false, _) => counted.names,
        (true, true) => 2 + counted.subdirectories,
        (true, false) if counted.names == 1 => 2 + counted.subdirectories,
        (true, false) => 0,
    };
    compare("links", u64::from(record.nlink), u64::from(nlink));
    differences
}
