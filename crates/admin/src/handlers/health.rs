//! `health`, for load balancers and monitoring, without a token; `status`, with all that is known.

use std::time::{Duration, SystemTime};

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};

use super::alerts::alert_view;
use super::capacity::forecast_view;
use super::common::Shared;
use crate::api::{Api, RELEASE};
use crate::error::Result;
use crate::health::{self, Alert, Flow, Report, Severity};
use crate::history::Day;
use crate::openapi::Document;
use crate::request::{Open, Read};
use crate::views::{
    CapacityView, ClientsView, CommitView, EventView, FlowView, ForecastView, GraceView, HealthReason,
    HealthStatus, HealthView, StatusView, VolumeSpaceView, time,
};

/// The number of changes in a status.
const CHANGES: usize = 8;

/// Get the daemon's health
///
/// Needs no token, so it names the rules whose alerts fire, with causes and remedies, and no volumes or clients: `status` and `alerts`
/// do. Answers 503 with the same body if the pool has stopped or is closed, which takes no changes until the daemon is started again.
#[utoipa::path(
    get, path = "/health", tag = "health", security(()),
    responses((status = 200, description = "The daemon's health", body = HealthView), (status = 503, description = "The pool has stopped", body = HealthView)),
)]
pub async fn health_show(State(api): Shared, _: Open) -> Result<(StatusCode, Json<HealthView>)> {
    let report = api.health.report();
    let mut reasons: Vec<HealthReason> = Vec::new();
    let now = SystemTime::now();
    for alert in report.firing.iter().filter(|alert| api.health.marks.silence(alert, now).is_none()) {
        match reasons.iter_mut().find(|reason| reason.name == alert.rule.name) {
            Some(reason) => reason.objects = reason.objects.saturating_add(1),
            None => reasons.push(reason(alert)),
        }
    }
    // The rules see it within seconds; a probe sees it at once.
    let is_stopped = api.service.pool.is_stopped();
    let status = if is_stopped { HealthStatus::Critical } else { status(&api, &report, now) };
    let view =
        HealthView { status, release: RELEASE.to_owned(), reasons, evaluated: report.evaluated.map(time) };
    Ok((if is_stopped { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }, Json(view)))
}

/// Answers as long as the process does, whatever has happened to the pool.
pub async fn live() -> &'static str {
    "ok\n"
}

/// Get the status of the daemon
///
/// Contains the health, the alerts with the affected objects, recent changes, the busiest clients and volumes, and a forecast of the space.
#[utoipa::path(get, path = "/status", tag = "health", responses((status = 200, description = "The status", body = StatusView)))]
pub async fn status_show(State(api): Shared, _: Read) -> Result<Json<StatusView>> {
    let (report, now) = (api.health.report(), SystemTime::now());
    let [connected, reclaiming, silent] = report.clients;
    let grace = report.grace.as_ref().map(|grace| GraceView {
        remaining_seconds: grace.remaining.as_secs(),
        missing: grace.missing_count as u64,
        missing_clients: grace.missing.iter().flatten().map(|owner| health::client_name(owner)).collect(),
    });
    let volumes = report.volumes.iter().map(|volume| VolumeSpaceView {
        name: volume.name.clone(),
        bytes_used: volume.used,
        size: volume.size,
        full_in_seconds: volume.full_in.map(|time| time.as_secs()),
        forecast: forecast(&api, |row| row.volumes.get(&volume.id.0).copied(), volume.size),
    });
    Ok(Json(StatusView {
        status: status(&api, &report, now),
        release: RELEASE.to_owned(),
        directory: api.directory.display().to_string(),
        node: api.node.as_ref().map(|node| (node.beats)().owner.node.name),
        started: time(api.run.started()),
        last_stop: api.run.last_stop().into(),
        evaluated: report.evaluated.map(time),
        alerts: report.firing.iter().map(|alert| alert_view(&api, alert, now)).collect(),
        clients: ClientsView { connected, reclaiming, silent },
        commit: CommitView {
            p99_seconds: report.commit_p99.as_ref().map(Duration::as_secs_f64),
            usual_p99_seconds: report.commit_usual.as_ref().map(Duration::as_secs_f64),
        },
        grace,
        capacity: CapacityView {
            bytes_total: report.space.bytes_total,
            bytes_free: report.space.bytes_free,
            full_in_seconds: report.pool_full_in.map(|time| time.as_secs()),
            forecast: forecast(&api, |row| Some(row.used), report.space.bytes_total),
            efficiency: api.efficiencies.of(None).map(Into::into),
            volumes: volumes.collect(),
        },
        busiest_volumes: report.busiest_volumes.iter().map(flow_view).collect(),
        busiest_clients: report.busiest_clients.iter().map(flow_view).collect(),
        changes: api.service.events.changes(CHANGES).into_iter().map(EventView::from).collect(),
    }))
}

fn forecast(api: &Api, of: impl Fn(&Day) -> Option<u64>, size: u64) -> Option<ForecastView> {
    api.history.forecast(of, size).map(forecast_view)
}

/// Silenced alerts count for nothing.
fn status(api: &Api, report: &Report, now: SystemTime) -> HealthStatus {
    let counts = |alert: &&Alert| api.health.marks.silence(alert, now).is_none();
    match report.firing.iter().filter(counts).map(|alert| alert.rule.severity).max() {
        Some(Severity::Critical) => HealthStatus::Critical,
        Some(Severity::Warning) => HealthStatus::Warning,
        Some(Severity::Info) | None => HealthStatus::Ok,
    }
}

fn reason(alert: &Alert) -> HealthReason {
    HealthReason {
        name: alert.rule.name.to_owned(),
        severity: alert.rule.severity.into(),
        summary: alert.rule.summary.to_owned(),
        remedy: alert.rule.runbook.to_owned(),
        objects: 1,
        since: time(alert.since),
    }
}

fn flow_view(flow: &Flow) -> FlowView {
    FlowView {
        name: flow.name.clone(),
        address: flow.address.clone(),
        read_rate: flow.read,
        write_rate: flow.written,
    }
}

/// Get this document
#[utoipa::path(
    get, path = "/openapi.json", tag = "health", security(()),
    responses((status = 200, description = "The OpenAPI 3.1 document", body = serde_json::Value, content_type = "application/json")),
)]
pub async fn openapi_show(Extension(document): Extension<Document>, _: Open) -> Response {
    ([(CONTENT_TYPE, "application/json")], document.text()).into_response()
}
