//! The settings of `[kafka]`.

use super::super::value::{Kind, Setting, number, on_or_off};
use super::store;

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        section: "kafka",
        key: "views",
        kind: Kind::Text,
        value_name: "ON|OFF",
        summary: "Whether the daemon looks for Kafka log directories in its volumes: `on` or `off`.",
        details: "It reads names of files, sizes and checkpoints, never records, and contacts no broker. `forebay kafka` and the \
                  console show what topics and brokers store.",
        set: |config, text| store(&mut config.kafka.views, on_or_off(text)),
        get: |config| if config.kafka.views { "on".to_owned() } else { "off".to_owned() },
    },
    Setting {
        section: "kafka",
        key: "interval_seconds",
        kind: Kind::Number,
        value_name: "SECONDS",
        summary: "Seconds between two reports about Kafka.",
        details: "A report reads the metadata of all files. The daemon rests at least nine times as long as a report took.",
        set: |config, text| store(&mut config.kafka.interval_seconds, number(text, 1, 86_400)),
        get: |config| config.kafka.interval_seconds.to_string(),
    },
    Setting {
        section: "kafka",
        key: "metrics_topics",
        kind: Kind::Text,
        value_name: "COUNT|AUTO",
        summary: "The number of topics with metrics of their own, those that store most; the others count as `other`.",
        details: "`auto` means 500, and 0 if metrics.public is on or metrics.listen is set, so that names of topics are not public unless they are asked for.",
        set: |config, text| {
            let value = if text == "auto" { Ok(None) } else { number(text, 0, 10_000).map(Some) };
            store(&mut config.kafka.metrics_topics, value.map_err(|message| format!("{message}, nor auto")))
        },
        get: |config| {
            config.kafka.metrics_topics.map_or_else(|| "auto".to_owned(), |count| count.to_string())
        },
    },
    Setting {
        section: "kafka",
        key: "deleted_after_seconds",
        kind: Kind::Number,
        value_name: "SECONDS",
        summary: "Seconds that a broker has to delete a directory after it has renamed it to `…-delete`.",
        details: "After that the directory is in the clean-up list, and five minutes later an alert fires. It must be longer than the brokers' \
                  log.segment.delete.delay.ms, which is a minute by default.",
        set: |config, text| store(&mut config.kafka.deleted_after_seconds, number(text, 1, 2_592_000)),
        get: |config| config.kafka.deleted_after_seconds.to_string(),
    },
];
