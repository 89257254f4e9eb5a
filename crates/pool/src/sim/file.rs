//! The model of one file: every change that was ever begun, and so the bytes that a reader may see and a crash may
//! leave.
//!
//! Changes may overlap in time, and then either order is correct. So the model does not know a byte but bounds it: the
//! byte comes from a change that was begun, unless another change that certainly happened came entirely after that
//! change.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use bytes::Bytes;

use super::clone_ends::Ends;

/// The kind of a change.
#[derive(Clone)]
pub(super) enum Change {
    Write {
        offset: u64,
        bytes: Bytes,
    },
    Truncate {
        size: u64,
    },
    /// Makes a hole. The size stays.
    Punch {
        offset: u64,
        length: u64,
    },
    /// Extends the file to this range.
    Allocate {
        offset: u64,
        length: u64,
    },
    /// Writes bytes cloned from a file. Until it is known to have succeeded, a first part of it may be there, which ends where a
    /// batch did.
    Clone {
        offset: u64,
        bytes: Bytes,
        ends: Ends,
    },
}

impl fmt::Debug for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Write { offset, bytes } => write!(formatter, "write {offset}+{}", bytes.len()),
            Change::Truncate { size } => write!(formatter, "truncate {size}"),
            Change::Punch { offset, length } => write!(formatter, "punch {offset}+{length}"),
            Change::Allocate { offset, length } => write!(formatter, "allocate {offset}+{length}"),
            Change::Clone { offset, bytes, .. } => write!(formatter, "clone to {offset}+{}", bytes.len()),
        }
    }
}

/// A change and its time.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) change: Change,
    pub(super) begun: u64,
    /// `None` while it is in progress.
    pub(super) ended: Option<u64>,
    /// The client received a success.
    sure: bool,
    /// It was acknowledged as durable.
    stable: bool,
}

impl Event {
    fn reaches(&self) -> Range<u64> {
        match &self.change {
            Change::Write { offset, bytes } | Change::Clone { offset, bytes, .. } => {
                *offset..offset + bytes.len() as u64
            }
            Change::Truncate { size } => *size..u64::MAX,
            Change::Punch { offset, length } => *offset..offset + length,
            // It changes no bytes.
            Change::Allocate { offset, length } => offset + length..offset + length,
        }
    }

    fn covers(&self, range: &Range<u64>) -> bool {
        let reaches = self.reaches();
        reaches.start <= range.start && range.end <= reaches.end
    }

    fn ended_before(&self, tick: u64) -> bool {
        self.ended.is_some_and(|ended| ended < tick)
    }
}

/// The moment of a look at the file: a read that began at a tick, or a crash, after which only durable changes are
/// certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Read { from: u64 },
    Crash,
}

impl Look {
    /// Whether the change is certain to be visible.
    fn must_see(self, event: &Event) -> bool {
        match self {
            Look::Read { from } => event.sure && event.ended_before(from),
            Look::Crash => event.stable,
        }
    }
}

/// The sizes that a file may have, as ranges with both ends included.
#[derive(Debug)]
pub(super) struct Sizes(BTreeSet<(u64, u64)>);

impl Sizes {
    pub(super) fn contains(&self, size: u64) -> bool {
        self.0.iter().any(|(from, to)| (*from..=*to).contains(&size))
    }

    /// Whether a read of up to `length` bytes at `offset` may return that many.
    pub(super) fn fits(&self, offset: u64, length: u32, found: u64) -> bool {
        let of = |size: u64| size.saturating_sub(offset).min(u64::from(length));
        self.0.iter().any(|(from, to)| (of(*from)..=of(*to)).contains(&found))
    }
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct FileModel {
    /// The content when the pool was opened.
    base: Vec<u8>,
    events: Vec<Event>,
    /// The number of changes in progress.
    pub(super) changing: u32,
    /// A truncation is in progress.
    pub(super) truncating: bool,
    /// The number of clones of it in progress. Meanwhile no client changes it.
    pub(super) sources: u32,
    /// If the file is a replica of the log, its position in the log.
    pub(super) replica: usize,
}

impl FileModel {
    /// A new file that is one hole.
    pub(super) fn with_size(size: u64) -> Self {
        FileModel { base: vec![0; size as usize], ..FileModel::default() }
    }

    /// A file with this content, all of it durable.
    pub(super) fn holding(content: Vec<u8>) -> Self {
        FileModel { base: content, ..FileModel::default() }
    }

    /// Replaces the model with the content found after an opening.
    pub(super) fn settle_on(&mut self, found: Vec<u8>) {
        let replica = self.replica;
        *self = FileModel { base: found, replica, ..FileModel::default() };
    }

    /// Begins a change. Returns its number.
    pub(super) fn begin(&mut self, change: Change, tick: u64) -> usize {
        self.changing += 1;
        self.truncating |= matches!(change, Change::Truncate { .. });
        self.events.push(Event { change, begun: tick, ended: None, sure: false, stable: false });
        self.events.len() - 1
    }

    /// Ends a change. `sure`: the client received a success; otherwise the change may have happened. `stable`: the
    /// change is durable, and with it all changes that had ended when it began.
    pub(super) fn end(&mut self, number: usize, tick: u64, sure: bool, stable: bool) {
        self.changing -= 1;
        let Some(event) = self.events.get_mut(number) else { return };
        event.ended = Some(tick);
        event.sure = sure;
        event.stable = stable;
        let begun = event.begun;
        match event.change {
            Change::Truncate { .. } => self.truncating = false,
            Change::Write { .. } if stable => self.committed(begun),
            _ => {}
        }
    }

    /// Marks all changes that had ended before `tick` as durable.
    pub(super) fn committed(&mut self, tick: u64) {
        for event in self.events.iter_mut().filter(|event| event.sure && event.ended_before(tick)) {
            event.stable = true;
        }
    }

    /// Marks all successful changes as durable.
    pub(super) fn committed_all(&mut self) {
        self.committed(u64::MAX);
    }

    /// Whether all changes have ended and are durable.
    pub(super) fn is_stable(&self) -> bool {
        self.events.iter().all(|event| event.stable)
    }

    /// The sizes that may be seen.
    pub(super) fn sizes(&self, look: Look) -> Sizes {
        self.sizes_after(look, Event::stops)
    }

    /// Like `sizes`. `stops` tells where a clone may have stopped that is not certain to be whole.
    fn sizes_after(&self, look: Look, stops: impl Fn(&Event) -> Vec<u64>) -> Sizes {
        let size = self.base.len() as u64;
        let mut sizes = BTreeSet::from([(size, size)]);
        for event in &self.events {
            let reaches = event.reaches();
            let must = look.must_see(event);
            let mut after: BTreeSet<(u64, u64)> = match &event.change {
                Change::Truncate { size } => BTreeSet::from([(*size, *size)]),
                Change::Punch { .. } => continue,
                Change::Clone { .. } if !must => {
                    let stops = stops(event);
                    let extended = |(from, to): &(u64, u64)| {
                        let (from, to) = (*from, *to);
                        stops.iter().map(move |stop| (from.max(*stop), to.max(*stop))).collect::<Vec<_>>()
                    };
                    sizes.iter().flat_map(extended).collect()
                }
                Change::Write { .. } | Change::Allocate { .. } | Change::Clone { .. } => sizes
                    .iter()
                    .map(|(from, to)| {
                        // A part of an unstable write may be durable.
                        let partly = look == Look::Crash && matches!(event.change, Change::Write { .. });
                        let least = if must || !partly { reaches.end } else { reaches.start };
                        let to = (*to).max(reaches.end);
                        ((*from).max(least).min(to), to)
                    })
                    .collect(),
            };
            if !must {
                after.append(&mut sizes);
            }
            sizes = after;
        }
        Sizes(sizes)
    }

    /// The offset at which the next write must start to append.
    pub(super) fn end_of_file(&self) -> u64 {
        let whole = |event: &Event| vec![event.reaches().end];
        self.sizes_after(Look::Read { from: u64::MAX }, whole).0.last().map_or(0, |(_, to)| *to)
    }

    /// Describes the first error in these bytes at `offset`, if there is one.
    pub(super) fn wrong(&self, offset: u64, found: &[u8], look: Look) -> Option<String> {
        let parts = self.parts_within(offset..offset + found.len() as u64);
        let of_part =
            |part: &Range<u64>| &found[(part.start - offset) as usize..(part.end - offset) as usize];
        parts
            .iter()
            .find_map(|part| self.wrong_part(part.clone(), of_part(part), look))
            .or_else(|| self.torn_clone(offset, found, look))
    }

    /// The parts of a range in which no change begins or ends.
    fn parts_within(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let mut bounds = BTreeSet::from([range.start, range.end]);
        for event in &self.events {
            let reaches = event.reaches();
            bounds.extend([reaches.start, reaches.end].iter().filter(|at| range.contains(*at)));
        }
        let bounds: Vec<u64> = bounds.into_iter().collect();
        bounds.windows(2).map(|pair| pair[0]..pair[1]).collect()
    }

    /// The changes that may have given the bytes of a range in which no change begins or ends, and whether the base may have.
    fn sources_of(&self, range: &Range<u64>, look: Look) -> (Vec<&Event>, bool) {
        let covering: Vec<&Event> = self.events.iter().filter(|event| event.covers(range)).collect();
        let hidden = |begun_or_base: Option<&Event>| {
            covering.iter().any(|later| {
                look.must_see(later) && begun_or_base.is_none_or(|event| event.ended_before(later.begun))
            })
        };
        let allowed = covering.iter().copied().filter(|event| !hidden(Some(event))).collect();
        (allowed, !hidden(None))
    }

    /// Like `wrong`, for a range in which no change begins or ends.
    fn wrong_part(&self, range: Range<u64>, found: &[u8], look: Look) -> Option<String> {
        let (allowed, base) = self.sources_of(&range, look);
        let mut parts: Vec<Part<'_>> = allowed.iter().map(|event| event.part(&range)).collect();
        if base {
            parts.push(Part::of(&self.base, &range));
        }
        if parts.iter().any(|part| part.is(found)) {
            return None;
        }
        let wrong =
            found.iter().enumerate().find(|(at, byte)| !parts.iter().any(|part| part.byte(*at) == **byte));
        let (at, byte) = wrong?;
        let expected: Vec<String> = parts.iter().map(|part| format!("{:02x}", part.byte(at))).collect();
        Some(format!(
            "byte {} is {byte:02x}, not {} of {:?}",
            range.start + at as u64,
            expected.join(" or "),
            allowed.iter().map(|event| event.summary()).collect::<Vec<_>>()
        ))
    }

    /// Describes a clone of which something else is there than a first part that ends with a batch, if there is one.
    fn torn_clone(&self, offset: u64, found: &[u8], look: Look) -> Option<String> {
        let end = offset + found.len() as u64;
        let is_clone = |event: &&Event| matches!(event.change, Change::Clone { .. }) && !look.must_see(event);
        self.events.iter().filter(is_clone).find_map(|clone| {
            let reaches = clone.reaches();
            let range = reaches.start.max(offset)..reaches.end.min(end);
            // The bytes before `least` came from the clone, and the byte at `most` did not.
            let (mut least, mut most) = (reaches.start, reaches.end);
            for part in self.parts_within(range.start..range.end.max(range.start)) {
                let (sources, base) = self.sources_of(&part, look);
                if !sources.iter().any(|event| std::ptr::eq(*event, clone)) {
                    continue;
                }
                let (older, newer): (Vec<&Event>, Vec<&Event>) = sources
                    .into_iter()
                    .filter(|event| !std::ptr::eq(*event, clone))
                    .partition(|event| event.ended_before(clone.begun));
                let newer: Vec<Part<'_>> = newer.iter().map(|event| event.part(&part)).collect();
                let mut older: Vec<Part<'_>> = older.iter().map(|event| event.part(&part)).collect();
                older.extend(base.then(|| Part::of(&self.base, &part)));
                let cloned = clone.part(&part);
                for (at, place) in part.clone().enumerate() {
                    let byte = found[(place - offset) as usize];
                    let is_of = |parts: &[Part<'_>]| parts.iter().any(|part| part.byte(at) == byte);
                    match (cloned.byte(at) == byte, is_of(&newer), is_of(&older)) {
                        (false, false, _) => most = most.min(place),
                        (true, false, false) => least = place + 1,
                        _ => {}
                    }
                }
            }
            let mut stops = clone.stops();
            stops.push(reaches.start);
            let is_whole = stops.iter().any(|stop| (least..=most).contains(stop));
            (!is_whole).then(|| {
                format!(
                    "of {}, what reaches at least to {least} and at most to {most} is there, and batches ended at {stops:?}",
                    clone.summary()
                )
            })
        })
    }
}

/// The bytes of a range, with zeros after them.
struct Part<'a>(&'a [u8]);

impl<'a> Part<'a> {
    fn of(bytes: &'a [u8], range: &Range<u64>) -> Self {
        let length = bytes.len() as u64;
        Part(&bytes[range.start.min(length) as usize..range.end.min(length) as usize])
    }
    fn is(&self, found: &[u8]) -> bool {
        let (known, zeros) = found.split_at(self.0.len().min(found.len()));
        known == self.0 && zeros.iter().all(|byte| *byte == 0)
    }
    fn byte(&self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or(0)
    }
}

impl Event {
    fn part(&self, range: &Range<u64>) -> Part<'_> {
        match &self.change {
            Change::Write { offset, bytes } | Change::Clone { offset, bytes, .. } => {
                Part::of(bytes, &(range.start - offset..range.end - offset))
            }
            Change::Truncate { .. } | Change::Punch { .. } | Change::Allocate { .. } => Part(&[]),
        }
    }

    /// Where it may have stopped, if it is a clone.
    fn stops(&self) -> Vec<u64> {
        let Change::Clone { ends, .. } = &self.change else { return Vec::new() };
        let reaches = self.reaches();
        ends.within(reaches.start, reaches.end)
    }

    /// A description for messages.
    fn summary(&self) -> String {
        let Event { change, begun, ended, sure, stable } = self;
        format!("{change:?} [{begun}..{ended:?}] sure {sure} stable {stable}")
    }
}
