//! `snapshots`: of one volume, and of several at one instant.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse, Response};
use forebay_pool::{Snapshot, SnapshotSpec};
use forebay_service::events::Kind;
use serde::Deserialize;
use utoipa::IntoParams;

use super::common::{Made, OfVolume, Shared, VolumePath, made};
use super::volumes;
use crate::api::Api;
use crate::base::paths::BASE;
use crate::caller::Caller;
use crate::error::{ErrorBody, Result};
use crate::request::{Administer, Content, Operate, Params, Read};
use crate::views::{
    List, NewClone, NewSnapshot, NewSnapshots, Role, Rollback, SnapshotEdit, SnapshotFreesView,
    SnapshotSpaceView, SnapshotView, VolumeView, changes_in_words, snapshot_spec, time,
};

/// A snapshot in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct SnapshotPath {
    /// The volume's name, or `id:` and its id.
    #[param(pattern = "^([A-Za-z0-9_][A-Za-z0-9_.-]{0,63}|id:[0-9a-f]{8})$")]
    pub volume: String,
    /// The snapshot's name.
    #[param(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub snapshot: String,
}

/// List the snapshots of all volumes or of one, by volume and age
#[utoipa::path(
    get, path = "/snapshots", tag = "snapshots", params(OfVolume),
    responses(
        (status = 200, description = "The snapshots", body = List<SnapshotView>),
        (status = 404, description = "The volume does not exist", body = ErrorBody),
    ),
)]
pub async fn snapshot_list_all(
    State(api): Shared,
    asked: Read<OfVolume>,
) -> Result<Json<List<SnapshotView>>> {
    let volume = api.volume_if_named(&asked.query)?;
    let snapshots = api.service.pool.snapshots(volume.map(|volume| volume.id))?;
    Ok(Json(List::all(snapshots.into_iter().map(view).collect())))
}

/// Take a snapshot of several volumes at the same instant
#[utoipa::path(
    post, path = "/snapshots", tag = "snapshots", request_body = NewSnapshots,
    responses(
        (status = 201, description = "The snapshots", body = List<SnapshotView>),
        (status = 404, description = "The volume does not exist", body = ErrorBody),
        (status = 409, description = "A volume already has a snapshot of that name", body = ErrorBody),
    ),
)]
pub async fn snapshot_create_all(
    State(api): Shared,
    asked: Operate,
    Content(new): Content<NewSnapshots>,
) -> Result<(StatusCode, Json<List<SnapshotView>>)> {
    let names = new.volumes.iter().map(|named| api.volume(named).map(|volume| volume.spec.name));
    let names = names.collect::<Result<Vec<_>>>()?;
    let spec = spec(&api, &asked.caller, new.expires.as_deref(), new.locked_until.as_deref())?;
    let taken = take(&api, &asked.caller, &names, &new.name, spec).await?;
    Ok((StatusCode::CREATED, Json(List::all(taken))))
}

/// List the snapshots of a volume, by age
#[utoipa::path(
    get, path = "/volumes/{volume}/snapshots", tag = "snapshots", params(VolumePath),
    responses((status = 200, description = "The snapshots", body = List<SnapshotView>)),
)]
pub async fn snapshot_list(
    State(api): Shared,
    _: Read,
    Params(path): Params<VolumePath>,
) -> Result<Json<List<SnapshotView>>> {
    let volume = api.volume(&path.volume)?;
    let snapshots = api.service.pool.snapshots(Some(volume.id))?;
    Ok(Json(List::all(snapshots.into_iter().map(view).collect())))
}

/// Get the space that the deletion of each snapshot of a volume would free
///
/// Reads all extents of the volume, which takes long for a large volume. A result is cached for a minute.
#[utoipa::path(
    get, path = "/volumes/{volume}/snapshot-space", tag = "snapshots", params(VolumePath),
    responses((status = 200, description = "The space that each deletion would free", body = SnapshotSpaceView)),
)]
pub async fn snapshot_space_show(
    State(api): Shared,
    _: Read,
    Params(path): Params<VolumePath>,
) -> Result<Json<SnapshotSpaceView>> {
    let volume = api.volume(&path.volume)?.id;
    let pool = &api.service.pool;
    let space = pool.snapshot_space(volume).await?;
    let snapshots = pool.snapshots(Some(volume))?.into_iter();
    let items = snapshots.filter_map(|taken| {
        Some(SnapshotFreesView { frees_bytes: *space.frees.get(&taken.id)?, name: taken.name })
    });
    Ok(Json(SnapshotSpaceView {
        as_of: time(space.taken),
        estimate: space.is_estimate,
        items: items.collect(),
    }))
}

/// Take a snapshot
#[utoipa::path(
    post, path = "/volumes/{volume}/snapshots", tag = "snapshots", params(VolumePath), request_body = NewSnapshot,
    responses(
        (status = 201, description = "The snapshot", body = SnapshotView, headers(("Location" = String, description = "The snapshot"))),
        (status = 409, description = "The volume already has a snapshot of that name", body = ErrorBody),
    ),
)]
pub async fn snapshot_create(
    State(api): Shared,
    asked: Operate,
    Params(path): Params<VolumePath>,
    Content(NewSnapshot { name, expires, locked_until }): Content<NewSnapshot>,
) -> Result<Made<SnapshotView>> {
    let volume = api.volume(&path.volume)?.spec.name;
    let spec = spec(&api, &asked.caller, expires.as_deref(), locked_until.as_deref())?;
    take(&api, &asked.caller, std::slice::from_ref(&volume), &name, spec).await?;
    let view = view(api.service.pool.snapshot(&volume, &name)?);
    Ok(made(StatusCode::CREATED, format!("volumes/{volume}/snapshots/{name}"), view))
}

/// Get a snapshot
#[utoipa::path(
    get, path = "/volumes/{volume}/snapshots/{snapshot}", tag = "snapshots", params(SnapshotPath),
    responses((status = 200, description = "The snapshot", body = SnapshotView)),
)]
pub async fn snapshot_show(
    State(api): Shared,
    _: Read,
    Params(path): Params<SnapshotPath>,
) -> Result<Json<SnapshotView>> {
    let volume = api.volume(&path.volume)?.spec.name;
    Ok(Json(view(api.service.pool.snapshot(&volume, &path.snapshot)?)))
}

/// Take a snapshot, unless one of that name exists
///
/// The request is idempotent.
#[utoipa::path(
    put, path = "/volumes/{volume}/snapshots/{snapshot}", tag = "snapshots", params(SnapshotPath),
    responses(
        (status = 200, description = "The snapshot already exists", body = SnapshotView),
        (status = 201, description = "The snapshot was taken", body = SnapshotView, headers(("Location" = String, description = "The snapshot"))),
        (status = 409, description = "Another caller is taking a snapshot of that name", body = ErrorBody),
    ),
)]
pub async fn snapshot_put(
    State(api): Shared,
    asked: Operate,
    Params(SnapshotPath { volume, snapshot: name }): Params<SnapshotPath>,
) -> Result<Response> {
    let volume = api.volume(&volume)?.spec.name;
    if let Ok(there) = api.service.pool.snapshot(&volume, &name) {
        return Ok(Json(view(there)).into_response());
    }
    take(&api, &asked.caller, std::slice::from_ref(&volume), &name, SnapshotSpec::default()).await?;
    let place = [(LOCATION, format!("{}/volumes/{volume}/snapshots/{name}", BASE))];
    let view = view(api.service.pool.snapshot(&volume, &name)?);
    Ok((StatusCode::CREATED, place, Json(view)).into_response())
}

/// Change the name, the expiry or the lock of a snapshot
///
/// A snapshot that was taken for a clone is then no longer deleted with the clone.
#[utoipa::path(
    patch, path = "/volumes/{volume}/snapshots/{snapshot}", tag = "snapshots", params(SnapshotPath), request_body = SnapshotEdit,
    responses(
        (status = 200, description = "The snapshot", body = SnapshotView),
        (status = 409, description = "The name is in use, or the snapshot is locked for longer", body = ErrorBody),
    ),
)]
pub async fn snapshot_change(
    State(api): Shared,
    asked: Operate,
    Params(path): Params<SnapshotPath>,
    Content(edit): Content<SnapshotEdit>,
) -> Result<Json<SnapshotView>> {
    if edit.locked_until.is_some() {
        asked.caller.require(Role::Admin, &api, || "locking a snapshot".to_owned())?;
    }
    let (volume, name) = (api.volume(&path.volume)?.spec.name, path.snapshot);
    let before = view(api.service.pool.snapshot(&volume, &name)?);
    let after = view(api.service.pool.snapshot_modify(&volume, &name, edit.change()?).await?);
    let changes = changes_in_words(&edit, &before, &after);
    api.note(Kind::SnapshotChanged, format!("snapshot {volume}@{}", after.name), changes, &asked.caller);
    Ok(Json(after))
}

/// Delete a snapshot
///
/// Refused if the snapshot has clones or is locked. Space that only this snapshot used is freed in the background.
#[utoipa::path(
    delete, path = "/volumes/{volume}/snapshots/{snapshot}", tag = "snapshots", params(SnapshotPath),
    responses((status = 204, description = "The snapshot was deleted"), (status = 409, description = "The snapshot has clones", body = ErrorBody)),
)]
pub async fn snapshot_delete(
    State(api): Shared,
    asked: Operate,
    Params(path): Params<SnapshotPath>,
) -> Result<StatusCode> {
    let (volume, name) = (api.volume(&path.volume)?.spec.name, path.snapshot);
    api.service.pool.snapshot_delete(&volume, &name).await?;
    api.service.events.note(
        Kind::SnapshotDeleted,
        format!("snapshot {volume}@{name}"),
        "deleted",
        asked.caller.who(),
    );
    Ok(StatusCode::NO_CONTENT)
}

/// Revert a volume to a snapshot
///
/// All changes made since the snapshot are lost, so this needs the role admin. Refused if there are newer
/// snapshots, unless `force` is given.
#[utoipa::path(
    post, path = "/volumes/{volume}/snapshots/{snapshot}/rollback", tag = "snapshots", params(SnapshotPath), request_body = Rollback,
    responses((status = 200, description = "The volume", body = VolumeView), (status = 409, description = "There are newer snapshots", body = ErrorBody)),
)]
pub async fn snapshot_rollback(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<SnapshotPath>,
    Content(Rollback { force }): Content<Rollback>,
) -> Result<Json<VolumeView>> {
    let (volume, name) = (api.volume(&path.volume)?.spec.name, path.snapshot);
    api.service.volumes.roll_back(&volume, &name, force, asked.caller.who()).await?;
    Ok(Json(volumes::view(&api, &api.service.pool.volume(&volume)?).await?))
}

/// Create a volume from a snapshot
///
/// A clone takes no time and no space to create, whatever its size. The snapshot cannot be deleted before the
/// clone.
#[utoipa::path(
    post, path = "/volumes/{volume}/snapshots/{snapshot}/clones", tag = "snapshots", params(SnapshotPath), request_body = NewClone,
    responses(
        (status = 201, description = "The clone", body = VolumeView, headers(("Location" = String, description = "The clone"))),
        (status = 409, description = "The name or the path is already in use", body = ErrorBody),
    ),
)]
pub async fn snapshot_clone(
    State(api): Shared,
    asked: Operate,
    Params(path): Params<SnapshotPath>,
    Content(new): Content<NewClone>,
) -> Result<Made<VolumeView>> {
    let volume = api.volume(&path.volume)?.spec.name;
    api.service.pool.snapshot(&volume, &path.snapshot)?;
    volumes::clone(&api, &asked.caller, &volume, Some(&path.snapshot), new).await
}

/// The deadlines of a new snapshot. Only admins lock, since a lock keeps space that nobody can free.
fn spec(
    api: &Api,
    caller: &Caller,
    expires: Option<&str>,
    locked_until: Option<&str>,
) -> Result<SnapshotSpec> {
    if locked_until.is_some() {
        caller.require(Role::Admin, api, || "locking a snapshot".to_owned())?;
    }
    Ok(snapshot_spec(expires, locked_until)?)
}

async fn take(
    api: &Api,
    caller: &Caller,
    volumes: &[String],
    name: &str,
    spec: SnapshotSpec,
) -> Result<Vec<SnapshotView>> {
    let taken = api.service.pool.snapshot_create_as(volumes, name, spec).await?;
    for volume in volumes {
        api.service.events.note(
            Kind::SnapshotTaken,
            format!("snapshot {volume}@{name}"),
            "taken",
            caller.who(),
        );
    }
    Ok(taken.into_iter().map(view).collect())
}

fn view(snapshot: Snapshot) -> SnapshotView {
    SnapshotView {
        volume: snapshot.volume_name,
        name: snapshot.name,
        created: time(snapshot.created),
        bytes_logical: snapshot.bytes_logical,
        period: snapshot.period.map(|period| period.name().to_owned()),
        clones: snapshot.clones,
        clones_deleted: snapshot.clones_deleted,
        expires: snapshot.expires.map(time),
        locked_until: snapshot.locked_until.map(time),
        for_clone: snapshot.is_for_clone,
    }
}
