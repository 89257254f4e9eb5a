//! Signatures, dates, regions, and what was altered after signing.

use time::Duration;

use super::CRC32;
use super::testbed::Testbed;
use crate::common::signer::{Raw, Signer};

fn put(signer: &Signer) -> Raw {
    signer.request("PUT", "/bad/key?x-id=PutObject", &[("x-amz-meta-a", "1")], b"hello")
}

#[tokio::test]
async fn a_signature_that_is_wrong_or_for_another_time_or_place_is_refused() {
    let testbed = Testbed::start().await;
    let signer = &testbed.signer;
    let wrong = Signer { secret: "wrong".to_owned(), ..signer.clone() };
    let unknown = Signer { access_key: "AKIAUNKNOWNUNKNOWN00".to_owned(), ..signer.clone() };
    let abroad = Signer { region: "eu-north-9".to_owned(), ..signer.clone() };
    let shifted = |minutes| Signer { ahead: Duration::minutes(minutes), ..signer.clone() };
    let unsigned = |raw: Raw| {
        let line = raw.head.lines().find(|line| line.starts_with("authorization")).unwrap().to_owned();
        raw.altered(&format!("{line}\r\n"), "")
    };
    testbed
        .refuses(vec![
            ("wrong secret", put(&wrong), "403 SignatureDoesNotMatch"),
            ("unknown key", put(&unknown), "403 InvalidAccessKeyId"),
            ("no signature", unsigned(put(signer)), "403 AccessDenied"),
            (
                "empty signature",
                put(signer).altered("Signature=", "Signature=;a="),
                "400 AuthorizationHeaderMalformed",
            ),
            (
                "signature of version 2",
                put(signer).altered("AWS4-HMAC-SHA256 Credential=", "AWS a:b Credential="),
                "400 InvalidRequest",
            ),
            ("other region", put(&abroad), "400 AuthorizationHeaderMalformed"),
            ("clock 16 minutes ahead", put(&shifted(16)), "403 RequestTimeTooSkewed"),
            ("clock 16 minutes behind", put(&shifted(-16)), "403 RequestTimeTooSkewed"),
            (
                "presigned, expired",
                shifted(-5).presigned("PUT", "/bad/key", 60, b"hello"),
                "403 AccessDenied",
            ),
            (
                "presigned, not yet valid",
                shifted(20).presigned("PUT", "/bad/key", 60, b"hello"),
                "403 AccessDenied",
            ),
            (
                "presigned for more than a week",
                signer.presigned("PUT", "/bad/key", 604_801, b"hello"),
                "400 AuthorizationQueryParametersError",
            ),
            (
                "presigned with a wrong secret",
                wrong.presigned("PUT", "/bad/key", 60, b"hello"),
                "403 SignatureDoesNotMatch",
            ),
            (
                "presigned for another region",
                abroad.presigned("PUT", "/bad/key", 60, b"hello"),
                "400 AuthorizationQueryParametersError",
            ),
            (
                "presigned, lifetime altered",
                signer.presigned("PUT", "/bad/key", 60, b"hello").altered("Expires=60", "Expires=61"),
                "403 SignatureDoesNotMatch",
            ),
        ])
        .await;
    for raw in [put(&shifted(14)), put(&shifted(-14)), signer.presigned("PUT", "/bad/key", 60, b"hello")] {
        assert_eq!(testbed.send(&raw).await.status, 200);
    }
}

#[tokio::test]
async fn what_is_altered_after_signing_is_refused() {
    let testbed = Testbed::start().await;
    let signer = &testbed.signer;
    let chunks: [&[u8]; 2] = [&[b'a'; 8192], b"hello"];
    let crc = Some(("x-amz-checksum-crc32", CRC32));
    let chunked = || signer.signed_chunks("/bad/key", &chunks, None);
    let trailed = || signer.signed_chunks("/bad/key", &[b"hello"], crc);
    let other = |raw: Raw, mark: &str| {
        let text = String::from_utf8_lossy(&raw.body).into_owned();
        let at = text.rfind(mark).unwrap() + mark.len();
        let found = text[at..=at].to_owned();
        let to = if found == "0" { "1" } else { "0" };
        raw.with_body(
            &format!("{mark}{}", &text[at..at + 64]),
            &format!("{mark}{to}{}", &text[at + 1..at + 64]),
        )
    };
    testbed
        .refuses(vec![
            ("method", put(signer).altered("PUT ", "DELETE "), "403 SignatureDoesNotMatch"),
            ("path", put(signer).altered("/bad/key", "/bad/yek"), "403 SignatureDoesNotMatch"),
            ("query", put(signer).altered("x-id=PutObject", "x-id=Putobject"), "403 SignatureDoesNotMatch"),
            (
                "query with one more parameter",
                put(signer).altered("?x-id", "?a&x-id"),
                "403 SignatureDoesNotMatch",
            ),
            (
                "header",
                put(signer).altered("x-amz-meta-a: 1", "x-amz-meta-a: 2"),
                "403 SignatureDoesNotMatch",
            ),
            ("header left out", put(signer).altered("x-amz-meta-a: 1\r\n", ""), "403 SignatureDoesNotMatch"),
            ("header added", put(signer).with_header("x-amz-meta-b: 2"), "403 AccessDenied"),
            (
                "host",
                put(signer).altered("host: localhost", "host: localhost:1"),
                "403 SignatureDoesNotMatch",
            ),
            ("body", put(signer).with_body("hello", "Hello"), "400 XAmzContentSHA256Mismatch"),
            ("data of a chunk", chunked().with_body("hello", "Hello"), "403 SignatureDoesNotMatch"),
            (
                "data of the first chunk",
                chunked().with_body("aaaa\r\n", "aaab\r\n"),
                "403 SignatureDoesNotMatch",
            ),
            ("signature of a chunk", other(chunked(), "\n5;chunk-signature="), "403 SignatureDoesNotMatch"),
            (
                "signature of the last chunk",
                other(chunked(), "\n0;chunk-signature="),
                "403 SignatureDoesNotMatch",
            ),
            ("trailer", trailed().with_body(CRC32, "AAAAAA=="), "403 SignatureDoesNotMatch"),
            (
                "signature of the trailer",
                other(trailed(), "x-amz-trailer-signature:"),
                "403 SignatureDoesNotMatch",
            ),
            (
                "name of the trailer",
                trailed().with_body("checksum-crc32", "checksum-crc3c"),
                "400 MalformedTrailerError",
            ),
        ])
        .await;
    for raw in [put(signer), chunked(), trailed()] {
        let answer = testbed.send(&raw).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}
