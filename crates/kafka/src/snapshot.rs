//! The Kafka part of a snapshot of a volume: topics, their replicas, and the offsets of these.
//!
//! Directories of the snapshot are read when someone asks, and nothing is counted. Listing topics reads only the log directories; the
//! files of replicas are read for one topic.

use std::collections::BTreeMap;
use std::time::SystemTime;

use forebay_pool::{Attributes, DirectoryEntry, Handle, Kind, Pool, Result};

use crate::find::content;
use crate::layout::{self, CHECKPOINT_BYTES_MAX, Checkpoint, DirectoryName, META_BYTES_MAX, Role, State};
use crate::report::PROBLEMS_MAX;

/// The maximum number of directories that are read to find log directories, and how deep they may lie.
const DIRECTORIES_MAX: usize = 10_000;
const DEPTH_MAX: usize = 100;
/// The maximum number of replicas.
const REPLICAS_MAX: usize = 2_000_000;
/// Entries of a directory that are read at a time.
const ENTRIES_AT_A_TIME: usize = 1000;

/// The log directories of a snapshot.
#[derive(Debug, Default)]
pub struct Found {
    /// The log directories, in the order of their paths.
    pub log_directories: Vec<LogDirectory>,
    /// What could not be read, in sentences.
    pub problems: Vec<String>,
}

/// A log directory in a snapshot.
#[derive(Debug)]
pub struct LogDirectory {
    /// The path below the snapshot's root; empty for the root itself.
    pub path: String,
    /// The cluster's id, or `unknown`.
    pub cluster: String,
    /// The broker's node id.
    pub node: Option<u32>,
    /// Its replicas: the name, as it is parsed, and the directory.
    replicas: Vec<(String, DirectoryName, Handle)>,
    checkpoint: Option<Handle>,
}

/// A topic in a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotTopic {
    /// Number of partitions.
    pub partitions: u64,
    /// Number of replicas, in any state.
    pub replicas: u64,
}

/// A replica in a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotReplica {
    /// The cluster's id, or `unknown`.
    pub cluster: String,
    /// The partition.
    pub partition: u32,
    /// The broker's node id.
    pub node: Option<u32>,
    /// From its name.
    pub state: State,
    /// The path of its directory below the snapshot's root.
    pub path: String,
    /// Number of segments.
    pub segments: u64,
    /// The offset of the oldest segment's first record.
    pub offset_start: u64,
    /// The offset of the newest segment's first record.
    pub offset_last_segment: u64,
    /// Bytes of that segment; if it is empty, its offset is the end of the log.
    pub last_segment_bytes: u64,
    /// The offset up to which consumers could read, from the last checkpoint before the snapshot.
    pub high_watermark: Option<u64>,
    /// Bytes of all its files that are not holes.
    pub bytes_in_files: u64,
    /// The last change of a segment.
    pub newest: Option<SystemTime>,
}

impl Found {
    /// The topics, by cluster and name.
    pub fn topics(&self) -> BTreeMap<(&str, &str), SnapshotTopic> {
        let mut topics: BTreeMap<(&str, &str), BTreeMap<u32, u64>> = BTreeMap::new();
        for log in &self.log_directories {
            for (_, name, _) in &log.replicas {
                let partitions = topics.entry((&log.cluster, &name.topic)).or_default();
                *partitions.entry(name.partition).or_default() += 1;
            }
        }
        let topic = |partitions: BTreeMap<u32, u64>| SnapshotTopic {
            partitions: partitions.len() as u64,
            replicas: partitions.values().sum(),
        };
        topics.into_iter().map(|(name, partitions)| (name, topic(partitions))).collect()
    }

    fn problem(&mut self, problem: String) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(problem);
        }
    }
}

/// Finds the log directories below the root of a snapshot.
pub async fn find(pool: &Pool, root: Handle) -> Result<Found> {
    let mut found = Found::default();
    let mut waiting = vec![(root, String::new(), 0_usize)];
    let (mut read, mut replicas) = (0_usize, 0_usize);
    while let Some((directory, path, depth)) = waiting.pop() {
        if read == DIRECTORIES_MAX {
            found.problem(format!("only {DIRECTORIES_MAX} directories were read to find log directories"));
            break;
        }
        read += 1;
        let (mut files, mut below) = (BTreeMap::new(), Vec::new());
        each_entry(pool, directory, &mut |entry| match entry.attributes.kind {
            Kind::Directory => below.push((entry.name, entry.attributes.handle)),
            Kind::File if [layout::META, layout::HIGH_WATERMARKS].contains(&&*entry.name) => {
                files.insert(entry.name, entry.attributes);
            }
            _ => {}
        })
        .await?;
        let meta = match files.get(layout::META) {
            Some(file) => content(pool, file.handle, META_BYTES_MAX).await,
            None => None,
        };
        let mut own = Vec::new();
        let meta = meta.as_deref().and_then(layout::meta);
        for (name, handle) in below {
            let text = String::from_utf8_lossy(&name).into_owned();
            let parsed = meta.as_ref().and_then(|_| layout::replica(&name));
            match parsed {
                Some(parsed) if replicas < REPLICAS_MAX => {
                    replicas += 1;
                    own.push((text, parsed, handle));
                }
                Some(_) => {}
                None if depth < DEPTH_MAX && waiting.len() < DIRECTORIES_MAX => {
                    waiting.push((handle, joined(&path, &text), depth + 1));
                }
                None => {}
            }
        }
        if let Some(meta) = meta {
            found.log_directories.push(LogDirectory {
                cluster: meta.cluster.unwrap_or_else(|| "unknown".to_owned()),
                node: meta.node,
                replicas: own,
                checkpoint: files.get(layout::HIGH_WATERMARKS).map(|file| file.handle),
                path,
            });
        }
    }
    if replicas == REPLICAS_MAX {
        found.problem(format!("only {REPLICAS_MAX} replicas are shown"));
    }
    found.log_directories.sort_by(|one, other| (one.node, &one.path).cmp(&(other.node, &other.path)));
    Ok(found)
}

/// The replicas of a topic, at most `replicas_max`, and how many there are. They are in the order of partitions and brokers.
pub async fn replicas(
    pool: &Pool,
    found: &Found,
    topic: &str,
    replicas_max: usize,
) -> Result<(Vec<SnapshotReplica>, u64)> {
    let mut chosen: Vec<(&LogDirectory, &(String, DirectoryName, Handle))> = Vec::new();
    for log in &found.log_directories {
        chosen.extend(log.replicas.iter().filter(|(_, name, _)| name.topic == topic).map(|one| (log, one)));
    }
    // Sorting keeps the order of brokers.
    chosen.sort_by(|(log, (_, one, _)), (of_other, (_, other, _))| {
        (&log.cluster, one.partition).cmp(&(&of_other.cluster, other.partition))
    });
    let total = chosen.len() as u64;
    let mut checkpoints: BTreeMap<&str, Checkpoint> = BTreeMap::new();
    let mut replicas = Vec::new();
    for (log, (text, name, handle)) in chosen.into_iter().take(replicas_max) {
        if !checkpoints.contains_key(log.path.as_str()) {
            checkpoints.insert(&log.path, checkpoint(pool, log).await);
        }
        let high_watermark = checkpoints
            .get(log.path.as_str())
            .and_then(|offsets| offsets.get(&(topic.to_owned(), name.partition)))
            .filter(|_| name.state == State::Live);
        let mut replica = SnapshotReplica {
            cluster: log.cluster.clone(),
            partition: name.partition,
            node: log.node,
            state: name.state,
            path: joined(&log.path, text),
            segments: 0,
            offset_start: 0,
            offset_last_segment: 0,
            last_segment_bytes: 0,
            high_watermark: high_watermark.copied(),
            bytes_in_files: 0,
            newest: None,
        };
        let mut segments: BTreeMap<u64, Attributes> = BTreeMap::new();
        each_entry(pool, *handle, &mut |entry| {
            if !matches!(entry.attributes.kind, Kind::File) {
                return;
            }
            replica.bytes_in_files = replica.bytes_in_files.saturating_add(entry.attributes.space_used);
            if let Some(file) = layout::log_file(&entry.name).filter(|file| file.role == Role::Log) {
                segments.insert(file.base, entry.attributes);
            }
        })
        .await?;
        replica.segments = segments.len() as u64;
        replica.offset_start = segments.keys().next().copied().unwrap_or_default();
        replica.newest = segments.values().map(|file| file.mtime).max();
        if let Some((base, last)) = segments.last_key_value() {
            (replica.offset_last_segment, replica.last_segment_bytes) = (*base, last.size);
        }
        replicas.push(replica);
    }
    Ok((replicas, total))
}

async fn checkpoint(pool: &Pool, log: &LogDirectory) -> Checkpoint {
    let Some(file) = log.checkpoint else { return Checkpoint::default() };
    let content = content(pool, file, CHECKPOINT_BYTES_MAX).await;
    content.as_deref().and_then(layout::checkpoint).unwrap_or_default()
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
}

async fn each_entry(
    pool: &Pool,
    directory: Handle,
    visit: &mut (dyn FnMut(DirectoryEntry) + Send),
) -> Result<()> {
    let mut cookie = 0;
    loop {
        let page = pool.readdir(directory, cookie, ENTRIES_AT_A_TIME).await?;
        let Some(last) = page.entries.last() else { return Ok(()) };
        cookie = last.cookie;
        page.entries.into_iter().for_each(&mut *visit);
        if page.end {
            return Ok(());
        }
    }
}
