//! Reading settings that no bucket can have here: what S3 answers for a bucket that does not have them.

use hyper::StatusCode;
use s3s::dto::{
    GetBucketAccelerateConfigurationInput, GetBucketAccelerateConfigurationOutput, GetBucketEncryptionInput,
    GetBucketEncryptionOutput, GetBucketLoggingInput, GetBucketLoggingOutput,
    GetBucketNotificationConfigurationInput, GetBucketNotificationConfigurationOutput,
    GetBucketReplicationInput, GetBucketReplicationOutput, GetBucketRequestPaymentInput,
    GetBucketRequestPaymentOutput, GetBucketWebsiteInput, GetBucketWebsiteOutput, Payer,
};
use s3s::{S3Error, S3ErrorCode, S3Request, S3Response, S3Result};

use crate::errors::with_code;
use crate::shared::Shared;

/// Says that transfer acceleration was never turned on.
pub async fn get_bucket_accelerate_configuration(
    shared: &Shared,
    request: S3Request<GetBucketAccelerateConfigurationInput>,
) -> S3Result<S3Response<GetBucketAccelerateConfigurationOutput>> {
    shared.bucket(&request.input.bucket)?;
    Ok(S3Response::new(GetBucketAccelerateConfigurationOutput::default()))
}

/// Says that objects are not encrypted by S3. The pool may encrypt its disks all the same.
pub async fn get_bucket_encryption(
    shared: &Shared,
    request: S3Request<GetBucketEncryptionInput>,
) -> S3Result<S3Response<GetBucketEncryptionOutput>> {
    shared.bucket(&request.input.bucket)?;
    Err(with_code(
        "ServerSideEncryptionConfigurationNotFoundError",
        StatusCode::NOT_FOUND,
        "The server side encryption configuration was not found",
    ))
}

/// Says that requests are not logged into a bucket.
pub async fn get_bucket_logging(
    shared: &Shared,
    request: S3Request<GetBucketLoggingInput>,
) -> S3Result<S3Response<GetBucketLoggingOutput>> {
    shared.bucket(&request.input.bucket)?;
    Ok(S3Response::new(GetBucketLoggingOutput::default()))
}

/// Says that nobody is notified of events.
pub async fn get_bucket_notification_configuration(
    shared: &Shared,
    request: S3Request<GetBucketNotificationConfigurationInput>,
) -> S3Result<S3Response<GetBucketNotificationConfigurationOutput>> {
    shared.bucket(&request.input.bucket)?;
    Ok(S3Response::new(GetBucketNotificationConfigurationOutput::default()))
}

/// Says that a bucket is not replicated.
pub async fn get_bucket_replication(
    shared: &Shared,
    request: S3Request<GetBucketReplicationInput>,
) -> S3Result<S3Response<GetBucketReplicationOutput>> {
    shared.bucket(&request.input.bucket)?;
    let message = "The replication configuration was not found";
    Err(S3Error::with_message(S3ErrorCode::ReplicationConfigurationNotFoundError, message))
}

/// Says that the bucket's owner pays.
pub async fn get_bucket_request_payment(
    shared: &Shared,
    request: S3Request<GetBucketRequestPaymentInput>,
) -> S3Result<S3Response<GetBucketRequestPaymentOutput>> {
    shared.bucket(&request.input.bucket)?;
    let payer = Some(Payer::from_static(Payer::BUCKET_OWNER));
    Ok(S3Response::new(GetBucketRequestPaymentOutput { payer }))
}

/// Says that a bucket is not a website.
pub async fn get_bucket_website(
    shared: &Shared,
    request: S3Request<GetBucketWebsiteInput>,
) -> S3Result<S3Response<GetBucketWebsiteOutput>> {
    shared.bucket(&request.input.bucket)?;
    let message = "The specified bucket does not have a website configuration";
    Err(S3Error::with_message(S3ErrorCode::NoSuchWebsiteConfiguration, message))
}
