//! Segments whose batches are right, and each way in which they can be wrong.

use crc_fast::CrcAlgorithm;
use proptest::prelude::*;

use super::*;

/// A batch with these offsets, whose records are arbitrary bytes.
fn batch(first: i64, delta: i32, records: &[u8]) -> Vec<u8> {
    let mut covered = vec![0, 0];
    covered.extend(delta.to_be_bytes());
    covered.extend([0; 34]);
    covered.extend(records);
    let mut batch = first.to_be_bytes().to_vec();
    batch.extend((covered.len() as i32 + 9).to_be_bytes());
    batch.extend([0; 4]);
    batch.push(2);
    batch.extend((crc_fast::checksum(CrcAlgorithm::Crc32Iscsi, &covered) as u32).to_be_bytes());
    batch.extend(covered);
    batch
}

fn walked(first: i64, last: i64, bytes: &[u8]) -> Result<u64, Wrong> {
    let mut walk = Walk::new(Offsets { first, last });
    walk.update(bytes)?;
    walk.finish()
}

fn wrong(at: usize, what: What) -> Result<u64, Wrong> {
    Err(Wrong { at: at as u64, what })
}

fn segment() -> Vec<u8> {
    [batch(10, 4, b"five"), batch(15, 0, b""), batch(20, 9, &[7; 3000])].concat()
}

#[test]
fn a_segment_with_the_named_offsets_is_right() {
    assert_eq!(walked(10, 29, &segment()), Ok(3));
    assert_eq!(walked(0, i64::MAX, &segment()), Ok(3));
}

#[test]
fn offsets_must_rise_within_what_was_named() {
    let second = batch(10, 4, b"five").len();
    let third = second + batch(15, 0, b"").len();
    assert_eq!(walked(11, 29, &segment()), wrong(0, What::Falling(10, 11)));
    assert_eq!(walked(10, 28, &segment()), wrong(third, What::Beyond(29, 28)));
    let again = [batch(10, 4, b"five"), batch(14, 0, b"")].concat();
    assert_eq!(walked(0, 99, &again), wrong(second, What::Falling(14, 15)));
    assert_eq!(walked(0, 99, &batch(9, -1, b"")), wrong(0, What::Falling(8, 9)));
}

#[test]
fn the_end_must_be_that_of_a_batch() {
    let segment = segment();
    let ends = [65, 126, segment.len()];
    for end in 0..segment.len() {
        let start = ends.iter().rev().find(|&&start| start <= end).copied().unwrap_or_default();
        match walked(0, 99, &segment[..end]) {
            Ok(batches) => assert!(ends.contains(&end) && batches > 0, "{end}"),
            Err(found) if end == 0 => assert_eq!(found.what, What::Empty),
            Err(found) => assert_eq!(found, Wrong { at: start as u64, what: What::Torn }, "{end}"),
        }
    }
}

#[test]
fn old_versions_have_a_crc_of_another_kind() {
    let old = |magic: u8, offset: i64, rest: &[u8]| {
        let covered = [&[magic][..], rest].concat();
        let crc = crc_fast::checksum(CrcAlgorithm::Crc32IsoHdlc, &covered) as u32;
        let length = covered.len() as i32 + 4;
        [&offset.to_be_bytes()[..], &length.to_be_bytes(), &crc.to_be_bytes(), &covered].concat()
    };
    let mut bytes = [old(0, 5, &[0; 9]), old(1, 7, &[3; 40]), batch(8, 1, b"new")].concat();
    assert_eq!(walked(5, 9, &bytes), Ok(3));
    assert!(matches!(
        walked(5, 9, &[old(0, 5, &[0; 9]), old(1, 5, &[3; 40])].concat()),
        Err(Wrong { at: 26, .. })
    ));
    bytes[40] ^= 1;
    assert!(matches!(walked(5, 9, &bytes), Err(Wrong { at: 26, .. })));
}

#[test]
fn unknown_versions_and_impossible_lengths_are_refused() {
    let mut unknown = batch(0, 0, b"x");
    unknown[16] = 3;
    assert_eq!(walked(0, 9, &unknown), wrong(0, What::Magic(3)));
    let mut short = batch(0, 0, b"x");
    short[8..12].copy_from_slice(&48_i32.to_be_bytes());
    assert_eq!(walked(0, 9, &short), wrong(0, What::Length(48)));
    short[8..12].copy_from_slice(&(-1_i32).to_be_bytes());
    assert_eq!(walked(0, 9, &short), wrong(0, What::Length(-1)));
}

#[test]
fn offsets_are_two_numbers_in_order() {
    assert_eq!(Offsets::parse("5-17"), Some(Offsets { first: 5, last: 17 }));
    assert_eq!(Offsets::parse("0-0"), Some(Offsets { first: 0, last: 0 }));
    for text in ["", "-", "1", "1-", "-1", "2-1", "-1-2", "+1-2", "1-9223372036854775808", "1--2", " 1-2"] {
        assert_eq!(Offsets::parse(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn a_flipped_bit_in_what_the_crc_covers_is_found(at in 21_usize..3_000, bit in 0_u8..8) {
        let mut damaged = batch(0, 0, &[9; 2939]);
        prop_assert_eq!(damaged.len(), 3_000);
        damaged[at] ^= 1 << bit;
        prop_assert!(walked(0, 9, &damaged).is_err());
    }

    #[test]
    fn pieces_do_not_change_the_result(cuts in proptest::collection::vec(0_usize..3_200, 0..6), flip in 0_usize..3_200) {
        for is_damaged in [false, true] {
            let mut bytes = segment();
            if is_damaged {
                let at = flip % bytes.len();
                bytes[at] ^= 1;
            }
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % bytes.len()).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let mut walk = Walk::new(Offsets { first: 10, last: 29 });
            let pieces = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
            let result = pieces.map(|piece| walk.update(piece)).collect::<Result<Vec<()>, Wrong>>();
            prop_assert_eq!(result.and_then(|_| walk.finish()), walked(10, 29, &bytes));
        }
    }
}
