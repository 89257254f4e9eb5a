//! What a daemon knows of Kafka: the answers of `forebay kafka --json`, as far as experiments need them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::forebay::{administer, space_of};

/// Time limit for a new report.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(100);
/// The maximum number of topics that are asked for.
const TOPICS_MAX: &str = "10000";

/// The Kafka views of a daemon.
#[derive(Clone, Debug)]
pub struct KafkaViews {
    program: PathBuf,
    pool: PathBuf,
}

/// The sizes of a set of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Figures {
    /// Number of files.
    pub files: u64,
    /// Bytes of the files, without holes.
    pub bytes_in_files: u64,
    /// Bytes of holes.
    pub bytes_holes: u64,
    /// Bytes stored.
    pub bytes_stored: u64,
    /// Bytes that a deletion would return.
    pub bytes_exclusive: u64,
}

/// The report from which an answer was made.
#[derive(Clone, Debug, Deserialize)]
pub struct ReportOf {
    /// Its instant.
    pub taken: String,
    /// Milliseconds since then.
    pub age_ms: u64,
    /// How long it took to make.
    pub duration_ms: u64,
    /// One chunk in this many was looked at.
    pub sampled_one_in: u64,
    /// What could not be read.
    pub problems: Vec<String>,
}

/// Everything that the pool stores.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Totals {
    /// Files of log directories that are in no replica.
    pub log_directories: Figures,
    /// Files outside log directories.
    pub other_files: Figures,
    /// Objects.
    pub objects: Figures,
    /// Files without a name.
    pub deleted_files: Figures,
    /// Bytes of what only snapshots show.
    pub bytes_snapshots: u64,
    /// Bytes of everything.
    pub bytes_total: u64,
}

/// The answer of `forebay kafka clusters`.
#[derive(Clone, Debug, Deserialize)]
pub struct ClusterViews {
    /// The report.
    pub report: ReportOf,
    /// Everything.
    pub totals: Totals,
}

/// A topic.
#[derive(Clone, Debug, Deserialize)]
pub struct TopicView {
    /// Its name.
    pub topic: String,
    /// Number of replicas by state.
    pub replicas: BTreeMap<String, u64>,
    /// Whether brokers compact it.
    pub is_compacted: bool,
    /// What it stores.
    pub figures: Figures,
    /// One chunk in this many was looked at.
    pub sampled_one_in: u64,
}

/// The answer of `forebay kafka topics`.
#[derive(Clone, Debug, Deserialize)]
pub struct Topics {
    /// The report.
    pub report: ReportOf,
    /// The topics.
    pub items: Vec<TopicView>,
}

#[derive(Deserialize)]
struct TopicShown {
    topic: TopicView,
}

/// The part of a replica that another one has too.
#[derive(Clone, Debug, Deserialize)]
pub struct Cell {
    /// The broker.
    pub node: u32,
    /// From 0 to 1.
    pub shared: Option<f64>,
    /// Why it is little.
    pub reason: Option<String>,
}

#[derive(Deserialize)]
struct SharingRow {
    replicas: Vec<Cell>,
}

#[derive(Deserialize)]
struct Sharing {
    rows: Vec<SharingRow>,
}

/// A directory that could go.
#[derive(Clone, Debug, Deserialize)]
pub struct Leftover {
    /// The topic.
    pub topic: Option<String>,
    /// Its path from the server's root.
    pub path: String,
    /// Why it could go.
    pub kind: String,
    /// The address of the client that has the log directory locked.
    pub held_by: Option<String>,
}

#[derive(Deserialize)]
struct Cleanup {
    items: Vec<Leftover>,
}

/// A broker.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct BrokerView {
    /// Its node id.
    pub node: u32,
    /// Whether it runs.
    pub state: String,
    /// The address of the client that holds `.lock`, or held it last.
    pub address: Option<String>,
}

#[derive(Deserialize)]
struct Brokers {
    items: Vec<BrokerView>,
}

impl KafkaViews {
    pub(super) fn new(program: PathBuf, pool: PathBuf) -> Self {
        Self { program, pool }
    }

    fn ask<T: DeserializeOwned>(&self, words: &[&str]) -> Result<T> {
        let words = [&["kafka"], words, &["--json"]].concat();
        let (said, _) = administer(&self.program, &self.pool, &words)?;
        serde_json::from_slice(&said).with_context(|| format!("parse what forebay {} says", words.join(" ")))
    }

    /// The bytes that the pool stores now, by its own count.
    pub fn bytes_stored(&self) -> Result<u64> {
        Ok(space_of(&self.program, &self.pool)?.physical)
    }

    /// Waits for a report that was taken after this call, and returns what it says of the whole pool.
    pub fn fresh(&self) -> Result<ClusterViews> {
        let begun = Instant::now();
        loop {
            let found: ClusterViews = self.ask(&["clusters"])?;
            if Duration::from_millis(found.report.age_ms) < begun.elapsed() {
                return Ok(found);
            }
            ensure!(begun.elapsed() < PATIENCE, "no report was made in {} s", PATIENCE.as_secs());
            std::thread::sleep(PAUSE);
        }
    }

    /// All topics.
    pub fn topics(&self) -> Result<Topics> {
        self.ask(&["topics", "--top", TOPICS_MAX])
    }

    /// A topic, from a report that was taken after this call.
    pub fn fresh_topic(&self, topic: &str) -> Result<TopicView> {
        self.fresh()?;
        Ok(self.ask::<TopicShown>(&["topic", topic])?.topic)
    }

    /// A topic of which everything is counted now.
    pub fn exact(&self, topic: &str) -> Result<TopicView> {
        Ok(self.ask::<TopicShown>(&["topic", topic, "--exact"])?.topic)
    }

    /// For each partition, the part of each replica that another one has too.
    pub fn sharing(&self, topic: &str) -> Result<Vec<Vec<Cell>>> {
        let found: Sharing = self.ask(&["sharing", topic])?;
        Ok(found.rows.into_iter().map(|row| row.replicas).collect())
    }

    /// The brokers, as they are now.
    pub fn brokers(&self) -> Result<Vec<BrokerView>> {
        Ok(self.ask::<Brokers>(&["brokers"])?.items)
    }

    /// The directories that could go.
    pub fn cleanup(&self) -> Result<Vec<Leftover>> {
        Ok(self.ask::<Cleanup>(&["cleanup"])?.items)
    }
}
