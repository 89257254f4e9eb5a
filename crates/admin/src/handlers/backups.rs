//! `pool/backups`: backups of the pool.

use std::time::SystemTime;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use forebay_service::backups::Request;

use super::common::{Made, Shared, made};
use crate::error::Result;
use crate::request::{Content, Operate, Read};
use crate::views::{BackupRequest, BackupsView, JobView, Role};

/// Get the schedule of backups and the last one
#[utoipa::path(get, path = "/pool/backups", tag = "pool", responses((status = 200, description = "The backups", body = BackupsView)))]
pub async fn backups_show(State(api): Shared, _: Read) -> Result<Json<BackupsView>> {
    Ok(Json(BackupsView::of(&api.service.backups, SystemTime::now())))
}

/// Back up the pool while it serves
///
/// The backup contains the pool at one instant, with everything that was written before. Only segments that are not
/// in the directory yet are copied, and all copied data is read back and verified. The response contains a job, whose
/// `backup` will describe it. One backup is made at a time.
#[utoipa::path(
    post, path = "/pool/backups", tag = "pool", request_body = BackupRequest,
    responses(
        (status = 202, description = "The backup has started", body = JobView, headers(("Location" = String, description = "The job"))),
        (status = 403, description = "A directory was named, and the role is not admin", body = crate::error::ErrorBody),
        (status = 409, description = "A backup is already being made", body = crate::error::ErrorBody),
    ),
)]
pub async fn backup_create(
    State(api): Shared,
    asked: Operate,
    Content(request): Content<BackupRequest>,
) -> Result<Made<JobView>> {
    // Whoever names a directory has the daemon write there.
    let configured = &api.service.backups.settings.directory;
    if request.directory.is_some() && request.directory != *configured {
        asked.caller.require(Role::Admin, &api, || "naming a directory for a backup".to_owned())?;
    }
    let keep = request.keep.and_then(|keep| usize::try_from(keep).ok());
    let wanted = Request { directory: request.directory, keep, is_new: request.new };
    let job = JobView::from(api.service.backup(wanted, asked.caller.who())?);
    Ok(made(StatusCode::ACCEPTED, format!("jobs/{}", job.id), job))
}
