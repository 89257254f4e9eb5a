//! What is known of one file: every change ever begun, and so which bytes a reader may see and a crash may leave.
//!
//! Changes may overlap in time, and then either order is right. So a byte is not known but bounded: it is that of some change
//! which was begun, unless another change that is sure to have happened came wholly after it.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use bytes::Bytes;

/// What a change does.
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
    /// Makes the file reach so far.
    Allocate {
        offset: u64,
        length: u64,
    },
    /// Bytes that were somebody else's.
    Clone {
        offset: u64,
        bytes: Bytes,
    },
}

impl fmt::Debug for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Write { offset, bytes } => write!(formatter, "write {offset}+{}", bytes.len()),
            Change::Truncate { size } => write!(formatter, "truncate {size}"),
            Change::Punch { offset, length } => write!(formatter, "punch {offset}+{length}"),
            Change::Allocate { offset, length } => write!(formatter, "allocate {offset}+{length}"),
            Change::Clone { offset, bytes } => write!(formatter, "clone to {offset}+{}", bytes.len()),
        }
    }
}

/// A change, and when it was.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) change: Change,
    pub(super) begun: u64,
    /// `None` while it is under way.
    pub(super) ended: Option<u64>,
    /// It was answered with success.
    sure: bool,
    /// It was acknowledged as durable.
    stable: bool,
}

impl Event {
    fn reaches(&self) -> Range<u64> {
        match &self.change {
            Change::Write { offset, bytes } | Change::Clone { offset, bytes } => {
                *offset..offset + bytes.len() as u64
            }
            Change::Truncate { size } => *size..u64::MAX,
            Change::Punch { offset, length } => *offset..offset + length,
            // It changes no byte.
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

/// From when to when a reader looked; or a crash, which nothing outlasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Read { from: u64 },
    Crash,
}

impl Look {
    /// The change is sure to be seen.
    fn must_see(self, event: &Event) -> bool {
        match self {
            Look::Read { from } => event.sure && event.ended_before(from),
            Look::Crash => event.stable,
        }
    }
}

/// Sizes that a file may have: from and to, both included.
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
#[derive(Debug, Default)]
pub(super) struct FileModel {
    /// What was found when the pool was opened.
    base: Vec<u8>,
    events: Vec<Event>,
    /// Changes under way.
    pub(super) changing: u32,
    /// A truncation is under way.
    pub(super) truncating: bool,
    /// Clones of it that are under way: nobody changes it.
    pub(super) sources: u32,
    /// How far the file is as a replica of the log, if it is one.
    pub(super) replica: usize,
}

impl FileModel {
    /// A new file: all of it a hole.
    pub(super) fn with_size(size: u64) -> Self {
        FileModel { base: vec![0; size as usize], ..FileModel::default() }
    }

    /// A file with that in it, all of it durable.
    pub(super) fn holding(content: Vec<u8>) -> Self {
        FileModel { base: content, ..FileModel::default() }
    }

    /// After an opening this, and nothing else, is in the file.
    pub(super) fn settle_on(&mut self, found: Vec<u8>) {
        let replica = self.replica;
        *self = FileModel { base: found, replica, ..FileModel::default() };
    }

    /// A change begins. Returns its number.
    pub(super) fn begin(&mut self, change: Change, tick: u64) -> usize {
        self.changing += 1;
        self.truncating |= matches!(change, Change::Truncate { .. });
        self.events.push(Event { change, begun: tick, ended: None, sure: false, stable: false });
        self.events.len() - 1
    }

    /// It was answered. `sure`: with success; else it may have happened. `stable`: it is durable, and with it all
    /// that had ended when it began.
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

    /// All that had ended before `tick` is durable.
    pub(super) fn committed(&mut self, tick: u64) {
        for event in self.events.iter_mut().filter(|event| event.sure && event.ended_before(tick)) {
            event.stable = true;
        }
    }

    /// Everything that was answered with success is durable.
    pub(super) fn committed_all(&mut self) {
        self.committed(u64::MAX);
    }

    /// Nothing is under way, and nothing acknowledged is unstable.
    pub(super) fn is_stable(&self) -> bool {
        self.events.iter().all(|event| event.stable)
    }

    /// Sizes that may be seen.
    pub(super) fn sizes(&self, look: Look) -> Sizes {
        let size = self.base.len() as u64;
        let mut sizes = BTreeSet::from([(size, size)]);
        for event in &self.events {
            let reaches = event.reaches();
            let must = look.must_see(event);
            let mut after: BTreeSet<(u64, u64)> = match &event.change {
                Change::Truncate { size } => BTreeSet::from([(*size, *size)]),
                Change::Punch { .. } => continue,
                Change::Write { .. } | Change::Allocate { .. } | Change::Clone { .. } => sizes
                    .iter()
                    .map(|(from, to)| {
                        // Of an unstable write a part may be durable.
                        let partly = look == Look::Crash && !matches!(event.change, Change::Allocate { .. });
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

    /// The size at which the next write is to start, if it is to append.
    pub(super) fn end_of_file(&self) -> u64 {
        self.sizes(Look::Read { from: u64::MAX }).0.last().map_or(0, |(_, to)| *to)
    }

    /// What is wrong with these bytes at `offset`, if anything is.
    pub(super) fn wrong(&self, offset: u64, found: &[u8], look: Look) -> Option<String> {
        let end = offset + found.len() as u64;
        let mut bounds = BTreeSet::from([offset, end]);
        for event in &self.events {
            let reaches = event.reaches();
            bounds.extend([reaches.start, reaches.end].iter().filter(|at| (offset..end).contains(*at)));
        }
        let bounds: Vec<u64> = bounds.into_iter().collect();
        bounds.windows(2).find_map(|pair| {
            let [from, to] = *pair else { return None };
            let part = &found[(from - offset) as usize..(to - offset) as usize];
            self.wrong_part(from..to, part, look)
        })
    }

    /// As `wrong`, for a range within which no change begins or ends.
    fn wrong_part(&self, range: Range<u64>, found: &[u8], look: Look) -> Option<String> {
        let covering: Vec<&Event> = self.events.iter().filter(|event| event.covers(&range)).collect();
        let hidden = |begun_or_base: Option<&Event>| {
            covering.iter().any(|later| {
                look.must_see(later) && begun_or_base.is_none_or(|event| event.ended_before(later.begun))
            })
        };
        let allowed: Vec<&Event> = covering.iter().copied().filter(|event| !hidden(Some(event))).collect();
        let mut parts: Vec<Part<'_>> = allowed.iter().map(|event| event.part(&range)).collect();
        if !hidden(None) {
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
}

/// Bytes of a range; zeros behind them.
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
            Change::Write { offset, bytes } | Change::Clone { offset, bytes } => {
                Part::of(bytes, &(range.start - offset..range.end - offset))
            }
            Change::Truncate { .. } | Change::Punch { .. } | Change::Allocate { .. } => Part(&[]),
        }
    }

    /// For messages.
    fn summary(&self) -> String {
        let Event { change, begun, ended, sure, stable } = self;
        format!("{change:?} [{begun}..{ended:?}] sure {sure} stable {stable}")
    }
}
