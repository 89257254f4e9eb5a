//! Chunks that are in a segment before a flush names them.
//!
//! While a client still writes a stream, a thread of the pool cuts what has arrived, and appends its complete chunks
//! ([`crate::data::early`]). Nothing depends on that: the bytes stay dirty, and a crash leaves frames that no metadata names. A
//! flush cuts the same bytes again. If a chunk that it needs is here, it only has to sync its segment. So the disk
//! writes one stream while another one's sync is under way.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use bytes::Bytes;

use crate::Result;
use crate::base::queue::Queue;
use crate::base::sync;
use crate::format::cut::{Cut, Rope};
use crate::format::keys::ChunkId;
use crate::store::segment::{Appended, Placed};

/// A stream is cut each time this many bytes of it have arrived. Each time one write of about this size goes to the disk. Less in
/// tests, so that short files are streams, too.
pub(crate) const EARLY_BYTES: u64 = if cfg!(test) { 48 << 10 } else { 2 << 20 };

/// Appends what has arrived of a stream.
pub(crate) type Append = Box<dyn FnOnce() + Send>;

/// The thread that appends chunks early.
pub(crate) type EarlyQueue = Queue<Append>;

/// Starts the thread.
pub(crate) fn start() -> Result<EarlyQueue> {
    Queue::start("pool-early", |append: Append, _| append())
}

/// A chunk that was appended early. Its segment stays as long as this value.
pub(crate) struct EarlyChunk {
    id: ChunkId,
    appended: Arc<Appended>,
    /// Its place in `appended`.
    index: usize,
    is_used: AtomicBool,
    table: Weak<EarlyChunks>,
}

impl EarlyChunk {
    /// The chunk as one append, for a flush that names it.
    pub(crate) fn appended(&self) -> Option<Appended> {
        self.appended.share(self.index)
    }

    /// Notes that a flush uses the chunk. Returns true if it is the first.
    pub(crate) fn use_first(&self) -> bool {
        !self.is_used.swap(true, Ordering::Relaxed)
    }
}

impl Drop for EarlyChunk {
    fn drop(&mut self) {
        let Some(table) = self.table.upgrade() else { return };
        let mut chunks = sync::lock(&table.0);
        // A newer chunk of this name may have taken the place.
        if chunks.get(&self.id).is_some_and(|known| known.strong_count() == 0) {
            chunks.remove(&self.id);
        }
    }
}

/// The early chunks of all files, so that replicas that are written at the same time are stored once.
#[derive(Default)]
pub(crate) struct EarlyChunks(Mutex<HashMap<ChunkId, Weak<EarlyChunk>>>);

impl EarlyChunks {
    pub(crate) fn get(&self, id: ChunkId) -> Option<Arc<EarlyChunk>> {
        // The chunk must not be dropped under the lock, so the caller gets it.
        sync::lock(&self.0).get(&id).and_then(Weak::upgrade)
    }

    /// Adds the chunks of an append.
    pub(crate) fn add(self: &Arc<Self>, appended: Appended) -> Vec<Arc<EarlyChunk>> {
        let appended = Arc::new(appended);
        let chunk = |(index, placed): (usize, &Placed)| {
            let (appended, table) = (appended.clone(), Arc::downgrade(self));
            Arc::new(EarlyChunk { id: placed.id, appended, index, is_used: AtomicBool::new(false), table })
        };
        let chunks: Vec<_> = appended.placed.iter().enumerate().map(chunk).collect();
        let mut known = sync::lock(&self.0);
        for chunk in &chunks {
            known.insert(chunk.id, Arc::downgrade(chunk));
        }
        chunks
    }
}

/// What is known about the chunks of a file's dirty bytes.
#[derive(Default)]
pub(crate) struct EarlyNames {
    /// The names of contents, by their place in memory. An entry holds its content, so that no other bytes can be there.
    names: HashMap<(usize, usize), (Bytes, ChunkId)>,
    chunks: Vec<Arc<EarlyChunk>>,
}

impl EarlyNames {
    /// The name of these very bytes in memory, if they were named early.
    pub(crate) fn of(&self, content: &Bytes) -> Option<ChunkId> {
        self.names.get(&place(content)).map(|(_, id)| *id)
    }

    /// All names.
    pub(crate) fn ids(&self) -> impl Iterator<Item = ChunkId> {
        self.names.values().map(|(_, id)| *id)
    }

    pub(crate) fn note(&mut self, content: Bytes, id: ChunkId) {
        self.names.insert(place(&content), (content, id));
    }

    /// Keeps an early chunk for the next flush.
    pub(crate) fn keep(&mut self, chunk: Arc<EarlyChunk>) {
        self.chunks.push(chunk);
    }

    /// Adds what is known of other bytes.
    pub(crate) fn extend(&mut self, other: &EarlyNames) {
        let names = other.names.iter().map(|(place, (content, id))| (*place, (content.clone(), *id)));
        self.names.extend(names);
        self.chunks.extend(other.chunks.iter().cloned());
    }
}

fn place(content: &Bytes) -> (usize, usize) {
    (content.as_ptr() as usize, content.len())
}

/// Where the cutting of a stream goes on.
#[derive(Clone)]
pub(crate) struct Cutter {
    /// The offset in the file of the first byte that belongs to no chunk yet.
    pub(crate) offset: u64,
    pub(crate) cut: Cut,
    /// The bytes from there on that have been looked at.
    pub(crate) bytes: Rope,
}

impl Cutter {
    /// The end of the bytes that have been looked at.
    pub(crate) fn end(&self) -> u64 {
        self.offset.saturating_add(self.bytes.len() as u64)
    }
}

/// What is known early about a file.
#[derive(Default)]
pub(crate) struct Early {
    pub(crate) cutter: Option<Cutter>,
    pub(crate) names: EarlyNames,
    /// The number of dirty bytes when the thread last looked at the file, or was asked to.
    looked_at: u64,
}

impl Early {
    /// Whether so much has arrived that the thread should look at the file; it then counts as looked at.
    pub(crate) fn is_due(&mut self, bytes_dirty: u64) -> bool {
        let due = bytes_dirty >= self.looked_at.saturating_add(EARLY_BYTES);
        if due {
            self.looked_at = bytes_dirty;
        }
        due
    }

    /// Gives what is known to a flush, which takes all dirty bytes.
    pub(crate) fn take(&mut self) -> EarlyNames {
        self.looked_at = 0;
        std::mem::take(&mut self.names)
    }
}
