//! `health`, for load balancers and monitoring, without a token.

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};

use super::common::Shared;
use crate::api::RELEASE;
use crate::error::Result;
use crate::openapi::Document;
use crate::request::Open;
use crate::views::{HealthStatus, HealthView};

/// Get the daemon's health
///
/// Needs no token. The status is `degraded` if data is damaged, segments or the second copy are missing, or
/// the pool has stopped.
#[utoipa::path(get, path = "/health", tag = "health", security(()), responses((status = 200, description = "The daemon's health", body = HealthView)))]
pub async fn health_show(State(api): Shared, _: Open) -> Result<Json<HealthView>> {
    let missing = api.service.pool.stored().map_or(0, |stored| stored.segments_missing);
    let sound = match (api.service.pool.scrub_status(), api.service.pool.space()) {
        (Ok(scrub), Ok(_)) => !scrub.degraded && scrub.damaged == 0 && missing == 0,
        _ => false,
    };
    let status = if sound { HealthStatus::Ok } else { HealthStatus::Degraded };
    Ok(Json(HealthView { status, release: RELEASE.to_owned() }))
}

/// Get this document
#[utoipa::path(
    get, path = "/openapi.json", tag = "health", security(()),
    responses((status = 200, description = "The OpenAPI 3.1 document", body = serde_json::Value, content_type = "application/json")),
)]
pub async fn openapi_show(Extension(document): Extension<Document>, _: Open) -> Response {
    ([(CONTENT_TYPE, "application/json")], document.text()).into_response()
}
