//! `buckets/{bucket}/objects` and `versions`: what is in a bucket, page by page, and objects that are made of files.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use forebay_s3::manage::{self, ObjectQuery, VersionQuery};
use forebay_service::events::Kind;
use serde::Deserialize;
use utoipa::IntoParams;

use super::buckets::{BucketPath, check_length, page_limit};
use super::common::{Made, Shared, made};
use crate::error::{ErrorBody, Result};
use crate::request::{Administer, Content, Params, Read};
use crate::views::{NewObject, ObjectView, ObjectsView, VersionsView};

/// The longest key.
const KEY_CHARS_MAX: usize = 1024;

/// Selects objects.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ObjectSelection {
    /// Return only keys that begin with this.
    #[serde(default)]
    #[param(max_length = 1024, nullable = false)]
    pub prefix: String,
    /// Return one common prefix for all keys that have this behind the prefix, such as `/`.
    #[serde(default)]
    #[param(max_length = 1024, nullable = false)]
    pub delimiter: String,
    /// Return only keys and common prefixes behind this one.
    #[param(max_length = 1024, nullable = false)]
    pub after: Option<String>,
    /// Maximum number of keys and common prefixes; default 1000.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    pub limit: Option<u32>,
}

/// Selects versions.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct VersionSelection {
    /// Return only keys that begin with this.
    #[serde(default)]
    #[param(max_length = 1024, nullable = false)]
    pub prefix: String,
    /// Return one common prefix for all keys that have this behind the prefix, such as `/`.
    #[serde(default)]
    #[param(max_length = 1024, nullable = false)]
    pub delimiter: String,
    /// Return only keys and common prefixes behind this one.
    #[param(max_length = 1024, nullable = false)]
    pub after: Option<String>,
    /// Return also versions of the key `after` that are older than this one.
    #[param(pattern = "^(null|[0-9a-f]{16})$", nullable = false)]
    pub after_version: Option<String>,
    /// Maximum number of versions and common prefixes; default 1000.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    pub limit: Option<u32>,
}

/// List the objects of a bucket, by key
///
/// Returns current versions only. To continue, repeat the request with `next` as `after`.
#[utoipa::path(get, path = "/buckets/{bucket}/objects", tag = "buckets", params(BucketPath, ObjectSelection), responses((status = 200, description = "A page of objects", body = ObjectsView)))]
pub async fn object_list(
    State(api): Shared,
    asked: Read<ObjectSelection>,
    Params(path): Params<BucketPath>,
) -> Result<Json<ObjectsView>> {
    api.s3()?;
    let ObjectSelection { prefix, delimiter, after, limit } = asked.query;
    let query = keys(prefix, delimiter, after, limit)?;
    Ok(Json(manage::objects(&api.service.pool, &path.bucket, query)?.into()))
}

/// List the versions and delete markers of a bucket, by key, the newest first
///
/// To continue, repeat the request with `next` as `after` and `next_version` as `after_version`.
#[utoipa::path(get, path = "/buckets/{bucket}/versions", tag = "buckets", params(BucketPath, VersionSelection), responses((status = 200, description = "A page of versions", body = VersionsView)))]
pub async fn version_list(
    State(api): Shared,
    asked: Read<VersionSelection>,
    Params(path): Params<BucketPath>,
) -> Result<Json<VersionsView>> {
    api.s3()?;
    let VersionSelection { prefix, delimiter, after, after_version, limit } = asked.query;
    let query = VersionQuery { keys: keys(prefix, delimiter, after, limit)?, after_version };
    Ok(Json(manage::versions(&api.service.pool, &path.bucket, query)?.into()))
}

/// Create an object from a file in a volume
///
/// The object shares the file's bytes, so no data is moved and no space is needed. The copy is verified before the object exists, and
/// is refused if the file is changed meanwhile. Requires the role admin, since the call can make any file readable over S3.
#[utoipa::path(
    post, path = "/buckets/{bucket}/objects", tag = "buckets", params(BucketPath), request_body = NewObject,
    responses(
        (status = 201, description = "The object", body = ObjectView, headers(("Location" = String, description = "The objects of the bucket"))),
        (status = 404, description = "The bucket, the volume or the file does not exist", body = ErrorBody),
        (status = 409, description = "The key is taken, the file is being changed, or is not the log segment that was described, or S3 is not served", body = ErrorBody),
        (status = 507, description = "The bucket has reached its size", body = ErrorBody),
    ),
)]
pub async fn object_create(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<BucketPath>,
    Content(new): Content<NewObject>,
) -> Result<Made<ObjectView>> {
    api.s3()?;
    let volume = api.volume(&new.volume)?;
    let copied = manage::copy_file(&api.service.pool, &volume, &path.bucket, new.file()).await?;
    let object = ObjectView::of_copy(new.key, &copied);
    let message =
        format!("object {:?} was made of {}:/{}", object.key, volume.spec.name, new.path.trim_matches('/'));
    api.note(Kind::BucketChanged, format!("bucket {}", path.bucket), message, &asked.caller);
    let place = format!("buckets/{}/objects", path.bucket);
    Ok(made(StatusCode::CREATED, place, object))
}

fn keys(prefix: String, delimiter: String, after: Option<String>, limit: Option<u32>) -> Result<ObjectQuery> {
    check_length("prefix", &prefix, KEY_CHARS_MAX)?;
    check_length("delimiter", &delimiter, KEY_CHARS_MAX)?;
    check_length("after", after.as_deref().unwrap_or_default(), KEY_CHARS_MAX)?;
    Ok(ObjectQuery { prefix, delimiter, after, limit: page_limit(limit)? })
}
