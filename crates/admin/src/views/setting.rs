//! Settings.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A setting that the daemon runs with.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SettingView {
    /// The section of the configuration file.
    pub section: String,
    /// The key in the section.
    pub key: String,
    /// The value, as in the file.
    pub value: String,
    /// Whether that is the default.
    pub is_default: bool,
}
