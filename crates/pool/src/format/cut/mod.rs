//! Cutting: where one chunk of a stream of bytes ends and the next begins.
//!
//! Equal bytes are stored once if they are cut alike. So cuts depend on content only: not on offsets in a file, not on
//! how the bytes were split into writes, and not on when they were flushed. [`next`] is a pure function of the bytes
//! from a chunk's start on and of a [`Cut`], what is known at that start; it says where the chunk ends and the `Cut` there, or
//! that more bytes are needed. **A prefix of the bytes gives the same answer or none**: all that the rest of the pool relies on.
//!
//! - Where Kafka's record batches are, chunks end with a batch (`kafka`): once the chunk has [`CHUNK_BYTES_MIN`]
//!   and the batch's CRC says so, which all replicas agree on, or before the batch that would make it too long.
//!   A longer batch ends a chunk more likely than a short one, so that streams of any batches are cut about every
//!   [`CHUNK_BYTES_MIN`] + [`BATCH_BYTES_CERTAIN`], and two that begin apart soon have the same cuts.
//!   A batch that is too long alone is cut into equal pieces from its own start.
//! - Everything else is cut by FastCDC (`fastcdc`), and long runs of zeros apart from what surrounds them.
//!
//! A wrong guess (bytes that look like a batch) costs sharing and nothing else.
//!
//! ```text
//! batches   |....|......|...|........|....|...|......|   the CRC says so at ^
//!                            ^             ^
//! chunks    [................][...........][..........    the last one is a tail: it has no end yet
//! ```

mod fastcdc;
mod kafka;
mod rope;
mod zeros;

pub(crate) use kafka::{HEADER_BYTES as BATCH_HEADER_BYTES, find as find_batch, parse as parse_batch};
pub(crate) use rope::Rope;
pub(crate) use zeros::{all_zero, zero_prefix};

/// No chunk is cut by content before it has that many bytes.
pub(crate) const CHUNK_BYTES_MIN: usize = 32 << 10;
/// Longest chunk that is cut.
pub(crate) const CHUNK_BYTES_MAX: usize = 256 << 10;
/// How far before a dirty piece lies what its cutting depends on: a tail, and the extent before it.
pub(crate) const REACH_BEFORE_BYTES: u64 = CHUNK_BYTES_MAX as u64 + 4096;
/// A batch of that size always ends a chunk that has its least length; one of a quarter of it, every fourth time.
const BATCH_BYTES_CERTAIN: u32 = 64 << 10;
/// Zeros that are a chunk of their own, and so a hole, within other bytes.
pub(crate) const ZERO_RUN_BYTES_MIN: usize = 64 << 10;

/// What is known where a chunk starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Nothing, as at a file's start, or that no record batches came before.
    Stream,
    /// There may be record batches further on: the stream was entered somewhere, or batches gave way to other
    /// bytes.
    Seek,
    /// Among record batches. So many bytes of a batch that is longer than a chunk come first; with 0, a batch
    /// begins here.
    Batch { rest: u32 },
}

/// A chunk as it is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Its bytes, at least 1.
    pub(crate) length: usize,
    /// What is known behind it.
    pub(crate) end: Cut,
    /// Its first batch says that its records are compressed.
    pub(crate) is_compressed: bool,
}

/// The chunk that starts at `at`, where `cut` is known; `None` if it does not end within the bytes there are.
/// The first `searched` of them are known to hold no end, from an earlier call; 0 if nothing is known.
pub(crate) fn next(bytes: &Rope, at: usize, cut: Cut, searched: usize) -> Option<Piece> {
    match cut {
        Cut::Batch { rest: 1.. } => next_in_batch(bytes, at, cut),
        _ => {
            let header: [u8; kafka::HEADER_BYTES] = bytes.array(at)?;
            match kafka::parse(&header) {
                Some(batch) => next_batches(bytes, at, batch),
                None => next_in_stream(bytes, at, cut, searched),
            }
        }
    }
}

/// A part of a batch that is longer than a chunk. All parts are about equally long, wherever one begins.
fn next_in_batch(bytes: &Rope, at: usize, cut: Cut) -> Option<Piece> {
    let Cut::Batch { rest } = cut else { return None };
    let length = part_bytes(rest);
    let available = bytes.len().saturating_sub(at);
    let end = Cut::Batch { rest: rest - length };
    let length = usize::try_from(length).ok()?;
    (available >= length).then_some(Piece { length, end, is_compressed: false })
}

/// How long the next part is of a batch of which so many bytes are still to come.
pub(crate) fn part_bytes(rest: u32) -> u32 {
    let max = CHUNK_BYTES_MAX as u32;
    rest.div_ceil(rest.div_ceil(max).max(1))
}

/// As many whole batches as belong together.
fn next_batches(bytes: &Rope, at: usize, first: kafka::Batch) -> Option<Piece> {
    let is_compressed = first.is_compressed;
    let piece = |length, end| Some(Piece { length, end, is_compressed });
    let boundary = Cut::Batch { rest: 0 };
    let (mut length, mut batch) = (0, first);
    loop {
        let after = length + batch.bytes as usize;
        if after > CHUNK_BYTES_MAX {
            if length > 0 {
                return piece(length, boundary);
            }
            let part = next_in_batch(bytes, at, Cut::Batch { rest: batch.bytes })?;
            return Some(Piece { is_compressed, ..part });
        }
        if at + after > bytes.len() {
            return None;
        }
        length = after;
        if length >= CHUNK_BYTES_MIN && ends_chunk(&batch) {
            return piece(length, boundary);
        }
        match kafka::parse(&bytes.array(at + length)?) {
            Some(next) => batch = next,
            None => return piece(length, Cut::Seek),
        }
    }
}

/// Whether the batch may be the last of a chunk: decided by its CRC, which is as good as random.
fn ends_chunk(batch: &kafka::Batch) -> bool {
    u64::from(batch.crc) * u64::from(BATCH_BYTES_CERTAIN) < u64::from(batch.bytes) << 32
}

/// Bytes that are no batch at their start.
fn next_in_stream(bytes: &Rope, at: usize, cut: Cut, searched: usize) -> Option<Piece> {
    let seeks = cut != Cut::Stream;
    let cut = if seeks { Cut::Seek } else { Cut::Stream };
    let window = bytes.slice(at..bytes.len().min(at + CHUNK_BYTES_MAX));
    let zeros = zero_prefix(&window);
    if zeros >= ZERO_RUN_BYTES_MIN || zeros == window.len() {
        let length = zeros_before_batch(bytes, at, zeros)?;
        return Some(Piece { length, end: cut, is_compressed: false });
    }
    let end = fastcdc::end(&window, searched);
    // What lies behind an end that more bytes could bring is behind these bytes, too.
    let within = window.get(..end.unwrap_or(window.len()))?;
    let batch = if seeks { kafka::find(within) } else { None };
    let run = zeros::find_run(within, ZERO_RUN_BYTES_MIN);
    match (batch, run) {
        (Some(batch), run) if run.is_none_or(|run| batch < run) => {
            Some(Piece { length: batch, end: Cut::Batch { rest: 0 }, is_compressed: false })
        }
        (_, Some(run)) => Some(Piece { length: run, end: cut, is_compressed: false }),
        _ => end.map(|length| Piece { length, end: cut, is_compressed: false }),
    }
}

/// How many of the zeros at `at` do not belong to the header of a batch behind them, which may begin with some.
fn zeros_before_batch(bytes: &Rope, at: usize, zeros: usize) -> Option<usize> {
    let starts = (0..=kafka::LEADING_ZEROS_MAX.min(zeros)).map(|own| zeros - own);
    for start in starts {
        if kafka::parse(&bytes.array(at + start)?).is_some() {
            return Some(start);
        }
    }
    (zeros >= ZERO_RUN_BYTES_MIN).then_some(zeros)
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::batch;
