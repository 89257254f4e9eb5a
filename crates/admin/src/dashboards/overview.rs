//! The overview: health, load, latency and capacity.

use super::panels::PanelKind::{Alarm, Graph, Stat};
use super::panels::{DAEMONS, Dashboard, Panel, Row, Unit};

/// The overview dashboard.
pub static DASHBOARD: Dashboard = Dashboard {
    uid: "forebay-overview",
    title: "Forebay: overview",
    instances: DAEMONS,
    volumes: true,
    rows: &[
        Row {
            title: "Health",
            panels: &[
                Panel {
                    title: "Stopped",
                    says: "1 after stable storage failed. Check the disk, then restart the daemon.",
                    kind: Alarm,
                    unit: Unit::Count,
                    lines: &[("max(forebay_pool_stopped{$i})", "")],
                },
                Panel {
                    title: "Degraded",
                    says: "1 while the second copy is missing.",
                    kind: Alarm,
                    unit: Unit::Count,
                    lines: &[("max(forebay_pool_degraded{$i})", "")],
                },
                Panel {
                    title: "Damaged frames",
                    says: "Frames that the scrub found damaged in every copy. `forebay pool scrub status` lists them.",
                    kind: Alarm,
                    unit: Unit::Count,
                    lines: &[("sum(forebay_pool_scrub_damaged_frames{$i})", "")],
                },
                Panel {
                    title: "Silent clients",
                    says: "Clients whose lease has expired and that keep state no other client needs: usually a broker's machine that is down or disconnected.",
                    kind: Alarm,
                    unit: Unit::Count,
                    lines: &[("sum(forebay_nfs_clients{$i,state=\"courteous\"})", "")],
                },
                Panel {
                    title: "Clients",
                    says: "Clients with a session and a valid lease.",
                    kind: Stat,
                    unit: Unit::Count,
                    lines: &[("sum(forebay_nfs_clients{$i,state=\"confirmed\"})", "")],
                },
                Panel {
                    title: "Uptime",
                    says: "Time since the daemon started. If it is short without a planned restart, read the log.",
                    kind: Stat,
                    unit: Unit::Seconds,
                    lines: &[("min(time() - process_start_time_seconds{$i})", "")],
                },
            ],
        },
        Row {
            title: "Load",
            panels: &[
                Panel {
                    title: "Throughput",
                    says: "Bytes that clients read and write.",
                    kind: Graph,
                    unit: Unit::BytesPerSecond,
                    lines: &[
                        ("sum(rate(forebay_volume_read_bytes_total{$i}[$r]))", "read"),
                        ("sum(rate(forebay_volume_written_bytes_total{$i}[$r]))", "write"),
                    ],
                },
                Panel {
                    title: "Operations",
                    says: "READ, WRITE and COMMIT per second, and all operations.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[
                        (
                            "sum by (operation) (rate(forebay_nfs_operation_duration_seconds_count{$i,operation=~\"READ|WRITE|COMMIT\"}[$r]))",
                            "{{operation}}",
                        ),
                        ("sum(rate(forebay_nfs_operation_duration_seconds_count{$i}[$r]))", "all"),
                    ],
                },
                Panel {
                    title: "Latency p99",
                    says: "99th percentile of READ, WRITE and COMMIT. COMMIT is the brokers' fsync.",
                    kind: Graph,
                    unit: Unit::Seconds,
                    lines: &[(
                        "histogram_quantile(0.99, sum by (operation, le) (rate(forebay_nfs_operation_duration_seconds_bucket{$i,operation=~\"READ|WRITE|COMMIT\"}[$r])))",
                        "{{operation}}",
                    )],
                },
            ],
        },
        Row {
            title: "Volumes",
            panels: &[
                Panel {
                    title: "Written to volumes",
                    says: "Bytes that clients write to each volume.",
                    kind: Graph,
                    unit: Unit::BytesPerSecond,
                    lines: &[(
                        "sum by (volume) (rate(forebay_volume_written_bytes_total{$i,volume=~\"$volume\"}[$r]))",
                        "{{volume}}",
                    )],
                },
                Panel {
                    title: "Read from volumes",
                    says: "Bytes that clients read from each volume and its snapshots.",
                    kind: Graph,
                    unit: Unit::BytesPerSecond,
                    lines: &[(
                        "sum by (volume) (rate(forebay_volume_read_bytes_total{$i,volume=~\"$volume\"}[$r]))",
                        "{{volume}}",
                    )],
                },
                Panel {
                    title: "Size of volumes",
                    says: "Bytes of file data in each volume, holes excluded.",
                    kind: Graph,
                    unit: Unit::Bytes,
                    lines: &[(
                        "sum by (volume) (forebay_volume_logical_bytes{$i,volume=~\"$volume\"})",
                        "{{volume}}",
                    )],
                },
                Panel {
                    title: "Waits for limits",
                    says: "Time per second that requests wait for the limits of volumes. If a volume's brokers lag, raise its limit.",
                    kind: Graph,
                    unit: Unit::Seconds,
                    lines: &[(
                        "sum by (volume) (rate(forebay_volume_limit_wait_seconds_total{$i,volume=~\"$volume\"}[$r]))",
                        "{{volume}}",
                    )],
                },
                Panel {
                    title: "Deleted and still open",
                    says: "Deleted files that clients still have open. A few for about a minute are normal: Kafka deletes that way.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[(
                        "sum by (volume) (forebay_volume_orphans{$i,volume=~\"$volume\"})",
                        "{{volume}}",
                    )],
                },
                Panel {
                    title: "Snapshots",
                    says: "Snapshots of each volume. They keep data that has been deleted since.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[(
                        "sum by (volume) (forebay_volume_snapshots{$i,volume=~\"$volume\"})",
                        "{{volume}}",
                    )],
                },
            ],
        },
        Row {
            title: "S3",
            panels: &[
                Panel {
                    title: "S3 requests by status",
                    says: "`5xx` is serious. `aborted`: the client went away before the answer.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[("sum by (class) (rate(forebay_s3_requests_total{$i}[$r]))", "{{class}}")],
                },
                Panel {
                    title: "S3 traffic",
                    says: "Bytes that S3 clients send and receive per second.",
                    kind: Graph,
                    unit: Unit::BytesPerSecond,
                    lines: &[
                        ("sum(rate(forebay_s3_bucket_received_bytes_total{$i}[$r]))", "received"),
                        ("sum(rate(forebay_s3_bucket_sent_bytes_total{$i}[$r]))", "sent"),
                    ],
                },
                Panel {
                    title: "S3 latency p99",
                    says: "99th percentile of GetObject, PutObject and UploadPart, to the first byte of the answer.",
                    kind: Graph,
                    unit: Unit::Seconds,
                    lines: &[(
                        "histogram_quantile(0.99, sum by (operation, le) (rate(forebay_s3_operation_duration_seconds_bucket{$i,operation=~\"GetObject|PutObject|UploadPart\"}[$r])))",
                        "{{operation}}",
                    )],
                },
            ],
        },
        Row {
            title: "Several nodes",
            panels: &[
                Panel {
                    title: "Node",
                    says: "The node that serves the pool, if several can. Another name begins where another node took the pool.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[("sum by (node) (forebay_node_info{$i})", "{{node}}")],
                },
                Panel {
                    title: "Takeover",
                    says: "How long the phases of the last takeover took. Clients waited for the sum.",
                    kind: Graph,
                    unit: Unit::Seconds,
                    lines: &[("max by (phase) (forebay_node_takeover_seconds{$i})", "{{phase}}")],
                },
                Panel {
                    title: "Last beat",
                    says: "Time since the node last told the others that it is there. From 3.5 s on, a standby may have it fenced.",
                    kind: Graph,
                    unit: Unit::Seconds,
                    lines: &[("max by (instance) (forebay_node_beat_age_seconds{$i})", "{{instance}}")],
                },
            ],
        },
        Row {
            title: "Capacity and host",
            panels: &[
                Panel {
                    title: "Space",
                    says: "Bytes of file data, bytes stored, and bytes that can still be written.",
                    kind: Graph,
                    unit: Unit::Bytes,
                    lines: &[
                        ("sum(forebay_pool_logical_bytes{$i})", "files"),
                        ("sum(forebay_pool_physical_bytes{$i})", "stored"),
                        ("sum(forebay_pool_free_bytes{$i})", "free"),
                    ],
                },
                Panel {
                    title: "Processors",
                    says: "CPU cores that the daemon keeps busy.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[("sum by (instance) (rate(process_cpu_seconds_total{$i}[$r]))", "{{instance}}")],
                },
                Panel {
                    title: "Memory",
                    says: "Resident memory of the daemon.",
                    kind: Graph,
                    unit: Unit::Bytes,
                    lines: &[("sum by (instance) (process_resident_memory_bytes{$i})", "{{instance}}")],
                },
            ],
        },
    ],
};
