//! `/metrics`, and the history of metrics.

use std::time::SystemTime;

use axum::Json;
use axum::extract::{FromRequestParts, Request, State};
use axum::response::Response;

use super::common::Shared;
use crate::error::Result;
use crate::history::{HistoryQuery, HistoryView};
use crate::metrics;
use crate::request::Read;

/// `/metrics` for collectors. It is outside the API's path because collectors look for it there. Any token
/// gives access, or none is needed (`metrics.public`).
pub async fn exposition(State(api): Shared, request: Request) -> Result<Response> {
    if !api.metrics_public {
        let (mut parts, _) = request.into_parts();
        Read::<crate::request::Nothing>::from_request_parts(&mut parts, &api).await?;
    }
    Ok(metrics::answer(api.sources()).await)
}

/// `/metrics` on the listener that is for collectors (`metrics.listen`).
pub async fn exposition_to_everyone(State(api): Shared) -> Response {
    metrics::answer(api.sources()).await
}

/// Get the history of throughput, latency, capacity and other metrics
///
/// 5-second samples for an hour, 1-minute samples for a day, and 15-minute samples for 30 days, across restarts of the daemon.
#[utoipa::path(get, path = "/metrics/history", tag = "metrics", params(HistoryQuery),
    responses((status = 200, description = "The history", body = HistoryView)))]
pub async fn history_show(State(api): Shared, asked: Read<HistoryQuery>) -> Result<Json<HistoryView>> {
    let view = api.history.view(&asked.query, SystemTime::now());
    Ok(Json(view?))
}
