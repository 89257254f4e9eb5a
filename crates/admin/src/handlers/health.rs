//! `health`, for load balancers and monitoring, without a token; `status` and `alerts`, with all that is known.

use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde::Deserialize;
use utoipa::IntoParams;

use super::common::Shared;
use crate::api::RELEASE;
use crate::error::Result;
use crate::health::{self, Alert, Flow, Report, State as Firing};
use crate::openapi::Document;
use crate::request::{Open, Read};
use crate::views::{
    AlertState, AlertView, CapacityView, ClientsView, CommitView, EventView, FlowView, GraceView,
    HealthReason, HealthStatus, HealthView, List, StatusView, VolumeSpaceView, time,
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
    for alert in &report.firing {
        match reasons.iter_mut().find(|reason| reason.name == alert.rule.name) {
            Some(reason) => reason.objects = reason.objects.saturating_add(1),
            None => reasons.push(reason(alert)),
        }
    }
    // The rules see it within seconds; a probe sees it at once.
    let is_stopped = api.service.pool.is_stopped();
    let status = if is_stopped { HealthStatus::Critical } else { status(&report) };
    let view =
        HealthView { status, release: RELEASE.to_owned(), reasons, evaluated: report.evaluated.map(time) };
    Ok((if is_stopped { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }, Json(view)))
}

/// Get the status of the daemon
///
/// Answers, in this order: whether it is well, who is affected, what changed, who reads and writes most, and when space runs out.
#[utoipa::path(get, path = "/status", tag = "health", responses((status = 200, description = "The status", body = StatusView)))]
pub async fn status_show(State(api): Shared, _: Read) -> Result<Json<StatusView>> {
    let report = api.health.report();
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
    });
    Ok(Json(StatusView {
        status: status(&report),
        release: RELEASE.to_owned(),
        directory: api.directory.display().to_string(),
        node: api.node.as_ref().map(|node| node.holder.beats().owner.node.name),
        started: time(api.run.started()),
        last_stop: api.run.last_stop().into(),
        evaluated: report.evaluated.map(time),
        alerts: report.firing.iter().map(alert_view).collect(),
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
            volumes: volumes.collect(),
        },
        busiest_volumes: report.busiest_volumes.iter().map(flow_view).collect(),
        busiest_clients: report.busiest_clients.iter().map(flow_view).collect(),
        changes: api.service.events.changes(CHANGES).into_iter().map(EventView::from).collect(),
    }))
}

/// Selects alerts.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AlertFilter {
    /// Only alerts in this state. Without it, all that fire, and then the last hundred that were resolved.
    #[param(nullable = false)]
    pub state: Option<AlertState>,
}

/// List alerts
///
/// Those that fire, the gravest first, then the last hundred that were resolved since the daemon started, the latest first.
#[utoipa::path(get, path = "/alerts", tag = "health", params(AlertFilter), responses((status = 200, description = "The alerts", body = List<AlertView>)))]
pub async fn alert_list(State(api): Shared, asked: Read<AlertFilter>) -> Result<Json<List<AlertView>>> {
    let report = api.health.report();
    let all = report.firing.iter().chain(&report.resolved).map(alert_view);
    let wanted = |alert: &AlertView| asked.query.state.is_none_or(|state| state == alert.state);
    Ok(Json(List::all(all.filter(wanted).collect())))
}

fn status(report: &Report) -> HealthStatus {
    match report.severity() {
        Some(health::Severity::Critical) => HealthStatus::Critical,
        Some(health::Severity::Warning) => HealthStatus::Warning,
        Some(health::Severity::Info) | None => HealthStatus::Ok,
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

fn alert_view(alert: &Alert) -> AlertView {
    let (state, resolved) = match alert.state {
        Firing::Firing => (AlertState::Firing, None),
        Firing::Resolved(at) => (AlertState::Resolved, Some(time(at))),
    };
    AlertView {
        name: alert.rule.name.to_owned(),
        severity: alert.rule.severity.into(),
        state,
        object: alert.object.clone(),
        message: alert.message.clone(),
        remedy: alert.remedy.clone(),
        summary: alert.rule.summary.to_owned(),
        since: time(alert.since),
        resolved,
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
