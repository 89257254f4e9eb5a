//! Writes dirty pieces over the extents of a stretch of a file, and determines its new extents.
//!
//! Parts are *settled* (they point into chunks that stay as they are) or *loose*: newly written, inline, or in a provisional
//! chunk. A *run* is a maximal sequence of loose parts without a gap. A run with new bytes is cut ([`crate::format::cut`]).
//! The cutter starts in the state that the settled part before the run records (`run.rs`):
//! - Pieces with an end become chunks. Zeros become holes.
//! - The bytes behind the last cut are a *tail*. A tail stays inline, as one small record for each flush, so that a sequence
//!   of small appends costs little. A long tail becomes a provisional chunk, which is cut again with the bytes that follow.
//! - If a run fills a gap, the parts behind it were cut without knowing what comes before them. They are cut again, until
//!   the new cuts agree with the old ones.
//! - Bytes that a piece repeats from the chunk in which it begins are left out: NFS clients send whole pages, even for an
//!   append.
//! - Small overwrites stay inline between the remaining parts of a chunk, until there are too many in one place
//!   (`window.rs`).
//! - In a large flush, only the last piece can be the end of a stream that continues. In all other places, a tail of at
//!   least a page becomes a chunk, so that random writes leave little in the metadata store. A run that is too short to be
//!   cut is *scattered*: it becomes a settled chunk, and its neighbours are neither read nor cut again.
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

/// How far behind a dirty piece its cutting may change extents, unless the piece fills a gap.
pub(crate) const REACH_BEHIND_BYTES: u64 = window::WINDOW_BYTES;
/// The same for a dirty piece that fills a gap.
pub(crate) const REACH_BEHIND_GAP_BYTES: u64 = run::RECUT_BYTES_MAX + 2 * CHUNK_BYTES_MAX as u64;

/// The number of bytes that become a chunk of their own where nothing is known to follow them. For fewer bytes, the chunk's
/// record and the header of its frame would be a large part of the cost.
pub(crate) const PAGE_BYTES: usize = 4096;

/// The access to the pool's chunks that a rewrite needs.
pub(crate) trait Chunks {
    /// The bytes of a chunk. Returns [`crate::Error::Damaged`] if they cannot be read.
    fn read(&mut self, id: ChunkId) -> Result<Bytes>;
    /// Like [`Chunks::read`], for a chunk that will not be read again soon.
    fn read_once(&mut self, id: ChunkId) -> Result<Bytes>;
    /// Stores a chunk, unless the pool has it.
    fn write(&mut self, content: Bytes, about: About) -> Result<ChunkId>;
}

/// Hints about a chunk to be stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct About {
    /// Compressing it would not help.
    pub(crate) is_compressed: bool,
    /// It will soon be read again, and be cut together with the bytes that follow it.
    pub(crate) is_provisional: bool,
}

/// The result of a rewrite.
#[derive(Debug, Default)]
pub(crate) struct Rewritten {
    pub(crate) extents: Vec<Extent>,
    /// Ranges that must stay dirty. No extent covers them.
    pub(crate) left: Vec<Range<u64>>,
}

/// Options for writing dirty pieces.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Manner {
    /// New bytes of a tail that nothing follows stay dirty.
    pub(crate) leave: bool,
    /// A piece that ends at or before this offset is not the end of a stream that continues. 0 if nothing is known.
    pub(crate) scattered_until: u64,
}

impl Manner {
    /// Whether these adjacent bytes are too few to be cut, and not the end of a stream.
    fn is_scattered(&self, range: Range<u64>) -> bool {
        range.end <= self.scattered_until && range.end.saturating_sub(range.start) < CHUNK_BYTES_MIN as u64
    }
}

/// Writes `dirty` (in order) over `extents`, and returns the new extents of the stretch. `extents` must contain all of the
/// file's extents that reach into the distance before and behind the dirty pieces that the constants above give.
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

/// A stretch during a rewrite: the finished parts, and the rest, in order.
struct Stretch<'a> {
    /// The extents before the rewrite.
    extents: &'a [Extent],
    rest: VecDeque<Part>,
    done: Vec<Part>,
    /// What is known about the stream at an offset that the cutter has reached.
    known: Option<(u64, Cut)>,
    left: Vec<Range<u64>>,
    /// The places of finished, scattered parts that are still inline.
    scattered: Vec<u64>,
    manner: Manner,
}

impl Stretch<'_> {
    /// Settles the run at the beginning of the rest.
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

    /// What is known about the stream at the start of a run.
    fn cut_at(&self, offset: u64) -> Cut {
        let before = self.done.last().filter(|part| part.end() == offset);
        match (self.known, before) {
            (Some((at, cut)), _) if at == offset => cut,
            (_, Some(part)) => part.cut().unwrap_or(Cut::Stream),
            _ if offset == 0 => Cut::Stream,
            _ => Cut::Seek,
        }
    }

    /// Whether any part begins right at `offset`.
    fn is_followed(&self, offset: u64) -> bool {
        self.rest.front().is_some_and(|part| part.offset == offset)
    }
}

#[cfg(test)]
mod tests;
