//! What S3 has and this server does not, each with a reason.
//!
//! The server refuses what is in these tables, because a client must not believe that something was done that was not. The
//! reference page (`reference.rs`) is made of them.

use hyper::{HeaderMap, Uri};
use s3s::{S3Error, S3ErrorCode, S3Result};

use crate::percent::{self, Plus};

/// The name of something that is refused, and the reason in one sentence.
pub type Refused = (&'static str, &'static str);

const ACCELERATION: &str = "There are no edge locations that could accelerate transfers.";
const ANALYTICS: &str = "Analyses of access patterns are not offered.";
const ARCHIVES: &str = "There are no archives that objects would have to be restored from.";
const DIRECTORY_BUCKETS: &str = "There are no directory buckets.";
const ENCRYPTION: &str = "Encryption with keys of the client or of a key service is not offered.";
const INVENTORY: &str = "Inventories are not offered; list the bucket instead.";
const LAMBDA: &str = "There are no functions that could transform objects.";
const LOGGING: &str = "Requests are logged by the server and not into a bucket.";
const METADATA: &str = "There are no metadata tables.";
const METRICS: &str = "Metrics are offered by the server as a whole and not configured for each bucket.";
const NOTIFICATION: &str = "Events are not published.";
const PAYMENT: &str = "Nobody pays for requests.";
const POST_FORM: &str = "Uploads by HTML form are not offered; use a presigned PUT instead.";
const RENAME: &str = "Objects cannot be renamed; copy them instead.";
const REPLICATION: &str = "Buckets are not replicated by rules; the pool has a second copy instead.";
const SELECT: &str = "Queries on the content of objects are not offered.";
const TIERING: &str = "Objects do not move between storage classes.";
const TORRENT: &str = "BitTorrent is not offered.";
const WEBSITE: &str = "Buckets are not served as websites.";

/// The operations of the library that are not built, by the names that S3 gives them.
pub const OPERATIONS: &[Refused] = &[
    ("CreateBucketMetadataTableConfiguration", METADATA),
    ("CreateSession", DIRECTORY_BUCKETS),
    ("DeleteBucketAnalyticsConfiguration", ANALYTICS),
    ("DeleteBucketEncryption", ENCRYPTION),
    ("DeleteBucketIntelligentTieringConfiguration", TIERING),
    ("DeleteBucketInventoryConfiguration", INVENTORY),
    ("DeleteBucketMetadataTableConfiguration", METADATA),
    ("DeleteBucketMetricsConfiguration", METRICS),
    ("DeleteBucketReplication", REPLICATION),
    ("DeleteBucketWebsite", WEBSITE),
    ("GetBucketAnalyticsConfiguration", ANALYTICS),
    ("GetBucketIntelligentTieringConfiguration", TIERING),
    ("GetBucketInventoryConfiguration", INVENTORY),
    ("GetBucketMetadataTableConfiguration", METADATA),
    ("GetBucketMetricsConfiguration", METRICS),
    ("GetObjectTorrent", TORRENT),
    ("ListBucketAnalyticsConfigurations", ANALYTICS),
    ("ListBucketIntelligentTieringConfigurations", TIERING),
    ("ListBucketInventoryConfigurations", INVENTORY),
    ("ListBucketMetricsConfigurations", METRICS),
    ("ListDirectoryBuckets", DIRECTORY_BUCKETS),
    ("PostObject", POST_FORM),
    ("PutBucketAccelerateConfiguration", ACCELERATION),
    ("PutBucketAnalyticsConfiguration", ANALYTICS),
    ("PutBucketEncryption", ENCRYPTION),
    ("PutBucketIntelligentTieringConfiguration", TIERING),
    ("PutBucketInventoryConfiguration", INVENTORY),
    ("PutBucketLogging", LOGGING),
    ("PutBucketMetricsConfiguration", METRICS),
    ("PutBucketNotificationConfiguration", NOTIFICATION),
    ("PutBucketReplication", REPLICATION),
    ("PutBucketRequestPayment", PAYMENT),
    ("PutBucketWebsite", WEBSITE),
    ("RestoreObject", ARCHIVES),
    ("SelectObjectContent", SELECT),
    ("WriteGetObjectResponse", LAMBDA),
];

/// Subresources that the library does not know. It would take a request for one as a request for the bucket or the object itself.
pub const SUBRESOURCES: &[Refused] = &[
    ("abac", "Tags of buckets do not decide about access."),
    ("annotation", METADATA),
    ("metadataAnnotationTable", METADATA),
    ("metadataConfiguration", METADATA),
    ("metadataInventoryTable", METADATA),
    ("metadataJournalTable", METADATA),
    ("renameObject", RENAME),
];

/// Headers that ask for something that is not built.
pub const HEADERS: &[Refused] = &[
    ("x-amz-copy-source-server-side-encryption-customer-algorithm", ENCRYPTION),
    ("x-amz-copy-source-server-side-encryption-customer-key", ENCRYPTION),
    ("x-amz-server-side-encryption", ENCRYPTION),
    ("x-amz-server-side-encryption-aws-kms-key-id", ENCRYPTION),
    ("x-amz-server-side-encryption-bucket-key-enabled", ENCRYPTION),
    ("x-amz-server-side-encryption-context", ENCRYPTION),
    ("x-amz-server-side-encryption-customer-algorithm", ENCRYPTION),
    ("x-amz-server-side-encryption-customer-key", ENCRYPTION),
    ("x-amz-write-offset-bytes", "Objects cannot be appended to."),
];

/// Operations on a bucket or an object itself that change it. The library falls back to them if it knows no operation for a
/// method and a subresource, so `DELETE /bucket/key?retention` would delete the object.
const ITSELF: [&str; 5] = ["copy_object", "create_bucket", "delete_bucket", "delete_object", "put_object"];

/// Subresources that the library knows.
const KNOWN_SUBRESOURCES: [&str; 32] = [
    "accelerate",
    "acl",
    "analytics",
    "attributes",
    "cors",
    "delete",
    "encryption",
    "intelligent-tiering",
    "inventory",
    "legal-hold",
    "lifecycle",
    "location",
    "logging",
    "metadataTable",
    "metrics",
    "notification",
    "object-lock",
    "ownershipControls",
    "partNumber",
    "policy",
    "policyStatus",
    "publicAccessBlock",
    "replication",
    "requestPayment",
    "restore",
    "retention",
    "select",
    "session",
    "tagging",
    "torrent",
    "uploadId",
    "uploads",
];

/// Refuses a request whose query or headers ask for something that is not built, and that `operation` would ignore.
pub fn check(operation: &str, uri: &Uri, headers: &HeaderMap) -> S3Result {
    if let Some((_, reason)) = HEADERS.iter().find(|(name, _)| headers.contains_key(*name)) {
        let message =
            format!("A header you provided implies functionality that is not implemented. {reason}");
        return Err(S3Error::with_message(S3ErrorCode::NotImplemented, message));
    }
    let names = uri.query().unwrap_or_default().split('&').filter_map(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        percent::decode(name, Plus::Space)
    });
    for name in names {
        if let Some((_, reason)) = SUBRESOURCES.iter().find(|(refused, _)| *refused == name) {
            return Err(S3Error::with_message(S3ErrorCode::NotImplemented, *reason));
        }
        if ITSELF.contains(&operation) && KNOWN_SUBRESOURCES.contains(&name.as_str()) {
            let message = "The specified method is not allowed against this resource.";
            return Err(S3Error::with_message(S3ErrorCode::MethodNotAllowed, message));
        }
    }
    Ok(())
}

/// The answer to an operation that is not built.
pub fn refusal(operation: &str) -> S3Error {
    let reason = OPERATIONS.iter().find(|(name, _)| *name == operation).map(|(_, reason)| *reason);
    let reason = reason.unwrap_or("A header you provided implies functionality that is not implemented.");
    S3Error::with_message(S3ErrorCode::NotImplemented, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_for_a_subresource_never_changes_the_object_itself() {
        let code = |operation: &str, uri: &'static str| {
            let refused = check(operation, &Uri::from_static(uri), &HeaderMap::new()).err();
            refused.map(|error| error.code().as_str().to_owned())
        };
        assert_eq!(code("delete_object", "/b/k?retention").as_deref(), Some("MethodNotAllowed"));
        assert_eq!(code("put_object", "/b/k?rename%4fbject").as_deref(), Some("NotImplemented"));
        assert_eq!(code("put_object", "/b/k?x-id=PutObject"), None);
        assert_eq!(code("delete_object", "/b/k?versionId=null&x-id=DeleteObject"), None);
        assert_eq!(code("put_object_tagging", "/b/k?tagging"), None);
    }

    #[test]
    fn headers_without_effect_are_refused() {
        let name = hyper::header::HeaderName::from_static("x-amz-server-side-encryption");
        let headers = HeaderMap::from_iter([(name, "AES256".parse().unwrap())]);
        let refused = check("put_object", &Uri::from_static("/b/k"), &headers).unwrap_err();
        assert_eq!(refused.code().as_str(), "NotImplemented");
        assert!(refused.message().unwrap().ends_with(ENCRYPTION));
    }
}
