//! The byte-range locks of one owner on one file, with POSIX semantics: locks never overlap, a lock replaces
//! the owner's earlier locks in its range, and adjacent locks of one kind are merged.

use std::collections::BTreeMap;

use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::LockType;

/// Shared or exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockKind {
    /// Compatible with other `Read`s.
    Read,
    /// Compatible with no other lock.
    Write,
}

impl From<LockType> for LockKind {
    fn from(value: LockType) -> LockKind {
        match value {
            LockType::Read | LockType::BlockingRead => LockKind::Read,
            LockType::Write | LockType::BlockingWrite => LockKind::Write,
        }
    }
}

impl From<LockKind> for LockType {
    fn from(value: LockKind) -> LockType {
        match value {
            LockKind::Read => LockType::Read,
            LockKind::Write => LockType::Write,
        }
    }
}

/// A range of bytes that is not empty. `last` is inclusive, so that a range can include the last possible
/// offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    first: u64,
    last: u64,
}

impl Range {
    /// Built from the arguments of LOCK. A length of `u64::MAX` means to the end of the file, whatever its
    /// size is or becomes. Returns [`Status::Inval`] if the range is empty or exceeds the maximum offset.
    pub fn new(offset: u64, length: u64) -> Result<Range, Status> {
        let last = match length {
            0 => return Err(Status::Inval),
            u64::MAX => u64::MAX,
            length => offset.checked_add(length - 1).ok_or(Status::Inval)?,
        };
        Ok(Range { first: offset, last })
    }

    /// The first byte.
    pub fn offset(self) -> u64 {
        self.first
    }

    /// The number of bytes; `u64::MAX` if the range reaches to the end.
    pub fn length(self) -> u64 {
        if self.last == u64::MAX { u64::MAX } else { self.last - self.first + 1 }
    }
}

/// A lock on a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The bytes.
    pub range: Range,
    /// The kind of lock.
    pub kind: LockKind,
}

/// The locks of one owner on one file.
#[derive(Debug, Default)]
pub struct Ranges {
    /// First byte → last byte and kind. Entries do not overlap.
    held: BTreeMap<u64, (u64, LockKind)>,
}

impl Ranges {
    /// Number of separate locks.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Returns true if nothing is locked.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// All locks, by offset.
    pub fn all(&self) -> Vec<Held> {
        let held = |(first, (last, kind)): (&u64, &(u64, LockKind))| Held {
            range: Range { first: *first, last: *last },
            kind: *kind,
        };
        self.held.iter().map(held).collect()
    }

    /// A lock that conflicts with another owner's lock of this kind.
    pub fn conflict(&self, range: Range, kind: LockKind) -> Option<Held> {
        self.overlapping(range).find(|held| kind == LockKind::Write || held.kind == LockKind::Write)
    }

    fn overlapping(&self, range: Range) -> impl Iterator<Item = Held> {
        let before =
            self.held.range(..range.first).next_back().filter(move |(_, (last, _))| *last >= range.first);
        before
            .into_iter()
            .chain(self.held.range(range.first..=range.last))
            .map(|(first, (last, kind))| Held { range: Range { first: *first, last: *last }, kind: *kind })
    }

    /// Locks a range. Replaces earlier locks in it.
    pub fn lock(&mut self, range: Range, kind: LockKind) {
        self.unlock(range);
        let mut whole = range;
        let before = self.held.range(..range.first).next_back().map(|(first, held)| (*first, *held));
        if let Some((first, (last, before_kind))) = before
            && before_kind == kind
            && last.checked_add(1) == Some(range.first)
        {
            self.held.remove(&first);
            whole.first = first;
        }
        if let Some(next) = range.last.checked_add(1)
            && let Some((last, next_kind)) = self.held.get(&next).copied()
            && next_kind == kind
        {
            self.held.remove(&next);
            whole.last = last;
        }
        self.held.insert(whole.first, (whole.last, kind));
    }

    /// Returns true if unlocking the range splits a lock in two.
    pub fn is_cut_by(&self, range: Range) -> bool {
        let before = self.held.range(..range.first).next_back();
        before.is_some_and(|(_, (last, _))| *last > range.last)
    }

    /// Unlocks a range. Locks outside it stay.
    pub fn unlock(&mut self, range: Range) {
        let cut: Vec<Held> = self.overlapping(range).collect();
        for Held { range: old, kind } in cut {
            self.held.remove(&old.first);
            if old.first < range.first {
                self.held.insert(old.first, (range.first - 1, kind));
            }
            if old.last > range.last {
                self.held.insert(range.last + 1, (old.last, kind));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn range(offset: u64, length: u64) -> Range {
        Range::new(offset, length).expect("valid")
    }

    #[test]
    fn empty_and_overflowing_ranges_are_invalid() {
        assert_eq!(Range::new(5, 0), Err(Status::Inval));
        assert_eq!(Range::new(u64::MAX, 2), Err(Status::Inval));
        assert_eq!(Range::new(2, u64::MAX - 1), Ok(range(2, u64::MAX)), "to the last byte is to the end");
        assert_eq!(range(u64::MAX, 1).length(), u64::MAX);
        assert_eq!(range(7, u64::MAX).length(), u64::MAX);
    }

    #[test]
    fn unlocking_the_middle_leaves_both_ends() {
        let mut ranges = Ranges::default();
        ranges.lock(range(0, u64::MAX), LockKind::Write);
        ranges.unlock(range(10, 10));
        assert_eq!(ranges.conflict(range(0, 10), LockKind::Read).map(|held| held.range), Some(range(0, 10)));
        assert_eq!(ranges.conflict(range(10, 10), LockKind::Write), None);
        assert_eq!(
            ranges.conflict(range(15, 10), LockKind::Read).map(|held| held.range),
            Some(range(20, u64::MAX))
        );
    }

    #[derive(Clone, Debug)]
    enum Step {
        Lock(u64, u64, bool),
        Unlock(u64, u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0..40u64, 1..20u64, any::<bool>()).prop_map(|(at, length, write)| Step::Lock(at, length, write)),
            (0..40u64, 1..20u64).prop_map(|(at, length)| Step::Unlock(at, length)),
        ]
    }

    fn kind(write: bool) -> LockKind {
        if write { LockKind::Write } else { LockKind::Read }
    }

    proptest! {
        /// Compares with a model that stores the kind of lock of each byte.
        #[test]
        fn ranges_do_what_bytes_would(steps in prop::collection::vec(step(), 1..60)) {
            let mut ranges = Ranges::default();
            let mut bytes = [None; 64];
            for step in steps {
                let (at, length, new) = match step {
                    Step::Lock(at, length, write) => (at, length, Some(kind(write))),
                    Step::Unlock(at, length) => (at, length, None),
                };
                match new {
                    Some(kind) => ranges.lock(range(at, length), kind),
                    None => {
                        let (before, cut) = (ranges.len(), ranges.is_cut_by(range(at, length)));
                        ranges.unlock(range(at, length));
                        prop_assert_eq!(ranges.len() > before, cut);
                    }
                }
                bytes[at as usize..(at + length) as usize].fill(new);
                for (byte, expected) in (0..).zip(bytes) {
                    let found = ranges.conflict(range(byte, 1), LockKind::Write).map(|held| held.kind);
                    prop_assert_eq!(found, expected);
                    let against_read = ranges.conflict(range(byte, 1), LockKind::Read).is_some();
                    prop_assert_eq!(against_read, expected == Some(LockKind::Write));
                }
                let pieces = bytes.chunk_by(|a, b| a == b).filter(|piece| piece[0].is_some()).count();
                prop_assert_eq!(ranges.len(), pieces, "neighbours of one kind are one lock");
            }
        }
    }
}
