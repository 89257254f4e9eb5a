//! What requests may announce about their bodies, and what happens if a body differs.

use super::*;

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.append(*name, value.parse().unwrap());
    }
    headers
}

fn parse(pairs: &[(&'static str, &str)]) -> S3Result<ExpectedChecksums> {
    ExpectedChecksums::from_headers(&headers(pairs))
}

/// Returns the code and the message of a request that must fail.
fn refusal(pairs: &[(&'static str, &str)]) -> (String, String) {
    error(parse(pairs).unwrap_err())
}

fn error(error: S3Error) -> (String, String) {
    (error.code().as_str().to_owned(), error.message().unwrap_or_default().to_owned())
}

const BODY: &[u8] = b"123456789";
const CRC32: (&str, &str) = ("x-amz-checksum-crc32", "y/Q5Jg==");

#[test]
fn a_body_that_matches_all_that_was_announced_is_accepted() {
    let expected = parse(&[
        CRC32,
        ("x-amz-sdk-checksum-algorithm", "crc32"),
        ("content-md5", "JfnnlDI7RTiF9RgfG2JNCw=="),
        ("x-amz-content-sha256", "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"),
    ])
    .unwrap();
    let mut digests = expected.digests([]);
    digests.update(BODY);
    assert!(expected.verify(&digests.finish()).is_ok());
    assert_eq!(expected.algorithm(), Some(Algorithm::Crc32));
}

#[test]
fn each_announcement_is_compared_with_the_body() {
    let sha256 = "0".repeat(64);
    for (header, value, code) in [
        ("x-amz-checksum-crc32", "AAAAAA==", "BadDigest"),
        ("content-md5", "AAAAAAAAAAAAAAAAAAAAAA==", "BadDigest"),
        ("x-amz-content-sha256", sha256.as_str(), "XAmzContentSHA256Mismatch"),
    ] {
        let expected = parse(&[(header, value)]).unwrap();
        let mut digests = expected.digests([]);
        digests.update(BODY);
        let refusal = expected.verify(&digests.finish()).unwrap_err();
        assert_eq!(refusal.code().as_str(), code);
        assert_eq!(refusal.status_code().unwrap(), 400);
    }
}

#[test]
fn an_announced_hash_that_was_not_computed_is_not_taken_for_equal() {
    let sha256 = ("x-amz-content-sha256", "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225");
    for announced in [sha256, CRC32] {
        let expected = parse(&[announced]).unwrap();
        assert!(expected.verify(&Sums::of([], BODY)).is_err(), "{announced:?}");
    }
    assert!(parse(&[sha256]).unwrap().without_payload_hash().verify(&Sums::of([], BODY)).is_ok());
}

#[test]
fn a_request_without_checksums_expects_nothing() {
    let expected =
        parse(&[("x-amz-content-sha256", "UNSIGNED-PAYLOAD"), ("x-amz-checksum-mode", "ENABLED")]).unwrap();
    assert_eq!(expected, ExpectedChecksums::default());
    assert!(!expected.is_protected());
    assert!(expected.verify(&Sums::of([], BODY)).is_ok());
}

#[test]
fn unknown_algorithms_are_refused() {
    assert_eq!(
        refusal(&[("x-amz-checksum-md6", "AAAA")]).1,
        "The algorithm type you specified in x-amz-checksum- header is invalid."
    );
    let (code, message) = refusal(&[CRC32, ("x-amz-sdk-checksum-algorithm", "MD6")]);
    assert_eq!(code, "InvalidRequest");
    assert!(message.starts_with("Checksum algorithm provided is unsupported."), "{message}");
}

#[test]
fn malformed_values_are_refused() {
    for value in ["", "y/Q5Jg", "y/Q5", "y/Q5JgAA", "not base64!"] {
        let refused = refusal(&[("x-amz-checksum-crc32", value)]);
        let message = "Value for x-amz-checksum-crc32 header is invalid.";
        assert_eq!(refused, ("InvalidRequest".to_owned(), message.to_owned()), "{value}");
    }
    for value in ["", "!", "AAAA"] {
        assert_eq!(refusal(&[("content-md5", value)]).0, "InvalidDigest", "{value}");
    }
    for value in ["", "unsigned-payload", "abc", "STREAMING"] {
        assert_eq!(refusal(&[("x-amz-content-sha256", value)]).0, "InvalidArgument", "{value}");
    }
}

#[test]
fn several_checksums_at_once_are_refused() {
    let message = "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.";
    for second in [("x-amz-checksum-sha1", "AAAA"), CRC32, ("x-amz-trailer", "x-amz-checksum-crc32")] {
        assert_eq!(refusal(&[CRC32, second]).1, message);
    }
}

#[test]
fn the_algorithm_and_the_checksum_must_agree() {
    let message = "Value for x-amz-sdk-checksum-algorithm header is invalid.";
    assert_eq!(refusal(&[CRC32, ("x-amz-sdk-checksum-algorithm", "SHA1")]).1, message);
    let trailer = ("x-amz-trailer", "x-amz-checksum-crc32");
    assert_eq!(refusal(&[trailer, ("x-amz-sdk-checksum-algorithm", "SHA1")]).1, message);
    let (_, message) = refusal(&[("x-amz-sdk-checksum-algorithm", "SHA1")]);
    assert!(message.starts_with("x-amz-sdk-checksum-algorithm specified, but no"), "{message}");
}

#[test]
fn a_trailer_brings_the_value_after_the_body() {
    let mut expected = parse(&[("x-amz-trailer", "X-Amz-Checksum-CRC32")]).unwrap();
    assert_eq!(expected.algorithm(), Some(Algorithm::Crc32));
    let sums = Sums::of([Algorithm::Crc32], BODY);
    assert!(expected.verify(&sums).is_err());
    expected.take_trailers(Some(&headers(&[CRC32]))).unwrap();
    assert!(expected.verify(&sums).is_ok());
}

#[test]
fn an_announced_trailer_must_come_and_be_well_formed() {
    let expected = parse(&[("x-amz-trailer", "x-amz-checksum-crc32")]).unwrap();
    let take = |pairs: &[(&'static str, &str)]| {
        error(expected.clone().take_trailers(Some(&headers(pairs))).unwrap_err())
    };
    assert_eq!(error(expected.clone().take_trailers(None).unwrap_err()).0, "MalformedTrailerError");
    assert_eq!(take(&[("x-amz-checksum-sha1", "AAAA")]).0, "MalformedTrailerError");
    assert_eq!(take(&[CRC32, CRC32]).0, "MalformedTrailerError");
    let message = "Value for x-amz-checksum-crc32 trailing header is invalid.";
    assert_eq!(take(&[("x-amz-checksum-crc32", "AAAA")]).1, message);
    let message = "The value specified in the x-amz-trailer header is not supported";
    assert_eq!(refusal(&[("x-amz-trailer", "x-amz-meta-a")]).1, message);
}

#[test]
fn a_completion_may_carry_either_type() {
    let of = |value: &str| of_completion(&headers(&[("x-amz-checksum-crc32", value)]));
    assert_eq!(of("y/Q5Jg==").unwrap().unwrap().kind, ChecksumType::FullObject);
    assert_eq!(of("y/Q5Jg==-12").unwrap().unwrap().kind, ChecksumType::Composite);
    assert!(of("y/Q5Jg==-x").is_err());
    assert!(of("y/Q5Jg==-1-2").is_err());
    assert_eq!(of_completion(&HeaderMap::new()).unwrap(), None);
}
