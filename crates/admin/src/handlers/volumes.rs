//! `volumes`: creating, listing, changing, cloning and deleting them.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse, Response};
use forebay_nfs::policy::{self, Policies};
use forebay_pool::{CloneSpec, Pool, Volume, VolumeChange, VolumeSpec};

use super::{Force, Made, Shared, VolumePath, made};
use crate::Api;
use crate::caller::Caller;
use crate::error::{ApiError, Code, ErrorBody, Result};
use crate::events::Kind;
use crate::request::{Content, Operate, Params, Read};
use crate::views::{
    Compression, List, NewClone, NewVolume, Plan, Role, VolumeEdit, VolumeSettings, VolumeView, WaitsView,
    octal, time,
};

/// List all volumes, by name
#[utoipa::path(get, path = "/volumes", tag = "volumes", responses((status = 200, description = "All volumes", body = List<VolumeView>)))]
pub async fn volume_list(State(api): Shared, _: Read) -> Result<Json<List<VolumeView>>> {
    let mut views = Vec::new();
    for volume in api.nfs.pool.volumes() {
        match view(&api, &volume).await {
            Ok(view) => views.push(view),
            // Deleted since the list was taken.
            Err(forebay_pool::Error::Stale | forebay_pool::Error::NotFound(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Json(List::all(views)))
}

/// Create a volume
#[utoipa::path(
    post, path = "/volumes", tag = "volumes", request_body = NewVolume,
    responses(
        (status = 201, description = "The volume", body = VolumeView, headers(("Location" = String, description = "The volume"))),
        (status = 404, description = "The export policy does not exist", body = ErrorBody),
        (status = 409, description = "The name or the path is already in use", body = ErrorBody),
    ),
)]
pub async fn volume_create(
    State(api): Shared,
    asked: Operate,
    Content(new): Content<NewVolume>,
) -> Result<Made<VolumeView>> {
    let (name, settings) = new.split();
    let volume = create(&api, &asked.caller, &name, settings).await?;
    Ok(made(StatusCode::CREATED, format!("volumes/{name}"), view(&api, &volume).await?))
}

/// Get a volume
#[utoipa::path(get, path = "/volumes/{volume}", tag = "volumes", params(VolumePath), responses((status = 200, description = "The volume", body = VolumeView)))]
pub async fn volume_show(
    State(api): Shared,
    _: Read,
    Params(path): Params<VolumePath>,
) -> Result<Json<VolumeView>> {
    let volume = api.volume(&path.volume)?;
    Ok(Json(view(&api, &volume).await?))
}

/// Create a volume, unless it exists
///
/// If the volume exists with the same settings, it is returned, so the request is idempotent. If its settings
/// differ, nothing is changed; use PATCH to change it.
#[utoipa::path(
    put, path = "/volumes/{volume}", tag = "volumes", params(VolumePath), request_body = VolumeSettings,
    responses(
        (status = 200, description = "The volume already exists with these settings", body = VolumeView),
        (status = 201, description = "The volume was created", body = VolumeView, headers(("Location" = String, description = "The volume"))),
        (status = 409, description = "The volume exists with different settings, or the path is already in use", body = ErrorBody),
    ),
)]
pub async fn volume_put(
    State(api): Shared,
    asked: Operate,
    Params(VolumePath { volume: name }): Params<VolumePath>,
    Content(settings): Content<VolumeSettings>,
) -> Result<Response> {
    if let Ok(there) = api.volume(&name) {
        let there = view(&api, &there).await?;
        require_same(&there, &settings)?;
        return Ok(Json(there).into_response());
    }
    let volume = create(&api, &asked.caller, &name, settings).await?;
    let place = [(LOCATION, format!("{}/volumes/{name}", crate::router::BASE))];
    Ok((StatusCode::CREATED, place, Json(view(&api, &volume).await?)).into_response())
}

/// Change a volume
///
/// Either all changes are made or none. Fields that are absent stay unchanged; null removes a limit.
#[utoipa::path(
    patch, path = "/volumes/{volume}", tag = "volumes", params(VolumePath), request_body = VolumeEdit,
    responses(
        (status = 200, description = "The changed volume", body = VolumeView),
        (status = 409, description = "The path is already in use, or the volume holds more data than the new size", body = ErrorBody),
    ),
)]
pub async fn volume_change(
    State(api): Shared,
    asked: Operate,
    Params(path): Params<VolumePath>,
    Content(edit): Content<VolumeEdit>,
) -> Result<Json<VolumeView>> {
    let (pool, policies) = (&api.nfs.pool, &api.nfs.policies);
    let volume = api.volume(&path.volume)?;
    let name = volume.spec.name;
    // Everything that could refuse the second step is checked before the first is carried out.
    if let Some(policy) = &edit.export {
        policies.get(policy)?;
    }
    let change = pool_change(&edit)?;
    if change != VolumeChange::default() {
        pool.volume_modify(&name, change).await?;
    }
    if let Some(policy) = &edit.export {
        policies.assign(&name, policy).await?;
    }
    if edit != VolumeEdit::default() {
        let said = serde_json::to_string(&edit).unwrap_or_default();
        api.events.note(
            Kind::VolumeChanged,
            format!("volume {name}"),
            format!("changed: {said}"),
            asked.caller.who(),
        );
    }
    Ok(Json(view(&api, &pool.volume(&name)?).await?))
}

/// Delete a volume
///
/// Refused if the volume has clones. Refused if it has files or snapshots, unless `force` is given. Clients
/// that have it mounted get "stale file handle" from then on.
#[utoipa::path(
    delete, path = "/volumes/{volume}", tag = "volumes", params(VolumePath, Force),
    responses(
        (status = 204, description = "The volume was deleted"),
        (status = 409, description = "The volume has files, snapshots or clones", body = ErrorBody),
    ),
)]
pub async fn volume_delete(
    State(api): Shared,
    asked: Operate<Force>,
    Params(path): Params<VolumePath>,
) -> Result<StatusCode> {
    let force = asked.query.force;
    if force {
        asked
            .caller
            .require(Role::Admin, &api, || format!("deleting volume {} with all data", path.volume))?;
    }
    let name = api.volume(&path.volume)?.spec.name;
    if !force {
        // A volume without names may still hold files that only silent clients have open.
        api.nfs.state.yield_space().await;
    }
    api.nfs.policies.volume_delete(&name, force).await?;
    let message = if force { "deleted with all data" } else { "deleted" };
    api.events.note(Kind::VolumeDeleted, format!("volume {name}"), message, asked.caller.who());
    Ok(StatusCode::NO_CONTENT)
}

/// Create a volume from the current state of a volume
///
/// A clone takes no time and no space to create, whatever its size. A snapshot `clone-NAME` is taken for it.
#[utoipa::path(
    post, path = "/volumes/{volume}/clones", tag = "volumes", params(VolumePath), request_body = NewClone,
    responses(
        (status = 201, description = "The clone", body = VolumeView, headers(("Location" = String, description = "The clone"))),
        (status = 409, description = "The name or the path is already in use", body = ErrorBody),
    ),
)]
pub async fn volume_clone(
    State(api): Shared,
    asked: Operate,
    Params(path): Params<VolumePath>,
    Content(new): Content<NewClone>,
) -> Result<Made<VolumeView>> {
    let volume = api.volume(&path.volume)?.spec.name;
    clone(&api, &asked.caller, &volume, None, new).await
}

/// Clones a snapshot, or the current state of the volume.
pub async fn clone(
    api: &Api,
    caller: &Caller,
    volume: &str,
    snapshot: Option<&str>,
    new: NewClone,
) -> Result<Made<VolumeView>> {
    let (pool, policies) = (&api.nfs.pool, &api.nfs.policies);
    let NewClone { name, path, export } = new;
    let export = export.unwrap_or_else(|| policies.of_volume(volume));
    let spec = CloneSpec { name: name.clone(), junction_path: path.unwrap_or_else(|| format!("/{name}")) };
    let make = async || match snapshot {
        Some(snapshot) => pool.volume_clone(volume, snapshot, spec).await,
        None => clone_as_it_is(pool, volume, spec).await,
    };
    let clone = policies.with_new_volume(&name, &export, make).await?;
    let view = view(api, &clone).await?;
    let of = view.clone_of.as_deref().unwrap_or(volume);
    let message = format!("created as a clone of {of} at {}", view.path);
    api.events.note(Kind::VolumeCreated, format!("volume {name}"), message, caller.who());
    Ok(made(StatusCode::CREATED, format!("volumes/{name}"), view))
}

/// Clones the current state of a volume, from a snapshot taken for this purpose.
async fn clone_as_it_is(pool: &Pool, volume: &str, clone: CloneSpec) -> forebay_pool::Result<Volume> {
    let snapshot = format!("clone-{}", clone.name);
    pool.snapshot_create(&[volume.to_owned()], &snapshot).await?;
    let made = pool.volume_clone(volume, &snapshot, clone).await;
    if made.is_err() {
        // No caller asked for this snapshot by name.
        pool.snapshot_delete(volume, &snapshot).await?;
    }
    made
}

async fn create(api: &Api, caller: &Caller, name: &str, settings: VolumeSettings) -> Result<Volume> {
    let policies: &Policies = &api.nfs.policies;
    let policy = settings.export.clone().unwrap_or_else(|| policy::DEFAULT.to_owned());
    let volume = policies.volume_create(spec(name, settings)?, &policy).await?;
    let message = format!("created at {}, export policy {policy}", volume.spec.junction_path);
    api.events.note(Kind::VolumeCreated, format!("volume {name}"), message, caller.who());
    Ok(volume)
}

/// The specification for the pool. Settings that are absent take their defaults.
fn spec(name: &str, settings: VolumeSettings) -> Result<VolumeSpec> {
    let usual = VolumeSpec::new(name, &format!("/{name}"));
    Ok(VolumeSpec {
        junction_path: settings.path.unwrap_or(usual.junction_path),
        preserve_unlink: settings.preserve_unlink.unwrap_or(usual.preserve_unlink),
        uid: settings.uid,
        gid: settings.gid,
        mode: mode(settings.mode.as_deref())?.unwrap_or(usual.mode),
        compression: settings.compression.map_or(usual.compression, Into::into),
        size: settings.size,
        max_bytes_per_second: settings.max_bytes_per_second,
        snapshots: settings.snapshots.into(),
        name: usual.name,
    })
}

fn mode(text: Option<&str>) -> Result<Option<u32>> {
    text.map(octal).transpose().map_err(|sentence| ApiError::new(Code::BadRequest, sentence))
}

fn pool_change(edit: &VolumeEdit) -> Result<VolumeChange> {
    Ok(VolumeChange {
        size: edit.size,
        junction_path: edit.path.clone(),
        preserve_unlink: edit.preserve_unlink,
        uid: edit.uid,
        gid: edit.gid,
        mode: mode(edit.mode.as_deref())?,
        compression: edit.compression.map(Into::into),
        snapshots: edit.snapshots.map(Into::into),
        max_bytes_per_second: edit.max_bytes_per_second,
    })
}

/// Refuses a volume that exists with different settings; names the first field that differs.
fn require_same(there: &VolumeView, asked: &VolumeSettings) -> Result<()> {
    let usual = spec(&there.name, asked.clone())?;
    let export = asked.export.as_deref().unwrap_or(policy::DEFAULT);
    let compression: Compression = usual.compression.into();
    let plan: Plan = usual.snapshots.into();
    let same = [
        ("path", there.path == usual.junction_path),
        ("preserve_unlink", there.preserve_unlink == usual.preserve_unlink),
        ("uid", there.uid == usual.uid),
        ("gid", there.gid == usual.gid),
        ("mode", octal(&there.mode) == Ok(usual.mode)),
        ("size", there.size == usual.size),
        ("max_bytes_per_second", there.max_bytes_per_second == usual.max_bytes_per_second),
        ("compression", there.compression == compression),
        ("snapshots", there.snapshots == plan),
        ("export", there.export == export),
    ];
    match same.iter().find(|(_, same)| !same) {
        None => Ok(()),
        Some((field, _)) => {
            let sentence =
                format!("volume {}: exists with a different {field}; change it with PATCH", there.name);
            Err(ApiError::new(Code::Differs, sentence))
        }
    }
}

/// The view of a volume.
pub async fn view(api: &Api, volume: &Volume) -> forebay_pool::Result<VolumeView> {
    let pool = &api.nfs.pool;
    let root = pool.getattr(volume.root).await?;
    let space = pool.volume_space(volume.id)?;
    let origin = pool.snapshots(None).into_iter().find(|taken| taken.clones.contains(&volume.spec.name));
    let waits = api.nfs.throttle.waits(volume.id).map(|counted| WaitsView {
        requests: counted.requests,
        waited_ms: u64::try_from(counted.time.as_millis()).unwrap_or(u64::MAX),
        turned_away: counted.turned_away,
    });
    Ok(VolumeView {
        name: volume.spec.name.clone(),
        id: format!("{:08x}", volume.id.0),
        export: api.nfs.policies.of_volume(&volume.spec.name),
        path: volume.spec.junction_path.clone(),
        preserve_unlink: volume.spec.preserve_unlink,
        uid: root.uid,
        gid: root.gid,
        mode: format!("{:04o}", root.mode),
        created: time(volume.created),
        size: volume.spec.size,
        max_bytes_per_second: volume.spec.max_bytes_per_second,
        waits,
        bytes_free: space.bytes_free,
        bytes_logical: space.bytes_logical,
        inodes_used: space.inodes_used,
        orphans: space.orphans,
        compression: volume.spec.compression.into(),
        snapshots: volume.spec.snapshots.into(),
        clone_of: origin.map(|taken| format!("{}@{}", taken.volume_name, taken.name)),
    })
}
