//! The keys of the metadata store. All numbers are big-endian, so that keys sort as their fields do.
//!
//! ```text
//! 00 02                                                      the pool's state, where the metadata holds it (`store/witness/metadata.rs`)
//! 01                                                         pool record
//! 02                                                         counters: next inode, next volume
//! 03 boot:8                                                  mark of a start
//! 10 volume:4                                                volume record
//! 11 volume:4                                                usage record
//! 12 volume:4                                                the volume is being deleted
//! 13 volume:4                                                the volume has versions that no view shows
//! 20 volume:4 inode:8 ~epoch:8                               inode record
//! 21 volume:4 directory:8 hash:8 length:1 name ~epoch:8      directory entry
//! 22 volume:4 inode:8 offset:8 ~epoch:8                      extent
//! 23 volume:4 inode:8 ~epoch:8                               orphan
//! 24 volume:4 inode:8 hash:8 length:1 name ~epoch:8          extended attribute
//! 25 volume:4 table:1 key, escaped ~version:8 ~epoch:8      entry of a bucket (`bucket_keys.rs`)
//! 30 chunk id:32                                             chunk record
//! 31 segment:8                                               segment record
//! 40 length:1 namespace key                                  record of a protocol
//! ```
//!
//! `~epoch` is the bitwise complement of the epoch at which the record was written. Of the versions of one item, the
//! newest sorts first, and a reader at epoch E takes the first version whose epoch is at most E. Everything that has
//! versions is an [`Item`]. `view.rs` chooses the version that a volume or a snapshot shows.

use std::ops::Range;

use crate::{InodeId, VolumeId};

/// Identifies a segment. The upper bits are the number of the start that created it, so an id is never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SegmentId(pub(crate) u64);

/// The number of low bits of a segment id, which count the segments of one start: 16 million of up to 128 MiB.
const COUNT_BITS: u32 = 24;
/// Where a segment is one object, each sync makes one. Then this bit is set, and more bits count: 69 billion, which last for 21 years at 100 syncs a
/// second. 2^26 starts are left.
const MANY: u64 = 1 << 62;
const COUNT_BITS_MANY: u32 = 36;

impl SegmentId {
    /// The segment with this number.
    pub fn of(number: u64) -> SegmentId {
        SegmentId(number)
    }
    /// The segment's number.
    pub fn number(self) -> u64 {
        self.0
    }
    /// The first segment that a start of the pool creates. `many`: there is one for each sync.
    pub(crate) fn first_of(boot: u64, many: bool) -> SegmentId {
        SegmentId(if many { MANY | boot << COUNT_BITS_MANY } else { boot << COUNT_BITS })
    }
    /// The start of the pool that created the segment.
    pub fn boot(self) -> u64 {
        if self.0 & MANY == 0 { self.0 >> COUNT_BITS } else { (self.0 & !MANY) >> COUNT_BITS_MANY }
    }
}

impl std::fmt::Display for SegmentId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:016x}", self.0)
    }
}

/// The name of a chunk: see [`crate::format::frames::Names`]. It stays in the pool: messages say where a chunk is, and only a salvage
/// prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ChunkId(pub(crate) [u8; 32]);

impl std::fmt::Display for ChunkId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

/// A volume's epoch. It advances with each snapshot; records are written at the volume's current epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Epoch(pub(crate) u64);

/// An epoch before all others. No record is written at it.
pub(crate) const EPOCH_NONE: Epoch = Epoch(0);
/// The epoch of a volume that never had a snapshot.
pub(crate) const EPOCH_FIRST: Epoch = Epoch(1);
/// An epoch after all that a volume will have.
pub(crate) const EPOCH_LAST: Epoch = Epoch(u64::MAX);

/// Identifies an inode within the pool, without its generation, as keys do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct InodeKey {
    pub(crate) volume: VolumeId,
    pub(crate) inode: InodeId,
}

impl From<crate::Handle> for InodeKey {
    fn from(handle: crate::Handle) -> Self {
        InodeKey { volume: handle.volume, inode: handle.inode }
    }
}

/// An encoded key.
pub type Key = Vec<u8>;

const OUTSIDE: u8 = 0x00;
const POOL: u8 = 0x01;
const COUNTERS: u8 = 0x02;
const START: u8 = 0x03;
const VOLUME: u8 = 0x10;
const USAGE: u8 = 0x11;
const DELETING: u8 = 0x12;
const PURGING: u8 = 0x13;
pub(crate) const INODE: u8 = 0x20;
pub(crate) const ENTRY: u8 = 0x21;
pub(crate) const EXTENT: u8 = 0x22;
pub(crate) const ORPHAN: u8 = 0x23;
pub(crate) const XATTR: u8 = 0x24;
pub(crate) const BUCKET_ENTRY: u8 = 0x25;
pub(crate) const CHUNK: u8 = 0x30;
pub(crate) const SEGMENT: u8 = 0x31;
pub(crate) const RECORD: u8 = 0x40;

/// The kinds of items, which have versions.
pub(crate) const VERSIONED: [u8; 6] = [INODE, ENTRY, EXTENT, ORPHAN, XATTR, BUCKET_ENTRY];

const EPOCH_BYTES: usize = 8;

/// Anything that can have versions, in any volume: an inode, a directory entry, an extent, an orphan, an extended
/// attribute. Its bytes are those of its keys without the volume and the epoch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Item(Vec<u8>);

impl Item {
    pub(crate) fn inode(id: InodeId) -> Item {
        Item(Builder::new(INODE).number(id.0).0)
    }
    pub(crate) fn orphan(id: InodeId) -> Item {
        Item(Builder::new(ORPHAN).number(id.0).0)
    }
    pub(crate) fn extent(id: InodeId, offset: u64) -> Item {
        Item(Builder::new(EXTENT).number(id.0).number(offset).0)
    }
    /// `name` is at most 255 bytes. The directory operations check this.
    pub(crate) fn entry(directory: InodeId, hash: u64, name: &[u8]) -> Item {
        let length = u8::try_from(name.len()).unwrap_or(u8::MAX);
        Item(Builder::new(ENTRY).number(directory.0).number(hash).bytes(&[length]).bytes(name).0)
    }

    /// `name` is at most 255 bytes, like that of an entry.
    pub(crate) fn xattr(inode: InodeId, hash: u64, name: &[u8]) -> Item {
        let length = u8::try_from(name.len()).unwrap_or(u8::MAX);
        Item(Builder::new(XATTR).number(inode.0).number(hash).bytes(&[length]).bytes(name).0)
    }

    /// An entry of a bucket. Its bytes are from [`crate::format::bucket_keys`].
    pub(crate) fn bucket_entry(bytes: &[u8]) -> Item {
        Item(Builder::new(BUCKET_ENTRY).bytes(bytes).0)
    }

    /// The item and the epoch in a key.
    pub(crate) fn of(key: &[u8]) -> Option<(Item, Epoch)> {
        let at = key.len().checked_sub(EPOCH_BYTES)?;
        let mut item = vec![*key.first()?];
        item.extend_from_slice(key.get(5..at)?);
        Some((Item(item), Epoch(!number_at(key, at)?)))
    }

    pub(crate) fn is_inode(&self) -> bool {
        self.0.first() == Some(&INODE)
    }
    pub(crate) fn is_extent(&self) -> bool {
        self.0.first() == Some(&EXTENT)
    }

    pub(crate) fn is_xattr(&self) -> bool {
        self.0.first() == Some(&XATTR)
    }

    pub(crate) fn is_bucket_entry(&self) -> bool {
        self.0.first() == Some(&BUCKET_ENTRY)
    }

    /// The key of the version that `volume` has at that epoch.
    pub(crate) fn at(&self, volume: VolumeId, epoch: Epoch) -> Key {
        Builder(self.prefix(volume)).epoch(epoch).0
    }
    /// The keys of all versions in `volume`, newest first.
    pub(crate) fn versions(&self, volume: VolumeId) -> Range<Key> {
        starting_with(self.prefix(volume))
    }
    /// A key before those of all later items in `volume`, and after those of this item.
    pub(crate) fn past(&self, volume: VolumeId) -> Key {
        self.versions(volume).end
    }

    fn prefix(&self, volume: VolumeId) -> Key {
        let (kind, rest) = self.0.split_first().map_or((0, &[][..]), |(kind, rest)| (*kind, rest));
        Builder::new(kind).volume(volume).bytes(rest).0
    }
}

pub(super) struct Builder(pub(super) Vec<u8>);

impl Builder {
    pub(super) fn new(kind: u8) -> Self {
        let mut key = Vec::with_capacity(48);
        key.push(kind);
        Builder(key)
    }
    pub(super) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }
    pub(super) fn volume(self, volume: VolumeId) -> Self {
        self.bytes(&volume.0.to_be_bytes())
    }
    fn inode(self, key: InodeKey) -> Self {
        self.volume(key.volume).bytes(&key.inode.0.to_be_bytes())
    }
    fn number(self, number: u64) -> Self {
        self.bytes(&number.to_be_bytes())
    }
    fn epoch(self, epoch: Epoch) -> Self {
        self.number(!epoch.0)
    }
}

/// The pool's state: see [`crate::store::witness`].
pub(crate) fn state() -> Key {
    vec![OUTSIDE, 2]
}
pub(crate) fn pool() -> Key {
    vec![POOL]
}
pub(crate) fn counters() -> Key {
    vec![COUNTERS]
}
/// The mark of a start of the pool.
pub(crate) fn start(boot: u64) -> Key {
    Builder::new(START).number(boot).0
}
pub(crate) fn starts() -> Range<Key> {
    starting_with(vec![START])
}
/// The start in a start's key.
pub(crate) fn start_in(key: &[u8]) -> Option<u64> {
    number_at(key, 1)
}
pub(crate) fn volume(id: VolumeId) -> Key {
    Builder::new(VOLUME).volume(id).0
}
pub(crate) fn usage(id: VolumeId) -> Key {
    Builder::new(USAGE).volume(id).0
}
pub(crate) fn deleting(id: VolumeId) -> Key {
    Builder::new(DELETING).volume(id).0
}
/// Marks a volume that has versions that no view shows.
pub(crate) fn purging(id: VolumeId) -> Key {
    Builder::new(PURGING).volume(id).0
}
pub(crate) fn chunk(id: ChunkId) -> Key {
    Builder::new(CHUNK).bytes(&id.0).0
}
pub(crate) fn segment(id: SegmentId) -> Key {
    Builder::new(SEGMENT).number(id.0).0
}
/// `namespace` is at most 255 bytes. The record operations check this.
pub(crate) fn record(namespace: &str, key: &[u8]) -> Key {
    Builder::new(RECORD).bytes(&[namespace_length(namespace)]).bytes(namespace.as_bytes()).bytes(key).0
}

fn namespace_length(namespace: &str) -> u8 {
    u8::try_from(namespace.len()).unwrap_or(u8::MAX)
}

/// All keys that start with `prefix`.
pub(super) fn starting_with(prefix: Key) -> Range<Key> {
    let mut end = prefix.clone();
    while let Some(last) = end.pop() {
        if last < u8::MAX {
            end.push(last + 1);
            break;
        }
    }
    prefix..end
}

pub(crate) fn volumes() -> Range<Key> {
    starting_with(vec![VOLUME])
}
pub(crate) fn chunks() -> Range<Key> {
    starting_with(vec![CHUNK])
}
/// The chunks whose names begin with the lowest `bits` bits of `start`; `bits` is at most 63.
pub(crate) fn chunks_starting(bits: u32, start: u64) -> Range<Key> {
    let shift = 64_u32.saturating_sub(bits).min(63);
    let first = |start: u64| Builder::new(CHUNK).number(start.checked_shl(shift).unwrap_or_default()).0;
    let end = if start + 1 < 1 << bits.min(63) { first(start + 1) } else { chunks().end };
    first(start)..end
}
pub(crate) fn segments() -> Range<Key> {
    starting_with(vec![SEGMENT])
}
/// All versions of all items of a kind in a volume.
pub(crate) fn items(kind: u8, id: VolumeId) -> Range<Key> {
    starting_with(Builder::new(kind).volume(id).0)
}
/// All versions of all items of a kind in all volumes.
pub(crate) fn items_of_all(kind: u8) -> Range<Key> {
    starting_with(vec![kind])
}
/// The common prefix of the keys of all items of one kind that belong to an inode.
pub(crate) fn inode_prefix(kind: u8, volume: VolumeId, inode: InodeId) -> Key {
    Builder::new(kind).inode(InodeKey { volume, inode }).0
}
/// A key after all others.
pub(crate) fn end() -> Key {
    vec![u8::MAX]
}
/// The name of a kind of record in messages.
pub(crate) fn kind_name(kind: u8) -> &'static str {
    match kind {
        VOLUME..=PURGING => "volume records",
        INODE => "inode records",
        ENTRY => "directory entries",
        EXTENT => "extents",
        ORPHAN => "records of deleted files",
        XATTR => "extended attributes",
        BUCKET_ENTRY => "entries of buckets",
        CHUNK => "chunk records",
        SEGMENT => "segment records",
        RECORD => "records of protocols (clients' state, export policies, users)",
        _ => "records of the pool",
    }
}
/// The inodes of a volume.
pub(crate) fn inodes(id: VolumeId) -> Range<Key> {
    items(INODE, id)
}
/// The directory entries of a volume.
pub(crate) fn entries(id: VolumeId) -> Range<Key> {
    items(ENTRY, id)
}
/// The extents of all files of a volume.
pub(crate) fn extents_of_volume(id: VolumeId) -> Range<Key> {
    items(EXTENT, id)
}
/// The orphans of a volume.
pub(crate) fn orphans(id: VolumeId) -> Range<Key> {
    items(ORPHAN, id)
}
/// The entries of a directory whose hash is greater than `cookie`.
pub(crate) fn entries_after(directory: InodeKey, cookie: u64) -> Range<Key> {
    let all = starting_with(Builder::new(ENTRY).inode(directory).0);
    Builder::new(ENTRY).inode(directory).number(cookie.saturating_add(1)).0..all.end
}
/// The extended attributes of an inode whose hash is greater than `cookie`.
pub(crate) fn xattrs_after(key: InodeKey, cookie: u64) -> Range<Key> {
    let all = starting_with(Builder::new(XATTR).inode(key).0);
    Builder::new(XATTR).inode(key).number(cookie.saturating_add(1)).0..all.end
}
/// The extended attributes of all inodes of a volume.
pub(crate) fn xattrs_of_volume(id: VolumeId) -> Range<Key> {
    items(XATTR, id)
}
/// The extents of a file that start in `offsets`.
pub(crate) fn extents(key: InodeKey, offsets: Range<u64>) -> Range<Key> {
    let from = Builder::new(EXTENT).inode(key).number(offsets.start).0;
    if offsets.end == u64::MAX {
        return from..starting_with(Builder::new(EXTENT).inode(key).0).end;
    }
    from..Builder::new(EXTENT).inode(key).number(offsets.end).0
}
/// The keys of all records in a namespace, and the length of the prefix before the caller's own key.
pub(crate) fn records_of(namespace: &str) -> (Range<Key>, usize) {
    let prefix = Builder::new(RECORD).bytes(&[namespace_length(namespace)]).bytes(namespace.as_bytes()).0;
    let length = prefix.len();
    (starting_with(prefix), length)
}

fn number_at(key: &[u8], at: usize) -> Option<u64> {
    let bytes = key.get(at..at.checked_add(8)?)?;
    Some(u64::from_be_bytes(bytes.try_into().ok()?))
}

/// The volume in a key that has one.
pub(crate) fn volume_in(key: &[u8]) -> Option<VolumeId> {
    Some(VolumeId(u32::from_be_bytes(key.get(1..5)?.try_into().ok()?)))
}
/// The inode in the key of an inode, or of an item that belongs to an inode.
pub(crate) fn inode_in(key: &[u8]) -> Option<InodeKey> {
    Some(InodeKey { volume: volume_in(key)?, inode: InodeId(number_at(key, 5)?) })
}
/// The offset in an extent's key.
pub(crate) fn offset_in(key: &[u8]) -> Option<u64> {
    number_at(key, 13)
}
/// The segment in a segment's key.
pub(crate) fn segment_in(key: &[u8]) -> Option<SegmentId> {
    Some(SegmentId(number_at(key, 1)?))
}
/// The chunk in a chunk's key.
pub(crate) fn chunk_in(key: &[u8]) -> Option<ChunkId> {
    Some(ChunkId(key.get(1..)?.try_into().ok()?))
}
/// The hash and the name in the key of a directory entry or an extended attribute.
pub(crate) fn entry_in(key: &[u8]) -> Option<(u64, &[u8])> {
    let name = key.get(22..key.len().checked_sub(EPOCH_BYTES)?)?;
    Some((number_at(key, 13)?, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: InodeKey = InodeKey { volume: VolumeId(7), inode: InodeId(300) };

    fn extent(key: InodeKey, offset: u64, epoch: Epoch) -> Key {
        Item::extent(key.inode, offset).at(key.volume, epoch)
    }
    fn entry(directory: InodeKey, hash: u64, name: &[u8], epoch: Epoch) -> Key {
        Item::entry(directory.inode, hash, name).at(directory.volume, epoch)
    }

    #[test]
    fn the_versions_of_an_item_are_its_own_only() {
        let item = Item::entry(FILE.inode, 99, b"a");
        let versions = item.versions(FILE.volume);
        assert!(versions.contains(&item.at(FILE.volume, EPOCH_FIRST)));
        assert!(versions.contains(&item.at(FILE.volume, EPOCH_LAST)));
        assert!(!versions.contains(&entry(FILE, 99, b"ab", EPOCH_FIRST)));
        assert!(!versions.contains(&item.at(VolumeId(8), EPOCH_FIRST)));
        assert!(item.past(FILE.volume) > item.at(FILE.volume, EPOCH_NONE));
    }

    #[test]
    fn keys_give_back_what_they_were_made_of() {
        let item = Item::entry(FILE.inode, 99, b"segment.log");
        let key = item.at(FILE.volume, Epoch(5));
        assert_eq!(inode_in(&key), Some(FILE));
        assert_eq!(entry_in(&key), Some((99, &b"segment.log"[..])));
        assert_eq!(Item::of(&key), Some((item, Epoch(5))));
        assert_eq!(offset_in(&extent(FILE, 4096, EPOCH_FIRST)), Some(4096));
        assert_eq!(segment_in(&segment(SegmentId(5))), Some(SegmentId(5)));
        assert_eq!(entry_in(b"short"), None);
    }

    #[test]
    fn a_segment_names_its_start_and_later_starts_sort_after_it() {
        let mut ids = Vec::new();
        for boot in [1, 5, 4101, 1 << 25] {
            for many in [false, true] {
                let first = SegmentId::first_of(boot, many);
                let count = 1 << if many { COUNT_BITS_MANY } else { COUNT_BITS };
                let last = SegmentId(first.0 + count - 1);
                assert_eq!((first.boot(), last.boot()), (boot, boot));
                assert_ne!(SegmentId(last.0 + 1).boot(), boot);
                ids.push((many, [first, last]));
            }
        }
        // A pool whose segments had few bits for the count has more for all later starts.
        ids.sort_by_key(|(many, _)| *many);
        assert!(ids.iter().flat_map(|(_, ids)| ids).is_sorted());
    }

    #[test]
    fn newer_epochs_sort_first_and_offsets_ascend() {
        assert!(extent(FILE, 8, Epoch(2)) < extent(FILE, 8, Epoch(1)));
        assert!(extent(FILE, 8, Epoch(1)) < extent(FILE, 9, Epoch(2)));
        assert!(entry(FILE, 5, b"a", Epoch(1)) < entry(FILE, 6, b"a", Epoch(9)));
    }

    #[test]
    fn a_range_holds_its_keys_and_no_others() {
        let range = extents(FILE, 0..u64::MAX);
        assert!(range.contains(&extent(FILE, u64::MAX, EPOCH_FIRST)));
        let other = InodeKey { volume: VolumeId(7), inode: InodeId(301) };
        assert!(!range.contains(&extent(other, 0, EPOCH_FIRST)));
        let entries = entries_after(FILE, 10);
        assert!(!entries.contains(&entry(FILE, 10, b"x", EPOCH_FIRST)));
        assert!(entries.contains(&entry(FILE, 11, b"x", EPOCH_FIRST)));
        let (records, _) = records_of("nfs");
        assert!(records.contains(&record("nfs", b"")));
        assert!(!records.contains(&record("nfs4", b"")));
    }

    #[test]
    fn a_prefix_of_all_ones_has_an_end() {
        let last = VolumeId(u32::MAX);
        let range = inodes(last);
        let key = InodeKey { volume: last, inode: InodeId(u64::MAX) };
        assert!(range.contains(&Item::inode(key.inode).at(last, EPOCH_NONE)));
        assert!(!range.contains(&entry(key, 5, b"x", Epoch(0))));
    }
}
