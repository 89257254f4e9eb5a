//! Cutting: finding the end of each chunk in a stream of bytes.
//!
//! Equal bytes are stored once if they are cut alike. So cuts do not depend on the sizes of the writes, nor on the times
//! of flushes. [`next`] is a pure function of the bytes from the start of a chunk on, of the chunk's offset in its file,
//! and of a [`Cut`], the cutter's state at that start. It returns the end of the chunk and the `Cut` there, or reports
//! that it needs more bytes. **For a prefix of the bytes it gives the same answer, or none.** The rest of the pool relies
//! on this property only.
//!
//! - Among Kafka's record batches, offsets do not matter, because a replica has the same batches at other offsets. A
//!   chunk ends after a whole batch (`kafka`): when the chunk has [`CHUNK_BYTES_MIN`]
//!   and the batch's CRC, which is equal on all replicas, selects the batch, or before the batch that would make it too
//!   long. A longer batch is more likely to end a chunk than a short one. So streams of batches of any size are cut
//!   about every [`CHUNK_BYTES_MIN`] + [`BATCH_BYTES_CERTAIN`], and two streams that begin differently soon have the
//!   same cuts. A batch that is too long for a chunk is cut into equal pieces from its own start.
//! - Everything else is cut at multiples of [`FIXED_BYTES`] in the file, and long runs of zeros are cut off from their
//!   surroundings.
//!
//! A wrong guess (bytes that look like a batch but are none) only costs sharing.
//!
//! ```text
//! batches   |....|......|...|........|....|...|......|   the CRC selects the batches that end at ^
//!                            ^             ^
//! chunks    [................][...........][..........    the last one is a tail: it has no end yet
//! ```

mod kafka;
mod rope;
mod zeros;

pub(crate) use kafka::{HEADER_BYTES as BATCH_HEADER_BYTES, find as find_batch, parse as parse_batch};
pub(crate) use rope::Rope;
pub(crate) use zeros::{all_zero, zero_prefix};

/// The minimum length of a chunk that is cut at the end of a batch.
pub(crate) const CHUNK_BYTES_MIN: usize = 32 << 10;
/// The maximum length of a chunk.
pub(crate) const CHUNK_BYTES_MAX: usize = 256 << 10;
/// Bytes that are not record batches are cut where their offset in the file is a multiple of this.
pub(crate) const FIXED_BYTES: usize = 128 << 10;
/// The minimum length of such a chunk.
const FIXED_BYTES_MIN: usize = 4 << 10;
/// The maximum distance before a dirty piece of bytes that affect its cutting: a tail, and the extent before it.
pub(crate) const REACH_BEFORE_BYTES: u64 = CHUNK_BYTES_MAX as u64 + 4096;
/// A batch of this size always ends a chunk that has the minimum length. A batch of a quarter of it does so with a
/// chance of 1 in 4.
const BATCH_BYTES_CERTAIN: u32 = 64 << 10;
/// The minimum length of a run of zeros that becomes a chunk of its own, and so a hole, within other bytes.
pub(crate) const ZERO_RUN_BYTES_MIN: usize = 64 << 10;

/// The state of the cutter at the start of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The start of a file, or a stream without record batches before this point.
    Stream,
    /// Record batches may follow: cutting began in the middle of a stream, or other bytes followed batches.
    Seek,
    /// Among record batches. The next `rest` bytes belong to a batch that is longer than a chunk. If `rest` is 0, a
    /// batch begins here.
    Batch { rest: u32 },
}

/// A chunk that was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The length of the chunk, at least 1.
    pub(crate) length: usize,
    /// The state of the cutter at the end of the chunk.
    pub(crate) end: Cut,
    /// Whether the header of its first batch says that the records are compressed.
    pub(crate) is_compressed: bool,
}

/// Cuts the chunk that starts at `at` with the state `cut`. Returns `None` if it does not end within `bytes`, which start
/// at `offset` in the file.
pub(crate) fn next(bytes: &Rope, offset: u64, at: usize, cut: Cut) -> Option<Piece> {
    match cut {
        Cut::Batch { rest: 1.. } => next_in_batch(bytes, at, cut),
        _ => {
            let header: [u8; kafka::HEADER_BYTES] = bytes.array(at)?;
            match kafka::parse(&header) {
                Some(batch) => next_batches(bytes, at, batch),
                None => next_in_stream(bytes, offset, at, cut),
            }
        }
    }
}

/// Cuts off a part of a batch that is longer than a chunk. All parts of one batch have about the same length.
fn next_in_batch(bytes: &Rope, at: usize, cut: Cut) -> Option<Piece> {
    let Cut::Batch { rest } = cut else { return None };
    let length = part_bytes(rest);
    let available = bytes.len().saturating_sub(at);
    let end = Cut::Batch { rest: rest - length };
    let length = usize::try_from(length).ok()?;
    (available >= length).then_some(Piece { length, end, is_compressed: false })
}

/// The length of the next part of a batch that has `rest` bytes left.
pub(crate) fn part_bytes(rest: u32) -> u32 {
    let max = CHUNK_BYTES_MAX as u32;
    rest.div_ceil(rest.div_ceil(max).max(1))
}

/// Cuts off the whole batches that belong in one chunk.
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

/// Whether the batch may be the last of a chunk. Its CRC decides, because it is nearly random.
fn ends_chunk(batch: &kafka::Batch) -> bool {
    u64::from(batch.crc) * u64::from(BATCH_BYTES_CERTAIN) < u64::from(batch.bytes) << 32
}

/// Cuts bytes that do not start with a batch.
fn next_in_stream(bytes: &Rope, offset: u64, at: usize, cut: Cut) -> Option<Piece> {
    let length = fixed_bytes(offset.saturating_add(at as u64));
    // Waiting for the whole block makes small appends cheap: they are not looked at until the block is complete.
    if bytes.len().saturating_sub(at) < length {
        return None;
    }
    let seeks = cut != Cut::Stream;
    let end = if seeks { Cut::Seek } else { Cut::Stream };
    let piece = |length, end| Some(Piece { length, end, is_compressed: false });
    let block = bytes.slice(at..at + length);
    let zeros = zero_prefix(&block);
    if zeros >= ZERO_RUN_BYTES_MIN || zeros == length {
        return piece(zeros_before_batch(bytes, at, zeros)?, end);
    }
    let batch = if seeks { kafka::find(&block) } else { None };
    let run = zeros::find_run(&block, ZERO_RUN_BYTES_MIN);
    match (batch, run) {
        (Some(batch), run) if run.is_none_or(|run| batch < run) => piece(batch, Cut::Batch { rest: 0 }),
        (_, run) => piece(run.unwrap_or(length), end),
    }
}

/// The length of the chunk that starts at `offset`: up to the next multiple of [`FIXED_BYTES`], or to the one after it if
/// the first is so near that the chunk would be tiny.
fn fixed_bytes(offset: u64) -> usize {
    // The remainder is less than `FIXED_BYTES`.
    let length = FIXED_BYTES - (offset % FIXED_BYTES as u64) as usize;
    if length < FIXED_BYTES_MIN { length + FIXED_BYTES } else { length }
}

/// The number of the zeros at `at` that are not part of the header of a following batch, which may begin with zeros.
fn zeros_before_batch(bytes: &Rope, at: usize, zeros: usize) -> Option<usize> {
    for own in 0..=kafka::LEADING_ZEROS_MAX.min(zeros - 1) {
        let start = zeros - own;
        if kafka::parse(&bytes.array(at + start)?).is_some() {
            return Some(start);
        }
    }
    Some(zeros)
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::batch;
