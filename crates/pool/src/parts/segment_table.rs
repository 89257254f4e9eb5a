//! The segments that the metadata refers to, and how many bytes of each are live.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Mutex;

use crate::Result;
use crate::base::sync;
use crate::format::keys::{self, SegmentId};
use crate::format::records::{ChunkRecord, Record, SegmentRecord, malformed};
use crate::store::meta::MetaView;

/// The segments that the metadata refers to. Only the committer changes the table.
#[derive(Default)]
pub(crate) struct SegmentTable {
    map: Mutex<BTreeMap<SegmentId, SegmentRecord>>,
    /// The lengths of the segments of earlier starts when the pool was opened.
    lengths: BTreeMap<SegmentId, u64>,
    /// The number of the current start, which creates segments now.
    boot: u64,
}

impl SegmentTable {
    /// Reads the table from the metadata store. `there` are the segments that exist before the start `boot` creates
    /// any.
    pub(crate) fn load(meta: &dyn MetaView, boot: u64, there: &[(SegmentId, u64)]) -> Result<SegmentTable> {
        let mut map = BTreeMap::new();
        meta.scan(keys::segments(), &mut |key, value| {
            let id = keys::segment_in(key).ok_or_else(|| malformed("segment", key))?;
            map.insert(id, SegmentRecord::decode(key, value)?);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(SegmentTable { map: Mutex::new(map), lengths: there.iter().copied().collect(), boot })
    }

    /// Whether the place named in a chunk record exists. A segment of an earlier start may be lost or cut short.
    pub(crate) fn holds(&self, chunk: &ChunkRecord) -> bool {
        let end = chunk.offset.saturating_add(u64::from(chunk.bytes_stored));
        chunk.segment.boot() == self.boot
            || self.lengths.get(&chunk.segment).is_some_and(|length| end <= *length)
    }

    /// Missing segments that have referenced frames.
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

    pub(crate) fn bytes_live(&self) -> u64 {
        sync::lock(&self.map).values().map(|record| record.bytes_live).sum()
    }
}
