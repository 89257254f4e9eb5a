//! `s3/users`, with their access keys: for admins only.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use forebay_s3::auth::Error as S3Error;
use forebay_s3::auth::users::{AccessKey, User, Users};
use forebay_service::events::Kind;
use serde::Deserialize;
use utoipa::IntoParams;

use super::common::{Made, Shared, made};
use crate::api::Api;
use crate::caller::Caller;
use crate::error::{ErrorBody, Result};
use crate::request::{Administer, Content, Params};
use crate::views::{List, NewS3Key, NewS3User, S3KeyCreated, S3KeyEdit, S3KeyView, S3UserEdit, S3UserView};

/// An S3 user in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct S3UserPath {
    /// The user's name.
    #[param(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub user: String,
}

/// An access key in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct S3KeyPath {
    /// The user's name.
    #[param(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub user: String,
    /// The access key id.
    #[param(pattern = "^[A-Z0-9]{20}$")]
    pub key: String,
}

/// List all S3 users, by name
#[utoipa::path(get, path = "/s3/users", tag = "s3", responses((status = 200, description = "All users", body = List<S3UserView>)))]
pub async fn s3_user_list(State(api): Shared, _: Administer) -> Result<Json<List<S3UserView>>> {
    let users = &api.s3()?.users;
    let mut keys = users.keys();
    let view = |user: User| {
        let own = keys.extract_if(.., |key| key.user == user.name).collect();
        S3UserView::of(user, own)
    };
    Ok(Json(List::all(users.users().into_iter().map(view).collect())))
}

/// Create an S3 user
#[utoipa::path(
    post, path = "/s3/users", tag = "s3", request_body = NewS3User,
    responses(
        (status = 201, description = "The user", body = S3UserView, headers(("Location" = String, description = "The user"))),
        (status = 409, description = "The name is already in use, the maximum number of users is reached, or S3 is not served", body = ErrorBody),
    ),
)]
pub async fn s3_user_create(
    State(api): Shared,
    asked: Administer,
    Content(new): Content<NewS3User>,
) -> Result<Made<S3UserView>> {
    let user = api.s3()?.users.create_user(&new.name).await?;
    note(&api, Kind::S3UserChanged, &user.name, "created", &asked.caller);
    let place = format!("s3/users/{}", user.name);
    Ok(made(StatusCode::CREATED, place, S3UserView::of(user, Vec::new())))
}

/// Get an S3 user
#[utoipa::path(get, path = "/s3/users/{user}", tag = "s3", params(S3UserPath), responses((status = 200, description = "The user", body = S3UserView)))]
pub async fn s3_user_show(
    State(api): Shared,
    _: Administer,
    Params(path): Params<S3UserPath>,
) -> Result<Json<S3UserView>> {
    let users = &api.s3()?.users;
    Ok(Json(view(users, users.user(&path.user)?)))
}

/// Change an S3 user
///
/// Requests of a disabled user are refused; its keys and groups are kept.
#[utoipa::path(
    patch, path = "/s3/users/{user}", tag = "s3", params(S3UserPath), request_body = S3UserEdit,
    responses((status = 200, description = "The changed user", body = S3UserView)),
)]
pub async fn s3_user_change(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<S3UserPath>,
    Content(edit): Content<S3UserEdit>,
) -> Result<Json<S3UserView>> {
    let users = &api.s3()?.users;
    let user = match edit.disabled {
        Some(disabled) => {
            let user = users.set_user_disabled(&path.user, disabled).await?;
            note(&api, Kind::S3UserChanged, &user.name, on_or_off(disabled), &asked.caller);
            user
        }
        None => users.user(&path.user)?,
    };
    Ok(Json(view(users, user)))
}

/// Delete an S3 user, with its access keys and memberships
///
/// The buckets and objects of the user are kept.
#[utoipa::path(delete, path = "/s3/users/{user}", tag = "s3", params(S3UserPath), responses((status = 204, description = "The user was deleted")))]
pub async fn s3_user_delete(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<S3UserPath>,
) -> Result<StatusCode> {
    let user = api.s3()?.users.delete_user(&path.user).await?;
    let message = format!("deleted; access keys deleted: {}", user.keys.len());
    note(&api, Kind::S3UserDeleted, &user.name, &message, &asked.caller);
    Ok(StatusCode::NO_CONTENT)
}

/// List the access keys of an S3 user
#[utoipa::path(get, path = "/s3/users/{user}/keys", tag = "s3", params(S3UserPath), responses((status = 200, description = "The keys", body = List<S3KeyView>)))]
pub async fn s3_key_list(
    State(api): Shared,
    _: Administer,
    Params(path): Params<S3UserPath>,
) -> Result<Json<List<S3KeyView>>> {
    let users = &api.s3()?.users;
    let keys = keys_of(users, &users.user(&path.user)?);
    Ok(Json(List::all(keys.into_iter().map(S3KeyView::from).collect())))
}

/// Create an access key
///
/// A user has at most two, so that one can replace the other. The response contains the secret, which cannot be
/// retrieved again.
#[utoipa::path(
    post, path = "/s3/users/{user}/keys", tag = "s3", params(S3UserPath), request_body = NewS3Key,
    responses(
        (status = 201, description = "The key, with its secret", body = S3KeyCreated, headers(("Location" = String, description = "The key"))),
        (status = 409, description = "The user has two keys, or S3 is not served", body = ErrorBody),
    ),
)]
pub async fn s3_key_create(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<S3UserPath>,
    Content(new): Content<NewS3Key>,
) -> Result<Made<S3KeyCreated>> {
    let created = S3KeyCreated::from(api.s3()?.users.create_key(&path.user, new.read()?).await?);
    let message = match &created.key.expires {
        Some(expires) => format!("created for S3 user {}, expires {expires}", path.user),
        None => format!("created for S3 user {}", path.user),
    };
    note_key(&api, Kind::S3KeyCreated, &created.key.id, &message, &asked.caller);
    let place = format!("s3/users/{}/keys/{}", path.user, created.key.id);
    Ok(made(StatusCode::CREATED, place, created))
}

/// Get an access key, without its secret
#[utoipa::path(get, path = "/s3/users/{user}/keys/{key}", tag = "s3", params(S3KeyPath), responses((status = 200, description = "The key", body = S3KeyView)))]
pub async fn s3_key_show(
    State(api): Shared,
    _: Administer,
    Params(path): Params<S3KeyPath>,
) -> Result<Json<S3KeyView>> {
    Ok(Json(key(&api.s3()?.users, &path)?.into()))
}

/// Change an access key
///
/// Requests with a disabled key are refused.
#[utoipa::path(
    patch, path = "/s3/users/{user}/keys/{key}", tag = "s3", params(S3KeyPath), request_body = S3KeyEdit,
    responses((status = 200, description = "The changed key", body = S3KeyView)),
)]
pub async fn s3_key_change(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<S3KeyPath>,
    Content(edit): Content<S3KeyEdit>,
) -> Result<Json<S3KeyView>> {
    let users = &api.s3()?.users;
    let mut key = key(users, &path)?;
    if let Some(disabled) = edit.disabled {
        key = users.set_key_disabled(&key.id, disabled).await?;
        note_key(&api, Kind::S3KeyChanged, &key.id, on_or_off(disabled), &asked.caller);
    }
    Ok(Json(key.into()))
}

/// Delete an access key
#[utoipa::path(delete, path = "/s3/users/{user}/keys/{key}", tag = "s3", params(S3KeyPath), responses((status = 204, description = "The key was deleted")))]
pub async fn s3_key_delete(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<S3KeyPath>,
) -> Result<StatusCode> {
    let users = &api.s3()?.users;
    let key = users.delete_key(&key(users, &path)?.id).await?;
    let message = format!("deleted; it belonged to S3 user {}", key.user);
    note_key(&api, Kind::S3KeyDeleted, &key.id, &message, &asked.caller);
    Ok(StatusCode::NO_CONTENT)
}

fn on_or_off(disabled: bool) -> &'static str {
    if disabled { "disabled" } else { "enabled" }
}

fn view(users: &Users, user: User) -> S3UserView {
    let keys = keys_of(users, &user);
    S3UserView::of(user, keys)
}

fn keys_of(users: &Users, user: &User) -> Vec<AccessKey> {
    // A key that is gone was deleted since the user was read.
    user.keys.iter().filter_map(|id| users.key(id).ok()).collect()
}

/// The key that a path names, if it is that user's.
fn key(users: &Users, path: &S3KeyPath) -> Result<AccessKey> {
    users.user(&path.user)?;
    let key = users.key(&path.key)?;
    if key.user == path.user { Ok(key) } else { Err(S3Error::KeyNotFound(path.key.clone()).into()) }
}

fn note(api: &Api, kind: Kind, user: &str, message: &str, caller: &Caller) {
    api.note(kind, format!("S3 user {user}"), message, caller);
}

fn note_key(api: &Api, kind: Kind, id: &str, message: &str, caller: &Caller) {
    api.note(kind, format!("access key {id}"), message, caller);
}
