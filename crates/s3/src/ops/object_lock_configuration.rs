//! GetObjectLockConfiguration and PutObjectLockConfiguration.

use forebay_pool::BucketChange;
use s3s::dto::{
    GetObjectLockConfigurationInput, GetObjectLockConfigurationOutput, PutObjectLockConfigurationInput,
    PutObjectLockConfigurationOutput,
};
use s3s::{S3Error, S3ErrorCode, S3Request, S3Response, S3Result};

use super::setting;
use crate::configuration::{ObjectLock, Versioning};
use crate::errors::bad_request;
use crate::pool_error::OrS3;
use crate::shared::Shared;
use crate::store::{Setting, versioning};

/// Returns whether a bucket has object lock, and its default retention.
pub async fn get_object_lock_configuration(
    shared: &Shared,
    request: S3Request<GetObjectLockConfigurationInput>,
) -> S3Result<S3Response<GetObjectLockConfigurationOutput>> {
    let lock: ObjectLock = setting::get(shared, &request.input.bucket, Setting::ObjectLock, not_found)?;
    let output = GetObjectLockConfigurationOutput { object_lock_configuration: Some(lock.to_dto()) };
    Ok(S3Response::new(output))
}

/// Turns object lock on, or changes the default retention. Object lock cannot be turned off.
pub async fn put_object_lock_configuration(
    shared: &Shared,
    request: S3Request<PutObjectLockConfigurationInput>,
) -> S3Result<S3Response<PutObjectLockConfigurationOutput>> {
    let input = request.input;
    let bucket = shared.bucket(&input.bucket)?;
    let lock = ObjectLock::from_dto(&input.object_lock_configuration.ok_or_else(empty_body)?)?;
    let change = move |change: &mut BucketChange<'_, '_>| {
        if versioning(change)? != Versioning::Enabled {
            return Ok(Err(not_versioned()));
        }
        Setting::ObjectLock.put(change, &lock)?;
        Ok(Ok(()))
    };
    shared.pool().bucket_change(bucket.id, change).await.or_s3()??;
    Ok(S3Response::new(PutObjectLockConfigurationOutput::default()))
}

fn not_found() -> S3Error {
    let message = "Object Lock configuration does not exist for this bucket.";
    S3Error::with_message(S3ErrorCode::ObjectLockConfigurationNotFoundError, message)
}

fn empty_body() -> S3Error {
    bad_request("MissingRequestBodyError", "Request Body is empty")
}

fn not_versioned() -> S3Error {
    let message = "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration";
    S3Error::with_message(S3ErrorCode::InvalidBucketState, message)
}
