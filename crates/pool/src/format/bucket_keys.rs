//! The keys of a bucket's entries, which sort as the entries' own keys do.
//!
//! ```text
//! 25 volume:4 table:1 key, escaped ~version:8 ~epoch:8
//! ```
//!
//! A zero byte of an entry's key is stored as `00 FF`, and `00 01` ends the key. So stored keys have the order of the
//! entries' keys, byte by byte, a prefix of a key is a prefix of the stored key, and no other key's entries lie between the
//! versions of one key. The version is complemented: the newest comes first.

use std::ops::Range;

use super::keys::{BUCKET_ENTRY, Builder, Item, Key, starting_with};
use crate::{Seek, Table, VolumeId};

const ESCAPED: &[u8] = &[0x00, 0xff];
const END: &[u8] = &[0x00, 0x01];
/// Where the table's number is in a stored key.
const TABLE_AT: usize = 5;
const VERSION_BYTES: usize = 8;
const EPOCH_BYTES: usize = 8;

fn escape(key: &[u8], into: &mut Vec<u8>) {
    for byte in key {
        match byte {
            0 => into.extend_from_slice(ESCAPED),
            other => into.push(*other),
        }
    }
}

/// The key without escapes, and the bytes behind its end.
fn unescape(mut bytes: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut key = Vec::with_capacity(bytes.len());
    loop {
        match bytes {
            [0x00, 0x01, rest @ ..] => return Some((key, rest)),
            [0x00, 0xff, rest @ ..] => {
                key.push(0);
                bytes = rest;
            }
            [0x00, ..] | [] => return None,
            [byte, rest @ ..] => {
                key.push(*byte);
                bytes = rest;
            }
        }
    }
}

/// The table and the key, as the bytes of an item begin.
fn table_and_key(table: Table, key: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(key.len() + VERSION_BYTES + 3);
    bytes.push(table.0);
    escape(key, &mut bytes);
    bytes
}

/// A version of a key.
pub(crate) fn item(table: Table, key: &[u8], version: u64) -> Item {
    let mut bytes = table_and_key(table, key);
    bytes.extend_from_slice(END);
    bytes.extend_from_slice(&(!version).to_be_bytes());
    Item::bucket_entry(&bytes)
}

fn stored(bucket: VolumeId, bytes: &[u8]) -> Key {
    Builder::new(BUCKET_ENTRY).volume(bucket).bytes(bytes).0
}

/// The stored keys of a table from `from` on whose keys begin with `prefix`.
pub(crate) fn range(bucket: VolumeId, table: Table, prefix: &[u8], from: &Seek<'_>) -> Range<Key> {
    let all = starting_with(stored(bucket, &table_and_key(table, prefix)));
    let start = match from {
        Seek::Start => return all,
        Seek::Key(key) => stored(bucket, &table_and_key(table, key)),
        Seek::PastPrefix(prefix) => starting_with(stored(bucket, &table_and_key(table, prefix))).end,
        Seek::PastKey(key) => {
            let mut bytes = table_and_key(table, key);
            bytes.extend_from_slice(END);
            starting_with(stored(bucket, &bytes)).end
        }
        Seek::PastVersion(key, version) => item(table, key, *version).past(bucket),
    };
    let start = start.max(all.start);
    start.clone()..all.end.max(start)
}

/// The parts of a stored key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EntryKey {
    pub(crate) table: Table,
    pub(crate) key: Vec<u8>,
    pub(crate) version: u64,
}

/// The parts of a stored key; `None` if it is malformed.
pub(crate) fn parts_of(stored: &[u8]) -> Option<EntryKey> {
    let table = Table(*stored.get(TABLE_AT)?);
    let bytes = stored.get(TABLE_AT + 1..stored.len().checked_sub(EPOCH_BYTES)?)?;
    let (key, rest) = unescape(bytes)?;
    Some(EntryKey { table, key, version: !u64::from_be_bytes(rest.try_into().ok()?) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::keys::EPOCH_FIRST;

    /// A key and a version.
    type Version = (Vec<u8>, u64);

    const BUCKET: VolumeId = VolumeId(7);
    const TABLE: Table = Table(3);

    fn keys() -> Vec<Vec<u8>> {
        let bytes: [u8; 5] = [0x00, 0x01, 0x02, 0xfe, 0xff];
        let mut keys: Vec<Vec<u8>> = vec![b"a".to_vec(), b"a/b".to_vec(), vec![0xff; 1024], vec![0; 1024]];
        for one in bytes {
            keys.push(vec![one]);
            for two in bytes {
                keys.push(vec![one, two]);
                keys.extend(bytes.map(|three| vec![one, two, three]));
            }
        }
        keys.sort();
        keys.dedup();
        keys
    }

    #[test]
    fn stored_keys_sort_by_key_and_then_by_version_newest_first() {
        let mut stored = Vec::new();
        for key in keys() {
            for version in [u64::MAX, 256, 255, 1, 0] {
                let at = item(TABLE, &key, version).at(BUCKET, EPOCH_FIRST);
                let parts = EntryKey { table: TABLE, key: key.clone(), version };
                assert_eq!(parts_of(&at), Some(parts), "{key:x?}");
                stored.push(at);
            }
        }
        assert!(stored.is_sorted());
    }

    #[test]
    fn a_range_has_exactly_the_keys_that_it_says() {
        let all: Vec<Version> =
            keys().into_iter().flat_map(|key| [2, 1].map(|version| (key.clone(), version))).collect();
        let found = |prefix: &[u8], from: Seek<'_>| {
            let range = range(BUCKET, TABLE, prefix, &from);
            let at = |key: &[u8], version| item(TABLE, key, version).at(BUCKET, EPOCH_FIRST);
            let inside = all.iter().filter(|(key, version)| range.contains(&at(key, *version)));
            inside.cloned().collect::<Vec<_>>()
        };
        let expected = |keep: &dyn Fn(&Version) -> bool| {
            all.iter().filter(|entry| keep(entry)).cloned().collect::<Vec<_>>()
        };
        for key in &keys() {
            assert_eq!(found(key, Seek::Start), expected(&|entry| entry.0.starts_with(key)));
            assert_eq!(found(b"", Seek::Key(key)), expected(&|entry| entry.0 >= *key));
            assert_eq!(found(b"", Seek::PastKey(key)), expected(&|entry| entry.0 > *key));
            let behind = |entry: &Version| entry.0 > *key || (entry.0 == *key && entry.1 < 2);
            assert_eq!(found(b"", Seek::PastVersion(key, 2)), expected(&behind));
            let past = |entry: &Version| entry.0 > *key && !entry.0.starts_with(key);
            assert_eq!(found(b"", Seek::PastPrefix(key)), expected(&past), "{key:x?}");
            let both = |entry: &Version| entry.0.starts_with(b"\x01") && entry.0 >= *key;
            assert_eq!(found(b"\x01", Seek::Key(key)), expected(&both));
        }
    }

    #[test]
    fn a_malformed_key_is_refused() {
        let good = item(TABLE, b"a\0b", 5).at(BUCKET, EPOCH_FIRST);
        for length in 0..good.len() {
            assert_eq!(parts_of(&good[..length]), None);
        }
    }
}
