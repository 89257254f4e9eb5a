//! The bytes that Kafka topics stored on each day.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a topic, or all topics of a cluster, stored on each day.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaHistoryView {
    /// The topic; null for all topics of the cluster.
    pub topic: Option<String>,
    /// A row for each day, oldest first; at most 400. Days without the daemon are missing.
    pub days: Vec<KafkaDayView>,
}

/// A day.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaDayView {
    /// The date, in UTC.
    #[schema(format = Date)]
    pub date: String,
    /// Number of partitions.
    pub partitions: u64,
    /// Bytes of the files at the last report of the day, holes excluded.
    pub bytes_in_files: u64,
    /// Bytes stored.
    pub bytes_stored: u64,
    /// Bytes that deleting them would have returned.
    pub bytes_exclusive: u64,
    /// Bytes of records that were written in a day, from the sizes and times of the segments; null if that was not known.
    pub bytes_written_per_day: Option<u64>,
}
