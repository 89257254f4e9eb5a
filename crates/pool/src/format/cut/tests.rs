//! Tests of cutting: it is a function of content, it covers every byte, and replicas agree.

use std::collections::HashSet;

use bytes::Bytes;
use proptest::prelude::*;

use super::*;

/// The longest possible tail without a cut: zeros that may be followed by a batch.
const TAIL_BYTES_MAX: usize = CHUNK_BYTES_MAX + kafka::HEADER_BYTES;

/// A batch with this payload size. `seed` determines its bytes and its CRC.
pub(crate) fn batch(base_offset: u64, payload: usize, seed: u64) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes()).update(&base_offset.to_le_bytes());
    let mut random = hasher.finalize_xof();
    let mut crc = [0; 4];
    random.fill(&mut crc);
    let mut bytes = Vec::with_capacity(61 + payload);
    bytes.extend(base_offset.to_be_bytes());
    bytes.extend((49 + payload as u32).to_be_bytes());
    bytes.extend(3i32.to_be_bytes());
    bytes.push(2);
    bytes.extend(crc);
    bytes.extend(0u16.to_be_bytes());
    bytes.extend(9i32.to_be_bytes());
    bytes.extend(1_700_000_000_000i64.to_be_bytes());
    bytes.extend(1_700_000_000_009i64.to_be_bytes());
    bytes.extend((-1i64).to_be_bytes());
    bytes.extend((-1i16).to_be_bytes());
    bytes.extend((-1i32).to_be_bytes());
    bytes.extend(10i32.to_be_bytes());
    let at = bytes.len();
    bytes.resize(at + payload, 0);
    random.fill(&mut bytes[at..]);
    bytes
}

fn batches(payloads: &[usize], seed: u64) -> Vec<u8> {
    payloads.iter().enumerate().flat_map(|(at, payload)| batch(at as u64 * 10, *payload, seed)).collect()
}

fn random(seed: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    blake3::Hasher::new().update(&seed.to_le_bytes()).finalize_xof().fill(&mut bytes);
    bytes
}

fn rope(bytes: &[u8], pieces: &[usize]) -> Rope {
    let mut rope = Rope::default();
    let mut rest = Bytes::copy_from_slice(bytes);
    for length in pieces.iter().cycle().take(if pieces.is_empty() { 0 } else { 10_000 }) {
        rope.push(rest.split_to(rest.len().min(*length)));
    }
    rope.push(rest);
    rope
}

/// All pieces with their starts, and the start of the tail.
fn cut_all(bytes: &Rope) -> (Vec<(usize, Piece)>, usize) {
    let (mut pieces, mut at, mut cut) = (Vec::new(), 0, Cut::Stream);
    while let Some(piece) = next(bytes, 0, at, cut) {
        assert!(piece.length > 0 && piece.length <= CHUNK_BYTES_MAX && at + piece.length <= bytes.len());
        pieces.push((at, piece));
        at += piece.length;
        cut = piece.end;
    }
    assert!(bytes.len() - at <= TAIL_BYTES_MAX, "a tail of {} bytes", bytes.len() - at);
    (pieces, at)
}

/// The contents of chunks, without zeros.
fn contents(bytes: &[u8]) -> Vec<Vec<u8>> {
    let (pieces, _) = cut_all(&rope(bytes, &[]));
    let chunks = pieces.iter().map(|(at, piece)| bytes[*at..at + piece.length].to_vec());
    chunks.filter(|chunk| !all_zero(chunk)).collect()
}

#[test]
fn chunks_end_where_batches_end() {
    let bytes = batches(&[16_000; 200], 1);
    let (pieces, _) = cut_all(&rope(&bytes, &[]));
    assert!(pieces.len() > 10);
    for (at, piece) in pieces {
        assert_eq!((at + piece.length) % 16_061, 0);
        assert!(piece.length >= CHUNK_BYTES_MIN);
        assert_eq!(piece.end, Cut::Batch { rest: 0 });
    }
}

#[test]
fn a_batch_that_is_longer_than_a_chunk_is_cut_alike_wherever_it_is() {
    let large = batch(7, 900_000, 1);
    let alone = contents(&large);
    assert_eq!(alone.len(), 4);
    let behind: Vec<u8> = [batch(0, 50_000, 2), large, batch(99, 50_000, 3)].concat();
    assert!(contents(&behind)[1..5] == alone);
}

#[test]
fn a_replica_that_was_rebuilt_at_another_offset_shares_almost_all() {
    for size in [300, 5_000, 16_000, 60_000, 300_000] {
        let bytes = batches(&vec![size; 12_000_000 / size], 1);
        let leader: HashSet<Vec<u8>> = contents(&bytes).into_iter().collect();
        // DeleteRecords moved the start of the log: the new segment begins with another batch.
        let start = (size + 61) * (3_000_000 / (size + 61));
        let rebuilt = contents(&bytes[start..]);
        let shared: usize = rebuilt.iter().filter(|chunk| leader.contains(*chunk)).map(Vec::len).sum();
        let all: usize = rebuilt.iter().map(Vec::len).sum();
        assert!(shared * 100 >= all * 95, "{shared} of {all} bytes shared with batches of {size}");
    }
}

#[test]
fn a_stream_entered_in_the_middle_finds_the_batches() {
    let bytes = batches(&[10_000; 400], 1);
    let leader: HashSet<Vec<u8>> = contents(&bytes).into_iter().collect();
    let entered = Bytes::copy_from_slice(&bytes[1_048_576..]);
    let mut rope = Rope::default();
    rope.push(entered.clone());
    let (mut at, mut cut, mut shared) = (0, Cut::Seek, 0);
    while let Some(piece) = next(&rope, 1_048_576, at, cut) {
        shared += if leader.contains(&entered[at..at + piece.length]) { piece.length } else { 0 };
        (at, cut) = (at + piece.length, piece.end);
    }
    assert!(shared * 100 >= at * 80, "{shared} of {at} bytes shared");
}

#[test]
fn bytes_without_batches_are_cut_at_fixed_offsets() {
    let bytes = random(1, 1 << 20);
    let ends = |bytes: &[u8], offset| {
        let (rope, mut at, mut ends) = (rope(bytes, &[]), 0, Vec::new());
        while let Some(piece) = next(&rope, offset, at, Cut::Stream) {
            at += piece.length;
            ends.push(offset + at as u64);
        }
        ends
    };
    let fixed: Vec<u64> = (1..=8).map(|block| block * FIXED_BYTES as u64).collect();
    assert_eq!(ends(&bytes, 0), fixed);
    assert_eq!(ends(&bytes[..bytes.len() - 1], 0), fixed[..7]);
    assert_eq!(ends(&bytes[50_000..], 50_000), fixed);
    // No chunk is tiny.
    assert_eq!(ends(&bytes[FIXED_BYTES - 100..], FIXED_BYTES as u64 - 100), fixed[1..]);
}

#[test]
fn after_batches_blocks_are_fixed_again() {
    let written = batches(&[5_000; 3], 1);
    let bytes = [written.clone(), random(1, 400_000)].concat();
    let (pieces, _) = cut_all(&rope(&bytes, &[]));
    let ends: Vec<usize> = pieces.iter().map(|(at, piece)| at + piece.length).collect();
    assert_eq!(ends, [written.len(), FIXED_BYTES, 2 * FIXED_BYTES, 3 * FIXED_BYTES]);
}

#[test]
fn long_runs_of_zeros_are_chunks_of_their_own() {
    // The zeros in the last run that are in the same block as the bytes before them are too few.
    let fewer = FIXED_BYTES - 100_000;
    for (before, zeros, behind, too_few) in
        [(10_000, 70_000, 200_000, 0), (1, 65_536, 300_000, 0), (100_000, 900_000, 200_000, fewer)]
    {
        let bytes = [random(1, before), vec![0; zeros], random(2, behind)].concat();
        let (pieces, tail) = cut_all(&rope(&bytes, &[]));
        let is_zero = |(at, piece): &&(usize, Piece)| all_zero(&bytes[*at..at + piece.length]);
        let holes: usize = pieces.iter().filter(is_zero).map(|(_, piece)| piece.length).sum();
        assert_eq!(holes, zeros - too_few, "tail at {tail}");
    }
}

#[test]
fn batches_that_end_in_preallocated_zeros_are_kept_apart_from_them() {
    let written = batches(&[5_000, 5_000], 1);
    let bytes = [written.clone(), vec![0; 500_000], batches(&[5_000; 30], 2)].concat();
    let chunks = contents(&bytes);
    assert!(chunks[0] == written);
    assert!(chunks[1] == contents(&batches(&[5_000; 30], 2))[0]);
}

/// Streams of every kind, one after another.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        4 => (prop::collection::vec(prop_oneof![4 => 1..3_000usize, 4 => 10_000..70_000usize, 1 => 200_000..700_000usize], 1..20), 0..3u64)
            .prop_map(|(payloads, seed)| batches(&payloads, seed)),
        2 => (1..500_000usize, 0..3u64).prop_map(|(length, seed)| random(seed, length)),
        1 => (1..300_000usize).prop_map(|length| vec![0; length]),
        1 => (0..400usize).prop_map(|keep| batch(5, 1_000, 1)[..keep].to_vec()),
    ];
    prop::collection::vec(part, 1..4).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A stream has the same chunks, however it is split into writes and whenever it is flushed.
    #[test]
    fn cuts_do_not_depend_on_writes_and_flushes(
        bytes in stream(),
        pieces in prop::collection::vec(1..200_000usize, 0..6),
        flushes in prop::collection::vec(1..400_000usize, 1..12),
    ) {
        let (whole, tail) = cut_all(&rope(&bytes, &[]));
        prop_assert_eq!(cut_all(&rope(&bytes, &pieces)), (whole.clone(), tail));
        // Each flush sees more of the stream, and continues at the end of the last chunk.
        let (mut found, mut at, mut cut, mut seen) = (Vec::new(), 0, Cut::Stream, 0);
        for flush in flushes.into_iter().chain([bytes.len()]) {
            seen = bytes.len().min(seen + flush);
            let prefix = rope(&bytes[..seen], &pieces);
            while let Some(piece) = next(&prefix, 0, at, cut) {
                found.push((at, piece));
                (at, cut) = (at + piece.length, piece.end);
            }
        }
        prop_assert_eq!((found, at), (whole, tail));
    }

    /// Bytes that are almost a header, and wrong lengths.
    #[test]
    fn hostile_headers_are_cut_without_a_panic(
        flips in prop::collection::vec((0..61usize, any::<u8>()), 0..4),
        length in any::<u32>(),
        fill in 0..400_000usize,
        offset in any::<u64>(),
        cut in prop_oneof![Just(Cut::Stream), Just(Cut::Seek), any::<u32>().prop_map(|rest| Cut::Batch { rest })],
    ) {
        let mut bytes = batch(1, 100, 1);
        bytes[8..12].copy_from_slice(&length.to_be_bytes());
        flips.into_iter().for_each(|(at, byte)| bytes[at] ^= byte);
        bytes.extend(random(3, fill));
        let rope = rope(&bytes, &[]);
        let (mut at, mut cut) = (0, cut);
        while let Some(piece) = next(&rope, offset, at, cut) {
            prop_assert!(piece.length > 0 && piece.length <= CHUNK_BYTES_MAX);
            (at, cut) = (at + piece.length, piece.end);
        }
        prop_assert!(at <= bytes.len() && bytes.len() - at <= TAIL_BYTES_MAX);
    }
}
