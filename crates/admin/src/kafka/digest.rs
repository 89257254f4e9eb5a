//! The parts of a report that metrics and health rules use. A digest is made once for each report and is bounded. Only [`Digest::topics`]
//! has names of topics, because alerts are in support bundles, which contain no names of files.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use forebay_kafka::Report;
use forebay_kafka::age::Age;
use forebay_kafka::layout::State;
use forebay_kafka::report::{Cluster, SHARED_USUAL, Topic};

use super::Settings;
use super::growth::{Growth, Growths};

/// The maximum number of objects of a kind, so that neither labels nor alerts grow without bound.
pub const OBJECTS_MAX: usize = 200;
/// Replicas with less in files that is not shared are not worth an alert.
const UNSHARED_MIN: u64 = 64 << 20;
/// The label value for what has none of its own.
pub const OTHER: &str = "other";

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Digest {
    /// When the report was taken; `None` if there is none.
    pub taken: Option<SystemTime>,
    /// How many seconds it took.
    pub seconds: f64,
    /// Number of log directories.
    pub log_directories: u64,
    /// Number of replicas by state: live, deleted, future, stray.
    pub replicas: [u64; 4],
    /// The topics that store most, and one for all others.
    pub topics: Vec<TopicSeen>,
    /// Directories that brokers are about to delete.
    pub deleted: Vec<DeletedSeen>,
    /// The time that brokers have for it.
    pub deleted_after: Duration,
    /// Replicas that share less than others do, unless they are compacted.
    pub unshared: Vec<UnsharedSeen>,
    /// Clusters with topics that grow much faster than usual.
    pub growing: Vec<GrowingSeen>,
    /// Brokers with replicas whose oldest records are much older than their peers'.
    pub older: Vec<OlderSeen>,
}

/// A broker: its cluster's key and its node id.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct BrokerName {
    /// The cluster's key.
    pub cluster: String,
    /// The node id.
    pub node: Option<u32>,
}

impl std::fmt::Display for BrokerName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.node {
            Some(node) => write!(formatter, "broker {node} of {}", self.cluster),
            None => write!(formatter, "a broker of {}", self.cluster),
        }
    }
}

/// A topic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TopicSeen {
    /// The cluster's key.
    pub cluster: String,
    /// The topic.
    pub topic: String,
    /// Bytes in files.
    pub bytes_in_files: u64,
    /// Bytes stored.
    pub bytes_stored: u64,
    /// The least that a replica shares, from 0 to 1.
    pub shared: Option<f64>,
}

/// A directory that a broker renamed to delete it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeletedSeen {
    /// The broker.
    pub broker: BrokerName,
    /// When it was renamed.
    pub since: SystemTime,
    /// Bytes in its files.
    pub bytes_in_files: u64,
}

/// A replica that shares little.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsharedSeen {
    /// The broker.
    pub broker: BrokerName,
    /// What another replica has too, in thousandths.
    pub shared_permille: u32,
    /// Bytes in its files.
    pub bytes_in_files: u64,
    /// Why.
    pub reason: String,
}

/// Topics of a cluster that grow much faster than usual.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrowingSeen {
    /// The cluster's key.
    pub cluster: String,
    /// Number of topics.
    pub topics: u64,
    /// Bytes of files by which they have grown in the last day.
    pub last_day: u64,
    /// Bytes by which they usually grow in a day.
    pub usual: u64,
}

/// Replicas of a broker whose oldest records are much older than their peers'.
#[derive(Clone, Debug, PartialEq)]
pub struct OlderSeen {
    /// The broker.
    pub broker: BrokerName,
    /// Number of replicas.
    pub replicas: u64,
    /// The age of the one that is oldest against its peers, and their age.
    pub age: Duration,
    /// See `age`.
    pub age_of_peers: Duration,
}

impl Digest {
    /// The digest of a report.
    pub fn of(report: &Report, growths: &Growths, settings: &Settings) -> Digest {
        let mut digest = Digest {
            taken: Some(report.taken),
            seconds: report.duration.as_secs_f64(),
            deleted_after: settings.deleted_after,
            ..Digest::default()
        };
        let mut topics = Vec::new();
        for cluster in &report.clusters {
            digest.log_directories += cluster.log_directories.len() as u64;
            digest.note_growing(cluster, growths);
            digest.note_older(cluster, report.taken);
            for (name, topic) in &cluster.topics {
                topics.push((cluster.key.as_str(), name.as_str(), topic));
            }
            for replica in cluster.topics.values().flat_map(|topic| topic.replicas()) {
                let state = match replica.state {
                    State::Live => 0,
                    State::Deleted => 1,
                    State::Future => 2,
                    State::Stray => 3,
                };
                if let Some(count) = digest.replicas.get_mut(state) {
                    *count += 1;
                }
                let log = cluster.log_directories.get(replica.directory);
                let broker =
                    || BrokerName { cluster: cluster.key.clone(), node: log.and_then(|log| log.node) };
                let bytes_in_files = replica.figures.bytes_in_files;
                if replica.state == State::Deleted && digest.deleted.len() < OBJECTS_MAX {
                    digest.deleted.push(DeletedSeen {
                        broker: broker(),
                        since: replica.changed,
                        bytes_in_files,
                    });
                }
                let Some(shared_permille) = replica.shared_permille.filter(|shared| *shared < SHARED_USUAL)
                else {
                    continue;
                };
                let unshared = bytes_in_files / 1000 * u64::from(1000 - shared_permille);
                let is_compacted = replica.reason == Some(forebay_kafka::report::Reason::Compacted);
                let counts = replica.state == State::Live && !is_compacted && unshared >= UNSHARED_MIN;
                if counts && digest.unshared.len() < OBJECTS_MAX {
                    let reason = replica.reason.as_ref().map(ToString::to_string).unwrap_or_default();
                    digest.unshared.push(UnsharedSeen {
                        broker: broker(),
                        shared_permille,
                        bytes_in_files,
                        reason,
                    });
                }
            }
        }
        topics.sort_by_key(|(_, _, topic)| std::cmp::Reverse(topic.figures.bytes_stored));
        let mut others: BTreeMap<&str, TopicSeen> = BTreeMap::new();
        for (index, (cluster, name, topic)) in topics.into_iter().enumerate() {
            let (bytes_in_files, bytes_stored) = (topic.figures.bytes_in_files, topic.figures.bytes_stored);
            if index < settings.metrics_topics && name != OTHER {
                let shared = topic.shared_permille().map(|shared| f64::from(shared) / 1000.0);
                let (cluster, topic) = (cluster.to_owned(), name.to_owned());
                digest.topics.push(TopicSeen { cluster, topic, bytes_in_files, bytes_stored, shared });
                continue;
            }
            let cluster = if others.len() < OBJECTS_MAX { cluster } else { OTHER };
            let other = others.entry(cluster).or_default();
            other.bytes_in_files = other.bytes_in_files.saturating_add(bytes_in_files);
            other.bytes_stored = other.bytes_stored.saturating_add(bytes_stored);
        }
        for (cluster, other) in others {
            digest.topics.push(TopicSeen { cluster: cluster.to_owned(), topic: OTHER.to_owned(), ..other });
        }
        digest
    }

    fn note_growing(&mut self, cluster: &Cluster, growths: &Growths) {
        let mut seen = GrowingSeen { cluster: cluster.key.clone(), ..GrowingSeen::default() };
        for topic in cluster.topics.keys() {
            let Growth { usual, last_day, is_fast: true, .. } = growths.of(&cluster.key, topic) else {
                continue;
            };
            let bytes = |growth: Option<i64>| u64::try_from(growth.unwrap_or_default()).unwrap_or_default();
            seen.topics += 1;
            seen.last_day = seen.last_day.saturating_add(bytes(last_day));
            seen.usual = seen.usual.saturating_add(bytes(usual));
        }
        if seen.topics > 0 && self.growing.len() < OBJECTS_MAX {
            self.growing.push(seen);
        }
    }

    fn note_older(&mut self, cluster: &Cluster, now: SystemTime) {
        let mut found: BTreeMap<Option<u32>, (u64, Age)> = BTreeMap::new();
        for age in cluster.topics.values().flat_map(Topic::ages).filter(|age| age.is_unusual(now)) {
            let node = cluster.log_directories.get(age.directory).and_then(|log| log.node);
            let (count, most) = found.entry(node).or_insert((0, age));
            *count += 1;
            if age.ratio(now) > most.ratio(now) {
                *most = age;
            }
        }
        let since = |time| now.duration_since(time).unwrap_or_default();
        let places = OBJECTS_MAX.saturating_sub(self.older.len());
        self.older.extend(found.into_iter().take(places).map(|(node, (replicas, age))| OlderSeen {
            broker: BrokerName { cluster: cluster.key.clone(), node },
            replicas,
            age: since(age.oldest),
            age_of_peers: since(age.oldest_of_peers),
        }));
    }
}
