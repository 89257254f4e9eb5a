//! What takes space, and whether there is room for more.
//!
//! Two limits hold at once. `bytes_max`, if set, bounds what live data takes: referenced frames, tails, and an
//! estimate for each inode. The file system's own free space bounds what is really written; a reserve of it
//! is never given to writes, so that removals and the metadata store always have room: a metadata store that
//! meets a full disk stops for good.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;

use crate::base::sync;
use crate::engine::Engine;
use crate::format::keys;
use crate::format::records::{ChunkRecord, Record, SegmentRecord, malformed};
use crate::store::meta::MetaView;
use crate::store::segment::SegmentId;
use crate::{Error, Result, Space, VolumeId};

/// Estimate of what an inode and its directory entry take in the metadata store.
const INODE_BYTES: u64 = 1024;
/// Bounds of the reserve, which is otherwise a 20th of the file system.
const RESERVE_BYTES_MIN: u64 = 64 << 20;
const RESERVE_BYTES_MAX: u64 = 2 << 30;

/// Room below the pool.
pub(crate) trait Room: Send + Sync + 'static {
    /// Bytes in all, and bytes that are free.
    fn bytes(&self) -> Result<(u64, u64)>;
}

/// Room in the file system that holds a directory.
pub(crate) struct FileSystemRoom(pub(crate) PathBuf);

impl Room for FileSystemRoom {
    fn bytes(&self) -> Result<(u64, u64)> {
        let answer = rustix::fs::statvfs(&self.0).map_err(|errno| Error::Io {
            path: self.0.clone(),
            action: "ask for the file system's free space",
            source: errno.into(),
        })?;
        let total = answer.f_blocks.saturating_mul(answer.f_frsize);
        let free = answer.f_bavail.saturating_mul(answer.f_frsize);
        let reserve = (total / 20).clamp(RESERVE_BYTES_MIN, RESERVE_BYTES_MAX);
        Ok((total.saturating_sub(reserve), free.saturating_sub(reserve)))
    }
}

/// Room in memory: as much as anyone asks for.
pub(crate) struct UnlimitedRoom;

impl Room for UnlimitedRoom {
    fn bytes(&self) -> Result<(u64, u64)> {
        Ok((1 << 40, 1 << 40))
    }
}

/// The segments that metadata names. Only the committer changes it.
#[derive(Default)]
pub(crate) struct SegmentTable {
    map: Mutex<BTreeMap<SegmentId, SegmentRecord>>,
    /// The lengths that segments of earlier starts had at opening.
    lengths: BTreeMap<SegmentId, u64>,
    /// The start that makes segments now.
    boot: u64,
}

impl SegmentTable {
    /// Reads the table from the metadata store. `there`: the segments that are there now, before the start `boot` makes any.
    pub(crate) fn load(meta: &dyn MetaView, boot: u64, there: &[(SegmentId, u64)]) -> Result<SegmentTable> {
        let mut map = BTreeMap::new();
        meta.scan(keys::segments(), &mut |key, value| {
            let id = keys::segment_in(key).ok_or_else(|| malformed("segment", key))?;
            map.insert(id, SegmentRecord::decode(key, value)?);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(SegmentTable { map: Mutex::new(map), lengths: there.iter().copied().collect(), boot })
    }

    /// Whether the place that a chunk record names is there. A segment of an earlier start may have been lost, or have lost its end.
    pub(crate) fn holds(&self, chunk: &ChunkRecord) -> bool {
        let end = chunk.offset.saturating_add(u64::from(chunk.bytes_stored));
        chunk.segment.boot() == self.boot
            || self.lengths.get(&chunk.segment).is_some_and(|length| end <= *length)
    }

    /// Segments with referenced frames that are not there.
    pub(crate) fn lost(&self) -> Vec<SegmentId> {
        let map = sync::lock(&self.map);
        let live = map.iter().filter(|(_, record)| record.bytes_live > 0).map(|(id, _)| *id);
        live.filter(|id| id.boot() != self.boot && !self.lengths.contains_key(id)).collect()
    }

    pub(crate) fn knows(&self, id: SegmentId) -> bool {
        sync::lock(&self.map).contains_key(&id)
    }

    pub(crate) fn usage(&self, id: SegmentId) -> SegmentRecord {
        sync::lock(&self.map).get(&id).copied().unwrap_or_default()
    }

    pub(crate) fn set(&self, id: SegmentId, record: SegmentRecord) {
        sync::lock(&self.map).insert(id, record);
    }

    pub(crate) fn forget(&self, id: SegmentId) {
        sync::lock(&self.map).remove(&id);
    }

    /// Segments without a referenced frame.
    pub(crate) fn dead(&self) -> Vec<SegmentId> {
        let map = sync::lock(&self.map);
        map.iter().filter(|(_, record)| record.bytes_live == 0).map(|(id, _)| *id).collect()
    }

    /// All segments.
    pub(crate) fn list(&self) -> Vec<(SegmentId, SegmentRecord)> {
        sync::lock(&self.map).iter().map(|(id, record)| (*id, *record)).collect()
    }

    fn bytes_live(&self) -> u64 {
        sync::lock(&self.map).values().map(|record| record.bytes_live).sum()
    }
}

impl Engine {
    /// Bytes that durable content takes.
    fn bytes_used(&self) -> u64 {
        let usage = self.volumes.usage_total();
        self.segments.bytes_live() + usage.bytes_inline + usage.inodes_stored.saturating_mul(INODE_BYTES)
    }

    pub(crate) fn space(&self) -> Result<Space> {
        let used = self.bytes_used();
        let dirty = self.dirty.bytes();
        let (room_total, room_free) = self.room.bytes()?;
        let bytes_max = self.options.bytes_max.unwrap_or(u64::MAX);
        let usage = self.volumes.usage_total();
        Ok(Space {
            // What others on the file system take is no use of the pool's: it makes the pool smaller.
            bytes_total: bytes_max.min(room_total).min(used.saturating_add(room_free)),
            bytes_free: bytes_max.saturating_sub(used).min(room_free).saturating_sub(dirty),
            bytes_logical: usage.bytes_logical,
            inodes_used: usage.inodes,
            orphans: usage.orphans,
        })
    }

    pub(crate) fn volume_space(&self, id: VolumeId) -> Result<Space> {
        let volume = self.volumes.get(id)?;
        let usage = self.volumes.usage(id);
        let pool = self.space()?;
        let size = volume.spec.size;
        let left = size.map(|size| size.saturating_sub(self.volumes.bytes_used(id)));
        Ok(Space {
            bytes_total: size.unwrap_or(pool.bytes_total),
            bytes_free: left.unwrap_or(u64::MAX).min(pool.bytes_free),
            bytes_logical: usage.bytes_logical,
            inodes_used: usage.inodes,
            orphans: usage.orphans,
        })
    }

    /// [`Error::NoSpace`] unless that many bytes, beyond all that is dirty, would fit.
    pub(crate) fn require_room(&self, bytes: u64) -> Result<()> {
        if self.space()?.bytes_free < bytes { Err(Error::NoSpace) } else { Ok(()) }
    }

    /// [`Error::NoSpace`] unless another inode would fit.
    pub(crate) fn require_room_for_inode(&self) -> Result<()> {
        self.require_room(INODE_BYTES)
    }
}
