//! The embedded metadata store: fjall, a log-structured merge tree.
//!
//! How fjall meets the contract of [`MetaStore`] (release 3.1, checked in its source):
//! - A batch is written to the journal between a start marker and an end marker with a checksum, under one lock, and then
//!   applied to the tree in memory. At opening, fjall cuts off an end without its start, and a start without its end.
//! - A memory table is written out as a whole, the older one first. So what survives a crash is a prefix of the batches, even
//!   if the tables are newer than the journals. That can happen after a power failure: a memory table that was sealed while the
//!   journal was being synced is written out together with the newer batches.
//! - Scans use a snapshot: `Keyspace::range` itself would show a half-applied batch.
//! - A failed write or sync poisons the database, which then refuses all operations, as the trait requires.
//! - What fjall leaves to us is to tell a journal that is torn after its last sync from one that is damaged before it. For that
//!   each batch carries a mark; see [`super::journal_repair`], which reads the journals first.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::ops::{ControlFlow, Range};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::Bytes;
use fjall::{CompressionType, Database, Keyspace, KeyspaceCreateOptions, PersistMode, Readable, Snapshot};
use lsm_tree::{AbstractTree, SeqNo, SequenceNumberCounter};

use super::journal_repair::{self, MARK_KEY, Mark, Survey};
use super::mirror::NewCopy;
use super::view::{Extent, View};
use super::{Batch, MetaStore, MetaView, PairedMeta, Position, Visit, structure};
use crate::format::codec::Malformed;
use crate::format::keys::Key;
use crate::format::records::malformed;
use crate::{Error, Mismatch, Permit, Result};

const KEYSPACE: &str = "pool";
/// The key in keyspace 0 under which fjall stores the name of keyspace 1.
const NAME_KEY: &[u8] = b"n\0\0\0\0\0\0\0\x01";
const CACHE_BYTES: u64 = 64 << 20;
/// A second copy is hardly read.
const CACHE_BYTES_OF_COPY: u64 = 4 << 20;
/// Batches that another copy lacks are taken from the journals if they are no longer than this.
const TAIL_BYTES_MAX: usize = 64 << 20;
const JOURNAL_BYTES_MAX: u64 = 192 << 20;
const MEMTABLE_BYTES_MAX: u64 = 24 << 20;
/// Merging tables is not worth the work for fewer deletions than this.
const DELETIONS_MIN: u64 = 50_000;

/// See the module.
pub(crate) struct FjallMeta {
    /// Fields are dropped in this order: the keyspace must go before its database.
    keyspace: Keyspace,
    database: Database,
    /// The number of the last written batch, and of the last durable one.
    batch: AtomicU64,
    durable: AtomicU64,
    /// Version of the tree of keyspace names, which does not change while the store is open.
    names_version: u64,
    /// Keys deleted since space was last reclaimed.
    deletions: AtomicU64,
    /// The memory table with these deletions has been handed over to be written to a table.
    written_out: AtomicBool,
    /// Whether batches have numbers. Those that fill a new copy have none.
    is_numbered: AtomicBool,
    directory: PathBuf,
}

/// What a store must contain if nothing was lost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expected {
    /// There must be no store yet.
    pub(crate) is_new: bool,
    /// It must hold all batches up to this number.
    pub(crate) batch: u64,
    /// The part of the pool that proves it, for error messages.
    pub(crate) witness: String,
    /// Its trees must be at least of these versions.
    pub(crate) tables: [u64; 2],
    /// Whether to open a store that ends too early, or is damaged after some batch, in the state of its last whole batch.
    pub(crate) accept: bool,
    /// A directory in which a small view may be created temporarily.
    pub(crate) view_parent: PathBuf,
    /// Whether the store is a second copy, which needs less memory.
    pub(crate) is_copy: bool,
    /// Asked before the store is changed by its opening.
    pub(crate) permit: Permit,
}

impl FjallMeta {
    /// Opens the store in `directory`, or creates it if `expected.is_new`. Returns an error and changes nothing if the store is not as expected.
    pub(crate) fn open(directory: &Path, expected: &Expected) -> Result<FjallMeta> {
        let mut tables = [0; 2];
        if !expected.is_new {
            // This creates a view beside the store for a moment.
            expected.permit.confirm()?;
            let survey;
            (tables, survey) = FjallMeta::look_at(directory, expected)?;
            survey.repair(&expected.permit)?;
        } else if directory.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
            let there = format!("metadata in {}", directory.display());
            return Err(Error::refused(Mismatch::NoFormat { there, format: crate::format::FORMAT }));
        }
        if !expected.is_new {
            expected.permit.confirm()?;
            restore_lock(&directory.join("lock"))?;
        }
        expected.permit.confirm()?;
        let database = guarded(directory, || open_database(directory, expected.is_copy))?;
        let options = || KeyspaceCreateOptions::default().max_memtable_size(MEMTABLE_BYTES_MAX);
        let keyspace = guarded(directory, || database.keyspace(KEYSPACE, options))?;
        if expected.is_new {
            tables = structure::inspect(directory, [0; 2])?;
        }
        let mark = keyspace.get(MARK_KEY).map_err(|error| failed("read", &error))?;
        let mark = mark.map_or(Ok(Mark::default()), |value| Mark::decode(&value));
        let mark = mark.map_err(|Malformed| malformed("journal mark", &MARK_KEY))?;
        let (batch, durable) = (AtomicU64::new(mark.batch), AtomicU64::new(mark.durable));
        Ok(FjallMeta {
            keyspace,
            database,
            batch,
            durable,
            names_version: tables[0],
            deletions: AtomicU64::new(0),
            written_out: AtomicBool::new(false),
            is_numbered: AtomicBool::new(true),
            directory: directory.to_path_buf(),
        })
    }

    /// Creates an empty store in `directory`, for a copy of another store.
    pub(crate) fn create_copy(directory: &Path, permit: &Permit) -> Result<FjallMeta> {
        let expected =
            Expected { is_new: true, is_copy: true, permit: permit.clone(), ..Expected::default() };
        let store = FjallMeta::open(directory, &expected)?;
        store.is_numbered.store(false, Ordering::SeqCst);
        Ok(store)
    }

    fn sync(&self) -> Result<()> {
        self.database.persist(PersistMode::SyncData).map_err(|error| failed("sync", &error))
    }

    /// Returns an error unless the store in `directory` is as expected. Changes nothing.
    pub(crate) fn examine(directory: &Path, expected: &Expected) -> Result<()> {
        FjallMeta::look_at(directory, expected).map(drop)
    }

    /// Returns the versions of the trees, and what the journals hold.
    fn look_at(directory: &Path, expected: &Expected) -> Result<([u64; 2], Survey)> {
        let tables = structure::inspect(directory, expected.tables)?;
        let in_tables = last_in_tables(directory, &expected.view_parent)?;
        let survey = journal_repair::survey(directory, in_tables, expected.accept)?;
        if survey.last < expected.batch && !expected.accept {
            let (found, known, witness) = (survey.last, expected.batch, expected.witness.clone());
            return Err(Error::refused(Mismatch::Behind { found, known, witness }));
        }
        Ok((tables, survey))
    }

    /// Returns the mark for the next batch.
    fn mark_next(&self) -> Mark {
        let batch = self.batch.fetch_add(1, Ordering::SeqCst).saturating_add(1);
        Mark { batch, durable: self.durable.load(Ordering::SeqCst) }
    }
}

impl Drop for FjallMeta {
    /// Writes a batch that vouches for the last group, if everything written is durable. The batch itself need not be durable.
    fn drop(&mut self) {
        let is_durable = self.batch.load(Ordering::SeqCst) == self.durable.load(Ordering::SeqCst);
        if is_durable && self.is_numbered.load(Ordering::SeqCst) {
            let _ = self.write(Batch::default());
        }
    }
}

fn open_database(directory: &Path, is_copy: bool) -> fjall::Result<Database> {
    Database::builder(directory)
        .manual_journal_persist(true)
        .journal_compression(CompressionType::None)
        .max_journaling_size(JOURNAL_BYTES_MAX)
        .cache_size(if is_copy { CACHE_BYTES_OF_COPY } else { CACHE_BYTES })
        .worker_threads(2)
        .open()
}

/// Returns the number of the last batch that the tables hold. They hold all earlier batches as well, because memory tables are
/// written out whole and in order. Opening a tree deletes the files that its current version does not name, so this function
/// opens a view instead.
fn last_in_tables(directory: &Path, view_parent: &Path) -> Result<u64> {
    let view = View::make(directory, view_parent, Extent::Tables)?;
    let get = |tree, key| get_alone(directory, &structure::tree(view.directory(), tree), key);
    let names = get(0, NAME_KEY)?;
    if names.is_none_or(|name| *name != *KEYSPACE.as_bytes()) {
        let part = structure::tree(directory, 0);
        return Err(Error::refused(Mismatch::MetadataPart {
            part,
            state: "not the one that belongs to keyspaces/1",
        }));
    }
    get(1, &MARK_KEY)?.map_or(Ok(0), |value| {
        let mark = Mark::decode(&value).map_err(|Malformed| malformed("journal mark", &MARK_KEY))?;
        Ok(mark.batch)
    })
}

/// fjall's lock file is empty, but fjall does not open a store without it.
fn restore_lock(path: &Path) -> Result<()> {
    let made = OpenOptions::new().write(true).create(true).truncate(false).open(path);
    made.map(drop).map_err(|source| Error::Io {
        path: path.to_path_buf(),
        action: "open the lock file",
        source,
    })
}

/// Reads one key of a tree that is not open, through a view of the store in `directory`.
fn get_alone(directory: &Path, tree: &Path, key: &[u8]) -> Result<Option<lsm_tree::UserValue>> {
    guarded(directory, || {
        let (sequence, visible) = (SequenceNumberCounter::default(), SequenceNumberCounter::default());
        Ok(lsm_tree::Config::new(tree, sequence, visible).open()?.get(key, SeqNo::MAX)?)
    })
}

/// Runs `open` on the store in `directory`, and turns errors and panics into mismatches: fjall panics on some kinds of damage.
fn guarded<T>(directory: &Path, open: impl FnOnce() -> fjall::Result<T>) -> Result<T> {
    let damaged = |what: String| Error::refused(Mismatch::MetadataDamaged(what));
    match std::panic::catch_unwind(AssertUnwindSafe(open)) {
        Ok(Ok(opened)) => Ok(opened),
        Ok(Err(fjall::Error::Io(source) | fjall::Error::Storage(lsm_tree::Error::Io(source)))) => {
            // The errors that a truncated or altered file leads to.
            let of_damage = [
                ErrorKind::InvalidInput,
                ErrorKind::InvalidData,
                ErrorKind::UnexpectedEof,
                ErrorKind::NotFound,
            ];
            if of_damage.contains(&source.kind()) {
                return Err(damaged("a table or a journal is missing or cut short".to_owned()));
            }
            let path = directory.to_path_buf();
            Err(Error::Io { path, action: "open the metadata store (check the disk: dmesg, SMART)", source })
        }
        Ok(Err(error)) => Err(damaged(described(&error))),
        Err(_) => Err(damaged("a table or a journal holds what is never written".to_owned())),
    }
}

/// Converts an error of an open store. fjall does not say where damage is.
fn failed(action: &'static str, error: &fjall::Error) -> Error {
    match error {
        fjall::Error::Io(source) | fjall::Error::Storage(lsm_tree::Error::Io(source)) => {
            Error::Meta(format!("cannot {action}: {source}; check the disk (dmesg, SMART)"))
        }
        fjall::Error::Poisoned => Error::Meta(format!(
            "cannot {action}: an earlier write or sync failed, so nothing is written any more; check the disk (dmesg, \
             SMART), then restart"
        )),
        other => Error::Damaged(format!(
            "cannot {action} metadata: {}; check the disk (dmesg, SMART), and run `forebay pool check` to list the affected files",
            described(other)
        )),
    }
}

/// Describes an error of fjall in words.
fn described(error: &fjall::Error) -> String {
    use lsm_tree::Error as Tree;
    match error {
        fjall::Error::Storage(Tree::ChecksumMismatch { .. }) => {
            "a block of a table does not match its checksum".into()
        }
        fjall::Error::Storage(Tree::Unrecoverable) | fjall::Error::Unrecoverable => {
            "a table is missing or damaged".into()
        }
        fjall::Error::Storage(Tree::InvalidVersion(_)) | fjall::Error::InvalidVersion(_) => {
            "a file is of another version of the key-value store".into()
        }
        fjall::Error::Storage(
            Tree::Decompress(_) | Tree::InvalidTag(_) | Tree::InvalidTrailer | Tree::InvalidHeader(_),
        )
        | fjall::Error::Decompress(_)
        | fjall::Error::InvalidTag(_)
        | fjall::Error::InvalidTrailer => "a table or a journal is damaged".into(),
        fjall::Error::Locked => "another process has it open".into(),
        other => format!("the key-value store says {other:?}"),
    }
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
        if self.is_numbered.load(Ordering::SeqCst) {
            writing.insert(&self.keyspace, MARK_KEY, self.mark_next().encode());
        }
        self.deletions.fetch_add(deletions, Ordering::Relaxed);
        writing.commit().map_err(|error| failed("write", &error))
    }

    fn make_durable(&self) -> Result<()> {
        let covered = self.batch.load(Ordering::SeqCst);
        self.sync()?;
        // If one of fjall's workers synced the journal just before this and failed, the kernel reported the error only to that
        // worker, and this sync of the same file then succeeds although pages were lost. By now the worker has poisoned the
        // database, so fjall refuses everything from here on.
        self.database.persist(PersistMode::Buffer).map_err(|error| failed("sync", &error))?;
        self.durable.store(covered, Ordering::SeqCst);
        Ok(())
    }

    fn position(&self) -> Position {
        let written = self.batch.load(Ordering::SeqCst);
        let durable = self.durable.load(Ordering::SeqCst);
        Position { written, durable, tables: [self.names_version, self.keyspace.tree.current_version().id()] }
    }

    /// Tables keep deleted keys until they are merged with older tables. fjall merges by the number of tables, not by the
    /// number of deletions.
    fn give_back(&self) -> Result<()> {
        let deletions = self.deletions.load(Ordering::Relaxed);
        if deletions < DELETIONS_MIN.max(self.keyspace.approximate_len() as u64 / 4) {
            return Ok(());
        }
        if !self.written_out.swap(true, Ordering::Relaxed) {
            self.keyspace.rotate_memtable().map_err(|error| failed("write out a table", &error))?;
        }
        if self.keyspace.sealed_memtable_count() > 0 {
            // The next call merges, once the table is written.
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

impl PairedMeta for FjallMeta {
    fn batches_after(&self, number: u64) -> Result<Option<Vec<Batch>>> {
        journal_repair::batches_after(&self.directory, number, TAIL_BYTES_MAX)
    }

    fn begin_write_out(&self) -> Result<()> {
        self.keyspace.rotate_memtable().map_err(|error| failed("write out a table", &error)).map(drop)
    }

    fn is_written_out(&self) -> Result<bool> {
        // Fails when the worker that writes the table has failed.
        self.database.persist(PersistMode::Buffer).map_err(|error| failed("write out a table", &error))?;
        Ok(self.keyspace.sealed_memtable_count() == 0)
    }

    fn keys_about(&self) -> u64 {
        self.keyspace.approximate_len() as u64
    }
}

impl NewCopy for FjallMeta {
    fn fill(&self, batch: Batch) -> Result<()> {
        self.write(batch)
    }

    /// The journal has no numbers up to here, so the next one must be in a table before the store is opened again.
    fn numbered(self: Arc<Self>, last: u64) -> Result<Arc<dyn PairedMeta>> {
        self.batch.store(last, Ordering::SeqCst);
        self.is_numbered.store(true, Ordering::SeqCst);
        Ok(self)
    }
}

fn scan(snapshot: &Snapshot, keyspace: &Keyspace, range: Range<Key>, visit: &mut Visit<'_>) -> Result<()> {
    if range.is_empty() {
        return Ok(());
    }
    let mut pairs = snapshot.range(keyspace, range);
    // fjall may panic on a table with content that fjall never writes.
    let mut next =
        || std::panic::catch_unwind(AssertUnwindSafe(|| pairs.next().map(fjall::Guard::into_inner)));
    loop {
        let next = next().map_err(|_| {
            Error::Damaged("cannot read metadata: a table holds what is never written".into())
        })?;
        let Some(pair) = next else { break };
        let (key, value) = pair.map_err(|error| failed("read", &error))?;
        if visit(&key, &value)? == ControlFlow::Break(()) {
            break;
        }
    }
    Ok(())
}

/// All keys and values at one instant. The store keeps them until this is dropped.
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
