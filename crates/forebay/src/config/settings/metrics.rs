//! `[metrics]`.

use super::store;
use crate::config::value::{Kind, Setting, address_or_off, on_or_off};

/// The settings.
pub const SETTINGS: &[Setting] = &[
    Setting {
        section: "metrics",
        key: "listen",
        kind: Kind::Text,
        value_name: "IP:PORT",
        summary: "The address and port that serve metrics and health to everyone, without a token and without TLS, or \
                  `off`.",
        details: "For Prometheus, load balancers and the probes of Kubernetes. Serves `/metrics`; `/health`, which \
                  answers 503 if the pool has stopped; and `/livez`, which answers 200 as long as the process does. \
                  `public` describes the contents of the metrics. The usual port is 9095.",
        set: |config, text| store(&mut config.metrics.listen, address_or_off(text)),
        get: |config| config.metrics.listen.map_or_else(|| "off".to_owned(), |address| address.to_string()),
    },
    Setting {
        section: "metrics",
        key: "public",
        kind: Kind::Text,
        value_name: "ON|OFF",
        summary: "Whether `/metrics` on the API is served without a token: `on` or `off`.",
        details: "Metrics contain volume names, sizes and rates, but no file names, user names or file \
                  contents. With `off`, a collector needs a user's token; any role will do.",
        set: |config, text| store(&mut config.metrics.public, on_or_off(text)),
        get: |config| if config.metrics.public { "on".to_owned() } else { "off".to_owned() },
    },
];
