//! Links runs of batches into streams, each a log or a part of one.
//!
//! Runs are processed in the order of their offsets. At each offset there are ends of streams, and runs that begin
//! there. An end and a run are linked if each is the other's best match and no other match is equally good
//! ([`super::evidence`]). If just one end and one run are possible together, they are linked as well. The remaining
//! ones are ambiguous: these streams end, and others begin. **The linker never guesses**, because a wrong guess would
//! mix records of different partitions in one log. The report lists the streams that may continue each stream.
//!
//! Between chunks, a gap in the offsets ends a stream, unless the directly following frame has later batches of the
//! same producer and no run continues the stream without a gap. Within a chunk, a gap is the result of compaction.

use std::collections::{HashMap, HashSet};

use super::catalog::Catalog;
use super::evidence::{APPEND, CHUNK, End, PRODUCER, TIME};
use super::places::Places;
use super::report::Links;
use super::run::Run;

/// The maximum number of pairs at one offset that are compared. With more pairs, all but certain ones count as
/// ambiguous.
const PAIRS_MAX: usize = 1 << 22;
/// The maximum number of streams listed as possible continuations of one stream.
const POSSIBLE_MAX: usize = 100;
/// The maximum number of rounds of pairing at one offset.
const ROUNDS_MAX: usize = 64;

/// A log, or a part of one.
#[derive(Default)]
pub(super) struct Stream {
    pub(super) runs: Vec<u32>,
    pub(super) bytes: u64,
    pub(super) links: Links,
    /// Whether it may continue another stream, without certainty.
    pub(super) begins_ambiguously: bool,
    /// Streams that may continue it.
    pub(super) may_continue_in: Vec<u32>,
}

/// Links all runs of the catalog. `ranks` is the rank of each chunk in the order in which the chunks were appended. The
/// longest stream comes first.
pub(super) fn link(catalog: &Catalog, ranks: &[u32]) -> Vec<Stream> {
    let places = Places::new(catalog, ranks);
    let mut order: Vec<(i64, u32)> = Vec::with_capacity(catalog.runs.len());
    for (number, run) in catalog.runs.iter().enumerate() {
        order.push((run.first_offset, u32::try_from(number).unwrap_or(u32::MAX)));
    }
    let rank = |number: u32| {
        let chunk = catalog.runs.get(number as usize).and_then(Run::chunk);
        chunk.and_then(|chunk| ranks.get(chunk as usize)).copied()
    };
    order.sort_by_key(|(offset, number)| (*offset, rank(*number), *number));
    let mut linker = Linker {
        catalog,
        places: &places,
        streams: Vec::new(),
        ends: Vec::new(),
        ending: HashMap::new(),
        open: HashMap::new(),
        placed: HashSet::new(),
    };
    for group in order.chunk_by(|one, other| one.0 == other.0) {
        let runs: Vec<u32> = group.iter().map(|(_, number)| *number).collect();
        linker.group(group.first().map_or(0, |(offset, _)| *offset), &runs);
    }
    sorted(linker.streams)
}

/// Sorts the streams, longest first, and updates the references between them.
fn sorted(streams: Vec<Stream>) -> Vec<Stream> {
    let mut numbered: Vec<(usize, Stream)> = streams.into_iter().enumerate().collect();
    numbered.sort_by_key(|(number, stream)| (std::cmp::Reverse(stream.bytes), *number));
    let mut places = vec![0; numbered.len()];
    for (place, (number, _)) in numbered.iter().enumerate() {
        if let Some(slot) = places.get_mut(*number) {
            *slot = u32::try_from(place).unwrap_or(u32::MAX);
        }
    }
    let mut streams: Vec<Stream> = numbered.into_iter().map(|(_, stream)| stream).collect();
    for stream in &mut streams {
        for number in &mut stream.may_continue_in {
            *number = places.get(*number as usize).copied().unwrap_or(0);
        }
        stream.may_continue_in.sort_unstable();
    }
    streams
}

struct Linker<'a> {
    catalog: &'a Catalog,
    places: &'a Places,
    streams: Vec<Stream>,
    /// The ends of the streams.
    ends: Vec<End>,
    /// Streams by their last run.
    ending: HashMap<u32, u32>,
    /// Streams by their next offset.
    open: HashMap<i64, Vec<u32>>,
    /// Runs at the current offset that continue a stream.
    placed: HashSet<u32>,
}

impl Linker<'_> {
    /// Finds places for the runs that begin at `offset`.
    fn group(&mut self, offset: i64, runs: &[u32]) {
        self.placed.clear();
        let mut ends = self.open.remove(&offset).unwrap_or_default();
        let mut rest = Vec::with_capacity(runs.len());
        for run in runs {
            match self.certain(*run) {
                Some(stream) => {
                    ends.retain(|end| *end != stream);
                    self.append(stream, *run, CHUNK);
                }
                None => rest.push(*run),
            }
        }
        // An end whose certain continuation comes later is not available to others.
        ends.retain(|end| !self.is_promised(*end));
        if ends.len().saturating_mul(rest.len()) <= PAIRS_MAX {
            self.pair(&mut ends, &mut rest);
        }
        ends.truncate(POSSIBLE_MAX);
        for run in rest {
            let possible: Vec<u32> =
                ends.iter().copied().filter(|end| self.judge(*end, run).is_some()).collect();
            let behind_gap = if possible.is_empty() { self.behind_gap(run) } else { None };
            match behind_gap {
                Some(stream) => self.go_on(stream, run, |links| links.behind_gap += 1),
                None => self.begin(run, &possible),
            }
        }
    }

    /// The stream that the run is certain to continue.
    fn certain(&self, run: u32) -> Option<u32> {
        self.ending.get(self.catalog.preceding.get(&run)?).copied()
    }

    fn is_promised(&self, stream: u32) -> bool {
        self.ends.get(stream as usize).is_some_and(|end| self.catalog.following.contains_key(&end.run))
    }

    /// Links the pairs in which each is the other's only best match. Removes the linked ones from both lists.
    fn pair(&mut self, ends: &mut Vec<u32>, runs: &mut Vec<u32>) {
        let judged = ends.iter().map(|end| runs.iter().map(|run| self.judge(*end, *run)).collect());
        let mut table: Vec<Vec<Option<u8>>> = judged.collect();
        for _ in 0..ROUNDS_MAX {
            let pairs = best_pairs(&table, runs.len());
            if pairs.is_empty() {
                break;
            }
            for (row, column, evidence) in pairs {
                let (Some(stream), Some(run)) = (ends.get(row).copied(), runs.get(column).copied()) else {
                    continue;
                };
                self.append(stream, run, evidence);
                table.iter_mut().filter_map(|row| row.get_mut(column)).for_each(|cell| *cell = None);
                table.get_mut(row).into_iter().flatten().for_each(|cell| *cell = None);
            }
        }
        runs.retain(|run| !self.placed.contains(run));
        // A stream that was linked has a different end now.
        let offset = runs.first().and_then(|run| self.run(*run)).map(|run| run.first_offset);
        ends.retain(|end| self.ends.get(*end as usize).is_some_and(|end| Some(end.next_offset) == offset));
    }

    fn judge(&self, stream: u32, run: u32) -> Option<u8> {
        self.ends.get(stream as usize)?.judge(run, self.run(run)?, self.places)
    }

    /// The stream that the run continues after a gap.
    fn behind_gap(&self, run: u32) -> Option<u32> {
        let stream = *self.ending.get(&self.places.before(run)?)?;
        let end = self.ends.get(stream as usize)?;
        let is_free = self.streams.get(stream as usize)?.may_continue_in.is_empty();
        let goes_on = is_free && !self.is_promised(stream) && end.goes_on_behind_gap(self.run(run)?);
        goes_on.then_some(stream)
    }

    fn run(&self, number: u32) -> Option<&Run> {
        self.catalog.runs.get(number as usize)
    }

    /// Begins a stream, which may continue one of those in `possible`.
    fn begin(&mut self, number: u32, possible: &[u32]) {
        let Some(run) = self.catalog.runs.get(number as usize) else { return };
        let stream = u32::try_from(self.streams.len()).unwrap_or(u32::MAX);
        for end in possible {
            if let Some(end) = self.streams.get_mut(*end as usize)
                && end.may_continue_in.len() < POSSIBLE_MAX
            {
                end.may_continue_in.push(stream);
            }
        }
        self.streams.push(Stream {
            runs: vec![number],
            bytes: run.bytes,
            begins_ambiguously: !possible.is_empty(),
            ..Stream::default()
        });
        self.ends.push(End::new(number, run));
        self.ending.insert(number, stream);
        self.open.entry(run.next_offset).or_default().push(stream);
    }

    fn append(&mut self, stream: u32, number: u32, evidence: u8) {
        self.go_on(stream, number, |links| {
            let count = match evidence {
                CHUNK.. => &mut links.chunk,
                PRODUCER.. => &mut links.producer,
                APPEND.. => &mut links.append,
                TIME.. => &mut links.time,
                _ => &mut links.offset,
            };
            *count += 1;
        });
    }

    fn go_on(&mut self, stream: u32, number: u32, count: impl FnOnce(&mut Links)) {
        let Some(run) = self.catalog.runs.get(number as usize) else { return };
        let place = stream as usize;
        let Some((known, end)) = self.streams.get_mut(place).zip(self.ends.get_mut(place)) else { return };
        if let Some(others) = self.open.get_mut(&end.next_offset) {
            others.retain(|other| *other != stream);
        }
        known.runs.push(number);
        known.bytes += run.bytes;
        count(&mut known.links);
        self.ending.remove(&end.run);
        self.ending.insert(number, stream);
        end.append(number, run);
        self.placed.insert(number);
        self.open.entry(run.next_offset).or_default().push(stream);
    }
}

/// The pairs of a row and a column in which each has its only best evidence from the other.
fn best_pairs(table: &[Vec<Option<u8>>], columns: usize) -> Vec<(usize, usize, u8)> {
    let mut of_columns = vec![Best::default(); columns];
    let mut of_rows = vec![Best::default(); table.len()];
    for (row, (cells, of_row)) in table.iter().zip(&mut of_rows).enumerate() {
        for (column, (cell, of_column)) in cells.iter().zip(&mut of_columns).enumerate() {
            if let Some(evidence) = cell {
                of_row.offer(*evidence, column);
                of_column.offer(*evidence, row);
            }
        }
    }
    let mutual = of_rows.iter().enumerate().filter_map(|(row, best)| {
        let (column, evidence) = best.only()?;
        let (other, _) = of_columns.get(column)?.only()?;
        (other == row).then_some((row, column, evidence))
    });
    mutual.collect()
}

/// The best evidence in a row or a column of pairs.
#[derive(Clone, Copy, Default)]
struct Best {
    evidence: u8,
    /// The number of places with this evidence.
    count: usize,
    place: usize,
}

impl Best {
    fn offer(&mut self, evidence: u8, place: usize) {
        if self.count == 0 || evidence > self.evidence {
            *self = Best { evidence, count: 1, place };
        } else if evidence == self.evidence {
            self.count += 1;
        }
    }

    /// The place of the evidence, if only one place has it.
    fn only(&self) -> Option<(usize, u8)> {
        (self.count == 1).then_some((self.place, self.evidence))
    }
}
