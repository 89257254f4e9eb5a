//! The facts that conditions are evaluated on: the latest observation, and the changes within a period.

use std::time::{Duration, SystemTime};

use forebay_pool::{Distribution, PoolCounters, VolumeId};

use super::trail::{Counts, Digest, Trail};
use super::trend;
use crate::metrics::Observation;

/// See the module.
pub struct Facts<'a> {
    /// The time of day.
    pub now: SystemTime,
    /// Time since the daemon started.
    pub uptime: Duration,
    /// The latest observation.
    pub seen: &'a Observation,
    /// Its digest.
    pub digest: &'a Digest,
    /// Earlier digests.
    pub trail: &'a Trail,
    /// The usual duration of COMMIT, if it is known.
    pub usual: Option<Duration>,
}

impl Facts<'_> {
    /// The pool's counters; `None` while it closes.
    pub fn pool(&self) -> Option<&PoolCounters> {
        self.seen.pool.as_ref()
    }

    /// How much a counter has increased in the last `period`.
    pub fn increase(&self, period: Duration, of: impl Fn(&Counts) -> u64) -> u64 {
        of(&self.digest.counts).saturating_sub(of(&self.ago(period).counts))
    }

    /// The durations counted in the last `period`.
    pub fn times(&self, period: Duration, of: impl Fn(&Digest) -> &Distribution) -> Distribution {
        of(self.digest).since(of(self.ago(period)))
    }

    /// The digest of that long ago.
    pub fn ago(&self, period: Duration) -> &Digest {
        self.trail.ago(self.uptime, period)
    }

    /// The time since `then`; zero if `then` is in the future.
    pub fn since(&self, then: SystemTime) -> Duration {
        self.now.duration_since(then).unwrap_or_default()
    }

    /// The name of a volume, or of the volume of a snapshot that has no name here.
    pub fn volume_name(&self, id: Option<VolumeId>) -> Option<&str> {
        let volume = self.seen.volumes.iter().find(|volume| volume.usage.id == id && id.is_some())?;
        Some(&volume.usage.name)
    }

    /// When the pool will be full at the rate of the last hours; `None` if it does not fill up or that is unknown.
    pub fn pool_full_in(&self) -> Option<Duration> {
        let mut points = self.trail.free();
        points.push((self.uptime, self.digest.free? as f64));
        trend::time_to_zero(&points)
    }

    /// When a volume will have reached its size.
    pub fn volume_full_in(&self, id: VolumeId, used: u64, size: u64) -> Option<Duration> {
        let mut points = self.trail.used(id);
        points.push((self.uptime, used as f64));
        let free: Vec<_> = points.into_iter().map(|(at, used)| (at, size as f64 - used)).collect();
        trend::time_to_zero(&free)
    }
}
