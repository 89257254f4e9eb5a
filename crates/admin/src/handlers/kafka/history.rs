//! The bytes that topics stored on each day.

use axum::Json;
use axum::extract::State;

use super::super::common::Shared;
use super::{ClusterPath, TopicPath, topic_of};
use crate::error::{ErrorBody, Result};
use crate::kafka::history::Row;
use crate::request::{Params, Read};
use crate::views::{KafkaDayView, KafkaHistoryView, date};

fn view(topic: Option<String>, rows: Vec<Row>) -> KafkaHistoryView {
    let day = |row: Row| KafkaDayView {
        date: date(row.day()),
        partitions: row.partitions,
        bytes_in_files: row.bytes_in_files,
        bytes_stored: row.bytes_stored,
        bytes_exclusive: row.bytes_exclusive,
        bytes_written_per_day: row.bytes_written_per_day,
    };
    KafkaHistoryView { topic, days: rows.into_iter().map(day).collect() }
}

/// Get what all topics of a cluster stored on each day of the last 400
///
/// Topics that were deleted since are in it.
#[utoipa::path(
    get, path = "/kafka/clusters/{cluster}/history", tag = "kafka", params(ClusterPath),
    responses(
        (status = 200, description = "The days", body = KafkaHistoryView),
        (status = 404, description = "The cluster does not exist", body = ErrorBody),
    ),
)]
pub async fn kafka_cluster_history(
    State(api): Shared,
    _: Read,
    Params(path): Params<ClusterPath>,
) -> Result<Json<KafkaHistoryView>> {
    let (_, report) = api.kafka_report()?;
    let cluster = api.kafka_cluster(&report, &path.cluster)?;
    Ok(Json(view(None, api.kafka.history.of_cluster(&cluster.key))))
}

/// Get what a topic stored on each day of the last 400
///
/// There are rows of a thousand topics, those that store most. A topic that was deleted keeps its rows until others need their place.
#[utoipa::path(
    get, path = "/kafka/clusters/{cluster}/topics/{topic}/history", tag = "kafka", params(TopicPath),
    responses(
        (status = 200, description = "The days; none if a thousand topics store more", body = KafkaHistoryView),
        (status = 404, description = "The cluster or the topic does not exist", body = ErrorBody),
    ),
)]
pub async fn kafka_topic_history(
    State(api): Shared,
    _: Read,
    Params(path): Params<TopicPath>,
) -> Result<Json<KafkaHistoryView>> {
    let (_, report) = api.kafka_report()?;
    let cluster = api.kafka_cluster(&report, &path.cluster)?;
    let rows = api.kafka.history.of_topic(&cluster.key, &path.topic);
    if rows.is_empty() {
        topic_of(cluster, &path.topic)?;
    }
    Ok(Json(view(Some(path.topic), rows)))
}
