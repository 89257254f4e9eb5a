//! The metadata store: the first of the pool's two seams.
//!
//! An ordered key-value store, as small as the pool can live with, so that another one (PostgreSQL, say) can
//! take the place of the embedded one. Every implementation passes the tests in `contract`.

#[cfg(test)]
mod contract;
mod fjall;
mod journal_repair;
mod memory;
mod structure;
mod view;

pub(crate) use fjall::{Expected, FjallMeta};
pub(crate) use memory::MemoryMeta;
pub(crate) use view::{Extent, View, remove_leftovers};

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use bytes::Bytes;

use crate::Result;
use crate::format::keys::Key;

/// Changes that are applied together or not at all. No key is named twice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    /// Keys and their new values; `None` deletes.
    pub(crate) changes: Vec<(Key, Option<Bytes>)>,
}

/// How far a metadata store has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    /// Number of the last batch that was written. Batches are numbered from 1, without a gap, for the whole life of the store.
    pub(crate) written: u64,
    /// All batches up to this number are durable.
    pub(crate) durable: u64,
    /// Numbers that grow when the store reorganises what it keeps on disk, and never shrink; 0 for a store without any.
    pub(crate) tables: [u64; 2],
}

/// What a scan hands each key and value to; `Break` ends the scan.
pub(crate) type Visit<'a> = dyn FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>> + 'a;

/// An ordered key-value store with atomic batches.
///
/// Batches are applied in the order of their `write` calls. A batch is visible, all of it, when `write`
/// returns, and is durable when a later `make_durable` has returned. A crash keeps a prefix of the batches that
/// holds at least those that were durable, each whole or not at all.
///
/// `write` and `make_durable` are called by one thread at a time; reads come from many, at any time. While a `write`
/// is under way, a `get` sees of each key separately either the old or the new; a `scan` sees no batch in part.
pub(crate) trait MetaStore: MetaView {
    /// Applies a batch. After an error it is not known whether the batch is applied, and nothing further
    /// may be written.
    fn write(&self, batch: Batch) -> Result<()>;
    /// Makes all batches durable. After an error nothing further may be written.
    fn make_durable(&self) -> Result<()>;
    /// How far the store has come. After an opening, `written` is the last batch that survived.
    fn position(&self) -> Position;
    /// Gives space back that deleted keys take, if there is enough of it to be worth the work. May take long, and
    /// may run beside everything else.
    fn give_back(&self) -> Result<()> {
        Ok(())
    }
    /// All keys and values as of now. This one copies them; a store that can do better does.
    fn snapshot(&self) -> Result<Arc<dyn MetaView>> {
        memory::copy(self)
    }
}

/// What can be read of a store, now or as of one instant.
pub(crate) trait MetaView: Send + Sync + 'static {
    /// The value of a key.
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>>;
    /// Visits the keys in `range` in ascending order, as of one instant.
    fn scan(&self, range: Range<Key>, visit: &mut Visit<'_>) -> Result<()>;
}
