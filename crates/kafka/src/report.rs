//! What a survey found, as numbers. All sums of stored bytes add up to the pool's figure.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use forebay_pool::Handle;

use crate::layout::State;

/// The sizes of a set of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Number of files.
    pub files: u64,
    /// Bytes of the files that are not holes.
    pub bytes_in_files: u64,
    /// Bytes of the files that are holes and take no space, such as the ends of preallocated indexes.
    pub bytes_holes: u64,
    /// Bytes stored. What several extents share belongs to them in equal parts.
    pub bytes_stored: u64,
    /// Bytes that deleting all the files would return.
    pub bytes_exclusive: u64,
    /// Bytes that deleting all the files would return if no snapshot showed them.
    pub bytes_held: u64,
}

impl Figures {
    /// Adds the figures of other files.
    pub fn add(&mut self, other: &Figures) {
        self.files = self.files.saturating_add(other.files);
        self.bytes_in_files = self.bytes_in_files.saturating_add(other.bytes_in_files);
        self.bytes_holes = self.bytes_holes.saturating_add(other.bytes_holes);
        self.bytes_stored = self.bytes_stored.saturating_add(other.bytes_stored);
        self.bytes_exclusive = self.bytes_exclusive.saturating_add(other.bytes_exclusive);
        self.bytes_held = self.bytes_held.saturating_add(other.bytes_held);
    }
}

/// Everything that a survey found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The instant that it describes.
    pub taken: SystemTime,
    /// How long it took to make.
    pub duration: Duration,
    /// The pool's live bytes of segments, and bytes in its metadata store. All rows add up to this.
    pub bytes_total: u64,
    /// One of 2 to the power of this many chunks was looked at, at least; 0 if all were.
    pub sample_bits: u32,
    /// The clusters, ordered by key.
    pub clusters: Vec<Cluster>,
    /// Files of log directories that are not in a replica, such as checkpoints.
    pub log_directories: Figures,
    /// Files that are not in a log directory.
    pub other_files: Figures,
    /// Objects of buckets.
    pub objects: Figures,
    /// Files without a name, which clients may have open.
    pub deleted_files: Figures,
    /// What no volume shows: only snapshots and clones do, or it is being freed.
    pub bytes_snapshots: u64,
    /// What could not be read, in sentences; at most [`PROBLEMS_MAX`].
    pub problems: Vec<String>,
}

/// The maximum number of problems that are kept.
pub const PROBLEMS_MAX: usize = 20;

/// A Kafka cluster.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    /// Its id, with the volume if that is a clone: `ID@VOLUME`.
    pub key: String,
    /// Its id; empty if `meta.properties` does not have it.
    pub id: String,
    /// The volume, if it is a clone. Data that it only shows is counted where it is stored.
    pub clone: Option<String>,
    /// Its log directories, ordered by node and path.
    pub log_directories: Vec<LogDirectory>,
    /// Its topics, by name.
    pub topics: BTreeMap<String, Topic>,
}

/// A log directory.
#[derive(Clone, Debug)]
pub struct LogDirectory {
    /// The volume's name.
    pub volume: String,
    /// The path from the server's root.
    pub path: String,
    /// The broker's or controller's node id.
    pub node: Option<u32>,
    /// The directory's own id.
    pub directory_id: Option<String>,
    /// The directory.
    pub handle: Handle,
    /// The file that a running broker has locked.
    pub lock: Option<Handle>,
    /// Whether the broker stopped in order and has not been started since.
    pub is_clean: bool,
    /// When the newest of its checkpoints was written.
    pub last_change: Option<SystemTime>,
    /// Number of replicas.
    pub replicas: u64,
    /// Its replicas' files.
    pub figures: Figures,
}

/// A topic.
#[derive(Clone, Debug, Default)]
pub struct Topic {
    /// Whether the name may be longer: Kafka cuts it in long names of directories.
    pub is_cut: bool,
    /// Its partitions, by number.
    pub partitions: BTreeMap<u32, Partition>,
    /// All its files.
    pub figures: Figures,
    /// One of 2 to the power of this many chunks was looked at; 0 if all were.
    pub sample_bits: u32,
}

/// A partition.
#[derive(Clone, Debug, Default)]
pub struct Partition {
    /// Its replicas, in the order of their log directories.
    pub replicas: Vec<Replica>,
    /// Whether a broker compacts it.
    pub is_compacted: bool,
}

/// A replica of a partition.
#[derive(Clone, Debug)]
pub struct Replica {
    /// The index of its log directory in [`Cluster::log_directories`].
    pub directory: usize,
    /// From its name.
    pub state: State,
    /// The name of its directory.
    pub name: String,
    /// Its directory.
    pub handle: Handle,
    /// When the directory was last changed or renamed.
    pub changed: SystemTime,
    /// Its files. `bytes_exclusive` is what deleting this replica alone would return.
    pub figures: Figures,
    /// Number of segments.
    pub segments: u64,
    /// The offset of the oldest segment's first record.
    pub offset_start: u64,
    /// The offset of the newest segment's first record.
    pub offset_last_segment: u64,
    /// The offset up to which consumers may read, from the last checkpoint.
    pub high_watermark: Option<u64>,
    /// The last change of the oldest segment.
    pub oldest: Option<SystemTime>,
    /// The last change of the newest segment.
    pub newest: Option<SystemTime>,
    /// Bytes of records that were written in a day, measured from the segments' sizes and times.
    pub bytes_per_day: Option<u64>,
    /// How many of a thousand bytes another replica of the partition has too; `None` if there is no other, or nothing in chunks.
    pub shared_permille: Option<u32>,
    /// Why it shares less than others do.
    pub reason: Option<Reason>,
}

/// A replica that shares less than this is unusual, in thousandths.
pub const SHARED_USUAL: u32 = 800;

/// Why a replica shares little with the others of its partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Brokers compact their replicas independently.
    Compacted,
    /// The replica has segments that begin after the last segment of all others.
    OthersLag {
        /// Bytes of these segments.
        bytes: u64,
    },
    /// Its segments begin at other offsets.
    OtherSegments {
        /// The number of its segments that begin where none of the others' does.
        differ: u64,
        /// The number of its segments.
        of: u64,
    },
    /// The same segments hold other bytes.
    OtherBytes,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Compacted => formatter.write_str("the topic is compacted, which each broker does by itself"),
            Reason::OthersLag { bytes } => {
                write!(formatter, "the other replicas lag: they do not have its newest {bytes} bytes yet")
            }
            Reason::OtherSegments { differ, of } => write!(
                formatter,
                "{differ} of its {of} segments begin at offsets where no other replica's do: it was rebuilt from another offset"
            ),
            Reason::OtherBytes => formatter.write_str(
                "its segments hold other bytes at the same offsets: brokers compress batches again (compression.type), or the logs diverged",
            ),
        }
    }
}

impl Report {
    /// The cluster with this key.
    pub fn cluster(&self, key: &str) -> Option<&Cluster> {
        self.clusters.iter().find(|cluster| cluster.key == key)
    }

    /// The stored bytes of all rows: topics, and what is beside them. Equal to [`Report::bytes_total`].
    pub fn bytes_stored(&self) -> u64 {
        let beside = [&self.log_directories, &self.other_files, &self.objects, &self.deleted_files];
        let topics = self
            .clusters
            .iter()
            .flat_map(|cluster| cluster.topics.values())
            .map(|topic| topic.figures.bytes_stored);
        topics.chain(beside.map(|figures| figures.bytes_stored)).sum::<u64>() + self.bytes_snapshots
    }

    /// Notes what could not be read.
    pub(crate) fn problem(&mut self, problem: String) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(problem);
        }
    }
}

impl Cluster {
    /// The figures of all its topics.
    pub fn figures(&self) -> Figures {
        let mut all = Figures::default();
        self.topics.values().for_each(|topic| all.add(&topic.figures));
        all
    }
}

impl Topic {
    /// All its replicas.
    pub fn replicas(&self) -> impl Iterator<Item = &Replica> {
        self.partitions.values().flat_map(|partition| &partition.replicas)
    }

    /// The number of its replicas in a state.
    pub fn count(&self, state: State) -> u64 {
        self.replicas().filter(|replica| replica.state == state).count() as u64
    }

    /// The most live replicas that a partition has.
    pub fn factor(&self) -> u64 {
        let live =
            |partition: &Partition| partition.replicas.iter().filter(|one| one.state == State::Live).count();
        self.partitions.values().map(live).max().unwrap_or_default() as u64
    }

    /// Whether a broker compacts any of its partitions.
    pub fn is_compacted(&self) -> bool {
        self.partitions.values().any(|partition| partition.is_compacted)
    }

    /// The last change of the oldest segment of all live replicas.
    pub fn oldest(&self) -> Option<SystemTime> {
        self.replicas().filter(|one| one.state == State::Live).filter_map(|one| one.oldest).min()
    }

    /// Bytes of records that were written in a day to one replica of each partition.
    pub fn bytes_per_day(&self) -> Option<u64> {
        let of = |partition: &Partition| partition.replicas.iter().filter_map(|one| one.bytes_per_day).max();
        self.partitions.values().filter_map(of).reduce(u64::saturating_add)
    }

    /// The least that a replica shares, in thousandths.
    pub fn shared_permille(&self) -> Option<u32> {
        self.replicas().filter(|one| one.state == State::Live).filter_map(|one| one.shared_permille).min()
    }
}
