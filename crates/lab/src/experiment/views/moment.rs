//! One moment, as the views, the pool and a client see it.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::client::{self, Trees};
use crate::host::Node;
use crate::storage::{KafkaViews, TopicView, Totals};
use crate::testbed::Testbed;

/// Time limit for the pool to rest for as long as it takes to ask everybody.
const PATIENCE: Duration = Duration::from_secs(90);
const PAUSE: Duration = Duration::from_millis(300);

/// See the module.
pub struct Moment {
    /// The pool's own figure, before and after the report was made.
    pub pool_bytes: u64,
    /// What the report says of the whole pool.
    pub totals: Totals,
    /// What it says of topics.
    pub topics: Vec<TopicView>,
    /// What a client says of the log directories, before and after.
    pub trees: Trees,
    /// How long the report took to make.
    pub report_ms: u64,
    /// One chunk in this many was looked at.
    pub sampled_one_in: u64,
    /// What the report says could not be read.
    pub problems: Vec<String>,
}

impl Moment {
    /// Waits until neither the pool nor a topic changes while a report is made. `observer` is a node on which no broker runs.
    pub fn catch(testbed: &Testbed, views: &KafkaViews, observer: &Node) -> Result<Self> {
        let begun = Instant::now();
        testbed.sync()?;
        loop {
            let (trees, pool_bytes) = (look(testbed, observer)?, views.bytes_stored()?);
            let (pool, topics) = (views.fresh()?, views.topics()?);
            let is_one_report = pool.report.taken == topics.report.taken;
            let pool_rests = views.bytes_stored()? == pool_bytes;
            if is_one_report
                && pool_rests
                && client::topics(&look(testbed, observer)?) == client::topics(&trees)
            {
                return Ok(Self {
                    pool_bytes,
                    totals: pool.totals,
                    topics: topics.items,
                    trees,
                    report_ms: pool.report.duration_ms,
                    sampled_one_in: pool.report.sampled_one_in,
                    problems: pool.report.problems,
                });
            }
            ensure!(
                begun.elapsed() < PATIENCE,
                "the pool or a topic still changes {} s after the load ended",
                PATIENCE.as_secs()
            );
            std::thread::sleep(PAUSE);
            testbed.sync()?;
        }
    }

    /// What the report says of a topic.
    pub fn topic(&self, name: &str) -> Option<&TopicView> {
        self.topics.iter().find(|topic| topic.topic == name)
    }

    /// The stored bytes of all rows.
    pub fn rows(&self) -> u64 {
        let totals = &self.totals;
        let beside = [totals.log_directories, totals.other_files, totals.objects, totals.deleted_files];
        let beside: u64 = beside.iter().map(|figures| figures.bytes_stored).sum();
        let topics: u64 = self.topics.iter().map(|topic| topic.figures.bytes_stored).sum();
        topics + beside + totals.bytes_snapshots
    }
}

/// The log directories of all brokers, read by a node whose caches are empty.
fn look(testbed: &Testbed, observer: &Node) -> Result<Trees> {
    observer.drop_caches()?;
    let brokers = testbed.cluster.brokers().iter();
    brokers.map(|broker| Ok((broker.id(), observer.list_tree(broker.log_folder())?))).collect()
}
