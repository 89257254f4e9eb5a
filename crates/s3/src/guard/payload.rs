//! The form of the body, as `x-amz-content-sha256` and `x-amz-trailer` announce it.

use hyper::header::{HeaderMap, HeaderName};

use super::headers::{X_AMZ_TRAILER, text};
use super::refusal::Refusal;
use super::signature::Kind;

const X_AMZ_CONTENT_SHA256: HeaderName = HeaderName::from_static("x-amz-content-sha256");

/// The trailers that a body may have: a checksum by each algorithm of S3 that this server knows.
const TRAILERS: [&str; 5] = [
    "x-amz-checksum-crc32",
    "x-amz-checksum-crc32c",
    "x-amz-checksum-crc64nvme",
    "x-amz-checksum-sha1",
    "x-amz-checksum-sha256",
];

/// The form of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Payload {
    /// No form is announced.
    Unknown,
    /// The plain body, whose SHA-256 is given.
    Hashed,
    /// The plain body, not covered by the signature.
    Unsigned,
    /// aws-chunks.
    Chunked(Chunking),
}

/// The form of an aws-chunked body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunking {
    /// Whether each chunk has a signature.
    pub(super) signed: bool,
    /// Whether a section of trailers may follow the last chunk.
    pub(super) trailed: bool,
    /// The trailer that must be there.
    pub(super) trailer: Option<&'static str>,
}

impl Payload {
    pub(super) fn parse(headers: &HeaderMap) -> Result<Payload, Refusal> {
        let chunked = |signed, trailed| {
            let trailer = if trailed { announced(headers)? } else { None };
            if signed && trailed && trailer.is_none() {
                return Err(Refusal::MalformedTrailer);
            }
            Ok(Payload::Chunked(Chunking { signed, trailed, trailer }))
        };
        match text(headers, &X_AMZ_CONTENT_SHA256)? {
            None => Ok(Payload::Unknown),
            Some("UNSIGNED-PAYLOAD") => Ok(Payload::Unsigned),
            Some("STREAMING-UNSIGNED-PAYLOAD-TRAILER") => chunked(false, true),
            Some("STREAMING-AWS4-HMAC-SHA256-PAYLOAD") => chunked(true, false),
            Some("STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER") => chunked(true, true),
            Some(
                given @ ("STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD"
                | "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER"),
            ) => Err(Refusal::EcdsaChunks { given: given.to_owned() }),
            Some(given) if is_sha256(given) => Ok(Payload::Hashed),
            Some(given) => Err(Refusal::ContentSha256Form { given: given.to_owned() }),
        }
    }

    /// Refuses forms that the kind of signature does not allow.
    pub(super) fn check_kind(&self, kind: &Kind) -> Result<(), Refusal> {
        match (kind, self) {
            (Kind::Header(_), Payload::Unknown) => Err(Refusal::MissingContentSha256),
            // s3s takes the chunks of a request apart only if the request's header is signed.
            (Kind::Presigned, Payload::Chunked(_)) => Err(Refusal::PresignedChunks),
            (Kind::Anonymous, Payload::Chunked(Chunking { signed, .. })) => {
                Err(if *signed { Refusal::AnonymousSignedChunks } else { Refusal::AnonymousChunks })
            }
            _ => Ok(()),
        }
    }

    /// Whether the body may end with trailers.
    pub(super) fn has_trailer(&self) -> bool {
        matches!(self, Payload::Chunked(Chunking { trailed: true, .. }))
    }
}

/// The trailer that a request announces.
fn announced(headers: &HeaderMap) -> Result<Option<&'static str>, Refusal> {
    match text(headers, &X_AMZ_TRAILER)?.map(str::trim) {
        None | Some("") => Ok(None),
        Some(given) => {
            let known = TRAILERS.iter().find(|name| name.eq_ignore_ascii_case(given));
            known.map(|name| Some(*name)).ok_or(Refusal::UnsupportedTrailer)
        }
    }
}

/// Whether this is a SHA-256 in the form in which s3s takes it.
fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn parse(sha256: Option<&str>, trailer: Option<&str>) -> Result<Payload, Refusal> {
        let mut headers = HeaderMap::new();
        if let Some(sha256) = sha256 {
            headers.insert(X_AMZ_CONTENT_SHA256, sha256.parse().unwrap());
        }
        if let Some(trailer) = trailer {
            headers.insert(X_AMZ_TRAILER, trailer.parse().unwrap());
        }
        Payload::parse(&headers)
    }

    #[test]
    fn each_form_of_s3_is_known_and_no_other() {
        assert_eq!(parse(None, None), Ok(Payload::Unknown));
        assert_eq!(parse(Some(&"0a".repeat(32)), None), Ok(Payload::Hashed));
        assert_eq!(parse(Some("UNSIGNED-PAYLOAD"), None), Ok(Payload::Unsigned));
        let signed = Chunking { signed: true, trailed: false, trailer: None };
        assert_eq!(parse(Some("STREAMING-AWS4-HMAC-SHA256-PAYLOAD"), None), Ok(Payload::Chunked(signed)));
        for given in
            ["STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD", "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER"]
        {
            assert_eq!(parse(Some(given), None), Err(Refusal::EcdsaChunks { given: given.to_owned() }));
        }
        for given in
            ["", "unsigned-payload", "STREAMING-UNSIGNED-PAYLOAD", &"0A".repeat(32), &"0a".repeat(31)]
        {
            assert_eq!(parse(Some(given), None), Err(Refusal::ContentSha256Form { given: given.to_owned() }));
        }
    }

    #[test]
    fn a_trailer_is_one_checksum() {
        let unsigned = |trailer| parse(Some("STREAMING-UNSIGNED-PAYLOAD-TRAILER"), trailer);
        let chunked = |trailer| Ok(Payload::Chunked(Chunking { signed: false, trailed: true, trailer }));
        assert_eq!(unsigned(None), chunked(None));
        assert_eq!(unsigned(Some("")), chunked(None));
        assert_eq!(unsigned(Some("X-Amz-Checksum-CRC32C")), chunked(Some("x-amz-checksum-crc32c")));
        for trailer in ["x-amz-meta-a", "x-amz-checksum-crc32,x-amz-checksum-sha1", "x-amz-checksum-"] {
            assert_eq!(unsigned(Some(trailer)), Err(Refusal::UnsupportedTrailer), "{trailer}");
        }
        let signed = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER";
        assert_eq!(parse(Some(signed), None), Err(Refusal::MalformedTrailer));
        assert!(parse(Some(signed), Some("x-amz-checksum-sha1")).unwrap().has_trailer());
    }

    #[test]
    fn the_kind_of_signature_limits_the_form() {
        let header = Kind::Header(HeaderValue::from_static("AWS4-HMAC-SHA256"));
        let chunked = |signed| Payload::Chunked(Chunking { signed, trailed: true, trailer: None });
        assert_eq!(Payload::Unknown.check_kind(&header), Err(Refusal::MissingContentSha256));
        assert_eq!(Payload::Unknown.check_kind(&Kind::Presigned), Ok(()));
        assert_eq!(Payload::Unknown.check_kind(&Kind::Anonymous), Ok(()));
        assert_eq!(chunked(true).check_kind(&header), Ok(()));
        assert_eq!(chunked(false).check_kind(&Kind::Presigned), Err(Refusal::PresignedChunks));
        assert_eq!(chunked(false).check_kind(&Kind::Anonymous), Err(Refusal::AnonymousChunks));
        assert_eq!(chunked(true).check_kind(&Kind::Anonymous), Err(Refusal::AnonymousSignedChunks));
    }
}
