//! The last extents of recently flushed files.
//!
//! To cut an append, a flush needs the extents before it: a tail that the append continues, and the chunk before that
//! tail. Scanning the metadata store for them costs as much as the rest of cutting 64 KiB. So a flush that reaches the
//! end of its file leaves the last extents here for the next flush. An entry is valid as long as only flushes change
//! the file's extents. Flushes hold the inode's `order` lock, and truncations and rollbacks are counted.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Mutex, Weak};

use bytes::Bytes;

use crate::base::sync;
use crate::format::cut::REACH_BEFORE_BYTES;
use crate::format::keys::InodeKey;
use crate::format::records::{Content, Extent, ExtentRecord};
use crate::parts::inode::Inode;

/// The maximum number of files to remember.
const FILES_MAX: usize = 1024;
/// The maximum number of bytes that their extents may take in memory.
const BYTES_MAX: usize = 32 << 20;
/// An entry covers this many bytes before the end of its file: as far back as a page-aligned append may look.
const REACH_BYTES: u64 = 2 * REACH_BEFORE_BYTES;
/// The approximate memory use of an extent, without its inline bytes.
const EXTENT_BYTES: usize = 100;

/// All extents of a file that end after the offset `from`.
pub(crate) struct Tail {
    /// The inode in memory, and its count of truncations when the entry was made.
    inode: Weak<Inode>,
    truncations: u64,
    from: u64,
    extents: Vec<Extent>,
    bytes: usize,
}

#[derive(Default)]
struct Known {
    tails: HashMap<InodeKey, Tail>,
    /// The keys, in order of insertion.
    order: VecDeque<InodeKey>,
    bytes: usize,
}

/// See the module.
#[derive(Default)]
pub(crate) struct Tails(Mutex<Known>);

impl Tail {
    /// `extents` are all extents that end after `from`. `truncations` is the inode's count when they were read.
    pub(crate) fn new(inode: &Arc<Inode>, truncations: u64, from: u64, extents: &[Extent]) -> Tail {
        let near = near_end(from, extents).map(|(offset, extent)| (*offset, owned(extent)));
        let (from, extents): (u64, Vec<Extent>) = (near_end_from(from, extents), near.collect());
        let bytes = extents.iter().map(bytes_of).sum();
        Tail { inode: Arc::downgrade(inode), truncations, from, extents, bytes }
    }
}

impl Tails {
    /// Returns the file's extents that overlap `range`, in order, if they are known. The caller must hold the inode's
    /// `order` lock.
    pub(crate) fn extents(&self, inode: &Arc<Inode>, range: &Range<u64>) -> Option<Vec<Extent>> {
        let truncations = inode.state().truncations;
        let known = sync::lock(&self.0);
        let tail = known.tails.get(&inode.key()).filter(|tail| {
            Weak::as_ptr(&tail.inode) == Arc::as_ptr(inode)
                && tail.truncations == truncations
                && tail.from <= range.start
        })?;
        let within = |extent: &&Extent| extent.0 < range.end && end_of(extent) > range.start;
        Some(tail.extents.iter().filter(within).cloned().collect())
    }

    /// Removes the file's entry, because its extents are about to change.
    pub(crate) fn forget(&self, key: InodeKey) {
        sync::lock(&self.0).remove(key);
    }

    /// Stores the new last extents of a file.
    pub(crate) fn put(&self, key: InodeKey, tail: Tail) {
        let mut known = sync::lock(&self.0);
        known.remove(key);
        known.bytes += tail.bytes;
        known.order.push_back(key);
        known.tails.insert(key, tail);
        while known.tails.len() > FILES_MAX || known.bytes > BYTES_MAX {
            let Some(first) = known.order.front().copied() else { break };
            known.remove(first);
        }
    }
}

impl Known {
    fn remove(&mut self, key: InodeKey) {
        let Some(tail) = self.tails.remove(&key) else { return };
        self.bytes = self.bytes.saturating_sub(tail.bytes);
        self.order.retain(|known| *known != key);
    }
}

/// Of `extents`, which are all extents that end after `from`, returns those that an entry keeps.
pub(crate) fn near_end(from: u64, extents: &[Extent]) -> impl Iterator<Item = &Extent> {
    let from = near_end_from(from, extents);
    extents.iter().skip(extents.partition_point(|extent| end_of(extent) <= from))
}

fn near_end_from(from: u64, extents: &[Extent]) -> u64 {
    let end = extents.last().map_or(from, end_of);
    from.max(end.saturating_sub(REACH_BYTES))
}

fn end_of((offset, extent): &Extent) -> u64 {
    offset.saturating_add(u64::from(extent.length))
}

fn bytes_of((_, extent): &Extent) -> usize {
    let inline = if let Content::Inline(bytes) = &extent.content { bytes.len() } else { 0 };
    EXTENT_BYTES + inline
}

/// A copy of the record that keeps no larger buffer in memory.
fn owned(extent: &ExtentRecord) -> ExtentRecord {
    match &extent.content {
        Content::Inline(bytes) => {
            ExtentRecord { content: Content::Inline(Bytes::copy_from_slice(bytes)), ..extent.clone() }
        }
        Content::Chunk { .. } => extent.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::records::sample_inode;
    use crate::{InodeId, Kind, VolumeId};

    fn inode(number: u64) -> Arc<Inode> {
        let key = InodeKey { volume: VolumeId(1), inode: InodeId(number) };
        Arc::new(Inode::new(key, sample_inode(Kind::File), 1))
    }

    fn inline(offset: u64, length: usize) -> Extent {
        let content = Content::Inline(vec![7; length].into());
        (offset, ExtentRecord { length: u32::try_from(length).unwrap(), content })
    }

    fn known(tails: &Tails, inode: &Arc<Inode>, range: Range<u64>) -> Option<Vec<u64>> {
        let extents = tails.extents(inode, &range)?;
        Some(extents.into_iter().map(|(offset, _)| offset).collect())
    }

    #[test]
    fn what_reaches_into_a_range_is_known_unless_it_begins_too_early() {
        let (tails, file) = (Tails::default(), inode(1));
        let extents = [inline(1000, 100), inline(1100, 100), inline(1200, 100)];
        tails.put(file.key(), Tail::new(&file, 0, 1000, &extents));
        assert_eq!(known(&tails, &file, 1000..u64::MAX), Some(vec![1000, 1100, 1200]));
        assert_eq!(known(&tails, &file, 1099..1200), Some(vec![1000, 1100]));
        assert_eq!(known(&tails, &file, 1300..1400), Some(vec![]));
        assert_eq!(known(&tails, &file, 999..1400), None);
        assert_eq!(known(&tails, &inode(2), 1000..1400), None);
    }

    #[test]
    fn nothing_is_known_after_a_truncation_or_of_an_inode_that_was_loaded_again() {
        let (tails, file) = (Tails::default(), inode(1));
        tails.put(file.key(), Tail::new(&file, 0, 0, &[inline(0, 100)]));
        assert_eq!(known(&tails, &inode(1), 0..100), None);
        file.state().truncations += 1;
        assert_eq!(known(&tails, &file, 0..100), None);
        tails.put(file.key(), Tail::new(&file, 1, 0, &[inline(0, 100)]));
        assert!(known(&tails, &file, 0..100).is_some());
        tails.forget(file.key());
        assert_eq!(known(&tails, &file, 0..100), None);
    }

    #[test]
    fn the_first_go_when_they_are_too_many_or_too_large() {
        let (tails, files) = (Tails::default(), (0..600).map(inode).collect::<Vec<_>>());
        for file in &files {
            tails.put(file.key(), Tail::new(file, 0, 0, &[inline(0, 100 << 10)]));
        }
        let kept = files.iter().filter(|file| known(&tails, file, 0..1).is_some()).count();
        assert_eq!(kept, BYTES_MAX / ((100 << 10) + EXTENT_BYTES));
        assert!(known(&tails, &files[599], 0..1).is_some());
        assert_eq!(sync::lock(&tails.0).order.len(), kept);
    }
}
