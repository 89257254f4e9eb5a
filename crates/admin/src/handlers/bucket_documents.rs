//! `buckets/{bucket}/policy`, `lifecycle` and `cors`.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use forebay_s3::manage;
use forebay_service::events::Kind;

use super::buckets::BucketPath;
use super::common::Shared;
use super::s3_groups::as_json;
use crate::api::Api;
use crate::caller::Caller;
use crate::error::{ErrorBody, Result};
use crate::request::{Administer, Content, Document, Operate, Params, Read};
use crate::views::{CorsRules, LifecycleRules, S3PolicyDocument};

/// Get the policy of a bucket, unchanged
#[utoipa::path(get, path = "/buckets/{bucket}/policy", tag = "buckets", params(BucketPath), responses((status = 200, description = "The policy", body = S3PolicyDocument)))]
pub async fn bucket_policy_show(
    State(api): Shared,
    _: Read,
    Params(path): Params<BucketPath>,
) -> Result<Response> {
    api.s3()?;
    Ok(as_json(manage::policy(&api.service.pool, &path.bucket)?))
}

/// Replace the policy of a bucket
///
/// The document is in the policy language of AWS. It must name principals, and no other bucket. An error names the
/// invalid statement. The request is idempotent.
#[utoipa::path(
    put, path = "/buckets/{bucket}/policy", tag = "buckets", params(BucketPath), request_body = S3PolicyDocument,
    responses(
        (status = 204, description = "The policy is in force"),
        (status = 409, description = "The policy is public, and the bucket's public access block refuses that; or S3 is not served", body = ErrorBody),
    ),
)]
pub async fn bucket_policy_put(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<BucketPath>,
    Document(text): Document,
) -> Result<StatusCode> {
    api.s3()?;
    manage::put_policy(&api.service.pool, &path.bucket, text).await?;
    note(&api, &path.bucket, "policy set", &asked.caller);
    Ok(StatusCode::NO_CONTENT)
}

/// Delete the policy of a bucket
#[utoipa::path(delete, path = "/buckets/{bucket}/policy", tag = "buckets", params(BucketPath), responses((status = 204, description = "The policy was deleted")))]
pub async fn bucket_policy_delete(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<BucketPath>,
) -> Result<StatusCode> {
    api.s3()?;
    manage::delete_policy(&api.service.pool, &path.bucket).await?;
    note(&api, &path.bucket, "policy deleted", &asked.caller);
    Ok(StatusCode::NO_CONTENT)
}

/// Get the lifecycle rules of a bucket
#[utoipa::path(get, path = "/buckets/{bucket}/lifecycle", tag = "buckets", params(BucketPath), responses((status = 200, description = "The rules", body = LifecycleRules)))]
pub async fn bucket_lifecycle_show(
    State(api): Shared,
    _: Read,
    Params(path): Params<BucketPath>,
) -> Result<Json<LifecycleRules>> {
    api.s3()?;
    Ok(Json(LifecycleRules::of(manage::lifecycle(&api.service.pool, &path.bucket)?)))
}

/// Replace the lifecycle rules of a bucket
///
/// The rules delete objects, so this requires the role admin. An error names the invalid rule. The request
/// is idempotent.
#[utoipa::path(
    put, path = "/buckets/{bucket}/lifecycle", tag = "buckets", params(BucketPath), request_body = LifecycleRules,
    responses((status = 200, description = "The rules", body = LifecycleRules)),
)]
pub async fn bucket_lifecycle_put(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<BucketPath>,
    Content(rules): Content<LifecycleRules>,
) -> Result<Json<LifecycleRules>> {
    api.s3()?;
    manage::put_lifecycle(&api.service.pool, &path.bucket, rules.read()?).await?;
    note(
        &api,
        &path.bucket,
        &format!("lifecycle rules set; rules now: {}", rules.rules.len()),
        &asked.caller,
    );
    Ok(Json(LifecycleRules::of(manage::lifecycle(&api.service.pool, &path.bucket)?)))
}

/// Delete the lifecycle rules of a bucket
#[utoipa::path(delete, path = "/buckets/{bucket}/lifecycle", tag = "buckets", params(BucketPath), responses((status = 204, description = "The rules were deleted")))]
pub async fn bucket_lifecycle_delete(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<BucketPath>,
) -> Result<StatusCode> {
    api.s3()?;
    manage::delete_lifecycle(&api.service.pool, &path.bucket).await?;
    note(&api, &path.bucket, "lifecycle rules deleted", &asked.caller);
    Ok(StatusCode::NO_CONTENT)
}

/// Get the rules for cross-origin requests of a bucket
#[utoipa::path(get, path = "/buckets/{bucket}/cors", tag = "buckets", params(BucketPath), responses((status = 200, description = "The rules", body = CorsRules)))]
pub async fn bucket_cors_show(
    State(api): Shared,
    _: Read,
    Params(path): Params<BucketPath>,
) -> Result<Json<CorsRules>> {
    api.s3()?;
    Ok(Json(CorsRules::of(manage::cors(&api.service.pool, &path.bucket)?)))
}

/// Replace the rules for cross-origin requests of a bucket
///
/// An error names the invalid rule. The request is idempotent.
#[utoipa::path(
    put, path = "/buckets/{bucket}/cors", tag = "buckets", params(BucketPath), request_body = CorsRules,
    responses((status = 200, description = "The rules", body = CorsRules)),
)]
pub async fn bucket_cors_put(
    State(api): Shared,
    asked: Operate,
    Params(path): Params<BucketPath>,
    Content(rules): Content<CorsRules>,
) -> Result<Json<CorsRules>> {
    api.s3()?;
    let count = rules.rules.len();
    manage::put_cors(&api.service.pool, &path.bucket, rules.read()).await?;
    note(&api, &path.bucket, &format!("CORS rules set; rules now: {count}"), &asked.caller);
    Ok(Json(CorsRules::of(manage::cors(&api.service.pool, &path.bucket)?)))
}

/// Delete the rules for cross-origin requests of a bucket
#[utoipa::path(delete, path = "/buckets/{bucket}/cors", tag = "buckets", params(BucketPath), responses((status = 204, description = "The rules were deleted")))]
pub async fn bucket_cors_delete(
    State(api): Shared,
    asked: Operate,
    Params(path): Params<BucketPath>,
) -> Result<StatusCode> {
    api.s3()?;
    manage::delete_cors(&api.service.pool, &path.bucket).await?;
    note(&api, &path.bucket, "CORS rules deleted", &asked.caller);
    Ok(StatusCode::NO_CONTENT)
}

fn note(api: &Api, bucket: &str, message: &str, caller: &Caller) {
    api.note(Kind::BucketChanged, format!("bucket {bucket}"), message, caller);
}
