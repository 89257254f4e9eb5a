//! Tests of how dirty data and extents become blocks.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

/// A block in memory: what a rewrite must not change, beyond what is dirty.
#[derive(Default)]
struct Model {
    bytes: Vec<Option<u8>>,
    extents: Vec<(u64, ExtentRecord)>,
    chunks: HashMap<ChunkId, Bytes>,
}

impl Model {
    fn new() -> Self {
        Model { bytes: vec![None; BLOCK_BYTES as usize], ..Model::default() }
    }

    fn write(&mut self, offset: usize, bytes: Vec<u8>) {
        for (at, byte) in bytes.iter().enumerate() {
            self.bytes[offset + at] = Some(*byte);
        }
        let chunks = &self.chunks;
        let mut read = |id: ChunkId| Ok(chunks[&id].clone());
        let dirty = [(offset as u64, Bytes::from(bytes))];
        let parts = rewrite(&(0..BLOCK_BYTES), &self.extents, &dirty, &mut read).unwrap();
        for part in &parts {
            if let Source::Cut { id, content } = &part.source {
                self.chunks.insert(*id, content.clone());
            }
        }
        self.extents = parts.iter().map(|part| (part.offset, part.extent())).collect();
    }

    fn check(&self) {
        let mut stored = vec![None; BLOCK_BYTES as usize];
        let mut end = 0;
        for (offset, extent) in &self.extents {
            assert!(*offset >= end, "extents overlap or are out of order");
            end = offset + u64::from(extent.length);
            assert!(end <= BLOCK_BYTES);
            let (bytes, from) = match &extent.content {
                Content::Inline(bytes) => (bytes.clone(), 0),
                Content::Chunk { id, offset } => (self.chunks[id].clone(), *offset as usize),
            };
            for at in 0..extent.length as usize {
                stored[*offset as usize + at] = Some(bytes[from + at]);
            }
        }
        for (at, (stored, expected)) in stored.iter().zip(&self.bytes).enumerate() {
            assert_eq!(stored.unwrap_or(0), expected.unwrap_or(0), "byte {at}");
            assert!(stored.is_none() || expected.is_some(), "byte {at} was never written");
        }
        assert!(self.extents.len() <= PIECES_MAX + 2, "{} extents", self.extents.len());
    }

    fn inline(&self) -> usize {
        self.extents.iter().filter(|(_, extent)| matches!(extent.content, Content::Inline(_))).count()
    }
}

#[test]
fn small_appends_stay_inline_until_their_block_is_complete() {
    let mut model = Model::new();
    for n in 0..31 {
        model.write(n * 4096, vec![n as u8 + 1; 4096]);
        assert_eq!(model.inline(), n + 1);
    }
    model.write(31 * 4096, vec![32; 4096]);
    assert_eq!((model.inline(), model.extents.len()), (0, 1));
    model.check();
}

#[test]
fn a_whole_block_of_zeros_is_a_hole() {
    let mut model = Model::new();
    model.write(5000, vec![7; 3000]);
    model.write(0, vec![0; BLOCK_BYTES as usize]);
    assert!(model.extents.is_empty());
}

#[test]
fn random_small_writes_over_a_chunk_do_not_shatter_it() {
    let mut model = Model::new();
    model.write(0, vec![9; BLOCK_BYTES as usize]);
    for n in 0..500usize {
        model.write((n * 7919) % (BLOCK_BYTES as usize - 100), vec![n as u8; 100]);
        assert!(model.extents.len() <= PIECES_MAX + 2);
    }
    model.check();
}

#[test]
fn many_tiny_appends_are_merged() {
    let mut model = Model::new();
    for n in 0..2000usize {
        model.write(n * 10, vec![n as u8 | 1; 10]);
    }
    assert!(model.inline() <= PIECES_MAX + 1);
    model.check();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_block_reads_as_it_was_written(
        writes in prop::collection::vec((0..BLOCK_BYTES as usize, 1..40_000usize, 0..4u8), 1..40)
    ) {
        let mut model = Model::new();
        for (offset, length, byte) in writes {
            let length = length.min(BLOCK_BYTES as usize - offset);
            model.write(offset, vec![byte; length]);
        }
        model.check();
    }
}
