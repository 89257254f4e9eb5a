//! The keys of the metadata store. All numbers are big-endian, so that keys sort as their fields do.
//!
//! ```text
//! 01                                                         pool record
//! 02                                                         counters: next inode, next volume
//! 10 volume:4                                                volume record
//! 11 volume:4                                                usage record
//! 12 volume:4                                                the volume is being deleted
//! 20 volume:4 inode:8 ~epoch:8                               inode record
//! 21 volume:4 directory:8 hash:8 length:1 name ~epoch:8      directory entry
//! 22 volume:4 inode:8 offset:8 ~epoch:8                      extent
//! 23 volume:4 inode:8                                        orphan
//! 30 chunk id:32                                             chunk record
//! 31 segment:8                                               segment record
//! 40 length:1 namespace key                                  record of a protocol
//! ```
//!
//! `~epoch` is the bitwise complement of the epoch at which the record was written: among the versions of one
//! thing the newest sorts first, and a reader at epoch E takes the first whose epoch is at most E.

use std::ops::Range;

use crate::segment::SegmentId;
use crate::{InodeId, VolumeId};

/// Content address of a chunk: BLAKE3-256 of its bytes.
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

/// The epoch of a volume that has no snapshot.
pub(crate) const EPOCH_FIRST: Epoch = Epoch(1);

/// Names an inode among all inodes of the pool, as keys do: without the generation.
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
pub(crate) type Key = Vec<u8>;

const POOL: u8 = 0x01;
const COUNTERS: u8 = 0x02;
const VOLUME: u8 = 0x10;
const USAGE: u8 = 0x11;
const DELETING: u8 = 0x12;
const INODE: u8 = 0x20;
const ENTRY: u8 = 0x21;
const EXTENT: u8 = 0x22;
const ORPHAN: u8 = 0x23;
const CHUNK: u8 = 0x30;
const SEGMENT: u8 = 0x31;
const RECORD: u8 = 0x40;

const EPOCH_BYTES: usize = 8;

struct Builder(Vec<u8>);

impl Builder {
    fn new(kind: u8) -> Self {
        let mut key = Vec::with_capacity(48);
        key.push(kind);
        Builder(key)
    }
    fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }
    fn volume(self, volume: VolumeId) -> Self {
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

pub(crate) fn pool() -> Key {
    vec![POOL]
}
pub(crate) fn counters() -> Key {
    vec![COUNTERS]
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
pub(crate) fn inode(key: InodeKey, epoch: Epoch) -> Key {
    Builder::new(INODE).inode(key).epoch(epoch).0
}
pub(crate) fn orphan(key: InodeKey) -> Key {
    Builder::new(ORPHAN).inode(key).0
}
pub(crate) fn chunk(id: ChunkId) -> Key {
    Builder::new(CHUNK).bytes(&id.0).0
}
pub(crate) fn segment(id: SegmentId) -> Key {
    Builder::new(SEGMENT).number(id.0).0
}
pub(crate) fn extent(key: InodeKey, offset: u64, epoch: Epoch) -> Key {
    Builder::new(EXTENT).inode(key).number(offset).epoch(epoch).0
}
/// `name` is at most 255 bytes, which the directory operations have checked.
pub(crate) fn entry(directory: InodeKey, hash: u64, name: &[u8], epoch: Epoch) -> Key {
    let length = u8::try_from(name.len()).unwrap_or(u8::MAX);
    Builder::new(ENTRY).inode(directory).number(hash).bytes(&[length]).bytes(name).epoch(epoch).0
}
/// `namespace` is at most 255 bytes, which the record operations have checked.
pub(crate) fn record(namespace: &str, key: &[u8]) -> Key {
    Builder::new(RECORD).bytes(&[namespace_length(namespace)]).bytes(namespace.as_bytes()).bytes(key).0
}

fn namespace_length(namespace: &str) -> u8 {
    u8::try_from(namespace.len()).unwrap_or(u8::MAX)
}

/// All keys that start with `prefix`.
fn starting_with(prefix: Key) -> Range<Key> {
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
pub(crate) fn inodes() -> Range<Key> {
    starting_with(vec![INODE])
}
pub(crate) fn entries() -> Range<Key> {
    starting_with(vec![ENTRY])
}
pub(crate) fn extents_of_all() -> Range<Key> {
    starting_with(vec![EXTENT])
}
pub(crate) fn chunks() -> Range<Key> {
    starting_with(vec![CHUNK])
}
pub(crate) fn orphans() -> Range<Key> {
    starting_with(vec![ORPHAN])
}
pub(crate) fn segments() -> Range<Key> {
    starting_with(vec![SEGMENT])
}
/// All inodes of a volume.
pub(crate) fn inodes_of(id: VolumeId) -> Range<Key> {
    starting_with(Builder::new(INODE).volume(id).0)
}
/// Everything of a volume that is keyed like directory entries.
pub(crate) fn entries_of_volume(id: VolumeId) -> Range<Key> {
    starting_with(Builder::new(ENTRY).volume(id).0)
}
/// Entries of a directory whose hash is greater than `cookie`.
pub(crate) fn entries_after(directory: InodeKey, cookie: u64) -> Range<Key> {
    let all = starting_with(Builder::new(ENTRY).inode(directory).0);
    Builder::new(ENTRY).inode(directory).number(cookie.saturating_add(1)).0..all.end
}
/// Extents of a file that start in `offsets`.
pub(crate) fn extents(key: InodeKey, offsets: Range<u64>) -> Range<Key> {
    let from = Builder::new(EXTENT).inode(key).number(offsets.start).0;
    if offsets.end == u64::MAX {
        return from..starting_with(Builder::new(EXTENT).inode(key).0).end;
    }
    from..Builder::new(EXTENT).inode(key).number(offsets.end).0
}
/// All records of a namespace, and how many bytes of each key come before the caller's own.
pub(crate) fn records_of(namespace: &str) -> (Range<Key>, usize) {
    let prefix = Builder::new(RECORD).bytes(&[namespace_length(namespace)]).bytes(namespace.as_bytes()).0;
    let length = prefix.len();
    (starting_with(prefix), length)
}

fn number_at(key: &[u8], at: usize) -> Option<u64> {
    let bytes = key.get(at..at.checked_add(8)?)?;
    Some(u64::from_be_bytes(bytes.try_into().ok()?))
}

/// The volume that a key with a volume names.
pub(crate) fn volume_in(key: &[u8]) -> Option<VolumeId> {
    Some(VolumeId(u32::from_be_bytes(key.get(1..5)?.try_into().ok()?)))
}
/// The inode that an inode's, orphan's or extent's key names.
pub(crate) fn inode_in(key: &[u8]) -> Option<InodeKey> {
    Some(InodeKey { volume: volume_in(key)?, inode: InodeId(number_at(key, 5)?) })
}
/// The offset that an extent's key names.
pub(crate) fn offset_in(key: &[u8]) -> Option<u64> {
    number_at(key, 13)
}
/// The segment that a segment's key names.
pub(crate) fn segment_in(key: &[u8]) -> Option<SegmentId> {
    Some(SegmentId(number_at(key, 1)?))
}
/// The chunk that a chunk's key names.
pub(crate) fn chunk_in(key: &[u8]) -> Option<ChunkId> {
    Some(ChunkId(key.get(1..)?.try_into().ok()?))
}
/// Hash and name that a directory entry's key names.
pub(crate) fn entry_in(key: &[u8]) -> Option<(u64, &[u8])> {
    let name = key.get(22..key.len().checked_sub(EPOCH_BYTES)?)?;
    Some((number_at(key, 13)?, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: InodeKey = InodeKey { volume: VolumeId(7), inode: InodeId(300) };

    #[test]
    fn keys_give_back_what_they_were_made_of() {
        let key = entry(FILE, 99, b"segment.log", EPOCH_FIRST);
        assert_eq!(inode_in(&key), Some(FILE));
        assert_eq!(entry_in(&key), Some((99, &b"segment.log"[..])));
        assert_eq!(offset_in(&extent(FILE, 4096, EPOCH_FIRST)), Some(4096));
        assert_eq!(segment_in(&segment(SegmentId(5))), Some(SegmentId(5)));
        assert_eq!(entry_in(b"short"), None);
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
        let range = inodes_of(last);
        let key = InodeKey { volume: last, inode: InodeId(u64::MAX) };
        assert!(range.contains(&inode(key, Epoch(0))));
        assert!(!range.contains(&entry(key, 5, b"x", Epoch(0))));
    }
}
