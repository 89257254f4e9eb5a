//! The metadata store: the first of the pool's two seams.
//!
//! An ordered key-value store with as few operations as the pool needs, so that another store, such as PostgreSQL, could
//! replace the embedded one. Every implementation passes the tests in `contract`.

#[cfg(test)]
mod contract;
mod fjall;
mod journal_repair;
mod memory;
mod mirror;
mod place;
mod structure;
mod view;

pub(crate) use fjall::{Expected, FjallMeta};
pub use memory::MemoryMeta;
pub(crate) use mirror::{MetaFiles, NewCopy, SecondMeta, pair_of};
#[cfg(test)]
pub(crate) use mirror::{PAIR_KEY, Rule as CopyRule};
pub(crate) use place::{CopyPlace, Named};
pub(crate) use view::{Extent, View, remove_leftovers};

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use bytes::Bytes;

use crate::format::keys::Key;
use crate::{MetadataCopies, Result};

/// Changes that are applied together or not at all. No key occurs twice.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Keys and their new values; `None` deletes.
    pub changes: Vec<(Key, Option<Bytes>)>,
}

/// How far a metadata store has progressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Number of the last written batch. Batches are numbered from 1, without gaps, for the whole life of the store.
    pub written: u64,
    /// All batches up to this number are durable.
    pub durable: u64,
    /// Version numbers that grow when the store reorganises its tables on disk, and never shrink; 0 for a store without tables.
    pub tables: [u64; 2],
}

/// The callback of a scan, called with each key and value; `Break` ends the scan.
pub type Visit<'a> = dyn FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>> + 'a;

/// An ordered key-value store with atomic batches.
///
/// Batches are applied in the order of their `write` calls. When `write` returns, the whole batch is visible; when a later
/// `make_durable` has returned, it is durable. A crash keeps a prefix of the batches. The prefix includes all durable batches,
/// and each batch is kept whole or not at all.
///
/// Only one thread at a time calls `write` and `make_durable`; many threads read, at any time. During a `write`, a `get` sees
/// for each key independently either the old or the new value; a `scan` never sees a part of a batch.
pub trait MetaStore: MetaView {
    /// Applies a batch. After an error it is unknown whether the batch is applied, and the caller must not write anything more.
    fn write(&self, batch: Batch) -> Result<()>;
    /// Makes all batches durable. After an error the caller must not write anything more.
    fn make_durable(&self) -> Result<()>;
    /// How far the store has progressed. After an opening, `written` is the last batch that survived.
    fn position(&self) -> Position;
    /// Reclaims the space of deleted keys, if there is enough to be worth the work. May take long, and may run concurrently
    /// with everything else.
    fn give_back(&self) -> Result<()> {
        Ok(())
    }
    /// Why nothing more may be written, if a read has found that out. The pool then stops before the next write tells it.
    fn failure(&self) -> Option<String> {
        None
    }
    /// All keys and values at this instant. The default copies them; a store should do better if it can.
    fn snapshot(&self) -> Result<Arc<dyn MetaView>> {
        memory::copy(self)
    }
}

/// A metadata store that can be one of two copies.
pub(crate) trait PairedMeta: MetaStore {
    /// The batches after this number, in order; `None` if the store does not have each of them any more. Must be called before the first
    /// `write`.
    fn batches_after(&self, _number: u64) -> Result<Option<Vec<Batch>>> {
        Ok(None)
    }
    /// Begins to move everything that was written from the journal to tables.
    fn begin_write_out(&self) -> Result<()> {
        Ok(())
    }
    /// Whether that is done.
    fn is_written_out(&self) -> Result<bool> {
        Ok(true)
    }
    /// About how many keys there are.
    fn keys_about(&self) -> u64 {
        0
    }
}

/// All copies of the metadata as one store. The defaults are those of a single copy.
pub(crate) trait MetaCopies: MetaStore {
    /// How many good copies there are, and what is known about the other one.
    fn copies(&self) -> MetadataCopies {
        MetadataCopies::default()
    }
    /// Does a part of the work of building a second copy, if there should be one and is none. `pair` is a random number for it. Returns
    /// true if there is more to do. Blocks the writer for that time.
    fn build_copy(&self, _pair: u64) -> Result<bool> {
        Ok(false)
    }
    /// Compares a part of the copies, from this key on, and gives the second one up if it differs or cannot be read. Returns the key to
    /// continue with; `None` at the end.
    fn compare_copies(&self, _from: Key) -> Result<Option<Key>> {
        Ok(None)
    }
    /// Goes on without the second copy, whole or being built, from the next write on.
    fn drop_copy(&self, _cause: &str) {}
}

/// A store that is the only copy.
pub(crate) struct SingleMeta(pub(crate) Arc<dyn MetaStore>);

impl MetaView for SingleMeta {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.0.get(key)
    }
    fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>> {
        self.0.get_many(keys)
    }
    fn warm(&self, keys: &mut dyn Iterator<Item = Key>) -> Result<()> {
        self.0.warm(keys)
    }
    fn scan(&self, range: Range<Key>, visit: &mut Visit<'_>) -> Result<()> {
        self.0.scan(range, visit)
    }
}

impl MetaStore for SingleMeta {
    fn write(&self, batch: Batch) -> Result<()> {
        self.0.write(batch)
    }
    fn make_durable(&self) -> Result<()> {
        self.0.make_durable()
    }
    fn position(&self) -> Position {
        self.0.position()
    }
    fn give_back(&self) -> Result<()> {
        self.0.give_back()
    }
    fn failure(&self) -> Option<String> {
        self.0.failure()
    }
    fn snapshot(&self) -> Result<Arc<dyn MetaView>> {
        self.0.snapshot()
    }
}

impl PairedMeta for SingleMeta {}
impl MetaCopies for SingleMeta {}

/// Read access to a store, live or at one instant.
pub trait MetaView: Send + Sync + 'static {
    /// The value of a key.
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>>;
    /// The values of some keys, in their order. Each is read as by [`MetaView::get`]. A remote store should ask for all of them at once.
    fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>> {
        keys.iter().map(|key| self.get(key)).collect()
    }
    /// Says that these keys are about to be read. A remote store reads them together, so that each is in memory then; a store in this machine
    /// does nothing, and does not even look at them.
    fn warm(&self, _keys: &mut dyn Iterator<Item = Key>) -> Result<()> {
        Ok(())
    }
    /// Visits the keys in `range` in ascending order, at one instant.
    fn scan(&self, range: Range<Key>, visit: &mut Visit<'_>) -> Result<()>;
}
