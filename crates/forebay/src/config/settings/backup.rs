//! The settings of `[backup]`.

use super::super::size;
use super::super::value::{Kind, Setting, absolute_path_or_none, number, path_text, size_or_unlimited};
use super::store;

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        section: "backup",
        key: "directory",
        kind: Kind::Text,
        value_name: "DIR",
        summary: "The directory for scheduled backups of the pool, or `none`.",
        details: "An absolute path on another disk, or on another machine's file system that is mounted. It \
            must be empty at first. Under systemd, add it to the unit's ReadWritePaths. The operating guide \
            describes how to restore.",
        set: |config, text| store(&mut config.backup.directory, absolute_path_or_none(text)),
        get: |config| path_text(config.backup.directory.as_deref()),
    },
    Setting {
        section: "backup",
        key: "every_hours",
        kind: Kind::Number,
        value_name: "HOURS",
        summary: "Hours between two scheduled backups; 0 means that there is no schedule.",
        details: "Counted from the instant of the last backup. A failed backup is repeated within an hour.",
        set: |config, text| store(&mut config.backup.every_hours, number(text, 0, 8760)),
        get: |config| config.backup.every_hours.to_string(),
    },
    Setting {
        section: "backup",
        key: "keep",
        kind: Kind::Number,
        value_name: "COUNT",
        summary: "The number of backups that are kept in backup.directory; 0 keeps all.",
        details: "Older backups are removed after a new one is finished and verified.",
        set: |config, text| store(&mut config.backup.keep, number(text, 0, 100_000)),
        get: |config| config.backup.keep.to_string(),
    },
    Setting {
        section: "backup",
        key: "rate",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "Maximum number of bytes that a backup copies per second, or `unlimited`.",
        details: "The limit leaves disk bandwidth to clients.",
        set: |config, text| store(&mut config.backup.rate, size_or_unlimited(text)),
        get: |config| config.backup.rate.map_or_else(|| "unlimited".to_owned(), size::exact),
    },
];
