//! The header Content-MD5.

use crate::error_document::Detailed;
use hyper::HeaderMap;
use s3s::{S3Error, S3ErrorCode, S3Result};

/// Parses Content-MD5.
pub(super) fn parse(headers: &HeaderMap) -> S3Result<Option<[u8; 16]>> {
    let Some(value) = headers.get("content-md5") else { return Ok(None) };
    let decoded = base64_simd::STANDARD.decode_to_vec(value.as_bytes()).ok();
    let md5 = decoded.and_then(|bytes| <[u8; 16]>::try_from(bytes).ok());
    md5.map(Some).ok_or_else(|| {
        S3Error::with_message(S3ErrorCode::InvalidDigest, "The Content-Md5 you specified is not valid.")
            .with("Content-MD5", String::from_utf8_lossy(value.as_bytes()))
    })
}

/// Compares a body's MD5 with the header.
pub(super) fn verify(expected: Option<[u8; 16]>, found: [u8; 16]) -> S3Result {
    match expected {
        Some(expected) if expected != found => {
            let message = "The Content-MD5 you specified did not match what we received.";
            Err(S3Error::with_message(S3ErrorCode::BadDigest, message)
                .with("CalculatedDigest", base64_simd::STANDARD.encode_to_string(found))
                .with("ExpectedDigest", hex_simd::encode_to_string(expected, hex_simd::AsciiCase::Lower)))
        }
        _ => Ok(()),
    }
}
