//! The S3 server: requests, buckets, refusals.

use super::panels::PanelKind::Graph;
use super::panels::{DAEMONS, Dashboard, Panel, Row, Unit};

/// The dashboard of the S3 server.
pub static DASHBOARD: Dashboard = Dashboard {
    uid: "forebay-s3",
    title: "Forebay: S3",
    instances: DAEMONS,
    volumes: false,
    rows: &[
        Row {
            title: "Requests",
            panels: &[
                Panel {
                    title: "Requests per second",
                    says: "The ten most frequent operations.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[(
                        "topk(10, sum by (operation) (rate(forebay_s3_requests_total{$i}[$r])))",
                        "{{operation}}",
                    )],
                },
                Panel {
                    title: "Latency p99",
                    says: "99th percentile of the ten slowest operations, to the first byte of the answer.",
                    kind: Graph,
                    unit: Unit::Seconds,
                    lines: &[(
                        "topk(10, histogram_quantile(0.99, sum by (operation, le) (rate(forebay_s3_operation_duration_seconds_bucket{$i}[$r]))))",
                        "{{operation}}",
                    )],
                },
                Panel {
                    title: "Requests by status",
                    says: "`5xx` is serious. `aborted`: the client went away before the answer.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[("sum by (class) (rate(forebay_s3_requests_total{$i}[$r]))", "{{class}}")],
                },
                Panel {
                    title: "Requests in progress and connections",
                    says: "Many requests in progress with little traffic mean that clients or their network are slow.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[
                        ("sum(forebay_s3_requests_in_progress{$i})", "requests in progress"),
                        ("sum(forebay_s3_connections{$i})", "connections"),
                    ],
                },
                Panel {
                    title: "New connections",
                    says: "As many as requests mean that clients use each connection once.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[
                        ("sum(rate(forebay_s3_connections_accepted_total{$i}[$r]))", "accepted"),
                        ("sum(rate(forebay_s3_connections_refused_total{$i}[$r]))", "refused"),
                    ],
                },
                Panel {
                    title: "Refused requests",
                    says: "Events name the address and the access key of refused signatures, keys and denied requests.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[(
                        "sum by (reason) (rate(forebay_s3_requests_refused_total{$i}[$r]))",
                        "{{reason}}",
                    )],
                },
                Panel {
                    title: "Limits on clients",
                    says: "Waits for memory, and bodies that ended because a client was too slow.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[("sum by (limit) (rate(forebay_s3_limits_reached_total{$i}[$r]))", "{{limit}}")],
                },
            ],
        },
        Row {
            title: "Buckets",
            panels: &[
                Panel {
                    title: "Received by bucket",
                    says: "Bytes of request bodies per second, of the ten busiest buckets.",
                    kind: Graph,
                    unit: Unit::BytesPerSecond,
                    lines: &[(
                        "topk(10, sum by (bucket) (rate(forebay_s3_bucket_received_bytes_total{$i}[$r])))",
                        "{{bucket}}",
                    )],
                },
                Panel {
                    title: "Sent by bucket",
                    says: "Bytes of answers per second, of the ten busiest buckets.",
                    kind: Graph,
                    unit: Unit::BytesPerSecond,
                    lines: &[(
                        "topk(10, sum by (bucket) (rate(forebay_s3_bucket_sent_bytes_total{$i}[$r])))",
                        "{{bucket}}",
                    )],
                },
                Panel {
                    title: "Failed requests by bucket",
                    says: "Requests that the server answered with an error of its own, of the ten worst buckets.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[(
                        "topk(10, sum by (bucket) (rate(forebay_s3_bucket_requests_total{$i,class=\"5xx\"}[$r])))",
                        "{{bucket}}",
                    )],
                },
                Panel {
                    title: "Bytes by bucket",
                    says: "Bytes of the content of the ten largest buckets, before compression and sharing.",
                    kind: Graph,
                    unit: Unit::Bytes,
                    lines: &[(
                        "topk(10, sum by (bucket) (forebay_s3_bucket_logical_bytes{$i}))",
                        "{{bucket}}",
                    )],
                },
                Panel {
                    title: "Objects by bucket",
                    says: "Objects with their versions, and parts of uploads, of the ten largest buckets.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[("topk(10, sum by (bucket) (forebay_s3_bucket_objects{$i}))", "{{bucket}}")],
                },
                Panel {
                    title: "Removed by lifecycle rules",
                    says: "What the hourly pass removed in the last hour.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[
                        ("sum by (of) (increase(forebay_s3_lifecycle_removed_total{$i}[1h]))", "{{of}}"),
                        ("sum(increase(forebay_s3_lifecycle_failures_total{$i}[1h]))", "failed passes"),
                    ],
                },
            ],
        },
    ],
};
