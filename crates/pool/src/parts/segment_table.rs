//! The segments that the metadata refers to, and how many bytes of each are live.

use std::collections::{BTreeMap, BTreeSet};
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
    known: Mutex<Known>,
    /// The lengths of the segments of earlier starts, as they were last listed. None until they were listed.
    lengths: Mutex<Option<BTreeMap<SegmentId, u64>>>,
    /// Segments with live bytes that a read did not find.
    missed: Mutex<BTreeSet<SegmentId>>,
    /// The number of the current start, which creates segments now.
    boot: u64,
}

/// The records, and what would take long to find out where there are very many.
#[derive(Default)]
struct Known {
    map: BTreeMap<SegmentId, SegmentRecord>,
    bytes_live: u64,
    /// Segments without live bytes, by the time since when, as their records have it.
    dead: BTreeSet<(Option<u64>, SegmentId)>,
}

impl Known {
    fn set(&mut self, id: SegmentId, record: SegmentRecord) {
        self.forget(id);
        self.bytes_live += record.bytes_live;
        if record.bytes_live == 0 {
            self.dead.insert((record.dead_since, id));
        }
        self.map.insert(id, record);
    }

    fn forget(&mut self, id: SegmentId) {
        if let Some(record) = self.map.remove(&id) {
            self.bytes_live -= record.bytes_live;
            self.dead.remove(&(record.dead_since, id));
        }
    }
}

impl SegmentTable {
    /// Reads the table from the metadata store. `boot` is the start that creates segments from now on.
    pub(crate) fn load(meta: &dyn MetaView, boot: u64) -> Result<SegmentTable> {
        let mut known = Known::default();
        meta.scan(keys::segments(), &mut |key, value| {
            let id = keys::segment_in(key).ok_or_else(|| malformed("segment", key))?;
            known.set(id, SegmentRecord::decode(key, value)?);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(SegmentTable { known: Mutex::new(known), boot, ..SegmentTable::default() })
    }

    /// Remembers which segments of earlier starts there are.
    pub(crate) fn found(&self, there: &[(SegmentId, u64)]) {
        *sync::lock(&self.lengths) = Some(there.iter().copied().collect());
        sync::lock(&self.missed).retain(|id| id.boot() == self.boot);
    }

    /// Remembers that a read did not find a segment, whatever a list has said.
    pub(crate) fn miss(&self, id: SegmentId) {
        // One that the cleaner has just emptied may be gone.
        if self.usage(id).bytes_live > 0 {
            sync::lock(&self.missed).insert(id);
        }
    }

    /// Whether it is known that the place named in a chunk record exists. A segment may be lost or cut short. Until those of earlier starts were
    /// listed, none of them is known to exist: what would share its bytes is stored again.
    pub(crate) fn holds(&self, chunk: &ChunkRecord) -> bool {
        let end = chunk.offset.saturating_add(u64::from(chunk.bytes_stored));
        let is_whole = |lengths: &BTreeMap<SegmentId, u64>| {
            lengths.get(&chunk.segment).is_some_and(|length| end <= *length)
        };
        !sync::lock(&self.missed).contains(&chunk.segment)
            && (chunk.segment.boot() == self.boot || sync::lock(&self.lengths).as_ref().is_some_and(is_whole))
    }

    /// Missing segments that have referenced frames, as far as that is known.
    pub(crate) fn lost(&self) -> Vec<SegmentId> {
        let lengths = sync::lock(&self.lengths);
        let Some(lengths) = lengths.as_ref() else { return Vec::new() };
        let known = sync::lock(&self.known);
        let live = known.map.iter().filter(|(_, record)| record.bytes_live > 0).map(|(id, _)| *id);
        live.filter(|id| id.boot() != self.boot && !lengths.contains_key(id)).collect()
    }

    /// Logs which segments are missing.
    pub(crate) fn report_lost(&self) {
        for segment in self.lost() {
            tracing::error!(%segment, "a segment that holds data is missing; its data cannot be read");
        }
    }

    pub(crate) fn knows(&self, id: SegmentId) -> bool {
        sync::lock(&self.known).map.contains_key(&id)
    }

    pub(crate) fn usage(&self, id: SegmentId) -> SegmentRecord {
        sync::lock(&self.known).map.get(&id).copied().unwrap_or_default()
    }

    pub(crate) fn set(&self, id: SegmentId, record: SegmentRecord) {
        sync::lock(&self.known).set(id, record);
    }

    pub(crate) fn forget(&self, id: SegmentId) {
        sync::lock(&self.known).forget(id);
        sync::lock(&self.missed).remove(&id);
    }

    /// Segments without a referenced frame since this time or before, in seconds since 1970, or since it is not known when.
    pub(crate) fn dead_since(&self, time: u64) -> Vec<SegmentId> {
        let known = sync::lock(&self.known);
        known.dead.range(..=(Some(time), SegmentId(u64::MAX))).map(|(_, id)| *id).collect()
    }

    /// All segments.
    pub(crate) fn list(&self) -> Vec<(SegmentId, SegmentRecord)> {
        sync::lock(&self.known).map.iter().map(|(id, record)| (*id, *record)).collect()
    }

    pub(crate) fn bytes_live(&self) -> u64 {
        sync::lock(&self.known).bytes_live
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_segment_of_an_earlier_start_exists_only_once_that_was_seen() {
        let table = SegmentTable { boot: 2, ..SegmentTable::default() };
        let at = |boot: u64, end: u64| ChunkRecord {
            segment: SegmentId::first_of(boot, true),
            offset: end - 10,
            bytes_stored: 10,
            bytes: 10,
            references: 1,
        };
        assert!(table.holds(&at(2, 50)) && !table.holds(&at(1, 50)));
        table.found(&[(SegmentId::first_of(1, true), 50)]);
        assert!(table.holds(&at(1, 50)) && !table.holds(&at(1, 51)));
        table.set(SegmentId::first_of(1, true), SegmentRecord { bytes_live: 10, ..SegmentRecord::default() });
        table.miss(SegmentId::first_of(1, true));
        assert!(!table.holds(&at(1, 50)));
    }

    #[test]
    fn totals_are_those_of_the_records_whatever_changes() {
        let table = SegmentTable::default();
        let mut seed = [0; 32];
        for step in 0_u64..2000 {
            seed = *blake3::hash(&seed).as_bytes();
            let id = SegmentId(u64::from(seed[0] % 16));
            let record = SegmentRecord {
                bytes_named: 1000,
                bytes_live: u64::from(seed[1] % 4) * 100,
                dead_since: (seed[2] % 3 > 0).then_some(u64::from(seed[3] % 8)),
            };
            if seed[4] % 4 == 0 {
                table.forget(id)
            } else {
                table.set(id, record)
            }
            let all = table.list();
            let live: u64 = all.iter().map(|(_, record)| record.bytes_live).sum();
            assert_eq!(table.bytes_live(), live, "step {step}");
            for time in [0, 3, u64::MAX] {
                let mut dead = table.dead_since(time);
                dead.sort_unstable();
                let is_dead = |record: &SegmentRecord| {
                    record.bytes_live == 0 && record.dead_since.is_none_or(|since| since <= time)
                };
                let expected: Vec<_> = all.iter().filter(|(_, it)| is_dead(it)).map(|(id, _)| *id).collect();
                assert_eq!(dead, expected, "step {step}, time {time}");
            }
        }
    }
}
