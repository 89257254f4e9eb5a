//! `config`: the settings that the daemon runs with.

use axum::Json;
use axum::extract::State;

use super::common::Shared;
use crate::error::Result;
use crate::request::Read;
use crate::views::{List, SettingView};

/// List the effective settings of the daemon
///
/// The values from the configuration file, the environment and the command line, and the defaults of all other
/// settings. None of them is secret: secrets are in files that settings name.
#[utoipa::path(get, path = "/config", tag = "health", responses((status = 200, description = "All settings, by section", body = List<SettingView>)))]
pub async fn config_show(State(api): Shared, _: Read) -> Result<Json<List<SettingView>>> {
    Ok(Json(List::all(api.settings.clone())))
}
