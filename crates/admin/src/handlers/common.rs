//! Types and functions that several families of handlers share.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{HeaderName, LOCATION};
use forebay_pool::{Error, Object};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::api::Api;
use crate::base::paths::BASE;
use crate::error::Result;

/// What all handlers share.
pub type Shared = State<Arc<Api>>;

/// A response with the location of the object that was created.
pub type Made<T> = (StatusCode, [(HeaderName, String); 1], Json<T>);

/// Responds that an object was created, with its location.
pub fn made<T>(status: StatusCode, place: String, view: T) -> Made<T> {
    (status, [(LOCATION, format!("{}/{place}", BASE))], Json(view))
}

/// A volume in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct VolumePath {
    /// The volume's name, or `id:` and its id.
    #[param(pattern = "^([A-Za-z0-9_][A-Za-z0-9_.-]{0,63}|id:[0-9a-f]{8})$")]
    pub volume: String,
}

/// A segment in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct SegmentPath {
    /// The segment's number, 16 hexadecimal digits.
    #[param(pattern = "^[0-9a-f]{16}$")]
    pub segment: String,
}

/// An optional volume.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OfVolume {
    /// Restrict the result to this volume: its name, or `id:` and its id.
    #[param(pattern = "^([A-Za-z0-9_][A-Za-z0-9_.-]{0,63}|id:[0-9a-f]{8})$", nullable = false)]
    pub volume: Option<String>,
}

/// Whether to force an operation that destroys data.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Force {
    /// Proceed even if data is lost. Requires the role admin.
    #[serde(default)]
    #[param(nullable = false)]
    pub force: bool,
}

impl Api {
    /// The volume that a path or a query names.
    pub(crate) fn volume(&self, named: &str) -> Result<forebay_pool::Volume> {
        let Some(digits) = named.strip_prefix("id:") else { return Ok(self.service.pool.volume(named)?) };
        let all = self.service.pool.volumes()?;
        let id = if digits.len() == 8 { u32::from_str_radix(digits, 16).ok() } else { None };
        all.into_iter()
            .find(|volume| Some(volume.id.0) == id)
            .ok_or_else(|| Error::NotFound(Object::Volume(named.to_owned())).into())
    }

    /// As `volume`, if the query names one.
    pub(crate) fn volume_if_named(&self, named: &OfVolume) -> Result<Option<forebay_pool::Volume>> {
        named.volume.as_deref().map(|named| self.volume(named)).transpose()
    }
}
