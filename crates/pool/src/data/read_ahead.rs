//! Reads ahead, so that the next chunks that a sequential reader asks for are in the cache.
//!
//! [`crate::parts::readers`] decides which reader is sequential, and how far to read ahead for it. A few threads read. If
//! the disk has no time, nothing is read ahead, and the next read tries again.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::base::sync;
use crate::engine::Engine;
use crate::format::keys::{ChunkId, InodeKey};
use crate::format::records::{Content, ExtentRecord};
use crate::parts::inode::Inode;
use crate::{Handle, Result};

/// The number of threads that read ahead at the same time.
const THREADS_MAX: usize = 8;
/// The bytes of a file whose chunks a metadata store that is far away is asked for at once.
const WARM_BYTES: u64 = 32 << 20;

impl Engine {
    /// Called when a read of `range` starts. Reads ahead if the reader is sequential. Does not block.
    pub(crate) fn read_ahead(self: &Arc<Self>, inode: &Arc<Inode>, range: &Range<u64>) {
        let bytes_max = self.caches.chunks.bytes_max() / 2;
        let Some(ahead) = self.caches.ahead.note(inode.key(), range, bytes_max) else { return };
        if self.caches.ahead.threads.load(Ordering::Relaxed) >= THREADS_MAX {
            return;
        }
        self.caches.ahead.began(inode.key(), &ahead);
        let (engine, key) = (self.clone(), inode.key());
        self.in_reading_thread(move || engine.load_ahead(key, ahead));
    }

    /// Starts to read a range into the cache, as far as there is room. Returns false if the threads are busy with other
    /// ranges.
    pub(crate) fn prefetch(self: &Arc<Self>, handle: Handle, offset: u64, length: u64) -> Result<bool> {
        let inode = self.inode(handle)?;
        inode.live()?.require_file()?;
        if self.caches.ahead.threads.load(Ordering::Relaxed) >= THREADS_MAX {
            return Ok(false);
        }
        let length = length.min(self.caches.chunks.bytes_max() / 2);
        let (engine, key) = (self.clone(), inode.key());
        self.in_reading_thread(move || engine.load_ahead(key, offset..offset.saturating_add(length)));
        Ok(true)
    }

    fn in_reading_thread(self: &Arc<Self>, work: impl FnOnce() + Send + 'static) {
        self.caches.ahead.threads.fetch_add(1, Ordering::Relaxed);
        let engine = self.clone();
        sync::in_background(move || {
            work();
            engine.caches.ahead.threads.fetch_sub(1, Ordering::Relaxed);
        });
    }

    /// The chunks of a part of a file.
    fn chunks_of(&self, key: InodeKey, range: Range<u64>) -> Result<Vec<ChunkId>> {
        let chunk = |(_, extent): (u64, ExtentRecord)| match extent.content {
            Content::Chunk { id, .. } => Some(id),
            Content::Inline(_) => None,
        };
        Ok(self.extents(key, range)?.into_iter().filter_map(chunk).collect())
    }

    /// When a reader comes to the next large part of a file, asks a metadata store that is far away for all its chunks at once. Another store does
    /// not even look at them.
    fn warm_ahead(&self, key: InodeKey, range: &Range<u64>) -> Result<()> {
        let from = range.start.next_multiple_of(WARM_BYTES);
        if from >= range.end {
            return Ok(());
        }
        let part = from..from.saturating_add(WARM_BYTES);
        let chunks = std::iter::once(part).flat_map(|part| self.chunks_of(key, part).unwrap_or_default());
        self.warm_chunks(chunks)
    }

    /// Ignores chunks that cannot be read: the client that reads them gets the error.
    fn load_ahead(self: &Arc<Self>, key: InodeKey, range: Range<u64>) {
        let Ok(ids) = self.warm_ahead(key, &range).and_then(|()| self.chunks_of(key, range)) else { return };
        let Ok(runs) = self.runs_of(&ids) else { return };
        for run in runs {
            if self.is_closing() {
                return;
            }
            if self.caches.ahead.threads.load(Ordering::Relaxed) < THREADS_MAX / 2 {
                let engine = self.clone();
                self.in_reading_thread(move || engine.load_run(&run));
            } else {
                self.load_run(&run);
            }
        }
    }
}
