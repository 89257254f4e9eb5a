//! `capacity`: how full the pool and its volumes were, and when they will be full.

use axum::Json;
use axum::extract::State;

use super::common::{OfVolume, Shared};
use crate::error::{ErrorBody, Result};
use crate::history::{Day, Forecast};
use crate::request::Read;
use crate::views::{CapacityHistoryView, DayView, ForecastView, date};

/// Get the daily space of the pool or a volume for the last year, with a forecast
#[utoipa::path(
    get, path = "/capacity", tag = "pool", params(OfVolume),
    responses(
        (status = 200, description = "The days and the forecast", body = CapacityHistoryView),
        (status = 404, description = "The volume does not exist", body = ErrorBody),
    ),
)]
pub async fn capacity_show(State(api): Shared, asked: Read<OfVolume>) -> Result<Json<CapacityHistoryView>> {
    let volume = api.volume_if_named(&asked.query)?;
    let id = volume.as_ref().map(|volume| volume.id.0);
    let used = |row: &Day| match id {
        Some(id) => row.volumes.get(&id).copied(),
        None => Some(row.used),
    };
    let rows = api.history.days_kept();
    let size = match &volume {
        Some(volume) => volume.spec.size,
        None => Some(api.service.pool.space()?.bytes_total),
    };
    let forecast = size.and_then(|size| api.history.forecast(used, size));
    let days: Vec<DayView> =
        rows.iter().filter_map(|row| Some(DayView { date: date(row.day), bytes_used: used(row)? })).collect();
    Ok(Json(CapacityHistoryView {
        volume: volume.map(|volume| volume.spec.name),
        bytes_used: days.last().map_or(0, |day| day.bytes_used),
        size,
        forecast: forecast.map(forecast_view),
        days,
    }))
}

/// A forecast for the API.
pub fn forecast_view(forecast: Forecast) -> ForecastView {
    ForecastView {
        full_in_seconds: forecast.full_in.as_secs(),
        earliest_seconds: forecast.earliest.as_secs(),
        latest_seconds: forecast.latest.map(|time| time.as_secs()),
        days: forecast.days,
    }
}
