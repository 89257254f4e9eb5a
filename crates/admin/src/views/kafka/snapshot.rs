//! The Kafka topics in a snapshot of a volume.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::super::mount::quoted;
use super::KafkaReplicaState;

/// The topics that a snapshot has.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaSnapshotView {
    /// The volume.
    pub volume: String,
    /// The snapshot.
    pub snapshot: String,
    /// When it was taken.
    #[schema(format = DateTime)]
    pub created: String,
    /// The topics, by cluster and name; at most 10,000.
    pub items: Vec<KafkaSnapshotTopicView>,
    /// The number of topics.
    pub total: u64,
    /// What could not be read.
    pub problems: Vec<String>,
}

/// A topic that a snapshot has.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaSnapshotTopicView {
    /// The cluster's id, or `unknown`.
    pub cluster: String,
    /// The topic's name; its beginning, if Kafka had to cut it.
    pub topic: String,
    /// Number of partitions.
    pub partitions: u64,
    /// Number of replicas, in any state.
    pub replicas: u64,
}

/// A topic of a snapshot, with its replicas.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaSnapshotTopicDetailView {
    /// The volume.
    pub volume: String,
    /// The snapshot.
    pub snapshot: String,
    /// When it was taken.
    #[schema(format = DateTime)]
    pub created: String,
    /// The topic.
    pub topic: String,
    /// The replicas, by cluster, partition and broker; at most 1,000.
    pub replicas: Vec<KafkaSnapshotReplicaView>,
    /// The number of replicas.
    pub total: u64,
}

/// A replica in a snapshot.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KafkaSnapshotReplicaView {
    /// The cluster's id, or `unknown`.
    pub cluster: String,
    /// The partition.
    pub partition: u32,
    /// The broker's node id.
    pub node: Option<u32>,
    /// What the broker did with it.
    pub state: KafkaReplicaState,
    /// Number of segments.
    pub segments: u64,
    /// The offset of the oldest segment's first record.
    pub offset_start: u64,
    /// The offset of the newest segment's first record.
    pub offset_last_segment: u64,
    /// Bytes of the newest segment; 0 means that its offset is the end of the log.
    pub last_segment_bytes: u64,
    /// The offset up to which consumers could read, from the broker's last checkpoint before the snapshot.
    pub high_watermark: Option<u64>,
    /// Bytes of its files, holes excluded.
    pub bytes_in_files: u64,
    /// When a segment was last written.
    #[schema(format = DateTime)]
    pub newest: Option<String>,
    /// Its directory, from the server's root.
    pub path: String,
    /// The command that copies its directory to the current one, on a client that has mounted the volume at `/mnt`.
    pub copy_command: String,
}

/// The command that copies a directory below the root of a volume.
pub fn copy_command(path: &str) -> String {
    format!("cp -a {} .", quoted(&format!("/mnt/{path}")))
}
