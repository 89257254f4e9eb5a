//! `s3/groups`, with their members and policies: for admins only.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::response::{IntoResponse, Response};
use forebay_s3::auth::Error as S3Error;
use forebay_service::events::Kind;
use serde::Deserialize;
use utoipa::IntoParams;

use super::common::{Made, Shared, made};
use crate::api::Api;
use crate::base::paths::BASE;
use crate::caller::Caller;
use crate::error::{ErrorBody, Result};
use crate::request::{Administer, Content, Document, Params};
use crate::views::{List, NewS3Group, S3GroupView, S3PolicyDocument};

/// An S3 group in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct S3GroupPath {
    /// The group's name.
    #[param(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub group: String,
}

/// A member of an S3 group in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct S3MemberPath {
    /// The group's name.
    #[param(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub group: String,
    /// The user's name.
    #[param(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub user: String,
}

/// A policy of an S3 group in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct S3PolicyPath {
    /// The group's name.
    #[param(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub group: String,
    /// The policy's name.
    #[param(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub policy: String,
}

/// List all S3 groups, by name
#[utoipa::path(get, path = "/s3/groups", tag = "s3", responses((status = 200, description = "All groups", body = List<S3GroupView>)))]
pub async fn s3_group_list(State(api): Shared, _: Administer) -> Result<Json<List<S3GroupView>>> {
    let groups = api.s3()?.users.groups();
    Ok(Json(List::all(groups.into_iter().map(S3GroupView::from).collect())))
}

/// Create an S3 group
#[utoipa::path(
    post, path = "/s3/groups", tag = "s3", request_body = NewS3Group,
    responses(
        (status = 201, description = "The group", body = S3GroupView, headers(("Location" = String, description = "The group"))),
        (status = 409, description = "The name is already in use, the maximum number of groups is reached, or S3 is not served", body = ErrorBody),
    ),
)]
pub async fn s3_group_create(
    State(api): Shared,
    asked: Administer,
    Content(new): Content<NewS3Group>,
) -> Result<Made<S3GroupView>> {
    let group = api.s3()?.users.create_group(&new.name).await?;
    note(&api, Kind::S3GroupChanged, &group.name, "created", &asked.caller);
    let place = format!("s3/groups/{}", group.name);
    Ok(made(StatusCode::CREATED, place, group.into()))
}

/// Get an S3 group
#[utoipa::path(get, path = "/s3/groups/{group}", tag = "s3", params(S3GroupPath), responses((status = 200, description = "The group", body = S3GroupView)))]
pub async fn s3_group_show(
    State(api): Shared,
    _: Administer,
    Params(path): Params<S3GroupPath>,
) -> Result<Json<S3GroupView>> {
    Ok(Json(api.s3()?.users.group(&path.group)?.into()))
}

/// Delete an S3 group
///
/// Its members lose its permissions. The built-in group `administrators` cannot be deleted.
#[utoipa::path(
    delete, path = "/s3/groups/{group}", tag = "s3", params(S3GroupPath),
    responses(
        (status = 204, description = "The group was deleted"),
        (status = 409, description = "The group is built in, or S3 is not served", body = ErrorBody),
    ),
)]
pub async fn s3_group_delete(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<S3GroupPath>,
) -> Result<StatusCode> {
    let group = api.s3()?.users.delete_group(&path.group).await?;
    let message = format!("deleted; it had members: {}", group.members.len());
    note(&api, Kind::S3GroupDeleted, &group.name, &message, &asked.caller);
    Ok(StatusCode::NO_CONTENT)
}

/// Add an S3 user to a group
///
/// The request is idempotent.
#[utoipa::path(
    put, path = "/s3/groups/{group}/members/{user}", tag = "s3", params(S3MemberPath),
    responses((status = 200, description = "The group", body = S3GroupView)),
)]
pub async fn s3_member_add(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<S3MemberPath>,
) -> Result<Json<S3GroupView>> {
    let users = &api.s3()?.users;
    let was_member = users.group(&path.group)?.members.contains(&path.user);
    let group = users.add_member(&path.group, &path.user).await?;
    if !was_member {
        let message = format!("S3 user {} added", path.user);
        note(&api, Kind::S3GroupChanged, &path.group, &message, &asked.caller);
    }
    Ok(Json(group.into()))
}

/// Remove an S3 user from a group
#[utoipa::path(
    delete, path = "/s3/groups/{group}/members/{user}", tag = "s3", params(S3MemberPath),
    responses((status = 204, description = "The user was removed from the group")),
)]
pub async fn s3_member_remove(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<S3MemberPath>,
) -> Result<StatusCode> {
    let users = &api.s3()?.users;
    let was_member = users.group(&path.group)?.members.contains(&path.user);
    users.remove_member(&path.group, &path.user).await?;
    if was_member {
        let message = format!("S3 user {} removed", path.user);
        note(&api, Kind::S3GroupChanged, &path.group, &message, &asked.caller);
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Get a policy of an S3 group, unchanged
#[utoipa::path(
    get, path = "/s3/groups/{group}/policies/{policy}", tag = "s3", params(S3PolicyPath),
    responses((status = 200, description = "The policy", body = S3PolicyDocument)),
)]
pub async fn s3_policy_show(
    State(api): Shared,
    _: Administer,
    Params(path): Params<S3PolicyPath>,
) -> Result<Response> {
    let S3PolicyPath { group, policy } = path;
    let mut policies = api.s3()?.users.group(&group)?.policies;
    let text = policies.remove(&policy).ok_or(S3Error::PolicyNotFound { group, policy })?;
    Ok(as_json(text))
}

/// Set a policy of an S3 group
///
/// The document is in the policy language of AWS, without principals. An error names the invalid statement.
/// The request is idempotent.
#[utoipa::path(
    put, path = "/s3/groups/{group}/policies/{policy}", tag = "s3", params(S3PolicyPath), request_body = S3PolicyDocument,
    responses(
        (status = 200, description = "The group", body = S3GroupView),
        (status = 201, description = "The policy was created", body = S3GroupView, headers(("Location" = String, description = "The policy"))),
        (status = 409, description = "The group is built in, it has as many policies as a group can have, or S3 is not served", body = ErrorBody),
    ),
)]
pub async fn s3_policy_put(
    State(api): Shared,
    asked: Administer,
    Params(S3PolicyPath { group, policy }): Params<S3PolicyPath>,
    Document(text): Document,
) -> Result<Response> {
    let users = &api.s3()?.users;
    let is_new = !users.group(&group)?.policies.contains_key(&policy);
    let view = S3GroupView::from(users.put_group_policy(&group, &policy, &text).await?);
    let message = format!("policy {policy} {}", if is_new { "added" } else { "replaced" });
    note(&api, Kind::S3GroupChanged, &group, &message, &asked.caller);
    if is_new {
        let place = [(LOCATION, format!("{}/s3/groups/{group}/policies/{policy}", BASE))];
        return Ok((StatusCode::CREATED, place, Json(view)).into_response());
    }
    Ok(Json(view).into_response())
}

/// Remove a policy from an S3 group
#[utoipa::path(
    delete, path = "/s3/groups/{group}/policies/{policy}", tag = "s3", params(S3PolicyPath),
    responses(
        (status = 204, description = "The policy was removed"),
        (status = 409, description = "The group is built in, or S3 is not served", body = ErrorBody),
    ),
)]
pub async fn s3_policy_delete(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<S3PolicyPath>,
) -> Result<StatusCode> {
    api.s3()?.users.delete_group_policy(&path.group, &path.policy).await?;
    let message = format!("policy {} removed", path.policy);
    note(&api, Kind::S3GroupChanged, &path.group, &message, &asked.caller);
    Ok(StatusCode::NO_CONTENT)
}

/// Answers with a text that is JSON already.
pub(super) fn as_json(text: String) -> Response {
    ([(CONTENT_TYPE, "application/json")], text).into_response()
}

fn note(api: &Api, kind: Kind, group: &str, message: &str, caller: &Caller) {
    api.note(kind, format!("S3 group {group}"), message, caller);
}
