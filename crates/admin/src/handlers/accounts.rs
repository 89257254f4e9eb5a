//! `users` and `tokens`, for admins only, and `whoami`, for every caller.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse, Response};
use forebay_service::events::Kind;
use serde::Deserialize;
use utoipa::IntoParams;

use super::common::{Made, Shared, made};
use crate::base::paths::BASE;
use crate::error::{ErrorBody, Result};
use crate::request::{Administer, Content, Params, Read};
use crate::views::{List, NewToken, SetUser, TokenCreated, TokenView, UserView, WhoView};

/// A user in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct UserPath {
    /// The user's name.
    #[param(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub user: String,
}

/// A token in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct TokenPath {
    /// The token's id.
    #[param(pattern = "^[0-9a-f]{16}$")]
    pub token: String,
}

/// Get the calling user and its role
#[utoipa::path(get, path = "/whoami", tag = "accounts", responses((status = 200, description = "The user", body = WhoView)))]
pub async fn whoami(asked: Read) -> Json<WhoView> {
    Json(WhoView { user: asked.caller.user, role: asked.caller.role })
}

/// List all users, by name
#[utoipa::path(get, path = "/users", tag = "accounts", responses((status = 200, description = "All users", body = List<UserView>)))]
pub async fn user_list(State(api): Shared, _: Administer) -> Result<Json<List<UserView>>> {
    Ok(Json(List::all(api.service.accounts.users().into_iter().map(UserView::from).collect())))
}

/// Get a user
#[utoipa::path(get, path = "/users/{user}", tag = "accounts", params(UserPath), responses((status = 200, description = "The user", body = UserView)))]
pub async fn user_show(
    State(api): Shared,
    _: Administer,
    Params(path): Params<UserPath>,
) -> Result<Json<UserView>> {
    Ok(Json(api.service.accounts.user(&path.user)?.into()))
}

/// Set a user's role; create the user if it does not exist
///
/// The role of the last user with the role admin cannot be changed.
#[utoipa::path(
    put, path = "/users/{user}", tag = "accounts", params(UserPath), request_body = SetUser,
    responses(
        (status = 200, description = "The user", body = UserView),
        (status = 201, description = "The user was created", body = UserView, headers(("Location" = String, description = "The user"))),
        (status = 409, description = "The maximum number of users is reached, or the user is the last one with the role admin", body = ErrorBody),
    ),
)]
pub async fn user_set(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<UserPath>,
    Content(SetUser { role }): Content<SetUser>,
) -> Result<Response> {
    let (user, is_new) = api.service.accounts.set_user(&path.user, role.into()).await?;
    let view = UserView::from(user);
    let message = if is_new { format!("created with role {role}") } else { format!("role set to {role}") };
    api.service.events.note(Kind::UserChanged, format!("user {}", path.user), message, asked.caller.who());
    if is_new {
        let place = [(LOCATION, format!("{}/users/{}", BASE, path.user))];
        return Ok((StatusCode::CREATED, place, Json(view)).into_response());
    }
    Ok(Json(view).into_response())
}

/// Delete a user and its tokens
///
/// The last user with the role admin cannot be deleted.
#[utoipa::path(
    delete, path = "/users/{user}", tag = "accounts", params(UserPath),
    responses(
        (status = 204, description = "The user was deleted"),
        (status = 409, description = "The user is the last one with the role admin", body = ErrorBody),
    ),
)]
pub async fn user_delete(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<UserPath>,
) -> Result<StatusCode> {
    let tokens = api.service.accounts.delete_user(&path.user).await?;
    let message = format!("deleted; tokens revoked: {tokens}");
    api.service.events.note(Kind::UserDeleted, format!("user {}", path.user), message, asked.caller.who());
    Ok(StatusCode::NO_CONTENT)
}

/// List all tokens, by user and age
#[utoipa::path(get, path = "/tokens", tag = "accounts", responses((status = 200, description = "All tokens", body = List<TokenView>)))]
pub async fn token_list(State(api): Shared, _: Administer) -> Result<Json<List<TokenView>>> {
    Ok(Json(List::all(api.service.accounts.tokens().into_iter().map(TokenView::from).collect())))
}

/// Create a token
///
/// The response contains the secret, which cannot be retrieved again.
#[utoipa::path(
    post, path = "/tokens", tag = "accounts", request_body = NewToken,
    responses(
        (status = 201, description = "The token, with its secret", body = TokenCreated, headers(("Location" = String, description = "The token"))),
        (status = 404, description = "The user does not exist", body = ErrorBody),
        (status = 409, description = "The maximum number of tokens is reached", body = ErrorBody),
    ),
)]
pub async fn token_create(
    State(api): Shared,
    asked: Administer,
    Content(new): Content<NewToken>,
) -> Result<Made<TokenCreated>> {
    let created = TokenCreated::from(api.service.accounts.create_token(&new.read()?).await?);
    let message = match &created.token.expires {
        Some(expires) => format!("created for user {}, expires {expires}", new.user),
        None => format!("created for user {}", new.user),
    };
    let id = created.token.id.clone();
    api.service.events.note(Kind::TokenCreated, format!("token {id}"), message, asked.caller.who());
    Ok(made(StatusCode::CREATED, format!("tokens/{id}"), created))
}

/// Get a token, without its secret
#[utoipa::path(get, path = "/tokens/{token}", tag = "accounts", params(TokenPath), responses((status = 200, description = "The token", body = TokenView)))]
pub async fn token_show(
    State(api): Shared,
    _: Administer,
    Params(path): Params<TokenPath>,
) -> Result<Json<TokenView>> {
    Ok(Json(api.service.accounts.token(&path.token)?.into()))
}

/// Revoke a token
#[utoipa::path(delete, path = "/tokens/{token}", tag = "accounts", params(TokenPath), responses((status = 204, description = "The token was revoked")))]
pub async fn token_delete(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<TokenPath>,
) -> Result<StatusCode> {
    let deleted = api.service.accounts.delete_token(&path.token).await?;
    let message = format!("revoked; it belonged to user {}", deleted.user);
    api.service.events.note(Kind::TokenDeleted, format!("token {}", path.token), message, asked.caller.who());
    Ok(StatusCode::NO_CONTENT)
}
