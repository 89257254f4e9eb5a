//! Tests that salvage segments which they create.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::testing::{Spec, batch, segment};
use super::*;
use crate::format::cut::part_bytes;

struct Place {
    scratch: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        Place { scratch: tempfile::tempdir().unwrap() }
    }
    fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }
    fn put(&self, name: &str, content: &[u8]) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    fn salvage(&self, copy: Option<&str>, to: &str) -> Report {
        let copy = copy.map(|copy| self.path(copy));
        let options = Options { from: self.path("pool"), copy, to: self.path(to), other: true };
        let report = salvage(&options, &|_| {}).unwrap();
        let stored: serde_json::Value =
            serde_json::from_slice(&std::fs::read(options.to.join("report.json")).unwrap()).unwrap();
        assert_eq!(stored, serde_json::to_value(&report).unwrap());
        report
    }
    /// The content of each stream.
    fn logs(&self, to: &str, report: &Report) -> Vec<Vec<u8>> {
        let of = |stream: &StreamReport| {
            let folder = self.path(to).join(&stream.directory);
            stream.files.iter().flat_map(|file| std::fs::read(folder.join(file)).unwrap()).collect()
        };
        report.streams.iter().map(of).collect()
    }
}

/// The chunks into which a batch longer than a chunk is cut.
fn pieces(batch: &[u8]) -> Vec<Vec<u8>> {
    let (mut pieces, mut at) = (Vec::new(), 0);
    while at < batch.len() {
        let length = part_bytes((batch.len() - at) as u32) as usize;
        pieces.push(batch[at..at + length].to_vec());
        at += length;
    }
    pieces
}

fn long(base_offset: i64, payload: usize, seed: u64) -> Vec<u8> {
    batch(Spec { seed, ..Spec::new(base_offset, payload) })
}

#[test]
fn long_batches_are_joined_though_others_of_the_same_length_lie_between() {
    let place = Place::new();
    let batches: Vec<Vec<u8>> = (0..3).map(|seed| long(0, 700_000, seed)).collect();
    let cut: Vec<_> = batches.iter().map(|batch| pieces(batch)).collect();
    // As if the three batches had been written at the same time, one piece of each in turn. The last piece is in
    // another segment.
    let mut chunks: Vec<Vec<u8>> = (0..3).flat_map(|at| cut.iter().map(move |cut| cut[at].clone())).collect();
    let last = chunks.pop().unwrap();
    place.put("pool/segments/01.seg", &segment(64, &chunks));
    place.put("pool/segments/02.seg", &segment(64, &[last]));
    let report = place.salvage(None, "out");
    assert!(report.complete, "{report:?}");
    assert_eq!((report.batches, report.batches_joined, report.other.chunks), (3, 3, 0));
    let mut logs = place.logs("out", &report);
    logs.sort();
    let mut expected = batches;
    expected.sort();
    assert!(logs == expected);
}

#[test]
fn a_piece_of_zeros_is_not_stored_and_comes_back() {
    let place = Place::new();
    let mut zeros = long(0, 700_000, 1);
    let second = part_bytes(zeros.len() as u32) as usize;
    zeros[second..2 * second].fill(0);
    let crc = crc32c::crc32c(&zeros[21..]);
    zeros[17..21].copy_from_slice(&crc.to_be_bytes());
    let cut = pieces(&zeros);
    place.put("pool/01.seg", &segment(32, &[cut[0].clone(), cut[2].clone()]));
    let report = place.salvage(None, "out");
    assert!(report.complete && place.logs("out", &report) == [zeros]);
}

#[test]
fn a_long_batch_without_all_its_pieces_is_reported_and_its_bytes_are_kept() {
    let place = Place::new();
    let cut = pieces(&long(40, 700_000, 1));
    place.put("pool/01.seg", &segment(32, &[cut[0].clone(), cut[1].clone()]));
    let report = place.salvage(None, "out");
    assert!(!report.complete && report.lost() == 0);
    let incomplete = &report.incomplete_batches[0];
    assert_eq!((incomplete.base_offset, incomplete.last_offset), (40, 49));
    assert_eq!(incomplete.bytes_found as usize, cut[0].len());
    assert_eq!((report.batches, report.other.chunks), (0, 2));
    let kept = std::fs::read(place.path("out/other").join(&incomplete.chunk)).unwrap();
    assert!(kept == cut[0]);
}

#[test]
fn the_beginning_of_a_batch_that_is_whole_elsewhere_is_no_loss() {
    let place = Place::new();
    let log = [long(0, 30_000, 1), long(10, 40_000, 1)].concat();
    place.put("pool/01.seg", &segment(32, &[log[..50_000].to_vec(), log.clone()]));
    let report = place.salvage(None, "out");
    assert!(report.complete, "{report:?}");
    assert!(place.logs("out", &report) == [log]);
}

#[test]
fn a_record_batch_within_the_data_of_a_long_one_stays_there() {
    let place = Place::new();
    let mut outer = long(0, 400_000, 1);
    let inner = long(7, 900, 2);
    let at = part_bytes(outer.len() as u32) as usize + 1_000;
    outer[at..at + inner.len()].copy_from_slice(&inner);
    let crc = crc32c::crc32c(&outer[21..]);
    outer[17..21].copy_from_slice(&crc.to_be_bytes());
    place.put("pool/01.seg", &segment(32, &pieces(&outer)));
    let report = place.salvage(None, "out");
    assert!(report.batches == 1 && place.logs("out", &report) == [outer]);
}

#[test]
fn what_is_damaged_in_one_copy_is_taken_from_another_and_what_is_damaged_in_all_is_said() {
    let place = Place::new();
    let chunks: Vec<Vec<u8>> = (0..6).map(|n| long(n * 10, 50_000, 1)).collect();
    let whole = segment(64, &chunks);
    let frame_bytes = 64 + chunks[0].len();
    let damaged = |frame: usize, at: usize| {
        let mut bytes = whole.clone();
        bytes[64 + frame * frame_bytes + at] ^= 0x10;
        bytes
    };
    // The content of the second frame in one file, the header of the fifth in the other.
    place.put("pool/segments/01.seg", &damaged(1, 1_000));
    place.put("copy/segments/01.seg", &damaged(4, 20));
    let report = place.salvage(Some("copy"), "out");
    assert!(report.complete, "{report:?}");
    assert_eq!(report.damaged.len(), 2);
    assert!(place.logs("out", &report) == [chunks.concat()]);

    let alone = place.salvage(None, "alone");
    assert!(!alone.complete && alone.lost() == 1, "{alone:?}");
    assert_eq!(
        (alone.damaged[0].kind, alone.damaged[0].offset),
        (DamageKind::Frame, 64 + frame_bytes as u64)
    );
    assert_eq!(place.logs("alone", &alone).concat().len(), 5 * chunks[0].len());

    place.put("copy/segments/lost+found/01.seg", &damaged(1, 2_000));
    place.put("copy/segments/01.seg", &damaged(1, 3_000));
    assert_eq!(place.salvage(Some("copy"), "both").lost(), 3);
}

#[test]
fn chunks_of_other_things_are_kept_when_that_is_wanted() {
    let place = Place::new();
    let index = vec![9; 5_000];
    place.put("pool/01.seg", &segment(32, &[index.clone(), long(0, 500, 1)]));
    let report = place.salvage(None, "out");
    assert_eq!((report.other.chunks, report.other.bytes, report.complete), (1, 5_000, true));
    let name = super::testing::frame(&index, crate::Compression::None).1.to_string();
    assert!(std::fs::read(place.path("out/other").join(name)).unwrap() == index);
    let options = Options { from: place.path("pool"), copy: None, to: place.path("without"), other: false };
    assert!(!salvage(&options, &|_| {}).unwrap().other.written);
    assert!(!place.path("without/other").exists());
    let error = salvage(&options, &|_| {}).unwrap_err();
    assert!(matches!(error, Error::TargetNotEmpty { .. }), "{error}");
}

/// Segments of two partitions with batches of all lengths, and these batches.
fn sample() -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let mut batches = Vec::new();
    let mut segments = Vec::new();
    for seed in 0..2 {
        let log: Vec<Vec<u8>> = [100, 40_000, 300_000, 2_000]
            .iter()
            .enumerate()
            .map(|(at, payload)| long(at as i64 * 10, *payload, seed))
            .collect();
        let mut chunks = vec![log[..2].concat()];
        chunks.extend(pieces(&log[2]));
        chunks.push(log[3].clone());
        segments.push(segment(64, &chunks));
        batches.extend(log);
    }
    (segments, batches)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the damage to the files, a salvage does not panic, and writes only batches that existed, none of them
    /// twice.
    #[test]
    fn damage_anywhere_costs_batches_and_never_invents_any(
        flips in proptest::collection::vec((0..2usize, any::<prop::sample::Index>(), any::<u8>()), 0..30),
        cut in proptest::option::of(any::<prop::sample::Index>()),
        noise in proptest::collection::vec(any::<u8>(), 0..500),
    ) {
        let place = Place::new();
        let (mut segments, batches) = sample();
        for (which, at, value) in flips {
            let at = at.index(segments[which].len());
            segments[which][at] ^= value;
        }
        if let Some(cut) = cut {
            let length = cut.index(segments[0].len());
            segments[0].truncate(length);
            segments[0].extend(&noise);
        }
        place.put("pool/01.seg", &segments[0]);
        place.put("pool/02.seg", &segments[1]);
        let report = place.salvage(None, "out");
        let mut left: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
        batches.into_iter().for_each(|batch| *left.entry(batch).or_default() += 1);
        for log in place.logs("out", &report) {
            let found = batch::recognise(&log);
            prop_assert_eq!((found.bytes_unknown, found.head.is_some()), (0, false));
            for located in found.batches {
                let count = left.get_mut(&log[located.range()]);
                prop_assert!(count.as_ref().is_some_and(|count| **count > 0));
                *count.unwrap() -= 1;
            }
        }
        let lost: u32 = left.values().sum();
        prop_assert_eq!(u64::from(8 - lost), report.batches);
        prop_assert!(lost == 0 || !report.complete);
    }
}

#[test]
fn the_target_may_not_be_a_part_of_what_is_read() {
    let place = Place::new();
    place.put("pool/segments/01.seg", &segment(32, &[long(0, 500, 1)]));
    for from in ["pool", "pool/segments"] {
        let options =
            Options { from: place.path(from), copy: None, to: place.path("pool/out"), other: false };
        let error = salvage(&options, &|_| {}).unwrap_err();
        assert!(matches!(error, Error::TargetInSource { .. }), "{error}");
    }
    let entries = |path: &Path| std::fs::read_dir(path).unwrap().count();
    assert_eq!((entries(&place.path("pool")), entries(&place.path("pool/segments"))), (1, 1));
}
