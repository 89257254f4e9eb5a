//! User metadata: the headers `x-amz-meta-*`.

use std::collections::BTreeMap;

use s3s::{S3Error, S3ErrorCode, S3Result, dto};
use serde::{Deserialize, Serialize};

/// The most bytes that all names, without their prefix, and all values may have together.
const METADATA_BYTES_MAX: usize = 2048;

/// The user metadata of an object. Names are lowercase and have no prefix.
///
/// Values are Unicode. On the wire the library decodes RFC 2047 words and encodes values that are not ASCII, as
/// S3 does: `größe` is returned as `=?UTF-8?B?Z3LDtsOfZQ==?=`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UserMetadata(BTreeMap<String, String>);

impl UserMetadata {
    /// Takes the metadata of a request.
    pub fn from_dto(metadata: Option<&dto::Metadata>) -> S3Result<UserMetadata> {
        let mut stored = BTreeMap::new();
        for (name, value) in metadata.into_iter().flatten() {
            stored.insert(name.to_ascii_lowercase(), value.clone());
        }
        let bytes: usize = stored.iter().map(|(name, value)| name.len() + value.len()).sum();
        if bytes > METADATA_BYTES_MAX {
            let message = "Your metadata headers exceed the maximum allowed metadata size";
            return Err(S3Error::with_message(S3ErrorCode::MetadataTooLarge, message));
        }
        Ok(UserMetadata(stored))
    }

    /// Returns the metadata for an answer.
    pub fn to_dto(&self) -> Option<dto::Metadata> {
        let entries = self.0.iter().map(|(name, value)| (name.clone(), value.clone()));
        (!self.0.is_empty()).then(|| entries.collect())
    }

    /// Returns a value by its lowercase name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(pairs: &[(&str, &str)]) -> dto::Metadata {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn names_are_lowercase_and_values_are_kept() {
        let stored = UserMetadata::from_dto(Some(&metadata(&[("Mixed-Case", "Größe")]))).unwrap();
        assert_eq!(stored.get("mixed-case"), Some("Größe"));
        assert_eq!(stored.to_dto(), Some(metadata(&[("mixed-case", "Größe")])));
        assert_eq!(UserMetadata::from_dto(None).unwrap().to_dto(), None);
    }

    #[test]
    fn two_kilobytes_are_allowed_and_not_a_byte_more() {
        let fits = metadata(&[("a", &"x".repeat(1000)), ("b", &"ü".repeat(523))]);
        assert!(UserMetadata::from_dto(Some(&fits)).is_ok());
        let too_large = metadata(&[("a", &"x".repeat(1001)), ("b", &"ü".repeat(523))]);
        let error = UserMetadata::from_dto(Some(&too_large)).unwrap_err();
        assert_eq!(*error.code(), S3ErrorCode::MetadataTooLarge);
    }
}
