//! A table of a bucket as the source of a listing.

use forebay_pool::{BucketEntry, Error, Result, Seek, Table};

use super::entries::{Entries, Stored};
use super::version::Version;
use crate::listing::{Entry, Position, Source};

/// A table of a bucket, as a source of entries with decoded facts.
pub struct TableSource<'a, T> {
    /// The bucket's entries.
    pub stored: &'a Stored,
    /// The table.
    pub table: Table,
    /// Only keys with this prefix.
    pub prefix: &'a str,
    /// Decodes an entry, and says whether it hides its key from listings of current objects.
    pub decode: fn(BucketEntry) -> Result<(T, bool)>,
}

impl<T> Source for TableSource<'_, T> {
    type Item = T;
    type Error = Error;

    fn seek(&mut self, from: &Position, limit: usize) -> Result<Vec<Entry<T>>> {
        // The newest version has the largest number, and the smallest rank.
        let seek = match from.rank {
            0 => Seek::Key(&from.key),
            rank => Seek::PastVersion(&from.key, (u64::MAX - rank).saturating_add(1)),
        };
        let found = self.stored.entries(self.table, self.prefix.as_bytes(), &seek, limit)?;
        let entry = |entry: BucketEntry| {
            let key = String::from_utf8(entry.key.to_vec())
                .map_err(|_| Error::Damaged("the key of an object is not UTF-8".into()))?;
            let rank = u64::MAX - entry.version;
            let (item, hidden) = (self.decode)(entry)?;
            Ok(Entry { key, rank, hidden, item })
        };
        found.into_iter().map(entry).collect()
    }
}

/// Decodes an entry of the table of objects for a [`TableSource`]. A delete marker hides its key.
pub fn object_of(entry: BucketEntry) -> Result<(Version, bool)> {
    let version = Version::of(entry)?;
    let is_marker = version.facts.delete_marker;
    Ok((version, is_marker))
}
