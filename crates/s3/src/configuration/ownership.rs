//! Ownership controls of a bucket.

use s3s::{S3Result, dto};
use serde::{Deserialize, Serialize};

use crate::errors::{malformed_xml, not_implemented};

/// Who owns the objects of a bucket. There are no access control lists, so only one value is possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum ObjectOwnership {
    /// The owner of the bucket owns all objects, and access control lists have no effect.
    #[default]
    BucketOwnerEnforced,
}

impl ObjectOwnership {
    /// Takes the body of PutBucketOwnershipControls.
    pub fn from_dto(controls: &dto::OwnershipControls) -> S3Result<ObjectOwnership> {
        match controls.rules.as_slice() {
            [rule] => ObjectOwnership::parse(rule.object_ownership.as_str()).ok_or_else(malformed_xml)?,
            _ => Err(malformed_xml()),
        }
    }

    /// Takes the header x-amz-object-ownership of CreateBucket. Returns `None` for a value that AWS does not know.
    pub fn parse(name: &str) -> Option<S3Result<ObjectOwnership>> {
        match name {
            dto::ObjectOwnership::BUCKET_OWNER_ENFORCED => Some(Ok(ObjectOwnership::BucketOwnerEnforced)),
            dto::ObjectOwnership::BUCKET_OWNER_PREFERRED | dto::ObjectOwnership::OBJECT_WRITER => {
                Some(Err(not_implemented(
                    "Access control lists are not supported: the only ObjectOwnership is BucketOwnerEnforced.",
                )))
            }
            _ => None,
        }
    }

    /// Returns the setting for an answer.
    pub fn to_dto(self) -> dto::OwnershipControls {
        let name = dto::ObjectOwnership::BUCKET_OWNER_ENFORCED;
        let rule = dto::OwnershipControlsRule { object_ownership: dto::ObjectOwnership::from_static(name) };
        dto::OwnershipControls { rules: vec![rule] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(names: &[&'static str]) -> String {
        let rule = |name: &&'static str| dto::OwnershipControlsRule {
            object_ownership: dto::ObjectOwnership::from_static(name),
        };
        let controls = dto::OwnershipControls { rules: names.iter().map(rule).collect() };
        ObjectOwnership::from_dto(&controls).unwrap_err().code().as_str().to_owned()
    }

    #[test]
    fn only_the_bucket_owner_can_own_objects() {
        let owner = ObjectOwnership::BucketOwnerEnforced;
        assert_eq!(ObjectOwnership::from_dto(&owner.to_dto()).unwrap(), owner);
        assert_eq!(code(&["ObjectWriter"]), "NotImplemented");
        assert_eq!(code(&["BucketOwnerPreferred"]), "NotImplemented");
        assert_eq!(code(&["Nobody"]), "MalformedXML");
        assert_eq!(code(&[]), "MalformedXML");
        assert_eq!(code(&["BucketOwnerEnforced", "BucketOwnerEnforced"]), "MalformedXML");
    }
}
