//! `jobs`: work that goes on after it was answered.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use super::Shared;
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

/// The jobs that are under way, and the last that ended
#[utoipa::path(get, path = "/jobs", tag = "jobs", responses((status = 200, description = "They", body = List<JobView>)))]
pub async fn job_list(State(api): Shared, _: Read) -> Result<Json<List<JobView>>> {
    Ok(Json(List::all(api.service.jobs.list().into_iter().map(JobView::from).collect())))
}

/// One job
#[utoipa::path(get, path = "/jobs/{job}", tag = "jobs", params(JobPath), responses((status = 200, description = "The job", body = JobView)))]
pub async fn job_show(State(api): Shared, _: Read, Params(path): Params<JobPath>) -> Result<Json<JobView>> {
    Ok(Json(api.service.jobs.get(path.job)?.into()))
}

/// Cancel a job
///
/// Answered when it was told to end; `state` says when it has.
#[utoipa::path(
    delete, path = "/jobs/{job}", tag = "jobs", params(JobPath),
    responses((status = 202, description = "It was told to end", body = JobView), (status = 409, description = "It has ended already", body = ErrorBody)),
)]
pub async fn job_cancel(
    State(api): Shared,
    _: Operate,
    Params(path): Params<JobPath>,
) -> Result<(StatusCode, Json<JobView>)> {
    Ok((StatusCode::ACCEPTED, Json(api.service.jobs.cancel(path.job)?.into())))
}
