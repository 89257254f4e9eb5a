//! Metrics of the health rules.

use std::time::UNIX_EPOCH;

use super::{Collect, Family, Kind, Label};

const LABELS: &[Label] = &[
    Label { name: "name", bound: "names of the rules that the daemon evaluates" },
    Label { name: "severity", bound: "`info`, `warning`, `critical`" },
];

pub(super) static FAMILIES: &[Family] = &[
    Family {
        name: "forebay_alert",
        kind: Kind::Gauge,
        labels: LABELS,
        says: "Number of objects for which the alert fires; 0 if it does not.",
        then: "The [page on alerts](alerts.md) says what each rule means and what to do. `forebay status` and the console name the objects.",
        collect: Collect::Alerts(|seen, samples| {
            for alert in &seen.alerts {
                samples.with(&[("name", alert.name), ("severity", alert.severity)], alert.firing);
            }
        }),
    },
    Family {
        name: "forebay_alerts_evaluated_timestamp_seconds",
        kind: Kind::Gauge,
        labels: &[],
        says: "When the daemon last evaluated its rules, in seconds since 1970. It does so every five seconds.",
        then: "If it is older than half a minute, the file system below the pool does not answer, and `forebay_alert` is as old.",
        collect: Collect::Alerts(|seen, samples| {
            if let Some(evaluated) = seen.evaluated {
                samples.one(evaluated.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64());
            }
        }),
    },
];
