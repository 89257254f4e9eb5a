//! GetObjectTagging, PutObjectTagging and DeleteObjectTagging.

use s3s::dto::{
    DeleteObjectTaggingInput, DeleteObjectTaggingOutput, GetObjectTaggingInput, GetObjectTaggingOutput,
    PutObjectTaggingInput, PutObjectTaggingOutput,
};
use s3s::{S3Request, S3Response, S3Result};

use super::named::{Named, WhenHidden};
use crate::facts::Tags;
use crate::pool_error::OrS3;
use crate::shared::Shared;

/// Returns the tags of an object.
pub async fn get_object_tagging(
    shared: &Shared,
    request: S3Request<GetObjectTaggingInput>,
) -> S3Result<S3Response<GetObjectTaggingOutput>> {
    let input = request.input;
    let named = Named::new(input.key, input.version_id.as_deref())?;
    let bucket = shared.bucket(&input.bucket)?;
    let found = named.find(&shared.stored(&bucket), WhenHidden::MethodNotAllowed).or_s3()??;
    let output = GetObjectTaggingOutput { tag_set: found.version.facts.tags.to_set(), version_id: found.id };
    Ok(S3Response::new(output))
}

/// Replaces the tags of an object.
pub async fn put_object_tagging(
    shared: &Shared,
    request: S3Request<PutObjectTaggingInput>,
) -> S3Result<S3Response<PutObjectTaggingOutput>> {
    let input = request.input;
    let named = Named::new(input.key, input.version_id.as_deref())?;
    let tags = Tags::of_object(&input.tagging.tag_set)?;
    let version_id = replace(shared, &input.bucket, named, tags).await?;
    Ok(S3Response::new(PutObjectTaggingOutput { version_id }))
}

/// Removes the tags of an object.
pub async fn delete_object_tagging(
    shared: &Shared,
    request: S3Request<DeleteObjectTaggingInput>,
) -> S3Result<S3Response<DeleteObjectTaggingOutput>> {
    let input = request.input;
    let named = Named::new(input.key, input.version_id.as_deref())?;
    let version_id = replace(shared, &input.bucket, named, Tags::default()).await?;
    Ok(S3Response::new(DeleteObjectTaggingOutput { version_id }))
}

async fn replace(shared: &Shared, bucket: &str, named: Named, tags: Tags) -> S3Result<Option<String>> {
    let bucket = shared.bucket(bucket)?;
    let edit = move |_: &mut forebay_pool::BucketChange<'_, '_>, facts: &mut crate::facts::ObjectFacts| {
        facts.tags = tags;
        Ok(Ok(()))
    };
    named.edit(shared, bucket.id, edit).await
}
