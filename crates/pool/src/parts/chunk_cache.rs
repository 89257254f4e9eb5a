//! Verified chunks in memory, for readers.
//!
//! Two queues (2Q, Johnson and Shasha, VLDB 1994). A chunk that is read for the first time joins the *recent* queue. It
//! leaves that queue in order of arrival, however often it is used there: a sequential reader reads one chunk many
//! times, which says nothing about later readers. A chunk that is read again soon after it left becomes *wanted*, and
//! the wanted chunks are evicted in order of last use. So one pass over a large file evicts no wanted chunks. The cache
//! remembers only the names of the chunks that have left the recent queue.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Mutex;

use bytes::Bytes;

use crate::base::sync;
use crate::format::keys::ChunkId;

/// The recent chunks may always use one part in this many of the bytes, so that chunks read ahead are still cached when
/// a client reads them.
const RECENT_SHARE: u64 = 2;
/// The number of names to remember for each cached chunk.
const REMEMBERED_PER_CHUNK: usize = 4;
const REMEMBERED_MIN: usize = 256;

/// See the module.
pub(crate) struct ChunkCache {
    bytes_max: u64,
    inner: Mutex<Inner>,
}

struct Entry {
    content: Bytes,
    /// When the chunk was last used, if it is wanted.
    used: Option<u64>,
}

#[derive(Default)]
struct Inner {
    chunks: HashMap<ChunkId, Entry>,
    recent: VecDeque<ChunkId>,
    recent_bytes: u64,
    /// The wanted chunks, by last use.
    wanted: BTreeMap<u64, ChunkId>,
    wanted_bytes: u64,
    tick: u64,
    left: VecDeque<ChunkId>,
    left_names: HashSet<ChunkId>,
}

impl ChunkCache {
    pub(crate) fn new(bytes_max: u64) -> Self {
        ChunkCache { bytes_max, inner: Mutex::default() }
    }

    pub(crate) fn bytes_max(&self) -> u64 {
        self.bytes_max
    }

    pub(crate) fn get(&self, id: ChunkId) -> Option<Bytes> {
        let inner = &mut *sync::lock(&self.inner);
        let entry = inner.chunks.get_mut(&id)?;
        if let Some(used) = &mut entry.used {
            inner.tick += 1;
            inner.wanted.remove(used);
            inner.wanted.insert(inner.tick, id);
            *used = inner.tick;
        }
        Some(entry.content.clone())
    }

    pub(crate) fn has(&self, id: ChunkId) -> bool {
        sync::lock(&self.inner).chunks.contains_key(&id)
    }

    pub(crate) fn insert(&self, id: ChunkId, content: Bytes) {
        let inner = &mut *sync::lock(&self.inner);
        if inner.chunks.contains_key(&id) {
            return;
        }
        inner.add(id, content);
        while inner.recent_bytes + inner.wanted_bytes > self.bytes_max {
            if inner.recent_bytes > self.bytes_max / RECENT_SHARE || inner.wanted.is_empty() {
                inner.drop_oldest_recent();
            } else {
                inner.drop_least_wanted();
            }
        }
    }

    /// Removes the chunk if it is here with another content.
    pub(crate) fn forget_other(&self, id: ChunkId, content: &Bytes) {
        let inner = &mut *sync::lock(&self.inner);
        let Some(entry) = inner.chunks.get(&id).filter(|entry| entry.content != content) else { return };
        let bytes = entry.content.len() as u64;
        match entry.used {
            Some(used) => {
                inner.wanted.remove(&used);
                inner.wanted_bytes = inner.wanted_bytes.saturating_sub(bytes);
            }
            None => {
                inner.recent.retain(|recent| *recent != id);
                inner.recent_bytes = inner.recent_bytes.saturating_sub(bytes);
            }
        }
        inner.chunks.remove(&id);
    }
}

impl Inner {
    fn add(&mut self, id: ChunkId, content: Bytes) {
        let bytes = content.len() as u64;
        if self.left_names.remove(&id) {
            self.tick += 1;
            self.wanted.insert(self.tick, id);
            self.wanted_bytes += bytes;
            // Copy the bytes: a slice of a larger read would keep that whole read in memory for as long as the chunk is
            // wanted.
            let content = Bytes::copy_from_slice(&content);
            self.chunks.insert(id, Entry { content, used: Some(self.tick) });
        } else {
            self.recent.push_back(id);
            self.recent_bytes += bytes;
            self.chunks.insert(id, Entry { content, used: None });
        }
    }

    fn drop_oldest_recent(&mut self) {
        let Some(id) = self.recent.pop_front() else { return };
        if let Some(entry) = self.chunks.remove(&id) {
            self.recent_bytes = self.recent_bytes.saturating_sub(entry.content.len() as u64);
        }
        if self.left_names.insert(id) {
            self.left.push_back(id);
        }
        let most = REMEMBERED_MIN.max(self.chunks.len() * REMEMBERED_PER_CHUNK);
        while self.left.len() > most {
            if let Some(forgotten) = self.left.pop_front() {
                self.left_names.remove(&forgotten);
            }
        }
    }

    fn drop_least_wanted(&mut self) {
        let Some((_, id)) = self.wanted.pop_first() else { return };
        if let Some(entry) = self.chunks.remove(&id) {
            self.wanted_bytes = self.wanted_bytes.saturating_sub(entry.content.len() as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> ChunkId {
        let mut id = [0; 32];
        id[..8].copy_from_slice(&number.to_le_bytes());
        ChunkId(id)
    }

    fn read(cache: &ChunkCache, number: u64) -> bool {
        let there = cache.get(id(number)).is_some();
        cache.insert(id(number), Bytes::from(vec![number as u8; 1000]));
        there
    }

    #[test]
    fn it_holds_no_more_bytes_than_it_may() {
        let cache = ChunkCache::new(10_000);
        for number in 0..500 {
            read(&cache, number % 37);
            let inner = sync::lock(&cache.inner);
            let held: usize = inner.chunks.values().map(|entry| entry.content.len()).sum();
            assert!(held <= 10_000);
            assert_eq!(held as u64, inner.recent_bytes + inner.wanted_bytes);
            assert_eq!(inner.chunks.len(), inner.recent.len() + inner.wanted.len());
            assert!(inner.left.len() <= REMEMBERED_MIN && inner.left.len() >= inner.left_names.len());
        }
    }

    #[test]
    fn one_pass_over_much_does_not_cost_what_is_wanted() {
        let cache = ChunkCache::new(20_000);
        // Read twice with other reads in between, so wanted from then on.
        for round in 1..3 {
            for number in 0..8 {
                read(&cache, number);
            }
            for other in 0..30 {
                read(&cache, round * 100 + other);
            }
        }
        for number in 1000..1200 {
            read(&cache, number);
        }
        assert!((0..8).all(|number| read(&cache, number)));
    }

    #[test]
    fn a_chunk_with_another_content_can_be_forgotten() {
        let cache = ChunkCache::new(3_000);
        // The first is wanted, the second recent.
        for number in [1, 10, 11, 12, 1, 2] {
            read(&cache, number);
        }
        for number in [1, 2] {
            cache.forget_other(id(number), &Bytes::from(vec![number as u8; 1000]));
            assert!(cache.has(id(number)));
            cache.forget_other(id(number), &Bytes::from_static(b"other"));
            assert!(!cache.has(id(number)));
        }
        let inner = sync::lock(&cache.inner);
        assert_eq!(inner.recent_bytes + inner.wanted_bytes, 1000 * inner.chunks.len() as u64);
        assert_eq!(inner.chunks.len(), inner.recent.len() + inner.wanted.len());
    }

    #[test]
    fn a_chunk_larger_than_the_cache_passes_through() {
        let cache = ChunkCache::new(10);
        cache.insert(id(1), Bytes::from(vec![0; 100]));
        assert!(cache.get(id(1)).is_none());
    }
}
