//! The value of a checksum: base64 in the protocol, bytes here.

use serde::{Deserialize, Serialize};

use super::{Algorithm, ChecksumType};

/// A checksum as it is stored with an object or a part and returned to callers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checksum {
    /// The algorithm.
    #[serde(rename = "a")]
    pub algorithm: Algorithm,
    /// The type.
    #[serde(rename = "t")]
    pub kind: ChecksumType,
    /// The value as headers have it: base64, with `-N` if it is composite over N parts.
    #[serde(rename = "v")]
    pub value: String,
}

impl Checksum {
    /// Returns the checksum of the bytes of an object or a part.
    pub fn of_bytes(algorithm: Algorithm, value: &[u8]) -> Checksum {
        Checksum { algorithm, kind: ChecksumType::FullObject, value: encode(value) }
    }

    /// Returns the raw value, without the number of parts.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        let text = match self.kind {
            ChecksumType::Composite => self.value.split_once('-').map_or(self.value.as_str(), |(sum, _)| sum),
            ChecksumType::FullObject => &self.value,
        };
        decode(self.algorithm, text)
    }
}

/// Encodes a raw value as headers have it.
pub(super) fn encode(value: &[u8]) -> String {
    base64_simd::STANDARD.encode_to_string(value)
}

/// Decodes a value. Returns `None` if it is not base64 or has another length than the algorithm.
pub(super) fn decode(algorithm: Algorithm, text: &str) -> Option<Vec<u8>> {
    let value = base64_simd::STANDARD.decode_to_vec(text).ok()?;
    (value.len() == algorithm.value_bytes()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_the_length_of_its_algorithm() {
        assert_eq!(decode(Algorithm::Crc32, "AAAAAA=="), Some(vec![0; 4]));
        for text in ["", "AAAAAA", "AAAA", "AAAAAAA=", "!AAAAA==", " AAAAAA=="] {
            assert_eq!(decode(Algorithm::Crc32, text), None, "{text}");
        }
    }

    #[test]
    fn the_number_of_parts_is_not_part_of_the_value() {
        let value = "AAAAAA==-3".to_owned();
        let composite = Checksum { algorithm: Algorithm::Crc32, kind: ChecksumType::Composite, value };
        assert_eq!(composite.bytes(), Some(vec![0; 4]));
        assert_eq!(Checksum::of_bytes(Algorithm::Crc32c, &[0; 4]).bytes(), Some(vec![0; 4]));
    }
}
