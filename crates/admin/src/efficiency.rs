//! Storage efficiency of the pool, of volumes and of buckets: one definition, one value at a time.
//!
//! [`run`] counts in the background, and a request that asks for a new count replaces the value for everybody, so all pages, commands
//! and metrics show the same number. Counting reads every extent: while that takes less than a tenth of a second it is repeated
//! every ten seconds, below a second every minute, otherwise every hour at most, and it always rests nine times as long as it took.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use forebay_pool::{Efficiency, Pool, Result, VolumeId};

/// Counting rests this many times as long as it took.
const REST_FACTOR: u32 = 9;
/// Counting that takes less than the first is repeated after the second.
const FAST: [(Duration, Duration); 2] = [
    (Duration::from_millis(100), Duration::from_secs(10)),
    (Duration::from_secs(1), Duration::from_secs(60)),
];
/// Any other.
const EVERY: Duration = Duration::from_secs(3600);
/// The first count is made this long after the start.
const FIRST_AFTER: Duration = Duration::from_secs(3);

/// A count, and when it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// When.
    pub at: SystemTime,
    /// The figures.
    pub found: Efficiency,
}

/// See the module.
pub struct Efficiencies {
    pool: Pool,
    known: Mutex<HashMap<Option<VolumeId>, Counted>>,
    /// Held while extents are read, so that only one count at a time takes the disk from clients.
    counting: tokio::sync::Mutex<()>,
}

impl Counted {
    /// Bytes of data per byte stored; `None` if nothing is stored.
    pub fn ratio(&self) -> Option<f64> {
        ratio(&self.found)
    }
}

/// Bytes of data per byte stored; `None` if nothing is stored.
pub fn ratio(found: &Efficiency) -> Option<f64> {
    (found.bytes_physical > 0).then(|| found.bytes_logical as f64 / found.bytes_physical as f64)
}

impl Efficiencies {
    /// Nothing is known yet.
    pub fn new(pool: Pool) -> Efficiencies {
        Efficiencies { pool, known: Mutex::default(), counting: tokio::sync::Mutex::default() }
    }

    /// The last count of a volume or bucket, or of the pool.
    pub fn of(&self, volume: Option<VolumeId>) -> Option<Counted> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&volume).copied()
    }

    /// Counts a volume or bucket, or the pool, now.
    pub async fn count(&self, volume: Option<VolumeId>) -> Result<Counted> {
        let _counting = self.counting.lock().await;
        let at = SystemTime::now();
        let counted = Counted { at, found: self.pool.efficiency(volume).await? };
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(volume, counted);
        Ok(counted)
    }

    /// Waits until nothing is being counted. Held while something else reads the whole disk.
    pub(crate) async fn alone(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.counting.lock().await
    }

    /// Counts the pool, and all volumes and buckets.
    pub async fn count_all(&self) -> Result<()> {
        self.count(None).await?;
        let volumes = self.pool.volumes()?.into_iter().map(|volume| volume.id);
        let all: Vec<VolumeId> =
            volumes.chain(self.pool.buckets()?.into_iter().map(|bucket| bucket.id)).collect();
        let is_there = |id: &Option<VolumeId>| id.is_none_or(|id| all.contains(&id));
        self.known.lock().unwrap_or_else(PoisonError::into_inner).retain(|id, _| is_there(id));
        for id in &all {
            match self.count(Some(*id)).await {
                // It was deleted meanwhile.
                Ok(_) | Err(forebay_pool::Error::Stale) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// The rest after a count that took this long.
fn rest(took: Duration) -> Duration {
    let every = FAST.iter().find(|(below, _)| took < *below).map_or(EVERY, |(_, every)| *every);
    every.max(took * REST_FACTOR)
}

/// Counts for as long as the future is polled.
pub async fn run(efficiencies: Arc<Efficiencies>) {
    tokio::time::sleep(FIRST_AFTER).await;
    loop {
        let started = tokio::time::Instant::now();
        match efficiencies.count_all().await {
            Ok(()) | Err(forebay_pool::Error::Closed) => {}
            Err(error) => tracing::warn!(%error, "storage efficiency could not be counted"),
        }
        tokio::time::sleep(rest(started.elapsed())).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::service;

    #[test]
    fn counting_takes_at_most_a_tenth_of_the_time() {
        assert_eq!(rest(Duration::from_millis(20)), Duration::from_secs(10));
        assert_eq!(rest(Duration::from_millis(900)), Duration::from_secs(60));
        assert_eq!(rest(Duration::from_secs(20)), EVERY);
        let hours = Duration::from_secs(2 * 3600);
        assert_eq!(rest(hours), hours * 9);
    }

    #[tokio::test]
    async fn everything_is_counted_and_what_is_gone_is_forgotten() {
        let service = service().await;
        let pool = &service.pool;
        let efficiencies = Efficiencies::new(pool.clone());
        let volume = pool.volume("kafka").unwrap().id;
        assert!(efficiencies.of(None).is_none());
        efficiencies.count_all().await.unwrap();
        let bucket = pool.bucket("tiered").unwrap().id;
        assert!([None, Some(volume), Some(bucket)].into_iter().all(|id| efficiencies.of(id).is_some()));
        assert_eq!(efficiencies.of(None).unwrap().ratio(), None, "nothing is stored");
        pool.volume_delete("kafka", true).await.unwrap();
        efficiencies.count_all().await.unwrap();
        assert!(efficiencies.of(Some(volume)).is_none());
    }
}
