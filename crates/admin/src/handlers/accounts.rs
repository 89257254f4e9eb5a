//! `users` and `tokens`, for admins only; and `whoami`, for everyone.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse, Response};
use forebay_service::events::Kind;
use serde::Deserialize;
use utoipa::IntoParams;

use super::{Made, Shared, made};
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

/// Who asks, and what the role is
#[utoipa::path(get, path = "/whoami", tag = "accounts", responses((status = 200, description = "The user", body = WhoView)))]
pub async fn whoami(asked: Read) -> Json<WhoView> {
    Json(WhoView { user: asked.caller.user, role: asked.caller.role })
}

/// All users, by name
#[utoipa::path(get, path = "/users", tag = "accounts", responses((status = 200, description = "They", body = List<UserView>)))]
pub async fn user_list(State(api): Shared, _: Administer) -> Result<Json<List<UserView>>> {
    Ok(Json(List::all(api.service.accounts.users().into_iter().map(UserView::from).collect())))
}

/// One user
#[utoipa::path(get, path = "/users/{user}", tag = "accounts", params(UserPath), responses((status = 200, description = "The user", body = UserView)))]
pub async fn user_show(
    State(api): Shared,
    _: Administer,
    Params(path): Params<UserPath>,
) -> Result<Json<UserView>> {
    Ok(Json(api.service.accounts.user(&path.user)?.into()))
}

/// Give a user a role; make the user, if there is none of that name
///
/// The last user with the role admin keeps it.
#[utoipa::path(
    put, path = "/users/{user}", tag = "accounts", params(UserPath), request_body = SetUser,
    responses(
        (status = 200, description = "The user", body = UserView),
        (status = 201, description = "The user was made", body = UserView, headers(("Location" = String, description = "The user"))),
        (status = 409, description = "There are as many users as there can be, or it is the last one with the role admin", body = ErrorBody),
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
    let message = if is_new { format!("made, with the role {role}") } else { format!("has the role {role}") };
    api.service.events.note(Kind::UserChanged, format!("user {}", path.user), message, asked.caller.who());
    if is_new {
        let place = [(LOCATION, format!("{}/users/{}", crate::router::BASE, path.user))];
        return Ok((StatusCode::CREATED, place, Json(view)).into_response());
    }
    Ok(Json(view).into_response())
}

/// Delete a user, and the user's tokens
///
/// The last user with the role admin cannot be deleted.
#[utoipa::path(
    delete, path = "/users/{user}", tag = "accounts", params(UserPath),
    responses(
        (status = 204, description = "The user is gone"),
        (status = 409, description = "It is the last one with the role admin", body = ErrorBody),
    ),
)]
pub async fn user_delete(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<UserPath>,
) -> Result<StatusCode> {
    let tokens = api.service.accounts.delete_user(&path.user).await?;
    let message = format!("deleted, with {tokens} tokens");
    api.service.events.note(Kind::UserDeleted, format!("user {}", path.user), message, asked.caller.who());
    Ok(StatusCode::NO_CONTENT)
}

/// All tokens, by user and age
#[utoipa::path(get, path = "/tokens", tag = "accounts", responses((status = 200, description = "They", body = List<TokenView>)))]
pub async fn token_list(State(api): Shared, _: Administer) -> Result<Json<List<TokenView>>> {
    Ok(Json(List::all(api.service.accounts.tokens().into_iter().map(TokenView::from).collect())))
}

/// Make a token
///
/// Its secret is in the answer, and can never be had again.
#[utoipa::path(
    post, path = "/tokens", tag = "accounts", request_body = NewToken,
    responses(
        (status = 201, description = "The token, with its secret", body = TokenCreated, headers(("Location" = String, description = "The token"))),
        (status = 404, description = "There is no such user", body = ErrorBody),
        (status = 409, description = "There are as many tokens as there can be", body = ErrorBody),
    ),
)]
pub async fn token_create(
    State(api): Shared,
    asked: Administer,
    Content(new): Content<NewToken>,
) -> Result<Made<TokenCreated>> {
    let created = TokenCreated::from(api.service.accounts.create_token(&new.read()?).await?);
    let message = match &created.token.expires {
        Some(expires) => format!("made for user {}, until {expires}", new.user),
        None => format!("made for user {}", new.user),
    };
    let id = created.token.id.clone();
    api.service.events.note(Kind::TokenCreated, format!("token {id}"), message, asked.caller.who());
    Ok(made(StatusCode::CREATED, format!("tokens/{id}"), created))
}

/// One token, without its secret
#[utoipa::path(get, path = "/tokens/{token}", tag = "accounts", params(TokenPath), responses((status = 200, description = "The token", body = TokenView)))]
pub async fn token_show(
    State(api): Shared,
    _: Administer,
    Params(path): Params<TokenPath>,
) -> Result<Json<TokenView>> {
    Ok(Json(api.service.accounts.token(&path.token)?.into()))
}

/// Delete a token: it is refused from now on
#[utoipa::path(delete, path = "/tokens/{token}", tag = "accounts", params(TokenPath), responses((status = 204, description = "It is gone")))]
pub async fn token_delete(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<TokenPath>,
) -> Result<StatusCode> {
    let deleted = api.service.accounts.delete_token(&path.token).await?;
    let message = format!("deleted; it was user {}'s", deleted.user);
    api.service.events.note(Kind::TokenDeleted, format!("token {}", path.token), message, asked.caller.who());
    Ok(StatusCode::NO_CONTENT)
}
