//! `tier-replacement`: does the replacement of a broker whose history is in the tier take longer, or move more bytes, the longer the history?
//!
//! First there are only tiered topics, and a broker is replaced at three sizes of their history. Then as much is written to topics that are
//! not tiered, and the broker is replaced again: with local disks, the new machine copies these from the other brokers.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::definition::Experiment;
use crate::cluster::{Assignment, RecordsPlan, Settings, SyncWatch};
use crate::host::Environment;
use crate::progress::Tone;
use crate::report::{Axis, Better, CurveSpec, Recorder, Subject, number};
use crate::request::{Profile, Request, StorageKind};
use crate::testbed::{
    Ended, LocalSegments, Replacement, Tally, Testbed, TestbedSpec, Tier, Title, describe_verification,
    figure,
};

/// The experiment.
pub struct TierReplacement;

const BROKERS: u32 = 3;
const FACTOR: u32 = 3;
const PARTITIONS: u32 = 6;
const RECORD_BYTES: u32 = 4096;
/// The broker that is replaced.
const REPLACED: u32 = 1;
const REPETITIONS: u32 = 2;
/// The largest ratio of the times, and of the bytes, at the largest and the smallest history that counts as not growing.
const GROWTH_MAX: f64 = 1.5;
/// The part of the untiered history that a broker with a new disk must have copied, or nothing was measured.
const COPIED_MIN: f64 = 0.9;
/// A counter of Kafka: the bytes that a broker got from others as a follower.
const REPLICATED: &str = "kafka.server:type=BrokerTopicMetrics,name=ReplicationBytesInPerSec";
const SETTLE_PATIENCE: Duration = Duration::from_secs(600);
const READ_PATIENCE: Duration = Duration::from_secs(120);
const VERIFY_PATIENCE_SECONDS: u32 = 120;
const DRAWING_S: &str = "tier_replacement_s_by_size";
const DRAWING_MB: &str = "tier_replacement_mb_by_size";

/// Whether the history is in the tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum History {
    Tiered,
    Untiered,
}

impl History {
    fn name(self) -> &'static str {
        match self {
            Self::Tiered => "tiered",
            Self::Untiered => "untiered",
        }
    }
}

struct Sizes {
    /// Records of the history, rising.
    records: [u64; 3],
    segment_bytes: u64,
    guest_memory_mib: u32,
    patience: Duration,
}

impl Sizes {
    fn of(profile: Profile) -> Self {
        match profile {
            Profile::Laptop => Self {
                records: [8_000, 32_000, 128_000],
                segment_bytes: 1 << 20,
                guest_memory_mib: 1100,
                patience: Duration::from_secs(15 * 60),
            },
            Profile::Full => Self {
                records: [500_000, 5_000_000, 50_000_000],
                segment_bytes: 64 << 20,
                guest_memory_mib: 4096,
                patience: Duration::from_secs(3 * 3600),
            },
        }
    }
}

/// The history in MB.
fn megabytes(records: u64) -> u64 {
    records.saturating_mul(u64::from(RECORD_BYTES)) / 1_000_000
}

/// The name of a figure at a size, without its unit.
fn name(history: History, unit: &str, records: u64) -> String {
    format!("{}_{unit}_at_{}", history.name(), megabytes(records))
}

impl Experiment for TierReplacement {
    fn name(&self) -> &'static str {
        "tier-replacement"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "A broker whose history is in the tier is replaced",
            question: "A broker's machine is replaced. Do the time until all replicas are in sync and the bytes that the new one gets from \
                       other brokers grow with the history of tiered topics?",
            method: "Three brokers hold three replicas of everything. Topics are written until their history has the wanted size, and \
                     everything but the active segments is in the tier and gone locally. Then a broker is stopped, and another machine starts \
                     a broker with the same id. With a local disk it starts with an empty one; on shared storage it mounts the same log \
                     directory. The result is the time from the end of the first broker's process until all replicas are in sync, and the bytes \
                     that the new broker fetched as a follower. The same is repeated with as much data in topics that are not tiered. At the \
                     end every record is read back and compared.",
        }
    }

    fn takes_tiers(&self) -> bool {
        true
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        matches!(kind, StorageKind::Forebay | StorageKind::Local)
    }

    fn default_storages(&self) -> &'static [StorageKind] {
        &[StorageKind::Local]
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let sizes = Sizes::of(request.profile);
        let (tier, storage) = Tier::start(environment, request, recorder)?;
        recorder.setting("tier", tier.kind().name());
        let spec = TestbedSpec::new(BROKERS, sizes.guest_memory_mib, settings(&tier, &sizes));
        let testbed = Testbed::start_on(environment, request, storage, None, &spec, recorder)?;
        let is_local = testbed.storage.kind() == StorageKind::Local;
        let sync = testbed.cluster.tools().watch_sync(|_| {})?;
        let repetitions = request.repetitions.unwrap_or(REPETITIONS);
        recorder.setting("repetitions", repetitions);
        recorder.setting("topics", format!("{PARTITIONS} partitions, factor {FACTOR}, acks all"));
        let mut work = Work {
            sizes: &sizes,
            environment,
            recorder,
            testbed,
            sync,
            plans: Vec::new(),
            replacements: 0,
            tally: Tally::default(),
        };
        for history in [History::Tiered, History::Untiered] {
            let mut written = 0;
            for records in sizes.records {
                work.write(history, records - written)?;
                written = records;
                for _ in 0..repetitions {
                    work.replace(history, records)?;
                }
            }
        }
        work.read_back()?;
        Ok(conclude(&work.tally, &sizes, is_local, recorder))
    }
}

fn settings(tier: &Tier, sizes: &Sizes) -> Settings {
    let more = [
        ("num.replica.fetchers", "2"),
        ("offsets.topic.num.partitions", "3"),
        // Guests that share two processors with others may be very late.
        ("replica.lag.time.max.ms", "300000"),
        // A broker cannot register before the cluster considers the old one with its id failed.
        ("broker.session.timeout.ms", "4000"),
        ("broker.heartbeat.interval.ms", "1000"),
    ];
    let more = more.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    Settings {
        heap_mib: 512,
        segment_bytes: sizes.segment_bytes,
        delete_delay_ms: 1_000,
        more: BTreeMap::from_iter(tier.settings().into_iter().chain(more)),
        metrics: true,
    }
}

struct Work<'a> {
    sizes: &'a Sizes,
    environment: &'a Environment,
    recorder: &'a Recorder,
    testbed: Testbed,
    sync: SyncWatch,
    plans: Vec<RecordsPlan>,
    replacements: u32,
    tally: Tally,
}

impl Work<'_> {
    /// Writes more of a history, to a new topic. Waits until a tiered one is in the tier alone.
    fn write(&mut self, history: History, records: u64) -> Result<()> {
        let index = self.plans.len() + 1;
        let topic = format!("{}-{index}", history.name());
        self.recorder.stage(&format!("{} MB more of {} history", megabytes(records), history.name()));
        let tools = self.testbed.cluster.tools();
        let acknowledged = self.environment.out().join(format!("acknowledged-{topic}.bin"));
        let plan = RecordsPlan::new(&topic, records, RECORD_BYTES, index as u64, acknowledged);
        let tiered = [
            ("remote.storage.enable", "true".to_owned()),
            ("retention.ms", "-1".to_owned()),
            ("local.retention.bytes", "1".to_owned()),
            ("file.delete.delay.ms", "1000".to_owned()),
        ];
        let of_topic: &[_] = if history == History::Tiered { &tiered } else { &[] };
        tools.create_topic(&Assignment::even(&topic, PARTITIONS, FACTOR, BROKERS, 0), of_topic)?;
        let summary = tools.produce(&plan, self.recorder)?.wait()?;
        let acknowledged = figure(&summary, "acknowledged");
        let detail = format!("{} of {}", number(acknowledged), number(records as f64));
        let title = format!("Every record of {topic} is acknowledged");
        self.recorder.check(&format!("acknowledged_{index}"), &title, acknowledged as u64 == records, detail);
        self.plans.push(plan);
        if history == History::Tiered { self.settle(&topic) } else { Ok(()) }
    }

    /// Waits until the log directories have nothing but the active segments of a topic.
    fn settle(&self, topic: &str) -> Result<()> {
        let watch = self.testbed.cluster.tools().watch_tiers(&[topic], PARTITIONS, |_| {})?;
        let begun = Instant::now();
        loop {
            let reading = watch.read(READ_PATIENCE)?;
            let Some(more) = LocalSegments::list(&self.testbed, &[topic])?.first_with_more(&reading) else {
                let share = reading.tiered as f64 * 100.0 / reading.end.max(1) as f64;
                let words = format!("{share:.0} % of the offsets of {topic} are in the tier alone");
                self.recorder.event(Tone::Good, words);
                return Ok(());
            };
            ensure!(
                begun.elapsed() < SETTLE_PATIENCE,
                "{topic} is not in the tier after {} s: {more}",
                SETTLE_PATIENCE.as_secs()
            );
            self.recorder.detail(&more);
            std::thread::sleep(Duration::from_millis(500));
        }
    }

    /// Replaces the broker.
    fn replace(&mut self, history: History, records: u64) -> Result<()> {
        self.replacements += 1;
        self.recorder.stage(&format!(
            "replacement {} with {} MB of {} history",
            self.replacements,
            megabytes(records),
            history.name()
        ));
        let replacement = Replacement {
            environment: self.environment,
            guest_memory_mib: self.sizes.guest_memory_mib,
            patience: self.sizes.patience,
            recorder: self.recorder,
        };
        let standby = format!("standby{}", self.replacements);
        let took = replacement.run(&mut self.testbed, &self.sync, REPLACED, &standby)?.as_secs_f64();
        let bytes = self.replicated()?;
        self.recorder.event(Tone::Plain, format_args!("it got {:.1} MB from other brokers", bytes / 1e6));
        let storage = self.testbed.storage.kind().name();
        self.tally.add(&name(history, "s", records), &storage, took);
        self.tally.add(&name(history, "mb", records), &storage, bytes / 1e6);
        Ok(())
    }

    /// The bytes that the broker has fetched as a follower since it started.
    fn replicated(&self) -> Result<f64> {
        let brokers = self.testbed.cluster.brokers();
        let broker = brokers.iter().find(|broker| broker.id() == REPLACED).context("no such broker")?;
        // Without such a counter the broker has fetched nothing.
        let metrics = self.testbed.cluster.tools().metrics(broker, REPLICATED)?;
        Ok(metrics.get("Count").copied().unwrap_or(0.0))
    }

    /// Checks that every record is there, and that no broker ended unexpectedly.
    fn read_back(&self) -> Result<()> {
        self.recorder.stage("records read back");
        self.testbed.drop_caches()?;
        let tools = self.testbed.cluster.tools();
        for plan in &self.plans {
            let (passed, detail) =
                describe_verification(&tools.verify(plan, VERIFY_PATIENCE_SECONDS, self.recorder)?);
            let title = "Every acknowledged record is read back once and unchanged";
            self.recorder.check("records", title, passed, format_args!("{}: {detail}", plan.topic));
            std::fs::remove_file(&plan.acknowledged).context("remove a log of acknowledgements")?;
        }
        let mut ended = Ended::default();
        ended.look(&self.testbed, self.recorder)?;
        ended.check(&self.testbed, self.environment, self.recorder);
        Ok(())
    }
}

fn conclude(tally: &Tally, sizes: &Sizes, is_local: bool, recorder: &Recorder) -> String {
    let storage = if is_local { StorageKind::Local.name() } else { StorageKind::Forebay.name() };
    for (drawing, title, y) in [
        (
            DRAWING_S,
            "Time to replace a broker by size of its history",
            Axis::linear("Until all replicas are in sync", "s"),
        ),
        (
            DRAWING_MB,
            "Bytes from other brokers by size of the history",
            Axis::linear("From other brokers", "MB"),
        ),
    ] {
        let x = Axis::linear("History", "MB");
        let (drawing, title) = (drawing.to_owned(), title.to_owned());
        recorder.curve(CurveSpec { drawing, title, x, y, references: Vec::new() });
    }
    for history in [History::Tiered, History::Untiered] {
        for records in sizes.records {
            for (unit, what, drawing) in
                [("s", "Until all replicas are in sync", DRAWING_S), ("mb", "From other brokers", DRAWING_MB)]
            {
                let name = name(history, unit, records);
                let title = format!("{what}, with {} MB of {} history", megabytes(records), history.name());
                let shown = if unit == "mb" { "MB" } else { unit };
                let title = Title { name: &name, title: &title, unit: shown, better: Better::Lower };
                tally.report(&title, std::slice::from_ref(&storage), None, recorder);
                if let Some(samples) = tally.samples(&name, &storage) {
                    let (x, line) = (megabytes(records) as f64, format!("{storage}, {}", history.name()));
                    recorder.curve_point_spread(drawing, &line, x, samples.median, samples.min, samples.max);
                }
            }
        }
    }
    let median = |history, unit, records| tally.median(&name(history, unit, records), &storage);
    let [smallest, _, largest] = sizes.records;
    let times = largest / smallest;
    for (unit, what, slack) in [
        ("s", "time", 0.0),
        // Active segments, which are local, are of any size up to a whole one.
        ("mb", "bytes from other brokers", f64::from(PARTITIONS) * 3.0 * sizes.segment_bytes as f64 / 1e6),
    ] {
        let found = median(History::Tiered, unit, largest).zip(median(History::Tiered, unit, smallest));
        let (large, small) = found.unwrap_or((f64::INFINITY, 0.0));
        let title = format!(
            "With {times} times the tiered history {what} grow by at most {GROWTH_MAX} times{}",
            allowance(slack)
        );
        let detail = format!("{large:.1} after {small:.1}");
        recorder.check(&format!("growth_{unit}"), &title, large <= small * GROWTH_MAX + slack, detail);
    }
    if is_local {
        let copied = median(History::Untiered, "mb", largest).unwrap_or(0.0);
        let least = megabytes(largest) as f64 * COPIED_MIN;
        let title = "Without the tier the new broker copies the history from the others";
        let detail = format!("{copied:.1} MB for {} MB", megabytes(largest));
        recorder.check("untiered_copied", title, copied >= least, detail);
    }
    format!(
        "With {} MB of history in the tier, a broker is replaced in {} s and gets {} MB from the others; without the tier in {} s, with {} MB.",
        megabytes(largest),
        number(median(History::Tiered, "s", largest).unwrap_or(f64::NAN)),
        number(median(History::Tiered, "mb", largest).unwrap_or(f64::NAN)),
        number(median(History::Untiered, "s", largest).unwrap_or(f64::NAN)),
        number(median(History::Untiered, "mb", largest).unwrap_or(f64::NAN)),
    )
}

/// The allowed growth in MB, in words.
fn allowance(megabytes: f64) -> String {
    if megabytes > 0.0 { format!(" and {megabytes:.0} MB") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;

    fn verdicts(tiered_s: [f64; 3], tiered_mb: [f64; 3], untiered_mb: [f64; 3]) -> BTreeMap<String, bool> {
        let (sizes, recorder, mut tally) =
            (Sizes::of(Profile::Laptop), Recorder::new(Progress::silent()), Tally::default());
        for (index, records) in sizes.records.into_iter().enumerate() {
            tally.add(&name(History::Tiered, "s", records), "local", tiered_s[index]);
            tally.add(&name(History::Tiered, "mb", records), "local", tiered_mb[index]);
            tally.add(&name(History::Untiered, "mb", records), "local", untiered_mb[index]);
        }
        conclude(&tally, &sizes, true, &recorder);
        let result = recorder.finish("tier-replacement", "local", "laptop", "");
        result.checks.into_iter().map(|check| (check.name, check.passed)).collect()
    }

    #[test]
    fn time_or_bytes_that_grow_with_the_tiered_history_fail() {
        let good = verdicts([10.0, 11.0, 12.0], [5.0, 9.0, 12.0], [40.0, 140.0, 530.0]);
        assert!(good.values().all(|passed| *passed), "{good:?}");
        let bad = verdicts([10.0, 14.0, 18.0], [5.0, 40.0, 200.0], [5.0, 5.0, 5.0]);
        assert!(bad.values().all(|passed| !*passed), "{bad:?}");
    }
}
