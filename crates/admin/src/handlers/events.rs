//! `events`.

use axum::Json;
use axum::extract::State;
use forebay_service::events::{EVENTS_KEPT, Wanted};
use serde::Deserialize;
use utoipa::IntoParams;

use super::common::Shared;
use crate::base::problem::Problem;
use crate::error::Result;
use crate::request::Read;
use crate::views::{EventView, List, Severity};

/// The highest possible id, which every language's integers can hold.
const AFTER_MAX: u64 = i64::MAX.unsigned_abs();

/// Selects events.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventFilter {
    /// Return the first events after the one with this id. Without it, the latest events are returned.
    #[param(minimum = 0, maximum = 9223372036854775807u64, nullable = false)]
    pub after: Option<u64>,
    /// Minimum severity.
    #[param(nullable = false)]
    pub severity: Option<Severity>,
    /// Maximum number of events; default 100.
    #[param(minimum = 1, maximum = 2000, nullable = false)]
    pub limit: Option<u32>,
}

/// List events, oldest first
///
/// The daemon keeps the last 2000 events, also across restarts. Its log has all of them.
#[utoipa::path(get, path = "/events", tag = "events", params(EventFilter), responses((status = 200, description = "The events", body = List<EventView>)))]
pub async fn event_list(State(api): Shared, asked: Read<EventFilter>) -> Result<Json<List<EventView>>> {
    let limit = asked.query.limit.map_or(100, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    if !(1..=EVENTS_KEPT).contains(&limit) {
        return Err(Problem::new("limit", format!("must be from 1 to {EVENTS_KEPT}")).into());
    }
    if asked.query.after.is_some_and(|after| after > AFTER_MAX) {
        return Err(Problem::new("after", format!("must be at most {AFTER_MAX}")).into());
    }
    let severity = asked.query.severity.unwrap_or(Severity::Info);
    let wanted = Wanted { after: asked.query.after.unwrap_or(0), severity: severity.into(), limit };
    let (events, total) = api.service.events.list(wanted);
    Ok(Json(List { items: events.into_iter().map(EventView::from).collect(), total }))
}
