//! Tiered storage: only the brokers know it, so Prometheus evaluates these.

use super::super::rule::Source::Prometheus;
use super::super::rule::{Rule, Severity};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "ForebayTierCopyingStopped",
        severity: Severity::Critical,
        watches: "Segments of a topic wait to be copied to the tier, and none was copied for 25 minutes.",
        summary: "topic {{ $labels.topic }}: segments wait to be copied to the tier, and none has been for 25 minutes",
        runbook: "Log directories fill. The brokers' logs say why copies fail; see also ForebayTierCopiesFail and the dashboard for \
                  tiered storage. If the S3 server answers again, Kafka continues by itself.",
        source: Prometheus {
            expression: "sum by (topic) (delta(kafka_remote_copy_lag_bytes[15m])) > 0 unless sum by (topic) \
                         (increase(kafka_remote_copy_bytes_total[15m])) > 0",
            hold: "10m",
        },
    },
    Rule {
        name: "ForebayTierCopyingFallsBehind",
        severity: Severity::Warning,
        watches: "The number of segments that wait to be copied has grown for an hour and a half.",
        summary: "topic {{ $labels.topic }}: {{ $value }} segments at least wait on {{ $labels.instance }} to be copied, and more all \
                  the time",
        runbook: "Either a partition of the topic is not copied any more, which the broker's log says, or copies are too slow: look \
                  at rsm.config.upload.max.bytes.per.second, remote.log.manager.copy.max.bytes.per.second and the load of the S3 \
                  server.",
        source: Prometheus {
            expression: "min_over_time(kafka_remote_copy_lag_segments[1h]) > 2 and deriv(kafka_remote_copy_lag_segments[1h]) > 0",
            hold: "30m",
        },
    },
    Rule {
        name: "ForebayTierCopiesFail",
        severity: Severity::Warning,
        watches: "More than three copies to the tier failed in 15 minutes, for 15 minutes.",
        summary: "{{ $labels.instance }}: {{ $value }} copies to the tier have failed in 15 minutes",
        runbook: "The broker's log has the reason of each: the S3 server, the key, the bucket's size, or damaged segments.",
        source: Prometheus {
            expression: "increase(tiered_storage_failed_copies_total[15m]) > 3",
            hold: "15m",
        },
    },
    Rule {
        name: "ForebayTierSegmentDamaged",
        severity: Severity::Critical,
        watches: "A broker found a damaged segment when it copied it to the tier.",
        summary: "{{ $labels.instance }}: a segment is damaged, and its partition is not copied to the tier any more",
        runbook: "The broker's log names the file and the position. Restore the partition from a replica, or set \
                  rsm.config.verify=warn to copy it as it is.",
        source: Prometheus {
            expression: "increase(tiered_storage_damaged_segments_total[1h]) > 0",
            hold: "",
        },
    },
];
