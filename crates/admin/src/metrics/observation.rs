//! One snapshot of everything that is measured.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use forebay_nfs::NfsCounters;
use forebay_nfs::statistics::VolumeTraffic;
use forebay_ownership::Beats;
use forebay_pool::{PoolCounters, PoolFormat, VolumeUsage};
use forebay_s3::counters::{BucketCounts, S3Counters};

use super::process::Process;
use super::run::RunSeen;
use crate::efficiency::Counted;
use crate::kafka::digest::Digest;
use crate::kafka::holders::Broker;
use crate::object_store::Cost;
use crate::views::ClusterView;

/// The number of volumes with their own label value: the oldest. The others are counted together as
/// [`OTHER`].
pub const VOLUMES_MAX: usize = 1000;
/// The label value for all other volumes.
pub const OTHER: &str = "other";

/// See the module.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The pool; `None` once it is closed.
    pub pool: Option<PoolCounters>,
    /// The NFS server.
    pub nfs: NfsCounters,
    /// The S3 server; `None` if S3 is not served. It has at most [`VOLUMES_MAX`] buckets, and one more for all others.
    pub s3: Option<S3Counters>,
    /// The volumes: at most [`VOLUMES_MAX`], and one more for all others.
    pub volumes: Vec<VolumeSeen>,
    /// This node as the pool's owner; `None` if no other node can serve the pool.
    pub node: Option<Beats>,
    /// An estimate of what the bucket of the segments costs in a month.
    pub object_cost: Option<Cost>,
    /// The database in which the pool lies; `None` if it does not, or was not looked at yet.
    pub cluster: Option<ClusterSeen>,
    /// The Kafka clusters; `None` if Kafka views are off.
    pub kafka: Option<KafkaSeen>,
    /// How much is stored for the data of the pool, as it was counted last.
    pub efficiency: Option<Counted>,
    /// The pool's format; `None` once it is closed.
    pub format: Option<PoolFormat>,
    /// Backups of the pool.
    pub backups: BackupsSeen,
    /// This run of the daemon.
    pub run: RunSeen,
    /// The rules that the daemon evaluates.
    pub alerts: Vec<AlertSeen>,
    /// Targets of alerts that the last notice did not reach, and why.
    pub alert_targets_failing: Vec<(String, String)>,
    /// When it last did.
    pub evaluated: Option<SystemTime>,
    /// The daemon's process.
    pub process: Process,
}

/// The database in which the pool lies.
#[derive(Clone, Debug)]
pub struct ClusterSeen {
    /// Its pools.
    pub view: ClusterView,
    /// Whether another node has waited for the pool since this one has it, or had it before.
    pub had_candidates: bool,
}

/// The Kafka clusters.
#[derive(Clone, Debug, Default)]
pub struct KafkaSeen {
    /// What the last report says.
    pub digest: Arc<Digest>,
    /// The brokers, at most [`VOLUMES_MAX`].
    pub brokers: Vec<Broker>,
}

/// Backups of the pool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackupsSeen {
    /// The instant that the last one shows, wherever it is.
    pub last: Option<SystemTime>,
    /// Why the last attempt in the directory of the schedule failed, if none succeeded since.
    pub error: Option<String>,
    /// The time between two scheduled backups; `None` without a schedule.
    pub every: Option<Duration>,
    /// For how long there should have been a newer one.
    pub overdue: Duration,
}

/// A rule that the daemon evaluates.
#[derive(Clone, Copy, Debug)]
pub struct AlertSeen {
    /// Its name.
    pub name: &'static str,
    /// The word for its severity.
    pub severity: &'static str,
    /// The number of objects for which its alert fires.
    pub firing: u64,
}

/// A volume.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeSeen {
    /// Its size and limits.
    pub usage: VolumeUsage,
    /// Bytes read and written, and latency.
    pub traffic: VolumeTraffic,
    /// Number of requests that waited for its limit since the limit was set.
    pub waits: u64,
    /// Total time they waited.
    pub waited: Duration,
    /// Number of requests that were asked to retry later.
    pub turned_away: u64,
    /// How much is stored for its data, as it was counted last.
    pub efficiency: Option<Counted>,
    /// Number of operations that failed for lack of space, and because of the pool or its disk.
    pub failed: [u64; 2],
}

/// The first volumes, and one for all others if there are any. `rest` is traffic that belongs to no single
/// volume.
pub(super) fn bound(volumes: Vec<VolumeSeen>, rest: &VolumeTraffic) -> Vec<VolumeSeen> {
    if volumes.len() <= VOLUMES_MAX && rest == &VolumeTraffic::default() {
        return volumes;
    }
    let mut other = VolumeSeen { traffic: rest.clone(), ..VolumeSeen::default() };
    other.usage.name = OTHER.to_owned();
    let mut named = Vec::with_capacity(VOLUMES_MAX.saturating_add(1));
    for volume in volumes {
        // A volume may really have that name.
        if named.len() < VOLUMES_MAX && volume.usage.name != OTHER {
            named.push(volume);
        } else {
            other.add(&volume);
        }
    }
    named.push(other);
    named
}

/// Leaves the first buckets, and one for all others if there are any.
pub(super) fn bound_buckets(s3: &mut S3Counters) {
    let rest = std::mem::take(&mut s3.buckets_rest);
    let is_named = |index: usize, bucket: &BucketCounts| index < VOLUMES_MAX && bucket.name != OTHER;
    let mut other = BucketCounts { name: OTHER.to_owned(), ..BucketCounts::default() };
    other.traffic.add(&rest);
    let mut named = Vec::new();
    for (index, bucket) in std::mem::take(&mut s3.buckets).into_iter().enumerate() {
        // A bucket may really have that name.
        if is_named(index, &bucket) {
            named.push(bucket);
        } else {
            other.objects = other.objects.saturating_add(bucket.objects);
            other.bytes = other.bytes.saturating_add(bucket.bytes);
            other.traffic.add(&bucket.traffic);
        }
    }
    if other != (BucketCounts { name: OTHER.to_owned(), ..BucketCounts::default() }) {
        named.push(other);
    }
    s3.buckets = named;
}

impl VolumeSeen {
    /// Adds another volume. Limits are not added, since their sum has no meaning.
    fn add(&mut self, volume: &VolumeSeen) {
        self.traffic.add(&volume.traffic);
        let (sum, one) = (&mut self.usage, &volume.usage);
        sum.bytes_logical = sum.bytes_logical.saturating_add(one.bytes_logical);
        sum.inodes = sum.inodes.saturating_add(one.inodes);
        sum.orphans = sum.orphans.saturating_add(one.orphans);
        sum.snapshots = sum.snapshots.saturating_add(one.snapshots);
        self.waits = self.waits.saturating_add(volume.waits);
        self.waited = self.waited.saturating_add(volume.waited);
        self.turned_away = self.turned_away.saturating_add(volume.turned_away);
        for (sum, count) in self.failed.iter_mut().zip(volume.failed) {
            *sum = sum.saturating_add(count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(name: &str) -> VolumeSeen {
        let usage = VolumeUsage { name: name.to_owned(), bytes_logical: 3, ..VolumeUsage::default() };
        VolumeSeen { usage, ..VolumeSeen::default() }
    }

    #[test]
    fn volumes_beyond_the_bound_are_one_and_every_name_is_there_once() {
        let mut volumes: Vec<_> = (0..VOLUMES_MAX + 5).map(|number| volume(&format!("v{number}"))).collect();
        volumes.insert(0, volume(OTHER));
        let bounded = bound(volumes.clone(), &VolumeTraffic::default());
        assert_eq!(bounded.len(), VOLUMES_MAX + 1);
        let others: Vec<_> = bounded.iter().filter(|volume| volume.usage.name == OTHER).collect();
        assert_eq!(others.iter().map(|volume| volume.usage.bytes_logical).collect::<Vec<_>>(), [6 * 3]);
        volumes.truncate(VOLUMES_MAX);
        assert_eq!(bound(volumes.clone(), &VolumeTraffic::default()), volumes);
    }

    #[test]
    fn buckets_beyond_the_bound_are_one_too() {
        let bucket = |name: String| BucketCounts { name, objects: 2, ..BucketCounts::default() };
        let buckets = (0..VOLUMES_MAX + 5).map(|number| bucket(format!("b{number}")));
        let mut s3 = S3Counters { buckets: buckets.collect(), ..S3Counters::default() };
        bound_buckets(&mut s3);
        assert_eq!((s3.buckets.len(), s3.buckets[VOLUMES_MAX].objects), (VOLUMES_MAX + 1, 10));
        let mut few = S3Counters { buckets: vec![bucket("one".into())], ..S3Counters::default() };
        bound_buckets(&mut few);
        assert_eq!(few.buckets.len(), 1);
    }
}
