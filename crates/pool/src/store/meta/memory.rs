//! A metadata store in memory, which is lost when dropped. For tests and fuzzing, and as the simplest implementation of the
//! trait.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use bytes::Bytes;

use super::{Batch, MetaStore, MetaView, Position, Visit};
use crate::Result;
use crate::base::sync;
use crate::format::keys::Key;

/// See the module.
#[derive(Default)]
pub struct MemoryMeta {
    map: RwLock<BTreeMap<Key, Bytes>>,
    batches: AtomicU64,
}

impl MetaView for MemoryMeta {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        Ok(sync::read(&self.map).get(key).cloned())
    }

    fn scan(&self, range: Range<Key>, visit: &mut Visit<'_>) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let pairs: Vec<(Key, Bytes)> = {
            let map = sync::read(&self.map);
            map.range(range).map(|(key, value)| (key.clone(), value.clone())).collect()
        };
        for (key, value) in pairs {
            if visit(&key, &value)? == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(())
    }
}

impl MetaStore for MemoryMeta {
    fn write(&self, batch: Batch) -> Result<()> {
        let mut map = sync::write(&self.map);
        for (key, value) in batch.changes {
            match value {
                Some(value) => map.insert(key, value),
                None => map.remove(&key),
            };
        }
        self.batches.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn make_durable(&self) -> Result<()> {
        Ok(())
    }

    fn position(&self) -> Position {
        let written = self.batches.load(Ordering::SeqCst);
        Position { written, durable: written, tables: [0; 2] }
    }
}

/// Copies everything that a store holds.
pub(super) fn copy<M: MetaStore + ?Sized>(store: &M) -> Result<Arc<dyn MetaView>> {
    let mut map = BTreeMap::new();
    store.scan(Vec::new()..vec![u8::MAX], &mut |key, value| {
        map.insert(key.to_vec(), Bytes::copy_from_slice(value));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(Arc::new(MemoryMeta { map: RwLock::new(map), ..MemoryMeta::default() }))
}
