//! The public access block of a bucket.

use s3s::dto;
use serde::{Deserialize, Serialize};

/// Blocks of public access to a bucket. The default of a bucket that has no such setting is chosen by the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublicAccessBlock {
    /// Refuse public ACLs.
    #[serde(rename = "ba", default)]
    pub block_public_acls: bool,
    /// Ignore public ACLs.
    #[serde(rename = "ia", default)]
    pub ignore_public_acls: bool,
    /// Refuse public bucket policies.
    #[serde(rename = "bp", default)]
    pub block_public_policy: bool,
    /// Do not let a public bucket policy grant access to anonymous callers.
    #[serde(rename = "rb", default)]
    pub restrict_public_buckets: bool,
}

impl PublicAccessBlock {
    /// Takes the body of PutPublicAccessBlock. What it omits is off.
    pub fn from_dto(block: &dto::PublicAccessBlockConfiguration) -> PublicAccessBlock {
        PublicAccessBlock {
            block_public_acls: block.block_public_acls.unwrap_or(false),
            ignore_public_acls: block.ignore_public_acls.unwrap_or(false),
            block_public_policy: block.block_public_policy.unwrap_or(false),
            restrict_public_buckets: block.restrict_public_buckets.unwrap_or(false),
        }
    }

    /// Returns the setting for an answer.
    pub fn to_dto(self) -> dto::PublicAccessBlockConfiguration {
        dto::PublicAccessBlockConfiguration {
            block_public_acls: Some(self.block_public_acls),
            ignore_public_acls: Some(self.ignore_public_acls),
            block_public_policy: Some(self.block_public_policy),
            restrict_public_buckets: Some(self.restrict_public_buckets),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_switch_is_kept() {
        for on in 0..4 {
            let block = PublicAccessBlock {
                block_public_acls: on == 0,
                ignore_public_acls: on == 1,
                block_public_policy: on == 2,
                restrict_public_buckets: on == 3,
            };
            assert_eq!(PublicAccessBlock::from_dto(&block.to_dto()), block);
        }
        let empty = dto::PublicAccessBlockConfiguration::default();
        assert_eq!(PublicAccessBlock::from_dto(&empty), PublicAccessBlock::default());
    }
}
