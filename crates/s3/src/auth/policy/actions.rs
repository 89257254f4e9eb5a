//! The actions that a policy can name, and which kind of resource each is checked against: the one table of both.
//!
//! The names are those of the AWS service authorization reference for `s3:`. Actions of features that are not built are in the table
//! too, so that policies that name them remain valid.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use super::wildcard::glob;

/// What an action is checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceKind {
    /// No bucket: only the resource `*`.
    Account,
    /// A bucket, as `arn:aws:s3:::bucket`.
    Bucket,
    /// An object, as `arn:aws:s3:::bucket/key`.
    Object,
}

macro_rules! actions {
    ($($kind:ident: $($action:ident)+;)+) => {
        /// An S3 action, as policies name it after `s3:`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "the names are the field's, and S3's reference describes them")]
        pub enum Action {
            $($($action,)+)+
        }

        impl Action {
            /// All actions.
            pub const ALL: &[Action] = &[$($(Action::$action,)+)+];

            /// The action's name without `s3:`.
            pub fn name(self) -> &'static str {
                match self {
                    $($(Action::$action => stringify!($action),)+)+
                }
            }

            /// What the action is checked against.
            pub fn resource_kind(self) -> ResourceKind {
                match self {
                    $($(Action::$action)|+ => ResourceKind::$kind,)+
                }
            }
        }
    };
}

actions! {
    Account:
        GetAccountPublicAccessBlock
        ListAllMyBuckets
        PutAccountPublicAccessBlock;
    Bucket:
        CreateBucket
        CreateBucketMetadataTableConfiguration
        DeleteBucket
        DeleteBucketMetadataTableConfiguration
        DeleteBucketPolicy
        DeleteBucketWebsite
        GetAccelerateConfiguration
        GetAnalyticsConfiguration
        GetBucketAbac
        GetBucketAcl
        GetBucketCORS
        GetBucketLocation
        GetBucketLogging
        GetBucketMetadataTableConfiguration
        GetBucketNotification
        GetBucketObjectLockConfiguration
        GetBucketOwnershipControls
        GetBucketPolicy
        GetBucketPolicyStatus
        GetBucketPublicAccessBlock
        GetBucketRequestPayment
        GetBucketTagging
        GetBucketVersioning
        GetBucketWebsite
        GetEncryptionConfiguration
        GetIntelligentTieringConfiguration
        GetInventoryConfiguration
        GetLifecycleConfiguration
        GetMetricsConfiguration
        GetReplicationConfiguration
        ListBucket
        ListBucketMultipartUploads
        ListBucketVersions
        ListTagsForResource
        PutAccelerateConfiguration
        PutAnalyticsConfiguration
        PutBucketAbac
        PutBucketAcl
        PutBucketCORS
        PutBucketLogging
        PutBucketNotification
        PutBucketObjectLockConfiguration
        PutBucketOwnershipControls
        PutBucketPolicy
        PutBucketPublicAccessBlock
        PutBucketRequestPayment
        PutBucketTagging
        PutBucketVersioning
        PutBucketWebsite
        PutEncryptionConfiguration
        PutIntelligentTieringConfiguration
        PutInventoryConfiguration
        PutLifecycleConfiguration
        PutMetricsConfiguration
        PutReplicationConfiguration
        TagResource
        UntagResource
        UpdateBucketMetadataInventoryTableConfiguration
        UpdateBucketMetadataJournalTableConfiguration;
    Object:
        AbortMultipartUpload
        BypassGovernanceRetention
        DeleteObject
        DeleteObjectTagging
        DeleteObjectVersion
        DeleteObjectVersionTagging
        GetObject
        GetObjectAcl
        GetObjectAttributes
        GetObjectLegalHold
        GetObjectRetention
        GetObjectTagging
        GetObjectTorrent
        GetObjectVersion
        GetObjectVersionAcl
        GetObjectVersionAttributes
        GetObjectVersionForReplication
        GetObjectVersionTagging
        GetObjectVersionTorrent
        InitiateReplication
        ListMultipartUploadParts
        ObjectOwnerOverrideToBucketOwner
        PutObject
        PutObjectAcl
        PutObjectLegalHold
        PutObjectRetention
        PutObjectTagging
        PutObjectVersionAcl
        PutObjectVersionTagging
        ReplicateDelete
        ReplicateObject
        ReplicateTags
        RestoreObject;
}

impl Action {
    /// The actions that an element of `Action` or `NotAction` names, such as `s3:Get*`. Empty if it names none. Names are compared
    /// without regard to case, as in AWS.
    pub(super) fn named_by(pattern: &str) -> BTreeSet<Action> {
        if pattern == "*" {
            return Action::ALL.iter().copied().collect();
        }
        let Some((service, name)) = pattern.split_once(':') else { return BTreeSet::new() };
        if !service.eq_ignore_ascii_case("s3") {
            return BTreeSet::new();
        }
        let name = name.to_ascii_lowercase();
        let is_named = |action: &Action| glob(&name, &action.name().to_ascii_lowercase());
        Action::ALL.iter().copied().filter(is_named).collect()
    }
}

impl Display for Action {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "s3:{}", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_name_actions_without_regard_to_case() {
        assert_eq!(Action::named_by("s3:getobject"), [Action::GetObject].into());
        assert_eq!(
            Action::named_by("S3:ListBucket*"),
            [Action::ListBucket, Action::ListBucketMultipartUploads, Action::ListBucketVersions].into()
        );
        assert_eq!(Action::named_by("s3:GetObjec?"), [Action::GetObject].into());
        for all in ["*", "s3:*"] {
            assert_eq!(Action::named_by(all).len(), Action::ALL.len());
        }
    }

    #[test]
    fn what_is_no_action_of_s3_names_nothing() {
        for wrong in
            ["", "s3:", "GetObject", "s3:GetObjects", "s3:Frob*", "ec2:*", "s?:GetObject", "s3:List Bucket"]
        {
            assert!(Action::named_by(wrong).is_empty(), "{wrong}");
        }
    }

    #[test]
    fn each_action_is_checked_against_one_kind_of_resource() {
        assert_eq!(Action::ListAllMyBuckets.resource_kind(), ResourceKind::Account);
        assert_eq!(Action::ListBucketMultipartUploads.resource_kind(), ResourceKind::Bucket);
        assert_eq!(Action::ListMultipartUploadParts.resource_kind(), ResourceKind::Object);
        assert_eq!(
            Action::PutBucketObjectLockConfiguration.to_string(),
            "s3:PutBucketObjectLockConfiguration"
        );
    }
}
