//! Damage to a pool's files while the pool is not open.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::{FaultyDisk, Inner, Segment, Stored};
use crate::format::keys::{Key, SegmentId};
use crate::sim::random::Random;

/// A kind of damage to whole files while the pool is not open. `Older…` restores the files of an earlier time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    NoMetadata,
    OlderMetadata,
    NoState,
    OlderState,
    NoSegments,
    NoSegment,
    ShorterSegment,
    EmptySegment,
    OlderSegments,
}

impl Damage {
    pub(crate) const ALL: [Damage; 9] = [
        Damage::NoMetadata,
        Damage::OlderMetadata,
        Damage::NoState,
        Damage::OlderState,
        Damage::NoSegments,
        Damage::NoSegment,
        Damage::ShorterSegment,
        Damage::EmptySegment,
        Damage::OlderSegments,
    ];

    /// Whether this damage may lose content of segments.
    pub(crate) fn hits_segments(self) -> bool {
        !matches!(self, Damage::NoMetadata | Damage::OlderMetadata | Damage::NoState | Damage::OlderState)
    }
}

impl FaultyDisk {
    /// Loses whole files, or restores those of `older`, an earlier copy of this disk.
    pub(crate) fn damage_at_rest(&self, damage: Damage, older: &FaultyDisk, seed: u64) {
        let mut random = Random::new(seed);
        let (mut inner, older) = (self.inner(), older.inner());
        let ids: Vec<SegmentId> = inner.copies[0].keys().copied().collect();
        let one = random.pick(&ids);
        let one = |segments: &mut BTreeMap<SegmentId, Segment>, change: &dyn Fn(&mut Vec<u8>)| {
            if let Some(segment) = one.and_then(|id| segments.get_mut(&id)) {
                change(&mut segment.durable);
            }
        };
        match damage {
            Damage::NoMetadata => inner.meta = Stored::default(),
            Damage::OlderMetadata => inner.meta = older.meta.clone(),
            Damage::NoState => inner.states.clear(),
            Damage::OlderState => inner.states.clone_from(&older.states),
            Damage::NoSegments => inner.copies[0].clear(),
            Damage::NoSegment => inner.copies[0].retain(|id, _| Some(*id) != ids.first().copied()),
            Damage::ShorterSegment => one(&mut inner.copies[0], &|bytes| bytes.truncate(bytes.len() / 2)),
            Damage::EmptySegment => one(&mut inner.copies[0], &Vec::clear),
            Damage::OlderSegments => {
                let whole = |segment: &Segment| Segment {
                    durable: segment.durable.clone(),
                    created: true,
                    ..Segment::default()
                };
                inner.copies[0] = older.copies[0].iter().map(|(id, segment)| (*id, whole(segment))).collect();
            }
        }
    }

    /// All segments as they are after a restart, including those that were set aside.
    pub(crate) fn segments_at_rest(&self) -> BTreeMap<SegmentId, Vec<u8>> {
        let inner = self.inner();
        let segments = inner.copies[0].iter().map(|(id, segment)| (*id, segment.durable.clone()));
        segments.chain(inner.aside[0].clone()).collect()
    }

    /// Damages a record of the metadata.
    pub(crate) fn spoil(&self, key: &Key) {
        if let Some(value) = self.inner().meta.map.get_mut(key) {
            *value = Bytes::from_static(b"spoiled");
        }
    }
}

impl Inner {
    /// Lets one copy of the intent log lose something, if the other copy has it.
    pub(super) fn hurt_log(&mut self, random: &mut Random) {
        let log = self.states.last().map(|state| state.log).unwrap_or_default();
        let copy = self.log_hurt.unwrap_or_else(|| random.below(2) as usize);
        // A lap that the second copy does not have has only one place.
        if copy == 0 && !log.is_doubled(log.from) {
            return;
        }
        self.log_hurt = Some(copy);
        let files: Vec<u32> = self.log[copy].keys().copied().collect();
        let Some(file) = random.pick(&files) else { return };
        match random.below(3) {
            0 => self.log[copy].clear(),
            1 => drop(self.log[copy].remove(&file)),
            _ => {
                let content = self.log[copy].entry(file).or_default();
                let at = random.below(content.durable.len().max(1) as u64) as usize;
                content.durable.iter_mut().skip(at).take(5000).for_each(|byte| *byte ^= 0x55);
                content.seen = Some(content.durable.clone());
                content.writes.clear();
            }
        }
    }
}
