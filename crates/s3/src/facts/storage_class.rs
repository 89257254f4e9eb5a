//! Storage classes: labels that are returned, without effect on where the bytes are.

use s3s::{S3Error, S3ErrorCode, S3Result, dto};
use serde::{Deserialize, Serialize};

/// A storage class whose objects can be read at once. The classes of archives are refused: a client would
/// have to restore an object before it reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StorageClass {
    /// The default.
    #[default]
    Standard,
    /// Reduced redundancy.
    ReducedRedundancy,
    /// Infrequent access.
    StandardIa,
    /// Infrequent access, one zone.
    OnezoneIa,
    /// Moved by access pattern.
    IntelligentTiering,
    /// An archive with instant retrieval.
    GlacierIr,
}

impl StorageClass {
    const ALL: [StorageClass; 6] = [
        StorageClass::Standard,
        StorageClass::ReducedRedundancy,
        StorageClass::StandardIa,
        StorageClass::OnezoneIa,
        StorageClass::IntelligentTiering,
        StorageClass::GlacierIr,
    ];

    /// Returns the name as headers and documents have it.
    pub fn name(self) -> &'static str {
        match self {
            StorageClass::Standard => "STANDARD",
            StorageClass::ReducedRedundancy => "REDUCED_REDUNDANCY",
            StorageClass::StandardIa => "STANDARD_IA",
            StorageClass::OnezoneIa => "ONEZONE_IA",
            StorageClass::IntelligentTiering => "INTELLIGENT_TIERING",
            StorageClass::GlacierIr => "GLACIER_IR",
        }
    }

    /// Parses the header x-amz-storage-class.
    pub fn parse(name: Option<&str>) -> S3Result<StorageClass> {
        let Some(name) = name else { return Ok(StorageClass::Standard) };
        let found = StorageClass::ALL.into_iter().find(|class| class.name() == name);
        found.ok_or_else(|| {
            let message = "The storage class you specified is not valid";
            S3Error::with_message(S3ErrorCode::InvalidStorageClass, message)
        })
    }

    /// Returns the class as an answer has it. GET and HEAD omit the header for the default class.
    pub fn to_dto(self) -> dto::StorageClass {
        dto::StorageClass::from_static(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_lead_back_to_their_names() {
        for class in StorageClass::ALL {
            assert_eq!(StorageClass::parse(Some(class.name())).unwrap(), class);
            assert_eq!(serde_json::to_string(&class).unwrap(), format!("\"{}\"", class.name()));
        }
        assert_eq!(StorageClass::parse(None).unwrap(), StorageClass::Standard);
    }

    #[test]
    fn archives_and_unknown_classes_are_refused() {
        for name in ["GLACIER", "DEEP_ARCHIVE", "standard", ""] {
            let error = StorageClass::parse(Some(name)).unwrap_err();
            assert_eq!(*error.code(), S3ErrorCode::InvalidStorageClass);
        }
    }
}
