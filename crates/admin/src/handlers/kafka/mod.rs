//! `kafka`: clusters, brokers, topics, what they store, and what could go.

pub mod history;
pub mod snapshot;
pub mod topics;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::SystemTime;

use axum::Json;
use axum::extract::State;
use forebay_kafka::cleanup::leftovers;
use forebay_kafka::cost::{GroupBy, costs, price};
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
    KafkaClustersView, KafkaCostRow, KafkaCostView, KafkaGroupBy, KafkaLeftoverView, KafkaQuestion,
    KafkaReportView, KafkaReturnedView, KafkaTotalsView, time,
};

/// The maximum number of partitions, or directories, in a response.
const ROWS_MAX: usize = 1000;

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
