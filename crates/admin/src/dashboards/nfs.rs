//! The NFS server: operations, clients, and what is refused or put off.

use super::PanelKind::Graph;
use super::{Dashboard, Panel, Row, Unit};

/// That of the NFS server.
pub static DASHBOARD: Dashboard = Dashboard {
    uid: "forebay-nfs",
    title: "Forebay: NFS",
    volumes: true,
    rows: &[
        Row {
            title: "Operations",
            panels: &[
                Panel {
                    title: "Operations in a second",
                    says: "The ten most frequent operations.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[(
                        "topk(10, sum by (operation) (rate(forebay_nfs_operation_duration_seconds_count{$i}[$r])))",
                        "{{operation}}",
                    )],
                },
                Panel {
                    title: "Latency, 99 of 100",
                    says: "The ten slowest operations: 99 of 100 took no longer.",
                    kind: Graph,
                    unit: Unit::Seconds,
                    lines: &[(
                        "topk(10, histogram_quantile(0.99, sum by (operation, le) (rate(forebay_nfs_operation_duration_seconds_bucket{$i}[$r]))))",
                        "{{operation}}",
                    )],
                },
                Panel {
                    title: "Where the time goes",
                    says: "Seconds spent in each operation, for each second: how many of them are in work at a time.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[(
                        "topk(10, sum by (operation) (rate(forebay_nfs_operation_duration_seconds_sum{$i}[$r])))",
                        "{{operation}}",
                    )],
                },
                Panel {
                    title: "Errors by class",
                    says: "Operations that failed. `space` and `io` are serious; `not_found` and `exists` are part of every day.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[(
                        "sum by (class) (rate(forebay_nfs_operation_errors_total{$i}[$r]))",
                        "{{class}}",
                    )],
                },
                Panel {
                    title: "Latency of writes by volume",
                    says: "99 of 100 WRITE to each volume took no longer, without the wait for its limit.",
                    kind: Graph,
                    unit: Unit::Seconds,
                    lines: &[(
                        "histogram_quantile(0.99, sum by (volume, le) (rate(forebay_volume_write_duration_seconds_bucket{$i,volume=~\"$volume\"}[$r])))",
                        "{{volume}}",
                    )],
                },
                Panel {
                    title: "Latency of reads by volume",
                    says: "99 of 100 READ of each volume took no longer, without the wait for its limit.",
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
                    says: "Clients by what they may do. Courteous ones are silent and keep what nobody else wants.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[("sum by (state) (forebay_nfs_clients{$i})", "{{state}}")],
                },
                Panel {
                    title: "Connections and sessions",
                    says: "Connections follow the clients' nconnect; sessions are one for each client and server.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[
                        ("sum(forebay_nfs_connections{$i})", "connections"),
                        ("sum(forebay_nfs_sessions{$i})", "sessions"),
                    ],
                },
                Panel {
                    title: "Opens and locks",
                    says: "A broker has about four opens for each segment, and one lock in each log directory.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[
                        ("sum(forebay_nfs_opens{$i})", "opens"),
                        ("sum(forebay_nfs_locks{$i})", "locks"),
                    ],
                },
                Panel {
                    title: "Connections that come",
                    says: "Growth without new clients means that connections break.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[
                        ("sum(rate(forebay_nfs_connections_accepted_total{$i}[$r]))", "let in"),
                        ("sum(rate(forebay_nfs_connections_refused_total{$i}[$r]))", "refused"),
                        ("sum(rate(forebay_nfs_replays_total{$i}[$r]))", "requests answered again"),
                    ],
                },
                Panel {
                    title: "Grace period",
                    says: "1 while clients of before a restart take back what they had open.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[("max by (instance) (forebay_nfs_grace_period_active{$i})", "{{instance}}")],
                },
                Panel {
                    title: "TLS handshakes",
                    says: "Failed ones: a certificate ended or is not trusted, or somebody probes. The log names addresses.",
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
            title: "Refused, and put off",
            panels: &[
                Panel {
                    title: "Refused by export policies",
                    says: "Somebody tries what is not allowed, or a rule is missing.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[(
                        "sum by (reason) (rate(forebay_nfs_policy_refusals_total{$i}[$r]))",
                        "{{reason}}",
                    )],
                },
                Panel {
                    title: "Waits for memory",
                    says: "Requests: raise nfs.requests_max. Replies: a client, or the network to it, is slow.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[(
                        "sum by (memory) (rate(forebay_nfs_memory_waits_total{$i}[$r]))",
                        "{{memory}}",
                    )],
                },
                Panel {
                    title: "Put off by limits of volumes",
                    says: "Operations that waited for their volume's limit, and requests that were told to come again.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[
                        (
                            "sum by (operation) (rate(forebay_nfs_operation_limit_waits_total{$i}[$r]))",
                            "{{operation}}",
                        ),
                        ("sum(rate(forebay_nfs_requests_turned_away_total{$i}[$r]))", "told to come again"),
                    ],
                },
            ],
        },
    ],
};
