//! A survey: the metadata of one instant, with the views of all volumes, for programs that ask which files store what.
//!
//! Nothing is counted here. Callers visit inodes, names and extents, and add up what they need. The pool's own figures of the same
//! instant are part of a survey, so that sums can be compared with them. Names of chunks are evenly distributed and the same
//! wherever a chunk is used, so a [`Sample`] of them has either all references of a chunk or none.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::SystemTime;

use crate::base::sync;
use crate::engine::Engine;
use crate::format::keys::{self, ChunkId, EPOCH_LAST, Epoch, InodeKey, Item};
use crate::format::records::{
    BucketEntryRecord, ChunkRecord, Content, EntryRecord, ExtentRecord, InodeRecord, Record, SegmentRecord,
    XattrRecord, is_tombstone, malformed,
};
use crate::parts::view::{BATCH_ITEMS, View};
use crate::store::meta::MetaView;
use crate::tree::directory::name_hash;
use crate::upkeep::check::CheckWatch;
use crate::{Handle, InodeId, Kind, Result, Volume};

/// See the module. All methods read the metadata store, and block.
pub struct Survey {
    meta: Arc<dyn MetaView>,
    name_key: [u8; 32],
    watch: Arc<CheckWatch>,
    /// When it was taken.
    pub taken: SystemTime,
    /// All volumes and buckets that are not being deleted, ordered by name.
    pub volumes: Vec<SurveyedVolume>,
    /// Bytes of frames that are referenced: see [`crate::Stored::bytes_live`].
    pub bytes_live: u64,
    /// Bytes in the metadata store: see [`crate::Stored::bytes_inline`].
    pub bytes_inline: u64,
}

/// A volume or a bucket in a survey.
pub struct SurveyedVolume {
    /// The volume.
    pub volume: Volume,
    /// Whether it is a bucket, which has no directories.
    pub is_bucket: bool,
    view: Arc<View>,
    /// Snapshots show what was written up to this epoch.
    pinned: Epoch,
    /// The snapshots' names, and the epochs that they show.
    snapshots: Vec<(String, Epoch)>,
}

/// An inode in a survey.
#[derive(Clone, Copy, Debug)]
pub struct SurveyedInode {
    /// Its handle.
    pub handle: Handle,
    /// For a directory, the directory that holds it.
    pub parent: Option<InodeId>,
    /// Whether it is a regular file.
    pub is_file: bool,
    /// Size in bytes, holes included.
    pub size: u64,
    /// Bytes that are not holes.
    pub space_used: u64,
    /// Last change of data.
    pub mtime: SystemTime,
    /// Last change of data or attributes.
    pub ctime: SystemTime,
}

/// An extent of a file in a survey.
#[derive(Clone, Copy, Debug)]
pub struct SurveyedExtent {
    /// Its length.
    pub bytes: u32,
    /// The chunk that it refers to; `None` if its bytes are in the metadata store.
    pub chunk: Option<SurveyedChunk>,
    /// Whether the volume stores the extent itself. Otherwise the volume is a clone, and shows an extent of its origin.
    pub is_own: bool,
    /// Whether a snapshot shows the extent, so that deleting the file keeps it.
    pub is_pinned: bool,
}

/// Which chunk an extent refers to. Only equality means anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SurveyedChunk(ChunkId);

/// What is stored for a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredChunk {
    /// Bytes of its frame.
    pub bytes_stored: u32,
    /// The number of extents that refer to it, in all versions of all volumes; at least 1.
    pub references: u32,
}

/// The chunks whose names begin with the lowest `bits` bits of `start`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    bits: u32,
    start: u64,
}

impl Sample {
    /// All chunks.
    pub const ALL: Sample = Sample { bits: 0, start: 0 };
    /// The maximum number of bits.
    pub const BITS_MAX: u32 = 32;

    /// The sample with this start among the 2^`bits` samples that together have all chunks once.
    pub fn new(bits: u32, start: u64) -> Sample {
        let bits = bits.min(Self::BITS_MAX);
        Sample { bits, start: start & ((1 << bits) - 1) }
    }
    /// Whether the chunk is in the sample.
    pub fn has(self, chunk: SurveyedChunk) -> bool {
        self.bits == 0 || chunk.word(0) >> (64 - self.bits) == self.start
    }
    /// One chunk of 2 to the power of this is in the sample.
    pub fn bits(self) -> u32 {
        self.bits
    }
}

impl SurveyedChunk {
    /// A number that differs between chunks, apart from rare accidents. It does not depend on the bits by which samples choose.
    pub fn mark(self) -> u64 {
        self.word(8)
    }
    fn word(self, at: usize) -> u64 {
        let bytes = self.0.0.get(at..at.saturating_add(8)).and_then(|bytes| bytes.try_into().ok());
        u64::from_be_bytes(bytes.unwrap_or_default())
    }
}

impl Engine {
    pub(crate) async fn survey(self: &Arc<Self>, watch: Arc<CheckWatch>) -> Result<Survey> {
        // In the committer, so that the views agree with the metadata.
        let (meta, volumes, bytes_inline) = self
            .transact(|txn| {
                let all = &txn.engine.volumes;
                let seen = all.list_with_buckets().into_iter().map(|volume| {
                    let (view, is_bucket) = (all.view(volume.id)?, all.is_bucket(volume.id));
                    let pinned = all.writing(volume.id).map_or(Epoch(0), |writing| writing.pinned);
                    let snapshots = all.snapshots(Some(volume.id)).into_iter();
                    let snapshots = snapshots.map(|taken| Ok((taken.name, all.record(taken.id)?.epoch)));
                    let snapshots = snapshots.collect::<Result<Vec<_>>>()?;
                    Ok(SurveyedVolume { volume, is_bucket, view, pinned, snapshots })
                });
                let seen = seen.collect::<Result<Vec<_>>>()?;
                Ok((txn.engine.stores.meta.snapshot()?, seen, all.usage_total().bytes_inline))
            })
            .await?;
        let (name_key, taken) = (self.identity.name_key, self.clock.now());
        sync::blocking(move || {
            let mut bytes_live = 0_u64;
            meta.scan(keys::segments(), &mut |key, value| {
                bytes_live = bytes_live.saturating_add(SegmentRecord::decode(key, value)?.bytes_live);
                Ok(ControlFlow::Continue(()))
            })?;
            Ok(Survey { meta, name_key, watch, taken, volumes, bytes_live, bytes_inline })
        })
        .await
    }
}

fn inode_seen(volume: &SurveyedVolume, id: InodeId, record: &InodeRecord) -> SurveyedInode {
    SurveyedInode {
        handle: Handle { volume: volume.volume.id, inode: id, generation: record.generation },
        parent: record.is_directory().then_some(record.parent),
        is_file: record.kind == Kind::File,
        size: record.size,
        space_used: record.space_used,
        mtime: record.mtime,
        ctime: record.ctime,
    }
}

fn extent_seen(record: ExtentRecord, is_own: bool, is_pinned: bool) -> SurveyedExtent {
    let chunk = match record.content {
        Content::Inline(_) => None,
        Content::Chunk { id, .. } => Some(SurveyedChunk(id)),
    };
    SurveyedExtent { bytes: record.length, chunk, is_own, is_pinned }
}

impl Survey {
    /// Visits all inodes that a volume shows, in the order of their ids.
    pub fn each_inode(
        &self,
        volume: &SurveyedVolume,
        visit: &mut dyn FnMut(SurveyedInode) -> Result<()>,
    ) -> Result<()> {
        volume.view.scan(&*self.meta, &keys::inodes, BATCH_ITEMS, &mut |key, value| {
            self.watch.go_on()?;
            let id = keys::inode_in(key).ok_or_else(|| malformed(InodeRecord::NAME, key))?.inode;
            visit(inode_seen(volume, id, &InodeRecord::decode(key, value)?))?;
            Ok(ControlFlow::Continue(()))
        })
    }

    /// The inode with this id, if the volume shows it.
    pub fn inode(&self, volume: &SurveyedVolume, id: InodeId) -> Result<Option<SurveyedInode>> {
        let Some((key, value)) = volume.view.get(&*self.meta, &Item::inode(id))? else { return Ok(None) };
        Ok(Some(inode_seen(volume, id, &InodeRecord::decode(&key, &value)?)))
    }

    /// The inodes of a volume that have no name any more. Clients may have them open.
    pub fn orphans(&self, volume: &SurveyedVolume) -> Result<Vec<InodeId>> {
        let mut found = Vec::new();
        volume.view.scan(&*self.meta, &keys::orphans, BATCH_ITEMS, &mut |key, _| {
            self.watch.go_on()?;
            found.extend(keys::inode_in(key).map(|key| key.inode));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// The inode that a name in a directory refers to.
    pub fn find(&self, volume: &SurveyedVolume, directory: InodeId, name: &[u8]) -> Result<Option<InodeId>> {
        let item = Item::entry(directory, name_hash(&self.name_key, name), name);
        let Some((key, value)) = volume.view.get(&*self.meta, &item)? else { return Ok(None) };
        Ok(Some(EntryRecord::decode(&key, &value)?.inode))
    }

    /// Visits all names in a directory. Their order has no meaning.
    pub fn each_entry(
        &self,
        volume: &SurveyedVolume,
        directory: InodeId,
        visit: &mut dyn FnMut(&[u8], InodeId) -> Result<()>,
    ) -> Result<()> {
        let range = |volume| keys::entries_after(InodeKey { volume, inode: directory }, 0);
        volume.view.scan(&*self.meta, &range, BATCH_ITEMS, &mut |key, value| {
            self.watch.go_on()?;
            let (_, name) = keys::entry_in(key).ok_or_else(|| malformed(EntryRecord::NAME, key))?;
            visit(name, EntryRecord::decode(key, value)?.inode)?;
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Visits the extents of a file, in order.
    pub fn each_extent(
        &self,
        volume: &SurveyedVolume,
        file: InodeId,
        visit: &mut dyn FnMut(SurveyedExtent) -> Result<()>,
    ) -> Result<()> {
        let own = volume.volume.id;
        let range = |volume| keys::extents(InodeKey { volume, inode: file }, 0..u64::MAX);
        volume.view.scan(&*self.meta, &range, BATCH_ITEMS, &mut |key, value| {
            self.watch.go_on()?;
            let record = ExtentRecord::decode(key, value)?;
            let is_own = keys::volume_in(key) == Some(own);
            let epoch = Item::of(key).map(|(_, epoch)| epoch);
            let is_pinned = !is_own || epoch.is_some_and(|epoch| epoch <= volume.pinned);
            visit(extent_seen(record, is_own, is_pinned))?;
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Visits the extents that a volume stores, and that this snapshot shows and nothing else: those that are freed when it is deleted.
    /// Returns false if there is no such snapshot.
    pub fn each_extent_only_in(
        &self,
        volume: &SurveyedVolume,
        snapshot: &str,
        visit: &mut dyn FnMut(SurveyedExtent) -> Result<()>,
    ) -> Result<bool> {
        let Some((_, wanted)) = volume.snapshots.iter().find(|(name, _)| name == snapshot) else {
            return Ok(false);
        };
        let Some(layer) = volume.view.layers.first() else { return Ok(false) };
        let others: Vec<Epoch> = volume
            .snapshots
            .iter()
            .map(|(_, epoch)| *epoch)
            .filter(|epoch| epoch != wanted)
            .chain([EPOCH_LAST])
            .collect();
        // The item whose versions are being visited, and the epoch of the version after the current one.
        let mut newer: Option<(Item, Epoch)> = None;
        self.meta.scan(keys::extents_of_volume(volume.volume.id), &mut |key, value| {
            self.watch.go_on()?;
            let (item, epoch) = Item::of(key).ok_or_else(|| malformed(ExtentRecord::NAME, key))?;
            if !layer.shows(epoch) {
                return Ok(ControlFlow::Continue(()));
            }
            let until = newer.take().filter(|(last, _)| *last == item).map(|(_, until)| until);
            let shows = |at: &Epoch| epoch <= *at && until.is_none_or(|until| *at < until);
            if shows(wanted) && !others.iter().any(shows) && !is_tombstone(value) {
                visit(extent_seen(ExtentRecord::decode(key, value)?, true, false))?;
            }
            newer = Some((item, epoch));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(true)
    }

    /// Bytes of the extended attributes, and of facts in a bucket's entries, that a volume shows and stores itself.
    pub fn bytes_of_attributes(&self, volume: &SurveyedVolume) -> Result<u64> {
        let own = |key: &[u8]| keys::volume_in(key) == Some(volume.volume.id);
        let mut bytes = 0_u64;
        volume.view.scan(&*self.meta, &keys::xattrs_of_volume, BATCH_ITEMS, &mut |key, value| {
            self.watch.go_on()?;
            if own(key) {
                bytes = bytes.saturating_add(XattrRecord::decode(key, value)?.value.len() as u64);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        if !volume.is_bucket {
            return Ok(bytes);
        }
        let entries = |volume| keys::items(keys::BUCKET_ENTRY, volume);
        volume.view.scan(&*self.meta, &entries, BATCH_ITEMS, &mut |key, value| {
            self.watch.go_on()?;
            if own(key) {
                bytes = bytes.saturating_add(BucketEntryRecord::decode(key, value)?.facts.len() as u64);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(bytes)
    }

    /// What is stored for a chunk; `None` if its record is missing, which a check would report.
    pub fn stored(&self, chunk: SurveyedChunk) -> Result<Option<StoredChunk>> {
        let key = keys::chunk(chunk.0);
        let Some(value) = self.meta.get(&key)? else { return Ok(None) };
        let record = ChunkRecord::decode(&key, &value)?;
        Ok(Some(StoredChunk { bytes_stored: record.bytes_stored, references: record.references.max(1) }))
    }

    /// Bytes of the frames of all chunks in a sample.
    pub fn bytes_stored_in(&self, sample: Sample) -> Result<u64> {
        if sample == Sample::ALL {
            return Ok(self.bytes_live);
        }
        let mut bytes = 0_u64;
        self.meta.scan(keys::chunks_starting(sample.bits, sample.start), &mut |key, value| {
            self.watch.go_on()?;
            bytes = bytes.saturating_add(ChunkRecord::decode(key, value)?.bytes_stored.into());
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(bytes)
    }
}
