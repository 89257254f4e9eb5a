//! What the daemon knows of Kafka: the last report, and which clients hold `.lock` in log directories.
//!
//! [`run`] makes a report every now and then. Everything else only reads the last one ([`Kafka::report`]). Holders of `.lock` are not part of
//! a report: they are looked up in the state of the NFS server whenever something is asked ([`holders`]), so they follow a broker that
//! moves. [`history`] has what topics stored on each day, and [`growth`] how much they grow. [`digest`] is what metrics and health rules
//! see.

pub mod digest;
pub mod growth;
pub mod history;
pub mod holders;

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use forebay_kafka::Report;
use forebay_kafka::scan::{Options, scan};
use forebay_pool::{CheckWatch, Handle, Pool};

use digest::Digest;
use growth::{Growths, Meter};
use history::TopicHistory;
use holders::{Broker, Holders};

/// A scan rests this many times as long as it took.
const REST_FACTOR: u32 = 9;
/// The first report is made this long after the start, when brokers have reclaimed their locks.
const FIRST_AFTER: Duration = Duration::from_secs(2);

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
    /// The bytes that topics stored on each day.
    pub history: Arc<TopicHistory>,
    made: RwLock<Made>,
    meter: Mutex<Meter>,
    holders: Mutex<Holders>,
    watch: Arc<CheckWatch>,
    now: tokio::sync::Notify,
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
    /// How much topics grow in a day.
    pub growths: Arc<Growths>,
}

impl Kafka {
    /// Nothing is known yet.
    pub fn new(pool: Pool, nfs: Option<Arc<forebay_nfs::Shared>>, settings: Settings) -> Kafka {
        Kafka {
            pool,
            nfs,
            settings,
            history: Arc::default(),
            made: RwLock::default(),
            meter: Mutex::default(),
            holders: Mutex::default(),
            watch: Arc::default(),
            now: tokio::sync::Notify::new(),
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
                self.history.note(&report);
                let growths = self.meter().measure(&report, &self.history);
                new.digest = Arc::new(Digest::of(&report, &growths, &self.settings));
                new.growths = Arc::new(growths);
                new.report = Some(Arc::new(report));
                new.error = None;
            }
            Err(error) => new.error = Some(error.to_string()),
        }
        *self.made.write().unwrap_or_else(PoisonError::into_inner) = new;
    }

    fn meter(&self) -> std::sync::MutexGuard<'_, Meter> {
        // A panic elsewhere leaves a point missing.
        self.meter.lock().unwrap_or_else(PoisonError::into_inner)
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
        let history = kafka.history.clone();
        // Only a write that hangs keeps the next report from being made, and then nothing is known of the disk anyway.
        let _ = tokio::task::spawn_blocking(move || history.write(false)).await;
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
