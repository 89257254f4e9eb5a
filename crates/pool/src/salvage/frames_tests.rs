//! The walk finds the frames of a segment file, whatever state the file is in.

use std::collections::HashMap;

use proptest::prelude::*;

use super::frames::*;
use super::testing::{frame, segment};
use super::window::Window;
use crate::Compression;
use crate::format::frames::chunk_id;
use crate::format::keys::ChunkId;

/// Content that compression shrinks, or content that it does not.
fn chunk(seed: u8, length: usize, shrinks: bool) -> Vec<u8> {
    if shrinks {
        return vec![seed; length];
    }
    let mut bytes = vec![0; length];
    blake3::Hasher::new().update(&[seed]).finalize_xof().fill(&mut bytes);
    bytes
}

/// A segment with frames of all kinds, and its chunks with the offsets of their frames.
fn sample(header_bytes: usize) -> (Vec<u8>, Vec<(u64, u32, ChunkId)>) {
    let mut bytes = segment(header_bytes, &[]);
    let mut frames = Vec::new();
    for (seed, compression) in
        [Compression::None, Compression::Lz4, Compression::Zstd, Compression::None].into_iter().enumerate()
    {
        let (frame, id) = frame(&chunk(seed as u8, 9_000, seed % 2 == 1), compression);
        frames.push((bytes.len() as u64, frame.len() as u32, id));
        bytes.extend(frame);
        if seed == 1 {
            // A large append begins and ends at a block boundary.
            bytes.resize(bytes.len().next_multiple_of(4096), 0);
        }
    }
    (bytes, frames)
}

/// The chunks that the walk finds, and the damage.
fn read(bytes: &[u8]) -> (HashMap<ChunkId, Vec<u8>>, Vec<Damage>) {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("1.seg");
    std::fs::write(&path, bytes).unwrap();
    let mut window = Window::open(&path).unwrap();
    let footer = footer(&mut window);
    let mut chunks = HashMap::new();
    let damage = walk(&mut window, footer.as_ref(), &mut |found, end| {
        assert_eq!(chunk_id(&found.content), found.id);
        assert_eq!(found.offset + u64::from(found.bytes_stored), end);
        chunks.insert(found.id, found.content.to_vec());
    });
    (chunks, damage)
}

fn with_footer(mut bytes: Vec<u8>, frames: &[(u64, u32, ChunkId)]) -> Vec<u8> {
    bytes.extend(crate::format::frames::footer(frames));
    bytes
}

#[test]
fn all_frames_are_found_with_either_header_and_with_or_without_a_footer() {
    for header_bytes in [32, 64] {
        let (bytes, frames) = sample(header_bytes);
        for bytes in [bytes.clone(), with_footer(bytes, &frames)] {
            let (chunks, damage) = read(&bytes);
            assert_eq!(damage, []);
            assert_eq!(chunks.len(), frames.len());
        }
    }
}

#[test]
fn a_frame_with_a_damaged_header_is_found_through_the_footer() {
    let (whole, frames) = sample(64);
    for (offset, _, id) in &frames {
        let mut bytes = with_footer(whole.clone(), &frames);
        bytes[*offset as usize..][..56].fill(0xee);
        let (chunks, damage) = read(&bytes);
        assert_eq!((chunks.len(), damage), (frames.len(), vec![]));
        assert!(chunks.contains_key(id));
        // Without the footer the frame is lost, and the damage is noticed.
        let (chunks, damage) = read(&bytes[..whole.len()]);
        assert_eq!((chunks.len(), damage.len()), (frames.len() - 1, 1));
        assert_eq!(damage[0].fault, Fault::Unrecognised);
        assert!(damage[0].range.contains(offset), "{damage:?}");
    }
}

#[test]
fn a_damaged_frame_costs_no_other_one() {
    let (whole, frames) = sample(32);
    for (offset, bytes_stored, id) in &frames {
        for bytes in [whole.clone(), with_footer(whole.clone(), &frames)] {
            let mut bytes = bytes;
            bytes[(offset + u64::from(*bytes_stored)) as usize - 1] ^= 1;
            let (chunks, damage) = read(&bytes);
            assert_eq!(chunks.len(), frames.len() - 1);
            let range = *offset..offset + u64::from(*bytes_stored);
            assert_eq!(damage, [Damage { range, id: Some(*id), fault: Fault::Frame }]);
        }
    }
}

#[test]
fn bytes_that_are_missing_in_the_middle_cost_the_frame_that_they_are_missing_in() {
    let (mut bytes, frames) = sample(32);
    let at = frames[0].0 as usize + 3_000;
    bytes.drain(at..at + 512);
    let (chunks, damage) = read(&bytes);
    assert_eq!(chunks.len(), frames.len() - 1);
    assert_eq!(damage[0].id, Some(frames[0].2));
}

#[test]
fn a_file_that_ends_in_a_frame_says_so() {
    let (bytes, frames) = sample(32);
    let (chunks, damage) = read(&bytes[..bytes.len() - 1]);
    assert_eq!(chunks.len(), frames.len() - 1);
    assert_eq!(damage[0].fault, Fault::Truncated);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_a_file_holds_only_whole_chunks_are_found(
        noise in proptest::collection::vec(any::<u8>(), 0..2_000),
        flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..20),
        cut in any::<prop::sample::Index>(),
        has_footer in any::<bool>(),
        noise_first in any::<bool>(),
    ) {
        let (bytes, frames) = sample(64);
        let mut bytes = if has_footer { with_footer(bytes, &frames) } else { bytes };
        for (place, value) in flips {
            let at = place.index(bytes.len());
            bytes[at] ^= value;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        let bytes = if noise_first { [noise, bytes].concat() } else { [bytes, noise].concat() };
        let (chunks, _) = read(&bytes);
        let known: Vec<_> = frames.iter().map(|(_, _, id)| *id).collect();
        prop_assert!(chunks.keys().all(|id| known.contains(id)));
    }
}
