//! The walk finds the frames of a segment file, whatever state the file is in.

use std::collections::HashMap;

use proptest::prelude::*;

use super::frames::*;
use super::testing::{packed, segment};
use super::window::Window;
use crate::Compression;
use crate::format::frames::{FrameAt, Listed, Naming, footer_of_version_1};
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

/// The content of the chunk with this number in a sample.
fn content(number: usize) -> Vec<u8> {
    chunk(number as u8, 9_000, number % 2 == 1)
}

/// A segment with frames of all kinds, and what a footer lists.
fn sample(header_bytes: usize, naming: Naming) -> (Vec<u8>, Vec<Listed>) {
    let mut bytes = segment(header_bytes, &[]);
    let mut frames = Vec::new();
    for (number, compression) in
        [Compression::None, Compression::Lz4, Compression::Zstd, Compression::None].into_iter().enumerate()
    {
        let packed = packed(naming, &content(number), compression);
        let frame = packed.parts.concat();
        let at = FrameAt { id: packed.id, offset: bytes.len() as u64, bytes_stored: frame.len() as u32 };
        frames.push(Listed { at, facts: packed.facts });
        bytes.extend(frame);
        if number == 1 {
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
        assert_eq!(found.offset + u64::from(found.bytes_stored), end);
        chunks.insert(found.id, found.content.to_vec());
    });
    (chunks, damage)
}

fn with_footer(mut bytes: Vec<u8>, frames: &[Listed]) -> Vec<u8> {
    bytes.extend(crate::format::frames::footer(frames));
    bytes
}

/// With the footer that segments of format 4 have.
fn with_older_footer(mut bytes: Vec<u8>, frames: &[Listed]) -> Vec<u8> {
    let frames: Vec<FrameAt> = frames.iter().map(|listed| listed.at).collect();
    bytes.extend(footer_of_version_1(&frames));
    bytes
}

const NAMINGS: [Naming; 2] = [Naming::Hashed, Naming::Keyed];

/// The chunks of a sample by their ids.
fn chunks_of(frames: &[Listed]) -> HashMap<ChunkId, Vec<u8>> {
    frames.iter().enumerate().map(|(number, listed)| (listed.at.id, content(number))).collect()
}

#[test]
fn all_frames_are_found_with_either_header_and_with_or_without_a_footer() {
    for (header_bytes, naming) in [(32, Naming::Hashed), (64, Naming::Hashed), (64, Naming::Keyed)] {
        let (bytes, frames) = sample(header_bytes, naming);
        let footers = [with_footer(bytes.clone(), &frames), with_older_footer(bytes.clone(), &frames)];
        for bytes in footers.into_iter().chain([bytes]) {
            let (chunks, damage) = read(&bytes);
            assert_eq!(damage, []);
            assert!(chunks == chunks_of(&frames));
        }
    }
}

#[test]
fn a_frame_with_a_damaged_header_is_found_through_the_footer() {
    for naming in NAMINGS {
        let (whole, frames) = sample(64, naming);
        for lost in &frames {
            let header = if naming == Naming::Hashed { 56 } else { 64 };
            let damaged = |mut bytes: Vec<u8>| {
                bytes[lost.at.offset as usize..][..header].fill(0xee);
                bytes
            };
            let bytes = damaged(with_footer(whole.clone(), &frames));
            let (chunks, damage) = read(&bytes);
            assert_eq!(damage, []);
            assert!(chunks == chunks_of(&frames));
            // An older footer identifies contents only by their hash.
            let (chunks, damage) = read(&damaged(with_older_footer(whole.clone(), &frames)));
            let lost_count = usize::from(naming == Naming::Keyed);
            assert_eq!((chunks.len(), damage.len()), (frames.len() - lost_count, lost_count));
            // Without the footer the frame is lost, and the damage is noticed.
            let (chunks, damage) = read(&bytes[..whole.len()]);
            assert_eq!((chunks.len(), damage.len()), (frames.len() - 1, 1));
            assert_eq!(damage[0].fault, Fault::Unrecognised);
            assert!(damage[0].range.contains(&lost.at.offset), "{damage:?}");
        }
    }
}

#[test]
fn a_damaged_frame_costs_no_other_one() {
    for naming in NAMINGS {
        let (whole, frames) = sample(64, naming);
        for FrameAt { id, offset, bytes_stored } in frames.iter().map(|listed| listed.at) {
            for bytes in [whole.clone(), with_footer(whole.clone(), &frames)] {
                let mut bytes = bytes;
                bytes[(offset + u64::from(bytes_stored)) as usize - 1] ^= 1;
                let (chunks, damage) = read(&bytes);
                assert_eq!(chunks.len(), frames.len() - 1);
                let range = offset..offset + u64::from(bytes_stored);
                assert_eq!(damage, [Damage { range, id: Some(id), fault: Fault::Frame }]);
            }
        }
    }
}

#[test]
fn bytes_that_are_missing_in_the_middle_cost_the_frame_that_they_are_missing_in() {
    let (mut bytes, frames) = sample(64, Naming::Keyed);
    let at = frames[0].at.offset as usize + 3_000;
    bytes.drain(at..at + 512);
    let (chunks, damage) = read(&bytes);
    assert_eq!(chunks.len(), frames.len() - 1);
    assert_eq!(damage[0].id, Some(frames[0].at.id));
}

#[test]
fn a_file_that_ends_in_a_frame_says_so() {
    let (bytes, frames) = sample(64, Naming::Keyed);
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
        is_hashed in any::<bool>(),
    ) {
        let (bytes, frames) = sample(64, if is_hashed { Naming::Hashed } else { Naming::Keyed });
        let mut bytes = if has_footer { with_footer(bytes, &frames) } else { bytes };
        for (place, value) in flips {
            let at = place.index(bytes.len());
            bytes[at] ^= value;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        let bytes = if noise_first { [noise, bytes].concat() } else { [bytes, noise].concat() };
        let (chunks, _) = read(&bytes);
        let known = chunks_of(&frames);
        prop_assert!(chunks.iter().all(|(id, content)| known.get(id) == Some(content)));
    }
}
