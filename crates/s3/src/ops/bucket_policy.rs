//! GetBucketPolicy, PutBucketPolicy, DeleteBucketPolicy and GetBucketPolicyStatus.

use bytes::Bytes;
use s3s::dto::{
    DeleteBucketPolicyInput, DeleteBucketPolicyOutput, GetBucketPolicyInput, GetBucketPolicyOutput,
    GetBucketPolicyStatusInput, GetBucketPolicyStatusOutput, PolicyStatus, PutBucketPolicyInput,
    PutBucketPolicyOutput,
};
use s3s::{S3Error, S3ErrorCode, S3Request, S3Response, S3Result};

use super::setting;
use crate::auth::policy::Policy;
use crate::error_document::Detailed;
use crate::manage;
use crate::pool_error::{OrS3, of_pool};
use crate::shared::Shared;
use crate::store::Setting;

/// Returns the policy of a bucket, as it was put.
pub async fn get_bucket_policy(
    shared: &Shared,
    request: S3Request<GetBucketPolicyInput>,
) -> S3Result<S3Response<GetBucketPolicyOutput>> {
    let text = stored_text(shared, &request.input.bucket)?;
    let policy = String::from_utf8(text.into()).map_err(|_| damaged("is not UTF-8"))?;
    let mut response = S3Response::new(GetBucketPolicyOutput { policy: Some(policy) });
    let json = hyper::header::HeaderValue::from_static("application/json");
    response.headers.insert(hyper::header::CONTENT_TYPE, json);
    Ok(response)
}

/// Replaces the policy of a bucket, unless it is public and the bucket refuses that.
pub async fn put_bucket_policy(
    shared: &Shared,
    request: S3Request<PutBucketPolicyInput>,
) -> S3Result<S3Response<PutBucketPolicyOutput>> {
    let input = request.input;
    manage::put_policy(shared.pool(), &input.bucket, input.policy).await.map_err(refused)?;
    Ok(S3Response::new(PutBucketPolicyOutput::default()))
}

/// Removes the policy of a bucket.
pub async fn delete_bucket_policy(
    shared: &Shared,
    request: S3Request<DeleteBucketPolicyInput>,
) -> S3Result<S3Response<DeleteBucketPolicyOutput>> {
    setting::remove(shared, &request.input.bucket, Setting::Policy).await?;
    Ok(S3Response::new(DeleteBucketPolicyOutput::default()))
}

/// Says whether the policy of a bucket is public.
pub async fn get_bucket_policy_status(
    shared: &Shared,
    request: S3Request<GetBucketPolicyStatusInput>,
) -> S3Result<S3Response<GetBucketPolicyStatusOutput>> {
    let name = &request.input.bucket;
    let text = stored_text(shared, name)?;
    let policy = Policy::parse_bucket(&text, name).map_err(|error| damaged(&error.to_string()))?;
    let status = PolicyStatus { is_public: Some(policy.is_public()) };
    Ok(S3Response::new(GetBucketPolicyStatusOutput { policy_status: Some(status) }))
}

fn stored_text(shared: &Shared, bucket: &str) -> S3Result<Bytes> {
    let bucket = shared.bucket(bucket)?;
    Setting::Policy.bytes(&shared.stored(&bucket)).or_s3()?.ok_or_else(|| {
        S3Error::with_message(S3ErrorCode::NoSuchBucketPolicy, "The bucket policy does not exist.")
    })
}

fn refused(error: manage::Error) -> S3Error {
    match error {
        manage::Error::MalformedPolicy(error) => {
            S3Error::with_message(S3ErrorCode::MalformedPolicy, error.wording()).with("Detail", error)
        }
        manage::Error::PublicPolicyBlocked(_) => blocked(),
        manage::Error::Pool(error) => of_pool(error),
        error => of_pool(forebay_pool::Error::Damaged(error.to_string())),
    }
}

fn blocked() -> S3Error {
    let message = "Access Denied: public policies are prevented by the BlockPublicPolicy setting in S3 Block \
                   Public Access.";
    S3Error::with_message(S3ErrorCode::AccessDenied, message)
}

fn damaged(what: &str) -> S3Error {
    of_pool(forebay_pool::Error::Damaged(format!("the stored policy of a bucket {what}")))
}
