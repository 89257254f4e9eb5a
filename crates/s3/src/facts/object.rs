//! The facts of one object version.

use serde::{Deserialize, Serialize};

use super::defaults::is_default;
use super::format::{decode, encode};
use super::{ContentHeaders, FactsError, Format, Lock, Parts, StorageClass, Tags, UserMetadata};
use crate::checksum::Checksum;

/// What is stored with each object version. A delete marker is a version with few facts and no bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectFacts {
    /// The format number.
    #[serde(rename = "f")]
    pub format: Format,
    /// The number of bytes.
    #[serde(rename = "s", default, skip_serializing_if = "is_default")]
    pub size: u64,
    /// Last-Modified, in milliseconds since 1970.
    #[serde(rename = "m", default, skip_serializing_if = "is_default")]
    pub modified_ms: u64,
    /// The ETag, without quotes. Empty for a delete marker.
    #[serde(rename = "e", default, skip_serializing_if = "is_default")]
    pub etag: String,
    /// The checksum that is returned to callers.
    #[serde(rename = "c", default, skip_serializing_if = "is_default")]
    pub checksum: Option<Checksum>,
    /// The headers that describe the content.
    #[serde(rename = "h", default, skip_serializing_if = "is_default")]
    pub headers: ContentHeaders,
    /// The storage class.
    #[serde(rename = "sc", default, skip_serializing_if = "is_default")]
    pub storage_class: StorageClass,
    /// The user metadata.
    #[serde(rename = "um", default, skip_serializing_if = "is_default")]
    pub user_metadata: UserMetadata,
    /// The tags.
    #[serde(rename = "t", default, skip_serializing_if = "is_default")]
    pub tags: Tags,
    /// The user who wrote the version.
    #[serde(rename = "o", default, skip_serializing_if = "is_default")]
    pub owner: String,
    /// Whether this is the version that callers name `null`.
    #[serde(rename = "nv", default, skip_serializing_if = "is_default")]
    pub null_version: bool,
    /// Whether this is a delete marker.
    #[serde(rename = "dm", default, skip_serializing_if = "is_default")]
    pub delete_marker: bool,
    /// Retention and legal hold.
    #[serde(rename = "l", default, skip_serializing_if = "is_default")]
    pub lock: Lock,
    /// The parts, if the object was uploaded in parts.
    #[serde(rename = "p", default, skip_serializing_if = "is_default")]
    pub parts: Option<Parts>,
}

impl ObjectFacts {
    /// Encodes the facts for storing.
    pub fn encode(&self) -> Result<Vec<u8>, FactsError> {
        encode("an object", self)
    }

    /// Decodes stored facts.
    pub fn decode(bytes: &[u8]) -> Result<ObjectFacts, FactsError> {
        decode("an object", bytes)
    }

    /// Returns the ETag with quotes, as headers have it.
    pub fn quoted_etag(&self) -> String {
        format!("\"{}\"", self.etag)
    }
}

#[cfg(test)]
#[path = "object_tests.rs"]
mod tests;
