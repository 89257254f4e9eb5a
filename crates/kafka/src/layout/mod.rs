//! What Kafka writes into a log directory: names of directories and files, and the small files that describe them.
//!
//! All of it comes from clients and may be anything, so each function returns `None` for what Kafka would not have written, and none
//! of them takes more memory than its input.

mod checkpoint;
mod file;
mod properties;
mod replica;

pub use checkpoint::{CHECKPOINT_BYTES_MAX, Checkpoint, checkpoint};
pub use file::{LogFile, Role, log_file};
pub use properties::{META_BYTES_MAX, Meta, TOPIC_ID_BYTES_MAX, meta, topic_id};
pub use replica::{DirectoryName, State, is_internal, replica};

/// The file that makes a directory a log directory.
pub const META: &[u8] = b"meta.properties";
/// The file that a running broker has locked.
pub const LOCK: &[u8] = b".lock";
/// The file that a broker leaves when it stops in order.
pub const CLEAN_SHUTDOWN: &[u8] = b".kafka_cleanshutdown";
/// High watermarks of the replicas.
pub const HIGH_WATERMARKS: &[u8] = b"replication-offset-checkpoint";
/// The offsets up to which partitions are compacted.
pub const CLEANER: &[u8] = b"cleaner-offset-checkpoint";
/// The topic's id, in a replica's directory.
pub const PARTITION_METADATA: &[u8] = b"partition.metadata";
