//! The embedded metadata store: fjall, a log-structured merge tree.
//!
//! How fjall gives what [`MetaStore`] asks for (release 3.1, checked in its source):
//! - A batch is written to the journal between a start and an end marker with a checksum, under one lock, and
//!   then applied to the tree in memory. At opening, an end without its start, or the other way round, is cut off.
//! - The journal is flushed to the disk before a tree in memory is written out as a table, so what survives a crash
//!   is a prefix of the batches even when the tables are newer than the last sync.
//! - Scans go through a snapshot: `Keyspace::range` itself would show a batch that is half applied.
//! - A failed write or sync poisons the database, which refuses everything from then on, as the trait wants.
//! - What fjall leaves to us: telling a journal that is torn after its last sync from one that is damaged before
//!   it. Each batch carries a mark for that, see [`super::journal_repair`], which looks at the journals first.

use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::Bytes;
use fjall::{CompressionType, Database, Keyspace, KeyspaceCreateOptions, PersistMode, Readable, Snapshot};

use super::journal_repair::{self, MARK_KEY, Mark};
use super::{Batch, MetaStore, MetaView, Visit};
use crate::codec::Malformed;
use crate::keys::Key;
use crate::records::malformed;
use crate::{Error, Result};

const KEYSPACE: &str = "pool";
const CACHE_BYTES: u64 = 64 << 20;
const JOURNAL_BYTES_MAX: u64 = 192 << 20;
const MEMTABLE_BYTES_MAX: u64 = 24 << 20;
/// Fewer deletions than this are not worth merging tables for.
const DELETIONS_MIN: u64 = 50_000;

/// See the module.
pub(crate) struct FjallMeta {
    /// Fields are dropped in this order: the keyspace before its database.
    keyspace: Keyspace,
    database: Database,
    /// Number of the last batch that was written, and of the last that is durable.
    batch: AtomicU64,
    durable: AtomicU64,
    /// Keys that were deleted since space was last given back.
    deletions: AtomicU64,
    /// The memory's share of them is on its way to a table, or there.
    written_out: AtomicBool,
}

impl FjallMeta {
    /// Opens the store in `directory`, or creates it there.
    pub(crate) fn open(directory: &Path) -> Result<FjallMeta> {
        journal_repair::inspect(directory)?;
        let database = open_database(directory).map_err(|error| failed("open", &error))?;
        let keyspace = database
            .keyspace(KEYSPACE, || KeyspaceCreateOptions::default().max_memtable_size(MEMTABLE_BYTES_MAX))
            .map_err(|error| failed("open", &error))?;
        let mark = keyspace.get(MARK_KEY).map_err(|error| failed("read", &error))?;
        let mark = mark.map_or(Ok(Mark::default()), |value| Mark::decode(&value));
        let mark = mark.map_err(|Malformed| malformed("journal mark", &MARK_KEY))?;
        let (batch, durable) = (AtomicU64::new(mark.batch), AtomicU64::new(mark.durable));
        Ok(FjallMeta {
            keyspace,
            database,
            batch,
            durable,
            deletions: AtomicU64::new(0),
            written_out: AtomicBool::new(false),
        })
    }

    /// The mark of the next batch.
    fn mark_next(&self) -> Mark {
        let batch = self.batch.fetch_add(1, Ordering::SeqCst).saturating_add(1);
        Mark { batch, durable: self.durable.load(Ordering::SeqCst) }
    }
}

impl Drop for FjallMeta {
    /// Vouches for the last group, if all that was written is durable. It need not be durable itself.
    fn drop(&mut self) {
        if self.batch.load(Ordering::SeqCst) == self.durable.load(Ordering::SeqCst) {
            let _ = self.write(Batch::default());
        }
    }
}

fn open_database(directory: &Path) -> fjall::Result<Database> {
    Database::builder(directory)
        .manual_journal_persist(true)
        .journal_compression(CompressionType::None)
        .max_journaling_size(JOURNAL_BYTES_MAX)
        .cache_size(CACHE_BYTES)
        .worker_threads(2)
        .open()
}

fn failed(action: &str, error: &fjall::Error) -> Error {
    Error::Meta(format!("cannot {action}: {error:?}; check the disk and the log, then restart"))
}

impl MetaView for FjallMeta {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        let value = self.keyspace.get(key).map_err(|error| failed("read", &error))?;
        Ok(value.map(|value| Bytes::copy_from_slice(&value)))
    }

    fn scan(&self, range: Range<Key>, visit: &mut Visit<'_>) -> Result<()> {
        scan(&self.database.snapshot(), &self.keyspace, range, visit)
    }
}

impl MetaStore for FjallMeta {
    fn write(&self, batch: Batch) -> Result<()> {
        let mut writing = self.database.batch();
        let mut deletions = 0;
        for (key, value) in batch.changes {
            match value {
                Some(value) => writing.insert(&self.keyspace, key, &value[..]),
                None => {
                    writing.remove(&self.keyspace, key);
                    deletions += 1;
                }
            }
        }
        writing.insert(&self.keyspace, MARK_KEY, self.mark_next().encode());
        self.deletions.fetch_add(deletions, Ordering::Relaxed);
        writing.commit().map_err(|error| failed("write", &error))
    }

    fn make_durable(&self) -> Result<()> {
        let covered = self.batch.load(Ordering::SeqCst);
        self.database.persist(PersistMode::SyncData).map_err(|error| failed("sync", &error))?;
        // If a worker of fjall synced the journal just before, and failed, the kernel has told it alone, and this sync of the same file then
        // succeeds without the pages. The worker has said so by now, and fjall refuses everything from then on.
        self.database.persist(PersistMode::Buffer).map_err(|error| failed("sync", &error))?;
        self.durable.store(covered, Ordering::SeqCst);
        Ok(())
    }

    /// Tables keep deleted keys until they are merged with older ones, which fjall does when there are more tables, not
    /// when there are more deletions.
    fn give_back(&self) -> Result<()> {
        let deletions = self.deletions.load(Ordering::Relaxed);
        if deletions < DELETIONS_MIN.max(self.keyspace.approximate_len() as u64 / 4) {
            return Ok(());
        }
        if !self.written_out.swap(true, Ordering::Relaxed) {
            self.keyspace.rotate_memtable().map_err(|error| failed("write out a table", &error))?;
        }
        if self.keyspace.sealed_memtable_count() > 0 {
            // Merging is for the next call, when the table is there.
            return Ok(());
        }
        self.keyspace.major_compact().map_err(|error| failed("merge tables", &error))?;
        self.deletions.fetch_sub(deletions, Ordering::Relaxed);
        self.written_out.store(false, Ordering::Relaxed);
        Ok(())
    }

    fn snapshot(&self) -> Result<Arc<dyn MetaView>> {
        Ok(Arc::new(FjallView { keyspace: self.keyspace.clone(), snapshot: self.database.snapshot() }))
    }
}

fn scan(snapshot: &Snapshot, keyspace: &Keyspace, range: Range<Key>, visit: &mut Visit<'_>) -> Result<()> {
    if range.is_empty() {
        return Ok(());
    }
    for pair in snapshot.range(keyspace, range) {
        let (key, value) = pair.into_inner().map_err(|error| failed("read", &error))?;
        if visit(&key, &value)? == ControlFlow::Break(()) {
            break;
        }
    }
    Ok(())
}

/// All keys and values as of one instant; what they take is kept until this is dropped.
struct FjallView {
    snapshot: Snapshot,
    keyspace: Keyspace,
}

impl MetaView for FjallView {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        let value = self.snapshot.get(&self.keyspace, key).map_err(|error| failed("read", &error))?;
        Ok(value.map(|value| Bytes::copy_from_slice(&value)))
    }

    fn scan(&self, range: Range<Key>, visit: &mut Visit<'_>) -> Result<()> {
        scan(&self.snapshot, &self.keyspace, range, visit)
    }
}
