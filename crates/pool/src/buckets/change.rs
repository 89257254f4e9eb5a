//! Changes of a bucket's entries: one function of the caller, one atomic batch.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::Bytes;

use crate::buckets::draft::require_bucket;
use crate::buckets::look::entry_of;
use crate::engine::Engine;
use crate::engine::txn::Txn;
use crate::format::bucket_keys;
use crate::format::keys::{InodeKey, Item, Key};
use crate::format::records::{BucketEntryRecord, OrphanRecord};
use crate::parts::inode::Inode;
use crate::tree::namespace::lose_name;
use crate::{
    BUCKET_FACTS_BYTES_MAX, BUCKET_KEY_BYTES_MAX, BucketEntry, Draft, Error, Handle, Result, Seek, Table,
    VolumeId,
};

/// Entries that one change may write or remove.
const ENTRIES_MAX: usize = 4096;
/// Bytes of facts that one change may write.
const FACTS_BYTES_MAX: usize = 4 << 20;

/// The content of an entry that is put.
#[derive(Debug)]
pub enum EntryContent {
    /// No content. What a replaced entry owned is freed.
    None,
    /// What the replaced entry owns, if there is one.
    Keep,
    /// This draft, of the same bucket. Everything written to it must have been committed.
    Draft(Draft),
}

/// A change of a bucket, while the caller's function assembles it. It sees what it has staged itself.
pub struct BucketChange<'change, 'engine> {
    txn: &'change mut Txn<'engine>,
    bucket: VolumeId,
    entries: usize,
    bytes: usize,
}

impl Engine {
    /// Runs `change` in the committer, and makes everything that it staged durable, in one batch. Returns what it returned. If
    /// it fails, nothing is changed, and its error is returned at once.
    pub(crate) async fn bucket_change<T, F>(self: &Arc<Self>, bucket: VolumeId, change: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut BucketChange<'_, '_>) -> Result<T> + Send + 'static,
    {
        self.transact(move |txn| {
            require_bucket(txn.engine, bucket)?;
            run(txn, bucket, change)
        })
        .await
    }
}

/// Runs the caller's function. A panic in it must not end the committer.
pub(crate) fn run<T>(
    txn: &mut Txn<'_>,
    bucket: VolumeId,
    change: impl FnOnce(&mut BucketChange<'_, '_>) -> Result<T>,
) -> Result<T> {
    let mut staged = BucketChange { txn, bucket, entries: 0, bytes: 0 };
    match catch_unwind(AssertUnwindSafe(|| change(&mut staged))) {
        Ok(outcome) => outcome,
        Err(_) => Err(Error::Invalid(crate::Argument {
            argument: Some("change of a bucket".into()),
            problem: "the function that assembles it panicked".into(),
        })),
    }
}

impl BucketChange<'_, '_> {
    /// The bucket's id.
    pub fn bucket(&self) -> VolumeId {
        self.bucket
    }

    /// The entry with this key and version.
    pub fn get(&self, table: Table, key: &[u8], version: u64) -> Result<Option<BucketEntry>> {
        let item = bucket_keys::item(table, key, version);
        let record: Option<BucketEntryRecord> = self.txn.item(self.bucket, &item)?;
        Ok(record.map(|record| entry_of(self.bucket, Bytes::copy_from_slice(key), version, record)))
    }

    /// The newest version of a key.
    pub fn newest(&self, table: Table, key: &[u8]) -> Result<Option<BucketEntry>> {
        let found = self.scan(table, key, &Seek::Key(key), 1)?;
        Ok(found.into_iter().next().filter(|entry| entry.key == key))
    }

    /// Up to `entries_max` entries from `from` on whose keys begin with `prefix`, in order. Keep the number small: every other
    /// change of the pool waits meanwhile.
    pub fn scan(
        &self,
        table: Table,
        prefix: &[u8],
        from: &Seek<'_>,
        entries_max: usize,
    ) -> Result<Vec<BucketEntry>> {
        let range = bucket_keys::range(self.bucket, table, prefix, from);
        let staged: BTreeMap<Key, Option<Bytes>> = self.txn.staged(range.clone()).collect();
        let mut found: BTreeMap<Key, Bytes> = BTreeMap::new();
        // A bucket has no snapshots, so each entry is stored once.
        self.txn.engine.stores.meta.scan(range, &mut |key, value| {
            if !staged.contains_key(key) {
                found.insert(key.to_vec(), Bytes::copy_from_slice(value));
            }
            let is_full = found.len() >= entries_max;
            Ok(if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        found.extend(staged.into_iter().filter_map(|(key, value)| Some((key, value?))));
        let entries = found.into_iter().take(entries_max);
        entries.map(|(key, value)| crate::buckets::look::decode(self.bucket, &key, &value)).collect()
    }

    /// Stages an entry. It replaces one with the same key and version.
    pub fn put(
        &mut self,
        table: Table,
        key: &[u8],
        version: u64,
        facts: Bytes,
        content: EntryContent,
    ) -> Result<()> {
        check_key(key)?;
        if facts.len() > BUCKET_FACTS_BYTES_MAX {
            return Err(Error::invalid(
                "facts of a bucket's entry",
                format!("must be at most {BUCKET_FACTS_BYTES_MAX} bytes"),
            ));
        }
        self.count(facts.len())?;
        self.txn.engine.require_room(facts.len() as u64)?;
        let item = bucket_keys::item(table, key, version);
        let before: Option<BucketEntryRecord> = self.txn.item(self.bucket, &item)?;
        let owned = before.as_ref().and_then(|before| before.content);
        let content = match content {
            EntryContent::None => None,
            EntryContent::Keep => owned,
            EntryContent::Draft(draft) => Some(self.take(draft)?),
        };
        if content != owned {
            self.lose(owned)?;
        }
        let record = BucketEntryRecord { content, facts };
        self.account(record.bytes() - before.map_or(0, |before| before.bytes()))?;
        self.txn.put_item(self.bucket, &item, &record)
    }

    /// Stages the removal of an entry, and of its content. Returns whether there was one.
    pub fn remove(&mut self, table: Table, key: &[u8], version: u64) -> Result<bool> {
        let item = bucket_keys::item(table, key, version);
        let before: Option<BucketEntryRecord> = self.txn.item(self.bucket, &item)?;
        let Some(before) = before else { return Ok(false) };
        self.count(0)?;
        self.lose(before.content)?;
        self.account(-before.bytes())?;
        self.txn.remove_item(self.bucket, &item)?;
        Ok(true)
    }

    /// Makes a draft the content of an entry: it gets a link, and is no orphan any more.
    fn take(&mut self, draft: Draft) -> Result<(crate::InodeId, u32)> {
        let handle = draft.handle;
        if handle.volume != self.bucket {
            return Err(Error::CrossVolume);
        }
        let inode = self.txn.inode(handle)?;
        let item = Item::orphan(handle.inode);
        let orphan: Option<OrphanRecord> = self.txn.item(self.bucket, &item)?;
        let mut record = self.txn.record(&inode)?;
        let is_free = orphan == Some(OrphanRecord { freeing: false }) && record.nlink == 0;
        if !is_free {
            return Err(Error::Stale);
        }
        require_committed(&inode)?;
        record.nlink = 1;
        self.txn.touch(&inode, record);
        self.txn.remove_item(self.bucket, &item)?;
        let usage = self.txn.usage(self.bucket)?;
        usage.orphans = usage.orphans.saturating_sub(1);
        // The draft is held until the batch is applied, so nobody takes it for an orphan to free.
        self.txn.then(move |_| drop(draft));
        Ok((handle.inode, handle.generation))
    }

    /// Takes content from its entry.
    fn lose(&mut self, content: Option<(crate::InodeId, u32)>) -> Result<()> {
        let Some((id, generation)) = content else { return Ok(()) };
        let key = InodeKey { volume: self.bucket, inode: id };
        let inode = self.txn.engine.inode_by_key(key)?;
        let expected = Handle { volume: self.bucket, inode: id, generation };
        match inode.filter(|inode| inode.handle == expected) {
            Some(inode) => lose_name(self.txn, &inode).map(drop),
            None => Err(Error::Damaged(format!(
                "an entry of bucket {} owns inode {}, which does not exist",
                self.bucket.0, id.0
            ))),
        }
    }

    fn account(&mut self, difference: i64) -> Result<()> {
        if self.txn.is_plain(self.bucket) {
            let usage = self.txn.usage(self.bucket)?;
            usage.bytes_inline = usage.bytes_inline.saturating_add_signed(difference);
        }
        Ok(())
    }

    /// Refuses a change that would hold up the committer for too long.
    fn count(&mut self, bytes: usize) -> Result<()> {
        self.entries += 1;
        self.bytes += bytes;
        if self.entries > ENTRIES_MAX || self.bytes > FACTS_BYTES_MAX {
            return Err(Error::invalid(
                "change of a bucket",
                format!("must have at most {ENTRIES_MAX} entries and {FACTS_BYTES_MAX} bytes"),
            ));
        }
        Ok(())
    }
}

fn check_key(key: &[u8]) -> Result<()> {
    match key.len() {
        1..=BUCKET_KEY_BYTES_MAX => Ok(()),
        _ => Err(Error::invalid(
            "key of a bucket's entry",
            format!("must have 1 to {BUCKET_KEY_BYTES_MAX} bytes"),
        )),
    }
}

/// Returns an error if content is only in memory: the record does not count it yet.
fn require_committed(inode: &Inode) -> Result<()> {
    let state = inode.live()?;
    if state.is_written() || state.flushing.is_some() {
        return Err(Error::invalid("draft", "must be committed before an entry takes it"));
    }
    Ok(())
}

impl BucketEntryRecord {
    /// The handle of the content.
    pub(crate) fn handle(&self, bucket: VolumeId) -> Option<Handle> {
        self.content.map(|(inode, generation)| Handle { volume: bucket, inode, generation })
    }
}
