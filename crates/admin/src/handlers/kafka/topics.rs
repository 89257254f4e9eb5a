//! Topics, their replicas, and what these share.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use axum::Json;
use axum::extract::State;
use forebay_kafka::age::Age;
use forebay_kafka::exact::exact;
use forebay_kafka::layout::State as ReplicaState;
use forebay_kafka::report::{Cluster, Figures, Report, Topic};
use serde::Deserialize;
use utoipa::IntoParams;

use super::super::common::Shared;
use super::{ClusterPath, ROWS_MAX, TopicPath, ratio, report_view, thousandths, topic_of};
use crate::base::problem::Problem;
use crate::error::{ErrorBody, Result};
use crate::kafka::growth::Growth;
use crate::request::{Params, Read};
use crate::views::{
    KafkaOlderView, KafkaPartitionView, KafkaReplicaView, KafkaSharingCell, KafkaSharingRow,
    KafkaSharingView, KafkaTopicDetailView, KafkaTopicView, KafkaTopicsView, time,
};

/// The maximum number of topics in a page, and the number if a request does not say.
const TOPICS_MAX: usize = 10_000;
const TOPICS_USUAL: usize = 100;

/// Which topics, and in which order.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TopicsQuery {
    /// The field to sort by, largest first: `name`, `stored`, `files`, `growth`, `grown`, `written`, `age`, `peers` or `ratio`. `grown` is the growth of the last day, and `peers` the age
    /// of the oldest record against that of other replicas. Names are in alphabetical order.
    #[serde(default = "stored")]
    #[param(nullable = false)]
    pub sort: String,
    /// Only topics whose name has this text in it.
    #[param(nullable = false)]
    pub filter: Option<String>,
    /// The maximum number of topics.
    #[param(minimum = 1, maximum = 10000, nullable = false)]
    pub limit: Option<u64>,
    /// Continue after this topic.
    #[param(nullable = false)]
    pub after: Option<String>,
}

fn stored() -> String {
    "stored".to_owned()
}

/// Whether to count everything.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ExactQuery {
    /// Count all chunks of the topic now, instead of using the last report. Takes long for large topics; one such request is
    /// processed at a time.
    #[serde(default)]
    #[param(nullable = false)]
    pub exact: bool,
}

/// List the topics of a cluster
#[utoipa::path(
    get, path = "/kafka/clusters/{cluster}/topics", tag = "kafka", params(ClusterPath, TopicsQuery),
    responses(
        (status = 200, description = "The topics", body = KafkaTopicsView),
        (status = 400, description = "The field to sort by does not exist", body = ErrorBody),
        (status = 404, description = "The cluster does not exist", body = ErrorBody),
    ),
)]
pub async fn kafka_topic_list(
    State(api): Shared,
    asked: Read<TopicsQuery>,
    Params(path): Params<ClusterPath>,
) -> Result<Json<KafkaTopicsView>> {
    let query = asked.query;
    let (made, report) = api.kafka_report()?;
    let cluster = api.kafka_cluster(&report, &path.cluster)?;
    let filter = query.filter.as_deref().unwrap_or_default();
    let mut topics: Vec<(&String, &Topic)> =
        cluster.topics.iter().filter(|(name, _)| name.contains(filter)).collect();
    let growth = |name: &str| made.growths.of(&cluster.key, name);
    // The names are in order, and sorting keeps that order among equals.
    match query.sort.as_str() {
        "name" => {}
        "stored" => topics.sort_by_key(|(_, topic)| Reverse(topic.figures.bytes_stored)),
        "files" => topics.sort_by_key(|(_, topic)| Reverse(topic.figures.bytes_in_files)),
        "growth" => topics.sort_by_cached_key(|(name, _)| Reverse(growth(name).per_day())),
        "grown" => topics.sort_by_cached_key(|(name, _)| Reverse(growth(name).last_day)),
        "written" => topics.sort_by_cached_key(|(_, topic)| Reverse(topic.bytes_per_day())),
        "age" => topics.sort_by_cached_key(|(_, topic)| topic.oldest().unwrap_or_else(SystemTime::now)),
        "peers" => {
            let order = |topic: &Topic| {
                Reverse(most_unequal(topic, &report).map(|(_, ratio)| (ratio * 1000.0) as u64))
            };
            topics.sort_by_cached_key(|(_, topic)| order(topic));
        }
        "ratio" => {
            topics.sort_by(|(_, one), (_, other)| ratio(&other.figures).total_cmp(&ratio(&one.figures)))
        }
        other => {
            let problem = Problem::new("sort", format!("{other:?} is not a field to sort by"));
            return Err(problem
                .with_remedy("write name, stored, files, growth, grown, written, age, peers or ratio")
                .into());
        }
    }
    let total = topics.len() as u64;
    let limit = match query.limit.map(usize::try_from) {
        None => TOPICS_USUAL,
        Some(Ok(limit)) if (1..=TOPICS_MAX).contains(&limit) => limit,
        Some(_) => return Err(Problem::new("limit", format!("must be from 1 to {TOPICS_MAX}")).into()),
    };
    let start = match &query.after {
        None => 0,
        Some(after) if query.sort == "name" => topics.partition_point(|(name, _)| *name <= after),
        Some(after) => match topics.iter().position(|(name, _)| *name == after) {
            Some(at) => at.saturating_add(1),
            None => {
                let problem = Problem::new("after", format!("topic {after} does not exist any more"));
                return Err(problem.with_remedy("begin again, or sort by name").into());
            }
        },
    };
    let page = topics.get(start..).unwrap_or_default();
    let has_more = page.len() > limit;
    let items: Vec<_> = page
        .iter()
        .take(limit)
        .map(|(name, topic)| topic_view((name, topic), growth(name), (&report, cluster)))
        .collect();
    let next = items.last().filter(|_| has_more).map(|last| last.topic.clone());
    Ok(Json(KafkaTopicsView { report: report_view(&made, &report), items, total, next }))
}

/// The replica that is oldest against its peers, and how many times as old.
fn most_unequal(topic: &Topic, report: &Report) -> Option<(Age, f64)> {
    let age = topic.most_unequal_age(report.taken)?;
    Some((age, age.ratio(report.taken)))
}

fn topic_view(
    (name, topic): (&str, &Topic),
    growth: Growth,
    (report, cluster): (&Report, &Cluster),
) -> KafkaTopicView {
    let unequal = most_unequal(topic, report);
    let older = unequal.filter(|(age, _)| age.is_unusual(report.taken)).map(|(age, _)| KafkaOlderView {
        partition: age.partition,
        node: cluster.log_directories.get(age.directory).and_then(|log| log.node),
        oldest: time(age.oldest),
        oldest_of_peers: time(age.oldest_of_peers),
    });
    let states = [ReplicaState::Live, ReplicaState::Deleted, ReplicaState::Future, ReplicaState::Stray];
    let counts = states
        .into_iter()
        .map(|state| (crate::views::KafkaReplicaState::from(state).to_string(), topic.count(state)));
    KafkaTopicView {
        topic: name.to_owned(),
        is_cut: topic.is_cut,
        partitions: topic.partitions.len() as u64,
        factor: topic.factor(),
        replicas: counts.filter(|(_, count)| *count > 0).collect::<BTreeMap<_, _>>(),
        is_compacted: topic.is_compacted(),
        ratio: ratio(&topic.figures),
        share: topic.figures.bytes_stored as f64 / report.bytes_total.max(1) as f64,
        figures: (&topic.figures).into(),
        bytes_growth_per_day: growth.per_day(),
        bytes_growth_last_day: growth.last_day,
        is_growing_fast: growth.is_fast,
        bytes_written_per_day: topic.bytes_per_day(),
        oldest: topic.oldest().map(time),
        age_ratio: unequal.map(|(_, ratio)| ratio),
        older,
        shared: topic.shared_permille().map(thousandths),
        sampled_one_in: 1 << topic.sample_bits,
    }
}

/// Get a topic with its partitions and replicas
#[utoipa::path(
    get, path = "/kafka/clusters/{cluster}/topics/{topic}", tag = "kafka", params(TopicPath, ExactQuery),
    responses(
        (status = 200, description = "The topic", body = KafkaTopicDetailView),
        (status = 404, description = "The cluster or the topic does not exist", body = ErrorBody),
    ),
)]
pub async fn kafka_topic_show(
    State(api): Shared,
    asked: Read<ExactQuery>,
    Params(path): Params<TopicPath>,
) -> Result<Json<KafkaTopicDetailView>> {
    let (made, report) = api.kafka_report()?;
    let cluster = api.kafka_cluster(&report, &path.cluster)?;
    let mut topic = topic_of(cluster, &path.topic)?;
    let counted;
    if asked.query.exact {
        let _counting = api.efficiencies.alone().await;
        counted = exact(&api.service.pool, topic, api.kafka.watch()).await?;
        topic = &counted;
    }
    let growth = made.growths.of(&cluster.key, &path.topic);
    let partitions = topic.partitions.iter().take(ROWS_MAX).map(|(number, partition)| {
        let mut figures = Figures::default();
        partition.replicas.iter().for_each(|replica| figures.add(&replica.figures));
        let replicas = partition.replicas.iter().map(|replica| {
            let log = cluster.log_directories.get(replica.directory);
            KafkaReplicaView {
                node: log.and_then(|log| log.node),
                path: format!("{}/{}", log.map_or("", |log| log.path.as_str()), replica.name),
                state: replica.state.into(),
                figures: (&replica.figures).into(),
                segments: replica.segments,
                offset_start: replica.offset_start,
                offset_last_segment: replica.offset_last_segment,
                high_watermark: replica.high_watermark,
                oldest: replica.oldest.map(time),
                newest: replica.newest.map(time),
                shared: replica.shared_permille.map(thousandths),
                reason: replica.reason.as_ref().map(ToString::to_string),
            }
        });
        KafkaPartitionView {
            partition: *number,
            is_compacted: partition.is_compacted,
            replicas: replicas.collect(),
            figures: (&figures).into(),
        }
    });
    Ok(Json(KafkaTopicDetailView {
        report: report_view(&made, &report),
        partitions: partitions.collect(),
        topic: topic_view((&path.topic, topic), growth, (&report, cluster)),
    }))
}

/// Get how much of each replica of a topic another replica has too
///
/// Replicas of a partition are stored once as far as their record batches are the same. Below 80 % the response names the reason that the
/// files show.
#[utoipa::path(
    get, path = "/kafka/clusters/{cluster}/topics/{topic}/sharing", tag = "kafka", params(TopicPath),
    responses(
        (status = 200, description = "A matrix of partitions and brokers", body = KafkaSharingView),
        (status = 404, description = "The cluster or the topic does not exist", body = ErrorBody),
    ),
)]
pub async fn kafka_sharing_show(
    State(api): Shared,
    _: Read,
    Params(path): Params<TopicPath>,
) -> Result<Json<KafkaSharingView>> {
    let (made, report) = api.kafka_report()?;
    let cluster = api.kafka_cluster(&report, &path.cluster)?;
    let topic = topic_of(cluster, &path.topic)?;
    let mut nodes = BTreeSet::new();
    let row = |(number, partition): (&u32, &forebay_kafka::report::Partition)| {
        let live = partition.replicas.iter().filter(|replica| replica.state == ReplicaState::Live);
        let cells = live.clone().map(|replica| {
            let node = cluster.log_directories.get(replica.directory).and_then(|log| log.node);
            nodes.extend(node);
            KafkaSharingCell {
                node,
                shared: replica.shared_permille.map(thousandths),
                reason: replica.reason.as_ref().map(ToString::to_string),
            }
        });
        let replicas = cells.collect();
        let (in_files, stored) = live.fold((0_u64, 0_u64), |(in_files, stored), replica| {
            let figures = &replica.figures;
            (in_files.saturating_add(figures.bytes_in_files), stored.saturating_add(figures.bytes_stored))
        });
        KafkaSharingRow { partition: *number, replicas, bytes_in_files: in_files, bytes_stored: stored }
    };
    let mut rows: Vec<KafkaSharingRow> = topic.partitions.iter().map(row).collect();
    let total = rows.len() as u64;
    if rows.len() > ROWS_MAX {
        let least =
            |row: &KafkaSharingRow| row.replicas.iter().filter_map(|cell| cell.shared).fold(2.0, f64::min);
        rows.sort_by(|one, other| least(one).total_cmp(&least(other)));
        rows.truncate(ROWS_MAX);
    }
    let (report, nodes) = (report_view(&made, &report), nodes.into_iter().collect());
    Ok(Json(KafkaSharingView { report, topic: path.topic, nodes, rows, total }))
}
