//! `buckets`: creating, listing, changing and deleting them.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use forebay_s3::manage::{self, ManagedBucket};
use forebay_service::events::Kind;
use serde::Deserialize;
use utoipa::IntoParams;

use super::common::{Force, Made, Shared, made};
use crate::api::Api;
use crate::base::problem::Problem;
use crate::error::{ErrorBody, Result};
use crate::request::{Content, Operate, Params, Read};
use crate::views::{BucketEdit, BucketView, EfficiencyView, List, NewBucket, Role};

/// The default and the largest number of entries of a page.
const LIMIT: u32 = 1000;
/// The longest name of a bucket.
const NAME_CHARS_MAX: usize = 63;

/// A bucket in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct BucketPath {
    /// The bucket's name.
    #[param(pattern = "^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")]
    pub bucket: String,
}

/// Selects buckets.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct BucketSelection {
    /// Return only buckets whose names begin with this.
    #[serde(default)]
    #[param(max_length = 63, nullable = false)]
    pub prefix: String,
    /// Return only buckets behind this name.
    #[serde(default)]
    #[param(max_length = 63, nullable = false)]
    pub after: String,
    /// Maximum number of buckets, by name; default 1000.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    pub limit: Option<u32>,
}

/// List buckets, by name
///
/// `total` counts the buckets with the prefix, on all pages.
#[utoipa::path(get, path = "/buckets", tag = "buckets", params(BucketSelection), responses((status = 200, description = "A page of buckets", body = List<BucketView>)))]
pub async fn bucket_list(State(api): Shared, asked: Read<BucketSelection>) -> Result<Json<List<BucketView>>> {
    api.s3()?;
    let BucketSelection { prefix, after, limit } = asked.query;
    check_length("prefix", &prefix, NAME_CHARS_MAX)?;
    check_length("after", &after, NAME_CHARS_MAX)?;
    let page = manage::buckets(&api.service.pool, &prefix, &after, page_limit(limit)?)?;
    let items = page.buckets.into_iter().map(|bucket| view(&api, bucket)).collect();
    Ok(Json(List { items, total: page.total as u64 }))
}

/// Create a bucket
#[utoipa::path(
    post, path = "/buckets", tag = "buckets", request_body = NewBucket,
    responses(
        (status = 201, description = "The bucket", body = BucketView, headers(("Location" = String, description = "The bucket"))),
        (status = 404, description = "The owner does not exist", body = ErrorBody),
        (status = 409, description = "A bucket or a volume has that name, or S3 is not served", body = ErrorBody),
    ),
)]
pub async fn bucket_create(
    State(api): Shared,
    asked: Operate,
    Content(new): Content<NewBucket>,
) -> Result<Made<BucketView>> {
    let users = &api.s3()?.users;
    let bucket = view(&api, manage::create(&api.service.pool, users, new.read()?).await?);
    let message = format!("created, owned by S3 user {}", bucket.owner);
    api.note(Kind::BucketCreated, format!("bucket {}", bucket.name), message, &asked.caller);
    Ok(made(StatusCode::CREATED, format!("buckets/{}", bucket.name), bucket))
}

/// Get a bucket
#[utoipa::path(get, path = "/buckets/{bucket}", tag = "buckets", params(BucketPath), responses((status = 200, description = "The bucket", body = BucketView)))]
pub async fn bucket_show(
    State(api): Shared,
    _: Read,
    Params(path): Params<BucketPath>,
) -> Result<Json<BucketView>> {
    api.s3()?;
    Ok(Json(view(&api, manage::bucket(&api.service.pool, &path.bucket)?)))
}

/// Change a bucket
///
/// Either all changes are made or none. Fields that are absent stay unchanged; null removes a limit or a setting.
#[utoipa::path(
    patch, path = "/buckets/{bucket}", tag = "buckets", params(BucketPath), request_body = BucketEdit,
    responses(
        (status = 200, description = "The changed bucket", body = BucketView),
        (status = 409, description = "The bucket holds more than the new size, it has object lock and so keeps versions, or S3 is not served", body = ErrorBody),
    ),
)]
pub async fn bucket_change(
    State(api): Shared,
    asked: Operate,
    Params(path): Params<BucketPath>,
    Content(edit): Content<BucketEdit>,
) -> Result<Json<BucketView>> {
    api.s3()?;
    let (pool, name) = (&api.service.pool, path.bucket);
    if edit.public_access_block.is_some() {
        asked
            .caller
            .require(Role::Admin, &api, || format!("changing the public access block of bucket {name}"))?;
    }
    let before = view(&api, manage::bucket(pool, &name)?);
    if edit == BucketEdit::default() {
        return Ok(Json(before));
    }
    let after = view(&api, manage::modify(pool, &name, edit.read()?).await?);
    let changes = edit.in_words(&before, &after);
    api.note(Kind::BucketChanged, format!("bucket {name}"), changes, &asked.caller);
    Ok(Json(after))
}

/// Delete a bucket
///
/// Refused if it has objects or older versions, unless `force` is given. With object lock such a bucket cannot be
/// deleted at all. Uploads in progress are aborted. The space is freed in the background.
#[utoipa::path(
    delete, path = "/buckets/{bucket}", tag = "buckets", params(BucketPath, Force),
    responses(
        (status = 204, description = "The bucket was deleted"),
        (status = 409, description = "The bucket has objects or older versions, or S3 is not served", body = ErrorBody),
    ),
)]
pub async fn bucket_delete(
    State(api): Shared,
    asked: Operate<Force>,
    Params(path): Params<BucketPath>,
) -> Result<StatusCode> {
    api.s3()?;
    let force = asked.query.force;
    if force {
        let what = || format!("deleting bucket {} with all objects", path.bucket);
        asked.caller.require(Role::Admin, &api, what)?;
    }
    manage::delete(&api.service.pool, &path.bucket, force).await?;
    let message = if force { "deleted with all data" } else { "deleted" };
    api.note(Kind::BucketDeleted, format!("bucket {}", path.bucket), message, &asked.caller);
    Ok(StatusCode::NO_CONTENT)
}

/// Calculate the storage efficiency of a bucket now
///
/// Scans every extent of the bucket, which takes some time. One such request is processed at a time.
#[utoipa::path(get, path = "/buckets/{bucket}/efficiency", tag = "buckets", params(BucketPath), responses((status = 200, description = "The storage efficiency", body = EfficiencyView)))]
pub async fn bucket_efficiency(
    State(api): Shared,
    _: Read,
    Params(path): Params<BucketPath>,
) -> Result<Json<EfficiencyView>> {
    api.s3()?;
    let bucket = api.service.pool.bucket(&path.bucket)?;
    Ok(Json(api.efficiencies.count(Some(bucket.id)).await?.into()))
}

/// Refuses a parameter that is too long.
pub(super) fn check_length(parameter: &str, text: &str, chars_max: usize) -> Result<()> {
    if text.chars().count() > chars_max {
        return Err(Problem::new(parameter, format!("must have at most {chars_max} characters")).into());
    }
    Ok(())
}

/// The size of a page.
pub(super) fn page_limit(limit: Option<u32>) -> Result<usize> {
    let limit = limit.unwrap_or(LIMIT);
    if !(1..=LIMIT).contains(&limit) {
        return Err(Problem::new("limit", format!("must be from 1 to {LIMIT}")).into());
    }
    Ok(usize::try_from(limit).unwrap_or(usize::MAX))
}

fn view(api: &Api, bucket: ManagedBucket) -> BucketView {
    let waits = api.service.throttle.waits(bucket.bucket.id);
    BucketView::of(bucket, waits)
}
