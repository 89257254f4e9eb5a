//! Topics that are written once and read afterwards, with all closed segments in the tier alone, or all in the log directories.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::own_cluster::{Testbed, figure};
use crate::cluster::{Assignment, RecordsPlan, TierReading};
use crate::progress::Tone;
use crate::report::{Recorder, number};

/// Time limit for closed segments to be copied and deleted locally.
const SETTLE_PATIENCE: Duration = Duration::from_secs(300);
const READ_PATIENCE: Duration = Duration::from_secs(120);

/// A topic to write.
#[derive(Debug, Clone)]
pub struct HistorySpec {
    /// Its name.
    pub topic: String,
    /// Whether closed segments go to the tier, and are deleted locally at once.
    pub tiered: bool,
    /// The brokers that have its partitions: from 1 to this one.
    pub brokers: u32,
    /// Replicas of each partition.
    pub factor: u32,
    /// Partitions for each broker.
    pub partitions_per_broker: u32,
    /// Bytes of each partition.
    pub partition_bytes: u64,
    /// Bytes of a record.
    pub record_bytes: u32,
    /// `segment.bytes`.
    pub segment_bytes: u64,
}

/// A topic that has been written.
#[derive(Debug, Clone)]
pub struct History {
    /// Its name.
    pub topic: String,
    /// For each partition, the offset behind the last record that counts. In a tiered topic these are the records that are in the tier and
    /// not in the log directories.
    pub until: BTreeMap<u32, u64>,
}

impl HistorySpec {
    /// Writes the topic. If it is tiered, waits until its closed segments are in the tier alone.
    pub fn write(&self, testbed: &Testbed, out: &Path, recorder: &Recorder) -> Result<History> {
        let partitions = self.partitions_per_broker * self.brokers;
        let tools = testbed.cluster.tools();
        let assignment = Assignment::even(&self.topic, partitions, self.factor, self.brokers, 0);
        tools.create_topic(&assignment, &self.settings())?;
        let records = self.records_per_partition() * u64::from(partitions);
        let acknowledged = out.join(format!("acknowledged-{}.bin", self.topic));
        let seed = self.topic.bytes().fold(0, |sum: u64, byte| sum * 31 + u64::from(byte)) >> 8;
        let plan = RecordsPlan {
            // A broker that is late lets a batch expire; with others behind it, they would then be refused as out of sequence.
            requests_in_flight: 1,
            ..RecordsPlan::new(&self.topic, records, self.record_bytes, seed, acknowledged)
        };
        let begun = Instant::now();
        let summary = tools.produce(&plan, recorder)?.wait()?;
        let written = figure(&summary, "acknowledged");
        ensure!(
            written as u64 == records,
            "{} of {records} records of topic {} were acknowledged",
            number(written),
            self.topic
        );
        std::fs::remove_file(&plan.acknowledged).context("remove the log of acknowledgements")?;
        let until = if self.tiered {
            self.settle(testbed, partitions)?
        } else {
            (0..partitions).map(|partition| (partition, self.records_per_partition())).collect()
        };
        recorder.event(
            Tone::Plain,
            format_args!("topic {} is written after {:.1} s", self.topic, begun.elapsed().as_secs_f64()),
        );
        Ok(History { topic: self.topic.clone(), until })
    }

    fn records_per_partition(&self) -> u64 {
        (self.partition_bytes / u64::from(self.record_bytes)).max(1)
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = vec![
            ("segment.bytes", self.segment_bytes.to_string()),
            ("retention.ms", "-1".to_owned()),
            ("file.delete.delay.ms", "1000".to_owned()),
            ("min.insync.replicas", "1".to_owned()),
        ];
        if self.tiered {
            settings.push(("remote.storage.enable", "true".to_owned()));
            settings.push(("local.retention.bytes", "1".to_owned()));
        }
        settings
    }

    /// Waits until no partition has more than its active segment in the log directories.
    fn settle(&self, testbed: &Testbed, partitions: u32) -> Result<BTreeMap<u32, u64>> {
        let watch = testbed.cluster.tools().watch_tiers(&[&self.topic], partitions, |_| {})?;
        let deadline = Instant::now() + SETTLE_PATIENCE;
        loop {
            let reading = watch.read(READ_PATIENCE)?;
            if let Some(until) = self.settled(&reading, partitions) {
                return Ok(until);
            }
            ensure!(
                Instant::now() < deadline,
                "after {} s, {} of {} offsets of topic {} are in the tier, and {} are not in the log directories any more",
                SETTLE_PATIENCE.as_secs(),
                reading.tiered,
                reading.end,
                self.topic,
                reading.local
            );
        }
    }

    /// The ends of the partitions in the tier, if each has all but its active segment there, and nothing else locally.
    fn settled(&self, reading: &TierReading, partitions: u32) -> Option<BTreeMap<u32, u64>> {
        let records_per_segment = self.segment_bytes / u64::from(self.record_bytes);
        let next = |partition| reading.next.get(&format!("{}-{partition}", self.topic)).copied();
        let until: BTreeMap<u32, u64> =
            (0..partitions).filter_map(|partition| Some((partition, next(partition)?))).collect();
        let is_copied =
            |tiered: &u64| self.records_per_partition().saturating_sub(*tiered) <= records_per_segment;
        let all = until.len() == partitions as usize && until.values().all(is_copied);
        (all && reading.local == reading.tiered).then_some(until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> HistorySpec {
        HistorySpec {
            topic: "h".into(),
            tiered: true,
            brokers: 1,
            factor: 1,
            partitions_per_broker: 2,
            partition_bytes: 1000,
            record_bytes: 10,
            segment_bytes: 300,
        }
    }

    fn reading(next: [u64; 2], local: u64) -> TierReading {
        let next = BTreeMap::from([("h-0".to_owned(), next[0]), ("h-1".to_owned(), next[1])]);
        TierReading { tiered: next.values().sum(), local, end: 200, next, ..TierReading::default() }
    }

    #[test]
    fn a_topic_is_settled_when_only_active_segments_are_local() {
        let until = spec().settled(&reading([90, 71], 161), 2).unwrap();
        assert_eq!(until, BTreeMap::from([(0, 90), (1, 71)]));
        assert_eq!(spec().settled(&reading([90, 71], 100), 2), None, "closed segments are still local");
        assert_eq!(spec().settled(&reading([90, 69], 159), 2), None, "a closed segment is not copied");
    }

    #[test]
    fn only_a_tiered_topic_has_remote_storage() {
        let has = |spec: HistorySpec| spec.settings().iter().any(|(key, _)| *key == "remote.storage.enable");
        assert!(has(spec()));
        assert!(!has(HistorySpec { tiered: false, ..spec() }));
    }
}
