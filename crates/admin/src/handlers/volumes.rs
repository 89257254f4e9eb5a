//! `volumes`: creating, listing, changing, cloning and deleting them.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse, Response};
use forebay_nfs::policy;
use forebay_pool::{CloneSpec, Volume};
use forebay_service::events::Kind;
use forebay_service::labels::VolumeLabels;
use forebay_service::volumes::DeleteHow;
use serde::Deserialize;
use utoipa::IntoParams;

use super::common::{Made, Shared, VolumePath, made};
use crate::api::Api;
use crate::base::paths::BASE;
use crate::caller::Caller;
use crate::error::{ApiError, Code, ErrorBody, Result};
use crate::request::{Content, Operate, Params, Read};
use crate::views::{List, NewClone, NewVolume, Role, Shown, VolumeEdit, VolumeSettings, VolumeView};

/// Selects volumes.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct VolumeFilter {
    /// Only volumes with this label: `KEY` or `KEY=VALUE`.
    #[param(nullable = false)]
    pub label: Option<String>,
}

impl VolumeFilter {
    fn selects(&self, labels: &VolumeLabels) -> bool {
        let Some(wanted) = &self.label else { return true };
        match wanted.split_once('=') {
            Some((key, value)) => labels.get(key).is_some_and(|found| found == value),
            None => labels.contains_key(wanted),
        }
    }
}

/// List all volumes, by name
#[utoipa::path(
    get, path = "/volumes", tag = "volumes", params(VolumeFilter),
    responses((status = 200, description = "All volumes", body = List<VolumeView>)),
)]
pub async fn volume_list(State(api): Shared, asked: Read<VolumeFilter>) -> Result<Json<List<VolumeView>>> {
    let mut views = Vec::new();
    for volume in api.service.pool.volumes()? {
        if !asked.query.selects(&api.service.labels.of(volume.id)) {
            continue;
        }
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
    let place = [(LOCATION, format!("{}/volumes/{name}", BASE))];
    Ok((StatusCode::CREATED, place, Json(view(&api, &volume).await?)).into_response())
}

/// Change a volume
///
/// Either all changes are made or none. Fields that are absent stay unchanged; null removes a limit.
#[utoipa::path(
    patch, path = "/volumes/{volume}", tag = "volumes", params(VolumePath), request_body = VolumeEdit,
    responses(
        (status = 200, description = "The changed volume", body = VolumeView),
        (status = 409, description = "The name or the path is already in use, or the volume holds more data than the new size", body = ErrorBody),
    ),
)]
pub async fn volume_change(
    State(api): Shared,
    asked: Operate,
    Params(path): Params<VolumePath>,
    Content(edit): Content<VolumeEdit>,
) -> Result<Json<VolumeView>> {
    let volumes = &api.service.volumes;
    let volume = api.volume(&path.volume)?;
    let before = view(&api, &volume).await?;
    let (id, name) = (volume.id, volume.spec.name);
    // Everything that could refuse the second step is checked before the first.
    let assign =
        edit.export.as_deref().map(|policy| api.export_policies().map(|of| (of, policy))).transpose()?;
    if let Some((policies, policy)) = &assign {
        policies.get(policy)?;
    }
    let name = match edit.name.as_deref().filter(|new| **new != name) {
        Some(new) => {
            match &api.nfs {
                Some(nfs) => {
                    let settings = nfs.policies.assignment(&nfs.policies.of_volume(&name));
                    volumes.rename(&name, new, edit.change()?, &settings).await?;
                }
                None => {
                    volumes.rename(&name, new, edit.change()?, &()).await?;
                }
            }
            new.to_owned()
        }
        None => {
            volumes.change(&name, edit.change()?).await?;
            name
        }
    };
    if let Some((policies, policy)) = assign {
        policies.assign(&name, policy).await?;
    }
    if let Some(labels) = &edit.labels {
        api.service.labels.set(id, labels.clone()).await?;
    }
    let after = view(&api, &api.service.pool.volume(&name)?).await?;
    if edit != VolumeEdit::default() {
        let changes = edit.in_words(&before, &after);
        api.note(Kind::VolumeChanged, format!("volume {name}"), changes, &asked.caller);
    }
    Ok(Json(after))
}

/// How to delete a volume.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct VolumeDeletion {
    /// Proceed even if it has files or snapshots. Requires the role admin.
    #[serde(default)]
    #[param(nullable = false)]
    pub force: bool,
    /// Free its space at once, so that it cannot be recovered.
    #[serde(default)]
    #[param(nullable = false)]
    pub now: bool,
    /// If it is a clone, keep the snapshot `clone-NAME` that was taken for it.
    #[serde(default)]
    #[param(nullable = false)]
    pub keep_snapshot: bool,
}

/// Delete a volume
///
/// Refused if the volume has clones. Refused if it has files or snapshots, unless `force` is given. Clients
/// that have it mounted get "stale file handle" from then on. It can be recovered for `pool.recovery_hours`
/// (see `/deleted-volumes`), unless `now` is given.
#[utoipa::path(
    delete, path = "/volumes/{volume}", tag = "volumes", params(VolumePath, VolumeDeletion),
    responses(
        (status = 204, description = "The volume was deleted"),
        (status = 409, description = "The volume has files, snapshots or clones", body = ErrorBody),
    ),
)]
pub async fn volume_delete(
    State(api): Shared,
    asked: Operate<VolumeDeletion>,
    Params(path): Params<VolumePath>,
) -> Result<StatusCode> {
    let VolumeDeletion { force, now, keep_snapshot } = asked.query;
    if force {
        asked
            .caller
            .require(Role::Admin, &api, || format!("deleting volume {} with all data", path.volume))?;
    }
    let name = api.volume(&path.volume)?.spec.name;
    if let Some(nfs) = api.nfs.as_ref().filter(|_| !force) {
        // A volume without names may still hold files that only silent clients have open.
        nfs.state.yield_space().await;
    }
    let (volumes, who) = (&api.service.volumes, asked.caller.who());
    let how = DeleteHow { force, now, keep_snapshot };
    match &api.nfs {
        Some(nfs) => {
            let any = nfs.policies.assignment(policy::DEFAULT);
            volumes.delete(&name, how, &any, who).await?;
        }
        None => {
            volumes.delete(&name, how, &(), who).await?;
        }
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Create a volume from the current state of a volume
///
/// A clone takes no time and no space to create, whatever its size. A snapshot `clone-NAME` is taken for it, and deleted when
/// the clone is purged.
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
    let NewClone { name, path, export } = new;
    let spec = CloneSpec { name: name.clone(), junction_path: path.unwrap_or_else(|| format!("/{name}")) };
    let (volumes, who) = (&api.service.volumes, caller.who());
    let clone = match &api.nfs {
        Some(nfs) => {
            let export = export.unwrap_or_else(|| nfs.policies.of_volume(volume));
            volumes.clone(volume, snapshot, spec, &nfs.policies.assignment(&export), who).await?
        }
        None => volumes.clone(volume, snapshot, spec, &(), who).await?,
    };
    Ok(made(StatusCode::CREATED, format!("volumes/{name}"), view(api, &clone).await?))
}

async fn create(api: &Api, caller: &Caller, name: &str, settings: VolumeSettings) -> Result<Volume> {
    let (spec, volumes, who) = (settings.spec(name)?, &api.service.volumes, caller.who());
    let volume = match &api.nfs {
        Some(nfs) => {
            let policy = settings.export.as_deref().unwrap_or(policy::DEFAULT);
            volumes.create(spec, &nfs.policies.assignment(policy), who).await?
        }
        None => volumes.create(spec, &(), who).await?,
    };
    if !settings.labels.is_empty() {
        api.service.labels.set(volume.id, settings.labels).await?;
    }
    Ok(volume)
}

/// Refuses a volume that exists with different settings; names the first field that differs.
fn require_same(there: &VolumeView, asked: &VolumeSettings) -> Result<()> {
    match asked.difference(there, policy::DEFAULT)? {
        None => Ok(()),
        Some(field) => {
            let cause = format!("already exists with a different {field}");
            let error = ApiError::new(Code::Differs, format!("volume {}", there.name), cause);
            Err(error.with_remedy("change it with PATCH"))
        }
    }
}

/// The view of a volume.
pub async fn view(api: &Api, volume: &Volume) -> forebay_pool::Result<VolumeView> {
    let pool = &api.service.pool;
    let name = &volume.spec.name;
    Ok(VolumeView::of(Shown {
        volume,
        root: pool.getattr(volume.root).await?,
        space: pool.volume_space(volume.id)?,
        waits: api.service.throttle.waits(volume.id),
        efficiency: api.efficiencies.of(Some(volume.id)),
        export: api
            .nfs
            .as_ref()
            .map_or_else(|| policy::DEFAULT.to_owned(), |nfs| nfs.policies.of_volume(name)),
        labels: api.service.labels.of(volume.id),
    }))
}
