//! Kafka: clusters, brokers, topics, and what they store.

mod history;
mod snapshot;
mod topics;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use history::{KafkaDayView, KafkaHistoryView};
pub use snapshot::{
    KafkaSnapshotReplicaView, KafkaSnapshotTopicDetailView, KafkaSnapshotTopicView, KafkaSnapshotView,
    copy_command,
};
pub use topics::{
    KafkaOlderView, KafkaPartitionView, KafkaReplicaState, KafkaReplicaView, KafkaSharingCell,
    KafkaSharingRow, KafkaSharingView, KafkaTopicDetailView, KafkaTopicView, KafkaTopicsView,
};

use super::check::Check;
use super::words::words;
use crate::base::problem::Problem;

/// The maximum number of changes in a question.
const CHANGES_MAX: usize = 100;
/// The maximum length of a name in a question.
const NAME_BYTES_MAX: usize = 255;

/// The sizes of a set of files, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KafkaFigures {
    /// Number of files.
    pub files: u64,
    /// Bytes of the files, holes excluded.
    pub bytes_in_files: u64,
    /// Bytes of holes, such as the ends of preallocated indexes.
    pub bytes_holes: u64,
    /// Bytes stored. What several files share belongs to them in equal parts, so that all rows add up to what the pool stores.
    pub bytes_stored: u64,
    /// Bytes that deleting these files would return.
    pub bytes_exclusive: u64,
    /// Bytes that deleting these files would return if no snapshot showed them.
    pub bytes_held: u64,
}

impl From<&forebay_kafka::report::Figures> for KafkaFigures {
    fn from(figures: &forebay_kafka::report::Figures) -> Self {
        KafkaFigures {
            files: figures.files,
            bytes_in_files: figures.bytes_in_files,
            bytes_holes: figures.bytes_holes,
            bytes_stored: figures.bytes_stored,
            bytes_exclusive: figures.bytes_exclusive,
            bytes_held: figures.bytes_held,
        }
    }
}

/// The report that a response was made from.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaReportView {
    /// The instant that it describes.
    #[schema(format = DateTime)]
    pub taken: String,
    /// Milliseconds since then.
    pub age_ms: u64,
    /// How many milliseconds it took to make.
    pub duration_ms: u64,
    /// One chunk in this many was looked at, at least; 1 means that all figures are exact.
    pub sampled_one_in: u64,
    /// Why there is no newer report, if the last attempt failed.
    pub error: Option<String>,
    /// What could not be read.
    pub problems: Vec<String>,
}

/// What the pool stores, in rows that add up.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaTotalsView {
    /// All topics of all clusters.
    pub topics: KafkaFigures,
    /// Files of log directories that are in no replica, such as checkpoints.
    pub log_directories: KafkaFigures,
    /// Files outside log directories.
    pub other_files: KafkaFigures,
    /// Objects of buckets.
    pub objects: KafkaFigures,
    /// Files without a name, which clients may have open.
    pub deleted_files: KafkaFigures,
    /// Bytes stored of what no volume shows: only snapshots and clones do, or it is being freed.
    pub bytes_snapshots: u64,
    /// Bytes stored by the pool at that instant: the live and inline bytes of `GET /pool`. The sum of all rows.
    pub bytes_total: u64,
}

/// The clusters that a pool stores.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaClustersView {
    /// The report.
    pub report: KafkaReportView,
    /// The clusters.
    pub items: Vec<KafkaClusterView>,
    /// What the pool stores.
    pub totals: KafkaTotalsView,
}

/// A Kafka cluster.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaClusterView {
    /// The cluster in paths: its id, or `unknown`, with `@VOLUME` if the volume is a clone.
    pub cluster: String,
    /// The cluster's id; null if `meta.properties` does not have it.
    pub id: Option<String>,
    /// The volume, if it is a clone. Data that it only shows is counted where it is stored.
    pub clone: Option<String>,
    /// Number of brokers: different node ids.
    pub brokers: u64,
    /// Number of log directories.
    pub log_directories: u64,
    /// Number of log directories whose `.lock` a client holds.
    pub log_directories_up: u64,
    /// Number of topics.
    pub topics: u64,
    /// Number of partitions.
    pub partitions: u64,
    /// Number of replicas, without those that are being deleted.
    pub replicas: u64,
    /// Number of replicas that are being deleted.
    pub replicas_deleted: u64,
    /// What all topics store.
    pub figures: KafkaFigures,
    /// Ratio of bytes in files to bytes stored.
    pub ratio: f64,
}

words! {
    /// Whether a broker runs.
    KafkaBrokerState {
        /// A client holds `.lock`.
        Up = "up",
        /// A client holds `.lock`, and has sent nothing for a minute or longer.
        Silent = "silent",
        /// Nobody holds `.lock` any more.
        Gone = "gone",
        /// Nobody has held `.lock` since the daemon started.
        Never = "never",
    }
}

/// A log directory, and the broker that uses it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaBrokerView {
    /// The node id.
    pub node: Option<u32>,
    /// The path of the log directory from the server's root.
    pub path: String,
    /// The volume.
    pub volume: String,
    /// The log directory's id.
    pub directory_id: Option<String>,
    /// Whether the broker runs.
    pub state: KafkaBrokerState,
    /// The address of the client that holds `.lock`, or held it last.
    pub address: Option<String>,
    /// The client's owner string.
    pub client: Option<String>,
    /// When the daemon first saw this state.
    #[schema(format = DateTime)]
    pub since: Option<String>,
    /// Milliseconds since the client's last request, if it is silent.
    pub silent_ms: Option<u64>,
    /// Whether the broker stopped in order, and has not been started since.
    pub stopped_cleanly: bool,
    /// Number of replicas.
    pub replicas: u64,
    /// What they store.
    pub figures: KafkaFigures,
    /// Bytes in files relative to the mean of the cluster's brokers; 1 is the mean.
    pub skew: f64,
}

/// The brokers of a cluster.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaBrokersView {
    /// The report.
    pub report: KafkaReportView,
    /// The log directories, ordered by node.
    pub items: Vec<KafkaBrokerView>,
}

words! {
    /// Which topics share a row of a bill.
    KafkaGroupBy {
        /// Each topic has its own.
        Topic = "topic",
        /// Topics whose names begin alike, up to the first `.`, `-` or `_`.
        Prefix = "prefix",
    }
}

/// A row of a bill.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaCostRow {
    /// The topic, or the prefix; `__` for Kafka's own topics.
    pub name: String,
    /// Number of topics.
    pub topics: u64,
    /// What they store.
    pub figures: KafkaFigures,
    /// What the stored bytes cost in a month.
    pub cost: f64,
}

/// The monthly cost of topics.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaCostView {
    /// The report.
    pub report: KafkaReportView,
    /// The price of 10^12 stored bytes in a month.
    pub price: f64,
    /// The rows, the most expensive first.
    pub items: Vec<KafkaCostRow>,
    /// Bytes stored by the pool for all else: other clusters, other files, objects, snapshots.
    pub bytes_rest: u64,
    /// What the rest costs.
    pub cost_rest: f64,
}

words! {
    /// A kind of change.
    KafkaChangeKind {
        /// Topics are deleted.
        Delete = "delete",
        /// Segments whose last record is older than `seconds` are deleted.
        Retain = "retain",
        /// Partitions keep `replicas` replicas.
        Factor = "factor",
        /// A snapshot is deleted.
        Snapshot = "snapshot",
    }
}

/// A change that someone thinks about.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KafkaChange {
    /// What would be done.
    pub kind: KafkaChangeKind,
    /// The topic, or the beginning of topics and `*`; for all kinds but `snapshot`.
    #[schema(min_length = 1, max_length = 255)]
    pub topic: Option<String>,
    /// For `retain`: the retention in seconds.
    pub seconds: Option<u64>,
    /// For `factor`: the number of replicas to keep, at least 1.
    #[schema(minimum = 1)]
    pub replicas: Option<u64>,
    /// For `snapshot`: the volume.
    #[schema(min_length = 1, max_length = 255)]
    pub volume: Option<String>,
    /// For `snapshot`: the snapshot's name.
    #[schema(min_length = 1, max_length = 255)]
    pub snapshot: Option<String>,
}

/// Changes that someone thinks about.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KafkaQuestion {
    /// The changes.
    #[schema(min_items = 1, max_items = 100)]
    pub changes: Vec<KafkaChange>,
}

impl Check for KafkaQuestion {
    fn check(&self) -> Result<(), Problem> {
        if self.changes.is_empty() || self.changes.len() > CHANGES_MAX {
            return Err(Problem::new("changes", format!("must have 1 to {CHANGES_MAX} items")));
        }
        self.changes.iter().try_for_each(|change| change.read().map(drop))
    }
}

impl KafkaChange {
    /// The change, with what its kind needs.
    pub fn read(&self) -> Result<forebay_kafka::what_if::Change, Problem> {
        use forebay_kafka::what_if::Change;
        let name = |field: &'static str, value: &Option<String>| {
            let value = value.clone().filter(|value| (1..=NAME_BYTES_MAX).contains(&value.len()));
            value.ok_or_else(|| {
                Problem::new(format!("changes.{field}"), format!("is needed for kind {}", self.kind))
            })
        };
        let number = |field: &'static str, value: Option<u64>| {
            value.ok_or_else(|| {
                Problem::new(format!("changes.{field}"), format!("is needed for kind {}", self.kind))
            })
        };
        let has = |field, is_there: bool| {
            let cause = format!("does not go with kind {}", self.kind);
            if is_there { Err(Problem::new(format!("changes.{field}"), cause)) } else { Ok(()) }
        };
        if self.kind != KafkaChangeKind::Retain {
            has("seconds", self.seconds.is_some())?;
        }
        if self.kind != KafkaChangeKind::Factor {
            has("replicas", self.replicas.is_some())?;
        }
        if self.kind == KafkaChangeKind::Snapshot {
            has("topic", self.topic.is_some())?;
        } else {
            has("volume", self.volume.is_some())?;
            has("snapshot", self.snapshot.is_some())?;
        }
        Ok(match self.kind {
            KafkaChangeKind::Delete => Change::Delete { topic: name("topic", &self.topic)? },
            KafkaChangeKind::Retain => Change::Retain {
                topic: name("topic", &self.topic)?,
                age: std::time::Duration::from_secs(number("seconds", self.seconds)?),
            },
            KafkaChangeKind::Factor => {
                let replicas = number("replicas", self.replicas)?;
                if replicas == 0 {
                    let problem = Problem::new("changes.replicas", "must be at least 1");
                    return Err(problem.with_remedy("kind delete deletes topics"));
                }
                Change::Factor { topic: name("topic", &self.topic)?, replicas }
            }
            KafkaChangeKind::Snapshot => Change::Snapshot {
                volume: name("volume", &self.volume)?,
                snapshot: name("snapshot", &self.snapshot)?,
            },
        })
    }
}

/// What a change would return.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaReturnedView {
    /// Number of files that would be deleted.
    pub files: u64,
    /// Bytes of these files, holes excluded.
    pub bytes_in_files: u64,
    /// Bytes that would be free.
    pub bytes_returned: u64,
    /// Bytes that would be free as well if no snapshot showed them.
    pub bytes_held: u64,
    /// The part of all that the pool stores, from 0 to 1.
    pub share: f64,
    /// One chunk in this many was looked at; 1 means that the figures are exact.
    pub sampled_one_in: u64,
    /// What the change does not concern.
    pub notes: Vec<String>,
}

/// The answer to a question.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaAnswerView {
    /// Each change by itself, in the order of the question.
    pub changes: Vec<KafkaReturnedView>,
    /// All changes together, which can be more than the sum.
    pub together: KafkaReturnedView,
}

words! {
    /// Why a directory could go.
    KafkaLeftoverKind for forebay_kafka::cleanup::Why {
        /// A broker renamed it to delete it, and did not in the time of `kafka.deleted_after_seconds`.
        Deleted = "deleted",
        /// The cluster's metadata did not have it when the broker started.
        Stray = "stray",
        /// A log directory that no broker has locked or changed for three days.
        Abandoned = "abandoned",
    }
}

/// A directory that could go.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaLeftoverView {
    /// The cluster.
    pub cluster: String,
    /// The broker's node id.
    pub node: Option<u32>,
    /// The topic; null for a log directory.
    pub topic: Option<String>,
    /// The path from the server's root.
    pub path: String,
    /// Why it could go.
    pub kind: KafkaLeftoverKind,
    /// Seconds since it has been so.
    pub age_seconds: u64,
    /// Bytes of its files, holes excluded.
    pub bytes_in_files: u64,
    /// Bytes that deleting it would return.
    pub bytes_exclusive: u64,
    /// The address of the client that holds the log directory's `.lock`.
    pub held_by: Option<String>,
}

/// The directories that could go.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaCleanupView {
    /// The report.
    pub report: KafkaReportView,
    /// The directories, the largest first; at most 1,000.
    pub items: Vec<KafkaLeftoverView>,
    /// The number of directories.
    pub total: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(), String> {
        let question: KafkaQuestion = serde_json::from_str(text).map_err(|error| error.to_string())?;
        question.check().map_err(|problem| format!("{problem:?}"))
    }

    #[test]
    fn a_change_needs_what_its_kind_needs_and_nothing_else() {
        for right in [
            r#"{"kind":"delete","topic":"a*"}"#,
            r#"{"kind":"retain","topic":"a","seconds":0}"#,
            r#"{"kind":"factor","topic":"a","replicas":2}"#,
            r#"{"kind":"snapshot","volume":"kafka","snapshot":"nightly"}"#,
        ] {
            read(&format!(r#"{{"changes":[{right}]}}"#)).unwrap();
        }
        for wrong in [
            "",
            r#"{"kind":"delete"}"#,
            r#"{"kind":"delete","topic":""}"#,
            r#"{"kind":"delete","topic":"a","seconds":3}"#,
            r#"{"kind":"retain","topic":"a"}"#,
            r#"{"kind":"factor","topic":"a","replicas":0}"#,
            r#"{"kind":"snapshot","topic":"a","volume":"kafka","snapshot":"nightly"}"#,
            r#"{"kind":"snapshot","volume":"kafka"}"#,
            r#"{"kind":"else","topic":"a"}"#,
        ] {
            assert!(read(&format!(r#"{{"changes":[{wrong}]}}"#)).is_err(), "{wrong}");
        }
    }
}
