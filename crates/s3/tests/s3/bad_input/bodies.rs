//! Checksums, lengths, chunks, bodies that are cut, and headers without end.

use super::testbed::Testbed;
use super::{CRC32, OTHER_CRC32};
use crate::common::signer::{Raw, Signer};

const CRC: &str = "x-amz-checksum-crc32";

fn put(signer: &Signer, headers: &[(&str, &str)]) -> Raw {
    signer.request("PUT", "/bad/key", headers, b"hello")
}

fn chunked(signer: &Signer, decoded: Option<&str>, body: &str) -> Raw {
    signer.unsigned_chunks("/bad/key", decoded, body.as_bytes(), CRC)
}

fn sound_chunks(crc: &str) -> String {
    format!("5\r\nhello\r\n0\r\n{CRC}:{crc}\r\n\r\n")
}

#[tokio::test]
async fn checksums_that_are_wrong_doubled_or_unknown_are_refused() {
    let testbed = Testbed::start().await;
    let signer = &testbed.signer;
    let delete = "<Delete><Object><Key>key</Key></Object></Delete>";
    let delete = |headers: &[(&str, &str)]| signer.request("POST", "/bad?delete", headers, delete.as_bytes());
    testbed
        .refuses(vec![
            ("CRC-32", put(signer, &[(CRC, OTHER_CRC32)]), "400 BadDigest"),
            (
                "SHA-1",
                put(signer, &[("x-amz-checksum-sha1", "2jmj7l5rSw0yVb/vlWAYkK/YBwk=")]),
                "400 BadDigest",
            ),
            ("MD5", put(signer, &[("content-md5", "1B2M2Y8AsgTpgAmY7PhCfg==")]), "400 BadDigest"),
            ("no MD5", put(signer, &[("content-md5", "hello")]), "400 InvalidDigest"),
            ("no CRC-32", put(signer, &[(CRC, "hello")]), "400 InvalidRequest"),
            (
                "two kinds",
                put(signer, &[(CRC, CRC32), ("x-amz-checksum-crc32c", "mnG7TA==")]),
                "400 InvalidRequest",
            ),
            (
                "the same twice",
                put(signer, &[(CRC, CRC32)]).with_header(&format!("{CRC}: {CRC32}")),
                "400 InvalidRequest",
            ),
            ("unknown kind", put(signer, &[("x-amz-checksum-md4", "AAAA")]), "400 InvalidRequest"),
            (
                "unknown algorithm",
                put(signer, &[("x-amz-sdk-checksum-algorithm", "MD4")]),
                "400 InvalidRequest",
            ),
            ("trailer", chunked(signer, Some("5"), &sound_chunks(OTHER_CRC32)), "400 BadDigest"),
            (
                "trailer without its line",
                chunked(signer, Some("5"), "5\r\nhello\r\n0\r\n\r\n"),
                "400 MalformedTrailerError",
            ),
            (
                "trailer twice",
                chunked(signer, Some("5"), &sound_chunks(&format!("{CRC32}\r\n{CRC}:{CRC32}"))),
                "400 MalformedTrailerError",
            ),
            (
                "unknown trailer",
                signer.unsigned_chunks(
                    "/bad/key",
                    Some("5"),
                    sound_chunks(CRC32).as_bytes(),
                    "x-amz-checksum-md4",
                ),
                "400 InvalidRequest",
            ),
            (
                "document with another MD5",
                delete(&[("content-md5", "1B2M2Y8AsgTpgAmY7PhCfg==")]),
                "400 BadDigest",
            ),
            ("document with another CRC-32", delete(&[(CRC, OTHER_CRC32)]), "400 BadDigest"),
            (
                "document that was altered",
                delete(&[(CRC, OTHER_CRC32)]).with_body("key", "yek"),
                "400 XAmzContentSHA256Mismatch",
            ),
        ])
        .await;
    let sound = chunked(signer, Some("5"), &sound_chunks(CRC32));
    assert_eq!(testbed.send(&sound).await.status, 200);
    let payload = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
    let headers = [("x-amz-decoded-content-length", "5")];
    let body = b"5\r\nhello\r\n0\r\n\r\n";
    let without_trailer = signer.with_payload("PUT", "/bad/key", &headers, payload, body);
    assert_eq!(testbed.send(&without_trailer).await.status, 200);
}

#[tokio::test]
async fn lengths_that_are_not_those_of_the_body_are_refused() {
    let testbed = Testbed::start().await;
    let signer = &testbed.signer;
    let sound = sound_chunks(CRC32);
    let signed = |decoded: &str, size: &str| {
        let payload = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
        let headers = [("x-amz-decoded-content-length", decoded)];
        let body = format!("{size};chunk-signature={}\r\n", "0".repeat(64));
        signer.with_payload("PUT", "/bad/key", &headers, payload, body.as_bytes())
    };
    let large = "5368709121";
    testbed
        .refuses(vec![
            ("decoded length too long", chunked(signer, Some("6"), &sound), "400 IncompleteBody"),
            ("decoded length too short", chunked(signer, Some("4"), &sound), "400 IncompleteBody"),
            ("decoded length missing", chunked(signer, None, &sound), "411 MissingContentLength"),
            (
                "decoded length is no number",
                chunked(signer, Some("five"), &sound),
                "411 MissingContentLength",
            ),
            ("decoded length negative", chunked(signer, Some("-5"), &sound), "411 MissingContentLength"),
            ("decoded length above 5 GiB", chunked(signer, Some(large), &sound), "400 EntityTooLarge"),
            (
                "length above 5 GiB",
                put(signer, &[]).altered("content-length: 5", &format!("content-length: {large}")),
                "400 EntityTooLarge",
            ),
            (
                "length missing",
                put(signer, &[]).altered("content-length: 5\r\n", ""),
                "411 MissingContentLength",
            ),
            (
                "chunk of ffffffff bytes",
                chunked(signer, Some("5"), "ffffffff\r\nhello"),
                "400 IncompleteBody",
            ),
            (
                "chunk of ffffffffffffffff bytes",
                chunked(signer, Some("5"), "ffffffffffffffff\r\nhello"),
                "400 IncompleteBody",
            ),
            (
                "chunk of too many digits",
                chunked(signer, Some("5"), "00000000000000005\r\nhello"),
                "400 IncompleteBody",
            ),
            ("signed chunk of ffffffff bytes", signed("5000000000", "ffffffff"), "400 InvalidChunkSizeError"),
            ("signed chunk of more bytes than all", signed("5", "6"), "400 IncompleteBody"),
            ("chunk that is no number", chunked(signer, Some("5"), "five\r\nhello"), "400 IncompleteBody"),
            ("chunk without an end", chunked(signer, Some("5"), "5\r\nhello0\r\n\r\n"), "400 IncompleteBody"),
            (
                "small chunk before the last",
                chunked(signer, Some("6"), "5\r\nhello\r\n1\r\na\r\n0\r\n\r\n"),
                "400 InvalidChunkSizeError",
            ),
            (
                "document above its limit",
                signer.request("POST", "/bad?delete", &[], &vec![b' '; (2 << 20) + 1]),
                "400 MaxMessageLengthExceeded",
            ),
        ])
        .await;
}

#[tokio::test]
async fn a_body_that_is_cut_at_any_byte_is_refused() {
    let testbed = Testbed::start().await;
    let signer = &testbed.signer;
    let crc = Some((CRC, CRC32));
    let document = b"<Delete><Object><Key>key</Key></Object></Delete>";
    let whole: [(&str, Raw); 4] = [
        ("plain", put(signer, &[])),
        ("chunk", chunked(signer, Some("5"), &sound_chunks(CRC32))),
        ("signed chunk", signer.signed_chunks("/bad/key", &[b"hello"], crc)),
        (
            "document",
            signer.request("POST", "/bad?delete", &[("content-md5", "AAAAAAAAAAAAAAAAAAAAAA==")], document),
        ),
    ];
    let mut rows = Vec::new();
    for (name, raw) in &whole {
        // Every byte of the framing, and some of the signatures.
        let step = if raw.body.len() > 100 { 7 } else { 1 };
        rows.extend(
            (0..raw.body.len())
                .step_by(step)
                .map(|bytes| (*name, raw.clone().cut(bytes), "400 IncompleteBody")),
        );
    }
    testbed.refuses(rows).await;
}

#[tokio::test]
async fn headers_without_end_are_refused() {
    let testbed = Testbed::start().await;
    let signer = &testbed.signer;
    let fill = |bytes: usize| put(signer, &[]).with_header(&format!("cookie: {}", "a".repeat(bytes)));
    testbed
        .refuses(vec![
            ("9 KiB", fill(9 << 10), "400 RequestHeaderSectionTooLarge"),
            // The HTTP server refuses what it does not read, and has no document for it.
            ("1 MiB", fill(1 << 20), "431 -"),
            ("1 MiB in 10,000 headers", put(signer, &[]).with_header(&"a: a\r\n".repeat(10_000)), "431 -"),
            (
                "query of 20 KiB",
                put(signer, &[]).altered("/bad/key", &format!("/bad/key?a={}", "a".repeat(20 << 10))),
                "400 InvalidURI",
            ),
            (
                "two lengths",
                put(signer, &[]).with_header("transfer-encoding: chunked"),
                "411 MissingContentLength",
            ),
        ])
        .await;
}

#[tokio::test]
async fn the_answer_reaches_a_client_that_sends_on() {
    let testbed = Testbed::start().await;
    let wrong = Signer { secret: "wrong".to_owned(), ..testbed.signer.clone() };
    let body = vec![7; 8 << 20];
    let rows =
        (0..8).map(|_| ("8 MiB", wrong.request("PUT", "/bad/key", &[], &body), "403 SignatureDoesNotMatch"));
    testbed.refuses(rows.collect()).await;
}
