//! The setting for deleted volumes.

use super::super::value::{Kind, Setting, number};
use super::store;

pub(super) const SETTINGS: &[Setting] = &[Setting {
    section: "pool",
    key: "recovery_hours",
    kind: Kind::Number,
    value_name: "HOURS",
    summary: "Number of hours for which a deleted volume can be recovered; 0 means that its space is freed at once.",
    details: "The volume takes its space until then. A change applies to volumes that are deleted afterwards.",
    set: |config, text| store(&mut config.pool.recovery_hours, number(text, 0, 8760)),
    get: |config| config.pool.recovery_hours.to_string(),
}];
