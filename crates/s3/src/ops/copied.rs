//! The end of a CopyObject, whatever its source is: the copy is published, and answered.

use forebay_pool::{Bucket, Draft};
use s3s::S3Result;
use s3s::dto::{CopyObjectOutput, CopyObjectResult, ETag};

use super::announced;
use super::answer::fill_checksum;
use crate::clock;
use crate::conditions::WriteConditions;
use crate::facts::ObjectFacts;
use crate::pool_error::OrS3;
use crate::shared::Shared;
use crate::store::{NewVersion, publish};

/// Publishes a copy under its key.
pub async fn publish_copy(
    shared: &Shared,
    bucket: &Bucket,
    key: String,
    facts: ObjectFacts,
    draft: Draft,
    conditions: WriteConditions,
) -> S3Result<CopyObjectOutput> {
    let expiration = announced::expiration(&shared.stored(bucket), &key, &facts)?;
    let checksum = facts.checksum.clone();
    let mut result = CopyObjectResult {
        e_tag: Some(ETag::Strong(facts.etag.clone())),
        last_modified: Some(clock::timestamp(facts.modified_ms)),
        ..CopyObjectResult::default()
    };
    fill_checksum!(result, checksum);
    let new = NewVersion { key, facts, draft: Some(draft), part_list: Vec::new() };
    let published = shared
        .pool()
        .bucket_change(bucket.id, move |change| publish(change, new, &conditions))
        .await
        .or_s3()??;
    Ok(CopyObjectOutput {
        copy_object_result: Some(result),
        expiration,
        version_id: published.answer(),
        ..CopyObjectOutput::default()
    })
}
