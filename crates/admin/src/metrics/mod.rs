//! Metrics for Prometheus and other collectors that read its text format.
//!
//! ```text
//!   Sources (service, protocols)   ── Observation: one snapshot of all counts
//!                                          │
//!        table: every metric: its meaning, what to do, and how to compute it from an Observation
//!              │                           │                         │
//!        text: the exposition     reference: the page      crate::dashboards, crate::history
//! ```
//! What must hold: the exposition and the reference page are generated from the table, so they cannot
//! disagree with it; names have base units; label values are bounded, whatever clients do. Volumes beyond the
//! first thousand are counted together as `other`.
//!
//! The text format is that of Prometheus (version 0.0.4), which every collector reads. OpenMetrics would
//! change the names of counters.

mod observation;
mod process;
pub mod reference;
mod run;
mod samples;
mod sources;
pub mod table;
mod text;

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

pub use observation::{AlertSeen, BackupsSeen, ClusterSeen, KafkaSeen, Observation, VOLUMES_MAX, VolumeSeen};
pub use process::Process;
pub use run::{RefusedClient, Run, RunSeen};
pub use sources::{Source, Sources};

/// The content type of the exposition.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Renders all metrics as they are now. Takes a few milliseconds with a thousand volumes. It may block on the
/// local file system, but never on the network.
pub fn render(sources: &Sources) -> String {
    text::exposition(&Observation::take(sources))
}

/// Responds to a collector.
pub async fn answer(sources: Sources) -> Response {
    // Rendering asks for sizes of file systems, which may block.
    match tokio::task::spawn_blocking(move || render(&sources)).await {
        Ok(text) => ([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::table::{FAMILIES, Kind, family};
    use super::*;
    use crate::test_support::{service, sources, sources_of};
    use crate::views::SynchronousState;

    /// The sample names, each with its number of samples; and the families with their kinds.
    fn read(text: &str) -> (BTreeMap<&str, usize>, Vec<(&str, &str)>) {
        let (mut samples, mut families) = (BTreeMap::new(), Vec::new());
        for line in text.lines() {
            if let Some(family) = line.strip_prefix("# TYPE ") {
                families.push(family.split_once(' ').unwrap());
            } else if !line.starts_with('#') {
                let name = line.split(['{', ' ']).next().unwrap();
                let value: f64 = line.rsplit(' ').next().unwrap().parse().unwrap();
                assert!(value >= 0.0, "{line}");
                *samples.entry(name).or_insert(0) += 1;
            }
        }
        (samples, families)
    }

    #[tokio::test]
    async fn exactly_the_metrics_of_the_table_are_exposed() {
        let sources = sources().await;
        let text = render(&sources);
        let (samples, families) = read(&text);
        let table: Vec<_> =
            FAMILIES.iter().copied().flatten().map(|family| (family.name, family.kind.word())).collect();
        assert_eq!(families, table);
        for name in samples.keys() {
            assert!(family(name).is_some(), "{name} is not in the table");
        }
        let without: Vec<_> = FAMILIES
            .iter()
            .copied()
            .flatten()
            .filter(|family| {
                let name = match family.kind {
                    Kind::Histogram => format!("{}_count", family.name),
                    _ => family.name.to_owned(),
                };
                !samples.contains_key(name.as_str())
            })
            .map(|family| family.name)
            .collect();
        // Families without samples when there is one volume, one bucket, no client, no other node and no Kafka.
        let expected = [
            "forebay_pool_data_ratio",
            "forebay_pool_data_bytes",
            "forebay_pool_data_calculated_timestamp_seconds",
            "forebay_pool_backup_last_timestamp_seconds",
            "forebay_pool_scrub_finished_timestamp_seconds",
            "forebay_object_store_requests_total",
            "forebay_object_store_repeated_total",
            "forebay_object_store_out_seconds",
            "forebay_object_store_bytes_total",
            "forebay_object_store_cache_blocks_total",
            "forebay_object_store_cache_bytes",
            "forebay_object_store_cost_per_month",
            "forebay_volume_data_ratio",
            "forebay_volume_size_bytes",
            "forebay_volume_limit_bytes_per_second",
            "forebay_nfs_operation_duration_seconds",
            "forebay_nfs_operation_errors_total",
            "forebay_nfs_operation_limit_waits_total",
            "forebay_nfs_operation_limit_wait_seconds_total",
            "forebay_nfs_client_bytes_total",
            "forebay_nfs_client_operations_total",
            "forebay_nfs_client_commit_seconds_total",
            "forebay_nfs_client_commits_total",
            "forebay_nfs_tls_certificate_expiry_timestamp_seconds",
            "forebay_s3_bucket_size_bytes",
            "forebay_s3_lifecycle_finished_timestamp_seconds",
            "forebay_s3_tls_certificate_expiry_timestamp_seconds",
            "forebay_node_info",
            "forebay_node_taken_timestamp_seconds",
            "forebay_node_takeover_seconds",
            "forebay_node_beat_age_seconds",
            "forebay_node_beat_failures_total",
            "forebay_cluster_candidates",
            "forebay_cluster_synchronous_standby",
            "forebay_cluster_pools",
            "forebay_kafka_topic_logical_bytes",
            "forebay_kafka_topic_physical_bytes",
            "forebay_kafka_topic_shared_ratio",
            "forebay_kafka_broker_up",
            "forebay_kafka_replicas",
            "forebay_kafka_report_timestamp_seconds",
            "forebay_kafka_report_seconds",
            "forebay_alert",
            "forebay_alerts_evaluated_timestamp_seconds",
        ];
        assert_eq!(without, expected);
    }

    #[tokio::test]
    async fn a_pool_that_is_closed_leaves_the_rest() {
        let service = service().await;
        let sources = sources_of(&service).await;
        service.pool.close().await.unwrap();
        let text = render(&sources);
        assert!(!text.contains("\nforebay_pool_free_bytes "));
        assert!(
            text.contains("\nforebay_nfs_connections 0\n") && text.contains("\nprocess_threads "),
            "{text}"
        );
    }

    #[tokio::test]
    async fn a_node_that_was_fenced_shows_in_the_metrics_of_the_next_one() {
        let mut seen = crate::test_support::observation().await;
        seen.node = Some(crate::test_support::beats());
        let text = text::exposition(&seen);
        for line in [
            "forebay_node_info{node=\"b\"} 1",
            "forebay_node_taken_timestamp_seconds{takeover=\"fenced\"} 1700000000",
            "forebay_node_takeover_seconds{phase=\"silent\"} 3.5",
            "forebay_node_takeover_seconds{phase=\"fence\"} 0.005",
            "forebay_node_takeover_seconds{phase=\"opening\"} 0.103",
            "forebay_node_beat_age_seconds 0.25",
            "forebay_node_beat_failures_total 2",
        ] {
            assert!(text.contains(&format!("\n{line}\n")), "{line}: {text}");
        }
        assert!(!text.contains("phase=\"addresses\""), "it has not got them yet");
    }

    #[tokio::test]
    async fn the_database_of_a_pool_shows_in_the_metrics_as_far_as_it_is_known() {
        let mut seen = crate::test_support::observation().await;
        seen.cluster = Some(crate::test_support::cluster(SynchronousState::Missing, false));
        let text = text::exposition(&seen);
        for line in [
            "forebay_cluster_candidates 0",
            "forebay_cluster_synchronous_standby 0",
            "forebay_cluster_pools{state=\"serving\"} 1",
        ] {
            assert!(text.contains(&format!("\n{line}\n")), "{line}: {text}");
        }
        seen.cluster = Some(crate::test_support::cluster(SynchronousState::Unknown, false));
        assert!(!text::exposition(&seen).contains("\nforebay_cluster_synchronous_standby "));
    }

    #[tokio::test]
    async fn a_bucket_shows_in_the_metrics() {
        let mut seen = crate::test_support::observation().await;
        let objects = forebay_pool::store::ObjectCounts {
            put: 7,
            bytes_got: 9,
            out_for_ms: 1500,
            ..Default::default()
        };
        seen.pool.as_mut().unwrap().objects = Some(objects);
        seen.object_cost = Some(crate::object_store::Cost { writes: 1.5, reads: 0.25, stored: 2.0 });
        let text = text::exposition(&seen);
        for line in [
            "forebay_object_store_requests_total{operation=\"put\"} 7",
            "forebay_object_store_bytes_total{direction=\"get\"} 9",
            "forebay_object_store_out_seconds 1.5",
            "forebay_object_store_cost_per_month{part=\"writes\"} 1.5",
        ] {
            assert!(text.contains(&format!("\n{line}\n")), "{line}: {text}");
        }
    }

    #[tokio::test]
    async fn it_is_served_as_what_it_is() {
        let answer = answer(sources().await).await;
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(answer.headers()[header::CONTENT_TYPE], CONTENT_TYPE);
    }
}
