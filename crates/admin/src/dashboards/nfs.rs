//! The NFS server: operations, clients, refused and delayed requests.

use super::panels::PanelKind::Graph;
use super::panels::{DAEMONS, Dashboard, Panel, Row, Unit};

/// The dashboard of the NFS server.
pub static DASHBOARD: Dashboard = Dashboard {
    uid: "forebay-nfs",
    title: "Forebay: NFS",
    instances: DAEMONS,
    volumes: true,
    rows: &[
        Row {
            title: "Operations",
            panels: &[
                Panel {
                    title: "Operations per second",
                    says: "The ten most frequent operations.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[(
                        "topk(10, sum by (operation) (rate(forebay_nfs_operation_duration_seconds_count{$i}[$r])))",
                        "{{operation}}",
                    )],
                },
                Panel {
                    title: "Latency p99",
                    says: "99th percentile of the ten slowest operations.",
                    kind: Graph,
                    unit: Unit::Seconds,
                    lines: &[(
                        "topk(10, histogram_quantile(0.99, sum by (operation, le) (rate(forebay_nfs_operation_duration_seconds_bucket{$i}[$r]))))",
                        "{{operation}}",
                    )],
                },
                Panel {
                    title: "Time by operation",
                    says: "Time spent in each operation per second, which is the average number in progress.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[(
                        "topk(10, sum by (operation) (rate(forebay_nfs_operation_duration_seconds_sum{$i}[$r])))",
                        "{{operation}}",
                    )],
                },
                Panel {
                    title: "Errors by class",
                    says: "Failed operations. `space` and `io` are serious; `not_found` and `exists` are normal.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[(
                        "sum by (class) (rate(forebay_nfs_operation_errors_total{$i}[$r]))",
                        "{{class}}",
                    )],
                },
                Panel {
                    title: "Write latency p99 by volume",
                    says: "99th percentile of WRITE to each volume, excluding the wait for its limit.",
                    kind: Graph,
                    unit: Unit::Seconds,
                    lines: &[(
                        "histogram_quantile(0.99, sum by (volume, le) (rate(forebay_volume_write_duration_seconds_bucket{$i,volume=~\"$volume\"}[$r])))",
                        "{{volume}}",
                    )],
                },
                Panel {
                    title: "Read latency p99 by volume",
                    says: "99th percentile of READ from each volume, excluding the wait for its limit.",
                    kind: Graph,
                    unit: Unit::Seconds,
                    lines: &[(
                        "histogram_quantile(0.99, sum by (volume, le) (rate(forebay_volume_read_duration_seconds_bucket{$i,volume=~\"$volume\"}[$r])))",
                        "{{volume}}",
                    )],
                },
            ],
        },
        Row {
            title: "Clients",
            panels: &[
                Panel {
                    title: "Clients",
                    says: "Clients by state. Courteous clients are silent and keep state that no other client needs.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[("sum by (state) (forebay_nfs_clients{$i})", "{{state}}")],
                },
                Panel {
                    title: "Connections and sessions",
                    says: "The number of connections follows the clients' nconnect. Each client has one session.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[
                        ("sum(forebay_nfs_connections{$i})", "connections"),
                        ("sum(forebay_nfs_sessions{$i})", "sessions"),
                    ],
                },
                Panel {
                    title: "Opens and locks",
                    says: "A broker has about four opens per segment and one lock per log directory.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[
                        ("sum(forebay_nfs_opens{$i})", "opens"),
                        ("sum(forebay_nfs_locks{$i})", "locks"),
                    ],
                },
                Panel {
                    title: "New connections",
                    says: "Growth without new clients means that connections are breaking.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[
                        ("sum(rate(forebay_nfs_connections_accepted_total{$i}[$r]))", "accepted"),
                        ("sum(rate(forebay_nfs_connections_refused_total{$i}[$r]))", "refused"),
                        ("sum(rate(forebay_nfs_replays_total{$i}[$r]))", "replayed requests"),
                    ],
                },
                Panel {
                    title: "Grace period",
                    says: "1 while clients reclaim their open files after a restart.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[("max by (instance) (forebay_nfs_grace_period_active{$i})", "{{instance}}")],
                },
                Panel {
                    title: "TLS handshakes",
                    says: "Failures: a certificate has expired or is not trusted, or someone is probing the port. The log has the addresses.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[(
                        "sum by (result) (rate(forebay_nfs_tls_handshakes_total{$i}[$r]))",
                        "{{result}}",
                    )],
                },
            ],
        },
        Row {
            title: "Refused and delayed",
            panels: &[
                Panel {
                    title: "Refused by export policies",
                    says: "A client tried something that is not allowed, or a rule is missing.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[(
                        "sum by (reason) (rate(forebay_nfs_policy_refusals_total{$i}[$r]))",
                        "{{reason}}",
                    )],
                },
                Panel {
                    title: "Waits for memory",
                    says: "Requests: raise nfs.requests_max. Replies: a client or its network is slow.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[(
                        "sum by (memory) (rate(forebay_nfs_memory_waits_total{$i}[$r]))",
                        "{{memory}}",
                    )],
                },
                Panel {
                    title: "Throttled by volume limits",
                    says: "Operations that waited for their volume's limit, and requests that were asked to retry later.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[
                        (
                            "sum by (operation) (rate(forebay_nfs_operation_limit_waits_total{$i}[$r]))",
                            "{{operation}}",
                        ),
                        ("sum(rate(forebay_nfs_requests_turned_away_total{$i}[$r]))", "asked to retry"),
                    ],
                },
            ],
        },
    ],
};
