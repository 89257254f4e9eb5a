//! `pool`: sizes, checks, the scrub, and storage efficiency.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use forebay_service::events::Kind;

use super::common::{Made, OfVolume, SegmentPath, Shared, made};
use crate::api::{Api, RELEASE};
use crate::error::{ApiError, Code, Result};
use crate::request::{Administer, Content, Operate, Params, Read};
use crate::views::{
    CheckRequest, DiskSpeedView, EfficiencyView, FormatView, JobView, List, LostSegmentView, ObjectStoreView,
    PoolView, ScrubView, time,
};

/// Get the pool and its sizes
#[utoipa::path(get, path = "/pool", tag = "pool", responses((status = 200, description = "The pool", body = PoolView)))]
pub async fn pool_show(State(api): Shared, _: Read) -> Result<Json<PoolView>> {
    let pool = &api.service.pool;
    let counts = pool.counters()?.objects;
    let (space, stored, deleted) = (pool.space()?, pool.stored()?, pool.deleted_volumes()?);
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
        deleted_volumes: deleted.len() as u64,
        deleted_bytes_logical: deleted.iter().map(|volume| volume.bytes_logical).sum(),
        deleted_until: deleted.iter().map(|volume| volume.until).min().map(time),
        segments: stored.segments,
        bytes_live: stored.bytes_live,
        bytes_dead: stored.bytes_dead,
        bytes_inline: stored.bytes_inline,
        efficiency: api.efficiencies.of(None).map(Into::into),
        segments_missing: stored.segments_missing,
        lost_found_segments: stored.lost_found_segments,
        lost_found_bytes: stored.lost_found_bytes,
        object_store: api.object_store.as_ref().zip(counts).map(|(bucket, counts)| {
            let cost = bucket.cost(&counts, stored.bytes_live.saturating_add(stored.bytes_dead));
            ObjectStoreView::of(bucket.place.clone(), &counts, cost)
        }),
        scrub: scrub(&api)?,
        metadata: pool.metadata_copies()?.into(),
        format: pool.format()?.into(),
        release: RELEASE.to_owned(),
    }))
}

/// Measure the sync rate of the pool's disk
///
/// Writes to an unnamed file in the pool's directory for about 1.5 seconds, which slows down other writers. One measurement
/// runs at a time.
#[utoipa::path(post, path = "/pool/speed", tag = "pool", responses((status = 200, description = "The measurement", body = DiskSpeedView)))]
pub async fn pool_speed(State(api): Shared, _: Administer) -> Result<Json<DiskSpeedView>> {
    let _alone = api.efficiencies.alone().await;
    let directory = api.directory.clone();
    let measured =
        tokio::task::spawn_blocking(move || forebay_service::disk_speed::measure(&directory)).await;
    let failed = |cause: String| {
        ApiError::new(
            Code::Unavailable,
            format!("pool {}", api.directory.display()),
            format!("cannot be measured: {cause}"),
        )
        .with_remedy("free space in its file system, or mend the permissions of its directory")
    };
    let measured = measured.map_err(|error| failed(error.to_string()))?;
    measured.map(|speed| Json(speed.into())).map_err(|error| failed(error.to_string()))
}

/// Recount everything in the pool and report inconsistencies
///
/// The response contains a job, whose `result` will hold the findings. One check runs at a time.
#[utoipa::path(
    post, path = "/pool/check", tag = "pool", request_body = CheckRequest,
    responses(
        (status = 202, description = "The check has started", body = JobView, headers(("Location" = String, description = "The job"))),
        (status = 409, description = "A check is already running", body = crate::error::ErrorBody),
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

/// Finalize the upgrade of the pool
///
/// The pool gets the newest format. From then on, no older release can open it.
#[utoipa::path(post, path = "/pool/finalize", tag = "pool", responses((status = 200, description = "The format", body = FormatView)))]
pub async fn pool_finalize(State(api): Shared, asked: Administer) -> Result<Json<FormatView>> {
    let pool = &api.service.pool;
    let before = pool.format()?;
    let format = pool.finalize().await?;
    if before != format {
        let message = format!("upgraded from format {} to {}, for good", before.found, format.found);
        api.service.events.note(Kind::PoolUpgraded, "pool", message, asked.caller.who());
    }
    Ok(Json(format.into()))
}

/// Get the state of the scrub
#[utoipa::path(get, path = "/pool/scrub", tag = "pool", responses((status = 200, description = "The state of the scrub", body = ScrubView)))]
pub async fn scrub_show(State(api): Shared, _: Read) -> Result<Json<ScrubView>> {
    scrub(&api).map(Json)
}

/// Start a scrub that verifies all stored data in the background
#[utoipa::path(post, path = "/pool/scrub", tag = "pool", responses((status = 202, description = "The scrub has started", body = ScrubView)))]
pub async fn scrub_start(State(api): Shared, asked: Operate) -> Result<(StatusCode, Json<ScrubView>)> {
    api.service.pool.scrub_start().await?;
    api.service.events.note(Kind::ScrubStarted, "pool", "scrub started", asked.caller.who());
    Ok((StatusCode::ACCEPTED, Json(scrub(&api)?)))
}

/// Stop the running scrub
#[utoipa::path(delete, path = "/pool/scrub", tag = "pool", responses((status = 200, description = "The state of the scrub", body = ScrubView)))]
pub async fn scrub_stop(State(api): Shared, asked: Operate) -> Result<Json<ScrubView>> {
    let was_running = scrub(&api)?.running;
    api.service.pool.scrub_stop().await?;
    if was_running {
        api.service.events.note(Kind::ScrubStopped, "pool", "scrub stopped", asked.caller.who());
    }
    scrub(&api).map(Json)
}

fn scrub(api: &Api) -> Result<ScrubView> {
    Ok(api.service.pool.scrub_status()?.into())
}

/// List segments that are unknown to the metadata
///
/// They were found when the pool was opened, and stay in `lost+found` until they are deleted. After a crash
/// such a segment usually holds only data that was never acknowledged.
#[utoipa::path(
    get, path = "/pool/lost-found", tag = "pool",
    responses((status = 200, description = "The segments", body = List<LostSegmentView>)),
)]
pub async fn lost_found_list(State(api): Shared, _: Read) -> Result<Json<List<LostSegmentView>>> {
    let found = api.service.pool.lost_and_found()?;
    Ok(Json(List::all(found.into_iter().map(Into::into).collect())))
}

/// Delete a segment that is unknown to the metadata
#[utoipa::path(
    delete, path = "/pool/lost-found/{segment}", tag = "pool",
    params(SegmentPath),
    responses(
        (status = 204, description = "The segment was deleted"),
        (status = 404, description = "The segment does not exist", body = crate::error::ErrorBody),
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
    let message = format!("segment {segment} deleted from lost+found");
    api.service.events.note(Kind::LostSegmentDeleted, "pool", message, asked.caller.who());
    Ok(StatusCode::NO_CONTENT)
}

/// Calculate the storage efficiency now
///
/// The daemon also calculates it regularly: `pool` and `volumes` contain the latest result. This request scans every extent of the volume
/// or the pool, which takes a while, and its result replaces the last one. One such request is processed at a time.
#[utoipa::path(
    get, path = "/pool/efficiency", tag = "pool", params(OfVolume),
    responses(
        (status = 200, description = "The storage efficiency", body = EfficiencyView),
        (status = 404, description = "The volume does not exist", body = crate::error::ErrorBody),
    ),
)]
pub async fn pool_efficiency(State(api): Shared, asked: Read<OfVolume>) -> Result<Json<EfficiencyView>> {
    let volume = api.volume_if_named(&asked.query)?;
    Ok(Json(api.efficiencies.count(volume.map(|volume| volume.id)).await?.into()))
}
