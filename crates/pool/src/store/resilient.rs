//! Reads metadata that is partly damaged, for the check: it continues after the damage, and remembers the gap.
//!
//! A table of the metadata store is read block by block. When a block is damaged, a scan ends there, and every scan that begins
//! within the block's keys fails as well. The keys of a damaged block are unknown. So the end of the gap is found by search: in
//! growing steps until a scan succeeds, then back by bisection. For that, the first [`PREFIX_BYTES`] of a key are treated as a
//! number.

use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Mutex};

use bytes::Bytes;

use crate::base::sync;
use crate::format::keys::{self, Key};
use crate::store::meta::{MetaView, Visit};
use crate::{Error, Result, VolumeId};

/// Bytes of a key that the search uses.
const PREFIX_BYTES: usize = 32;
/// The first step is 2 to the power of this. That is less than the difference between the keys of two extents or of two names.
const FIRST_STEP_BITS: usize = 80;
/// Each step is longer than the one before by a factor of 2 to the power of this.
const STEP_GROWTH_BITS: usize = 2;
/// How often the last step is halved.
const HALVINGS: usize = 24;
/// After this many gaps, the rest of a scan is treated as one gap.
const GAPS_MAX: usize = 1000;

/// Keys whose records cannot be read.
#[derive(Clone, Debug)]
pub(crate) struct Gap {
    /// No key in this range can be read, as far as is known.
    pub(crate) range: Range<Key>,
    /// The reason.
    pub(crate) wrong: &'static str,
}

/// Metadata that is read as far as possible. See the module.
pub(crate) struct ResilientView {
    meta: Arc<dyn MetaView>,
    gaps: Mutex<Vec<Gap>>,
}

type Prefix = [u8; PREFIX_BYTES];

/// Why metadata cannot be read; `None` if the error has another cause.
pub(crate) fn unreadable(error: &Error) -> Option<&'static str> {
    match error {
        Error::Damaged(_) => Some("a block of a table is damaged"),
        Error::Meta(_) => Some("the disk does not return a block of a table"),
        _ => None,
    }
}

fn overlap(one: &Range<Key>, other: &Range<Key>) -> bool {
    one.start < other.end && other.start < one.end
}

impl Gap {
    /// The kind of the records.
    pub(crate) fn kind(&self) -> u8 {
        self.range.start.first().copied().unwrap_or_default()
    }

    /// Whether the gap may contain records of this kind.
    pub(crate) fn hits_kind(&self, kind: u8) -> bool {
        overlap(&self.range, &keys::items_of_all(kind))
    }

    /// Whether the gap may contain records of the volume's files.
    pub(crate) fn hits_volume(&self, volume: VolumeId) -> bool {
        keys::VERSIONED.iter().any(|kind| overlap(&self.range, &keys::items(*kind, volume)))
    }
}

impl ResilientView {
    pub(crate) fn new(meta: Arc<dyn MetaView>) -> ResilientView {
        ResilientView { meta, gaps: Mutex::default() }
    }

    /// The gaps found so far, in key order.
    pub(crate) fn gaps(&self) -> Vec<Gap> {
        let mut gaps = sync::lock(&self.gaps).clone();
        gaps.sort_by(|one, other| one.range.start.cmp(&other.range.start));
        gaps
    }

    /// Whether a gap for which `is_meant` returns true was found.
    pub(crate) fn any_gap(&self, is_meant: impl FnMut(&Gap) -> bool) -> bool {
        sync::lock(&self.gaps).iter().any(is_meant)
    }

    /// Handles the outcome of one record: a record that cannot be decoded becomes a gap. Any other error is returned.
    pub(crate) fn tolerate(&self, key: &[u8], outcome: Result<()>) -> Result<()> {
        match outcome {
            Err(Error::Damaged(_)) => {
                self.remember(Gap { range: key.to_vec()..after(key), wrong: "a record is malformed" });
                Ok(())
            }
            outcome => outcome,
        }
    }

    /// Records a gap, merged with the gaps that it overlaps.
    fn remember(&self, mut gap: Gap) {
        let mut gaps = sync::lock(&self.gaps);
        gaps.retain(|known| {
            let is_apart = !overlap(&known.range, &gap.range);
            if !is_apart {
                let start = known.range.start.clone().min(gap.range.start.clone());
                gap.range = start..known.range.end.clone().max(gap.range.end.clone());
            }
            is_apart
        });
        gaps.push(gap);
    }

    /// A scan up to `end` failed at the key `at`. Returns the key to continue at.
    fn behind(&self, at: &Key, end: &Key, wrong: &'static str) -> Key {
        let (known, is_full) = {
            let gaps = sync::lock(&self.gaps);
            let known = gaps.iter().find(|gap| gap.range.contains(at)).map(|gap| gap.range.end.clone());
            (known, gaps.len() >= GAPS_MAX)
        };
        if let Some(known) = known {
            return known;
        }
        let next = if is_full { end.clone() } else { self.search(at, end) };
        self.remember(Gap { range: at.clone()..next.clone(), wrong });
        next
    }

    /// The first readable key after `bad` that the search finds; `end` if there is none.
    fn search(&self, bad: &Key, end: &Key) -> Key {
        let start = prefix(bad);
        let (mut low, mut high) = (start, prefix(end));
        for bits in (FIRST_STEP_BITS..PREFIX_BYTES * 8).step_by(STEP_GROWTH_BITS) {
            let Some(at) = plus(start, bits).filter(|at| at[..] < end[..]) else { break };
            if self.is_readable(&at, end) {
                high = at;
                break;
            }
            low = at;
        }
        for _ in 0..HALVINGS {
            let middle = middle(low, high);
            if middle == low {
                break;
            }
            if self.is_readable(&middle, end) { high = middle } else { low = middle }
        }
        if high[..] >= end[..] || high[..] <= bad[..] {
            return end.clone();
        }
        let mut first = None;
        let found = self.meta.scan(high.to_vec()..end.clone(), &mut |key, _| {
            first = Some(key.to_vec());
            Ok(ControlFlow::Break(()))
        });
        if found.is_ok() { first.unwrap_or_else(|| end.clone()) } else { high.to_vec() }
    }

    /// Whether a scan that starts at `at` succeeds, with or without finding a key.
    fn is_readable(&self, at: &Prefix, end: &Key) -> bool {
        self.meta.scan(at.to_vec()..end.clone(), &mut |_, _| Ok(ControlFlow::Break(()))).is_ok()
    }
}

impl MetaView for ResilientView {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.meta.get(key)
    }

    /// Scans as far as records can be read.
    fn scan(&self, range: Range<Key>, visit: &mut Visit<'_>) -> Result<()> {
        let Range { start: mut from, end } = range;
        while from < end {
            let (mut last, mut of_visitor) = (None, Ok(()));
            let scanned = self.meta.scan(from.clone()..end.clone(), &mut |key, value| {
                let last = last.get_or_insert_with(Vec::new);
                last.clear();
                last.extend_from_slice(key);
                visit(key, value).or_else(|error| {
                    of_visitor = Err(error);
                    Ok(ControlFlow::Break(()))
                })
            });
            of_visitor?;
            let Err(error) = scanned else { return Ok(()) };
            let Some(wrong) = unreadable(&error) else { return Err(error) };
            let at = last.map_or(from, |last| after(&last));
            from = self.behind(&at, &end, wrong);
        }
        Ok(())
    }
}

/// The first key after `key`.
pub(crate) fn after(key: &[u8]) -> Key {
    let mut next = key.to_vec();
    next.push(0);
    next
}

fn prefix(key: &[u8]) -> Prefix {
    let mut prefix = [0; PREFIX_BYTES];
    prefix.iter_mut().zip(key).for_each(|(to, from)| *to = *from);
    prefix
}

/// `number` plus 2 to the power of `bits`; `None` on overflow.
fn plus(mut number: Prefix, bits: usize) -> Option<Prefix> {
    let mut carry = 1_u16 << (bits % 8);
    for byte in number.iter_mut().rev().skip(bits / 8) {
        let sum = u16::from(*byte) + carry;
        *byte = sum.to_le_bytes()[0];
        carry = sum >> 8;
    }
    (carry == 0).then_some(number)
}

/// The mean of two numbers, rounded down.
fn middle(low: Prefix, high: Prefix) -> Prefix {
    let mut sum = [0_u16; PREFIX_BYTES + 1];
    let mut carry = 0;
    for (at, (one, other)) in low.iter().zip(&high).enumerate().rev() {
        let added = u16::from(*one) + u16::from(*other) + carry;
        if let Some(place) = sum.get_mut(at + 1) {
            *place = added & 0xff;
        }
        carry = added >> 8;
    }
    sum[0] = carry;
    let mut middle = [0; PREFIX_BYTES];
    for (place, pair) in middle.iter_mut().zip(sum.windows(2)) {
        if let [above, here] = pair {
            *place = ((above & 1) << 7 | here >> 1).to_le_bytes()[0];
        }
    }
    middle
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::meta::{Batch, MemoryMeta, MetaStore};

    /// Metadata with unreadable ranges: a scan that reaches one fails.
    struct Damaged(MemoryMeta, Vec<Range<Key>>);

    impl MetaView for Damaged {
        fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
            self.0.get(key)
        }
        fn scan(&self, range: Range<Key>, visit: &mut Visit<'_>) -> Result<()> {
            let failed = || Err(Error::Damaged("a block".into()));
            self.0.scan(range, &mut |key, value| {
                if self.1.iter().any(|bad| bad.contains(&key.to_vec())) {
                    return failed().map(|()| ControlFlow::Break(()));
                }
                visit(key, value)
            })
        }
    }

    fn key(inode: u64) -> Key {
        keys::Item::inode(crate::InodeId(inode)).at(VolumeId(1), keys::EPOCH_FIRST)
    }

    #[test]
    fn a_scan_goes_on_behind_each_gap_and_remembers_it_once() {
        let memory = MemoryMeta::default();
        let changes = (1..1000).map(|inode| (key(inode), Some(Bytes::from_static(b"value"))));
        memory.write(Batch { changes: changes.collect() }).unwrap();
        let bad = vec![key(10)..key(20), key(300)..key(301), key(500)..key(800)];
        let view = ResilientView::new(Arc::new(Damaged(memory, bad.clone())));
        for _ in 0..2 {
            let mut found = Vec::new();
            view.scan(keys::inodes(VolumeId(1)), &mut |key, _| {
                found.push(key.to_vec());
                Ok(ControlFlow::Continue(()))
            })
            .unwrap();
            let lost = |inode: &u64| bad.iter().any(|bad| bad.contains(&key(*inode)));
            let expected: Vec<Key> = (1..1000).filter(|inode| !lost(inode)).map(key).collect();
            assert!(found == expected, "{} keys", found.len());
            assert_eq!(view.gaps().len(), 3);
        }
        assert!(view.any_gap(|gap| gap.hits_volume(VolumeId(1)) && gap.hits_kind(keys::INODE)));
        assert!(!view.any_gap(|gap| gap.hits_volume(VolumeId(2)) || gap.hits_kind(keys::EXTENT)));
    }

    #[test]
    fn a_scan_of_which_nothing_can_be_read_ends() {
        let memory = MemoryMeta::default();
        memory.write(Batch { changes: vec![(key(5), Some(Bytes::new()))] }).unwrap();
        let view = ResilientView::new(Arc::new(Damaged(memory, vec![vec![0]..vec![0xff]])));
        view.scan(keys::inodes(VolumeId(1)), &mut |_, _| panic!("nothing can be read")).unwrap();
        assert!(view.gaps()[0].range.contains(&key(5)));
    }
}
