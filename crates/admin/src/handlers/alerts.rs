//! `alerts`, `silences` and `alert-targets`.

use std::time::{Duration, SystemTime};

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use forebay_notify::Notice;
use forebay_service::events::Kind;
use serde::Deserialize;
use utoipa::IntoParams;

use super::common::{Made, Shared, made};
use crate::api::Api;
use crate::base::problem::Problem;
use crate::error::{ApiError, Code, ErrorBody, Result};
use crate::health::{Alert, Silence, State as Firing, named_rule};
use crate::request::{Content, Operate, Params, Read};
use crate::views::{
    Acknowledge, AcknowledgementView, AlertState, AlertTargetView, AlertView, List, NewSilence, SilenceView,
    TargetTestView, time,
};

/// Selects alerts.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AlertFilter {
    /// Only alerts in this state. Without it, all that fire, and then the last hundred that were resolved.
    #[param(nullable = false)]
    pub state: Option<AlertState>,
}

/// An alert in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct AlertPath {
    /// The alert's id.
    #[param(pattern = "^[0-9a-f]{12}$")]
    pub alert: String,
}

/// A silence in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct SilencePath {
    /// The silence's number.
    #[param(minimum = 0, maximum = 9223372036854775807u64)]
    pub silence: u64,
}

/// A target in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct TargetPath {
    /// The target's name in the file of targets.
    #[param(pattern = "^[A-Za-z0-9_.-]{1,255}$")]
    pub target: String,
}

/// List alerts
///
/// Alerts that fire, the most severe first, then the last hundred resolved alerts, the latest first.
#[utoipa::path(get, path = "/alerts", tag = "health", params(AlertFilter), responses((status = 200, description = "The alerts", body = List<AlertView>)))]
pub async fn alert_list(State(api): Shared, asked: Read<AlertFilter>) -> Result<Json<List<AlertView>>> {
    let report = api.health.report();
    let now = SystemTime::now();
    let all = report.firing.iter().chain(&report.resolved).map(|alert| alert_view(&api, alert, now));
    let wanted = |alert: &AlertView| asked.query.state.is_none_or(|state| state == alert.state);
    Ok(Json(List::all(all.filter(wanted).collect())))
}

/// Acknowledge an alert that fires
///
/// Its notices are not repeated until it is resolved. The alert still affects the daemon's status.
#[utoipa::path(
    put, path = "/alerts/{alert}/acknowledgement", tag = "health", params(AlertPath), request_body = Acknowledge,
    responses(
        (status = 200, description = "The alert", body = AlertView),
        (status = 404, description = "No such alert fires", body = ErrorBody),
    ),
)]
pub async fn alert_acknowledge(
    State(api): Shared,
    asked: Operate,
    Params(path): Params<AlertPath>,
    Content(body): Content<Acknowledge>,
) -> Result<Json<AlertView>> {
    let alert = firing(&api, &path.alert)?;
    let comment = body.comment;
    let who = asked.caller.who();
    let by = who.user.clone().unwrap_or_default();
    let said = if comment.is_empty() { String::new() } else { format!(": {comment}") };
    api.health.marks.acknowledge(&alert, by, comment).await?;
    let message = format!("alert {} was acknowledged{said}", alert.rule.name);
    api.service.events.note(Kind::AlertAcknowledged, alert.object.as_str(), message, who);
    Ok(Json(alert_view(&api, &alert, SystemTime::now())))
}

/// Withdraw an acknowledgement
#[utoipa::path(
    delete, path = "/alerts/{alert}/acknowledgement", tag = "health", params(AlertPath),
    responses(
        (status = 204, description = "The alert is not acknowledged"),
        (status = 404, description = "The alert was not acknowledged", body = ErrorBody),
    ),
)]
pub async fn alert_unacknowledge(
    State(api): Shared,
    asked: Operate,
    Params(path): Params<AlertPath>,
) -> Result<StatusCode> {
    if !api.health.marks.unacknowledge(&path.alert).await? {
        return Err(ApiError::new(Code::NotFound, format!("alert {}", path.alert), "is not acknowledged"));
    }
    let object = format!("alert {}", path.alert);
    api.service.events.note(
        Kind::AlertAcknowledged,
        object,
        "its acknowledgement was taken back",
        asked.caller.who(),
    );
    Ok(StatusCode::NO_CONTENT)
}

/// List silences
#[utoipa::path(get, path = "/silences", tag = "health", responses((status = 200, description = "The silences that have not ended", body = List<SilenceView>)))]
pub async fn silence_list(State(api): Shared, _: Read) -> Result<Json<List<SilenceView>>> {
    let all = api.health.marks.silences(SystemTime::now());
    Ok(Json(List::all(all.into_iter().map(|(id, silence)| silence_view(id, silence)).collect())))
}

/// Silence alerts for a time
///
/// Matching alerts are shown, but they are not delivered and do not affect the status. Prometheus has separate silences.
#[utoipa::path(
    post, path = "/silences", tag = "health", request_body = NewSilence,
    responses(
        (status = 201, description = "The silence", body = SilenceView, headers(("Location" = String, description = "The silence"))),
        (status = 409, description = "The maximum number of silences is reached", body = ErrorBody),
    ),
)]
pub async fn silence_create(
    State(api): Shared,
    asked: Operate,
    Content(new): Content<NewSilence>,
) -> Result<Made<SilenceView>> {
    if let Some(rule) = new.rule.as_deref().filter(|rule| named_rule(rule).is_none()) {
        let problem = Problem::new("rule", format!("there is no rule {rule:?}"));
        let remedy = "the reference page of alerts lists all rules; names are written as there";
        return Err(problem.with_remedy(remedy).into());
    }
    let until = SystemTime::now() + Duration::from_secs(new.seconds);
    let who = asked.caller.who();
    let by = who.user.clone().unwrap_or_default();
    let silence = Silence::new(new.rule, new.object, until, by, new.comment);
    let id = api.health.marks.add_silence(silence.clone()).await?;
    let of = |what: &Option<String>, all: &str| what.clone().unwrap_or_else(|| all.to_owned());
    let message = format!(
        "alerts of {} for {} are silent until {}",
        of(&silence.rule, "all rules"),
        of(&silence.object, "all objects"),
        time(until)
    );
    api.service.events.note(Kind::AlertSilenced, format!("silence {id}"), message, who);
    Ok(made(StatusCode::CREATED, format!("silences/{id}"), silence_view(id, silence)))
}

/// End a silence
#[utoipa::path(
    delete, path = "/silences/{silence}", tag = "health", params(SilencePath),
    responses(
        (status = 204, description = "The silence is over"),
        (status = 404, description = "There is no such silence", body = ErrorBody),
    ),
)]
pub async fn silence_delete(
    State(api): Shared,
    asked: Operate,
    Params(path): Params<SilencePath>,
) -> Result<StatusCode> {
    let object = format!("silence {}", path.silence);
    if api.health.marks.end_silence(path.silence).await?.is_none() {
        let error = ApiError::new(Code::NotFound, object, "not found");
        return Err(error.with_remedy("`forebay alert silences` lists those that there are"));
    }
    api.service.events.note(Kind::AlertSilenced, object, "was ended", asked.caller.who());
    Ok(StatusCode::NO_CONTENT)
}

/// List the targets of alert notices
///
/// The targets come from the file in `alerts.targets`. Their secrets are not returned.
#[utoipa::path(get, path = "/alert-targets", tag = "health", responses((status = 200, description = "The targets", body = List<AlertTargetView>)))]
pub async fn target_list(State(api): Shared, _: Read) -> Result<Json<List<AlertTargetView>>> {
    let targets = api.health.notifier.status().into_iter().map(|target| AlertTargetView {
        name: target.name,
        kind: target.kind.to_owned(),
        place: target.place,
        severity: target.severity.into(),
        delivered: target.delivered,
        dropped: target.dropped,
        waiting: target.waiting,
        last_delivered: target.last_delivered.map(time),
        failed: target.failure.as_ref().map(|(at, _)| time(*at)),
        error: target.failure.map(|(_, error)| error),
    });
    Ok(Json(List::all(targets.collect())))
}

/// Send a test notice to a target
///
/// The response is sent when the target has accepted the notice or has failed, within 30 seconds.
#[utoipa::path(
    post, path = "/alert-targets/{target}/test", tag = "health", params(TargetPath),
    responses(
        (status = 200, description = "The outcome of the test", body = TargetTestView),
        (status = 404, description = "There is no such target", body = ErrorBody),
    ),
)]
pub async fn target_test(
    State(api): Shared,
    asked: Operate,
    Params(path): Params<TargetPath>,
) -> Result<Json<TargetTestView>> {
    let by = asked.caller.who().user.unwrap_or_else(|| "somebody".to_owned());
    let notice = Notice::test(&api.health.host, &by);
    let Some(outcome) = api.health.notifier.test(&path.target, &notice).await else {
        let error = ApiError::new(Code::NotFound, format!("alert target {}", path.target), "not found");
        return Err(
            error.with_remedy("`forebay alert targets` lists those in the file that alerts.targets names")
        );
    };
    let (delivered, error) = (outcome.is_ok(), outcome.err());
    Ok(Json(TargetTestView { delivered, error }))
}

fn firing(api: &Api, id: &str) -> Result<Alert> {
    let report = api.health.report();
    let found = report.firing.iter().find(|alert| alert.id() == id).cloned();
    found.ok_or_else(|| {
        ApiError::new(Code::NotFound, format!("alert {id}"), "does not fire")
            .with_remedy("`forebay alert list` shows those that do")
    })
}

/// An alert, with its acknowledgement and its silence.
pub fn alert_view(api: &Api, alert: &Alert, now: SystemTime) -> AlertView {
    let (state, resolved) = match alert.state {
        Firing::Firing => (AlertState::Firing, None),
        Firing::Resolved(at) => (AlertState::Resolved, Some(time(at))),
    };
    let (acknowledged, silenced) = match alert.state {
        Firing::Firing => (api.health.marks.acknowledgement(alert), api.health.marks.silence(alert, now)),
        Firing::Resolved(_) => (None, None),
    };
    AlertView {
        id: alert.id(),
        name: alert.rule.name.to_owned(),
        severity: alert.rule.severity.into(),
        state,
        object: alert.object.clone(),
        message: alert.message.clone(),
        remedy: alert.remedy.clone(),
        summary: alert.rule.summary.to_owned(),
        since: time(alert.since),
        resolved,
        acknowledged: acknowledged.map(|one| AcknowledgementView {
            at: time(one.at()),
            by: one.by,
            comment: one.comment,
        }),
        silenced: silenced.map(|(id, silence)| silence_view(id, silence)),
    }
}

fn silence_view(id: u64, silence: Silence) -> SilenceView {
    SilenceView {
        id,
        until: time(silence.until()),
        created: time(silence.created()),
        rule: silence.rule,
        object: silence.object,
        by: silence.by,
        comment: silence.comment,
    }
}
