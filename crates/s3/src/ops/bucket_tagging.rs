//! GetBucketTagging, PutBucketTagging and DeleteBucketTagging.

use s3s::dto::{
    DeleteBucketTaggingInput, DeleteBucketTaggingOutput, GetBucketTaggingInput, GetBucketTaggingOutput,
    PutBucketTaggingInput, PutBucketTaggingOutput,
};
use s3s::{S3Error, S3ErrorCode, S3Request, S3Response, S3Result};

use super::setting;
use crate::facts::Tags;
use crate::shared::Shared;
use crate::store::Setting;

/// Returns the tags of a bucket.
pub async fn get_bucket_tagging(
    shared: &Shared,
    request: S3Request<GetBucketTaggingInput>,
) -> S3Result<S3Response<GetBucketTaggingOutput>> {
    let tags: Tags = setting::get(shared, &request.input.bucket, Setting::Tags, no_tags)?;
    Ok(S3Response::new(GetBucketTaggingOutput { tag_set: tags.to_set() }))
}

/// Replaces the tags of a bucket. An empty set removes them.
pub async fn put_bucket_tagging(
    shared: &Shared,
    request: S3Request<PutBucketTaggingInput>,
) -> S3Result<S3Response<PutBucketTaggingOutput>> {
    let input = request.input;
    let tags = Tags::of_bucket(&input.tagging.tag_set)?;
    if tags.is_empty() {
        setting::remove(shared, &input.bucket, Setting::Tags).await?;
    } else {
        setting::put(shared, &input.bucket, Setting::Tags, tags).await?;
    }
    Ok(S3Response::with_status(PutBucketTaggingOutput::default(), hyper::StatusCode::NO_CONTENT))
}

/// Removes the tags of a bucket.
pub async fn delete_bucket_tagging(
    shared: &Shared,
    request: S3Request<DeleteBucketTaggingInput>,
) -> S3Result<S3Response<DeleteBucketTaggingOutput>> {
    setting::remove(shared, &request.input.bucket, Setting::Tags).await?;
    Ok(S3Response::new(DeleteBucketTaggingOutput::default()))
}

fn no_tags() -> S3Error {
    S3Error::with_message(S3ErrorCode::NoSuchTagSet, "The TagSet does not exist.")
}
