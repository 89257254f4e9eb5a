//! The segments that the metadata refers to, and how many bytes of each are live.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, OnceLock};

use crate::Result;
use crate::base::sync;
use crate::format::keys::{self, SegmentId};
use crate::format::records::{ChunkRecord, Record, SegmentRecord, malformed};
use crate::store::meta::MetaView;

/// The segments that the metadata refers to. Only the committer changes the table.
#[derive(Default)]
pub(crate) struct SegmentTable {
    map: Mutex<BTreeMap<SegmentId, SegmentRecord>>,
    /// The lengths of the segments of earlier starts when the pool was opened. Empty while it is not known which of them are there.
    lengths: OnceLock<BTreeMap<SegmentId, u64>>,
    /// The number of the current start, which creates segments now.
    boot: u64,
}

impl SegmentTable {
    /// Reads the table from the metadata store. `boot` is the start that creates segments from now on.
    pub(crate) fn load(meta: &dyn MetaView, boot: u64) -> Result<SegmentTable> {
        let mut map = BTreeMap::new();
        meta.scan(keys::segments(), &mut |key, value| {
            let id = keys::segment_in(key).ok_or_else(|| malformed("segment", key))?;
            map.insert(id, SegmentRecord::decode(key, value)?);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(SegmentTable { map: Mutex::new(map), lengths: OnceLock::new(), boot })
    }

    /// Remembers which segments there were before this start created any, unless that is known already.
    pub(crate) fn found(&self, there: &[(SegmentId, u64)]) {
        let _ = self.lengths.set(there.iter().copied().collect());
    }

    /// Whether the place named in a chunk record exists. A segment of an earlier start may be lost or cut short. As long as that is not known,
    /// all of them count as whole.
    pub(crate) fn holds(&self, chunk: &ChunkRecord) -> bool {
        let end = chunk.offset.saturating_add(u64::from(chunk.bytes_stored));
        chunk.segment.boot() == self.boot
            || self
                .lengths
                .get()
                .is_none_or(|lengths| lengths.get(&chunk.segment).is_some_and(|length| end <= *length))
    }

    /// Missing segments that have referenced frames, as far as that is known.
    pub(crate) fn lost(&self) -> Vec<SegmentId> {
        let Some(lengths) = self.lengths.get() else { return Vec::new() };
        let map = sync::lock(&self.map);
        let live = map.iter().filter(|(_, record)| record.bytes_live > 0).map(|(id, _)| *id);
        live.filter(|id| id.boot() != self.boot && !lengths.contains_key(id)).collect()
    }

    /// Logs which segments are missing.
    pub(crate) fn report_lost(&self) {
        for segment in self.lost() {
            tracing::error!(%segment, "a segment that holds data is missing; its data cannot be read");
        }
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
