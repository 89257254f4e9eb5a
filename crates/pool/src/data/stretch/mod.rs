//! What the extents of a stretch of a file become when dirty pieces are written over them.
//!
//! Parts are *settled* (they point into chunks that stay as they are) or *loose*: just written, inline, or in a
//! provisional chunk. A *run* is a longest sequence of loose parts without a gap. A run with something new in it is cut
//! ([`crate::format::cut`]) from where the settled part before it says the cutter was (`run.rs`):
//! - What has an end becomes chunks; zeros become holes.
//! - What is behind the last cut is a *tail* and stays inline, one small record for each flush, so that a sequence of
//!   small appends costs little. A long tail becomes a provisional chunk, to be cut again with what follows.
//! - A run that fills a gap has on its right what was cut without knowing what comes before. That is cut again, until
//!   the cuts agree with those that are there.
//! - What a piece repeats of the chunk that it begins in is left out: NFS clients send whole pages, also of an append.
//! - Small overwrites stay inline between what is left of a chunk, until there are too many in one place
//!   (`window.rs`).
//! - In a large flush nothing but the last piece can be the end of a stream that goes on. There a tail of a page or more becomes a
//!   chunk, so that the metadata store holds little of what is written at random places; and a run that is too short to
//!   be cut is *scattered*: it becomes a settled chunk, and what lies around it is neither read nor cut again.
//!
//! ```text
//! before      [ chunk A             ][t1][t2]                       t: inline
//! dirty                                      [d ]
//! after       [ chunk A             ][t1][t2][d ]                   one small record
//! dirty               [d]                        [d           ]
//! after       [ A   ][d ][ A        ][ chunk B           ][t  ]     A is referred to twice
//! ```

mod part;
mod run;
mod window;

pub(crate) use part::{covers, moved, up_to, without};

use std::collections::VecDeque;
use std::ops::Range;

use bytes::Bytes;

use crate::Result;
use crate::format::cut::{CHUNK_BYTES_MAX, CHUNK_BYTES_MIN, Cut};
use crate::format::keys::ChunkId;
use crate::format::records::Extent;
use part::{Part, load_if_whole, overlay, without_repeated};
use run::Run;

/// How far behind a dirty piece lies what its cutting may change, unless it fills a gap.
pub(crate) const REACH_BEHIND_BYTES: u64 = window::WINDOW_BYTES;
/// How far behind a dirty piece that fills a gap.
pub(crate) const REACH_BEHIND_GAP_BYTES: u64 = run::RECUT_BYTES_MAX + 2 * CHUNK_BYTES_MAX as u64;

/// Bytes that become a chunk by themselves, where nothing is known to follow them. Of fewer the records of a chunk, and the header of its
/// frame, would be a large part.
pub(crate) const PAGE_BYTES: usize = 4096;

/// The pool's chunks, as far as a rewrite needs them.
pub(crate) trait Chunks {
    /// The bytes of a chunk; [`crate::Error::Damaged`] if they cannot be read.
    fn read(&mut self, id: ChunkId) -> Result<Bytes>;
    /// Like [`Chunks::read`], of a chunk that will not be read again soon.
    fn read_once(&mut self, id: ChunkId) -> Result<Bytes>;
    /// Has a chunk stored, unless the pool has it.
    fn write(&mut self, content: Bytes, about: About) -> Result<ChunkId>;
}

/// What is known of a chunk that is to be stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct About {
    /// There is no point in compressing it.
    pub(crate) is_compressed: bool,
    /// It will be read again soon, to be cut with what follows it.
    pub(crate) is_provisional: bool,
}

/// What a rewrite results in.
#[derive(Debug, Default)]
pub(crate) struct Rewritten {
    pub(crate) extents: Vec<Extent>,
    /// Dirty ranges that are to stay dirty: they are in no extent.
    pub(crate) left: Vec<Range<u64>>,
}

/// How dirty pieces are written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Manner {
    /// New bytes of a tail that nothing follows stay dirty.
    pub(crate) leave: bool,
    /// What ends at or before this offset is no end of a stream that goes on. 0 if that is not known of anything.
    pub(crate) scattered_until: u64,
}

impl Manner {
    /// Whether bytes there that follow each other are too few to be cut, and no end of a stream.
    fn is_scattered(&self, range: Range<u64>) -> bool {
        range.end <= self.scattered_until && range.end.saturating_sub(range.start) < CHUNK_BYTES_MIN as u64
    }
}

/// What the stretch consists of after `dirty` (in order) is written over `extents`: all of the file's that reach
/// into what lies so far before and behind as the constants above say.
pub(crate) fn rewrite(
    extents: &[Extent],
    dirty: &[(u64, Bytes)],
    manner: Manner,
    chunks: &mut dyn Chunks,
) -> Result<Rewritten> {
    let dirty = without_repeated(extents, dirty, manner, chunks)?;
    let mut stretch = Stretch {
        extents,
        rest: overlay(extents, &dirty).into(),
        done: Vec::new(),
        known: None,
        left: Vec::new(),
        scattered: Vec::new(),
        manner,
    };
    while let Some(part) = stretch.rest.pop_front() {
        if part.is_loose() {
            stretch.rest.push_front(part);
            stretch.settle_run(chunks)?;
        } else {
            stretch.done.push(part);
        }
    }
    let parts = window::mend(stretch.done, &dirty, &stretch.scattered, chunks)?;
    Ok(Rewritten { extents: parts.iter().map(Part::extent).collect(), left: stretch.left })
}

/// A stretch on its way: what is done, and the rest, in order.
struct Stretch<'a> {
    /// As they were.
    extents: &'a [Extent],
    rest: VecDeque<Part>,
    done: Vec<Part>,
    /// What is known of the stream at an offset that the cutter has reached.
    known: Option<(u64, Cut)>,
    left: Vec<Range<u64>>,
    /// Where parts are that are done and scattered, and still inline.
    scattered: Vec<u64>,
    manner: Manner,
}

impl Stretch<'_> {
    /// Moves the run that the rest begins with to what is done.
    fn settle_run(&mut self, chunks: &mut dyn Chunks) -> Result<()> {
        let mut end = self.rest.front().map_or(0, |part| part.offset);
        let follows = |part: &&Part| {
            let follows = part.is_loose() && part.offset == end;
            end = part.end();
            follows
        };
        let count = self.rest.iter().take_while(follows).count();
        if !self.rest.iter().take(count).any(Part::is_new) {
            self.done.extend(self.rest.drain(..count));
            return Ok(());
        }
        let mut run = Run::default();
        for _ in 0..count {
            let Some(mut part) = self.rest.pop_front() else { break };
            match load_if_whole(&part, chunks)? {
                Some(bytes) => run.push(part, bytes),
                None => {
                    part.settle();
                    self.rest.push_front(part);
                    break;
                }
            }
        }
        let is_scattered = self.manner.is_scattered(run.range());
        run.settle(is_scattered, self, chunks)
    }

    /// What is known of the stream where a run starts.
    fn cut_at(&self, offset: u64) -> Cut {
        let before = self.done.last().filter(|part| part.end() == offset);
        match (self.known, before) {
            (Some((at, cut)), _) if at == offset => cut,
            (_, Some(part)) => part.cut().unwrap_or(Cut::Stream),
            _ if offset == 0 => Cut::Stream,
            _ => Cut::Seek,
        }
    }

    /// Whether something lies right behind `offset`.
    fn is_followed(&self, offset: u64) -> bool {
        self.rest.front().is_some_and(|part| part.offset == offset)
    }
}

#[cfg(test)]
mod tests;
