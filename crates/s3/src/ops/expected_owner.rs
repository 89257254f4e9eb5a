//! The headers `x-amz-expected-bucket-owner` and `x-amz-source-expected-bucket-owner`.

use hyper::HeaderMap;
use hyper::http::Extensions;
use s3s::{S3Error, S3ErrorCode, S3Result};

use super::request::header;
use crate::copy_source::CopySource;
use crate::guard::NamedBucket;
use crate::pool_error::OrS3;
use crate::shared::Shared;
use crate::store::{BucketFacts, Setting};

const OWNER: &str = "x-amz-expected-bucket-owner";
const SOURCE_OWNER: &str = "x-amz-source-expected-bucket-owner";

/// Returns AccessDenied if the bucket of the request, or that of the source of a copy, has another owner than the client expects.
pub fn check(shared: &Shared, headers: &HeaderMap, extensions: &Extensions) -> S3Result {
    if let Some(NamedBucket(bucket)) = extensions.get::<NamedBucket>() {
        compare(shared, bucket, header(headers, OWNER))?;
    }
    if let Some(expected) = header(headers, SOURCE_OWNER)
        && let Some(source) = header(headers, "x-amz-copy-source")
    {
        compare(shared, &CopySource::parse(source)?.bucket, Some(expected))?;
    }
    Ok(())
}

fn compare(shared: &Shared, bucket: &str, expected: Option<&str>) -> S3Result {
    let Some(expected) = expected else { return Ok(()) };
    // The operation says that a bucket does not exist.
    let Ok(bucket) = shared.bucket(bucket) else { return Ok(()) };
    let facts = Setting::Facts.get::<BucketFacts>(&shared.stored(&bucket)).or_s3()?;
    if facts.is_some_and(|facts| facts.owner == expected) {
        return Ok(());
    }
    Err(S3Error::with_message(S3ErrorCode::AccessDenied, "Access Denied"))
}
