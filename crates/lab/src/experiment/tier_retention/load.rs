//! The two topics, their producers, and the changes of leaders.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::Sizes;
use super::inspection::Inspector;
use super::kept::Kept;
use crate::cluster::{Assignment, Production, RecordsPlan, TierWatch};
use crate::host::Environment;
use crate::progress::Tone;
use crate::report::{Recorder, number};
use crate::request::KafkaVersion;
use crate::testbed::{Testbed, describe_verification, figure};

/// The topic whose retention is by size.
const BY_SIZE: &str = "size";
/// The topic whose retention is by time.
const BY_TIME: &str = "time";
const FACTOR: u32 = 2;
/// Bytes that Kafka adds to a record that is alone in its batch, at most.
const OVERHEAD_BYTES: u64 = 120;
/// Records of each partition that are not acknowledged, at most, on average.
const UNACKNOWLEDGED_PER_PARTITION: u32 = 3;
const PRODUCE_PATIENCE: Duration = Duration::from_secs(1800);
const VERIFY_PATIENCE_SECONDS: u32 = 120;
const READ_PATIENCE: Duration = Duration::from_secs(120);
/// Segments that may wait for their copy or their delete: with more, producers are stopped until there are fewer.
const WAITING_MAX: u64 = 200;
const WAITING_MIN: u64 = 100;

/// The load.
pub struct Load<'a> {
    pub sizes: &'a Sizes,
    pub kafka: KafkaVersion,
    pub environment: &'a Environment,
    pub recorder: &'a Recorder,
}

impl Load<'_> {
    /// Writes both topics, and inspects the tier from time to time. Returns what was written.
    pub fn run(&self, testbed: &Testbed, inspector: &mut Inspector<'_>) -> Result<Vec<RecordsPlan>> {
        let plans: Vec<RecordsPlan> = [BY_SIZE, BY_TIME].iter().map(|topic| self.plan(topic)).collect();
        let mut assignments = self.create_topics(testbed)?;
        let kept = Arc::new(Mutex::new(self.kept()));
        let watch = self.watch(testbed, &kept)?;
        self.recorder.stage("segments are written and deleted");
        let productions: Vec<Production> = plans
            .iter()
            .map(|plan| testbed.cluster.tools().produce(plan, self.recorder))
            .collect::<Result<_>>()?;
        let (mut changes, mut lost) = (0, Vec::new());
        for check in 1..=self.sizes.checks {
            // Leaders change between two checks.
            self.wait_for_share(&productions, &watch, inspector, 2 * check - 1)?;
            self.recorder.event(Tone::Plain, "every partition gets another leader");
            testbed.change_leaders(&mut assignments)?;
            changes += 1;
            self.wait_for_share(&productions, &watch, inspector, 2 * check)?;
            productions.iter().try_for_each(Production::pause)?;
            let inspected = inspector.inspect(check).and_then(|()| watch.read(READ_PATIENCE));
            productions.iter().try_for_each(Production::resume)?;
            lost.extend(inspected?.lost);
        }
        self.recorder.figure("leader_changes", "Changes of all leaders", f64::from(changes), "");
        self.wait_for_share(&productions, &watch, inspector, 2 * self.sizes.checks + 1)?;
        for (production, plan) in productions.into_iter().zip(&plans) {
            self.conclude_production(production, plan)?;
        }
        inspector.inspect(self.sizes.checks + 1)?;
        lost.extend(watch.read(READ_PATIENCE)?.lost);
        inspector.check_deleted();
        self.check_kept(&kept);
        self.check_lost(&lost, inspector.gaps());
        Ok(plans)
    }

    fn plan(&self, topic: &str) -> RecordsPlan {
        let acknowledged = self.environment.out().join(format!("acknowledged-{topic}.bin"));
        let seed = if topic == BY_SIZE { 1 } else { 2 };
        RecordsPlan {
            rate: Some(self.sizes.records_per_second),
            // A batch must fit into a segment.
            batch_bytes: self.sizes.record_bytes,
            // Brokers that are slow take fewer records. Otherwise records would wait for longer than the producer's time limit, and after
            // that time a producer may write a record twice.
            buffer_bytes: self.sizes.record_bytes * self.sizes.partitions * UNACKNOWLEDGED_PER_PARTITION,
            // With more, a broker that does not know a new topic yet can refuse the first batch and take the second as the first. It then
            // never takes the first.
            requests_in_flight: 1,
            retention: true,
            ..RecordsPlan::new(topic, self.sizes.records(), self.sizes.record_bytes, seed, acknowledged)
        }
    }

    fn create_topics(&self, testbed: &Testbed) -> Result<Vec<Assignment>> {
        let segment_bytes = self.kafka.segment_setting(self.sizes.segment_bytes);
        let brokers = u32::try_from(testbed.nodes.len())?;
        let common = [
            ("remote.storage.enable", "true".to_owned()),
            (segment_bytes, self.sizes.segment_bytes.to_string()),
            ("segment.index.bytes", (64 << 10).to_string()),
            ("file.delete.delay.ms", "1000".to_owned()),
            ("min.insync.replicas", "1".to_owned()),
            ("message.timestamp.type", "LogAppendTime".to_owned()),
        ];
        let of_size = [
            ("retention.ms", "-1".to_owned()),
            ("retention.bytes", self.sizes.retention_bytes.to_string()),
            ("local.retention.bytes", "1".to_owned()),
        ];
        let of_time = [
            ("retention.ms", self.sizes.retention.as_millis().to_string()),
            ("retention.bytes", "-1".to_owned()),
            ("local.retention.ms", "1000".to_owned()),
        ];
        let mut assignments = Vec::new();
        for (topic, own) in [(BY_SIZE, &of_size), (BY_TIME, &of_time)] {
            let assignment = Assignment::even(topic, self.sizes.partitions, FACTOR, brokers, 0);
            testbed.cluster.tools().create_topic(&assignment, &[&common[..], &own[..]].concat())?;
            for (key, value) in own {
                self.recorder.setting(&format!("topic {topic} {key}"), value.clone());
            }
            assignments.push(assignment);
        }
        let topics = format!("{} partitions each, factor {FACTOR}, acks all", self.sizes.partitions);
        self.recorder.setting("topics", topics);
        self.recorder.setting("bytes of a segment", self.sizes.segment_bytes);
        self.recorder.setting("record size, bytes", self.sizes.record_bytes);
        Ok(assignments)
    }

    fn kept(&self) -> Kept {
        // Kafka deletes a segment only if as many bytes are left without it. While a segment is copied, it can count as local and as tiered. A
        // new leader counts twice what the one before copied last, until its own task for copies has asked where the tier ends.
        let counted_twice = 2 * u64::from(self.sizes.records_per_segment);
        let records = self.sizes.retention_bytes / (u64::from(self.sizes.record_bytes) + OVERHEAD_BYTES);
        Kept::new(BY_SIZE, records.saturating_sub(counted_twice), BY_TIME, self.sizes.retention)
    }

    fn watch(&self, testbed: &Testbed, kept: &Arc<Mutex<Kept>>) -> Result<TierWatch> {
        let (recorder, kept) = (self.recorder.clone(), Arc::clone(kept));
        testbed.cluster.tools().watch_tiers(&[BY_SIZE, BY_TIME], self.sizes.partitions, move |reading| {
            let sum =
                |offsets: &std::collections::BTreeMap<String, u64>| offsets.values().sum::<u64>() as f64;
            recorder.point_in("records", "Records written", "", sum(&reading.ends));
            recorder.point_in("records", "Records deleted", "", sum(&reading.starts));
            kept.lock().unwrap_or_else(PoisonError::into_inner).take(Instant::now(), reading);
        })
    }

    /// Waits until a share of the records is acknowledged. A run has twice as many shares as checks, and one more. Producers are stopped
    /// while too many segments wait for their copy or their delete, so that Kafka decides how fast the load is.
    fn wait_for_share(
        &self,
        productions: &[Production],
        watch: &TierWatch,
        inspector: &mut Inspector<'_>,
        share: u32,
    ) -> Result<()> {
        let wanted = self.sizes.records() * u64::from(share) / u64::from(2 * self.sizes.checks + 1);
        let deadline = Instant::now() + PRODUCE_PATIENCE;
        let mut are_paused = false;
        while productions.iter().any(|each| each.acknowledged() < wanted && !each.has_ended()) {
            ensure!(
                Instant::now() < deadline,
                "{wanted} records were not acknowledged within {} s",
                PRODUCE_PATIENCE.as_secs()
            );
            inspector.look()?;
            let reading = watch.read(READ_PATIENCE)?;
            let written = reading.end / u64::from(self.sizes.records_per_segment);
            let waiting = inspector.uncopied(written).max(inspector.undeleted());
            if !are_paused && waiting > WAITING_MAX {
                productions.iter().try_for_each(Production::pause)?;
                are_paused = true;
            } else if are_paused && waiting < WAITING_MIN {
                productions.iter().try_for_each(Production::resume)?;
                are_paused = false;
            }
        }
        if are_paused {
            productions.iter().try_for_each(Production::resume)?;
        }
        Ok(())
    }

    fn conclude_production(&self, production: Production, plan: &RecordsPlan) -> Result<()> {
        let summary = production.wait()?;
        let acknowledged = figure(&summary, "acknowledged");
        let title = format!("Every record of topic {} is acknowledged", plan.topic);
        let detail = format!("{} of {}", number(acknowledged), number(plan.records as f64));
        let all = acknowledged as u64 == plan.records;
        self.recorder.check(&format!("acknowledged_{}", plan.topic), &title, all, detail);
        Ok(())
    }

    fn check_kept(&self, kept: &Mutex<Kept>) {
        let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let detail = match kept.problems() {
            [] => format!(
                "at least {} records in each partition with retention by size, and all of the last {} s in the others",
                kept.fewest().unwrap_or(0),
                self.sizes.retention.as_secs()
            ),
            problems => problems.join("; "),
        };
        let is_good = kept.problems().is_empty() && kept.fewest().is_some();
        self.recorder.check("kept", "Retention deletes nothing that it must keep", is_good, detail);
    }

    /// While leaders change, the new one can answer with the end of the tier that it knew before. So a reading counts only while nothing
    /// changes; at other times, what is deleted before it is copied leaves a gap.
    fn check_lost(&self, lost: &[String], gaps: u64) {
        let detail = match (lost.first(), gaps) {
            (Some(first), _) => first.clone(),
            (None, 0) => "at no check, and the offsets of copied segments have no gap".to_owned(),
            (None, gaps) => format!("{gaps} gaps between copied segments; see records-segments.log"),
        };
        let title = "Nothing local is deleted before it is in the tier";
        self.recorder.check("lost", title, lost.is_empty() && gaps == 0, detail);
    }

    /// Reads back what retention has kept. Returns the number of records.
    pub fn read_back(&self, testbed: &Testbed, plan: &RecordsPlan) -> Result<u64> {
        let summary = testbed.cluster.tools().verify(plan, VERIFY_PATIENCE_SECONDS, self.recorder)?;
        let (passed, detail) = describe_verification(&summary);
        let verified = figure(&summary, "verified");
        let title =
            format!("Every record of topic {} that retention kept is read back unchanged", plan.topic);
        let detail = format!("{detail}, {} deleted by retention", number(figure(&summary, "deleted")));
        self.recorder.check(
            &format!("records_{}", plan.topic),
            &title,
            passed && (verified > 0.0 || plan.topic == BY_TIME),
            detail,
        );
        std::fs::remove_file(&plan.acknowledged).context("remove the log of acknowledgements")?;
        Ok(verified as u64)
    }

    /// Deletes all records.
    pub fn delete_all(&self, testbed: &Testbed, plans: &[RecordsPlan]) -> Result<()> {
        let partitions = self.sizes.partitions;
        plans
            .iter()
            .try_for_each(|plan| testbed.cluster.tools().delete_records(&plan.topic, partitions, None))
    }
}
