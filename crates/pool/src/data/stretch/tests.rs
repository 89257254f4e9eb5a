//! Tests how dirty pieces and extents become new extents.

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;

use super::*;
use crate::Error;
use crate::format::cut::batch;
use crate::format::frames::hashed;
use crate::format::records::Content;

#[derive(Default)]
struct Stored {
    chunks: HashMap<ChunkId, Bytes>,
    damaged: BTreeSet<ChunkId>,
    read: usize,
}

impl Chunks for Stored {
    fn read(&mut self, id: ChunkId) -> Result<Bytes> {
        self.read += 1;
        if self.damaged.contains(&id) {
            return Err(Error::Damaged("a test".into()));
        }
        Ok(self.chunks[&id].clone())
    }
    fn read_once(&mut self, id: ChunkId) -> Result<Bytes> {
        self.read(id)
    }
    fn write(&mut self, content: Bytes, _: About) -> Result<ChunkId> {
        let id = hashed(&content);
        self.chunks.insert(id, content);
        Ok(id)
    }
}

/// A file in memory. A rewrite must not change it, except for the dirty pieces.
#[derive(Default)]
struct Model {
    bytes: Vec<Option<u8>>,
    extents: Vec<Extent>,
    stored: Stored,
}

impl Model {
    fn write(&mut self, offset: usize, bytes: &[u8]) {
        let dirty = (offset as u64, Bytes::copy_from_slice(bytes));
        self.flush(&[dirty], false);
    }

    /// Returns the ranges that stay dirty.
    fn flush(&mut self, dirty: &[(u64, Bytes)], leave: bool) -> Vec<Range<u64>> {
        self.flush_as(dirty, Manner { leave, ..Manner::default() })
    }

    /// Like one flush of many pieces, after which only the last piece can be continued.
    fn flush_many(&mut self, dirty: &[(u64, Bytes)]) {
        let scattered_until = dirty.last().map_or(0, |(offset, _)| *offset);
        self.flush_as(dirty, Manner { leave: false, scattered_until });
    }

    fn flush_as(&mut self, dirty: &[(u64, Bytes)], manner: Manner) -> Vec<Range<u64>> {
        let rewritten = rewrite(&self.extents, dirty, manner, &mut self.stored).unwrap();
        self.extents = rewritten.extents;
        for (offset, bytes) in dirty {
            let at = *offset as usize;
            if self.bytes.len() < at + bytes.len() {
                self.bytes.resize(at + bytes.len(), None);
            }
            for (index, byte) in bytes.iter().enumerate() {
                let left = rewritten.left.iter().any(|range| range.contains(&((at + index) as u64)));
                if !left {
                    self.bytes[at + index] = Some(*byte);
                }
            }
        }
        rewritten.left
    }

    fn truncate(&mut self, size: usize) {
        self.extents = up_to(&self.extents, size as u64);
        self.bytes.truncate(size);
    }

    fn check(&self) {
        let mut stored = vec![None; self.bytes.len()];
        let mut end = 0;
        for (offset, extent) in &self.extents {
            assert!(*offset >= end, "extents overlap or are out of order");
            end = offset + u64::from(extent.length);
            assert!(u64::from(extent.length) <= crate::format::records::EXTENT_BYTES_MAX);
            let (bytes, from) = match &extent.content {
                Content::Inline(bytes) => (bytes.clone(), 0),
                Content::Chunk { id, offset, .. } => (self.stored.chunks[id].clone(), *offset as usize),
            };
            for at in 0..extent.length as usize {
                stored[*offset as usize + at] = Some(bytes[from + at]);
            }
        }
        for (at, (stored, expected)) in stored.iter().zip(&self.bytes).enumerate() {
            assert_eq!(stored.unwrap_or(0), expected.unwrap_or(0), "byte {at}");
            assert!(stored.is_none() || expected.is_some(), "byte {at} was never written");
        }
    }

    fn inline(&self) -> usize {
        self.extents.iter().filter(|(_, extent)| matches!(extent.content, Content::Inline(_))).count()
    }

    /// The chunks, in order.
    fn chunk_ids(&self) -> Vec<ChunkId> {
        let ids = self.extents.iter().filter_map(|(_, extent)| match extent.content {
            Content::Chunk { id, end: Some(_), .. } => Some(id),
            _ => None,
        });
        ids.collect()
    }
}

fn random(seed: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    blake3::Hasher::new().update(&seed.to_le_bytes()).finalize_xof().fill(&mut bytes);
    bytes
}

fn log(payload: usize, length: usize) -> Vec<u8> {
    (0..).flat_map(|n| batch(n * 10, payload, 1)).take(length).collect()
}

/// The chunks of a log that is written at once.
fn chunks_of(bytes: &[u8]) -> Vec<ChunkId> {
    let mut model = Model::default();
    model.write(0, bytes);
    model.chunk_ids()
}

#[test]
fn small_appends_stay_inline_until_a_chunk_is_complete() {
    let bytes = random(1, 1 << 20);
    let (mut model, mut most) = (Model::default(), 0);
    for (n, page) in bytes.chunks(4096).enumerate() {
        model.write(n * 4096, page);
        most = most.max(model.inline());
        assert!(model.inline() <= 33 && model.extents.len() - model.inline() <= 20);
    }
    assert!(most > 8);
    assert_eq!(model.chunk_ids(), chunks_of(&bytes));
    model.check();
}

#[test]
fn a_long_tail_is_a_provisional_chunk_and_is_cut_again() {
    let bytes = [batch(1, 30_000, 1), batch(2, 190_000, 1), batch(3, 60_000, 1)].concat();
    let mut model = Model::default();
    model.write(0, &bytes[..200_000]);
    assert_eq!((model.inline(), model.extents.len(), model.chunk_ids().len()), (0, 1, 0));
    model.write(200_000, &bytes[200_000..]);
    model.check();
    assert_eq!(model.chunk_ids(), chunks_of(&bytes));
}

#[test]
fn zeros_over_anything_are_a_hole() {
    let mut model = Model::default();
    model.write(5_000, &random(1, 300_000));
    model.write(0, &vec![0; 400_000]);
    assert!(model.extents.is_empty());
}

#[test]
fn random_small_writes_over_a_chunk_do_not_shatter_it() {
    let mut model = Model::default();
    model.write(0, &random(1, 256 << 10));
    for n in 0..500usize {
        model.write((n * 7919) % ((256 << 10) - 100), &[n as u8 | 1; 100]);
        assert!(model.extents.len() <= window::PARTS_MAX + 4, "{} extents", model.extents.len());
    }
    model.check();
}

#[test]
fn an_overwrite_reads_nothing_and_stays_inline() {
    let mut model = Model::default();
    model.write(0, &random(1, 1 << 20));
    let read = model.stored.read;
    model.write(500_000, &random(2, 4_096));
    assert_eq!((model.stored.read, model.inline()), (read, 1));
    model.check();
}

/// Pages at random places of a file. Some places occur more than once.
fn scattered_pages(model: &mut Model, pages: usize) {
    for round in 0..12usize {
        let mut dirty: Vec<(u64, Bytes)> = (0..pages / 5)
            .map(|n| ((n * 7919 + round * 104_729) % pages) as u64)
            .map(|page| (page * 4096, Bytes::from(random(page + round as u64, 4096))))
            .collect();
        dirty.sort_by_key(|(offset, _)| *offset);
        dirty.dedup_by_key(|(offset, _)| *offset);
        model.flush_many(&dirty);
        model.check();
    }
}

#[test]
fn scattered_pages_become_chunks_and_are_merged() {
    let mut model = Model::default();
    scattered_pages(&mut model, 640);
    // The last page of each flush could have been the end of a stream.
    assert!(model.inline() <= 12, "{} are inline", model.inline());
    let windows = 640 * 4096 / window::WINDOW_BYTES as usize;
    assert!(model.extents.len() <= windows * (window::PARTS_MAX + 2), "{} extents", model.extents.len());
}

#[test]
fn what_lies_around_scattered_pages_is_not_read() {
    let mut model = Model::default();
    model.write(0, &random(1, 1 << 20));
    let pages = |at: usize| (at as u64, Bytes::from(random(at as u64, 4096)));
    model.flush_many(&[pages(8_192), pages(40_960), pages(600_000), pages(1 << 20)]);
    model.flush_many(&[pages(8_192), pages(12_288), pages((1 << 20) + 8_192)]);
    assert_eq!(model.stored.read, 0);
    model.check();
}

#[test]
fn in_a_large_flush_only_the_last_tail_stays_inline() {
    let bytes = random(3, 60_000);
    let piece = |at: u64| (at, Bytes::copy_from_slice(&bytes));
    let mut model = Model::default();
    model.flush_many(&[piece(0), piece(1 << 20), piece(2 << 20)]);
    assert_eq!(model.inline(), 1);
    // The stream continues, and must be cut as if it had been written at once.
    let more = random(4, 400_000);
    for tail in [0, 1 << 20, 2 << 20] {
        model.write(tail + bytes.len(), &more);
    }
    model.check();
    let whole = chunks_of(&[&bytes[..], &more].concat());
    assert!(model.chunk_ids().starts_with(&whole));
}

/// A client sends a stream in many writes, and a flush can begin with any of them.
#[test]
fn a_stream_in_large_flushes_is_cut_like_one_in_small_ones() {
    for payload in [900, 16_000, 300_000] {
        let bytes = log(payload, 3_000_000);
        for (piece, pieces) in [(1 << 20, 1), (70_000, 9), (1 << 16, 16)] {
            let mut model = Model::default();
            let all: Vec<(u64, Bytes)> = bytes
                .chunks(piece)
                .enumerate()
                .map(|(n, bytes)| ((n * piece) as u64, Bytes::copy_from_slice(bytes)))
                .collect();
            all.chunks(pieces).for_each(|flush| model.flush_many(flush));
            model.check();
            assert!(model.chunk_ids() == chunks_of(&bytes), "{payload}: {pieces} writes of {piece}");
        }
    }
}

#[test]
fn many_tiny_appends_are_merged() {
    let mut model = Model::default();
    for n in 0..2000usize {
        model.write(n * 10, &[n as u8 | 1; 10]);
        assert!(model.inline() <= 50);
    }
    model.check();
}

#[test]
fn a_log_that_was_truncated_is_cut_like_one_that_was_not() {
    let bytes = log(9_000, 2_000_000);
    let mut model = Model::default();
    model.write(0, &bytes);
    for size in [1_500_000, 777_777, 300_000, 1] {
        model.truncate(size);
        model.write(size, &bytes[size..]);
        model.check();
        assert_eq!(model.chunk_ids(), chunks_of(&bytes));
    }
}

/// A broker appends whole batches, and its host's NFS client also sends the bytes before the append, from the start of the
/// page. Those bytes are stored by then, and often end a chunk.
#[test]
fn an_append_that_comes_with_the_page_before_it_is_cut_like_one_that_does_not() {
    for payload in [300, 9_000, 40_000, 250_000] {
        let batches: Vec<Vec<u8>> =
            (0..3_000_000 / payload as u64).map(|n| batch(n * 10, payload, 1)).collect();
        let bytes = batches.concat();
        for together in [1, 3] {
            let (mut model, mut at) = (Model::default(), 0);
            for batches in batches.chunks(together) {
                let end = at + batches.iter().map(Vec::len).sum::<usize>();
                let page = at & !4095;
                model.write(page, &bytes[page..end]);
                at = end;
            }
            model.check();
            assert!(model.chunk_ids() == chunks_of(&bytes), "batches of {payload}, {together} at a time");
        }
    }
}

#[test]
fn a_page_that_begins_in_a_chunk_and_differs_from_it_is_an_overwrite() {
    let mut model = Model::default();
    model.write(0, &log(9_000, 500_000));
    let (offset, extent) = model.extents[0].clone();
    let start = (offset + u64::from(extent.length)) as usize - 100;
    model.write(start, &random(3, 5_000));
    model.check();
}

#[test]
fn a_damaged_chunk_neither_stops_a_flush_nor_is_given_up() {
    let mut model = Model::default();
    model.write(0, &random(1, 200_000));
    model.truncate(150_000);
    let damaged: BTreeSet<ChunkId> = model.stored.chunks.keys().copied().collect();
    model.stored.damaged = damaged.clone();
    model.write(150_000, &random(2, 400_000));
    model.check();
    for n in 0..300 {
        model.write((n * 7919) % 149_000, &[n as u8 | 1; 50]);
    }
    model.check();
    assert!(
        model
            .extents
            .iter()
            .any(|(_, extent)| matches!(&extent.content, Content::Chunk { id, .. } if damaged.contains(id)))
    );
}

#[test]
fn what_is_left_dirty_is_a_tail_that_replaces_nothing() {
    let bytes = log(20_000, 1_000_000);
    let mut model = Model::default();
    let left = model.flush(&[(0, Bytes::copy_from_slice(&bytes))], true);
    model.check();
    assert_eq!((model.inline(), left.len(), left[0].end), (0, 1, 1_000_000));
    assert_eq!(
        model.extents.last().map(|(offset, extent)| offset + u64::from(extent.length)),
        Some(left[0].start)
    );
    // The write replaces something inline, so it cannot wait.
    let start = left[0].start as usize;
    model.write(start, &bytes[start..]);
    assert_eq!(model.flush(&[(left[0].start, Bytes::from(vec![1; 100]))], true), []);
    model.check();
}

/// Writes to a log, in any order, with flushes in between.
fn rhythm() -> impl Strategy<Value = (usize, Vec<usize>, Vec<u8>)> {
    let payload = prop_oneof![Just(300usize), Just(5_000), Just(16_000), Just(60_000), Just(400_000)];
    let splits = prop::collection::vec(prop_oneof![1..5_000usize, 4_000..140_000usize], 1..40);
    (payload, splits, prop::collection::vec(any::<u8>(), 1..40))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 60, ..ProptestConfig::default() })]

    /// Written in any order and rhythm, a log reads as it was written. Written in order, it has the same chunks as a log
    /// that was written at once. Written out of order, it has almost all of them.
    #[test]
    fn chunks_do_not_depend_on_how_a_log_was_written((payload, splits, choices) in rhythm()) {
        let length: usize = splits.iter().sum();
        let bytes = log(payload, length);
        let expected = chunks_of(&bytes);
        let (mut inorder, mut shuffled) = (Model::default(), Model::default());
        let mut pieces = Vec::new();
        let mut at = 0;
        for length in &splits {
            inorder.write(at, &bytes[at..at + length]);
            pieces.push((at, *length));
            at += length;
        }
        inorder.check();
        prop_assert!(inorder.chunk_ids() == expected, "other chunks in order");
        // Some writes overtake a few others. Some flushes take several writes.
        let mut choices = choices.into_iter().cycle();
        while !pieces.is_empty() {
            let mut dirty = Vec::new();
            for _ in 0..=choices.next().unwrap_or(0) % 4 {
                if !pieces.is_empty() {
                    let (at, length) = pieces.remove(usize::from(choices.next().unwrap_or(0)) % pieces.len().min(4));
                    dirty.push((at as u64, Bytes::copy_from_slice(&bytes[at..at + length])));
                }
            }
            dirty.sort_by_key(|(offset, _)| *offset);
            shuffled.flush(&dirty, false);
            shuffled.check();
        }
        let found: BTreeSet<ChunkId> = shuffled.chunk_ids().into_iter().collect();
        let missing: usize = expected.iter().filter(|id| !found.contains(*id)).count();
        prop_assert!(missing <= 1 + expected.len() / 20, "{} of {} chunks missing", missing, expected.len());
    }

    #[test]
    fn a_file_reads_as_it_was_written(
        writes in prop::collection::vec(
            (0..700_000usize, prop_oneof![1..40_000usize, 1..300_000usize], 0..4u8, any::<bool>(), prop::option::of(0..700_000usize)),
            1..30)
    ) {
        let mut model = Model::default();
        for (offset, length, byte, leave, truncate) in writes {
            let bytes = if byte < 2 { vec![byte; length] } else { random(u64::from(byte), length) };
            model.flush(&[(offset as u64, bytes.into())], leave);
            model.check();
            if let Some(size) = truncate.filter(|_| byte == 3) {
                model.truncate(size);
                model.check();
            }
        }
    }
}
