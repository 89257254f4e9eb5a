//! The Kafka topics in snapshots.

use axum::Json;
use axum::extract::State;
use forebay_kafka::snapshot::{SnapshotReplica, find, replicas};
use serde::Deserialize;
use utoipa::IntoParams;

use super::super::common::Shared;
use super::super::snapshots::SnapshotPath;
use super::ROWS_MAX;
use crate::api::Api;
use crate::error::{ApiError, Code, ErrorBody, Result};
use crate::request::{Params, Read};
use crate::views::{
    KafkaSnapshotReplicaView, KafkaSnapshotTopicDetailView, KafkaSnapshotTopicView, KafkaSnapshotView,
    copy_command, time,
};

/// The maximum number of topics in a response.
const TOPICS_MAX: usize = 10_000;

/// A topic of a snapshot in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct SnapshotTopicPath {
    /// The volume's name, or `id:` and its id.
    #[param(pattern = "^([A-Za-z0-9_][A-Za-z0-9_.-]{0,63}|id:[0-9a-f]{8})$")]
    pub volume: String,
    /// The snapshot's name.
    #[param(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub snapshot: String,
    /// The topic.
    pub topic: String,
}

/// The volume, and its snapshot.
fn named(api: &Api, volume: &str, snapshot: &str) -> Result<(forebay_pool::Volume, forebay_pool::Snapshot)> {
    let volume = api.volume(volume)?;
    let snapshot = api.service.pool.snapshot(&volume.spec.name, snapshot)?;
    Ok((volume, snapshot))
}

/// List the Kafka topics that a snapshot has
///
/// The directories of the snapshot are read, so this also works if Kafka views are off. One such request is processed at a time.
#[utoipa::path(
    get, path = "/volumes/{volume}/snapshots/{snapshot}/topics", tag = "kafka", params(SnapshotPath),
    responses(
        (status = 200, description = "The topics", body = KafkaSnapshotView),
        (status = 404, description = "The volume or the snapshot does not exist", body = ErrorBody),
    ),
)]
pub async fn kafka_snapshot_show(
    State(api): Shared,
    _: Read,
    Params(path): Params<SnapshotPath>,
) -> Result<Json<KafkaSnapshotView>> {
    let (volume, snapshot) = named(&api, &path.volume, &path.snapshot)?;
    let _reading = api.efficiencies.alone().await;
    let found = find(&api.service.pool, snapshot.root).await?;
    let topics = found.topics();
    let total = topics.len() as u64;
    let items =
        topics.into_iter().take(TOPICS_MAX).map(|((cluster, topic), counts)| KafkaSnapshotTopicView {
            cluster: cluster.to_owned(),
            topic: topic.to_owned(),
            partitions: counts.partitions,
            replicas: counts.replicas,
        });
    Ok(Json(KafkaSnapshotView {
        volume: volume.spec.name,
        snapshot: snapshot.name,
        created: time(snapshot.created),
        items: items.collect(),
        total,
        problems: found.problems.clone(),
    }))
}

/// Get a Kafka topic of a snapshot, with the offsets of its replicas and the commands that copy them
#[utoipa::path(
    get, path = "/volumes/{volume}/snapshots/{snapshot}/topics/{topic}", tag = "kafka", params(SnapshotTopicPath),
    responses(
        (status = 200, description = "The topic", body = KafkaSnapshotTopicDetailView),
        (status = 404, description = "The volume, the snapshot or the topic does not exist", body = ErrorBody),
    ),
)]
pub async fn kafka_snapshot_topic_show(
    State(api): Shared,
    _: Read,
    Params(path): Params<SnapshotTopicPath>,
) -> Result<Json<KafkaSnapshotTopicDetailView>> {
    let (volume, snapshot) = named(&api, &path.volume, &path.snapshot)?;
    let pool = &api.service.pool;
    let _reading = api.efficiencies.alone().await;
    let found = find(pool, snapshot.root).await?;
    let (replicas, total) = replicas(pool, &found, &path.topic, ROWS_MAX).await?;
    if total == 0 {
        let (name, of) = (&snapshot.name, &volume.spec.name);
        let object = format!("topic {} of snapshot {of}@{name}", path.topic);
        let error = ApiError::new(Code::KafkaTopicNotFound, object, "not found");
        return Err(error.with_remedy(format!("`forebay kafka snapshot {of}@{name}` shows all")));
    }
    let junction = volume.spec.junction_path.trim_end_matches('/');
    let view = |replica: SnapshotReplica| {
        let below = format!(".snapshot/{}/{}", snapshot.name, replica.path);
        KafkaSnapshotReplicaView {
            cluster: replica.cluster,
            partition: replica.partition,
            node: replica.node,
            state: replica.state.into(),
            segments: replica.segments,
            offset_start: replica.offset_start,
            offset_last_segment: replica.offset_last_segment,
            last_segment_bytes: replica.last_segment_bytes,
            high_watermark: replica.high_watermark,
            bytes_in_files: replica.bytes_in_files,
            newest: replica.newest.map(time),
            copy_command: copy_command(&below),
            path: format!("{junction}/{below}"),
        }
    };
    Ok(Json(KafkaSnapshotTopicDetailView {
        volume: volume.spec.name.clone(),
        created: time(snapshot.created),
        topic: path.topic,
        replicas: replicas.into_iter().map(view).collect(),
        total,
        snapshot: snapshot.name,
    }))
}
