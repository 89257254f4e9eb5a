//! The fingerprint window: the records of recently used chunks. When a chunk comes again soon, for example from the
//! second and third replica, its record is found without a read of the metadata store.
//!
//! Only the committer changes the window, in the order in which it changes the chunks. Other threads may see a slightly
//! outdated record, as with any read. A chunk that is missing here may still be in the pool.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::base::sync;
use crate::format::keys::ChunkId;
use crate::format::records::ChunkRecord;

/// The approximate memory use of an entry.
const ENTRY_BYTES: u64 = 96;

/// See the module. There are two generations: when the younger one is full, the older one is dropped.
pub(crate) struct Fingerprints {
    generation_entries_max: usize,
    inner: Mutex<Generations>,
}

#[derive(Default)]
struct Generations {
    young: HashMap<ChunkId, ChunkRecord>,
    old: HashMap<ChunkId, ChunkRecord>,
}

impl Fingerprints {
    pub(crate) fn new(bytes_max: u64) -> Self {
        let entries = usize::try_from(bytes_max / ENTRY_BYTES / 2).unwrap_or(usize::MAX);
        Fingerprints { generation_entries_max: entries, inner: Mutex::default() }
    }

    /// The chunk's record, if the window has it.
    pub(crate) fn get(&self, id: ChunkId) -> Option<ChunkRecord> {
        let inner = sync::lock(&self.inner);
        inner.young.get(&id).or_else(|| inner.old.get(&id)).copied()
    }

    /// Sets the chunk's record, or removes it if the chunk is gone.
    pub(crate) fn set(&self, id: ChunkId, record: Option<ChunkRecord>) {
        let mut inner = sync::lock(&self.inner);
        inner.old.remove(&id);
        match record {
            Some(record) if self.generation_entries_max > 0 => {
                inner.young.insert(id, record);
            }
            _ => {
                inner.young.remove(&id);
            }
        }
        if inner.young.len() >= self.generation_entries_max {
            inner.old = std::mem::take(&mut inner.young);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::keys::SegmentId;

    fn id(number: u32) -> ChunkId {
        let mut id = [0; 32];
        id[..4].copy_from_slice(&number.to_le_bytes());
        ChunkId(id)
    }

    fn record(references: u32) -> ChunkRecord {
        ChunkRecord { segment: SegmentId(1), offset: 0, bytes_stored: 1, bytes: 1, references }
    }

    #[test]
    fn the_window_is_bounded_and_never_shows_what_was_replaced() {
        let window = Fingerprints::new(ENTRY_BYTES * 200);
        for number in 0..1000 {
            window.set(id(number), Some(record(1)));
            window.set(id(number / 2), Some(record(number)));
            window.set(id(number / 3), None);
            assert_eq!(window.get(id(number / 3)), None);
            assert!(window.get(id(number / 2)).is_none_or(|found| found == record(number)));
            let inner = sync::lock(&window.inner);
            assert!(inner.young.len() + inner.old.len() <= 200);
        }
        assert!(window.get(id(999)).is_some());
        assert_eq!(window.get(id(600)).map(|found| found.references), None);
    }

    #[test]
    fn a_window_without_room_holds_nothing() {
        let window = Fingerprints::new(0);
        window.set(id(1), Some(record(1)));
        assert_eq!(window.get(id(1)), None);
    }
}
