//! `x-amz-expected-bucket-owner`: a client that has the wrong bucket wants to be refused.

use hyper::HeaderMap;
use s3s::{S3Error, S3ErrorCode, S3Result};

use crate::auth::policy::ACCOUNT_ID;
use crate::pool_error::OrS3;
use crate::shared::Shared;
use crate::store::{BucketFacts, Setting};

/// Refuses a request that expects another owner of a bucket. One account owns all buckets; the name of the user who has created the
/// bucket is accepted too, because answers name that user as the owner.
pub fn check(shared: &Shared, headers: &HeaderMap, header: &str, bucket: &str) -> S3Result {
    let Some(expected) = headers.get(header).map(|value| value.as_bytes()) else { return Ok(()) };
    if expected == ACCOUNT_ID.as_bytes() {
        return Ok(());
    }
    // The operation answers for a bucket that does not exist.
    let Ok(found) = shared.bucket(bucket) else { return Ok(()) };
    let facts: Option<BucketFacts> = Setting::Facts.get(&shared.stored(&found)).or_s3()?;
    match facts {
        Some(facts) if facts.owner.as_bytes() == expected => Ok(()),
        _ => Err(S3Error::with_message(S3ErrorCode::AccessDenied, "Access Denied.")),
    }
}
