//! Which keys belong together, for metadata stores that are not in the same machine: see [`Unit`].

use std::ops::Range;

use crate::format::keys::{self, Key};

/// A table for keys with the same life. A store may use one for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Table {
    /// Everything else: volumes, inodes, names, segments, records of protocols. Some of it changes with every write.
    Hot,
    /// Extents of files. Created by writes and deleted by retention, seldom changed.
    Extent,
    /// Records of chunks. Their reference counts change.
    Chunk,
}

impl Table {
    /// All tables.
    pub const ALL: [Table; 3] = [Table::Hot, Table::Extent, Table::Chunk];

    /// The table of a key.
    pub fn of(key: &[u8]) -> Table {
        match key.first() {
            Some(&keys::EXTENT) => Table::Extent,
            Some(&keys::CHUNK) => Table::Chunk,
            _ => Table::Hot,
        }
    }

    /// The ranges of keys that a table has, in order.
    pub fn ranges(self) -> Vec<Range<Key>> {
        let kind = |kind: u8| vec![kind]..vec![kind + 1];
        match self {
            Table::Extent => vec![kind(keys::EXTENT)],
            Table::Chunk => vec![kind(keys::CHUNK)],
            Table::Hot => vec![
                Vec::new()..vec![keys::EXTENT],
                vec![keys::EXTENT + 1]..vec![keys::CHUNK],
                vec![keys::CHUNK + 1]..keys::end(),
            ],
        }
    }
}

/// Keys that are used together, so that a cache should load them together: those with a common prefix. A key is in one unit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Unit(Key);

/// Bytes of a key before the inode, and with it: kind, volume, inode.
const VOLUME_BYTES: usize = 1 + 4;
const INODE_BYTES: usize = VOLUME_BYTES + 8;

impl Unit {
    /// The unit of a key: of a volume's inodes, a directory's names, a file's extents or extended attributes, a chunk, or of everything of
    /// one kind.
    pub fn of(key: &[u8]) -> Unit {
        Unit(Unit::prefix_of(key).to_vec())
    }

    /// The prefix of the key's unit.
    pub fn prefix_of(key: &[u8]) -> &[u8] {
        let length = match key.first() {
            Some(&(keys::INODE | keys::ORPHAN)) => VOLUME_BYTES,
            Some(&(keys::ENTRY | keys::EXTENT | keys::XATTR)) => INODE_BYTES,
            // A bucket may have any number of entries.
            Some(&(keys::BUCKET_ENTRY | keys::CHUNK)) => key.len(),
            _ => 1,
        };
        key.get(..length).unwrap_or(key)
    }

    /// The prefix of a part of the unit that has the key, for when the unit is too large: what belongs to one inode, or the key alone.
    pub fn small_prefix_of(key: &[u8]) -> &[u8] {
        let length = match key.first() {
            Some(&(keys::INODE | keys::ORPHAN)) => INODE_BYTES,
            _ => key.len(),
        };
        key.get(..length).unwrap_or(key)
    }

    /// The unit that has all keys of a range, if there is one; with `small`, the part of it.
    pub fn of_range(range: &Range<Key>, small: bool) -> Option<Unit> {
        let prefix = if small { Unit::small_prefix_of(&range.start) } else { Unit::prefix_of(&range.start) };
        let unit = Unit(prefix.to_vec());
        (has_many(prefix) && range.end <= unit.range().end).then_some(unit)
    }

    /// The range of the keys of the unit with this prefix.
    pub fn range_of(prefix: &[u8]) -> Range<Key> {
        let end = if has_many(prefix) { after_prefix(prefix) } else { [prefix, &[0]].concat() };
        prefix.to_vec()..end
    }

    /// The range of the unit's keys.
    pub fn range(&self) -> Range<Key> {
        Unit::range_of(&self.0)
    }

    /// The unit's prefix.
    pub fn prefix(&self) -> &[u8] {
        &self.0
    }
}

/// Whether a unit with this prefix has all keys that begin with it. Otherwise it is a whole key, and has that one only.
fn has_many(prefix: &[u8]) -> bool {
    match prefix.first() {
        Some(&(keys::INODE | keys::ORPHAN)) => [VOLUME_BYTES, INODE_BYTES].contains(&prefix.len()),
        Some(&(keys::ENTRY | keys::EXTENT | keys::XATTR)) => prefix.len() == INODE_BYTES,
        Some(&(keys::BUCKET_ENTRY | keys::CHUNK)) | None => false,
        Some(_) => prefix.len() == 1,
    }
}

/// The first key that is larger than all keys with this prefix.
fn after_prefix(prefix: &[u8]) -> Key {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < u8::MAX {
            end.push(last + 1);
            return end;
        }
    }
    vec![u8::MAX; prefix.len() + 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::keys::{ChunkId, EPOCH_FIRST, Item};
    use crate::{InodeId, VolumeId};

    fn extent(inode: u64, offset: u64) -> Key {
        Item::extent(InodeId(inode), offset).at(VolumeId(3), EPOCH_FIRST)
    }

    #[test]
    fn the_extents_of_a_file_are_one_unit() {
        let unit = Unit::of(&extent(7, 0));
        assert_eq!(unit, Unit::of(&extent(7, u64::MAX)));
        assert_ne!(unit, Unit::of(&extent(8, 0)));
        assert!(unit.range().contains(&extent(7, 5)) && !unit.range().contains(&extent(8, 0)));
        assert_eq!(Unit::of_range(&(extent(7, 3)..extent(7, 90)), false), Some(unit.clone()));
        assert_eq!(Unit::of_range(&unit.range(), false), Some(unit));
        assert_eq!(Unit::of_range(&(extent(7, 3)..extent(8, 0)), false), None);
    }

    #[test]
    fn the_inodes_of_a_volume_are_one_unit_and_one_inode_a_small_one() {
        let key = |inode| Item::inode(InodeId(inode)).at(VolumeId(3), EPOCH_FIRST);
        assert_eq!(Unit::of(&key(1)), Unit::of(&key(2)));
        assert_ne!(Unit::small_prefix_of(&key(1)), Unit::small_prefix_of(&key(2)));
        assert!(key(1).starts_with(Unit::small_prefix_of(&key(1))));
    }

    #[test]
    fn a_key_that_is_cut_short_is_no_unit() {
        let chunk = keys::chunk(ChunkId([9; 32]));
        assert_eq!(Unit::of(&chunk).range(), chunk.clone()..[&chunk[..], &[0]].concat());
        assert_eq!(Unit::of_range(&(chunk.clone()..after_prefix(&chunk)), false), None);
        assert_eq!(Unit::of_range(&keys::chunks(), false), None);
        assert_eq!(Unit::of_range(&(vec![keys::INODE, 0]..vec![keys::INODE, 1]), false), None);
        assert_eq!(
            Unit::of_range(&(vec![keys::EXTENT, 0, 0, 0, 1]..vec![keys::EXTENT, 0, 0, 0, 2]), false),
            None
        );
        assert_eq!(Unit::of_range(&(Vec::new()..vec![255]), false), None);
        let segments = keys::segments();
        assert_eq!(Unit::of_range(&segments, false), Some(Unit::of(&segments.start)));
        let inode = Item::inode(InodeId(1)).at(VolumeId(3), EPOCH_FIRST);
        let one = inode[..INODE_BYTES].to_vec()..after_prefix(&inode[..INODE_BYTES]);
        assert_eq!(Unit::of_range(&one, false).map(|unit| unit.prefix().len()), Some(VOLUME_BYTES));
        assert_eq!(Unit::of_range(&one, true).map(|unit| unit.range()), Some(one));
    }

    #[test]
    fn every_key_is_in_one_table() {
        for kind in 0..u8::MAX {
            let key = vec![kind, 1, 2];
            let tables = Table::ALL
                .into_iter()
                .filter(|table| table.ranges().iter().any(|range| range.contains(&key)));
            assert_eq!(tables.collect::<Vec<_>>(), [Table::of(&key)], "{kind}");
        }
    }
}
