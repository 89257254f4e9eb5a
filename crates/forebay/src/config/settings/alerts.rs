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
        summary: "The file that says where notices of alerts go, or `none`.",
        details: "A TOML file of webhooks, mail servers and programs, with their secrets, so that the configuration has none. Only the \
                  daemon's user may be able to read it. It is read again at SIGHUP. The guide describes it.",
        set: |config, text| store(&mut config.alerts.targets, path_or_none(text)),
        get: |config| path_text(config.alerts.targets.as_deref()),
    },
    Setting {
        section: "alerts",
        key: "repeat_hours",
        kind: Kind::Number,
        value_name: "HOURS",
        summary: "Hours after which a notice is sent again while an alert goes on; 0 means never.",
        details: "Alerts that somebody has acknowledged are not sent again.",
        set: |config, text| store(&mut config.alerts.repeat_hours, number(text, 0, 8760)),
        get: |config| config.alerts.repeat_hours.to_string(),
    },
];
