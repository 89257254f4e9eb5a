//! GetBucketOwnershipControls, PutBucketOwnershipControls and DeleteBucketOwnershipControls.

use s3s::dto::{
    DeleteBucketOwnershipControlsInput, DeleteBucketOwnershipControlsOutput, GetBucketOwnershipControlsInput,
    GetBucketOwnershipControlsOutput, PutBucketOwnershipControlsInput, PutBucketOwnershipControlsOutput,
};
use s3s::{S3Error, S3ErrorCode, S3Request, S3Response, S3Result};

use super::setting;
use crate::configuration::ObjectOwnership;
use crate::shared::Shared;
use crate::store::Setting;

/// Returns the ownership controls of a bucket.
pub async fn get_bucket_ownership_controls(
    shared: &Shared,
    request: S3Request<GetBucketOwnershipControlsInput>,
) -> S3Result<S3Response<GetBucketOwnershipControlsOutput>> {
    let ownership: ObjectOwnership =
        setting::get(shared, &request.input.bucket, Setting::Ownership, not_found)?;
    let output = GetBucketOwnershipControlsOutput { ownership_controls: Some(ownership.to_dto()) };
    Ok(S3Response::new(output))
}

/// Replaces the ownership controls of a bucket. With or without them, the bucket's owner owns all objects.
pub async fn put_bucket_ownership_controls(
    shared: &Shared,
    request: S3Request<PutBucketOwnershipControlsInput>,
) -> S3Result<S3Response<PutBucketOwnershipControlsOutput>> {
    let input = request.input;
    shared.bucket(&input.bucket)?;
    let ownership = ObjectOwnership::from_dto(&input.ownership_controls)?;
    setting::put(shared, &input.bucket, Setting::Ownership, ownership).await?;
    Ok(S3Response::new(PutBucketOwnershipControlsOutput::default()))
}

/// Removes the ownership controls of a bucket.
pub async fn delete_bucket_ownership_controls(
    shared: &Shared,
    request: S3Request<DeleteBucketOwnershipControlsInput>,
) -> S3Result<S3Response<DeleteBucketOwnershipControlsOutput>> {
    setting::remove(shared, &request.input.bucket, Setting::Ownership).await?;
    Ok(S3Response::new(DeleteBucketOwnershipControlsOutput::default()))
}

fn not_found() -> S3Error {
    let message = "The bucket ownership controls were not found.";
    S3Error::with_message(S3ErrorCode::OwnershipControlsNotFoundError, message)
}
