//! Tiered storage, from the brokers: Kafka's metrics and those of the plugin. `deploy/prometheus/kafka-jmx-exporter.yml` names them.

use super::panels::PanelKind::{Alarm, Graph, Stat};
use super::panels::{Dashboard, KAFKA_BROKERS, Panel, Row, Unit};

/// The dashboard of tiered storage.
pub static DASHBOARD: Dashboard = Dashboard {
    uid: "forebay-tiering",
    title: "Forebay: tiered storage",
    instances: KAFKA_BROKERS,
    volumes: false,
    rows: &[
        Row {
            title: "At a glance",
            panels: &[
                Panel {
                    title: "Not copied yet",
                    says: "Closed segments that are only in log directories, of all topics.",
                    kind: Stat,
                    unit: Unit::Bytes,
                    lines: &[("sum(kafka_remote_copy_lag_bytes{$i})", "")],
                },
                Panel {
                    title: "In the tier",
                    says: "As far as Kafka has computed it: only for topics with a limit of their size.",
                    kind: Stat,
                    unit: Unit::Bytes,
                    lines: &[("sum(kafka_remote_log_size_bytes{$i})", "")],
                },
                Panel {
                    title: "Failed copies, 5 min",
                    says: "Kafka tries again. The brokers' logs have the reason.",
                    kind: Alarm,
                    unit: Unit::Count,
                    lines: &[("sum(increase(tiered_storage_failed_copies_total{$i}[5m]))", "")],
                },
                Panel {
                    title: "Damaged segments, 1 h",
                    says: "A damaged segment stays local, and its partition is not copied any more. The broker's log names the file and the \
                           position.",
                    kind: Alarm,
                    unit: Unit::Count,
                    lines: &[("sum(increase(tiered_storage_damaged_segments_total{$i}[1h]))", "")],
                },
                Panel {
                    title: "Errors caught, 1 h",
                    says: "Errors of the Java runtime, such as OutOfMemoryError, that ended a call.",
                    kind: Alarm,
                    unit: Unit::Count,
                    lines: &[("sum(increase(tiered_storage_errors_caught_total{$i}[1h]))", "")],
                },
                Panel {
                    title: "By reference, 1 h",
                    says: "Segments that were copied without moving their bytes.",
                    kind: Stat,
                    unit: Unit::Ratio,
                    lines: &[(
                        "sum(increase(tiered_storage_copies_by_reference_total{$i}[1h])) / sum(increase(tiered_storage_copies_total{$i}[1h]))",
                        "",
                    )],
                },
            ],
        },
        Row {
            title: "Copies",
            panels: &[
                Panel {
                    title: "Copied",
                    says: "Bytes of segments per second, of the ten topics with the most.",
                    kind: Graph,
                    unit: Unit::BytesPerSecond,
                    lines: &[(
                        "topk(10, sum by (topic) (rate(kafka_remote_copy_bytes_total{$i}[$r])))",
                        "{{topic}}",
                    )],
                },
                Panel {
                    title: "Copy lag",
                    says: "The ten topics with the most. If it grows and nothing is copied, log directories fill.",
                    kind: Graph,
                    unit: Unit::Bytes,
                    lines: &[("topk(10, sum by (topic) (kafka_remote_copy_lag_bytes{$i}))", "{{topic}}")],
                },
                Panel {
                    title: "Copy lag in segments",
                    says: "Kafka copies the segments of a partition one after the other.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[("topk(10, sum by (topic) (kafka_remote_copy_lag_segments{$i}))", "{{topic}}")],
                },
                Panel {
                    title: "How segments are copied",
                    says: "Uploads have a cause: no attribute means that the log directory is not on a volume of this server.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[
                        ("sum(rate(tiered_storage_copies_by_reference_total{$i}[$r]))", "by reference"),
                        ("sum(rate(tiered_storage_uploads_no_attribute_total{$i}[$r]))", "no attribute"),
                        ("sum(rate(tiered_storage_uploads_unknown_total{$i}[$r]))", "unknown to the server"),
                        ("sum(rate(tiered_storage_uploads_changed_total{$i}[$r]))", "changed meanwhile"),
                        ("sum(rate(tiered_storage_uploads_other_file_total{$i}[$r]))", "another file"),
                        ("sum(rate(tiered_storage_uploads_forbidden_total{$i}[$r]))", "forbidden"),
                        (
                            "sum(rate(tiered_storage_uploads_not_implemented_total{$i}[$r]))",
                            "not implemented",
                        ),
                        ("sum(rate(tiered_storage_uploads_unconfirmed_total{$i}[$r]))", "unconfirmed"),
                        ("sum(rate(tiered_storage_uploads_switched_off_total{$i}[$r]))", "switched off"),
                    ],
                },
                Panel {
                    title: "Uploaded",
                    says: "Bytes from brokers to the S3 server, indexes included.",
                    kind: Graph,
                    unit: Unit::BytesPerSecond,
                    lines: &[(
                        "sum by (instance) (rate(tiered_storage_uploaded_bytes_total{$i}[$r]))",
                        "{{instance}}",
                    )],
                },
                Panel {
                    title: "Failures",
                    says: "Requests to the S3 server are repeated within a call, calls by Kafka.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[
                        ("sum(rate(tiered_storage_failed_requests_total{$i}[$r]))", "requests"),
                        ("sum(rate(tiered_storage_failed_copies_total{$i}[$r]))", "copies"),
                        ("sum(rate(tiered_storage_failed_fetches_total{$i}[$r]))", "fetches"),
                        ("sum(rate(tiered_storage_failed_deletes_total{$i}[$r]))", "deletes"),
                    ],
                },
            ],
        },
        Row {
            title: "Reads and deletes",
            panels: &[
                Panel {
                    title: "Read from the tier",
                    says: "Bytes that consumers got, of the ten topics with the most.",
                    kind: Graph,
                    unit: Unit::BytesPerSecond,
                    lines: &[(
                        "topk(10, sum by (topic) (rate(kafka_remote_fetch_bytes_total{$i}[$r])))",
                        "{{topic}}",
                    )],
                },
                Panel {
                    title: "Fetched and read",
                    says: "Fetched: from the S3 server. Read: by the brokers, from what was fetched; several readers share it.",
                    kind: Graph,
                    unit: Unit::BytesPerSecond,
                    lines: &[
                        ("sum(rate(tiered_storage_fetched_bytes_total{$i}[$r]))", "fetched"),
                        ("sum(rate(tiered_storage_read_ahead_bytes_total{$i}[$r]))", "of these, read ahead"),
                        ("sum(rate(tiered_storage_read_bytes_total{$i}[$r]))", "read"),
                    ],
                },
                Panel {
                    title: "Waiting reads",
                    says: "Reads from the tier that wait for a thread (remote.log.reader.threads).",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[("sum by (instance) (kafka_remote_log_reader_queue_size{$i})", "{{instance}}")],
                },
                Panel {
                    title: "Idle threads",
                    says: "The share of time without work. Near 0, the threads are the limit.",
                    kind: Graph,
                    unit: Unit::Ratio,
                    lines: &[
                        ("min(kafka_remote_log_reader_idle_ratio{$i})", "reads"),
                        ("min(kafka_remote_log_manager_idle_ratio{$i})", "copies and deletes"),
                    ],
                },
                Panel {
                    title: "Memory for reads",
                    says: "At most rsm.config.fetch.memory.bytes for each broker.",
                    kind: Graph,
                    unit: Unit::Bytes,
                    lines: &[("sum by (instance) (tiered_storage_fetch_memory_bytes{$i})", "{{instance}}")],
                },
                Panel {
                    title: "Deleted segments, and those that should be",
                    says: "The lag counts segments that are older or larger than retention allows, and still in the tier.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[
                        ("sum(rate(tiered_storage_deletes_total{$i}[$r]))", "deleted per second"),
                        ("sum(kafka_remote_delete_lag_segments{$i})", "lag"),
                    ],
                },
            ],
        },
    ],
};
