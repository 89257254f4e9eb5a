//! The series, and how their values are computed from two observations.

use std::time::Duration;

use forebay_nfs::statistics::{OperationStatistics, VolumeTraffic, operation_name};
use forebay_nfs_proto::xdr::nfs4::OpCode;
use forebay_pool::{Distribution, PoolCounters};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::metrics::{Observation, VolumeSeen};

/// The number of volumes with their own series: the oldest.
const VOLUMES_MAX: usize = 64;

/// The unit of a series' values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Bytes per second.
    BytesPerSecond,
    /// Operations per second.
    OperationsPerSecond,
    /// Seconds.
    Seconds,
    /// A number of objects.
    Count,
}

impl Unit {
    /// All units, in the order of their numbers in files.
    const ALL: [Unit; 5] =
        [Unit::Bytes, Unit::BytesPerSecond, Unit::OperationsPerSecond, Unit::Seconds, Unit::Count];

    /// The number for it in files.
    pub(super) fn number(self) -> u64 {
        Unit::ALL.iter().position(|unit| *unit == self).map_or(u64::MAX, |place| place as u64)
    }

    /// The unit of a number.
    pub(super) fn of_number(number: u64) -> Option<Unit> {
        Unit::ALL.get(usize::try_from(number).ok()?).copied()
    }
}

/// A measured value of one series.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// The series.
    pub name: String,
    /// The unit of the value.
    pub unit: Unit,
    /// The value.
    pub value: f64,
}

/// The changes between two observations, and the state at the second one.
pub fn between(before: &Observation, after: &Observation, elapsed: Duration) -> Vec<Sampled> {
    let mut list = List { sampled: Vec::new(), seconds: elapsed.as_secs_f64() };
    list.traffic(before, after);
    list.operations(before, after);
    if let (Some(before), Some(after)) = (&before.pool, &after.pool) {
        list.pool(before, after);
    }
    let census = after.nfs.census;
    list.push("nfs/connections", Unit::Count, after.nfs.events.connections as f64);
    list.push("nfs/clients", Unit::Count, census.confirmed.saturating_add(census.courteous) as f64);
    list.push("nfs/opens", Unit::Count, census.opens as f64);
    for volume in after.volumes.iter().take(VOLUMES_MAX) {
        let known = before.volumes.iter().find(|known| known.usage.id == volume.usage.id);
        list.volume(known, volume);
    }
    list.sampled
}

struct List {
    sampled: Vec<Sampled>,
    seconds: f64,
}

impl List {
    fn push(&mut self, name: impl Into<String>, unit: Unit, value: f64) {
        self.sampled.push(Sampled { name: name.into(), unit, value });
    }

    fn rate(&mut self, name: impl Into<String>, unit: Unit, before: u64, after: u64) {
        if self.seconds > 0.0 {
            // A counter that is lower than before has restarted.
            let increase = after.checked_sub(before).unwrap_or(after);
            self.push(name, unit, increase as f64 / self.seconds);
        }
    }

    fn traffic(&mut self, before: &Observation, after: &Observation) {
        let (before, after) = (Total::of(before, after), Total::of(after, after));
        for (way, before, after) in
            [("read", &before.0.read, &after.0.read), ("write", &before.0.written, &after.0.written)]
        {
            self.rate(format!("throughput/{way}"), Unit::BytesPerSecond, before.bytes, after.bytes);
            let (count_before, count_after) = (before.times.count(), after.times.count());
            self.rate(format!("iops/{way}"), Unit::OperationsPerSecond, count_before, count_after);
            self.latency(way, &before.times, &after.times);
        }
    }

    fn operations(&mut self, before: &Observation, after: &Observation) {
        let mut all = (0, 0);
        for operation in &after.nfs.operations {
            let known = of(&before.nfs.operations, operation.operation);
            let count = known.map_or(0, |known| known.count);
            all = (count.saturating_add(all.0), operation.count.saturating_add(all.1));
            let name = format!("operations/{}", operation_name(operation.operation));
            self.rate(name, Unit::OperationsPerSecond, count, operation.count);
            if operation.operation == Some(OpCode::Commit) {
                self.rate("iops/commit", Unit::OperationsPerSecond, count, operation.count);
                let times = known.map(|known| known.times.clone()).unwrap_or_default();
                self.latency("commit", &times, &operation.times);
            }
        }
        self.rate("iops/all", Unit::OperationsPerSecond, all.0, all.1);
    }

    /// Percentiles of the operations between two observations; no values if there were none.
    fn latency(&mut self, what: &str, before: &Distribution, after: &Distribution) {
        let times = after.since(before);
        if times.count() > 0 {
            self.push(format!("latency/{what}/p50"), Unit::Seconds, times.percentile(50).as_secs_f64());
            self.push(format!("latency/{what}/p99"), Unit::Seconds, times.percentile(99).as_secs_f64());
        }
    }

    fn pool(&mut self, before: &PoolCounters, after: &PoolCounters) {
        let physical = after.stored.bytes_live.saturating_add(after.stored.bytes_inline);
        self.push("capacity/logical", Unit::Bytes, after.space.bytes_logical as f64);
        self.push("capacity/physical", Unit::Bytes, physical as f64);
        self.push("capacity/free", Unit::Bytes, after.space.bytes_free as f64);
        self.push("capacity/total", Unit::Bytes, after.space.bytes_total as f64);
        self.push("pool/dirty", Unit::Bytes, after.dirty_bytes as f64);
        self.rate("pool/written", Unit::BytesPerSecond, before.bytes_written, after.bytes_written);
        self.rate("pool/appended", Unit::BytesPerSecond, before.bytes_appended, after.bytes_appended);
        self.rate("pool/deduplicated", Unit::BytesPerSecond, before.bytes_shared, after.bytes_shared);
    }

    fn volume(&mut self, before: Option<&VolumeSeen>, after: &VolumeSeen) {
        let nothing = VolumeTraffic::default();
        let traffic = before.map_or(&nothing, |before| &before.traffic);
        let name = |what: &str| format!("volume/{}/{what}", after.usage.name);
        let (read, written) = (traffic.read.bytes, traffic.written.bytes);
        self.rate(name("read"), Unit::BytesPerSecond, read, after.traffic.read.bytes);
        self.rate(name("write"), Unit::BytesPerSecond, written, after.traffic.written.bytes);
        self.push(name("logical"), Unit::Bytes, after.usage.bytes_logical as f64);
    }
}

/// The traffic of all volumes.
struct Total(VolumeTraffic);

impl Total {
    /// The total of the volumes that exist in both observations. A volume deleted in between takes its
    /// counters with it.
    fn of(observation: &Observation, both: &Observation) -> Total {
        let mut total = VolumeTraffic::default();
        for volume in &observation.volumes {
            if both.volumes.iter().any(|other| other.usage.id == volume.usage.id) {
                total.add(&volume.traffic);
            }
        }
        Total(total)
    }
}

fn of(operations: &[OperationStatistics], code: Option<OpCode>) -> Option<&OperationStatistics> {
    operations.iter().find(|operation| operation.operation == code)
}

#[cfg(test)]
mod tests {
    use forebay_nfs::statistics::Transfers;
    use forebay_pool::{Histogram, PoolCounters, VolumeId};

    use super::*;
    use crate::test_support::observation;

    const ELAPSED: Duration = Duration::from_secs(5);

    fn volume(name: &str, id: u32, bytes: u64, times: &[u64]) -> VolumeSeen {
        let histogram = Histogram::default();
        times.iter().for_each(|millis| histogram.record(Duration::from_millis(*millis)));
        let mut seen = VolumeSeen::default();
        (seen.usage.id, seen.usage.name) = (Some(VolumeId(id)), name.to_owned());
        seen.traffic.written = Transfers { bytes, times: histogram.distribution() };
        seen
    }

    async fn with_volumes(volumes: Vec<VolumeSeen>) -> Observation {
        Observation { volumes, ..observation().await }
    }

    fn value(sampled: &[Sampled], name: &str) -> Option<f64> {
        sampled.iter().find(|sample| sample.name == name).map(|sample| sample.value)
    }

    #[tokio::test]
    async fn rates_are_of_the_time_between_and_latency_of_what_took_place_in_it() {
        let before = with_volumes(vec![volume("kafka", 1, 1000, &[1])]).await;
        let after = with_volumes(vec![volume("kafka", 1, 6000, &[1, 50, 50])]).await;
        let sampled = between(&before, &after, ELAPSED);
        assert_eq!(value(&sampled, "throughput/write"), Some(1000.0));
        assert_eq!(value(&sampled, "volume/kafka/write"), Some(1000.0));
        assert_eq!(value(&sampled, "iops/write"), Some(0.4));
        assert!(value(&sampled, "latency/write/p50").unwrap() >= 0.05);
        assert_eq!(value(&sampled, "latency/read/p99"), None, "nothing was read");
    }

    #[tokio::test]
    async fn volumes_that_come_and_go_make_no_peak_and_no_fall() {
        let before = with_volumes(vec![volume("kafka", 1, 5000, &[]), volume("gone", 2, 9000, &[])]).await;
        // A new volume of the same name has its own counters.
        let after = with_volumes(vec![volume("kafka", 1, 6000, &[]), volume("gone", 3, 500, &[])]).await;
        let sampled = between(&before, &after, ELAPSED);
        assert_eq!(value(&sampled, "throughput/write"), Some(300.0));
        assert_eq!(value(&sampled, "volume/gone/write"), Some(100.0));
    }

    #[tokio::test]
    async fn a_count_that_began_anew_is_no_fall() {
        let pool = |written| Some(PoolCounters { bytes_written: written, ..PoolCounters::default() });
        let before = Observation { pool: pool(10_000), ..observation().await };
        let after = Observation { pool: pool(500), ..observation().await };
        assert_eq!(value(&between(&before, &after, ELAPSED), "pool/written"), Some(100.0));
    }

    #[tokio::test]
    async fn series_of_volumes_are_bounded() {
        let volumes: Vec<_> = (1..200).map(|id| volume(&format!("v{id}"), id, 0, &[])).collect();
        let seen = with_volumes(volumes).await;
        let sampled = between(&seen, &seen, ELAPSED);
        assert!(sampled.len() < super::super::store::SERIES_MAX - 80, "{}", sampled.len());
    }
}
