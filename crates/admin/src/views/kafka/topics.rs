//! Topics of Kafka, their replicas, and what these share.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::super::words::words;
use super::{KafkaFigures, KafkaReportView};

words! {
    /// What a broker does with a replica.
    KafkaReplicaState for forebay_kafka::layout::State {
        /// It is in use.
        Live = "live",
        /// It was deleted; the broker removes its directory soon.
        Deleted = "deleted",
        /// It is being copied to another log directory.
        Future = "future",
        /// The cluster's metadata did not have it when the broker started.
        Stray = "stray",
    }
}

/// A topic.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaTopicView {
    /// The topic's name; its beginning, if Kafka had to cut it.
    pub topic: String,
    /// Whether Kafka had to cut the name.
    pub is_cut: bool,
    /// Number of partitions.
    pub partitions: u64,
    /// The most replicas of a partition that are in use.
    pub factor: u64,
    /// Number of replicas by state.
    pub replicas: BTreeMap<String, u64>,
    /// Whether brokers compact it.
    pub is_compacted: bool,
    /// What it stores.
    pub figures: KafkaFigures,
    /// Ratio of bytes in files to bytes stored.
    pub ratio: f64,
    /// The part of all that the pool stores, from 0 to 1.
    pub share: f64,
    /// Bytes of files by which the topic usually grows in a day: the median of the last sixty days. Until four days are known, what was
    /// measured since the daemon started; null before that.
    pub bytes_growth_per_day: Option<i64>,
    /// Bytes of files by which it has grown in the last day; null without a report that is a day old.
    pub bytes_growth_last_day: Option<i64>,
    /// Whether it has grown three times as fast as usual in the last day, and by at least 1 GiB and a tenth of its size.
    pub is_growing_fast: bool,
    /// Bytes of records that are written to the partitions in a day, from the sizes and times of the segments.
    pub bytes_written_per_day: Option<u64>,
    /// When the oldest segment was last written: the age of the oldest records.
    #[schema(format = DateTime)]
    pub oldest: Option<String>,
    /// How many times as old as its peers' the oldest record of a replica is, at most; 1 if no replica keeps offsets that the others of its
    /// partition have deleted; null if no replica has peers.
    pub age_ratio: Option<f64>,
    /// The replica with that ratio, if it is at least 2, and an hour.
    pub older: Option<KafkaOlderView>,
    /// The least that a replica has in common with others, from 0 to 1.
    pub shared: Option<f64>,
    /// One chunk in this many was looked at; 1 means that the figures are exact.
    pub sampled_one_in: u64,
}

/// A replica that keeps records much longer than its peers.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaOlderView {
    /// The partition.
    pub partition: u32,
    /// The broker's node id.
    pub node: Option<u32>,
    /// When its oldest segment was last written.
    #[schema(format = DateTime)]
    pub oldest: String,
    /// When the oldest segment of the other replicas was last written.
    #[schema(format = DateTime)]
    pub oldest_of_peers: String,
}

/// A page of topics.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaTopicsView {
    /// The report.
    pub report: KafkaReportView,
    /// The topics.
    pub items: Vec<KafkaTopicView>,
    /// The number of topics that match.
    pub total: u64,
    /// The topic to continue after; null at the end.
    pub next: Option<String>,
}

/// A replica of a partition.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaReplicaView {
    /// The broker's node id.
    pub node: Option<u32>,
    /// The path of its directory from the server's root.
    pub path: String,
    /// What the broker does with it.
    pub state: KafkaReplicaState,
    /// What it stores. Its exclusive bytes are those that deleting only this replica returns.
    pub figures: KafkaFigures,
    /// Number of segments.
    pub segments: u64,
    /// The offset of the oldest segment's first record.
    pub offset_start: u64,
    /// The offset of the newest segment's first record.
    pub offset_last_segment: u64,
    /// The high watermark, from the broker's last checkpoint.
    pub high_watermark: Option<u64>,
    /// When the oldest segment was last written.
    #[schema(format = DateTime)]
    pub oldest: Option<String>,
    /// When the newest segment was last written.
    #[schema(format = DateTime)]
    pub newest: Option<String>,
    /// The part of its bytes that another replica of the partition has too, from 0 to 1.
    pub shared: Option<f64>,
    /// Why it shares less than 0.8, if it does.
    pub reason: Option<String>,
}

/// A partition.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaPartitionView {
    /// Its number.
    pub partition: u32,
    /// Whether brokers compact it.
    pub is_compacted: bool,
    /// What all its replicas store.
    pub figures: KafkaFigures,
    /// Its replicas.
    pub replicas: Vec<KafkaReplicaView>,
}

/// A topic with its partitions.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaTopicDetailView {
    /// The report.
    pub report: KafkaReportView,
    /// The topic.
    pub topic: KafkaTopicView,
    /// Its partitions; at most 1,000.
    pub partitions: Vec<KafkaPartitionView>,
}

/// A cell of the matrix.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaSharingCell {
    /// The broker's node id.
    pub node: Option<u32>,
    /// The part of the replica's bytes that another replica has too, from 0 to 1; null if there is no other.
    pub shared: Option<f64>,
    /// Why that is less than 0.8.
    pub reason: Option<String>,
}

/// A row of the matrix.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaSharingRow {
    /// The partition.
    pub partition: u32,
    /// The live replicas.
    pub replicas: Vec<KafkaSharingCell>,
    /// Bytes in files of all replicas.
    pub bytes_in_files: u64,
    /// Bytes stored for all replicas.
    pub bytes_stored: u64,
}

/// How much of each replica another replica has too.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaSharingView {
    /// The report.
    pub report: KafkaReportView,
    /// The topic.
    pub topic: String,
    /// The node ids of the columns.
    pub nodes: Vec<u32>,
    /// The partitions; at most 1,000, those with the least in common first if there are more.
    pub rows: Vec<KafkaSharingRow>,
    /// The number of partitions.
    pub total: u64,
}
