//! The names of the operations that are counted.

/// The name under which a request counts whose operation is not known: it was refused before.
pub const NONE: &str = "none";

/// [`NONE`], and the operations that are built, in the order of their names.
pub const OPERATIONS: &[&str] = &[
    NONE,
    "AbortMultipartUpload",
    "CompleteMultipartUpload",
    "CopyObject",
    "CreateBucket",
    "CreateMultipartUpload",
    "DeleteBucket",
    "DeleteBucketCors",
    "DeleteBucketLifecycle",
    "DeleteBucketOwnershipControls",
    "DeleteBucketPolicy",
    "DeleteBucketTagging",
    "DeleteObject",
    "DeleteObjectTagging",
    "DeleteObjects",
    "DeletePublicAccessBlock",
    "GetBucketAccelerateConfiguration",
    "GetBucketAcl",
    "GetBucketCors",
    "GetBucketEncryption",
    "GetBucketLifecycleConfiguration",
    "GetBucketLocation",
    "GetBucketLogging",
    "GetBucketNotificationConfiguration",
    "GetBucketOwnershipControls",
    "GetBucketPolicy",
    "GetBucketPolicyStatus",
    "GetBucketReplication",
    "GetBucketRequestPayment",
    "GetBucketTagging",
    "GetBucketVersioning",
    "GetBucketWebsite",
    "GetObject",
    "GetObjectAcl",
    "GetObjectAttributes",
    "GetObjectLegalHold",
    "GetObjectLockConfiguration",
    "GetObjectRetention",
    "GetObjectTagging",
    "GetPublicAccessBlock",
    "HeadBucket",
    "HeadObject",
    "ListBuckets",
    "ListMultipartUploads",
    "ListObjectVersions",
    "ListObjects",
    "ListObjectsV2",
    "ListParts",
    "PutBucketAcl",
    "PutBucketCors",
    "PutBucketLifecycleConfiguration",
    "PutBucketOwnershipControls",
    "PutBucketPolicy",
    "PutBucketTagging",
    "PutBucketVersioning",
    "PutObject",
    "PutObjectAcl",
    "PutObjectLegalHold",
    "PutObjectLockConfiguration",
    "PutObjectRetention",
    "PutObjectTagging",
    "PutPublicAccessBlock",
    "UploadPart",
    "UploadPartCopy",
];

/// An operation, for counting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operation(u8);

impl Operation {
    /// The operation with this name, as S3 has it; the one that is named [`NONE`] if it is not built.
    pub fn named(name: &str) -> Operation {
        let built = OPERATIONS.get(1..).unwrap_or_default();
        let found = built.binary_search(&name).ok().and_then(|index| u8::try_from(index + 1).ok());
        Operation(found.unwrap_or(0))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        OPERATIONS.get(self.index()).copied().unwrap_or(NONE)
    }

    pub(super) fn index(self) -> usize {
        self.0.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_found_by_its_name() {
        assert!(OPERATIONS[1..].is_sorted() && OPERATIONS.len() <= 256);
        for name in OPERATIONS {
            assert_eq!(Operation::named(name).name(), *name);
        }
        assert_eq!(Operation::named("").name(), NONE);
    }
}
