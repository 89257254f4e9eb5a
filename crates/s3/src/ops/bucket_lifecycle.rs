//! GetBucketLifecycleConfiguration, PutBucketLifecycleConfiguration and DeleteBucketLifecycle.

use s3s::dto::{
    DeleteBucketLifecycleInput, DeleteBucketLifecycleOutput, GetBucketLifecycleConfigurationInput,
    GetBucketLifecycleConfigurationOutput, PutBucketLifecycleConfigurationInput,
    PutBucketLifecycleConfigurationOutput, TransitionDefaultMinimumObjectSize as MinimumSize,
};
use s3s::{S3Error, S3ErrorCode, S3Request, S3Response, S3Result};

use super::setting;
use crate::configuration::lifecycle::Lifecycle;
use crate::errors::{malformed_xml, not_implemented};
use crate::shared::Shared;
use crate::store::Setting;

/// Returns the lifecycle rules of a bucket.
pub async fn get_bucket_lifecycle_configuration(
    shared: &Shared,
    request: S3Request<GetBucketLifecycleConfigurationInput>,
) -> S3Result<S3Response<GetBucketLifecycleConfigurationOutput>> {
    let lifecycle: Lifecycle =
        setting::get(shared, &request.input.bucket, Setting::Lifecycle, no_configuration)?;
    let output = GetBucketLifecycleConfigurationOutput {
        rules: Some(lifecycle.to_dto()),
        transition_default_minimum_object_size: Some(minimum_size()),
    };
    Ok(S3Response::new(output))
}

/// Replaces the lifecycle rules of a bucket.
pub async fn put_bucket_lifecycle_configuration(
    shared: &Shared,
    request: S3Request<PutBucketLifecycleConfigurationInput>,
) -> S3Result<S3Response<PutBucketLifecycleConfigurationOutput>> {
    let input = request.input;
    if input.transition_default_minimum_object_size.is_some_and(|size| size != minimum_size()) {
        return Err(not_implemented("Transitions between storage classes are not supported."));
    }
    let lifecycle = Lifecycle::from_dto(&input.lifecycle_configuration.ok_or_else(malformed_xml)?)?;
    setting::put(shared, &input.bucket, Setting::Lifecycle, lifecycle).await?;
    let output = PutBucketLifecycleConfigurationOutput {
        transition_default_minimum_object_size: Some(minimum_size()),
    };
    Ok(S3Response::new(output))
}

/// Removes the lifecycle rules of a bucket.
pub async fn delete_bucket_lifecycle(
    shared: &Shared,
    request: S3Request<DeleteBucketLifecycleInput>,
) -> S3Result<S3Response<DeleteBucketLifecycleOutput>> {
    setting::remove(shared, &request.input.bucket, Setting::Lifecycle).await?;
    Ok(S3Response::new(DeleteBucketLifecycleOutput::default()))
}

/// S3's default. There are no transitions, but some clients wait until they read what they have set.
fn minimum_size() -> MinimumSize {
    MinimumSize::from_static(MinimumSize::ALL_STORAGE_CLASSES_128K)
}

fn no_configuration() -> S3Error {
    let message = "The lifecycle configuration does not exist";
    S3Error::with_message(S3ErrorCode::NoSuchLifecycleConfiguration, message)
}
