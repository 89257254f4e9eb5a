//! The witness records, outside the metadata store, how far the metadata reached. With it, opening can tell complete metadata
//! from metadata that is lost, truncated or old. docs/decisions/0001-opening-proves-the-pool.md gives the reasons.
//!
//! A [`State`] only claims what was durable before it was written. An older state is therefore still true, and only the first
//! and the last state of a start are synced.

mod directories;
mod file;
mod fits;
mod keeper;
mod memory;
mod metadata;

pub(crate) use directories::DirectoryWitness;
pub(crate) use file::{STATE_FILE, StateFile};
pub(crate) use keeper::Keeper;
pub(crate) use memory::MemoryWitness;
pub(crate) use metadata::MetaWitness;

use std::path::PathBuf;

use crate::format::codec::{Decoded, Malformed};
use crate::store::meta::Position;
use crate::{PoolId, Result};

/// The phase of a start of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The pool is being opened: the metadata may not have counted this start yet.
    Opening,
    /// The pool is open, or was not closed in order.
    Running,
    /// The pool was closed in order.
    Closed,
}

/// The state that a witness records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) pool: PoolId,
    /// The start of the pool that the state describes.
    pub(crate) boot: u64,
    /// Drawn at random for this start, to tell apart two histories of a pool that have the same start number.
    pub(crate) mark: u32,
    pub(crate) phase: Phase,
    /// All batches of metadata up to this number were durable.
    pub(crate) batch: u64,
    /// Versions of the metadata store's tables, which only grow. See [`Position::tables`].
    pub(crate) tables: [u64; 2],
    /// The laps of the intent log that are needed.
    pub(crate) log: LogSpan,
}

/// Laps of the intent log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LogSpan {
    /// The first lap that is needed. Larger than `last` if none is.
    pub(crate) from: u64,
    /// The last lap; 0 if there never was one.
    pub(crate) last: u64,
    /// The number of files of the ring; 0 if there never was one.
    pub(crate) files: u32,
    /// The second copy has this lap and all later ones whole; 0 if it has none.
    pub(crate) doubled: u64,
    /// When `from` was prepared, in seconds since 1970; 0 if that is not known. No record in a lap that is needed is older.
    pub(crate) since: u64,
}

impl LogSpan {
    /// Whether no lap is needed.
    pub(crate) fn is_empty(&self) -> bool {
        self.last == 0 || self.from > self.last
    }

    /// Whether the second copy has the lap whole.
    pub(crate) fn is_doubled(&self, lap: u64) -> bool {
        self.doubled > 0 && lap >= self.doubled
    }

    fn field(&self) -> String {
        let LogSpan { from, last, files, doubled, since } = self;
        match (last, doubled, since) {
            // A pool that never had a log has the state that it had before there were logs.
            (0, ..) => String::new(),
            (_, 0, 0) => format!(" log={from}.{last}.{files}"),
            (_, _, 0) => format!(" log={from}.{last}.{files}.{doubled}"),
            _ => format!(" log={from}.{last}.{files}.{doubled}.{since}"),
        }
    }
}

/// What was read from the place where a witness keeps its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing was ever written there, or the place itself does not exist.
    Missing,
    /// The state exists but cannot be read.
    Damaged,
    There(State),
}

impl Found {
    pub(crate) fn state(self) -> Option<State> {
        if let Found::There(state) = self { Some(state) } else { None }
    }
}

/// Records the pool's state outside the metadata store, in the pool's directory and, if there is one, in the second copy's.
pub(crate) trait Witness: Send + Sync + 'static {
    /// The state in the pool's own directory.
    fn own(&self) -> Result<Found>;
    /// The state in the second copy's directory; `Missing` without a copy.
    fn copy(&self) -> Result<Found>;
    /// What starts of the pool have noted elsewhere, each with the file that says it.
    fn starts(&self) -> Result<Vec<(PathBuf, State)>> {
        Ok(Vec::new())
    }
    /// Notes elsewhere, durably, that the metadata has accepted mismatches: until the start with this number has noted how far it reached, the pool is
    /// opened in no other way.
    fn give_up(&self, _boot_next: u64) -> Result<()> {
        Ok(())
    }
    /// Removes what starts before this one have noted elsewhere.
    fn forget_earlier(&self, _boot: u64) -> Result<()> {
        Ok(())
    }
    /// Records a state in the pool's directory, durably.
    fn establish(&self, state: &State) -> Result<()>;
    /// Records a state in the pool's directory, without a sync.
    fn note(&self, state: &State) -> Result<()>;
    /// Records the state in the second copy's directory, if `may_replace` accepts what it says now. The state must not claim more
    /// than the metadata holds durably. Returns an error if it could not be recorded, and nothing if there should be no copy.
    fn note_in_copy(
        &self,
        _state: &State,
        _durably: bool,
        _may_replace: &dyn Fn(&Found) -> bool,
    ) -> Result<()> {
        Ok(())
    }
}

impl State {
    /// The state in `phase` when the metadata has reached `position`.
    pub(crate) fn at(self, phase: Phase, position: Position) -> State {
        State { phase, batch: position.durable, tables: position.tables, ..self }
    }

    /// The fields as text, without a checksum.
    fn fields(&self) -> String {
        let phase = match self.phase {
            Phase::Opening => "opening",
            Phase::Running => "running",
            Phase::Closed => "closed",
        };
        let State { pool, boot, mark, batch, tables: [first, second], log, .. } = self;
        let log = log.field();
        format!(
            "pool={pool} start={boot} mark={mark} phase={phase} batch={batch} tables={first}.{second}{log}"
        )
    }

    fn parse(fields: &str) -> Decoded<State> {
        let mut words = fields.split(' ');
        let mut field = |name: &str| {
            let word = words.next().and_then(|word| word.strip_prefix(name)?.strip_prefix('='));
            word.ok_or(Malformed)
        };
        let pool = parse_pool(field("pool")?)?;
        let boot = parse_number(field("start")?)?;
        let mark = field("mark")?.parse().map_err(|_| Malformed)?;
        let phase = match field("phase")? {
            "opening" => Phase::Opening,
            "running" => Phase::Running,
            "closed" => Phase::Closed,
            _ => return Err(Malformed),
        };
        let batch = parse_number(field("batch")?)?;
        let (first, second) = field("tables")?.split_once('.').ok_or(Malformed)?;
        let tables = [parse_number(first)?, parse_number(second)?];
        let log = match words.next() {
            None => LogSpan::default(),
            Some(word) => parse_log(word)?,
        };
        if words.next().is_some() {
            return Err(Malformed);
        }
        Ok(State { pool, boot, mark, phase, batch, tables, log })
    }
}

fn parse_number(text: &str) -> Decoded<u64> {
    text.parse().map_err(|_| Malformed)
}

fn parse_log(word: &str) -> Decoded<LogSpan> {
    let mut numbers = word.strip_prefix("log=").ok_or(Malformed)?.split('.');
    let mut number = || parse_number(numbers.next().ok_or(Malformed)?);
    let (from, last, files) = (number()?, number()?, number()?);
    let mut optional = || numbers.next().map_or(Ok(0), parse_number);
    let (doubled, since) = (optional()?, optional()?);
    let span = LogSpan { from, last, files: u32::try_from(files).map_err(|_| Malformed)?, doubled, since };
    let is_whole = span.is_empty() || span.files > 0;
    if last > 0 && is_whole && numbers.next().is_none() { Ok(span) } else { Err(Malformed) }
}

fn parse_pool(text: &str) -> Decoded<PoolId> {
    let number = u128::from_str_radix(text, 16).map_err(|_| Malformed)?;
    let id = PoolId(number.to_be_bytes());
    if id.to_string() == text { Ok(id) } else { Err(Malformed) }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn sample() -> State {
        State {
            pool: PoolId([0x1f; 16]),
            boot: 7,
            mark: 4_000_000_000,
            phase: Phase::Running,
            batch: 123_456,
            tables: [3, 17],
            log: LogSpan { from: 4, last: 9, files: 8, ..LogSpan::default() },
        }
    }

    #[test]
    fn a_state_is_read_as_it_was_written() {
        for phase in [Phase::Opening, Phase::Running, Phase::Closed] {
            let state = State { phase, ..sample() };
            assert_eq!(State::parse(&state.fields()), Ok(state));
        }
    }

    #[test]
    fn no_part_of_a_state_can_be_missing() {
        let fields = sample().fields();
        let words: Vec<&str> = fields.split(' ').collect();
        // The laps come last. A state of a pool that never had a log ends before them.
        for leave in 0..words.len() - 1 {
            let rest: Vec<&str> =
                words.iter().enumerate().filter(|(at, _)| *at != leave).map(|(_, word)| *word).collect();
            assert_eq!(State::parse(&rest.join(" ")), Err(Malformed));
        }
        for log in ["log=4.9", "log=4.0.8", "log=4.9.0", "log=4.9.8.", "log=4.9.8.1.1.1", "log=x.9.8"] {
            assert_eq!(State::parse(&fields.replace("log=4.9.8", log)), Err(Malformed), "{log}");
        }
        let empty = LogSpan { from: 10, last: 9, ..LogSpan::default() };
        let doubled = LogSpan { doubled: 5, ..sample().log };
        assert!(!doubled.is_doubled(4) && doubled.is_doubled(5));
        let since = LogSpan { since: 1_795_000_000, ..sample().log };
        for log in [LogSpan::default(), empty, doubled, since] {
            let none = State { log, ..sample() };
            assert_eq!(State::parse(&none.fields()), Ok(none));
        }
        assert_eq!(State::parse(&format!("{fields} more=1")), Err(Malformed));
        assert_eq!(State::parse(&fields.replace("pool=1f", "pool=+1")), Err(Malformed));
    }
}
