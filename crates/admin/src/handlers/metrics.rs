//! `/metrics`, and what they were.

use std::time::SystemTime;

use axum::Json;
use axum::extract::{FromRequestParts, Request, State};
use axum::response::Response;

use super::Shared;
use crate::error::Result;
use crate::history::{HistoryQuery, HistoryView};
use crate::metrics;
use crate::request::Read;

/// `/metrics` for collectors: not below the API's path, because that is where they look, and not of its form. Everyone with a token may
/// read it, or everyone (`metrics.public`).
pub async fn exposition(State(api): Shared, request: Request) -> Result<Response> {
    if !api.metrics_public {
        let (mut parts, _) = request.into_parts();
        Read::<crate::request::Nothing>::from_request_parts(&mut parts, &api).await?;
    }
    Ok(metrics::answer(api.sources()).await)
}

/// What throughput, latency, capacity and others were in the last hour, day and month
///
/// Kept in memory since the daemon started: points of 5 seconds for an hour, of a minute for a day, of 15 minutes for 30 days.
#[utoipa::path(get, path = "/metrics/history", tag = "metrics", params(HistoryQuery),
    responses((status = 200, description = "It", body = HistoryView)))]
pub async fn history_show(State(api): Shared, asked: Read<HistoryQuery>) -> Result<Json<HistoryView>> {
    let view = api.history.view(&asked.query, SystemTime::now());
    Ok(Json(view?))
}
