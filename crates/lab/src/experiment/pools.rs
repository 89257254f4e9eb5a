//! `pools`: does a cluster's throughput grow with the number of pools, and are replicas stored once in several pools?
//!
//! Each pool has a daemon of its own, and each broker has a volume in each pool as an entry of `log.dirs`. All volumes have the same limit
//! in bytes per second, so that the machine is not the limit. A measurement ends when the brokers' machines have written all their data to
//! the pools, because what they buffer would hide the limit. `forebay kafka place` then moves replicas with Kafka's own tools.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::definition::Experiment;
use super::efficiency::account::{Account, Settled};
use super::scaling::{Node, limit};
use crate::cluster::{Assignment, RecordsPlan, Summary};
use crate::host::{self, Environment};
use crate::progress::Tone;
use crate::report::{Axis, Better, CurveSpec, Recorder, Subject, number};
use crate::request::{Profile, Request, StorageKind};
use crate::storage;
use crate::testbed::{
    Ended, Layout, Tally, Target as _, Testbed, TestbedSpec, Title, describe_verification, figure,
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
const RECORD_BYTES: u32 = 4096;
/// Time limit for the records of one measurement, and the time between two looks.
const PATIENCE: Duration = Duration::from_secs(900);
const PAUSE: Duration = Duration::from_millis(200);
const VERIFY_PATIENCE_SECONDS: u32 = 120;

/// Small, so that the producer spreads its batches evenly.
const BATCH_BYTES: u32 = 64 << 10;

struct Sizes {
    /// Bytes per second of each broker's volume in each pool.
    limit: u64,
    node: Node,
    /// Partitions whose throughput is measured. Kafka spreads them evenly over log directories, except for a remainder.
    partitions: u32,
    /// Records written for each pool.
    records_per_pool: u64,
    /// Records of the placed topic, and its partitions.
    placed_records: u64,
    placed_partitions: u32,
}

impl Sizes {
    fn of(profile: Profile) -> Self {
        let node = Node::of(profile);
        match profile {
            Profile::Laptop => Self {
                limit: 1_000_000,
                node,
                partitions: 60,
                records_per_pool: 7_500,
                placed_records: 72_000,
                placed_partitions: 24,
            },
            Profile::Full => Self {
                limit: 250_000_000,
                node,
                partitions: 240,
                records_per_pool: 10_000_000,
                placed_records: 5_000_000,
                placed_partitions: 120,
            },
        }
    }

    fn testbed(&self, pools: u32) -> TestbedSpec {
        let layout = Layout { volumes: pools, ..Layout::default() };
        TestbedSpec { layout, ..self.node.testbed(BROKERS) }
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
                     volume has the same limit. A producer writes records of random bytes as fast as the cluster accepts them, at replication \
                     factor 3 and with acks=all, twice as many with twice as many pools. The time ends when the brokers' machines have also \
                     written to the pools what they buffer. Then, on four pools without limits, records of random bytes are written. Kafka puts their replicas into any log \
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

    /// Writes records, with the limit.
    fn load(&self, testbed: &Testbed, pools: u32, repetitions: u32, tally: &mut Tally) -> Result<()> {
        let acknowledged = self.environment.out().join("acknowledged-spread.bin");
        for repetition in 1..=repetitions {
            self.recorder.stage(&format!("load on {pools} pools, {repetition} of {repetitions}"));
            let records = self.sizes.records_per_pool * u64::from(pools);
            let topic = format!("spread-{pools}-{repetition}");
            let plan =
                RecordsPlan::new(&topic, records, RECORD_BYTES, u64::from(repetition), acknowledged.clone());
            // Several requests in flight would wait for each other, until they time out.
            let plan = RecordsPlan { batch_bytes: BATCH_BYTES, requests_in_flight: 1, ..plan };
            testbed.sync()?;
            limit(testbed, Some(self.sizes.limit))?;
            let summary = produce(testbed, &plan, self.sizes.partitions, self.recorder)?;
            let begun = Instant::now();
            sync(testbed)?;
            let seconds = figure(&summary, "elapsed_ms") / 1000.0 + begun.elapsed().as_secs_f64();
            // The next measurement begins at once.
            limit(testbed, None)?;
            let rate = records as f64 * f64::from(RECORD_BYTES) / 1e6 / seconds;
            self.recorder
                .event(Tone::Plain, format_args!("{topic}: {} MB/s in {seconds:.0} s", number(rate)));
            tally.add(&measurement(pools), testbed.name(), rate);
            let summary = testbed.cluster.tools().verify(&plan, VERIFY_PATIENCE_SECONDS, self.recorder)?;
            let (passed, detail) = describe_verification(&summary);
            let title = "Every record of the load is read back once, byte for byte";
            self.recorder.check("load_records", title, passed, detail);
            testbed.cluster.tools().delete_topic(&topic)?;
        }
        std::fs::remove_file(&acknowledged).context("remove the log of acknowledgements")
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

/// Writes the dirty pages of all nodes to the pools, at the same time.
fn sync(testbed: &Testbed) -> Result<()> {
    std::thread::scope(|scope| {
        let nodes = testbed.nodes.iter().map(|node| -> &host::Node { node });
        let syncs: Vec<_> = nodes.map(|node| scope.spawn(move || node.sync())).collect();
        syncs
            .into_iter()
            .try_for_each(|sync| sync.join().unwrap_or_else(|_| bail!("a thread that syncs panicked")))
    })
}

/// Creates a topic, and writes its records. Returns the producer's summary.
fn produce(testbed: &Testbed, plan: &RecordsPlan, partitions: u32, recorder: &Recorder) -> Result<Summary> {
    let tools = testbed.cluster.tools();
    let assignment = Assignment::even(&plan.topic, partitions, FACTOR, BROKERS, 0);
    tools.create_topic(&assignment, &[("min.insync.replicas", "2".to_owned())])?;
    let (production, begun) = (tools.produce(plan, recorder)?, Instant::now());
    while !production.has_ended() {
        ensure!(begun.elapsed() < PATIENCE, "records are not written within {} s", PATIENCE.as_secs());
        std::thread::sleep(PAUSE);
    }
    let summary = production.wait()?;
    let acknowledged = figure(&summary, "acknowledged");
    let all = acknowledged as u64 == plan.records;
    let detail = format!("{} of {}, topic {}", number(acknowledged), number(plan.records as f64), plan.topic);
    recorder.check("acknowledged", "Every record is acknowledged", all, detail);
    Ok(summary)
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
        let plan = RecordsPlan::new(TOPIC, work.sizes.placed_records, RECORD_BYTES, 9, acknowledged);
        work.recorder.setting("placed records", plan.records);
        work.recorder.setting("placed partitions", work.sizes.placed_partitions);
        Ok(Self { work, testbed, account: Account::new(work.recorder), plan, tools })
    }

    fn run(&self) -> Result<String> {
        let recorder = self.work.recorder;
        recorder.stage("records without placement");
        let before = self.account.settle(self.testbed)?;
        produce(self.testbed, &self.plan, self.work.sizes.placed_partitions, recorder)?;
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
