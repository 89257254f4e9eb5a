//! The checksum algorithms of S3, and the two types of checksum of a multipart object.

use s3s::{S3Result, dto};
use serde::{Deserialize, Serialize};

use crate::errors::invalid_request;

/// A checksum algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Algorithm {
    /// CRC-32 as in gzip.
    Crc32,
    /// CRC-32C, Castagnoli.
    Crc32c,
    /// CRC-64/NVME, the default of S3.
    Crc64Nvme,
    /// SHA-1.
    Sha1,
    /// SHA-256.
    Sha256,
}

/// How the checksum of a multipart object is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ChecksumType {
    /// Over the checksums of the parts.
    Composite,
    /// Over the bytes of the object.
    FullObject,
}

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Algorithm; 5] =
        [Algorithm::Crc32, Algorithm::Crc32c, Algorithm::Crc64Nvme, Algorithm::Sha1, Algorithm::Sha256];

    /// Returns the name as headers and documents have it.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Crc32 => "CRC32",
            Algorithm::Crc32c => "CRC32C",
            Algorithm::Crc64Nvme => "CRC64NVME",
            Algorithm::Sha1 => "SHA1",
            Algorithm::Sha256 => "SHA256",
        }
    }

    /// Returns the header, or trailer, that carries a value.
    pub fn header(self) -> &'static str {
        match self {
            Algorithm::Crc32 => "x-amz-checksum-crc32",
            Algorithm::Crc32c => "x-amz-checksum-crc32c",
            Algorithm::Crc64Nvme => "x-amz-checksum-crc64nvme",
            Algorithm::Sha1 => "x-amz-checksum-sha1",
            Algorithm::Sha256 => "x-amz-checksum-sha256",
        }
    }

    /// Returns the number of bytes of a value.
    pub fn value_bytes(self) -> usize {
        match self {
            Algorithm::Crc32 | Algorithm::Crc32c => 4,
            Algorithm::Crc64Nvme => 8,
            Algorithm::Sha1 => 20,
            Algorithm::Sha256 => 32,
        }
    }

    /// Parses a name, in any case.
    pub fn parse(name: &str) -> S3Result<Algorithm> {
        let found = Algorithm::ALL.into_iter().find(|algorithm| algorithm.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| {
            invalid_request(
                "Checksum algorithm provided is unsupported. Please try again with any of the valid types: \
                 [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]",
            )
        })
    }

    /// Returns the algorithm whose value a header or trailer carries.
    pub fn of_header(name: &str) -> Option<Algorithm> {
        Algorithm::ALL.into_iter().find(|algorithm| algorithm.header().eq_ignore_ascii_case(name))
    }

    /// Returns the type that a multipart upload has if the caller names none.
    pub fn default_type(self) -> ChecksumType {
        match self {
            Algorithm::Crc64Nvme => ChecksumType::FullObject,
            _ => ChecksumType::Composite,
        }
    }

    /// Returns whether a multipart upload may combine this algorithm with a type.
    pub fn allows(self, kind: ChecksumType) -> bool {
        match self {
            Algorithm::Crc32 | Algorithm::Crc32c => true,
            Algorithm::Crc64Nvme => kind == ChecksumType::FullObject,
            Algorithm::Sha1 | Algorithm::Sha256 => kind == ChecksumType::Composite,
        }
    }

    /// Returns the name as an answer has it.
    pub fn to_dto(self) -> dto::ChecksumAlgorithm {
        dto::ChecksumAlgorithm::from_static(self.name())
    }
}

impl ChecksumType {
    /// Returns the name as headers and documents have it.
    pub fn name(self) -> &'static str {
        match self {
            ChecksumType::Composite => "COMPOSITE",
            ChecksumType::FullObject => "FULL_OBJECT",
        }
    }

    /// Parses a name, in any case.
    pub fn parse(name: &str) -> S3Result<ChecksumType> {
        let both = [ChecksumType::Composite, ChecksumType::FullObject];
        let found = both.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| invalid_request("Value for x-amz-checksum-type header is invalid."))
    }

    /// Returns the name as an answer has it.
    pub fn to_dto(self) -> dto::ChecksumType {
        dto::ChecksumType::from_static(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_headers_lead_back_to_their_algorithm() {
        for algorithm in Algorithm::ALL {
            assert_eq!(Algorithm::parse(&algorithm.name().to_lowercase()).unwrap(), algorithm);
            assert_eq!(Algorithm::of_header(algorithm.header()), Some(algorithm));
            assert_eq!(serde_json::to_string(&algorithm).unwrap(), format!("\"{}\"", algorithm.name()));
            assert!(algorithm.allows(algorithm.default_type()));
        }
        assert!(Algorithm::parse("MD5").is_err());
        assert_eq!(Algorithm::of_header("x-amz-checksum-type"), None);
    }

    #[test]
    fn only_the_32_bit_crcs_have_both_types() {
        let both = |a: &Algorithm| a.allows(ChecksumType::Composite) && a.allows(ChecksumType::FullObject);
        let found: Vec<_> = Algorithm::ALL.into_iter().filter(both).collect();
        assert_eq!(found, [Algorithm::Crc32, Algorithm::Crc32c]);
    }
}
