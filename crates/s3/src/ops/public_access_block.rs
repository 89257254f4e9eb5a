//! GetPublicAccessBlock, PutPublicAccessBlock and DeletePublicAccessBlock.

use hyper::StatusCode;
use s3s::dto::{
    DeletePublicAccessBlockInput, DeletePublicAccessBlockOutput, GetPublicAccessBlockInput,
    GetPublicAccessBlockOutput, PutPublicAccessBlockInput, PutPublicAccessBlockOutput,
};
use s3s::{S3Error, S3Request, S3Response, S3Result};

use super::setting;
use crate::configuration::PublicAccessBlock;
use crate::errors::with_code;
use crate::shared::Shared;
use crate::store::Setting;

/// Returns the public access block of a bucket.
pub async fn get_public_access_block(
    shared: &Shared,
    request: S3Request<GetPublicAccessBlockInput>,
) -> S3Result<S3Response<GetPublicAccessBlockOutput>> {
    let block: PublicAccessBlock =
        setting::get(shared, &request.input.bucket, Setting::PublicAccess, not_found)?;
    let output = GetPublicAccessBlockOutput { public_access_block_configuration: Some(block.to_dto()) };
    Ok(S3Response::new(output))
}

/// Replaces the public access block of a bucket.
pub async fn put_public_access_block(
    shared: &Shared,
    request: S3Request<PutPublicAccessBlockInput>,
) -> S3Result<S3Response<PutPublicAccessBlockOutput>> {
    let input = request.input;
    let block = PublicAccessBlock::from_dto(&input.public_access_block_configuration);
    setting::put(shared, &input.bucket, Setting::PublicAccess, block).await?;
    Ok(S3Response::new(PutPublicAccessBlockOutput::default()))
}

/// Removes the public access block of a bucket.
pub async fn delete_public_access_block(
    shared: &Shared,
    request: S3Request<DeletePublicAccessBlockInput>,
) -> S3Result<S3Response<DeletePublicAccessBlockOutput>> {
    setting::remove(shared, &request.input.bucket, Setting::PublicAccess).await?;
    Ok(S3Response::new(DeletePublicAccessBlockOutput::default()))
}

fn not_found() -> S3Error {
    with_code(
        "NoSuchPublicAccessBlockConfiguration",
        StatusCode::NOT_FOUND,
        "The public access block configuration was not found",
    )
}
