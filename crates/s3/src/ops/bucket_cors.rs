//! GetBucketCors, PutBucketCors and DeleteBucketCors.

use s3s::dto::{
    DeleteBucketCorsInput, DeleteBucketCorsOutput, GetBucketCorsInput, GetBucketCorsOutput,
    PutBucketCorsInput, PutBucketCorsOutput,
};
use s3s::{S3Error, S3ErrorCode, S3Request, S3Response, S3Result};

use super::setting;
use crate::configuration::cors::Cors;
use crate::shared::Shared;
use crate::store::Setting;

/// Returns the rules for cross-origin requests.
pub async fn get_bucket_cors(
    shared: &Shared,
    request: S3Request<GetBucketCorsInput>,
) -> S3Result<S3Response<GetBucketCorsOutput>> {
    let cors: Cors = setting::get(shared, &request.input.bucket, Setting::Cors, no_rules)?;
    Ok(S3Response::new(GetBucketCorsOutput { cors_rules: Some(cors.to_dto()) }))
}

/// Replaces the rules for cross-origin requests.
pub async fn put_bucket_cors(
    shared: &Shared,
    request: S3Request<PutBucketCorsInput>,
) -> S3Result<S3Response<PutBucketCorsOutput>> {
    let input = request.input;
    let cors = Cors::from_dto(&input.cors_configuration)?;
    setting::put(shared, &input.bucket, Setting::Cors, cors).await?;
    Ok(S3Response::new(PutBucketCorsOutput::default()))
}

/// Removes the rules for cross-origin requests.
pub async fn delete_bucket_cors(
    shared: &Shared,
    request: S3Request<DeleteBucketCorsInput>,
) -> S3Result<S3Response<DeleteBucketCorsOutput>> {
    setting::remove(shared, &request.input.bucket, Setting::Cors).await?;
    Ok(S3Response::new(DeleteBucketCorsOutput::default()))
}

fn no_rules() -> S3Error {
    S3Error::with_message(S3ErrorCode::NoSuchCORSConfiguration, "The CORS configuration does not exist")
}
