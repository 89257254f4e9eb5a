//! What the daemon knows of Kafka: the last report, and which clients hold `.lock` in log directories.
//!
//! [`run`] makes a report every now and then. Everything else only reads the last one ([`Kafka::report`]). Holders of `.lock` are not part of
//! a report: they are looked up in the state of the NFS server whenever something is asked ([`holders`]), so they follow a broker that
//! moves. [`digest`] is what metrics and health rules see.

pub mod digest;
pub mod holders;

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use forebay_kafka::Report;
use forebay_kafka::scan::{Options, scan};
use forebay_pool::{CheckWatch, Handle, Pool};

use digest::Digest;
use holders::{Broker, Holders};

/// A scan rests this many times as long as it took.
const REST_FACTOR: u32 = 9;
/// The first report is made this long after the start, when brokers have reclaimed their locks.
const FIRST_AFTER: Duration = Duration::from_secs(2);
/// The points from which growth is measured: one an hour for a day.
const POINT_EVERY: Duration = Duration::from_secs(3600);
const POINTS_MAX: usize = 25;
/// Growth is shown after this time.
const GROWTH_AFTER: Duration = Duration::from_secs(600);
const DAY_SECONDS: u128 = 86_400;

/// How Kafka views work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether there are any.
    pub is_on: bool,
    /// The time between two reports.
    pub interval: Duration,
    /// The number of topics with metrics of their own.
    pub metrics_topics: usize,
    /// The time that a broker has to delete a directory that it has renamed.
    pub deleted_after: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            is_on: true,
            interval: Duration::from_secs(300),
            metrics_topics: 0,
            deleted_after: Duration::from_secs(600),
        }
    }
}

/// See the module.
pub struct Kafka {
    pool: Pool,
    nfs: Option<Arc<forebay_nfs::Shared>>,
    /// Settings.
    pub settings: Settings,
    made: RwLock<Made>,
    holders: Mutex<Holders>,
    watch: Arc<CheckWatch>,
    now: tokio::sync::Notify,
    /// Names of topics in [`Made::points`].
    hash: RandomState,
}

/// What scans have made.
#[derive(Clone, Default)]
pub struct Made {
    /// The last report.
    pub report: Option<Arc<Report>>,
    /// The parts of it that metrics and health rules use.
    pub digest: Arc<Digest>,
    /// Why the last scan failed, if it did.
    pub error: Option<String>,
    /// Bytes of topics in files, by a hash of the cluster and the topic, at earlier times.
    points: Arc<VecDeque<Point>>,
}

/// Bytes of topics in files at a time.
type Point = (SystemTime, HashMap<u64, u64>);

impl Kafka {
    /// Nothing is known yet.
    pub fn new(pool: Pool, nfs: Option<Arc<forebay_nfs::Shared>>, settings: Settings) -> Kafka {
        Kafka {
            pool,
            nfs,
            settings,
            made: RwLock::default(),
            holders: Mutex::default(),
            watch: Arc::default(),
            now: tokio::sync::Notify::new(),
            hash: RandomState::new(),
        }
    }

    /// The last report, and what failed since.
    pub fn made(&self) -> Made {
        self.made.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Cancels what reads the pool, at once and in the future.
    pub fn stop(&self) {
        self.watch.cancel();
    }

    /// Cancels what someone asks for when the daemon stops.
    pub fn watch(&self) -> Arc<CheckWatch> {
        self.watch.clone()
    }

    /// Makes a new report soon.
    pub fn refresh(&self) {
        self.now.notify_one();
    }

    /// Makes a report.
    pub async fn scan(&self) {
        let options = Options { watch: self.watch.clone(), sample_bits: None };
        let scanned = scan(&self.pool, options).await;
        let mut new = self.made();
        match scanned {
            Ok(report) => {
                self.note_point(&mut new.points, &report);
                new.digest = Arc::new(Digest::of(&report, &self.settings));
                new.report = Some(Arc::new(report));
                new.error = None;
            }
            Err(error) => new.error = Some(error.to_string()),
        }
        *self.made.write().unwrap_or_else(PoisonError::into_inner) = new;
    }

    fn key(&self, cluster: &str, topic: &str) -> u64 {
        self.hash.hash_one((cluster, topic))
    }

    fn note_point(&self, points: &mut Arc<VecDeque<Point>>, report: &Report) {
        let is_due = points.back().is_none_or(|(last, _)| {
            report.taken.duration_since(*last).is_ok_and(|since| since >= POINT_EVERY)
        });
        if !is_due {
            return;
        }
        let topics = report.clusters.iter().flat_map(|cluster| {
            cluster
                .topics
                .iter()
                .map(|(name, topic)| (self.key(&cluster.key, name), topic.figures.bytes_in_files))
        });
        let points = Arc::make_mut(points);
        points.push_back((report.taken, topics.collect()));
        if points.len() > POINTS_MAX {
            points.pop_front();
        }
    }

    /// How many bytes of files a topic has grown by in a day, measured over the last day at most; `None` if it is too new.
    pub fn growth_per_day(&self, made: &Made, (cluster, topic): (&str, &str), bytes: u64) -> Option<i64> {
        let key = self.key(cluster, topic);
        let (since, before) = made.points.iter().find_map(|(at, topics)| Some((*at, *topics.get(&key)?)))?;
        let time =
            made.report.as_ref()?.taken.duration_since(since).ok().filter(|time| *time >= GROWTH_AFTER)?;
        let grown = i128::from(bytes) - i128::from(before);
        let scaled = grown.unsigned_abs() * DAY_SECONDS / u128::from(time.as_secs().max(1));
        let scaled = i64::try_from(scaled).unwrap_or(i64::MAX);
        Some(if grown < 0 { -scaled } else { scaled })
    }

    /// The brokers of all log directories, as they are now.
    pub fn brokers(&self, report: &Report) -> Vec<Broker> {
        let mut holders = self.holders.lock().unwrap_or_else(PoisonError::into_inner);
        holders.look(report, SystemTime::now(), &|lock| self.lockers(lock))
    }

    /// The clients that have a file locked.
    pub fn lockers(&self, file: Handle) -> Vec<forebay_nfs::state::LockHolder> {
        self.nfs.as_ref().map(|nfs| nfs.state.lock_holders(file)).unwrap_or_default()
    }
}

/// Makes reports as long as the future is polled.
pub async fn run(kafka: Arc<Kafka>) {
    if !kafka.settings.is_on {
        return;
    }
    tokio::time::sleep(FIRST_AFTER).await;
    loop {
        let started = tokio::time::Instant::now();
        kafka.scan().await;
        let rest = kafka.settings.interval.max(started.elapsed() * REST_FACTOR);
        tokio::select! {
            () = tokio::time::sleep(rest) => {}
            () = kafka.now.notified() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::service;

    #[tokio::test]
    async fn growth_is_measured_over_the_points_of_a_day() {
        let service = service().await;
        let kafka = Kafka::new(service.pool.clone(), None, Settings::default());
        kafka.scan().await;
        let mut made = kafka.made();
        let taken = made.report.as_ref().unwrap().taken;
        let key = kafka.key("c", "orders");
        made.points = Arc::new([(taken - Duration::from_secs(43_200), HashMap::from([(key, 1000)]))].into());
        assert_eq!(kafka.growth_per_day(&made, ("c", "orders"), 1500), Some(1000));
        assert_eq!(kafka.growth_per_day(&made, ("c", "orders"), 500), Some(-1000));
        assert_eq!(kafka.growth_per_day(&made, ("c", "new"), 500), None);
        made.points = Arc::new([(taken, HashMap::from([(key, 1000)]))].into());
        assert_eq!(kafka.growth_per_day(&made, ("c", "orders"), 1500), None);
    }

    #[tokio::test]
    async fn a_scan_that_fails_keeps_the_last_report() {
        let service = service().await;
        let kafka = Kafka::new(service.pool.clone(), None, Settings::default());
        kafka.scan().await;
        assert!(kafka.made().report.is_some() && kafka.made().error.is_none());
        kafka.stop();
        kafka.scan().await;
        assert!(kafka.made().report.is_some() && kafka.made().error.is_some());
    }
}
