//! `jobs`: background work that continues after the response.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use super::common::Shared;
use crate::error::{ErrorBody, Result};
use crate::request::{Operate, Params, Read};
use crate::views::{JobView, List};

/// A job in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct JobPath {
    /// The job's id.
    #[param(minimum = 0, maximum = 9223372036854775807u64)]
    pub job: u64,
}

/// List running jobs and the most recent finished ones
#[utoipa::path(get, path = "/jobs", tag = "jobs", responses((status = 200, description = "The jobs", body = List<JobView>)))]
pub async fn job_list(State(api): Shared, _: Read) -> Result<Json<List<JobView>>> {
    Ok(Json(List::all(api.service.jobs.list().into_iter().map(JobView::from).collect())))
}

/// Get a job
#[utoipa::path(get, path = "/jobs/{job}", tag = "jobs", params(JobPath), responses((status = 200, description = "The job", body = JobView)))]
pub async fn job_show(State(api): Shared, _: Read, Params(path): Params<JobPath>) -> Result<Json<JobView>> {
    Ok(Json(api.service.jobs.get(path.job)?.into()))
}

/// Cancel a job
///
/// The response is sent when cancellation has been requested; `state` shows when the job has ended.
#[utoipa::path(
    delete, path = "/jobs/{job}", tag = "jobs", params(JobPath),
    responses((status = 202, description = "Cancellation was requested", body = JobView), (status = 409, description = "The job has already finished", body = ErrorBody)),
)]
pub async fn job_cancel(
    State(api): Shared,
    _: Operate,
    Params(path): Params<JobPath>,
) -> Result<(StatusCode, Json<JobView>)> {
    Ok((StatusCode::ACCEPTED, Json(api.service.jobs.cancel(path.job)?.into())))
}
