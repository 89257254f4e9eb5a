//! `deleted-volumes`: recovering and purging them. And who has files of a volume open, which one wants to know before it is deleted.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use forebay_nfs_proto::xdr::nfs4::ClientId;
use forebay_pool::DeletedVolume;

use super::common::{Shared, VolumePath};
use super::volumes;
use crate::api::Api;
use crate::error::{ErrorBody, Result};
use crate::request::{Administer, Content, Operate, Params, Read};
use crate::views::{DeletedVolumeView, List, RecoverVolume, VolumeClientView, VolumeClientsView, VolumeView};

/// The most clients that a response names.
const CLIENTS_NAMED_MAX: usize = 20;

/// List the deleted volumes that can be recovered, by name
#[utoipa::path(get, path = "/deleted-volumes", tag = "volumes", responses((status = 200, description = "The deleted volumes", body = List<DeletedVolumeView>)))]
pub async fn deleted_volume_list(State(api): Shared, _: Read) -> Result<Json<List<DeletedVolumeView>>> {
    let deleted = api.service.pool.deleted_volumes()?;
    Ok(Json(List::all(deleted.into_iter().map(DeletedVolumeView::from).collect())))
}

/// Get a deleted volume
#[utoipa::path(
    get, path = "/deleted-volumes/{volume}", tag = "volumes", params(VolumePath),
    responses(
        (status = 200, description = "The deleted volume", body = DeletedVolumeView),
        (status = 404, description = "There is no such deleted volume", body = ErrorBody),
        (status = 409, description = "Several deleted volumes have this name", body = ErrorBody),
    ),
)]
pub async fn deleted_volume_show(
    State(api): Shared,
    _: Read,
    Params(path): Params<VolumePath>,
) -> Result<Json<DeletedVolumeView>> {
    Ok(Json(api.service.pool.deleted_volume(&path.volume)?.into()))
}

/// Recover a deleted volume
///
/// The volume is restored with its snapshots and its export policy. Clients that still have it mounted can use it again.
#[utoipa::path(
    post, path = "/deleted-volumes/{volume}/recover", tag = "volumes", params(VolumePath), request_body = RecoverVolume,
    responses(
        (status = 200, description = "The volume", body = VolumeView),
        (status = 404, description = "There is no such deleted volume, or its export policy no longer exists", body = ErrorBody),
        (status = 409, description = "Several deleted volumes have this name, or the name or the path is in use", body = ErrorBody),
    ),
)]
pub async fn deleted_volume_recover(
    State(api): Shared,
    asked: Operate,
    Params(path): Params<VolumePath>,
    Content(body): Content<RecoverVolume>,
) -> Result<Json<VolumeView>> {
    let deleted = api.service.pool.deleted_volume(&path.volume)?;
    let (volumes, who) = (&api.service.volumes, asked.caller.who());
    let volume = match &api.nfs {
        Some(nfs) => {
            let export = body.export.clone().unwrap_or_else(|| export_of(&deleted));
            let settings = nfs.policies.assignment(&export);
            volumes.recover(&deleted, body.recovery(), &settings, who).await?
        }
        None => volumes.recover(&deleted, body.recovery(), &(), who).await?,
    };
    Ok(Json(volumes::view(&api, &volume).await?))
}

/// Purge a deleted volume
///
/// The volume can no longer be recovered, and its space is freed in the background. Refused while one of its snapshots is locked.
#[utoipa::path(
    delete, path = "/deleted-volumes/{volume}", tag = "volumes", params(VolumePath),
    responses(
        (status = 204, description = "The volume was purged"),
        (status = 404, description = "There is no such deleted volume", body = ErrorBody),
        (status = 409, description = "Several deleted volumes have this name, or a snapshot is locked", body = ErrorBody),
    ),
)]
pub async fn deleted_volume_purge(
    State(api): Shared,
    asked: Administer,
    Params(path): Params<VolumePath>,
) -> Result<StatusCode> {
    let deleted = api.service.pool.deleted_volume(&path.volume)?;
    api.service.volumes.purge(&deleted, asked.caller.who()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Get the clients that have files of a volume open
#[utoipa::path(
    get, path = "/volumes/{volume}/clients", tag = "volumes", params(VolumePath),
    responses((status = 200, description = "The clients", body = VolumeClientsView)),
)]
pub async fn volume_clients(
    State(api): Shared,
    _: Read,
    Params(path): Params<VolumePath>,
) -> Result<Json<VolumeClientsView>> {
    let volume = api.volume(&path.volume)?;
    Ok(Json(clients(&api, volume.id)))
}

fn clients(api: &Api, volume: forebay_pool::VolumeId) -> VolumeClientsView {
    let Some(nfs) = &api.nfs else { return VolumeClientsView::default() };
    let opens: HashMap<ClientId, u64> = nfs.state.opens_in(volume);
    let mut items: Vec<VolumeClientView> = nfs
        .state
        .clients()
        .into_iter()
        .filter_map(|client| {
            Some(VolumeClientView {
                client: format!("{:016x}", client.id.0),
                owner: client.owner.escape_ascii().to_string(),
                address: client.address.to_string(),
                open_files: *opens.get(&client.id)?,
            })
        })
        .collect();
    items.sort_by(|one, other| (other.open_files, &one.client).cmp(&(one.open_files, &other.client)));
    items.truncate(CLIENTS_NAMED_MAX);
    VolumeClientsView { clients: opens.len() as u64, open_files: opens.values().sum(), items }
}

/// The export policy that a deleted volume had.
fn export_of(deleted: &DeletedVolume) -> String {
    match String::from_utf8_lossy(&deleted.note).into_owned() {
        // It was deleted by a daemon without NFS.
        export if export.is_empty() => forebay_nfs::policy::DEFAULT.to_owned(),
        export => export,
    }
}
