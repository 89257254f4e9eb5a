//! Details that an operation adds to an error. The library's error has no place for them, but it has headers.

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};
use s3s::S3Error;

/// Carries details from an operation to the server. It is never sent.
const CARRIER: HeaderName = HeaderName::from_static("x-forebay-error-detail");

/// Adds elements to the document of an error.
pub trait Detailed: Sized {
    /// The same error with one more element.
    fn with(self, name: &'static str, value: impl std::fmt::Display) -> Self;

    /// The same error with the argument that is wrong.
    fn argument(self, name: &'static str, value: impl std::fmt::Display) -> Self {
        self.with("ArgumentName", name).with("ArgumentValue", value)
    }
}

impl Detailed for S3Error {
    fn with(mut self, name: &'static str, value: impl std::fmt::Display) -> S3Error {
        let mut headers = self.headers().cloned().unwrap_or_default();
        let pair =
            format!("{name}={}", hex_simd::encode_to_string(value.to_string(), hex_simd::AsciiCase::Lower));
        if let Ok(pair) = HeaderValue::from_str(&pair) {
            headers.append(CARRIER, pair);
        }
        self.set_headers(headers);
        self
    }
}

/// Removes the details from an answer's headers, and returns them.
pub(super) fn take(headers: &mut HeaderMap) -> Vec<(String, String)> {
    let decoded = |pair: &HeaderValue| {
        let (name, value) = pair.to_str().ok()?.split_once('=')?;
        let value = hex_simd::decode_to_vec(value).ok()?;
        Some((name.to_owned(), String::from_utf8(value).ok()?))
    };
    let found = headers.get_all(&CARRIER).iter().filter_map(decoded).collect();
    headers.remove(&CARRIER);
    found
}
