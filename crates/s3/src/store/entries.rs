//! Reading entries, inside a change and outside.

use forebay_pool::{BucketChange, BucketEntry, Pool, Result, Seek, Table, VolumeId};

/// The entries of a bucket, as a change sees them, or as they are stored.
pub trait Entries {
    /// The entry with this key and version.
    fn entry(&self, table: Table, key: &[u8], version: u64) -> Result<Option<BucketEntry>>;

    /// The first entries from `from` on whose keys begin with `prefix`.
    fn entries(
        &self,
        table: Table,
        prefix: &[u8],
        from: &Seek<'_>,
        entries_max: usize,
    ) -> Result<Vec<BucketEntry>>;

    /// The newest version of a key.
    fn newest(&self, table: Table, key: &[u8]) -> Result<Option<BucketEntry>> {
        let found = self.entries(table, key, &Seek::Key(key), 1)?;
        Ok(found.into_iter().next().filter(|entry| entry.key == key))
    }
}

impl Entries for BucketChange<'_, '_> {
    fn entry(&self, table: Table, key: &[u8], version: u64) -> Result<Option<BucketEntry>> {
        self.get(table, key, version)
    }
    fn entries(
        &self,
        table: Table,
        prefix: &[u8],
        from: &Seek<'_>,
        entries_max: usize,
    ) -> Result<Vec<BucketEntry>> {
        self.scan(table, prefix, from, entries_max)
    }
}

/// The entries of a bucket as they are stored.
#[derive(Clone)]
pub struct Stored {
    /// The pool.
    pub pool: Pool,
    /// The bucket's id.
    pub bucket: VolumeId,
}

impl Entries for Stored {
    fn entry(&self, table: Table, key: &[u8], version: u64) -> Result<Option<BucketEntry>> {
        self.pool.bucket_entry(self.bucket, table, key, version)
    }
    fn entries(
        &self,
        table: Table,
        prefix: &[u8],
        from: &Seek<'_>,
        entries_max: usize,
    ) -> Result<Vec<BucketEntry>> {
        self.pool.bucket_scan(self.bucket, table, prefix, from, entries_max)
    }
}
