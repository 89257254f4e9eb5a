//! The places of runs in their segments, and the runs that were appended together.
//!
//! A flush appends the chunks of one file one after another. So consecutive frames that each continue the offsets of
//! the frame before belong to one file, if there are too many of them for a coincidence.

use super::catalog::Catalog;
use super::run::{Piece, Run, Source};

/// This many frames in a row that continue each other are not a coincidence.
const ROW_FRAMES_MIN: u32 = 4;
/// Stands for no row.
const NONE: u32 = u32::MAX;

/// See the module.
pub(super) struct Places {
    /// For each run, the run whose frame is directly before its own in the segment.
    before: Vec<Option<u32>>,
    /// For each run, its row of frames.
    row: Vec<u32>,
    /// The number of frames in each row.
    row_frames: Vec<u32>,
}

/// The place where a run begins or ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    rank: u32,
    /// The offset within the chunk.
    at: u32,
    segment: u32,
}

/// A run with its places.
struct Placed {
    number: u32,
    first: Place,
    last: Place,
}

impl Places {
    /// `ranks` is the rank of each chunk in the order in which the chunks were appended.
    pub(super) fn new(catalog: &Catalog, ranks: &[u32]) -> Places {
        let mut placed: Vec<Placed> = Vec::with_capacity(catalog.runs.len());
        for (number, run) in catalog.runs.iter().enumerate() {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            if let Some((first, last)) = ends(catalog, ranks, run) {
                placed.push(Placed { number, first, last });
            }
        }
        placed.sort_by_key(|placed| placed.first);
        let count = catalog.runs.len();
        let mut places = Places { before: vec![None; count], row: vec![NONE; count], row_frames: Vec::new() };
        let mut before: Option<(&Placed, &Run)> = None;
        for here in &placed {
            let Some(run) = catalog.runs.get(here.number as usize) else { continue };
            places.add(here, run, before);
            before = Some((here, run));
        }
        places
    }

    fn add(&mut self, here: &Placed, run: &Run, before: Option<(&Placed, &Run)>) {
        let is_next = |(before, _): &(&Placed, &Run)| {
            before.last.segment == here.first.segment
                && before.last.rank.checked_add(1) == Some(here.first.rank)
        };
        let before = before.filter(is_next);
        if let Some(slot) = self.before.get_mut(here.number as usize) {
            *slot = before.map(|(before, _)| before.number);
        }
        let continued = before.filter(|(_, before)| before.next_offset == run.first_offset);
        let row = continued.and_then(|(before, _)| self.row.get(before.number as usize).copied());
        let row = row.unwrap_or_else(|| {
            self.row_frames.push(0);
            u32::try_from(self.row_frames.len() - 1).unwrap_or(NONE)
        });
        if let Some(frames) = self.row_frames.get_mut(row as usize) {
            *frames += 1;
        }
        if let Some(slot) = self.row.get_mut(here.number as usize) {
            *slot = row;
        }
    }

    /// The run whose frame is directly before that of `run`.
    pub(super) fn before(&self, run: u32) -> Option<u32> {
        self.before.get(run as usize).copied().flatten()
    }

    /// Whether the frame of `other` directly follows that of `one`, in a row that is too long to be a coincidence.
    pub(super) fn are_in_a_row(&self, one: u32, other: u32) -> bool {
        let row = |run: u32| self.row.get(run as usize).copied();
        let frames = row(one).and_then(|row| self.row_frames.get(row as usize)).copied().unwrap_or(0);
        self.before(other) == Some(one) && row(one) == row(other) && frames >= ROW_FRAMES_MIN
    }
}

/// The places where a run begins and ends.
fn ends(catalog: &Catalog, ranks: &[u32], run: &Run) -> Option<(Place, Place)> {
    let place = |chunk: u32, at: u32| {
        let segment = catalog.chunks.get(chunk as usize)?.segment;
        Some(Place { rank: *ranks.get(chunk as usize)?, at, segment })
    };
    match run.source {
        Source::Chunk { chunk, start, .. } => {
            let place = place(chunk, start)?;
            Some((place, place))
        }
        Source::Joined(number) => {
            let pieces = &catalog.joined.get(number as usize)?.pieces;
            let stored = |piece: &Piece| if let Piece::Chunk(chunk) = piece { Some(*chunk) } else { None };
            let mut chunks = pieces.iter().filter_map(stored);
            let first = chunks.next()?;
            Some((place(first, 0)?, place(chunks.next_back().unwrap_or(first), 0)?))
        }
    }
}
