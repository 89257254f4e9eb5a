//! Reads the intent log at opening. Changes nothing.
//!
//! STATE names the laps that are needed. A group was written only when the one before was durable, so only the last one can be torn.
//! Anything else that is not whole is damage. Of a lap that STATE says is in both copies, each group is taken from either.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use crate::format::log::{BLOCK_BYTES, GroupHead, LogHeader, LogRecord, read_group};
use crate::parts::log::{Held, LastGroup, Mend};
use crate::store::log::LogFiles;
use crate::store::witness::LogSpan;
use crate::{PoolId, Result};

/// What is wrong with a file of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flaw {
    /// The file's number.
    pub(crate) file: u32,
    pub(crate) state: &'static str,
    pub(crate) offset: u64,
}

/// The needed laps of a log.
#[derive(Default)]
pub(crate) struct Read {
    span: LogSpan,
    laps: BTreeMap<u64, Lap>,
    pub(crate) flaws: Vec<Flaw>,
    last: Option<LastGroup>,
    mends: Vec<Mend>,
}

/// A lap as it was read.
struct Lap {
    pool: PoolId,
    groups: Vec<(GroupHead, Vec<LogRecord>)>,
}

/// Reads the laps of `span`.
pub(crate) fn read(files: &LogFiles, span: LogSpan) -> Result<Read> {
    let mut read = Read { span, ..Read::default() };
    if span.is_empty() {
        read.span.doubled = 0;
        return Ok(read);
    }
    let second = if span.doubled > 0 { files.second() } else { None };
    if second.is_none() {
        read.span.doubled = 0;
    }
    let bytes = files.first.file_bytes();
    let oldest = span.from.max((span.last + 1).saturating_sub(u64::from(span.files)));
    for lap in oldest..=span.last {
        let file = (lap % u64::from(span.files)) as u32;
        let contents = match &second {
            // A file that cannot be read counts as missing: the other copy may have it.
            Some(second) if span.is_doubled(lap) => {
                vec![files.first.read(file, bytes).unwrap_or(None), second.read(file, bytes).unwrap_or(None)]
            }
            _ => vec![files.first.read(file, bytes)?],
        };
        read.lap(lap, file, &contents);
    }
    read.judge_numbers();
    Ok(read)
}

/// The groups of a lap, each from a copy that has it whole.
#[derive(Default)]
struct Groups {
    all: Vec<(GroupHead, Vec<LogRecord>)>,
    /// The bytes of all groups.
    bytes: Vec<u8>,
    /// The length of the last one.
    last: usize,
}

/// Reads groups until no copy has one.
fn groups_of(copies: &[&[u8]], header: &LogHeader) -> Groups {
    let mut groups = Groups::default();
    loop {
        let at = BLOCK_BYTES + groups.bytes.len();
        let found = copies.iter().find_map(|copy| Some((copy, group_at(copy, header, at)?)));
        let Some((copy, (head, records, length))) = found else { return groups };
        let Some(bytes) = copy.get(at..at + length) else { return groups };
        groups.all.push((head, records));
        groups.bytes.extend_from_slice(bytes);
        groups.last = length;
    }
}

fn group_at(content: &[u8], header: &LogHeader, at: usize) -> Option<(GroupHead, Vec<LogRecord>, usize)> {
    let group = read_group(header.salt, content.get(at..)?).ok()?;
    (group.0.lap == header.lap).then_some(group)
}

/// Whether a whole group of the lap lies behind `end`, where there is none.
fn is_followed(content: &[u8], header: &LogHeader, end: usize) -> bool {
    (end + BLOCK_BYTES..content.len()).step_by(BLOCK_BYTES).any(|at| group_at(content, header, at).is_some())
}

impl Read {
    /// Reads a lap from the copies of its file.
    fn lap(&mut self, lap: u64, file: u32, contents: &[Option<Vec<u8>>]) {
        let headers: Vec<Option<LogHeader>> = contents
            .iter()
            .map(|content| LogHeader::decode(content.as_ref()?).ok().filter(|header| header.lap == lap))
            .collect();
        let Some(header) = headers.iter().flatten().next() else {
            let first = contents.first().and_then(Option::as_ref);
            let state = first.map(|first| LogHeader::decode(first));
            let state = match state {
                None => "missing",
                Some(Ok(_)) => "of another time",
                Some(Err(_)) => "damaged",
            };
            self.flaws.push(Flaw { file, state, offset: 0 });
            return;
        };
        let is_whole = |copy: &usize| headers.get(*copy).is_some_and(|known| known.as_ref() == Some(header));
        let content = |copy: usize| contents.get(copy).and_then(Option::as_deref).unwrap_or_default();
        let whole: Vec<&[u8]> = (0..contents.len()).filter(is_whole).map(content).collect();
        let groups = groups_of(&whole, header);
        let end = BLOCK_BYTES + groups.bytes.len();
        if whole.iter().any(|content| is_followed(content, header, end)) {
            self.flaws.push(Flaw { file, state: "damaged", offset: end as u64 });
        }
        let has_all =
            |copy: &usize| is_whole(copy) && content(*copy).get(BLOCK_BYTES..end) == Some(&groups.bytes);
        if contents.len() > 1 {
            for copy in (0..contents.len()).filter(|copy| !has_all(copy)) {
                let content = [header.encode(), groups.bytes.clone()].concat();
                self.mends.push(Mend { copy, file, content });
            }
        }
        let offset = (end - groups.last) as u64;
        if let Some(bytes) =
            groups.bytes.get(groups.bytes.len() - groups.last..).filter(|last| !last.is_empty())
        {
            self.last = Some(LastGroup { lap, file, offset, bytes: bytes.to_vec() });
        }
        self.laps.insert(lap, Lap { pool: header.pool, groups: groups.all });
    }

    /// Groups are numbered without gaps.
    fn judge_numbers(&mut self) {
        let mut last: Option<u64> = None;
        for (lap, of_lap) in &self.laps {
            for (head, _) in &of_lap.groups {
                if last.is_some_and(|last| head.number != last + 1) {
                    let file = (lap % u64::from(self.span.files)) as u32;
                    self.flaws.push(Flaw { file, state: "incomplete, or the one before it is", offset: 0 });
                }
                last = Some(head.number);
            }
        }
    }

    /// The pools that the files name.
    pub(crate) fn pools(&self) -> impl Iterator<Item = PoolId> {
        self.laps.values().map(|lap| lap.pool)
    }

    /// When the oldest lap was prepared, if that is known.
    pub(crate) fn since(&self) -> Option<SystemTime> {
        (self.span.since > 0).then(|| SystemTime::UNIX_EPOCH + Duration::from_secs(self.span.since))
    }

    /// The heads of all groups.
    pub(crate) fn heads(&self) -> impl Iterator<Item = &GroupHead> {
        self.laps.values().flat_map(|lap| lap.groups.iter().map(|(head, _)| head))
    }

    /// What the log holds. Without `counts`, its records do not count.
    pub(crate) fn held(self, counts: bool) -> Held {
        let number = self.heads().map(|head| head.number).max().unwrap_or_default();
        // What does not count is not needed by the next opening either.
        let from = if counts { self.span.from } else { self.span.last + 1 };
        let doubled = if counts { self.span.doubled } else { 0 };
        let span = LogSpan { from, doubled, ..self.span };
        let last = self.last.filter(|_| counts);
        let mends = if counts { self.mends } else { Vec::new() };
        let laps = self.laps.into_iter().filter(|_| counts);
        let records = |lap: Lap| lap.groups.into_iter().flat_map(|(_, records)| records).collect();
        Held { span, laps: laps.map(|(number, lap)| (number, records(lap))).collect(), number, last, mends }
    }
}
