//! Which actions an operation needs. An operation that is not in the table is refused, so that a new one cannot be reached without
//! anybody having decided what it needs.

use hyper::HeaderMap;

use crate::auth::policy::Action;

/// The headers that give an ACL to a new object.
const NAMES_ACL: [&str; 6] = [
    "x-amz-acl",
    "x-amz-grant-full-control",
    "x-amz-grant-read",
    "x-amz-grant-read-acp",
    "x-amz-grant-write",
    "x-amz-grant-write-acp",
];

/// What an operation needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    /// This action.
    One(Action),
    /// The first action, or the second if the request names a version.
    Versioned(Action, Action),
    /// Each key is decided on its own, by the operation.
    EachKey,
}

/// What the operation with this name needs.
pub fn needed(operation: &str) -> Option<Needed> {
    use Action::*;
    use Needed::{EachKey, One, Versioned};
    Some(match operation {
        "AbortMultipartUpload" => One(AbortMultipartUpload),
        "CompleteMultipartUpload"
        | "CreateMultipartUpload"
        | "UploadPart"
        | "UploadPartCopy"
        | "PutObject"
        | "CopyObject" => One(PutObject),
        "CreateBucket" => One(CreateBucket),
        "DeleteBucket" => One(DeleteBucket),
        "DeleteBucketCors" | "PutBucketCors" => One(PutBucketCORS),
        "GetBucketCors" => One(GetBucketCORS),
        "DeleteBucketLifecycle" | "PutBucketLifecycleConfiguration" => One(PutLifecycleConfiguration),
        "GetBucketLifecycleConfiguration" => One(GetLifecycleConfiguration),
        "DeleteBucketOwnershipControls" | "PutBucketOwnershipControls" => One(PutBucketOwnershipControls),
        "GetBucketOwnershipControls" => One(GetBucketOwnershipControls),
        "DeleteBucketPolicy" => One(DeleteBucketPolicy),
        "PutBucketPolicy" => One(PutBucketPolicy),
        "GetBucketPolicy" => One(GetBucketPolicy),
        "GetBucketPolicyStatus" => One(GetBucketPolicyStatus),
        "DeleteBucketTagging" | "PutBucketTagging" => One(PutBucketTagging),
        "GetBucketTagging" => One(GetBucketTagging),
        "DeletePublicAccessBlock" | "PutPublicAccessBlock" => One(PutBucketPublicAccessBlock),
        "GetPublicAccessBlock" => One(GetBucketPublicAccessBlock),
        "DeleteObject" => Versioned(DeleteObject, DeleteObjectVersion),
        "DeleteObjects" => EachKey,
        "DeleteObjectTagging" => Versioned(DeleteObjectTagging, DeleteObjectVersionTagging),
        "GetObjectTagging" => Versioned(GetObjectTagging, GetObjectVersionTagging),
        "PutObjectTagging" => Versioned(PutObjectTagging, PutObjectVersionTagging),
        "GetBucketAccelerateConfiguration" => One(GetAccelerateConfiguration),
        "GetBucketAcl" => One(GetBucketAcl),
        "PutBucketAcl" => One(PutBucketAcl),
        "GetBucketEncryption" => One(GetEncryptionConfiguration),
        "GetBucketLocation" => One(GetBucketLocation),
        "GetBucketLogging" => One(GetBucketLogging),
        "GetBucketNotificationConfiguration" => One(GetBucketNotification),
        "GetBucketReplication" => One(GetReplicationConfiguration),
        "GetBucketRequestPayment" => One(GetBucketRequestPayment),
        "GetBucketVersioning" => One(GetBucketVersioning),
        "PutBucketVersioning" => One(PutBucketVersioning),
        "GetBucketWebsite" => One(GetBucketWebsite),
        "GetObject" | "HeadObject" => Versioned(GetObject, GetObjectVersion),
        "GetObjectAcl" => Versioned(GetObjectAcl, GetObjectVersionAcl),
        "PutObjectAcl" => Versioned(PutObjectAcl, PutObjectVersionAcl),
        "GetObjectAttributes" => Versioned(GetObjectAttributes, GetObjectVersionAttributes),
        "GetObjectLegalHold" => One(GetObjectLegalHold),
        "PutObjectLegalHold" => One(PutObjectLegalHold),
        "GetObjectRetention" => One(GetObjectRetention),
        "PutObjectRetention" => One(PutObjectRetention),
        "GetObjectLockConfiguration" => One(GetBucketObjectLockConfiguration),
        "PutObjectLockConfiguration" => One(PutBucketObjectLockConfiguration),
        "HeadBucket" | "ListObjects" | "ListObjectsV2" => One(ListBucket),
        "ListBuckets" => One(ListAllMyBuckets),
        "ListMultipartUploads" => One(ListBucketMultipartUploads),
        "ListObjectVersions" => One(ListBucketVersions),
        "ListParts" => One(ListMultipartUploadParts),
        _ => return None,
    })
}

/// The actions that a request needs beside that of its operation, because of its headers.
pub fn further(operation: &str, headers: &HeaderMap) -> Vec<Action> {
    let writes = matches!(operation, "PutObject" | "CopyObject" | "CreateMultipartUpload");
    let has = |name: &str| headers.contains_key(name);
    let mut actions = Vec::new();
    if writes && has("x-amz-tagging") {
        actions.push(Action::PutObjectTagging);
    }
    if writes && (has("x-amz-object-lock-mode") || has("x-amz-object-lock-retain-until-date")) {
        actions.push(Action::PutObjectRetention);
    }
    if writes && has("x-amz-object-lock-legal-hold") {
        actions.push(Action::PutObjectLegalHold);
    }
    if writes && NAMES_ACL.iter().any(|name| has(name)) {
        actions.push(Action::PutObjectAcl);
    }
    if operation == "CreateBucket"
        && headers.get("x-amz-bucket-object-lock-enabled").is_some_and(|it| it == "true")
    {
        actions.push(Action::PutBucketObjectLockConfiguration);
        actions.push(Action::PutBucketVersioning);
    }
    actions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_that_nobody_has_decided_on_needs_more_than_anybody_has() {
        assert_eq!(needed("RestoreObject"), None);
        assert_eq!(needed("GetObject"), Some(Needed::Versioned(Action::GetObject, Action::GetObjectVersion)));
    }

    #[test]
    fn each_operation_that_is_built_can_be_reached() {
        for operation in crate::ops::BUILT.iter().map(|name| crate::reference::camel(name)) {
            assert!(needed(&operation).is_some(), "{operation}");
        }
    }

    #[test]
    fn headers_that_do_more_need_more() {
        let mut headers = HeaderMap::new();
        headers.insert("x-amz-tagging", "a=b".parse().unwrap());
        headers.insert("x-amz-object-lock-mode", "GOVERNANCE".parse().unwrap());
        assert_eq!(further("PutObject", &headers), [Action::PutObjectTagging, Action::PutObjectRetention]);
        assert_eq!(further("GetObject", &headers), []);
    }
}
