//! Whole aws-chunked bodies, against a reader that has all bytes at once.

use bytes::Bytes;
use proptest::prelude::*;

use super::aws_chunked::PIECE_BYTES_MAX;
use super::test_body::{TestBody, gather};
use super::*;
use crate::guard::payload::Chunking;
use crate::memory::RequestsMemory;

const CRC: &str = "x-amz-checksum-crc32";
const UNSIGNED: Chunking = Chunking { signed: false, trailed: true, trailer: None };
const UNSIGNED_CRC: Chunking = Chunking { signed: false, trailed: true, trailer: Some(CRC) };
const SIGNED: Chunking = Chunking { signed: true, trailed: false, trailer: None };
const SIGNED_CRC: Chunking = Chunking { signed: true, trailed: true, trailer: Some(CRC) };

/// A sound body with chunks of these sizes.
fn encode(chunking: Chunking, sizes: &[usize]) -> Vec<u8> {
    let signature =
        if chunking.signed { format!(";chunk-signature={}", "ab".repeat(32)) } else { String::new() };
    let mut body = Vec::new();
    for (at, size) in sizes.iter().enumerate() {
        body.extend(format!("{size:x}{signature}\r\n").into_bytes());
        body.extend((0..*size).map(|byte| (byte * 7 + at) as u8));
        body.extend(b"\r\n");
    }
    body.extend(format!("0{signature}\r\n").into_bytes());
    if let Some(trailer) = chunking.trailer {
        body.extend(format!("{trailer}:sOO8/Q==\r\n").into_bytes());
        if chunking.signed {
            body.extend(format!("x-amz-trailer-signature:{}\r\n", "cd".repeat(32)).into_bytes());
        }
    }
    body.extend(b"\r\n");
    body
}

/// The data, the trailers and the largest chunk of a sound body.
fn decode(mut body: &[u8]) -> (Vec<u8>, Vec<u8>, usize) {
    let (mut data, mut largest) = (Vec::new(), 0);
    loop {
        let end = body.windows(2).position(|pair| pair == b"\r\n").unwrap();
        let line = std::str::from_utf8(&body[..end]).unwrap();
        let size = usize::from_str_radix(line.split(';').next().unwrap(), 16).unwrap();
        body = &body[end + 2..];
        if size == 0 {
            return (data, body.to_vec(), largest);
        }
        data.extend_from_slice(&body[..size]);
        assert_eq!(&body[size..size + 2], b"\r\n");
        body = &body[size + 2..];
        largest = largest.max(size);
    }
}

async fn passed(pieces: Vec<Bytes>, chunking: Chunking, data_bytes: u64) -> (Vec<u8>, BodyEnd) {
    let fate = BodyFate::default();
    let charge = Account::default().charge();
    let body = AwsChunked::new(TestBody::new(pieces, false), chunking, data_bytes, charge, fate.clone());
    let (passed, error) = gather(body).await;
    let end = fate.get().cloned().unwrap();
    assert_eq!(error, (end != BodyEnd::Complete).then(|| BodyError(end.clone())));
    (passed, end)
}

async fn end_of(body: impl Into<Bytes>, chunking: Chunking, data_bytes: u64) -> BodyEnd {
    passed(vec![body.into()], chunking, data_bytes).await.1
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// Cuts the body at these places.
fn cut(body: &[u8], places: &[prop::sample::Index]) -> Vec<Bytes> {
    let mut places: Vec<usize> = places.iter().map(|place| place.index(body.len() + 1)).collect();
    places.sort_unstable();
    let mut pieces = Vec::new();
    let mut from = 0;
    for to in places.into_iter().chain([body.len()]) {
        pieces.push(Bytes::copy_from_slice(&body[from..to]));
        from = to;
    }
    pieces
}

fn chunkings() -> impl Strategy<Value = Chunking> {
    prop::sample::select(vec![UNSIGNED, UNSIGNED_CRC, SIGNED, SIGNED_CRC])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_body_in_any_pieces_has_the_same_data_and_trailers(
        chunking in chunkings(),
        mut sizes in prop::collection::vec(8192usize..200_000, 0..3),
        last in 0usize..9000,
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        sizes.extend((last > 0).then_some(last));
        let body = encode(chunking, &sizes);
        let data_bytes = sizes.iter().sum::<usize>() as u64;
        let (passed, end) = run(passed(cut(&body, &places), chunking, data_bytes));
        prop_assert_eq!(end, BodyEnd::Complete);
        if chunking.signed {
            prop_assert_eq!(passed, body);
        } else {
            let (expected, got) = (decode(&body), decode(&passed));
            prop_assert_eq!((&got.0, &got.1), (&expected.0, &expected.1));
            prop_assert!(got.2 <= PIECE_BYTES_MAX);
        }
    }

    #[test]
    fn a_damaged_byte_of_the_framing_never_changes_the_data_unnoticed(
        chunking in chunkings(),
        at: prop::sample::Index,
        byte: u8,
    ) {
        let mut body = encode(chunking, &[10]);
        let at = at.index(body.len());
        body[at] = byte;
        let (passed, end) = run(passed(vec![body.clone().into()], chunking, 10));
        if end == BodyEnd::Complete {
            prop_assert_eq!(decode(&passed).0, decode(&body).0);
            prop_assert_eq!(decode(&passed).0.len(), 10);
        }
    }
}

#[tokio::test]
async fn a_body_that_is_cut_at_any_byte_is_never_complete() {
    for chunking in [UNSIGNED, UNSIGNED_CRC, SIGNED, SIGNED_CRC] {
        let body = Bytes::from(encode(chunking, &[8192, 5]));
        for bytes in 0..body.len() {
            let end = end_of(body.slice(..bytes), chunking, 8197).await;
            assert!(matches!(end, BodyEnd::Cut | BodyEnd::Malformed(_)), "{bytes} bytes: {end:?}");
        }
        assert_eq!(end_of(body, chunking, 8197).await, BodyEnd::Complete);
    }
}

#[tokio::test]
async fn a_client_that_goes_away_cuts_the_body() {
    let fate = BodyFate::default();
    let body = TestBody::new([encode(UNSIGNED, &[10])], true);
    let (_, error) =
        gather(AwsChunked::new(body, UNSIGNED, 10, Account::default().charge(), fate.clone())).await;
    assert_eq!((error, fate.get()), (Some(BodyError(BodyEnd::Cut)), Some(&BodyEnd::Cut)));
}

#[tokio::test]
async fn malformed_framing_is_told_apart() {
    let signature = "ab".repeat(32);
    for (body, chunking, fault) in [
        ("g\r\n".to_owned(), UNSIGNED, ChunkFault::Size),
        ("\r\n".to_owned(), UNSIGNED, ChunkFault::Size),
        ("0x5\r\n".to_owned(), UNSIGNED, ChunkFault::Size),
        ("-5\r\n".to_owned(), UNSIGNED, ChunkFault::Size),
        ("5 \r\n".to_owned(), UNSIGNED, ChunkFault::Size),
        ("00000000000000005\r\n".to_owned(), UNSIGNED, ChunkFault::Size),
        (format!("000000005;chunk-signature={signature}\r\n"), SIGNED, ChunkFault::Size),
        ("5\n".to_owned(), UNSIGNED, ChunkFault::Header),
        (format!("5;chunk-signature={signature}\r\n"), UNSIGNED, ChunkFault::Header),
        ("5;name=value\r\n".to_owned(), UNSIGNED, ChunkFault::Header),
        ("5\r\nhello\r\n".to_owned(), SIGNED, ChunkFault::Header),
        (format!("5;chunk-signature={}\r\n", &signature[1..]), SIGNED, ChunkFault::Header),
        (format!("5;chunk-signature={signature}a\r\n"), SIGNED, ChunkFault::Header),
        ("5".repeat(513), UNSIGNED, ChunkFault::HeaderTooLong),
        ("5\r\nhello0\r\n\r\n".to_owned(), UNSIGNED, ChunkFault::DataEnd),
        ("5\r\nhello\n0\r\n\r\n".to_owned(), UNSIGNED, ChunkFault::DataEnd),
        ("5\r\nhello\r0\r\n\r\n".to_owned(), UNSIGNED, ChunkFault::DataEnd),
        ("5\r\nhello\r\n0\r\n\r\nmore".to_owned(), UNSIGNED, ChunkFault::AfterEnd),
        ("5\r\nhello\r\n0\r\n\r\n0\r\n\r\n".to_owned(), UNSIGNED, ChunkFault::AfterEnd),
        ("5\r\nhello\r\n0\r\n\r\n".to_owned(), UNSIGNED_CRC, ChunkFault::Trailers),
        (
            format!("5\r\nhello\r\n0\r\n{CRC}:{}", "a".repeat(8 << 10)),
            UNSIGNED_CRC,
            ChunkFault::TrailersTooLong,
        ),
    ] {
        let end = end_of(body.clone(), chunking, 5).await;
        assert_eq!(end, BodyEnd::Malformed(fault), "{body:?}");
        let one_by_one = body.bytes().map(|byte| Bytes::copy_from_slice(&[byte])).collect();
        assert_eq!(passed(one_by_one, chunking, 5).await.1, end, "{body:?}");
    }
}

#[tokio::test]
async fn the_chunks_have_the_announced_sum() {
    for (size, announced) in [(10, 11), (10, 9), (10, 0), (1, 0)] {
        for chunking in [UNSIGNED, SIGNED] {
            assert_eq!(end_of(encode(chunking, &[size]), chunking, announced).await, BodyEnd::WrongLength);
        }
    }
    for chunking in [UNSIGNED, SIGNED] {
        assert_eq!(end_of(encode(chunking, &[]), chunking, 0).await, BodyEnd::Complete);
    }
    for size in ["ffffffff", "ffffffffffffffff"] {
        assert_eq!(
            end_of(format!("{size}\r\n"), UNSIGNED, 5 << 30).await,
            match size.len() {
                8 => BodyEnd::Cut,
                _ => BodyEnd::WrongLength,
            }
        );
    }
}

#[tokio::test]
async fn only_the_last_chunk_may_be_small() {
    for chunking in [UNSIGNED, SIGNED] {
        assert_eq!(end_of(encode(chunking, &[8192, 1]), chunking, 8193).await, BodyEnd::Complete);
        let end = end_of(encode(chunking, &[8192, 8191, 1]), chunking, 16384).await;
        assert_eq!(end, BodyEnd::Malformed(ChunkFault::TooSmall { chunk: 2, bytes: 8191 }));
        assert_eq!(end.refusal().unwrap().code(), "InvalidChunkSizeError");
    }
}

#[tokio::test]
async fn a_large_signed_chunk_is_refused_by_its_header() {
    let header = |bytes: u64| format!("{bytes:x};chunk-signature={}\r\n", "ab".repeat(32));
    assert_eq!(end_of(header(16 << 20), SIGNED, 5 << 30).await, BodyEnd::Cut);
    for bytes in [(16 << 20) + 1, 0xffff_ffff] {
        let fault = ChunkFault::TooLarge { chunk: 1, bytes, bytes_max: 16 << 20 };
        assert_eq!(end_of(header(bytes), SIGNED, 5 << 30).await, BodyEnd::Malformed(fault));
    }
}

#[tokio::test]
async fn a_large_unsigned_chunk_passes_in_pieces_before_it_is_complete() {
    let header = Bytes::from_static(b"140000000\r\n");
    let pieces = vec![header, Bytes::from(vec![1; 150_000])];
    let (passed, end) = passed(pieces, UNSIGNED, 5 << 30).await;
    assert_eq!(end, BodyEnd::Cut);
    assert!(passed.starts_with(b"10000\r\n") && passed.len() > 150_000);
}

#[tokio::test]
async fn a_signed_chunk_is_charged_until_it_was_passed_on_and_the_next_begins() {
    let memory = RequestsMemory::new(64 << 20, std::sync::Arc::default());
    let account = memory.account(&hyper::http::Extensions::new());
    let body = encode(SIGNED, &[1 << 20, 1 << 20, 10_000]);
    let pieces: Vec<Bytes> = body.chunks(1000).map(Bytes::copy_from_slice).collect();
    let inner = TestBody::new(pieces, false);
    let charge = account.charge();
    let fate = BodyFate::default();
    let mut chunked = AwsChunked::new(inner, SIGNED, (2 << 20) + 10_000, charge, fate.clone());
    let (mut used_max, mut passed) = (0, Vec::new());
    while let Some(frame) = http_body_util::BodyExt::frame(&mut chunked).await {
        used_max = used_max.max(memory.used());
        passed.extend_from_slice(frame.unwrap().data_ref().unwrap());
    }
    assert_eq!((passed.len(), fate.get()), (body.len(), Some(&BodyEnd::Complete)));
    assert!(((1 << 20)..(1 << 20) + (200 << 10)).contains(&used_max), "{used_max}");
    drop(chunked);
    assert_eq!(memory.used(), 0);
}
