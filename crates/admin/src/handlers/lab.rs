//! `lab`: lab reports.

use std::time::SystemTime;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{self, HeaderName};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::IntoParams;

use super::common::Shared;
use crate::base::paths::LAB_PAGES;
use crate::base::problem::Problem;
use crate::error::{ApiError, Code, Result};
use crate::lab::{GOOD_FOR, REPORTS_MAX};
use crate::request::{Params, Read};
use crate::views::{self, LabPageView, LabReportView, LabReportsView};

/// A page runs no script, has no origin, loads nothing, and can be framed only by the console.
const POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; \
                      frame-ancestors 'self'";

const GUARDS: [(HeaderName, &str); 6] = [
    (header::CONTENT_TYPE, "text/html; charset=utf-8"),
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "SAMEORIGIN"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
];

/// A report in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct ReportPath {
    /// The report's id.
    #[param(pattern = "^[0-9a-f]{16}$")]
    pub report: String,
}

/// Selects reports.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ReportFilter {
    /// Maximum number of reports; default 500, the most there can be.
    #[param(minimum = 1, maximum = 500, nullable = false)]
    pub limit: Option<u32>,
}

/// List the lab's reports, newest first
///
/// The reports are in `lab.results_directory`. A report that cannot be read is listed, and its `problem` says
/// why.
#[utoipa::path(get, path = "/lab/reports", tag = "lab", params(ReportFilter), responses((status = 200, description = "The reports", body = LabReportsView)))]
pub async fn report_list(State(api): Shared, asked: Read<ReportFilter>) -> Result<Json<LabReportsView>> {
    let limit = asked.query.limit.map_or(REPORTS_MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    if !(1..=REPORTS_MAX).contains(&limit) {
        return Err(Problem::new("limit", format!("must be from 1 to {REPORTS_MAX}")).into());
    }
    let scan = api.lab.scan().await;
    Ok(Json(LabReportsView {
        directory: api.lab.directory(),
        problem: scan.problem.clone(),
        items: scan.entries.iter().take(limit).map(|entry| entry.view.clone()).collect(),
        total: scan.entries.len() as u64,
    }))
}

/// Get a lab report
#[utoipa::path(get, path = "/lab/reports/{report}", tag = "lab", params(ReportPath), responses((status = 200, description = "The report", body = LabReportView)))]
pub async fn report_show(
    State(api): Shared,
    _: Read,
    Params(path): Params<ReportPath>,
) -> Result<Json<LabReportView>> {
    let found = api.lab.find(&path.report).await;
    found.map(|entry| Json(entry.view)).ok_or_else(|| unknown(&path.report))
}

/// Get the page of a lab report
///
/// The page is self-contained. It is served with headers that prevent it from running scripts.
#[utoipa::path(
    get, path = "/lab/reports/{report}/page", tag = "lab", params(ReportPath),
    responses((status = 200, description = "The page", body = String, content_type = "text/html")),
)]
pub async fn report_page(State(api): Shared, _: Read, Params(path): Params<ReportPath>) -> Result<Response> {
    let entry = api.lab.find(&path.report).await.ok_or_else(|| unknown(&path.report))?;
    let page = api.lab.page(&entry).await;
    page.map(|page| (GUARDS, page).into_response()).map_err(|why| pageless(&path.report, &why))
}

/// Create a temporary path for the page of a lab report
///
/// The path in the response needs no token and is valid for ten minutes. A browser needs it because it sends
/// no token for the content of a frame.
#[utoipa::path(
    post, path = "/lab/reports/{report}/page", tag = "lab", params(ReportPath),
    responses((status = 201, description = "The temporary path", body = LabPageView)),
)]
pub async fn report_open(
    State(api): Shared,
    _: Read,
    Params(path): Params<ReportPath>,
) -> Result<(StatusCode, Json<LabPageView>)> {
    let entry = api.lab.find(&path.report).await.ok_or_else(|| unknown(&path.report))?;
    if entry.view.page_bytes.is_none() {
        return Err(pageless(&path.report, entry.view.problem.as_deref().unwrap_or("it has no page")));
    }
    let ticket = api.lab.tickets.draw().map_err(|error| {
        let cause = format!("the system gives no random numbers: {error}");
        ApiError::new(Code::Internal, format!("report {}", path.report), cause)
    })?;
    let place: Vec<String> = entry.page.iter().map(|name| escaped(name)).collect();
    let expires = views::time(SystemTime::now() + GOOD_FOR);
    Ok((
        StatusCode::CREATED,
        Json(LabPageView { path: format!("{LAB_PAGES}/{ticket}/{}", place.join("/")), expires }),
    ))
}

/// A page, for the holder of a ticket.
pub async fn page_show(
    State(api): Shared,
    path: std::result::Result<Path<(String, String)>, axum::extract::rejection::PathRejection>,
) -> Response {
    let refused = |text: &'static str| (StatusCode::NOT_FOUND, GUARDS, text).into_response();
    let Ok(Path((ticket, place))) = path else { return refused("<p>Page not found.") };
    if !api.lab.tickets.is_good(&ticket) {
        return refused("<p>This link has expired. Open the report again.");
    }
    match api.lab.page_at(&place).await {
        Some(Ok(page)) => (GUARDS, page).into_response(),
        Some(Err(_)) => refused("<p>The page can no longer be read. See the list of reports."),
        None => refused("<p>This page is not a report."),
    }
}

/// Escapes a name for use in a path.
fn escaped(name: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    let one = |byte: u8| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    name.bytes().map(one).collect()
}

fn unknown(report: &str) -> ApiError {
    ApiError::new(Code::LabReportNotFound, format!("report {report}"), "not found")
        .with_remedy("`forebay lab reports` shows all reports")
}

fn pageless(report: &str, why: &str) -> ApiError {
    ApiError::new(
        Code::LabReportNotFound,
        format!("report {report}"),
        format!("its page cannot be shown: {why}"),
    )
}
