//! One round: two topics, a fault while they are written and copied, and everything read back from the tier.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::Sizes;
use super::errors;
use super::faults::{Places, Strike, times};
use crate::cluster::{Assignment, Metrics, Payload, Production, RecordsPlan, TierWatch};
use crate::host::Environment;
use crate::progress::Tone;
use crate::report::{Recorder, number};
use crate::request::Fault;
use crate::testbed::{LocalSegments, Testbed, Tier, describe_verification, figure};

const FACTOR: u32 = 2;
/// How many times fewer records per second are written if faults happen meanwhile.
const SLOWER_WITH_FAULTS: u32 = 4;
/// How soon copying must go on after a fault.
const RESUME_MAX: Duration = Duration::from_secs(60);
/// How soon everything must be in the tier after the last record, or the last fault.
const SETTLE_MAX: Duration = Duration::from_secs(60);
/// Time limits for what has no limit in the checks.
const RESUME_PATIENCE: Duration = Duration::from_secs(240);
const SETTLE_PATIENCE: Duration = Duration::from_secs(240);
const READ_PATIENCE: Duration = Duration::from_secs(120);
const PRODUCE_PATIENCE: Duration = Duration::from_secs(300);
const LOOK_INTERVAL: Duration = Duration::from_secs(2);
const VERIFY_PATIENCE_SECONDS: u32 = 120;

/// A round.
pub struct Round<'a> {
    pub number: u32,
    pub fault: Fault,
    pub sizes: &'a Sizes,
    pub tier: &'a Tier,
    pub environment: &'a Environment,
    pub recorder: &'a Recorder,
}

/// The results of all rounds.
#[derive(Debug, Default)]
pub struct Sums {
    pub rounds: u32,
    /// Records that were read back.
    pub records: u64,
    counters: Metrics,
}

impl Sums {
    /// Adds counters that brokers have since they started.
    pub fn add(&mut self, counters: &Metrics) {
        for (name, value) in counters {
            *self.counters.entry(name.clone()).or_default() += value;
        }
    }

    /// A counter.
    pub fn counter(&self, name: &str) -> f64 {
        self.counters.get(name).copied().unwrap_or(0.0)
    }

    /// Segments that were uploaded, whatever the cause.
    pub fn uploads(&self) -> f64 {
        let causes = self.counters.iter().filter(|(name, _)| name.starts_with("Uploads"));
        causes.fold(0.0, |sum, (_, value)| sum + value)
    }
}

impl Round<'_> {
    /// Runs it. What it finds is in the record.
    pub fn run(&self, testbed: &mut Testbed, sums: &mut Sums) -> Result<()> {
        let title = format!("round {}, {}", self.number, self.fault);
        self.recorder.stage(&format!("{title}: records written"));
        let plans = self.plans();
        let mut places = self.create_topics(testbed, &plans)?;
        let topics: Vec<&str> = plans.iter().map(|plan| plan.topic.as_str()).collect();
        let recorder = self.recorder.clone();
        let watch = testbed.cluster.tools().watch_tiers(&topics, self.sizes.partitions, move |reading| {
            recorder.point_in("tier", "Offsets written", "", reading.end as f64);
            recorder.point_in("tier", "Offsets in the tier", "", reading.tiered as f64);
            recorder.point_in("tier", "Offsets deleted locally", "", reading.local as f64);
        })?;
        let productions: Vec<Production> = plans
            .iter()
            .map(|plan| testbed.cluster.tools().produce(plan, self.recorder))
            .collect::<Result<_>>()?;
        self.strike(testbed, &mut places, &productions, &watch)?;
        for (production, plan) in productions.into_iter().zip(&plans) {
            self.conclude_production(production, plan)?;
        }
        self.recorder.stage(&format!("{title}: only active segments are local"));
        self.settle(testbed, &watch, &topics)?;
        let lost = watch.lost();
        let detail = lost.first().cloned().unwrap_or_else(|| "at no reading".to_owned());
        self.check("lost", "Nothing local is deleted before it is in the tier", lost.is_empty(), detail);
        drop(watch);
        self.recorder.stage(&format!("{title}: records read back from the tier"));
        testbed.drop_caches()?;
        for plan in &plans {
            sums.records += self.read_back(testbed, plan)?;
        }
        sums.rounds += 1;
        Ok(())
    }

    /// A check of this round.
    fn check(&self, name: &str, title: &str, passed: bool, detail: impl std::fmt::Display) {
        let (number, fault) = (self.number, self.fault);
        self.recorder.check(
            &format!("{name}_{number}"),
            &format!("Round {number} ({fault}): {title}"),
            passed,
            detail,
        );
    }

    /// Faults need time.
    fn rate(&self) -> u32 {
        if self.fault == Fault::None { self.sizes.rate } else { self.sizes.rate / SLOWER_WITH_FAULTS }
    }

    /// A replica that is built anew from the tier forgets the transactions that were open at its first offset: Kafka deletes the snapshot of
    /// producers that it has just fetched (apache/kafka, pull request 14652). If such a transaction is aborted, and the replica becomes the
    /// leader and copies the segment with the marker, its records are read as if they were committed. That happens to new replicas, and to
    /// those of a broker that was away while the leader tiered the offsets that it lacks.
    fn may_abort(&self) -> bool {
        !matches!(self.fault, Fault::Reassign | Fault::BrokerKill)
    }

    fn plans(&self) -> Vec<RecordsPlan> {
        let plan = |kind: &str| {
            let topic = format!("{kind}-{}", self.number);
            let acknowledged = self.environment.out().join(format!("acknowledged-{topic}.bin"));
            let seed = u64::from(self.number);
            RecordsPlan {
                rate: Some(self.rate()),
                envelope: true,
                // Small, so that a segment has several batches.
                batch_bytes: 64 << 10,
                ..RecordsPlan::new(&topic, self.sizes.records, self.sizes.record_bytes, seed, acknowledged)
            }
        };
        let mut transactions = RecordsPlan {
            transaction: Some(self.sizes.records_per_transaction),
            compression: Some("gzip"),
            payload: Payload::Pool,
            ..plan("transactions")
        };
        if !self.may_abort() {
            transactions.abort_every = 0;
        }
        vec![plan("plain"), transactions]
    }

    fn create_topics(&self, testbed: &Testbed, plans: &[RecordsPlan]) -> Result<Places> {
        let brokers = u32::try_from(testbed.nodes.len())?;
        let mut assignments = Vec::new();
        for plan in plans {
            let assignment = Assignment::even(&plan.topic, self.sizes.partitions, FACTOR, brokers, 0);
            let settings = [
                ("remote.storage.enable", "true".to_owned()),
                ("segment.bytes", self.sizes.segment_bytes.to_string()),
                ("retention.ms", "-1".to_owned()),
                // By size, because the records' timestamps are in the future.
                ("local.retention.bytes", "1".to_owned()),
                ("message.timestamp.after.max.ms", i64::MAX.to_string()),
                ("file.delete.delay.ms", "1000".to_owned()),
                ("min.insync.replicas", "1".to_owned()),
            ];
            testbed.cluster.tools().create_topic(&assignment, &settings)?;
            assignments.push(assignment);
        }
        Ok(Places { assignments })
    }

    /// Lets the fault happen while records are written, and measures when copying goes on.
    fn strike(
        &self,
        testbed: &mut Testbed,
        places: &mut Places,
        productions: &[Production],
        watch: &TierWatch,
    ) -> Result<()> {
        if self.fault == Fault::None {
            return Ok(());
        }
        let mut slowest = Duration::ZERO;
        let mut struck = 0;
        let times = times(self.fault);
        for number in 0..times {
            let share = self.sizes.records * u64::from(2 * number + 1) / u64::from(2 * times);
            if !self.wait_for_share(productions, share)? {
                break;
            }
            Strike {
                fault: self.fault,
                number,
                tier: self.tier,
                watch: Some(watch),
                recorder: self.recorder,
            }
            .run(testbed, places)?;
            struck += 1;
            slowest = slowest.max(self.wait_until_copying(watch, productions)?);
        }
        let detail = format!("{struck} of {times}");
        self.check("faults", "The fault happened while records were written", struck == times, detail);
        if self.fault == Fault::Errors {
            let thrown = errors::count(testbed);
            let title = "Each Error was thrown in each call of the plugin";
            self.check("thrown", title, thrown.is_complete(), thrown);
        }
        let detail = format!("after {:.1} s at most", slowest.as_secs_f64());
        self.check("resumed", "Copying continues within 60 s of the fault", slowest <= RESUME_MAX, detail);
        self.recorder.figure(
            &format!("resume_s_{}_{}", self.fault.name().replace('-', "_"), self.number),
            &format!("Round {} ({}): until copying continued", self.number, self.fault),
            slowest.as_secs_f64(),
            "s",
        );
        Ok(())
    }

    /// How long it takes from now until another segment is in the tier, or until there will be no other.
    fn wait_until_copying(&self, watch: &TierWatch, productions: &[Production]) -> Result<Duration> {
        let begun = Instant::now();
        let before = watch.read(READ_PATIENCE)?;
        while watch.wait(LOOK_INTERVAL, |reading| reading.tiered > before.tiered)?.is_none() {
            // What is closed by then must be in the tier when the log directories are looked at.
            if productions.iter().all(Production::has_ended) {
                break;
            }
            if begun.elapsed() > RESUME_PATIENCE {
                bail!(
                    "no segment was copied for {} s after {} had ended",
                    RESUME_PATIENCE.as_secs(),
                    self.fault
                );
            }
        }
        Ok(begun.elapsed())
    }

    /// Waits until so many records of the first topic are acknowledged; false if the producer ended before.
    fn wait_for_share(&self, productions: &[Production], share: u64) -> Result<bool> {
        let production = productions.first().context("nothing is produced")?;
        let deadline = Instant::now() + PRODUCE_PATIENCE;
        while production.acknowledged() < share {
            if production.has_ended() {
                return Ok(false);
            }
            if Instant::now() > deadline {
                bail!("{share} records were not acknowledged within {} s", PRODUCE_PATIENCE.as_secs());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(true)
    }

    fn conclude_production(&self, production: Production, plan: &RecordsPlan) -> Result<()> {
        let summary = production.wait()?;
        let acknowledged = figure(&summary, "acknowledged");
        let failure = summary.get("first_failure").and_then(|text| text.as_str());
        let failure = failure.map(|text| format!(" (first failure: {text})")).unwrap_or_default();
        let detail = format!("{} of {}{failure}", number(acknowledged), number(plan.records as f64));
        let name = format!("acknowledged_{}", kind_of(plan));
        let all = acknowledged as u64 == plan.records;
        self.check(&name, &format!("every record of {} is acknowledged", plan.topic), all, detail);
        Ok(())
    }

    /// Waits until every log directory has nothing but the active segments.
    fn settle(&self, testbed: &Testbed, watch: &TierWatch, topics: &[&str]) -> Result<()> {
        let begun = Instant::now();
        let title = "Only active segments are left in the log directories";
        loop {
            let reading = watch.read(READ_PATIENCE)?;
            let local = LocalSegments::list(testbed, topics)?;
            let more = local.first_with_more(&reading);
            let took = begun.elapsed();
            let Some(more) = more else {
                let share = reading.tiered as f64 * 100.0 / reading.end.max(1) as f64;
                let detail = format!(
                    "{} segments of {} replicas after {:.1} s; {share:.0} % of the offsets are in the tier alone",
                    local.count(),
                    local.replicas(),
                    took.as_secs_f64()
                );
                self.recorder.event(Tone::Good, &detail);
                let passed = took <= SETTLE_MAX && reading.tiered > 0;
                self.check("settled", title, passed, detail);
                return Ok(());
            };
            self.recorder.detail(&more);
            if took > SETTLE_PATIENCE {
                self.check("settled", title, false, format_args!("after {} s {more}", took.as_secs()));
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    }

    fn read_back(&self, testbed: &Testbed, plan: &RecordsPlan) -> Result<u64> {
        let summary = testbed.cluster.tools().verify(plan, VERIFY_PATIENCE_SECONDS, self.recorder)?;
        let (passed, detail) = describe_verification(&summary);
        let lookups = figure(&summary, "lookups");
        let title = format!(
            "every acknowledged record of {} is read back once, unchanged, and found by its time",
            plan.topic
        );
        let name = format!("records_{}", kind_of(plan));
        self.check(&name, &title, passed && lookups > 0.0, format_args!("{detail}, {lookups} lookups"));
        std::fs::remove_file(&plan.acknowledged).context("remove the log of acknowledgements")?;
        Ok(figure(&summary, "verified") as u64)
    }
}

/// The kind of a plan's topic, for names of checks.
fn kind_of(plan: &RecordsPlan) -> &'static str {
    if plan.transaction.is_some() { "transactions" } else { "plain" }
}
