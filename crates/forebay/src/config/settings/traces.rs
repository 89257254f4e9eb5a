//! The settings of `[traces]`.

use super::super::value::{Kind, Setting, number, url_or_none};
use super::store;

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        section: "traces",
        key: "otlp_endpoint",
        kind: Kind::Text,
        value_name: "URL",
        summary: "The OpenTelemetry collector that receives traces by OTLP over HTTP, such as \
                  http://127.0.0.1:4318, or `none`: nothing is traced.",
        details: "If the URL has no path, `/v1/traces` is used. With https://, the collector's certificate \
                  must be issued by an authority that the system trusts. Spans contain API paths and client \
                  addresses, but no file names, data or tokens. If the collector is slow or unreachable, \
                  spans are dropped and counted; requests are not affected.",
        set: |config, text| store(&mut config.traces.otlp_endpoint, url_or_none(text)),
        get: |config| config.traces.otlp_endpoint.clone().unwrap_or_else(|| "none".to_owned()),
    },
    Setting {
        section: "traces",
        key: "nfs_one_in",
        kind: Kind::Number,
        value_name: "COUNT",
        summary: "Trace one in this many NFS requests; 1 traces all of them, 0 none.",
        details: "All API requests are traced, except those with a `traceparent` header that says not to.",
        set: |config, text| store(&mut config.traces.nfs_one_in, number(text, 0, 1_000_000_000)),
        get: |config| config.traces.nfs_one_in.to_string(),
    },
    Setting {
        section: "traces",
        key: "s3_one_in",
        kind: Kind::Number,
        value_name: "COUNT",
        summary: "Trace one in this many S3 requests; 1 traces all of them, 0 none.",
        details: "A `traceparent` header decides for its own request, unless the count is 0.",
        set: |config, text| store(&mut config.traces.s3_one_in, number(text, 0, 1_000_000_000)),
        get: |config| config.traces.s3_one_in.to_string(),
    },
];
