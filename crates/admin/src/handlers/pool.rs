//! `pool`: its sizes, the check, the scrub, and what is saved.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use forebay_service::events::Kind;

use super::{Made, OfVolume, SegmentPath, Shared, made};
use crate::error::{ApiError, Code, Result};
use crate::request::{Administer, Content, Operate, Params, Read};
use crate::views::{CheckRequest, EfficiencyView, JobView, List, LostSegmentView, PoolView, ScrubView};
use crate::{Api, RELEASE};

/// The pool and its sizes
#[utoipa::path(get, path = "/pool", tag = "pool", responses((status = 200, description = "The pool", body = PoolView)))]
pub async fn pool_show(State(api): Shared, _: Read) -> Result<Json<PoolView>> {
    let pool = &api.service.pool;
    let (space, stored) = (pool.space()?, pool.stored()?);
    Ok(Json(PoolView {
        id: pool.id().to_string(),
        boot: pool.boot(),
        directory: api.directory.display().to_string(),
        bytes_total: space.bytes_total,
        bytes_free: space.bytes_free,
        bytes_logical: space.bytes_logical,
        inodes_used: space.inodes_used,
        orphans: space.orphans,
        volumes: pool.volumes()?.len() as u64,
        segments: stored.segments,
        bytes_live: stored.bytes_live,
        bytes_dead: stored.bytes_dead,
        bytes_inline: stored.bytes_inline,
        segments_missing: stored.segments_missing,
        lost_found_segments: stored.lost_found_segments,
        lost_found_bytes: stored.lost_found_bytes,
        scrub: scrub(&api)?,
        release: RELEASE.to_owned(),
    }))
}

/// Recount everything in the pool, and report what does not agree
///
/// Answered at once with a job, whose `result` is what was found. One check runs at a time.
#[utoipa::path(
    post, path = "/pool/check", tag = "pool", request_body = CheckRequest,
    responses(
        (status = 202, description = "It has begun", body = JobView, headers(("Location" = String, description = "The job"))),
        (status = 409, description = "A check is under way", body = crate::error::ErrorBody),
    ),
)]
pub async fn pool_check(
    State(api): Shared,
    asked: Operate,
    Content(CheckRequest { read }): Content<CheckRequest>,
) -> Result<Made<JobView>> {
    let (service, who) = (&api.service, asked.caller.who());
    let job = JobView::from(service.jobs.check(&service.pool, &service.events, read, who)?);
    Ok(made(StatusCode::ACCEPTED, format!("jobs/{}", job.id), job))
}

/// How the verification of everything stands
#[utoipa::path(get, path = "/pool/scrub", tag = "pool", responses((status = 200, description = "How it stands", body = ScrubView)))]
pub async fn scrub_show(State(api): Shared, _: Read) -> Result<Json<ScrubView>> {
    scrub(&api).map(Json)
}

/// Verify everything that is stored, in the background, from the start
#[utoipa::path(post, path = "/pool/scrub", tag = "pool", responses((status = 202, description = "It has begun", body = ScrubView)))]
pub async fn scrub_start(State(api): Shared, asked: Operate) -> Result<(StatusCode, Json<ScrubView>)> {
    api.service.pool.scrub_start().await?;
    api.service.events.note(Kind::ScrubStarted, "pool", "a scrub begins", asked.caller.who());
    Ok((StatusCode::ACCEPTED, Json(scrub(&api)?)))
}

/// End the verification that is under way
#[utoipa::path(delete, path = "/pool/scrub", tag = "pool", responses((status = 200, description = "How it stands", body = ScrubView)))]
pub async fn scrub_stop(State(api): Shared, asked: Operate) -> Result<Json<ScrubView>> {
    let was_running = scrub(&api)?.running;
    api.service.pool.scrub_stop().await?;
    if was_running {
        api.service.events.note(Kind::ScrubStopped, "pool", "the scrub was stopped", asked.caller.who());
    }
    scrub(&api).map(Json)
}

fn scrub(api: &Api) -> Result<ScrubView> {
    Ok(api.service.pool.scrub_status()?.into())
}

/// Segments that no metadata names
///
/// They were found when the pool was opened, and are kept in `lost+found` until they are deleted. After a crash such a segment usually holds
/// only data that was never acknowledged.
#[utoipa::path(
    get, path = "/pool/lost-found", tag = "pool",
    responses((status = 200, description = "The segments", body = List<LostSegmentView>)),
)]
pub async fn lost_found_list(State(api): Shared, _: Read) -> Result<Json<List<LostSegmentView>>> {
    let found = api.service.pool.lost_and_found()?;
    Ok(Json(List::all(found.into_iter().map(Into::into).collect())))
}

/// Delete a segment that no metadata names
#[utoipa::path(
    delete, path = "/pool/lost-found/{segment}", tag = "pool",
    params(SegmentPath),
    responses(
        (status = 204, description = "The segment is deleted"),
        (status = 404, description = "There is no such segment", body = crate::error::ErrorBody),
    ),
)]
pub async fn lost_found_delete(
    State(api): Shared,
    asked: Administer,
    Params(SegmentPath { segment }): Params<SegmentPath>,
) -> Result<StatusCode> {
    let number = u64::from_str_radix(&segment, 16).ok().filter(|number| format!("{number:016x}") == segment);
    let number = number.ok_or_else(|| {
        ApiError::new(Code::NotFound, format!("segment {segment} in lost+found"), "not found")
            .with_remedy("a segment's number has 16 hexadecimal digits")
    })?;
    api.service.pool.lost_and_found_delete(number).await?;
    let message = format!("segment {segment} was deleted from lost+found");
    api.service.events.note(Kind::LostSegmentDeleted, "pool", message, asked.caller.who());
    Ok(StatusCode::NO_CONTENT)
}

/// What deduplication and compression save
///
/// Looks at every extent of the volume, or of all, so it takes a while. One is answered at a time.
#[utoipa::path(
    get, path = "/pool/efficiency", tag = "pool", params(OfVolume),
    responses(
        (status = 200, description = "What is saved", body = EfficiencyView),
        (status = 404, description = "There is no such volume", body = crate::error::ErrorBody),
    ),
)]
pub async fn pool_efficiency(State(api): Shared, asked: Read<OfVolume>) -> Result<Json<EfficiencyView>> {
    let volume = api.volume_if_named(&asked.query)?;
    let _counting = api.counting.lock().await;
    let found = api.service.pool.efficiency(volume.map(|volume| volume.id)).await?;
    Ok(Json(found.into()))
}
