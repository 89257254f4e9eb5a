//! What earlier observations counted, for rates and trends: every observation of the last quarter of an hour, and one every five minutes
//! of the last six hours. Memory is bounded.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use forebay_nfs::state::{ActivityView, TransfersView};
use forebay_nfs::statistics::{FailureKey, OperationStatistics};
use forebay_nfs_proto::xdr::nfs4::{ClientId, OpCode};
use forebay_pool::{Distribution, VolumeId};
use forebay_s3::statistics::{Class, Refused};

use crate::metrics::Observation;

/// The age of the oldest digest of every observation.
const RECENT: Duration = Duration::from_secs(15 * 60);
/// The distance between the others, and the age of the oldest one.
const COARSE: Duration = Duration::from_secs(5 * 60);
const COARSE_MAX: Duration = Duration::from_secs(6 * 3600);
/// The period over which flows are measured.
const FLOW: Duration = Duration::from_secs(30);

/// The parts of an observation that rules compare.
#[derive(Clone, Debug, Default)]
pub struct Digest {
    /// Time since the daemon started.
    pub at: Duration,
    /// Counters, which only increase.
    pub counts: Counts,
    /// Free bytes of the pool; `None` if they are unknown.
    pub free: Option<u64>,
    /// Bytes that are not durable.
    pub dirty: u64,
    /// Durations of COMMIT.
    pub commits: Distribution,
    /// Durations of syncs of the metadata store and of the intent log, for which brokers wait.
    pub syncs: Distribution,
    /// Durations of reads over S3.
    pub s3_reads: Distribution,
    /// Errors of the server, by S3 operation.
    pub s3_failed: BTreeMap<&'static str, u64>,
    /// Failures of NFS operations that stop brokers.
    pub failures: BTreeMap<FailureKey, u64>,
    /// Bytes of the volumes that have a size; only in coarse digests.
    used: Vec<(VolumeId, u64)>,
}

/// Counters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Frames that did not match their checksum.
    pub frames_damaged: u64,
    /// Frames that the disk could not read.
    pub frames_unreadable: u64,
    /// Commit groups, and groups of the intent log.
    pub groups: u64,
    /// Writes.
    pub writes: u64,
    /// Writes that waited.
    pub write_waits: u64,
    /// NFS connections that were refused.
    pub nfs_refused: u64,
    /// Opens and locks that were refused for lack of memory.
    pub files_refused: u64,
    /// TLS handshakes of NFS that failed.
    pub handshakes_failed: u64,
    /// S3 connections that were refused.
    pub s3_refused: u64,
    /// S3 requests that were refused for their signature or access key.
    pub s3_signatures: u64,
    /// S3 requests that found no space.
    pub s3_no_space: u64,
    /// Passes of the lifecycle worker that failed.
    pub lifecycle_failures: u64,
    /// Beats that could not be written.
    pub beat_failures: u64,
}

/// Bytes read and written so far, by volume and by client.
#[derive(Clone, Debug, Default)]
pub struct Flows {
    at: Duration,
    volumes: BTreeMap<VolumeId, (u64, u64)>,
    clients: BTreeMap<ClientId, ActivityView>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Trail {
    /// The state of all counters when the daemon started.
    origin: Digest,
    recent: VecDeque<Digest>,
    coarse: VecDeque<Digest>,
    flows: VecDeque<Flows>,
}

impl Digest {
    /// The digest of an observation.
    pub fn of(seen: &Observation, at: Duration) -> Digest {
        let mut digest = Digest { at, ..Digest::default() };
        let counts = &mut digest.counts;
        if let Some(pool) = &seen.pool {
            counts.frames_damaged = pool.frames_damaged;
            counts.frames_unreadable = pool.frames_unreadable;
            counts.groups = pool.commit_groups.saturating_add(pool.log_groups);
            (counts.writes, counts.write_waits) = (pool.writes, pool.write_waits);
            digest.free = Some(pool.space.bytes_free);
            digest.dirty = pool.dirty_bytes;
            digest.syncs = pool.metadata_syncs.clone();
            digest.syncs.add(&pool.log_syncs);
        }
        let nfs = &seen.nfs;
        counts.nfs_refused = nfs.events.connections_refused;
        counts.files_refused = nfs.memory.usage.refused.last().copied().unwrap_or_default();
        counts.handshakes_failed = nfs.events.tls_handshakes_failed;
        let is_commit = |operation: &&OperationStatistics| operation.operation == Some(OpCode::Commit);
        digest.commits =
            nfs.operations.iter().find(is_commit).map(|one| one.times.clone()).unwrap_or_default();
        digest.failures = nfs.failures.iter().map(|one| (one.key, one.count)).collect();
        if let Some(s3) = &seen.s3 {
            counts.s3_refused = s3.connections.refused;
            counts.lifecycle_failures = s3.lifecycle.failures;
            let refused = |reason: Refused| s3.refused.get(reason as usize).copied().unwrap_or_default();
            counts.s3_signatures = refused(Refused::Signature).saturating_add(refused(Refused::AccessKey));
            for operation in &s3.operations {
                let of = |class: Class| operation.classes.get(class as usize).copied().unwrap_or_default();
                counts.s3_no_space = counts.s3_no_space.saturating_add(of(Class::NoSpace));
                digest.s3_failed.insert(operation.name, of(Class::ServerError));
                if ["GetObject", "HeadObject"].contains(&operation.name) {
                    digest.s3_reads.add(&operation.times);
                }
            }
        }
        counts.beat_failures = seen.node.as_ref().map_or(0, |beats| beats.failures);
        digest
    }
}

impl Trail {
    /// Adds an observation and its digest.
    pub fn add(&mut self, digest: Digest, seen: &Observation) {
        let at = digest.at;
        if self.coarse.back().is_none_or(|last| at.saturating_sub(last.at) >= COARSE) {
            let sized = seen.volumes.iter().filter(|volume| volume.usage.size.is_some());
            let used =
                sized.filter_map(|volume| Some((volume.usage.id?, volume.usage.bytes_logical))).collect();
            self.coarse.push_back(Digest { used, ..digest.clone() });
        }
        let volumes = seen.volumes.iter().filter_map(|volume| {
            Some((volume.usage.id?, (volume.traffic.read.bytes, volume.traffic.written.bytes)))
        });
        let clients = seen.nfs.clients.iter().map(|one| (one.id, one.activity.clone()));
        self.flows.push_back(Flows { at, volumes: volumes.collect(), clients: clients.collect() });
        self.recent.push_back(digest);
        let is_old = |then: Duration, age: Duration| at.saturating_sub(then) > age;
        while self.recent.front().is_some_and(|one| is_old(one.at, RECENT)) {
            self.recent.pop_front();
        }
        while self.coarse.front().is_some_and(|one| is_old(one.at, COARSE_MAX)) {
            self.coarse.pop_front();
        }
        while self.flows.front().is_some_and(|one| is_old(one.at, FLOW)) {
            self.flows.pop_front();
        }
    }

    /// The latest digest that is at least this old at `now`. Before there is one, the state at the start.
    pub fn ago(&self, now: Duration, age: Duration) -> &Digest {
        let is_old = |digest: &&Digest| now.saturating_sub(digest.at) >= age;
        let recent = self.recent.iter().rev().find(is_old);
        recent.or_else(|| self.coarse.iter().rev().find(is_old)).unwrap_or(&self.origin)
    }

    /// Whether a value had a property all the time, for so long.
    pub fn always(&self, now: Duration, age: Duration, holds: impl Fn(&Digest) -> bool) -> bool {
        let covers = self.recent.front().is_some_and(|first| now.saturating_sub(first.at) >= age);
        covers && self.recent.iter().filter(|one| now.saturating_sub(one.at) <= age).all(holds)
    }

    /// The free bytes of the pool over the last six hours.
    pub fn free(&self) -> Vec<(Duration, f64)> {
        self.coarse.iter().filter_map(|one| Some((one.at, one.free? as f64))).collect()
    }

    /// The bytes of a volume that has a size, over the last six hours.
    pub fn used(&self, volume: VolumeId) -> Vec<(Duration, f64)> {
        let of = |digest: &Digest| {
            let place = digest.used.binary_search_by_key(&volume, |(id, _)| *id).ok()?;
            Some((digest.at, digest.used.get(place)?.1 as f64))
        };
        self.coarse.iter().filter_map(of).collect()
    }

    /// Bytes per second read from and written to a volume, in the last half minute.
    pub fn volume_flow(&self, volume: VolumeId) -> (f64, f64) {
        let Some((seconds, before, after)) = self.ends(|flows| flows.volumes.get(&volume)) else {
            return (0.0, 0.0);
        };
        (rate(before.0, after.0, seconds), rate(before.1, after.1, seconds))
    }

    /// The activity of each client in the last half minute.
    pub fn clients(&self) -> BTreeMap<ClientId, ClientNow> {
        let known = self.flows.back().into_iter().flat_map(|flows| flows.clients.keys());
        known.map(|client| (*client, self.client(*client))).collect()
    }

    fn client(&self, client: ClientId) -> ClientNow {
        let Some((seconds, before, after)) = self.ends(|flows| flows.clients.get(&client)) else {
            return ClientNow::default();
        };
        let mean = |before: &TransfersView, after: &TransfersView| {
            let count = u32::try_from(after.count.saturating_sub(before.count)).unwrap_or(u32::MAX);
            after.time.saturating_sub(before.time).checked_div(count)
        };
        let commits = after.commits.since(&before.commits);
        ClientNow {
            read: rate(before.reads.bytes, after.reads.bytes, seconds),
            written: rate(before.writes.bytes, after.writes.bytes, seconds),
            operations: rate(before.operations, after.operations, seconds),
            read_mean: mean(&before.reads, &after.reads),
            write_mean: mean(&before.writes, &after.writes),
            commit_p99: (commits.count() > 0).then(|| commits.percentile(99)),
        }
    }

    /// The seconds between the oldest and the newest flows that have something, and what they have.
    fn ends<'a, T>(&'a self, of: impl Fn(&'a Flows) -> Option<&'a T>) -> Option<(f64, &'a T, &'a T)> {
        let (then, before) = self.flows.iter().find_map(|flows| Some((flows.at, of(flows)?)))?;
        let last = self.flows.back()?;
        let seconds = last.at.saturating_sub(then).as_secs_f64();
        Some((seconds, before, of(last)?))
    }
}

/// The activity of a client in the last half minute.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClientNow {
    /// Bytes per second read.
    pub read: f64,
    /// Bytes per second written.
    pub written: f64,
    /// Operations per second.
    pub operations: f64,
    /// The mean duration of reads; `None` if there were none.
    pub read_mean: Option<Duration>,
    /// The mean duration of writes.
    pub write_mean: Option<Duration>,
    /// The 99th percentile of COMMIT.
    pub commit_p99: Option<Duration>,
}

/// The increase of a counter per second.
fn rate(before: u64, after: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { after.saturating_sub(before) as f64 / seconds } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(at: u64, writes: u64) -> Digest {
        let counts = Counts { writes, ..Counts::default() };
        Digest { at: Duration::from_secs(at), counts, ..Digest::default() }
    }

    #[tokio::test]
    async fn counts_of_a_while_ago_are_found_and_memory_is_bounded() {
        let seen = crate::test_support::observation().await;
        let mut trail = Trail::default();
        for step in 0..10_000 {
            trail.add(digest(step * 5, step), &seen);
        }
        let now = Duration::from_secs(9_999 * 5);
        assert!(trail.recent.len() <= 181 && trail.coarse.len() <= 74 && trail.flows.len() <= 7);
        assert_eq!(trail.ago(now, Duration::from_secs(60)).counts.writes, 9_999 - 12);
        let hour = trail.ago(now, Duration::from_secs(3600)).counts.writes;
        assert!((9_999 - 720 - 60..=9_999 - 720).contains(&hour), "{hour}");
        assert_eq!(Trail::default().ago(now, Duration::from_secs(1)).counts.writes, 0);
    }

    #[tokio::test]
    async fn what_a_client_does_is_that_of_the_last_half_minute() {
        let mut seen = crate::test_support::observation().await;
        let client = crate::test_support::client_traffic(7);
        let mut trail = Trail::default();
        for step in 0..20u64 {
            let mut client = client.clone();
            client.activity.operations = step * 50;
            client.activity.writes =
                TransfersView { bytes: step * 5000, count: step * 5, time: Duration::from_millis(step * 10) };
            seen.nfs.clients = vec![client];
            trail.add(digest(step * 5, 0), &seen);
        }
        let now = trail.clients()[&client.id];
        assert_eq!((now.operations, now.written, now.read), (10.0, 1000.0, 0.0));
        assert_eq!(
            (now.write_mean, now.read_mean, now.commit_p99),
            (Some(Duration::from_millis(2)), None, None)
        );
        assert_eq!(Trail::default().clients(), BTreeMap::new());
    }

    #[tokio::test]
    async fn what_was_not_observed_for_long_enough_did_not_always_hold() {
        let seen = crate::test_support::observation().await;
        let (mut trail, minute) = (Trail::default(), Duration::from_secs(60));
        let holds =
            |trail: &Trail, at| trail.always(Duration::from_secs(at), minute, |one| one.counts.writes > 0);
        for step in 0..6 {
            trail.add(digest(step * 10, 1), &seen);
        }
        assert!(!holds(&trail, 50));
        trail.add(digest(60, 1), &seen);
        assert!(holds(&trail, 60));
        trail.add(digest(70, 0), &seen);
        assert!(!holds(&trail, 70));
    }
}
