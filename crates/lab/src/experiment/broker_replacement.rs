//! `broker-replacement`: how long does a cluster lack a replica when a broker's machine is replaced? The storage reports' test of broker
//! failure (E3).
//!
//! A broker is stopped, and a standby machine starts it with the same id and settings. On shared storage it finds the old log directory;
//! with a local disk it finds nothing, and copies every replica from the others. The result is the time from the end of the old broker
//! until every partition has all of its replicas in sync again.

use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::definition::Experiment;
use crate::cluster::{Assignment, Offsets, RecordsPlan, Settings, SyncWatch};
use crate::host::Environment;
use crate::report::{Axis, Better, CurveSpec, Recorder, Subject, number};
use crate::request::{Profile, Request, StorageKind};
use crate::testbed::{
    Ended, Replacement, Tally, Target as _, Testbed, TestbedSpec, Title, describe_verification, figure,
};

/// The experiment.
pub struct BrokerReplacement;

const BROKERS: u32 = 3;
const FACTOR: u32 = 3;
const PARTITIONS: u32 = 6;
const RECORD_BYTES: u32 = 4096;
/// The broker that is replaced.
const REPLACED: u32 = 1;
const GROUP: &str = "reader";
/// The number of records that the group reads before the first replacement.
const READ_RECORDS: u64 = 1_000;
const REPETITIONS: u32 = 3;
/// The largest ratio of the times at the largest and smallest size that counts as not growing.
const GROWTH_MAX: f64 = 1.5;
/// The smallest ratio of the second storage's time to the first one's at the largest size.
const SPEEDUP_MIN: f64 = 5.0;
const VERIFY_PATIENCE_SECONDS: u32 = 120;

struct Sizes {
    /// Records in the cluster, rising: each broker holds all of them.
    records: [u64; 3],
    segment_bytes: u64,
    guest_memory_mib: u32,
    heap_mib: u32,
    fetchers: u32,
    /// Time limit for replicas to get in sync: many times the expected time.
    patience: Duration,
}

impl Sizes {
    fn of(profile: Profile) -> Self {
        match profile {
            Profile::Laptop => Self {
                records: [25_000, 200_000, 1_600_000],
                segment_bytes: 64 << 20,
                guest_memory_mib: 1100,
                heap_mib: 512,
                fetchers: 2,
                patience: Duration::from_secs(15 * 60),
            },
            Profile::Full => Self {
                records: [2_700_000, 27_000_000, 270_000_000],
                segment_bytes: 1 << 30,
                guest_memory_mib: 8192,
                heap_mib: 4096,
                fetchers: 8,
                patience: Duration::from_secs(3 * 3600),
            },
        }
    }

    fn testbed(&self) -> TestbedSpec {
        let more = [
            ("num.replica.fetchers", self.fetchers.to_string()),
            ("message.max.bytes", (10 << 20).to_string()),
            ("replica.fetch.max.bytes", (10 << 20).to_string()),
            ("offsets.topic.replication.factor", FACTOR.to_string()),
            ("offsets.topic.num.partitions", "3".to_owned()),
            // Guests that share two processors with others may be very late.
            ("replica.lag.time.max.ms", "300000".to_owned()),
            // A broker cannot register before the cluster considers the old one with its id failed. With Kafka's default of 9 s, this would
            // be most of the time.
            ("broker.session.timeout.ms", "4000".to_owned()),
            ("broker.heartbeat.interval.ms", "1000".to_owned()),
        ];
        let settings = Settings {
            heap_mib: self.heap_mib,
            segment_bytes: self.segment_bytes,
            delete_delay_ms: 1_000,
            more: more.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
            metrics: false,
        };
        TestbedSpec::new(BROKERS, self.guest_memory_mib, settings)
    }
}

/// The data of each broker at a size, in MB.
fn megabytes(records: u64) -> u64 {
    records.saturating_mul(u64::from(RECORD_BYTES)) / 1_000_000
}

fn name(records: u64) -> String {
    format!("replacement_s_at_{}", megabytes(records))
}

impl Experiment for BrokerReplacement {
    fn name(&self) -> &'static str {
        "broker-replacement"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "A broker's machine is replaced",
            question: "A broker stops, and another machine takes its place. How long does the cluster lack a replica, and does that time grow \
                       with the broker's data? Are consumers' offsets and all records still there?",
            method: "Three brokers on each storage hold three replicas of everything. One of them is stopped cleanly. Another machine, which was \
                     booted and formatted before, starts a broker with the same id and settings. On shared storage it mounts the same log \
                     directory; with a local disk it starts with an empty one. A client asks the cluster ten times a second which replicas \
                     are in sync. The result is the time from the end of the first broker's process until every partition has all its \
                     replicas in sync, for three sizes of data. The storages take turns. A consumer group's offsets are compared with those \
                     before the first replacement. At the end every record is read back and compared.",
        }
    }

    fn disk_bytes(&self, profile: Profile) -> u64 {
        Sizes::of(profile).records[2].saturating_mul(u64::from(RECORD_BYTES * FACTOR)).saturating_add(1 << 30)
    }

    fn compares(&self) -> bool {
        true
    }

    fn default_storages(&self) -> &'static [StorageKind] {
        &[StorageKind::Forebay, StorageKind::Local]
    }

    fn is_of_reports(&self) -> bool {
        true
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let sizes = Sizes::of(request.profile);
        let repetitions = request.repetitions.unwrap_or(REPETITIONS);
        recorder.setting("repetitions", repetitions);
        recorder.setting("record size, bytes", RECORD_BYTES);
        recorder.setting(
            "topics",
            format!("{PARTITIONS} partitions, factor {FACTOR}, min.insync.replicas 2, acks all"),
        );
        let mut subjects = Vec::new();
        for (index, kind) in (0u16..).zip(&request.storages) {
            let testbed =
                Testbed::start_beside(environment, request, kind, Some(index), &sizes.testbed(), recorder)?;
            subjects.push(Subjected::new(testbed, recorder)?);
        }
        let mut tally = Tally::default();
        let mut written = 0;
        for records in sizes.records {
            recorder.stage(&format!("{} MB in each broker", megabytes(records)));
            for subject in &mut subjects {
                subject.write(environment, records - written, recorder)?;
            }
            written = records;
            for repetition in 0..repetitions {
                recorder.stage(&format!(
                    "replacement at {} MB, {} of {repetitions}",
                    megabytes(records),
                    repetition + 1
                ));
                for index in in_turn(subjects.len(), repetition) {
                    let subject = subjects.get_mut(index).context("there is such a storage")?;
                    let seconds = subject.replace(environment, &sizes, recorder)?;
                    tally.add(&name(records), subject.testbed.name(), seconds);
                }
            }
        }
        recorder.stage("records read back");
        for subject in &subjects {
            subject.check(environment, recorder)?;
        }
        let storages: Vec<String> =
            subjects.iter().map(|subject| subject.testbed.name().to_owned()).collect();
        Ok(conclude(&tally, &sizes, &storages, recorder))
    }
}

/// The order of storages in a repetition; it is reversed each time.
fn in_turn(count: usize, repetition: u32) -> Vec<usize> {
    if repetition.is_multiple_of(2) { (0..count).collect() } else { (0..count).rev().collect() }
}

/// A cluster whose broker is replaced again and again.
struct Subjected {
    testbed: Testbed,
    sync: SyncWatch,
    plans: Vec<RecordsPlan>,
    /// The offsets that the group had committed before the first replacement.
    offsets: Offsets,
    replacements: u32,
}

impl Subjected {
    fn new(testbed: Testbed, recorder: &Recorder) -> Result<Self> {
        let (theirs, storage) = (recorder.clone(), testbed.name().to_owned());
        let sync = testbed.cluster.tools().watch_sync(move |look| {
            theirs.point_in(
                "Partitions that lack a replica in sync",
                &storage,
                "",
                f64::from(look.under_replicated),
            );
        })?;
        Ok(Self { testbed, sync, plans: Vec::new(), offsets: Offsets::new(), replacements: 0 })
    }

    /// Writes more records to a new topic. The first time, also makes a group read some of them.
    fn write(&mut self, environment: &Environment, records: u64, recorder: &Recorder) -> Result<()> {
        let tools = self.testbed.cluster.tools();
        let number = self.plans.len() + 1;
        let topic = format!("data-{number}");
        let acknowledged =
            environment.out().join(format!("acknowledged-{}-{number}.bin", self.testbed.name()));
        let plan = RecordsPlan::new(&topic, records, RECORD_BYTES, number as u64, acknowledged);
        let assignment = Assignment::even(&topic, PARTITIONS, FACTOR, BROKERS, 0);
        tools.create_topic(&assignment, &[("min.insync.replicas", "2".to_owned())])?;
        let summary = tools.produce(&plan, recorder)?.wait()?;
        let all = figure(&summary, "acknowledged") as u64 == records;
        let title = format!("{}: every record of {topic} is acknowledged", self.testbed.name());
        let detail = format!(
            "{} of {}",
            crate::report::number(figure(&summary, "acknowledged")),
            crate::report::number(records as f64)
        );
        recorder.check(&format!("acknowledged_{}_{number}", self.testbed.name()), &title, all, detail);
        if self.plans.is_empty() {
            tools.consume(GROUP, &topic, READ_RECORDS)?;
            self.offsets = tools.group_offsets(GROUP)?;
            ensure!(!self.offsets.is_empty(), "group {GROUP} has read, and committed nothing");
        }
        self.plans.push(plan);
        Ok(())
    }

    /// Replaces the broker. Returns the number of seconds for which the cluster lacked it.
    fn replace(&mut self, environment: &Environment, sizes: &Sizes, recorder: &Recorder) -> Result<f64> {
        self.replacements += 1;
        let (guest_memory_mib, patience) = (sizes.guest_memory_mib, sizes.patience);
        let replacement = Replacement { environment, guest_memory_mib, patience, recorder };
        let name = format!("standby{}", self.replacements);
        Ok(replacement.run(&mut self.testbed, &self.sync, REPLACED, &name)?.as_secs_f64())
    }

    /// Checks that every record is there, and that no broker ended unexpectedly.
    fn check(&self, environment: &Environment, recorder: &Recorder) -> Result<()> {
        let (storage, tools) = (self.testbed.name(), self.testbed.cluster.tools());
        self.testbed.drop_caches()?;
        let mut passed = true;
        let mut details = Vec::new();
        for plan in &self.plans {
            let (all, detail) =
                describe_verification(&tools.verify(plan, VERIFY_PATIENCE_SECONDS, recorder)?);
            passed &= all;
            details.push(detail);
            std::fs::remove_file(&plan.acknowledged).context("remove a log of acknowledgements")?;
        }
        let title = format!("{storage}: every acknowledged record is read back once, byte for byte");
        recorder.check(&format!("records_{storage}"), &title, passed, details.join("; "));
        let offsets = tools.group_offsets(GROUP)?;
        let title =
            format!("{storage}: consumers' offsets are kept through {} replacements", self.replacements);
        let sum = |offsets: &Offsets| offsets.values().sum::<u64>();
        let detail = format!(
            "{} partitions, {} records read; {} before",
            offsets.len(),
            sum(&offsets),
            sum(&self.offsets)
        );
        recorder.check(&format!("offsets_{storage}"), &title, offsets == self.offsets, detail);
        let mut ended = Ended::default();
        ended.look(&self.testbed, recorder)?;
        ended.check(&self.testbed, environment, recorder);
        Ok(())
    }
}

/// Name of the drawing of times by sizes.
const DRAWING: &str = "replacement_by_size";

fn conclude(tally: &Tally, sizes: &Sizes, storages: &[String], recorder: &Recorder) -> String {
    recorder.curve(CurveSpec {
        drawing: DRAWING.to_owned(),
        title: "Time to replace a broker by size of its data".to_owned(),
        x: Axis::linear("Data of each broker", "MB"),
        y: Axis::linear("Until all replicas are in sync", "s"),
        references: Vec::new(),
    });
    for records in sizes.records {
        tally.curve_point(DRAWING, megabytes(records) as f64, &name(records), storages, recorder);
        let (name, title) =
            (name(records), format!("Until all replicas are in sync, at {} MB", megabytes(records)));
        let title = Title { name: &name, title: &title, unit: "s", better: Better::Lower };
        tally.report(&title, storages, None, recorder);
    }
    let [smallest, _, largest] = sizes.records.map(name);
    let Some(first) = storages.first() else { return String::new() };
    let growth = tally.median(&largest, first).zip(tally.median(&smallest, first));
    let growth = growth.map_or(f64::INFINITY, |(large, small)| large / small);
    let times = sizes.records[2] / sizes.records[0];
    if *first != StorageKind::Local.name() {
        let title =
            format!("{first}: with {times} times the data it takes at most {GROWTH_MAX} times as long");
        recorder.check("growth", &title, growth <= GROWTH_MAX, format_args!("{growth:.2} times"));
    }
    let (took, Some(second)) = (tally.median(&largest, first).unwrap_or(f64::NAN), storages.get(1)) else {
        return format!(
            "A broker is replaced in {} s.",
            number(tally.median(&largest, first).unwrap_or(f64::NAN))
        );
    };
    let speedup = tally.ratio(&largest, second, first).unwrap_or(0.0);
    if *second == StorageKind::Local.name() {
        let title = format!(
            "At {} MB {first} is at least {SPEEDUP_MIN} times as fast as {second}",
            megabytes(sizes.records[2])
        );
        recorder.check("speedup", &title, speedup >= SPEEDUP_MIN, format_args!("{speedup:.1} times"));
    }
    let held = megabytes(sizes.records[2]);
    format!(
        "A broker that holds {held} MB is replaced in {took:.1} s on {first}: {speedup:.1} times as fast as on {second}."
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::progress::Progress;

    fn tally(first: [f64; 3], second: [f64; 3], sizes: &Sizes) -> Tally {
        let mut tally = Tally::default();
        for (index, records) in sizes.records.into_iter().enumerate() {
            tally.add(&name(records), "forebay", first[index]);
            tally.add(&name(records), "local", second[index]);
        }
        tally
    }

    fn verdicts(first: [f64; 3], second: [f64; 3]) -> BTreeMap<String, bool> {
        let (sizes, recorder) = (Sizes::of(Profile::Laptop), Recorder::new(Progress::silent()));
        conclude(&tally(first, second, &sizes), &sizes, &["forebay".into(), "local".into()], &recorder);
        let result = recorder.finish("broker-replacement", "forebay,local", "laptop", "");
        result.checks.into_iter().map(|check| (check.name, check.passed)).collect()
    }

    #[test]
    fn time_that_grows_with_the_data_or_is_not_far_from_a_local_disks_fails() {
        let good = verdicts([8.0, 8.5, 9.0], [15.0, 30.0, 60.0]);
        assert_eq!((good["growth"], good["speedup"]), (true, true));
        let bad = verdicts([8.0, 12.0, 16.0], [15.0, 30.0, 60.0]);
        assert_eq!((bad["growth"], bad["speedup"]), (false, false));
    }
}
