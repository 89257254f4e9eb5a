//! Versioning of a bucket.

use s3s::{S3Error, S3ErrorCode, S3Result, dto};
use serde::{Deserialize, Serialize};

use crate::errors::{malformed_xml, not_implemented};

/// The versioning state of a bucket. Once enabled it can only be suspended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Versioning {
    /// Never enabled: a write replaces the object.
    #[default]
    Unversioned,
    /// Each write adds a version.
    Enabled,
    /// A write replaces the null version and leaves the others.
    Suspended,
}

impl Versioning {
    /// Takes the body of PutBucketVersioning.
    pub fn from_dto(versioning: &dto::VersioningConfiguration) -> S3Result<Versioning> {
        if versioning.mfa_delete.as_ref().is_some_and(|mfa| mfa.as_str() == dto::MFADelete::ENABLED) {
            return Err(not_implemented("MFA delete is not supported."));
        }
        match versioning.status.as_ref().map(dto::BucketVersioningStatus::as_str) {
            Some(dto::BucketVersioningStatus::ENABLED) => Ok(Versioning::Enabled),
            Some(dto::BucketVersioningStatus::SUSPENDED) => Ok(Versioning::Suspended),
            Some(_) => Err(malformed_xml()),
            None => {
                let message = "The Versioning element must be specified";
                Err(S3Error::with_message(S3ErrorCode::IllegalVersioningConfigurationException, message))
            }
        }
    }

    /// Returns the state for an answer. A bucket whose versioning was never enabled has none.
    pub fn to_dto(self) -> Option<dto::BucketVersioningStatus> {
        match self {
            Versioning::Unversioned => None,
            Versioning::Enabled => {
                Some(dto::BucketVersioningStatus::from_static(dto::BucketVersioningStatus::ENABLED))
            }
            Versioning::Suspended => {
                Some(dto::BucketVersioningStatus::from_static(dto::BucketVersioningStatus::SUSPENDED))
            }
        }
    }

    /// Checks a change. A bucket with object lock stays versioned.
    pub fn check_change(new: Versioning, has_object_lock: bool) -> S3Result {
        if has_object_lock && new != Versioning::Enabled {
            let message = "An Object Lock configuration is present on this bucket, so the versioning state cannot be \
                           changed.";
            return Err(S3Error::with_message(S3ErrorCode::InvalidBucketState, message));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(status: Option<&'static str>, mfa: Option<&'static str>) -> dto::VersioningConfiguration {
        dto::VersioningConfiguration {
            mfa_delete: mfa.map(dto::MFADelete::from_static),
            status: status.map(dto::BucketVersioningStatus::from_static),
        }
    }

    #[test]
    fn states_survive_the_way_to_the_protocol_and_back() {
        for state in [Versioning::Enabled, Versioning::Suspended] {
            let document = dto::VersioningConfiguration { mfa_delete: None, status: state.to_dto() };
            assert_eq!(Versioning::from_dto(&document).unwrap(), state);
        }
        assert_eq!(Versioning::Unversioned.to_dto(), None);
    }

    #[test]
    fn other_documents_are_refused() {
        let code = |status, mfa| {
            Versioning::from_dto(&document(status, mfa)).unwrap_err().code().as_str().to_owned()
        };
        assert_eq!(code(None, None), "IllegalVersioningConfigurationException");
        assert_eq!(code(Some("enabled"), None), "MalformedXML");
        assert_eq!(code(Some("Enabled"), Some("Enabled")), "NotImplemented");
        assert!(Versioning::from_dto(&document(Some("Enabled"), Some("Disabled"))).is_ok());
    }

    #[test]
    fn a_bucket_with_object_lock_stays_versioned() {
        assert!(Versioning::check_change(Versioning::Suspended, true).is_err());
        assert!(Versioning::check_change(Versioning::Enabled, true).is_ok());
        assert!(Versioning::check_change(Versioning::Suspended, false).is_ok());
    }
}
