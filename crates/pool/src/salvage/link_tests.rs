//! Tests of which runs become one stream and which do not.

use super::catalog::Catalog;
use super::frames::Found;
use super::link::{Stream, link};
use super::sources::SegmentFile;
use super::testing::{Spec, batch};
use crate::format::frames::hashed;

/// A catalog of chunks, which are in one segment in this order. Chunks without batches separate those of different
/// partitions.
fn catalog(chunks: &[Vec<Spec>]) -> Catalog {
    let mut catalog = Catalog::default();
    let file = SegmentFile { path: "1.seg".into(), bytes: 0, segment: 0 };
    let mut offset = 0;
    for (number, chunk) in chunks.iter().enumerate() {
        let content: Vec<u8> = if chunk.is_empty() {
            blake3::hash(&number.to_le_bytes()).as_bytes().to_vec()
        } else {
            chunk.iter().flat_map(|spec| batch(*spec)).collect()
        };
        let bytes_stored = content.len() as u32 + 56;
        let found =
            Found { offset, bytes_stored, id: hashed(&content), facts: None, content: content.into() };
        offset += u64::from(bytes_stored);
        catalog.add(0, &file, &found).unwrap();
    }
    catalog
}

fn streams(chunks: &[Vec<Spec>]) -> (Catalog, Vec<Stream>) {
    let mut catalog = catalog(chunks);
    catalog.settle();
    let ranks = super::ranks(&catalog);
    let streams = link(&catalog, &ranks);
    let linked: usize = streams.iter().map(|stream| stream.runs.len()).sum();
    assert_eq!(linked, catalog.runs.len(), "every run is in one stream");
    (catalog, streams)
}

/// For each stream, the first and next offsets of its runs.
fn offsets(catalog: &Catalog, streams: &[Stream]) -> Vec<Vec<(i64, i64)>> {
    let of = |run: &u32| {
        let run = &catalog.runs[*run as usize];
        (run.first_offset, run.next_offset)
    };
    streams.iter().map(|stream| stream.runs.iter().map(of).collect()).collect()
}

fn spec(base_offset: i64, seed: u64, producer: (i64, i16, i32)) -> Spec {
    Spec { seed, producer, ..Spec::new(base_offset, 200) }
}

#[test]
fn a_provisional_chunk_that_was_cut_again_comes_out_once() {
    let log: Vec<Spec> = (0..8).map(|n| Spec::new(n * 10, 300)).collect();
    let (catalog, streams) = streams(&[log[..4].to_vec(), log[2..8].to_vec(), log[4..5].to_vec()]);
    assert_eq!(offsets(&catalog, &streams), [[(0, 40), (40, 80)]]);
    assert_eq!(streams[0].links.chunk, 1);
    assert_eq!(streams[0].bytes, 8 * 361);
}

#[test]
fn sequence_numbers_tell_partitions_with_equal_offsets_apart() {
    // Two partitions, whose frames are placed as if each continued the other.
    let chunks = [
        vec![spec(0, 1, (7, 0, 100))],
        vec![spec(0, 2, (7, 0, 500))],
        vec![spec(10, 2, (7, 0, 510))],
        vec![spec(10, 1, (7, 0, 110))],
    ];
    let (catalog, streams) = streams(&chunks);
    assert_eq!(streams.len(), 2);
    for stream in &streams {
        let seeds: Vec<_> =
            stream.runs.iter().map(|run| catalog.runs[*run as usize].producers[0].first).collect();
        assert_eq!(seeds[1] - seeds[0], 10);
        assert_eq!(stream.links.producer, 1);
    }
}

#[test]
fn what_cannot_be_told_apart_is_not_guessed() {
    let chunks = [
        vec![spec(0, 1, (-1, -1, -1))],
        vec![spec(0, 2, (-1, -1, -1))],
        vec![spec(10, 3, (-1, -1, -1))],
        vec![spec(10, 4, (-1, -1, -1))],
    ];
    let (_, streams) = streams(&chunks);
    assert_eq!(streams.len(), 4);
    let ambiguous: Vec<_> = streams.iter().filter(|stream| stream.begins_ambiguously).collect();
    assert_eq!(ambiguous.len(), 2);
    let ends: Vec<_> = streams.iter().filter(|stream| stream.may_continue_in.len() == 2).collect();
    assert_eq!(ends.len(), 2);
}

#[test]
fn one_that_is_certain_leaves_the_other_no_choice() {
    // The second partition has no producer. It remains when the first has been linked.
    let chunks = [
        vec![spec(0, 1, (7, 0, 0))],
        vec![spec(0, 2, (-1, -1, -1))],
        vec![spec(10, 4, (8, 0, 3))],
        vec![spec(10, 3, (7, 0, 10))],
    ];
    let (_, streams) = streams(&chunks);
    assert_eq!(streams.len(), 2);
    assert!(streams.iter().all(|stream| !stream.begins_ambiguously && stream.may_continue_in.is_empty()));
}

#[test]
fn a_leader_epoch_never_becomes_less_and_a_sequence_has_no_gap() {
    let before = Spec { leader_epoch: 5, ..spec(0, 1, (7, 0, 0)) };
    for after in [
        Spec { leader_epoch: 4, ..spec(10, 1, (7, 0, 10)) },
        Spec { leader_epoch: 5, ..spec(10, 1, (7, 0, 11)) },
        Spec { leader_epoch: 5, ..spec(10, 1, (7, -1, 10)) },
    ] {
        let (_, streams) = streams(&[vec![before], vec![], vec![after]]);
        assert_eq!(streams.len(), 2, "{after:?}");
    }
    let bumped = Spec { leader_epoch: 6, ..spec(10, 1, (7, 1, 0)) };
    assert_eq!(streams(&[vec![before], vec![], vec![bumped]]).1.len(), 1);
}

#[test]
fn frames_that_were_appended_in_a_row_belong_together() {
    // Two partitions without producers, whose chunks begin at the same offsets.
    let of = |seed: u64| (0..6).map(move |n| vec![spec(n * 10, seed, (-1, -1, -1))]);
    let chunks: Vec<_> = of(1).chain([vec![]]).chain(of(2)).collect();
    let (catalog, streams) = streams(&chunks);
    assert_eq!(streams.len(), 2);
    assert!(streams.iter().all(|stream| stream.links.append == 5), "{:?}", offsets(&catalog, &streams));
}

#[test]
fn the_time_decides_where_nothing_else_does() {
    let at = |base_offset, seed, hours: i64| Spec {
        timestamp: 1_700_000_000_000 + hours * 3_600_000,
        ..spec(base_offset, seed, (-1, -1, -1))
    };
    let chunks = [vec![at(0, 1, 0)], vec![at(0, 2, 9)], vec![at(10, 2, 9)], vec![at(10, 1, 0)]];
    let (_, streams) = streams(&chunks);
    assert_eq!(streams.len(), 2);
    assert!(streams.iter().all(|stream| stream.links.time == 1));
}

#[test]
fn a_gap_within_a_chunk_goes_on_and_one_between_chunks_only_with_the_same_producer() {
    let (catalog, one) = streams(&[vec![Spec::new(0, 100), Spec::new(50, 100)]]);
    assert_eq!(offsets(&catalog, &one), [[(0, 60)]]);
    let apart = [vec![spec(0, 1, (7, 0, 0))], vec![spec(50, 1, (7, 0, 50))]];
    let (_, one) = streams(&apart);
    assert_eq!((one.len(), one[0].links.behind_gap), (1, 1));
    for other in [spec(50, 1, (8, 0, 50)), spec(50, 1, (-1, -1, -1)), spec(50, 1, (7, 0, 5))] {
        let (_, two) = streams(&[vec![spec(0, 1, (7, 0, 0))], vec![other]]);
        assert_eq!(two.len(), 2, "{other:?}");
    }
    let (_, two) = streams(&[apart[0].clone(), vec![], apart[1].clone()]);
    assert_eq!(two.len(), 2, "something lies in between");
}

#[test]
fn behind_what_compaction_removed_a_sequence_number_may_be_any() {
    // The batch at offset 10, of the same producer, is missing.
    let chunks = [vec![spec(0, 1, (7, 0, 0)), spec(20, 1, (8, 0, 0))], vec![], vec![spec(30, 1, (7, 0, 20))]];
    assert_eq!(streams(&chunks).1.len(), 1);
}

#[test]
fn a_log_that_was_truncated_and_went_on_differently_keeps_both_ends() {
    let common: Vec<Spec> = (0..3).map(|n| spec(n * 10, 1, (-1, -1, -1))).collect();
    let lost: Vec<Spec> = (3..5).map(|n| spec(n * 10, 1, (-1, -1, -1))).collect();
    let kept: Vec<Spec> = (3..6).map(|n| Spec { leader_epoch: 4, ..spec(n * 10, 2, (-1, -1, -1)) }).collect();
    let (catalog, streams) = streams(&[[common.clone(), lost].concat(), [common, kept].concat()]);
    let mut found = offsets(&catalog, &streams);
    found.sort();
    assert_eq!(found, [[(0, 50)], [(30, 60)]]);
}
