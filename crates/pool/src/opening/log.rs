//! Reads the intent log at opening. Changes nothing.
//!
//! STATE names the laps that are needed. A group was written only when the one before was durable, so only the last one can be torn.
//! Anything else that is not whole is damage.

use std::collections::BTreeMap;

use crate::format::log::{BLOCK_BYTES, GroupHead, LogHeader, LogRecord, read_group};
use crate::parts::log::{Held, LastGroup};
use crate::store::log::LogStore;
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
}

/// A lap as it was read.
struct Lap {
    pool: PoolId,
    groups: Vec<(GroupHead, Vec<LogRecord>)>,
}

/// Reads the laps of `span`.
pub(crate) fn read(store: &dyn LogStore, span: LogSpan) -> Result<Read> {
    let mut read = Read { span, ..Read::default() };
    if span.is_empty() {
        return Ok(read);
    }
    let first = span.from.max((span.last + 1).saturating_sub(u64::from(span.files)));
    for lap in first..=span.last {
        let file = (lap % u64::from(span.files)) as u32;
        let mut flaw = |state, offset| read.flaws.push(Flaw { file, state, offset });
        let Some(content) = store.read(file, store.file_bytes())? else {
            flaw("missing", 0);
            continue;
        };
        match LogHeader::decode(&content) {
            Ok(header) if header.lap == lap => {
                let (groups, last, end) = groups_of(&content, &header);
                if is_followed(&content, &header, end) {
                    flaw("damaged", end as u64);
                }
                if let Some(bytes) = content.get(last..end).filter(|_| !groups.is_empty()) {
                    read.last = Some(LastGroup { file, offset: last as u64, bytes: bytes.to_vec() });
                }
                read.laps.insert(lap, Lap { pool: header.pool, groups });
            }
            Ok(_) => flaw("of another time", 0),
            Err(_) => flaw("damaged", 0),
        }
    }
    read.judge_numbers();
    Ok(read)
}

/// The whole groups of a lap, where the last one begins, and where it ends.
fn groups_of(content: &[u8], header: &LogHeader) -> (Vec<(GroupHead, Vec<LogRecord>)>, usize, usize) {
    let (mut groups, mut last, mut at) = (Vec::new(), BLOCK_BYTES, BLOCK_BYTES);
    while let Some((head, records, bytes)) = group_at(content, header, at) {
        groups.push((head, records));
        (last, at) = (at, at + bytes);
    }
    (groups, last, at)
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

    /// The heads of all groups.
    pub(crate) fn heads(&self) -> impl Iterator<Item = &GroupHead> {
        self.laps.values().flat_map(|lap| lap.groups.iter().map(|(head, _)| head))
    }

    /// What the log holds. Without `counts`, its records do not count.
    pub(crate) fn held(self, counts: bool) -> Held {
        let number = self.heads().map(|head| head.number).max().unwrap_or_default();
        // What does not count is not needed by the next opening either.
        let from = if counts { self.span.from } else { self.span.last + 1 };
        let span = LogSpan { from, ..self.span };
        let last = self.last.filter(|_| counts);
        let laps = self.laps.into_iter().filter(|_| counts);
        let records = |lap: Lap| lap.groups.into_iter().flat_map(|(_, records)| records).collect();
        Held { span, laps: laps.map(|(number, lap)| (number, records(lap))).collect(), number, last }
    }
}
