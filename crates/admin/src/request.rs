//! What a request brings, read strictly: whoever misspells something is told so, in the one shape of errors.
//!
//! [`Asked`] is who asks and the query, [`Params`] the path, [`Content`] the body. A handler takes an `Asked` first, so that nothing
//! of a request is looked at before it is known that its sender may make it.

use crate::base::problem::Problem;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use http_body_util::BodyExt;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::api::Api;
use crate::base::strict;
use crate::caller::{Caller, Identity, Refusal};
use crate::error::{ApiError, Code, Result};
use crate::views::{Check, Role};

/// Bytes that a body may have.
pub const BODY_BYTES_MAX: usize = 64 << 10;

/// Bytes up to which a body that is too long is read and thrown away.
const DISCARDED_BYTES_MAX: usize = 1 << 20;

/// How long a body may take to come.
const BODY_WAIT_MAX: Duration = Duration::from_secs(20);

/// A query without parameters.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// The least role that a request needs, as a type.
pub trait Needs: Send + Sync + 'static {
    /// The role.
    const ROLE: Role;
}

/// Everyone with a token.
pub struct AnyRole;
/// Operators and admins.
pub struct OperatorRole;
/// Admins.
pub struct AdminRole;

impl Needs for AnyRole {
    const ROLE: Role = Role::ReadOnly;
}

impl Needs for OperatorRole {
    const ROLE: Role = Role::Operator;
}

impl Needs for AdminRole {
    const ROLE: Role = Role::Admin;
}

/// Who asks, which was checked, and the query.
pub struct Asked<R, Q = Nothing> {
    /// Who asks.
    pub caller: Caller,
    /// The query.
    pub query: Q,
    role: PhantomData<R>,
}

/// What everyone may ask who has a token.
pub type Read<Q = Nothing> = Asked<AnyRole, Q>;
/// What operators may ask.
pub type Operate<Q = Nothing> = Asked<OperatorRole, Q>;
/// What only admins may ask.
pub type Administer<Q = Nothing> = Asked<AdminRole, Q>;

impl<R: Needs, Q: DeserializeOwned> FromRequestParts<Arc<Api>> for Asked<R, Q> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, api: &Arc<Api>) -> Result<Self> {
        let identity = parts.extensions.get::<Identity>().cloned();
        let caller = match identity.map(|identity| identity.0) {
            Some(Ok(caller)) => caller,
            Some(Err(refusal)) => return Err(refusal.answer(api)),
            None => return Err(Refusal::unknown().answer(api)),
        };
        if caller.role < R::ROLE {
            let noted = format!("{} {}", parts.method, parts.uri.path());
            return Err(caller.refuse(R::ROLE, api, &noted, "this"));
        }
        Ok(Asked { caller, query: query(parts)?, role: PhantomData })
    }
}

/// A query, from anyone.
pub struct Open<Q = Nothing>(pub Q);

impl<Q: DeserializeOwned, S: Sync> FromRequestParts<S> for Open<Q> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        query(parts).map(Open)
    }
}

fn query<Q: DeserializeOwned>(parts: &Parts) -> Result<Q> {
    axum::extract::Query::<Q>::try_from_uri(&parts.uri)
        .map(|query| query.0)
        .map_err(|rejection| Problem::new("query", cause(&rejection)).into())
}

/// The parameters of a path.
pub struct Params<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let read = Path::<T>::from_request_parts(parts, state).await;
        read.map(|Path(params)| Params(params))
            .map_err(|rejection| Problem::new("path", cause(&rejection)).into())
    }
}

/// A body in JSON. One that is empty stands for an object without fields.
pub struct Content<T>(pub T);

impl<T: DeserializeOwned + Check, S: Send + Sync> FromRequest<S> for Content<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        let bytes = json_body(request).await?;
        let text: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
        let content: T = strict::from_slice(text).map_err(|error| Problem::new("body", error.to_string()))?;
        content.check()?;
        Ok(Content(content))
    }
}

/// A body in JSON, as it is. What reads it is as strict as [`Content`].
pub struct Document(pub String);

impl<S: Send + Sync> FromRequest<S> for Document {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        let text = String::from_utf8(json_body(request).await?);
        Ok(Document(text.map_err(|_| Problem::new("body", "must be UTF-8"))?))
    }
}

/// The bytes of a body that is said to be JSON, or is empty.
async fn json_body(request: Request) -> Result<Vec<u8>> {
    let media_type = request.headers().get(CONTENT_TYPE).map(|value| is_json(value.as_bytes()));
    let bytes = match tokio::time::timeout(BODY_WAIT_MAX, read(request.into_body())).await {
        Ok(Some(bytes)) => bytes,
        Ok(None) => {
            let cause = format!("longer than {BODY_BYTES_MAX} bytes");
            return Err(ApiError::new(Code::BodyTooLarge, "body", cause).with_remedy("send less at once"));
        }
        Err(_) => {
            let cause = format!("did not arrive within {} seconds", BODY_WAIT_MAX.as_secs());
            return Err(ApiError::new(Code::RequestTimeout, "body", cause));
        }
    };
    if media_type == Some(false) || (media_type.is_none() && !bytes.is_empty()) {
        let error = ApiError::new(Code::MediaTypeUnsupported, "body", "must be JSON");
        return Err(error.with_remedy("send Content-Type: application/json"));
    }
    Ok(bytes)
}

/// A body, if it is not too long. Of one that is too long some more is read and thrown away: a connection that is closed with
/// bytes in it that nobody read is reset, and its sender may then never see the answer.
async fn read(mut body: Body) -> Option<Vec<u8>> {
    let (mut bytes, mut length) = (Vec::new(), 0_usize);
    while let Some(frame) = body.frame().await {
        // The connection broke: nobody is there to be told.
        let Ok(data) = frame.ok()?.into_data() else { continue };
        length = length.saturating_add(data.len());
        if length <= BODY_BYTES_MAX {
            bytes.extend_from_slice(&data);
        } else if length > DISCARDED_BYTES_MAX {
            break;
        }
    }
    (length <= BODY_BYTES_MAX).then_some(bytes)
}

fn is_json(media_type: &[u8]) -> bool {
    let essence = media_type.split(|byte| *byte == b';').next().unwrap_or_default();
    essence.trim_ascii().eq_ignore_ascii_case(b"application/json")
}

/// The innermost cause: what wraps it says only that something could not be read.
fn cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_recognised_with_its_parameters() {
        assert!(is_json(b"application/json") && is_json(b"Application/JSON; charset=utf-8"));
        assert!(!is_json(b"text/plain") && !is_json(b"application/jsonx"));
    }
}
