//! The checksums that a request announces for its body.

use hyper::HeaderMap;
use s3s::{S3Error, S3ErrorCode, S3Result};

use super::value::decode;
use super::{Algorithm, Checksum, ChecksumType, Digests, Sums, content_md5, payload_hash};
use crate::errors::{bad_request, invalid_request};

const PREFIX: &str = "x-amz-checksum-";
/// Headers with the prefix that carry no value.
const NOT_VALUES: [&str; 3] = ["x-amz-checksum-type", "x-amz-checksum-algorithm", "x-amz-checksum-mode"];
const SDK_ALGORITHM: &str = "x-amz-sdk-checksum-algorithm";

/// The checksums that a request announces for its body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExpectedChecksums {
    announced: Option<Announced>,
    md5: Option<[u8; 16]>,
    sha256: Option<[u8; 32]>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Announced {
    Value(Algorithm, Vec<u8>),
    InTrailer(Algorithm),
}

impl ExpectedChecksums {
    /// Reads a request's headers.
    pub fn from_headers(headers: &HeaderMap) -> S3Result<ExpectedChecksums> {
        Ok(ExpectedChecksums {
            announced: announced(headers)?,
            md5: content_md5::parse(headers)?,
            sha256: payload_hash::parse(headers)?,
        })
    }

    /// Reads what a request's headers say about the request's body, and not about the object that it completes.
    pub fn of_request(headers: &HeaderMap) -> S3Result<ExpectedChecksums> {
        let (md5, sha256) = (content_md5::parse(headers)?, payload_hash::parse(headers)?);
        Ok(ExpectedChecksums { announced: None, md5, sha256 })
    }

    /// Forgets x-amz-content-sha256, for callers whose body is checked against it elsewhere.
    pub fn without_payload_hash(mut self) -> ExpectedChecksums {
        self.sha256 = None;
        self
    }

    /// Returns the algorithm that the request names.
    pub fn algorithm(&self) -> Option<Algorithm> {
        match &self.announced {
            Some(Announced::Value(algorithm, _) | Announced::InTrailer(algorithm)) => Some(*algorithm),
            None => None,
        }
    }

    /// Returns whether the request has a checksum or a Content-MD5, which some operations require.
    pub fn is_protected(&self) -> bool {
        self.announced.is_some() || self.md5.is_some()
    }

    /// Returns a hasher that computes all that the request announces, and more if the caller needs it.
    pub fn digests(&self, more: impl IntoIterator<Item = Algorithm>) -> Digests {
        let payload = self.sha256.map(|_| Algorithm::Sha256);
        Digests::new(self.algorithm().into_iter().chain(payload).chain(more))
    }

    /// Takes the value from the trailers. To be called once the body has ended, with `None` if it had no trailers.
    pub fn take_trailers(&mut self, trailers: Option<&HeaderMap>) -> S3Result {
        let Some(Announced::InTrailer(algorithm)) = self.announced else { return Ok(()) };
        let mut values = trailers.into_iter().flat_map(|trailers| trailers.get_all(algorithm.header()));
        let (Some(value), None) = (values.next(), values.next()) else {
            let message = "The request contained trailing data that was not well-formed or did not conform to our \
                           published schema.";
            return Err(bad_request("MalformedTrailerError", message));
        };
        let decoded = value.to_str().ok().and_then(|text| decode(algorithm, text.trim()));
        let value = decoded.ok_or_else(|| {
            invalid_request(format!("Value for {} trailing header is invalid.", algorithm.header()))
        })?;
        self.announced = Some(Announced::Value(algorithm, value));
        Ok(())
    }

    /// Compares the sums of the body with what the request announced. A value that is still awaited from a trailer is
    /// an error.
    pub fn verify(&self, sums: &Sums) -> S3Result {
        payload_hash::verify(self.sha256, sums.value(Algorithm::Sha256))?;
        content_md5::verify(self.md5, sums.md5)?;
        match &self.announced {
            None => Ok(()),
            Some(Announced::Value(algorithm, value)) if sums.value(*algorithm) == Some(value) => Ok(()),
            Some(Announced::Value(algorithm, _) | Announced::InTrailer(algorithm)) => {
                Err(bad_digest(*algorithm))
            }
        }
    }
}

/// Reads the checksum of a CompleteMultipartUpload request, which is the checksum of the object and not of the body.
pub(super) fn of_completion(headers: &HeaderMap) -> S3Result<Option<Checksum>> {
    let Some((algorithm, text)) = single_value(headers)? else { return Ok(None) };
    let composite = text.split_once('-').filter(|(_, parts)| parts.parse::<u16>().is_ok());
    let (value, kind) = match composite {
        Some((value, _)) => (value, ChecksumType::Composite),
        None => (text, ChecksumType::FullObject),
    };
    if decode(algorithm, value).is_none() {
        return Err(invalid_header(algorithm.header()));
    }
    Ok(Some(Checksum { algorithm, kind, value: text.to_owned() }))
}

/// Returns the error for a checksum that differs from the bytes.
pub(super) fn bad_digest(algorithm: Algorithm) -> S3Error {
    let message = format!("The {} you specified did not match the calculated checksum.", algorithm.name());
    S3Error::with_message(S3ErrorCode::BadDigest, message)
}

fn announced(headers: &HeaderMap) -> S3Result<Option<Announced>> {
    let sdk = headers
        .get(SDK_ALGORITHM)
        .map(|name| Algorithm::parse(name.to_str().unwrap_or_default()))
        .transpose()?;
    if headers.contains_key("x-amz-trailer")
        && trailer_algorithm(headers)?.is_some()
        && values(headers).next().is_some()
    {
        return Err(several());
    }
    let value = single_value(headers)?;
    let trailer = trailer_algorithm(headers)?;
    let announced = match (value, trailer) {
        (Some(_), Some(_)) => return Err(several()),
        (Some((algorithm, text)), None) => {
            let value = decode(algorithm, text).ok_or_else(|| invalid_header(algorithm.header()))?;
            Announced::Value(algorithm, value)
        }
        (None, Some(algorithm)) => Announced::InTrailer(algorithm),
        (None, None) if sdk.is_some() => {
            return Err(invalid_request(
                "x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer \
                 headers were found.",
            ));
        }
        (None, None) => return Ok(None),
    };
    let (Announced::Value(algorithm, _) | Announced::InTrailer(algorithm)) = &announced;
    if sdk.is_some_and(|sdk| sdk != *algorithm) {
        return Err(invalid_header(SDK_ALGORITHM));
    }
    Ok(Some(announced))
}

/// The headers that carry a value, by whatever algorithm.
fn values(headers: &HeaderMap) -> impl Iterator<Item = (&str, &hyper::header::HeaderValue)> {
    let named = headers.iter().map(|(name, value)| (name.as_str(), value));
    named.filter(|(name, _)| name.starts_with(PREFIX) && !NOT_VALUES.contains(name))
}

/// Refuses several checksums of one body.
pub fn refuse_several(headers: &HeaderMap) -> S3Result {
    if values(headers).nth(1).is_some() { Err(several()) } else { Ok(()) }
}

/// Returns the one header that carries a value.
fn single_value(headers: &HeaderMap) -> S3Result<Option<(Algorithm, &str)>> {
    let mut found = None;
    for (name, value) in values(headers) {
        let Some(algorithm) = Algorithm::of_header(name) else {
            return Err(invalid_request(
                "The algorithm type you specified in x-amz-checksum- header is invalid.",
            ));
        };
        let value = value.to_str().map_err(|_| invalid_header(name))?;
        if found.replace((algorithm, value)).is_some() {
            return Err(several());
        }
    }
    Ok(found)
}

fn trailer_algorithm(headers: &HeaderMap) -> S3Result<Option<Algorithm>> {
    // An empty header announces nothing. The guard adds it where a client announces no trailer.
    let mut names = headers.get_all("x-amz-trailer").iter().filter(|name| !name.is_empty());
    let Some(name) = names.next() else { return Ok(None) };
    let algorithm = name.to_str().ok().and_then(|name| Algorithm::of_header(name.trim()));
    match (algorithm, names.next()) {
        (Some(algorithm), None) => Ok(Some(algorithm)),
        _ => Err(invalid_request("The value specified in the x-amz-trailer header is not supported")),
    }
}

fn several() -> S3Error {
    invalid_request("Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.")
}

fn invalid_header(name: &str) -> S3Error {
    invalid_request(format!("Value for {name} header is invalid."))
}

#[cfg(test)]
#[path = "expected_tests.rs"]
mod tests;
