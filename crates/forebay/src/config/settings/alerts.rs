//! The settings of `[alerts]`.

use super::super::value::{Kind, Setting, number, path_or_none, path_text};
use super::store;

/// The settings of this section.
pub const SETTINGS: &[Setting] = &[
    Setting {
        section: "alerts",
        key: "targets",
        kind: Kind::Text,
        value_name: "FILE",
        summary: "The file with the targets of alert notices, or `none`.",
        details: "A TOML file with webhooks, mail servers and programs, and their secrets. Only the daemon's \
            user may have access to it. It is read again on SIGHUP. The operating guide describes its format.",
        set: |config, text| store(&mut config.alerts.targets, path_or_none(text)),
        get: |config| path_text(config.alerts.targets.as_deref()),
    },
    Setting {
        section: "alerts",
        key: "repeat_hours",
        kind: Kind::Number,
        value_name: "HOURS",
        summary: "Hours after which the notice of an alert that still fires is repeated; 0 means never.",
        details: "Notices of acknowledged alerts are not repeated.",
        set: |config, text| store(&mut config.alerts.repeat_hours, number(text, 0, 8760)),
        get: |config| config.alerts.repeat_hours.to_string(),
    },
];
