//! `pools`: does a cluster's throughput grow with the number of pools, and are replicas stored once in several pools?
//!
//! Each pool has a daemon of its own, and each broker has a volume in each pool as an entry of `log.dirs`. All volumes have the same limit
//! in bytes per second, so that the machine is not the limit. The driver is *sync*, because data that the brokers' machines buffer
//! would hide the limit. `forebay kafka place` then moves replicas with Kafka's own tools.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::definition::Experiment;
use super::efficiency::account::{Account, Settled};
use super::scaling::{Node, limit};
use super::throughput::reports_driver;
use crate::cluster::{Assignment, Load, RecordsPlan, Settings};
use crate::host::Environment;
use crate::progress::Tone;
use crate::report::{Axis, Better, CurveSpec, Recorder, Subject, number};
use crate::request::{Profile, Request, StorageKind};
use crate::storage;
use crate::testbed::{
    Ended, Layout, Tally, Target as _, Testbed, TestbedSpec, Title, Trial, describe_verification, figure,
};

/// The experiment.
pub struct Pools;

const BROKERS: u32 = 3;
const FACTOR: u32 = 3;
/// The numbers of pools, and how many times the throughput of one pool each must reach.
const COUNTS: [(u32, f64); 3] = [(1, 1.0), (2, 1.9), (4, 3.7)];
/// The number of pools when replicas are placed.
const PLACED_COUNT: u32 = 4;
const REPETITIONS: u32 = 2;
/// The ratio of logical to physical bytes that must be reached with all replicas of each partition in one pool.
const PLACED_RATIO: f64 = 2.85;
const TOPIC: &str = "placed";
/// A thread that waits for one pool does not use the others. With more threads, each pool has work at all times.
const BROKER_SETTINGS: [(&str, &str); 2] = [("num.io.threads", "24"), ("num.replica.fetchers", "12")];
/// A broker handles one request of each connection at a time, and a request's batches one after the other. So there are many producers, with
/// small batches. More unsent data would only wait longer.
const PRODUCER_SETTINGS: [(&str, &str); 2] = [("batch.size", "65536"), ("buffer.memory", "6291456")];
const RECORD_BYTES: u32 = 4096;
const PATIENCE: Duration = Duration::from_secs(900);
const VERIFY_PATIENCE_SECONDS: u32 = 120;

struct Sizes {
    /// Bytes per second of each broker's volume in each pool.
    limit: u64,
    node: Node,
    /// Partitions of the load. Kafka spreads them evenly over log directories, except for a remainder.
    partitions: u32,
    /// Records of the placed topic, and its partitions.
    records: u64,
    placed_partitions: u32,
    producers: u32,
    warmup: Duration,
    measured: Duration,
}

impl Sizes {
    fn of(profile: Profile) -> Self {
        let node = Node::of(profile);
        match profile {
            Profile::Laptop => Self {
                limit: 1_500_000,
                node,
                partitions: 60,
                records: 72_000,
                placed_partitions: 24,
                producers: 8,
                warmup: Duration::from_secs(12),
                measured: Duration::from_secs(20),
            },
            Profile::Full => Self {
                limit: 250_000_000,
                node,
                partitions: 240,
                records: 5_000_000,
                placed_partitions: 120,
                producers: 40,
                warmup: Duration::from_secs(60),
                measured: Duration::from_secs(300),
            },
        }
    }

    fn testbed(&self, pools: u32) -> TestbedSpec {
        let layout = Layout { volumes: pools, ..Layout::default() };
        let settings = Settings::for_loads(BROKERS, self.node.heap_mib, &BROKER_SETTINGS);
        TestbedSpec { layout, ..TestbedSpec::new(BROKERS, self.node.guest_memory_mib, settings) }
    }

    fn load(&self) -> Load {
        let (warmup, measured) = (self.warmup, self.measured);
        let load = self.node.load("pools");
        Load { topics: 1, partitions: self.partitions, producers: self.producers, warmup, measured, ..load }
    }
}

impl Experiment for Pools {
    fn name(&self) -> &'static str {
        "pools"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Several pools",
            question: "A cluster uses one, two and four pools, each with the same limit in bytes per second. Does its throughput grow with the \
                       number of pools? And are replicas still stored once, when all replicas of a partition lie in one pool?",
            method: "Each pool has a daemon of its own. Three brokers have a volume in each pool, and all of them are entries of log.dirs. Every \
                     volume has the same limit. Producers write as fast as the cluster accepts data, at replication factor 3, with acks=all and a \
                     flush of every batch (flush.messages=1), because otherwise the brokers' machines would buffer the data that exceeds the \
                     limit. Then, on four pools without limits, records of random bytes are written. Kafka puts their replicas into any log \
                     directory. forebay kafka place plans moves within the brokers, and has Kafka's own tools execute them. Logical is the size of \
                     the clients' files in all pools, with all replicas; physical is the space that they take there. At the end every record is \
                     read back.",
        }
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        *kind == StorageKind::Forebay
    }

    fn parts(&self) -> &'static [&'static str] {
        &["throughput", "placement"]
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let sizes = Sizes::of(request.profile);
        let repetitions = request.repetitions.unwrap_or(REPETITIONS);
        recorder.setting("repetitions", repetitions);
        recorder.setting("limit of each broker's volume in each pool, bytes/s", sizes.limit);
        let work = Work { environment, request, recorder, sizes: &sizes };
        let (mut tally, mut said) = (Tally::default(), Vec::new());
        for (pools, _) in COUNTS {
            let (loads, places) =
                (request.wants("throughput"), request.wants("placement") && pools == PLACED_COUNT);
            if !loads && !places {
                continue;
            }
            let testbed = work.start(pools)?;
            if loads {
                work.load(&testbed, pools, repetitions, &mut tally)?;
            }
            if places {
                said.push(Placing::new(&work, &testbed)?.run()?);
            }
            work.conclude(&testbed, pools)?;
        }
        if request.wants("throughput") {
            said.insert(0, judge(&tally, StorageKind::Forebay.name().as_str(), recorder));
        }
        Ok(said.join(" "))
    }
}

struct Work<'a> {
    environment: &'a Environment,
    request: &'a Request,
    recorder: &'a Recorder,
    sizes: &'a Sizes,
}

impl Work<'_> {
    fn start(&self, pools: u32) -> Result<Testbed> {
        self.recorder.stage(&format!("{pools} pools"));
        let storage = Box::new(storage::Pools::start(self.environment, pools)?);
        Testbed::start_on(
            self.environment,
            self.request,
            storage,
            None,
            &self.sizes.testbed(pools),
            self.recorder,
        )
        .with_context(|| format!("start a cluster on {pools} pools"))
    }

    fn load(&self, testbed: &Testbed, pools: u32, repetitions: u32, tally: &mut Tally) -> Result<()> {
        let (load, mut clients) = (self.sizes.load(), reports_driver(true, FACTOR));
        clients.producer.extend(PRODUCER_SETTINGS.map(|(name, value)| (name.to_owned(), value.to_owned())));
        for repetition in 1..=repetitions {
            self.recorder.stage(&format!("load on {pools} pools, {repetition} of {repetitions}"));
            limit(testbed, Some(self.sizes.limit))?;
            let label = format!("pools-{pools}-{repetition}");
            let trial = Trial { target: testbed, label, load: &load, clients: &clients };
            if let Some(outcome) = trial.run(self.recorder)? {
                let produced = outcome.result.phase("steady")?.publish_bytes_per_second / 1e6;
                tally.add(&measurement(pools), testbed.name(), produced);
            }
            // Unsent records would count against the next measurement.
            limit(testbed, None)?;
        }
        Ok(())
    }

    /// Checks the brokers and the pools of a testbed.
    fn conclude(&self, testbed: &Testbed, pools: u32) -> Result<()> {
        let mut ended = Ended::default();
        ended.look(testbed, self.recorder)?;
        ended.check(testbed, self.environment, self.recorder);
        let differences = testbed.storage.check()?;
        let detail = differences.first().cloned().unwrap_or_else(|| "no differences".to_owned());
        let title = format!("The check of each of {pools} pools finds no difference");
        self.recorder.check(&format!("check_{pools}"), &title, differences.is_empty(), detail);
        Ok(())
    }
}

/// Name of the drawing of throughput by pools.
const DRAWING: &str = "throughput_by_pools";

fn measurement(pools: u32) -> String {
    format!("produced_mb_per_s_on_{pools}")
}

fn judge(tally: &Tally, storage: &str, recorder: &Recorder) -> String {
    recorder.curve(CurveSpec {
        drawing: DRAWING.to_owned(),
        title: "Throughput by number of pools".to_owned(),
        x: Axis::linear("Pools", ""),
        y: Axis::linear("Produced", "MB/s"),
        references: Vec::new(),
    });
    let mut grown = Vec::new();
    for (pools, least) in COUNTS {
        let name = measurement(pools);
        tally.curve_point(DRAWING, f64::from(pools), &name, &[storage.to_owned()], recorder);
        let title = format!("Produced with {pools} pools");
        let title = Title { name: &name, title: &title, unit: "MB/s", better: Better::Higher };
        tally.report(&title, &[storage.to_owned()], None, recorder);
        if pools > 1 {
            let times = tally.ratio_of(&name, &measurement(1), storage).unwrap_or(0.0);
            let title = format!("{pools} pools: at least {least} times the throughput of one pool");
            recorder.check(
                &format!("grows_{pools}"),
                &title,
                times >= least,
                format_args!("{times:.2} times"),
            );
            grown.push(format!("{times:.2} times with {pools}"));
        }
    }
    format!("Compared with one pool, the cluster produces as much: {}.", grown.join(", "))
}

/// The part in which replicas are placed.
struct Placing<'a> {
    work: &'a Work<'a>,
    testbed: &'a Testbed,
    account: Account,
    plan: RecordsPlan,
    /// A folder with Kafka's tools.
    tools: PathBuf,
}

impl<'a> Placing<'a> {
    fn new(work: &'a Work<'a>, testbed: &'a Testbed) -> Result<Self> {
        let tools = work.environment.fresh("kafka-tools")?;
        testbed.cluster.tools().write_scripts(&tools)?;
        let acknowledged = work.environment.out().join("acknowledged-placed.bin");
        let plan = RecordsPlan::new(TOPIC, work.sizes.records, RECORD_BYTES, 9, acknowledged);
        work.recorder.setting("placed records", plan.records);
        work.recorder.setting("placed partitions", work.sizes.placed_partitions);
        Ok(Self { work, testbed, account: Account::new(work.recorder), plan, tools })
    }

    fn run(&self) -> Result<String> {
        let recorder = self.work.recorder;
        recorder.stage("records without placement");
        let before = self.account.settle(self.testbed)?;
        self.produce()?;
        let spread = self.account.settle(self.testbed)?;
        let spread_ratio = self.tell("spread", "Where Kafka put the replicas", &before, &spread);
        recorder.stage("placement");
        self.place()?;
        let placed = self.account.settle(self.testbed)?;
        let placed_ratio = self.tell("placed", "After forebay kafka place", &before, &placed);
        let title = format!(
            "With all replicas of each partition in one pool, logical to physical is at least {PLACED_RATIO} : 1"
        );
        let detail = format!("{placed_ratio:.2}, and {spread_ratio:.2} before");
        recorder.check("placed_ratio", &title, placed_ratio >= PLACED_RATIO, detail);
        self.read_back()?;
        Ok(format!(
            "Four pools store one byte for every {spread_ratio:.2} bytes of three replicas where Kafka put them, and for every \
             {placed_ratio:.2} after forebay kafka place."
        ))
    }

    fn produce(&self) -> Result<()> {
        let (recorder, tools) = (self.work.recorder, self.testbed.cluster.tools());
        let assignment = Assignment::even(TOPIC, self.work.sizes.placed_partitions, FACTOR, BROKERS, 0);
        tools.create_topic(&assignment, &[("min.insync.replicas", "2".to_owned())])?;
        let production = tools.produce(&self.plan, recorder)?;
        self.account.wait(self.testbed, "records are written", PATIENCE, |_| Ok(production.has_ended()))?;
        let acknowledged = figure(&production.wait()?, "acknowledged");
        let all = acknowledged as u64 == self.plan.records;
        let detail = format!("{} of {}", number(acknowledged), number(self.plan.records as f64));
        recorder.check("acknowledged", "Every record is acknowledged", all, detail);
        Ok(())
    }

    fn tell(&self, name: &str, title: &str, before: &Settled, now: &Settled) -> f64 {
        let recorder = self.work.recorder;
        let ratio = now.ratio_since(before);
        recorder.figure(&format!("{name}_ratio"), &format!("{title}: logical to physical"), ratio, ": 1");
        let megabytes = |now: u64, before: u64| number(now.saturating_sub(before) as f64 / 1e6);
        recorder.event(
            Tone::Plain,
            format_args!(
                "{title}, the pools hold {} MB in {} MB",
                megabytes(now.space.logical, before.space.logical),
                megabytes(now.space.physical, before.space.physical)
            ),
        );
        ratio
    }

    /// Has `forebay kafka place` move the replicas, and checks that a second plan moves nothing.
    fn place(&self) -> Result<()> {
        let recorder = self.work.recorder;
        let begun = Instant::now();
        let report = self.forebay(&["--execute", "--yes"])?;
        recorder.figure("placement_s", "Duration of the placement", begun.elapsed().as_secs_f64(), "s");
        for line in report.lines().filter(|line| !line.trim().is_empty()) {
            recorder.event(Tone::Plain, format_args!("forebay kafka place: {}", line.trim()));
        }
        let again = self.forebay(&["-o", "json"])?;
        let again: serde_json::Value = serde_json::from_str(&again).context("parse the second plan")?;
        let left = again.get("partitions").and_then(|partitions| partitions.as_array()).map(Vec::len);
        let detail =
            left.map_or_else(|| "no plan".to_owned(), |left| format!("{left} partitions would move"));
        recorder.check("placed", "A second plan moves nothing", left == Some(0), detail);
        Ok(())
    }

    fn forebay(&self, words: &[&str]) -> Result<String> {
        let mut command = Command::new(self.work.environment.daemon()?);
        command.args(["kafka", "place", "--topics", TOPIC, "--kafka"]).arg(&self.tools);
        command.args(["--bootstrap-server", &self.testbed.cluster.tools().bootstrap()]);
        for pool in 1..=PLACED_COUNT {
            let path = |broker| self.testbed.pool_folder(broker, pool);
            let paths: Vec<String> = (1..=BROKERS).map(|broker| path(broker).display().to_string()).collect();
            command.arg("--pool").arg(format!("pool-{pool}={}", paths.join(",")));
        }
        let output = command.args(words).output().context("run forebay kafka place")?;
        if !output.status.success() {
            bail!("forebay kafka place failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn read_back(&self) -> Result<()> {
        let recorder = self.work.recorder;
        recorder.stage("records read back");
        self.testbed.drop_caches()?;
        let summary = self.testbed.cluster.tools().verify(&self.plan, VERIFY_PATIENCE_SECONDS, recorder)?;
        let (passed, detail) = describe_verification(&summary);
        recorder.check(
            "records",
            "Every acknowledged record is read back once, byte for byte",
            passed,
            detail,
        );
        std::fs::remove_file(&self.plan.acknowledged).context("remove the log of acknowledgements")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::progress::Progress;

    fn verdict(produced: [f64; 3]) -> BTreeMap<String, bool> {
        let (recorder, mut tally) = (Recorder::new(Progress::silent()), Tally::default());
        for ((pools, _), value) in COUNTS.into_iter().zip(produced) {
            tally.add(&measurement(pools), "forebay", value);
        }
        judge(&tally, "forebay", &recorder);
        let result = recorder.finish("pools", "forebay", "laptop", "");
        result.checks.into_iter().map(|check| (check.name, check.passed)).collect()
    }

    #[test]
    fn throughput_that_does_not_grow_with_the_pools_fails() {
        assert!(verdict([1.5, 2.9, 5.7]).values().all(|passed| *passed));
        let bad = verdict([1.5, 2.9, 4.0]);
        assert_eq!((bad["grows_2"], bad["grows_4"]), (true, false));
    }
}
