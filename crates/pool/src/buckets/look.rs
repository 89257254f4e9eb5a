//! Reads the entries of buckets.

use std::ops::ControlFlow;

use bytes::Bytes;

use crate::buckets::draft::require_bucket;
use crate::engine::Engine;
use crate::format::bucket_keys::{self, EntryKey};
use crate::format::records::{BucketEntryRecord, Record, malformed};
use crate::{BucketEntry, Result, Seek, Table, VolumeId};

impl Engine {
    /// The entry with this key and version.
    pub(crate) fn bucket_entry(
        &self,
        bucket: VolumeId,
        table: Table,
        key: &[u8],
        version: u64,
    ) -> Result<Option<BucketEntry>> {
        require_bucket(self, bucket)?;
        let record: Option<BucketEntryRecord> = self.item(bucket, &bucket_keys::item(table, key, version))?;
        Ok(record.map(|record| entry_of(bucket, Bytes::copy_from_slice(key), version, record)))
    }

    /// The newest version of a key.
    pub(crate) fn bucket_newest(
        &self,
        bucket: VolumeId,
        table: Table,
        key: &[u8],
    ) -> Result<Option<BucketEntry>> {
        let found = self.bucket_scan(bucket, table, key, &Seek::Key(key), 1)?;
        Ok(found.into_iter().next().filter(|entry| entry.key == key))
    }

    /// Up to `entries_max` entries from `from` on whose keys begin with `prefix`, in order.
    pub(crate) fn bucket_scan(
        &self,
        bucket: VolumeId,
        table: Table,
        prefix: &[u8],
        from: &Seek<'_>,
        entries_max: usize,
    ) -> Result<Vec<BucketEntry>> {
        require_bucket(self, bucket)?;
        let range = |volume| bucket_keys::range(volume, table, prefix, from);
        self.look(bucket, |view| {
            let mut entries = Vec::new();
            if entries_max == 0 {
                return Ok(entries);
            }
            view.scan(&*self.stores.meta, &range, entries_max, &mut |key, value| {
                entries.push(decode(bucket, key, value)?);
                let is_full = entries.len() >= entries_max;
                Ok(if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            })?;
            Ok(entries)
        })
    }
}

/// The entry that is stored under this key.
pub(crate) fn decode(bucket: VolumeId, stored: &[u8], value: &[u8]) -> Result<BucketEntry> {
    let EntryKey { key, version, .. } =
        bucket_keys::parts_of(stored).ok_or_else(|| malformed(BucketEntryRecord::NAME, stored))?;
    let record = BucketEntryRecord::decode(stored, value)?;
    Ok(entry_of(bucket, key.into(), version, record))
}

pub(crate) fn entry_of(bucket: VolumeId, key: Bytes, version: u64, record: BucketEntryRecord) -> BucketEntry {
    BucketEntry { key, version, content: record.handle(bucket), facts: record.facts }
}
