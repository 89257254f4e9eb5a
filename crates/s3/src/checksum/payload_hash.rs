//! The header x-amz-content-sha256: the SHA-256 of the body, or a word that says how the body is signed.

use hyper::HeaderMap;
use s3s::S3Result;

use crate::errors::{bad_request, invalid_argument};

const WORDS: [&str; 6] = [
    "UNSIGNED-PAYLOAD",
    "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
    "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
    "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
    "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD",
    "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER",
];

/// Returns the SHA-256 that the body must have, if the header has one.
pub(super) fn parse(headers: &HeaderMap) -> S3Result<Option<[u8; 32]>> {
    let Some(value) = headers.get("x-amz-content-sha256") else { return Ok(None) };
    if WORDS.iter().any(|word| word.as_bytes() == value.as_bytes()) {
        return Ok(None);
    }
    let decoded = hex_simd::decode_to_vec(value.as_bytes()).ok();
    let sha256 = decoded.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    sha256.map(Some).ok_or_else(|| {
        invalid_argument(format!(
            "x-amz-content-sha256 must be {} or a valid sha256 value.",
            WORDS.join(", ")
        ))
    })
}

/// Compares a body's SHA-256 with the header. A SHA-256 that is expected and was not computed counts as different.
pub(super) fn verify(expected: Option<[u8; 32]>, found: Option<&[u8]>) -> S3Result {
    let Some(expected) = expected else { return Ok(()) };
    if found == Some(expected.as_slice()) {
        return Ok(());
    }
    let message = "The provided 'x-amz-content-sha256' header does not match what was computed.";
    Err(bad_request("XAmzContentSHA256Mismatch", message))
}
