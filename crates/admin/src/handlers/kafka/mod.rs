//! `kafka`: clusters, brokers, topics, what they store, and what could go.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::SystemTime;

use axum::Json;
use axum::extract::State;
use forebay_kafka::cleanup::leftovers;
use forebay_kafka::cost::{GroupBy, costs, price};
use forebay_kafka::exact::exact;
use forebay_kafka::layout::State as ReplicaState;
use forebay_kafka::report::{Cluster, Figures, Report, Topic};
use forebay_kafka::what_if::{Returned, what_if};
use serde::Deserialize;
use utoipa::IntoParams;

use super::common::Shared;
use crate::api::Api;
use crate::base::problem::Problem;
use crate::error::{ApiError, Code, ErrorBody, Result};
use crate::kafka::Made;
use crate::kafka::holders::{Broker, BrokerState};
use crate::request::{Content, Params, Read};
use crate::views::{
    KafkaAnswerView, KafkaBrokerState, KafkaBrokerView, KafkaBrokersView, KafkaCleanupView, KafkaClusterView,
    KafkaClustersView, KafkaCostRow, KafkaCostView, KafkaGroupBy, KafkaLeftoverView, KafkaPartitionView,
    KafkaQuestion, KafkaReplicaView, KafkaReportView, KafkaReturnedView, KafkaSharingCell, KafkaSharingRow,
    KafkaSharingView, KafkaTopicDetailView, KafkaTopicView, KafkaTopicsView, KafkaTotalsView, time,
};

/// The maximum number of partitions, or directories, in a response.
const ROWS_MAX: usize = 1000;
/// The maximum number of topics in a page, and the number if a request does not say.
const TOPICS_MAX: usize = 10_000;
const TOPICS_USUAL: usize = 100;

/// A cluster in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct ClusterPath {
    /// The cluster, as `GET /kafka/clusters` names it.
    pub cluster: String,
}

/// A topic in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct TopicPath {
    /// The cluster, as `GET /kafka/clusters` names it.
    pub cluster: String,
    /// The topic.
    pub topic: String,
}

/// Which topics, and in which order.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TopicsQuery {
    /// The field to sort by, largest first: `name`, `stored`, `files`, `growth`, `written`, `age` or `ratio`. Names are in alphabetical order.
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

/// A price, and the rows of a bill.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CostQuery {
    /// The price of 10^12 stored bytes in a month, in any currency.
    #[serde(default)]
    #[param(minimum = 0, nullable = false)]
    pub price: f64,
    /// Which topics share a row.
    #[param(inline, nullable = false)]
    pub group_by: Option<KafkaGroupBy>,
}

impl Api {
    /// The last report; an error for the caller if there is none.
    fn kafka_report(&self) -> Result<(Made, Arc<Report>)> {
        let made = self.kafka.made();
        if !self.kafka.settings.is_on {
            let error = ApiError::new(Code::KafkaIsOff, "Kafka views", "are off");
            return Err(error.with_remedy("set kafka.views = on, and restart the daemon"));
        }
        if let Some(report) = made.report.clone() {
            return Ok((made, report));
        }
        let cause = match &made.error {
            Some(error) => format!("could not be made: {error}"),
            None => "are being made for the first time since the daemon started".to_owned(),
        };
        Err(ApiError::new(Code::KafkaReportMissing, "Kafka views", cause)
            .with_remedy("ask again in some seconds"))
    }

    fn kafka_cluster<'a>(&self, report: &'a Report, key: &str) -> Result<&'a Cluster> {
        report.cluster(key).ok_or_else(|| {
            ApiError::new(Code::KafkaClusterNotFound, format!("Kafka cluster {key}"), "not found")
                .with_remedy("`forebay kafka clusters` shows all; a new one is found with the next report")
        })
    }
}

fn topic_of<'a>(cluster: &'a Cluster, name: &str) -> Result<&'a Topic> {
    cluster.topics.get(name).ok_or_else(|| {
        ApiError::new(
            Code::KafkaTopicNotFound,
            format!("topic {name} of Kafka cluster {}", cluster.key),
            "not found",
        )
        .with_remedy("`forebay kafka topics` shows all; a new one is found with the next report")
    })
}

fn milliseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn report_view(made: &Made, report: &Report) -> KafkaReportView {
    KafkaReportView {
        taken: time(report.taken),
        age_ms: milliseconds(SystemTime::now().duration_since(report.taken).unwrap_or_default()),
        duration_ms: milliseconds(report.duration),
        sampled_one_in: 1 << report.sample_bits,
        error: made.error.clone(),
        problems: report.problems.clone(),
    }
}

fn ratio(figures: &Figures) -> f64 {
    figures.bytes_in_files as f64 / figures.bytes_stored.max(1) as f64
}

fn thousandths(permille: u32) -> f64 {
    f64::from(permille) / 1000.0
}

/// List the Kafka clusters of the pool, and everything that the pool stores in rows that add up
///
/// A cluster is recognised by the file `meta.properties` in the log directories of its brokers. The response is made from the last
/// report, and says how old that is.
#[utoipa::path(
    get, path = "/kafka/clusters", tag = "kafka",
    responses(
        (status = 200, description = "The clusters", body = KafkaClustersView),
        (status = 409, description = "There is no report yet, or Kafka views are off", body = ErrorBody),
    ),
)]
pub async fn kafka_cluster_list(State(api): Shared, _: Read) -> Result<Json<KafkaClustersView>> {
    let (made, report) = api.kafka_report()?;
    let brokers = api.kafka.brokers(&report);
    let mut topics = Figures::default();
    report.clusters.iter().for_each(|cluster| topics.add(&cluster.figures()));
    Ok(Json(KafkaClustersView {
        report: report_view(&made, &report),
        items: report.clusters.iter().map(|cluster| cluster_view(cluster, &brokers)).collect(),
        totals: KafkaTotalsView {
            topics: (&topics).into(),
            log_directories: (&report.log_directories).into(),
            other_files: (&report.other_files).into(),
            objects: (&report.objects).into(),
            deleted_files: (&report.deleted_files).into(),
            bytes_snapshots: report.bytes_snapshots,
            bytes_total: report.bytes_total,
        },
    }))
}

fn cluster_view(cluster: &Cluster, brokers: &[Broker]) -> KafkaClusterView {
    let nodes: BTreeSet<Option<u32>> = cluster.log_directories.iter().map(|log| log.node).collect();
    let is_up = |broker: &&Broker| {
        broker.cluster == cluster.key && matches!(broker.state, BrokerState::Up(_) | BrokerState::Silent(..))
    };
    let count = |state| cluster.topics.values().map(|topic| topic.count(state)).sum::<u64>();
    let figures = cluster.figures();
    KafkaClusterView {
        cluster: cluster.key.clone(),
        id: Some(cluster.id.clone()).filter(|id| !id.is_empty()),
        clone: cluster.clone.clone(),
        brokers: nodes.len() as u64,
        log_directories: cluster.log_directories.len() as u64,
        log_directories_up: brokers.iter().filter(is_up).count() as u64,
        topics: cluster.topics.len() as u64,
        partitions: cluster.topics.values().map(|topic| topic.partitions.len() as u64).sum(),
        replicas: count(ReplicaState::Live) + count(ReplicaState::Future) + count(ReplicaState::Stray),
        replicas_deleted: count(ReplicaState::Deleted),
        ratio: ratio(&figures),
        figures: (&figures).into(),
    }
}

/// List the brokers of a cluster
///
/// There is a row for each log directory. The client that holds its `.lock` is looked up now; all else is from the last report.
#[utoipa::path(
    get, path = "/kafka/clusters/{cluster}/brokers", tag = "kafka", params(ClusterPath),
    responses(
        (status = 200, description = "The brokers", body = KafkaBrokersView),
        (status = 404, description = "The cluster does not exist", body = ErrorBody),
    ),
)]
pub async fn kafka_broker_list(
    State(api): Shared,
    _: Read,
    Params(path): Params<ClusterPath>,
) -> Result<Json<KafkaBrokersView>> {
    let (made, report) = api.kafka_report()?;
    let cluster = api.kafka_cluster(&report, &path.cluster)?;
    let mean = cluster.figures().bytes_in_files as f64 / cluster.log_directories.len().max(1) as f64;
    let brokers = api.kafka.brokers(&report);
    let of_cluster = brokers.into_iter().filter(|broker| broker.cluster == cluster.key);
    let items = of_cluster.filter_map(|broker| {
        let log = cluster.log_directories.get(broker.directory)?;
        let (state, holding, silence) = match broker.state {
            BrokerState::Up(holding) => (KafkaBrokerState::Up, Some(holding), None),
            BrokerState::Silent(holding, silence) => (KafkaBrokerState::Silent, Some(holding), Some(silence)),
            BrokerState::Gone(holding) => (KafkaBrokerState::Gone, Some(holding), None),
            BrokerState::Never => (KafkaBrokerState::Never, None, None),
        };
        Some(KafkaBrokerView {
            node: log.node,
            path: log.path.clone(),
            volume: log.volume.clone(),
            directory_id: log.directory_id.clone(),
            state,
            address: holding.as_ref().map(|holding| holding.address.to_string()),
            client: holding.as_ref().map(|holding| holding.owner.clone()),
            since: holding.as_ref().map(|holding| time(holding.since)),
            silent_ms: silence.map(milliseconds),
            stopped_cleanly: log.is_clean,
            replicas: log.replicas,
            figures: (&log.figures).into(),
            skew: log.figures.bytes_in_files as f64 / mean.max(1.0),
        })
    });
    Ok(Json(KafkaBrokersView { report: report_view(&made, &report), items: items.collect() }))
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
    let growth = |name: &str, topic: &Topic| {
        api.kafka.growth_per_day(&made, (&cluster.key, name), topic.figures.bytes_in_files)
    };
    // The names are in order, and sorting keeps that order among equals.
    match query.sort.as_str() {
        "name" => {}
        "stored" => topics.sort_by_key(|(_, topic)| Reverse(topic.figures.bytes_stored)),
        "files" => topics.sort_by_key(|(_, topic)| Reverse(topic.figures.bytes_in_files)),
        "growth" => topics.sort_by_cached_key(|(name, topic)| Reverse(growth(name, topic))),
        "written" => topics.sort_by_cached_key(|(_, topic)| Reverse(topic.bytes_per_day())),
        "age" => topics.sort_by_cached_key(|(_, topic)| topic.oldest().unwrap_or_else(SystemTime::now)),
        "ratio" => {
            topics.sort_by(|(_, one), (_, other)| ratio(&other.figures).total_cmp(&ratio(&one.figures)))
        }
        other => {
            let problem = Problem::new("sort", format!("{other:?} is not a field to sort by"));
            return Err(problem
                .with_remedy("write name, stored, files, growth, written, age or ratio")
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
        .map(|(name, topic)| topic_view((name, topic), growth(name, topic), report.bytes_total))
        .collect();
    let next = items.last().filter(|_| has_more).map(|last| last.topic.clone());
    Ok(Json(KafkaTopicsView { report: report_view(&made, &report), items, total, next }))
}

fn topic_view((name, topic): (&str, &Topic), growth: Option<i64>, total: u64) -> KafkaTopicView {
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
        share: topic.figures.bytes_stored as f64 / total.max(1) as f64,
        figures: (&topic.figures).into(),
        bytes_growth_per_day: growth,
        bytes_written_per_day: topic.bytes_per_day(),
        oldest: topic.oldest().map(time),
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
    let growth = api.kafka.growth_per_day(&made, (&cluster.key, &path.topic), topic.figures.bytes_in_files);
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
        topic: topic_view((&path.topic, topic), growth, report.bytes_total),
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

/// Get what the topics of a cluster cost in a month
#[utoipa::path(
    get, path = "/kafka/clusters/{cluster}/cost", tag = "kafka", params(ClusterPath, CostQuery),
    responses(
        (status = 200, description = "The costs, the highest first", body = KafkaCostView),
        (status = 400, description = "The price is not a price", body = ErrorBody),
        (status = 404, description = "The cluster does not exist", body = ErrorBody),
    ),
)]
pub async fn kafka_cost_show(
    State(api): Shared,
    asked: Read<CostQuery>,
    Params(path): Params<ClusterPath>,
) -> Result<Json<KafkaCostView>> {
    let query = asked.query;
    if !query.price.is_finite() || query.price < 0.0 {
        return Err(Problem::new("price", "must be a number from 0 on").into());
    }
    let (made, report) = api.kafka_report()?;
    let cluster = api.kafka_cluster(&report, &path.cluster)?;
    let group_by = match query.group_by {
        None | Some(KafkaGroupBy::Topic) => GroupBy::Topic,
        Some(KafkaGroupBy::Prefix) => GroupBy::Prefix,
    };
    let row = |cost: forebay_kafka::cost::Cost| KafkaCostRow {
        name: cost.name,
        topics: cost.topics,
        cost: price(cost.figures.bytes_stored, query.price),
        figures: (&cost.figures).into(),
    };
    let bytes_rest = report.bytes_total.saturating_sub(cluster.figures().bytes_stored);
    Ok(Json(KafkaCostView {
        report: report_view(&made, &report),
        price: query.price,
        items: costs(cluster, group_by).into_iter().map(row).collect(),
        bytes_rest,
        cost_rest: price(bytes_rest, query.price),
    }))
}

/// Compute what changes would return
///
/// Nothing is changed. The answer is of this instant. Which replicas a smaller factor removes is Kafka's choice; those of the last
/// brokers are assumed. One such request is processed at a time.
#[utoipa::path(
    post, path = "/kafka/clusters/{cluster}/what-if", tag = "kafka", params(ClusterPath), request_body = KafkaQuestion,
    responses(
        (status = 200, description = "What the changes would return", body = KafkaAnswerView),
        (status = 400, description = "A change lacks what its kind needs", body = ErrorBody),
        (status = 404, description = "The cluster does not exist", body = ErrorBody),
    ),
)]
pub async fn kafka_what_if(
    State(api): Shared,
    _: Read,
    Params(path): Params<ClusterPath>,
    Content(question): Content<KafkaQuestion>,
) -> Result<Json<KafkaAnswerView>> {
    let (_, report) = api.kafka_report()?;
    api.kafka_cluster(&report, &path.cluster)?;
    let changes =
        question.changes.iter().map(|change| change.read()).collect::<std::result::Result<Vec<_>, _>>()?;
    let _counting = api.efficiencies.alone().await;
    let answer =
        what_if(&api.service.pool, (report.clone(), path.cluster), changes, api.kafka.watch()).await?;
    let view = |returned: Returned| KafkaReturnedView {
        files: returned.files,
        bytes_in_files: returned.bytes_in_files,
        bytes_returned: returned.bytes_returned,
        bytes_held: returned.bytes_held,
        share: returned.bytes_returned as f64 / report.bytes_total.max(1) as f64,
        sampled_one_in: 1 << returned.sample_bits,
        notes: returned.notes,
    };
    let changes = answer.changes.into_iter().map(view).collect();
    Ok(Json(KafkaAnswerView { changes, together: view(answer.together) }))
}

/// List directories of Kafka that could go
///
/// Directories of deleted replicas that brokers did not remove, directories that the cluster's metadata do not have, and log directories that
/// no broker uses. Nothing is deleted: only Kafka or its operator knows whether they are still wanted.
#[utoipa::path(
    get, path = "/kafka/cleanup", tag = "kafka",
    responses((status = 200, description = "The directories, the largest first", body = KafkaCleanupView)),
)]
pub async fn kafka_cleanup_show(State(api): Shared, _: Read) -> Result<Json<KafkaCleanupView>> {
    let (made, report) = api.kafka_report()?;
    let lockers = |file| api.kafka.lockers(file);
    let found = leftovers(&report, SystemTime::now(), api.kafka.settings.deleted_after, &|lock| {
        !lockers(lock).is_empty()
    });
    let total = found.len() as u64;
    let items = found.into_iter().take(ROWS_MAX).map(|one| {
        let log = report.cluster(&one.cluster).into_iter().flat_map(|cluster| &cluster.log_directories);
        let lock = log
            .filter(|log| {
                one.path.strip_prefix(&log.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
            .find_map(|log| log.lock);
        let holder = lock.and_then(|lock| lockers(lock).into_iter().next());
        KafkaLeftoverView {
            cluster: one.cluster,
            node: one.node,
            topic: one.topic,
            path: one.path,
            kind: one.why.into(),
            age_seconds: one.age.as_secs(),
            bytes_in_files: one.bytes_in_files,
            bytes_exclusive: one.bytes_exclusive,
            held_by: holder.map(|holder| holder.address.ip().to_string()),
        }
    });
    Ok(Json(KafkaCleanupView { report: report_view(&made, &report), items: items.collect(), total }))
}
