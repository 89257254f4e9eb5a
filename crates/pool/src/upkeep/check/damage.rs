//! Describes unreadable metadata in a check's report: which records cannot be read, and which files are affected, as far as
//! the other metadata shows.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

use crate::engine::Engine;
use crate::format::bucket_keys;
use crate::format::keys::{self, ChunkId};
use crate::format::records::{BucketEntryRecord, Content, EntryRecord, ExtentRecord, InodeRecord, Record};
use crate::parts::view::BATCH_ITEMS;
use crate::store::resilient::{Gap, ResilientView};
use crate::upkeep::check::VolumeThen;
use crate::upkeep::check::records::each_shown;
use crate::{InodeId, Result, VolumeId};

/// The maximum number of files that the report names for one gap. Further files are only counted.
const NAMED_MAX: usize = 100;
/// The maximum number of directories in a file's path.
const DEPTH_MAX: usize = 200;

/// The readable records of a volume or a snapshot.
#[derive(Default)]
struct Survey {
    inodes: HashMap<InodeId, InodeRecord>,
    /// A name of each inode, and the directory that holds the name.
    names: HashMap<InodeId, (InodeId, Vec<u8>)>,
    /// The number of entries of each directory.
    entries: HashMap<InodeId, u64>,
    space_used: HashMap<InodeId, u64>,
    /// Files that refer to chunks whose records cannot be read.
    without_chunk: Vec<(InodeId, ChunkId)>,
}

/// Returns one sentence for each gap.
pub(crate) fn describe_gaps(
    engine: &Engine,
    meta: &ResilientView,
    volumes: &[VolumeThen],
) -> Result<Vec<String>> {
    // The surveys read only records that the check has read before, so they add no gaps.
    let gaps = meta.gaps();
    let mut hits = vec![Hits::default(); gaps.len()];
    for volume in volumes {
        let is_hit = |gap: &Gap| gap.hits_kind(keys::CHUNK) || hits_view(gap, volume);
        if !gaps.iter().any(is_hit) {
            continue;
        }
        let survey = Survey::of(meta, volume, &gaps)?;
        let name = volume_name(engine, volume.id);
        for (gap, hits) in gaps.iter().zip(&mut hits).filter(|(gap, _)| is_hit(gap)) {
            if hits_view(gap, volume) {
                hits.volumes.push(name.clone());
            }
            for inode in survey.hit_by(gap, volume) {
                hits.count += 1;
                if hits.paths.len() < NAMED_MAX {
                    hits.paths.push(format!("{name}:{}", survey.path(inode)));
                }
            }
        }
    }
    Ok(gaps.iter().zip(hits).map(|(gap, hits)| sentence(gap, &hits)).collect())
}

#[derive(Clone, Default)]
struct Hits {
    volumes: Vec<String>,
    paths: Vec<String>,
    count: usize,
}

fn sentence(gap: &Gap, hits: &Hits) -> String {
    let mut text = format!("metadata: {}", keys::kind_name(gap.kind()));
    if !hits.volumes.is_empty() {
        let (what, name) = match gap.kind() {
            keys::BUCKET_ENTRY => ("keys", entry_name as fn(&[u8]) -> Option<String>),
            _ => ("inodes", inode_name as fn(&[u8]) -> Option<String>),
        };
        text.push_str(&format!(
            " of volume {}, {what} {} to {},",
            hits.volumes.join(", "),
            name(&gap.range.start).unwrap_or_else(|| "from the first".into()),
            name(&gap.range.end).unwrap_or_else(|| "the last".into())
        ));
    }
    text.push_str(&format!(" cannot be read: {}; ", gap.wrong));
    if hits.count == 0 {
        text.push_str("no file is known to be affected");
        return text;
    }
    text.push_str(&format!("known to be affected: {}", hits.paths.join(", ")));
    if hits.count > hits.paths.len() {
        text.push_str(&format!(" and {} more", hits.count - hits.paths.len()));
    }
    text
}

fn inode_name(key: &[u8]) -> Option<String> {
    keys::inode_in(key).map(|key| key.inode.0.to_string())
}

fn entry_name(key: &[u8]) -> Option<String> {
    bucket_keys::parts_of(key).map(|entry| String::from_utf8_lossy(&entry.key).escape_debug().to_string())
}

fn volume_name(engine: &Engine, id: VolumeId) -> String {
    let Ok(record) = engine.volumes.record_kept(id) else { return id.0.to_string() };
    match record.snapshot {
        Some(snapshot) => format!("{}@{}", volume_name(engine, snapshot.of), record.spec.name),
        None => record.spec.name,
    }
}

/// Whether a gap may affect what the volume or snapshot shows.
pub(crate) fn hits_view(gap: &Gap, volume: &VolumeThen) -> bool {
    volume.view.layers.iter().any(|layer| gap.hits_volume(layer.volume))
}

/// Whether a record of an inode that the volume or snapshot shows may be in a gap.
fn hits_inode(gap: &Gap, volume: &VolumeThen, inode: InodeId) -> bool {
    let all = |kind, layer: VolumeId| {
        let first = keys::inode_prefix(kind, layer, inode);
        let end = keys::inode_prefix(kind, layer, InodeId(inode.0.saturating_add(1)));
        gap.range.start < end && first < gap.range.end
    };
    volume.view.layers.iter().any(|layer| all(gap.kind(), layer.volume))
}

/// The files that have a name.
fn known_all(inodes: &HashMap<InodeId, InodeRecord>) -> impl Iterator<Item = (&InodeId, &InodeRecord)> {
    inodes.iter().filter(|(_, record)| !record.is_directory() && record.nlink > 0)
}

impl Survey {
    fn of(meta: &ResilientView, volume: &VolumeThen, gaps: &[Gap]) -> Result<Survey> {
        let mut survey = Survey::default();
        each_shown(meta, volume, &keys::inodes, |inode, _, record: InodeRecord| {
            survey.inodes.insert(inode, record);
            Ok(())
        })?;
        each_shown(meta, volume, &keys::entries, |directory, key, entry: EntryRecord| {
            *survey.entries.entry(directory).or_default() += 1;
            let name = keys::entry_in(key).map(|(_, name)| name.to_vec()).unwrap_or_default();
            survey.names.entry(entry.inode).or_insert((directory, name));
            Ok(())
        })?;
        survey.name_contents(meta, volume)?;
        each_shown(meta, volume, &keys::extents_of_volume, |inode, _, extent: ExtentRecord| {
            *survey.space_used.entry(inode).or_default() += u64::from(extent.length);
            if let Content::Chunk { id, .. } = extent.content
                && gaps.iter().any(|gap| gap.range.contains(&keys::chunk(id)))
            {
                survey.without_chunk.push((inode, id));
            }
            Ok(())
        })?;
        Ok(survey)
    }

    /// Contents of a bucket are named by the keys of their entries, as if they lay in the root directory.
    fn name_contents(&mut self, meta: &ResilientView, volume: &VolumeThen) -> Result<()> {
        let root = self.inodes.iter().find(|(inode, record)| record.parent == **inode);
        let root = root.map_or(InodeId(0), |(inode, _)| *inode);
        let all = |volume| keys::items(keys::BUCKET_ENTRY, volume);
        volume.view.scan(meta, &all, BATCH_ITEMS, &mut |key, value| {
            let named = BucketEntryRecord::decode(key, value).ok().zip(bucket_keys::parts_of(key));
            if let Some((BucketEntryRecord { content: Some((inode, _)), .. }, entry)) = named {
                self.names.entry(inode).or_insert((root, entry.key));
            }
            Ok(ControlFlow::Continue(()))
        })
    }

    /// The inodes that a gap affects, as far as the readable records show.
    fn hit_by(&self, gap: &Gap, volume: &VolumeThen) -> BTreeSet<InodeId> {
        let count = |counts: &HashMap<InodeId, u64>, inode| counts.get(inode).copied().unwrap_or_default();
        let known = self.inodes.iter().filter(|(inode, _)| hits_inode(gap, volume, **inode));
        match gap.kind() {
            keys::INODE => {
                let is_hit = |inode: &InodeId| !volume.view.plain || !self.inodes.contains_key(inode);
                let named = self.names.keys().copied().filter(is_hit);
                named.filter(|inode| hits_inode(gap, volume, *inode)).collect()
            }
            // An older version may be shown in place of a lost one, and no record reveals it.
            keys::ENTRY | keys::EXTENT if !volume.view.plain => known.map(|(inode, _)| *inode).collect(),
            keys::ENTRY => {
                let short = known.filter(|(inode, record)| record.entries != count(&self.entries, inode));
                short.map(|(inode, _)| *inode).collect()
            }
            keys::EXTENT => {
                let other =
                    known.filter(|(inode, record)| record.space_used != count(&self.space_used, inode));
                other.map(|(inode, _)| *inode).collect()
            }
            // Their entries are lost. A file in a directory cannot be in such a volume.
            keys::BUCKET_ENTRY => {
                let lost = known_all(&self.inodes).filter(|(inode, _)| !self.names.contains_key(inode));
                lost.map(|(inode, _)| *inode).collect()
            }
            keys::XATTR => known.map(|(inode, _)| *inode).collect(),
            keys::CHUNK => {
                let of_gap =
                    self.without_chunk.iter().filter(|(_, id)| gap.range.contains(&keys::chunk(*id)));
                of_gap.map(|(inode, _)| *inode).collect()
            }
            _ => BTreeSet::new(),
        }
    }

    /// A path of an inode in its volume, as far as the names can be read.
    fn path(&self, inode: InodeId) -> String {
        let (mut path, mut at) = (String::new(), inode);
        for _ in 0..DEPTH_MAX {
            let Some((directory, name)) = self.names.get(&at) else { break };
            path = format!("/{}{path}", String::from_utf8_lossy(name).escape_debug());
            at = *directory;
        }
        let is_root = self.inodes.get(&at).is_some_and(|record| record.parent == at);
        match (is_root, path.is_empty()) {
            (true, true) => "/".into(),
            (true, false) => path,
            (false, _) => format!("(inode {}){path}", at.0),
        }
    }
}
