//! Checksums and ETags of objects that are uploaded in parts.

use crc_fast::CrcAlgorithm;
use hex_simd::AsciiCase;
use hyper::HeaderMap;
use md5::{Digest as _, Md5};
use s3s::{S3Error, S3Result};

use super::digests::crc_bytes;
use super::expected::{bad_digest, of_completion};
use super::value::encode;
use super::{Algorithm, Checksum, ChecksumType, Sums};
use crate::errors::invalid_request;

/// What an upload computes of its parts and of the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadChecksum {
    /// The algorithm of the parts and of the object.
    pub algorithm: Algorithm,
    /// The type of the object's checksum.
    pub kind: ChecksumType,
    /// Whether the uploader named the algorithm. If not, it is CRC64NVME.
    pub named: bool,
}

/// A part, as completion needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartSum {
    /// The number of bytes.
    pub size: u64,
    /// The raw checksum in the algorithm of the upload.
    pub value: Vec<u8>,
}

impl UploadChecksum {
    /// Decides from the headers x-amz-checksum-algorithm and x-amz-checksum-type of CreateMultipartUpload.
    pub fn choose(algorithm: Option<&str>, kind: Option<&str>) -> S3Result<UploadChecksum> {
        let algorithm = algorithm.map(Algorithm::parse).transpose()?;
        let kind = kind.map(ChecksumType::parse).transpose()?;
        let Some(algorithm) = algorithm else {
            if kind.is_some() {
                return Err(invalid_request(
                    "The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.",
                ));
            }
            let algorithm = Algorithm::Crc64Nvme;
            return Ok(UploadChecksum { algorithm, kind: ChecksumType::FullObject, named: false });
        };
        let kind = kind.unwrap_or(algorithm.default_type());
        if !algorithm.allows(kind) {
            let (kind, algorithm) = (kind.name(), algorithm.name().to_lowercase());
            return Err(invalid_request(format!(
                "The {kind} checksum type cannot be used with the {algorithm} checksum algorithm."
            )));
        }
        Ok(UploadChecksum { algorithm, kind, named: true })
    }

    /// Checks the algorithm that a part comes with. An upload whose algorithm was not named takes any.
    pub fn check_part(self, part: Option<Algorithm>) -> S3Result {
        let actual = match part {
            _ if !self.named => return Ok(()),
            Some(part) if part == self.algorithm => return Ok(()),
            None if self.kind == ChecksumType::FullObject => return Ok(()),
            Some(part) => part.name(),
            None => "null",
        };
        let expected = self.algorithm.name();
        Err(invalid_request(format!(
            "Checksum Type mismatch occurred, expected checksum Type: {expected}, actual checksum Type: {actual}"
        )))
    }

    /// Computes the checksum of the object. Returns `None` if a part's value has the wrong length, which the caller
    /// reports as damage.
    pub fn of_object(self, parts: &[PartSum]) -> Option<Checksum> {
        if parts.iter().any(|part| part.value.len() != self.algorithm.value_bytes()) {
            return None;
        }
        let value = match self.kind {
            ChecksumType::Composite => composite(self.algorithm, parts)?,
            ChecksumType::FullObject => encode(&combined(self.algorithm, parts)?),
        };
        Some(Checksum { algorithm: self.algorithm, kind: self.kind, value })
    }

    /// Compares the headers of CompleteMultipartUpload with the checksum and the size of the object.
    pub fn check_completion(self, headers: &HeaderMap, computed: &Checksum, size: u64) -> S3Result {
        self.check_completion_type(headers)?;
        check_object_size(headers, size)?;
        let Some(expected) = of_completion(headers)? else { return Ok(()) };
        if !self.named && expected.algorithm != self.algorithm {
            return Ok(());
        }
        let number = computed.value.split_once('-').map(|(_, number)| number);
        let expected_value = match (expected.kind, number) {
            (ChecksumType::FullObject, Some(number)) => format!("{}-{number}", expected.value),
            _ => expected.value,
        };
        if expected.algorithm != computed.algorithm || expected_value != computed.value {
            return Err(bad_digest(expected.algorithm));
        }
        Ok(())
    }

    fn check_completion_type(self, headers: &HeaderMap) -> S3Result {
        let Some(kind) = headers.get("x-amz-checksum-type") else { return Ok(()) };
        let kind = ChecksumType::parse(kind.to_str().unwrap_or_default())?;
        if self.named && kind == self.kind {
            return Ok(());
        }
        let upload = if self.named { self.kind.name() } else { "null" };
        Err(invalid_request(format!(
            "The upload was created using the {upload} checksum mode. The complete request must use the same \
             checksum mode."
        )))
    }
}

/// Returns the ETag of an object of parts, without quotes: the MD5 of the parts' MD5s, and their number. Returns
/// `None` if a part's ETag is no MD5.
pub fn etag<'a>(part_etags: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut md5 = Md5::new();
    let mut count = 0u32;
    for part in part_etags {
        let part = hex_simd::decode_to_vec(part).ok().filter(|part| part.len() == 16)?;
        md5.update(part);
        count += 1;
    }
    let md5 = hex_simd::encode_to_string(md5.finalize(), AsciiCase::Lower);
    Some(format!("{md5}-{count}"))
}

/// Returns the checksum of the parts' checksums, and their number.
fn composite(algorithm: Algorithm, parts: &[PartSum]) -> Option<String> {
    let values: Vec<u8> = parts.iter().flat_map(|part| part.value.iter().copied()).collect();
    let sums = Sums::of([algorithm], &values);
    Some(format!("{}-{}", encode(sums.value(algorithm)?), parts.len()))
}

/// Returns the CRC of the concatenated parts.
fn combined(algorithm: Algorithm, parts: &[PartSum]) -> Option<Vec<u8>> {
    let crc = match algorithm {
        Algorithm::Crc32 => CrcAlgorithm::Crc32IsoHdlc,
        Algorithm::Crc32c => CrcAlgorithm::Crc32Iscsi,
        Algorithm::Crc64Nvme => CrcAlgorithm::Crc64Nvme,
        Algorithm::Sha1 | Algorithm::Sha256 => return None,
    };
    let number = |value: &[u8]| value.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    let mut whole = 0;
    for part in parts {
        whole = crc_fast::checksum_combine(crc, whole, number(&part.value), part.size);
    }
    Some(crc_bytes(algorithm, whole))
}

fn check_object_size(headers: &HeaderMap, size: u64) -> S3Result {
    let Some(header) = headers.get("x-amz-mp-object-size") else { return Ok(()) };
    let text = header.to_str().unwrap_or_default();
    let invalid = |what: &str| -> S3Error {
        invalid_request(format!("Value for x-amz-mp-object-size header is {what}: '{text}'"))
    };
    match text.parse::<i64>() {
        Err(_) => Err(invalid("invalid")),
        Ok(negative) if negative < 0 => Err(invalid("less than zero")),
        Ok(expected) if u64::try_from(expected) == Ok(size) => Ok(()),
        Ok(expected) => Err(invalid_request(format!(
            "The provided 'x-amz-mp-object-size' header value {expected} does not match what was computed: {size}"
        ))),
    }
}

#[cfg(test)]
#[path = "multipart_tests.rs"]
mod tests;
