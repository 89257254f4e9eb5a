//! The facts of a multipart upload in progress, and of its parts.

use serde::{Deserialize, Serialize};

use super::defaults::is_default;
use super::format::{decode, encode};
use super::{ContentHeaders, FactsError, Format, Lock, StorageClass, Tags, UserMetadata};
use crate::checksum::{Algorithm, Checksum, ChecksumType};

/// What is stored with an upload. Completion gives most of it to the object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UploadFacts {
    /// The format number.
    #[serde(rename = "f")]
    pub format: Format,
    /// When the upload was initiated, in milliseconds since 1970.
    #[serde(rename = "i")]
    pub initiated_ms: u64,
    /// The user who initiated it, and will own the object.
    #[serde(rename = "o", default, skip_serializing_if = "is_default")]
    pub owner: String,
    /// The checksum algorithm of the parts and of the object.
    #[serde(rename = "a")]
    pub algorithm: Algorithm,
    /// The type of the object's checksum.
    #[serde(rename = "k")]
    pub kind: ChecksumType,
    /// Whether the caller named the algorithm. If not, parts may come without a checksum, and answers about the
    /// upload do not name the default.
    #[serde(rename = "an", default, skip_serializing_if = "is_default")]
    pub algorithm_named: bool,
    /// The headers that will describe the object's content.
    #[serde(rename = "h", default, skip_serializing_if = "is_default")]
    pub headers: ContentHeaders,
    /// The object's storage class.
    #[serde(rename = "sc", default, skip_serializing_if = "is_default")]
    pub storage_class: StorageClass,
    /// The object's user metadata.
    #[serde(rename = "um", default, skip_serializing_if = "is_default")]
    pub user_metadata: UserMetadata,
    /// The object's tags.
    #[serde(rename = "t", default, skip_serializing_if = "is_default")]
    pub tags: Tags,
    /// The object's retention and legal hold.
    #[serde(rename = "l", default, skip_serializing_if = "is_default")]
    pub lock: Lock,
}

/// What is stored with a part of an upload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartFacts {
    /// The format number.
    #[serde(rename = "f")]
    pub format: Format,
    /// The number of bytes.
    #[serde(rename = "s")]
    pub size: u64,
    /// The MD5 in hexadecimal, without quotes.
    #[serde(rename = "e")]
    pub etag: String,
    /// When the part was uploaded, in milliseconds since 1970.
    #[serde(rename = "m")]
    pub modified_ms: u64,
    /// The checksum of the part's bytes in the algorithm of the upload. The object's checksum is computed of these.
    #[serde(rename = "c")]
    pub checksum: Checksum,
    /// The checksum that the uploader sent in another algorithm. That is possible only if the upload names none.
    #[serde(rename = "g", default, skip_serializing_if = "is_default")]
    pub given: Option<Checksum>,
}

impl UploadFacts {
    /// Encodes the facts for storing.
    pub fn encode(&self) -> Result<Vec<u8>, FactsError> {
        encode("an upload", self)
    }

    /// Decodes stored facts.
    pub fn decode(bytes: &[u8]) -> Result<UploadFacts, FactsError> {
        decode("an upload", bytes)
    }
}

impl PartFacts {
    /// Encodes the facts for storing.
    pub fn encode(&self) -> Result<Vec<u8>, FactsError> {
        encode("a part", self)
    }

    /// Decodes stored facts.
    pub fn decode(bytes: &[u8]) -> Result<PartFacts, FactsError> {
        decode("a part", bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_format_of_uploads_has_not_changed() {
        let stored = concat!(
            r#"{"f":1,"i":1700000000000,"o":"alice","a":"CRC64NVME","k":"FULL_OBJECT","an":true,"#,
            r#""h":{"ct":"text/plain"},"sc":"STANDARD_IA","um":{"a":"b"},"t":{"k":"v"},"l":{"h":false}}"#,
        );
        let facts = UploadFacts {
            format: Format,
            initiated_ms: 1_700_000_000_000,
            owner: "alice".to_owned(),
            algorithm: Algorithm::Crc64Nvme,
            kind: ChecksumType::FullObject,
            algorithm_named: true,
            headers: ContentHeaders {
                content_type: Some("text/plain".to_owned()),
                ..ContentHeaders::default()
            },
            storage_class: StorageClass::StandardIa,
            user_metadata: UserMetadata::from_dto(Some(&[("a".to_owned(), "b".to_owned())].into())).unwrap(),
            tags: Tags::parse_header("k=v").unwrap(),
            lock: Lock { retention: None, legal_hold: Some(false) },
        };
        assert_eq!(String::from_utf8(facts.encode().unwrap()).unwrap(), stored);
        assert_eq!(UploadFacts::decode(stored.as_bytes()).unwrap(), facts);
    }

    #[test]
    fn the_stored_format_of_parts_has_not_changed() {
        let stored = concat!(
            r#"{"f":1,"s":5242880,"e":"5eb63bbbe01eeed093cb22bb8f5acdc3","m":1700000000000,"#,
            r#""c":{"a":"CRC64NVME","t":"FULL_OBJECT","v":"AQIDBAUGBwg="},"#,
            r#""g":{"a":"CRC32C","t":"FULL_OBJECT","v":"AQIDBA=="}}"#,
        );
        let facts = PartFacts {
            format: Format,
            size: 5 << 20,
            etag: "5eb63bbbe01eeed093cb22bb8f5acdc3".to_owned(),
            modified_ms: 1_700_000_000_000,
            checksum: Checksum::of_bytes(Algorithm::Crc64Nvme, &[1, 2, 3, 4, 5, 6, 7, 8]),
            given: Some(Checksum::of_bytes(Algorithm::Crc32c, &[1, 2, 3, 4])),
        };
        assert_eq!(String::from_utf8(facts.encode().unwrap()).unwrap(), stored);
        assert_eq!(PartFacts::decode(stored.as_bytes()).unwrap(), facts);
        assert!(PartFacts::decode(br#"{"f":1,"s":1}"#).is_err());
    }
}
