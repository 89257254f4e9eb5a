//! `clone`: a second Kafka cluster on clones of the first one's volumes, while the first continues.
//!
//! Each node has a volume of its own and is both broker and controller, so the volumes contain the cluster's metadata and its records. One
//! command takes a snapshot of all volumes at one instant. The nodes of the second cluster, with the same ids, start on clones of them, as
//! after a power loss. The topic is flushed at every message (`flush.messages=1`), so an acknowledged record is on the server and not only
//! in its host's memory. The snapshot therefore has every record that was acknowledged before it.
//!
//! Both clusters have the same identity, so they must not communicate: their guests are on networks without a connection.

use std::time::Duration;

use anyhow::{Context, Result};

use super::combined::{self, BROKERS, Base, Nodes, settings};
use super::definition::Experiment;
use crate::cluster::{Distribution, Production, RecordsPlan};
use crate::host::{Environment, Side};
use crate::progress::Tone;
use crate::report::{Recorder, Subject, number};
use crate::request::{Profile, Request, StorageKind};
use crate::storage::{self, Storage};
use crate::testbed::{describe_verification, figure};

/// The experiment.
pub struct Clone;

const TOPIC: &str = "flushed";
const PARTITIONS: u32 = 6;
const SNAPSHOT: &str = "instant";
/// The time limit for the snapshot, and for each clone.
const TARGET: Duration = Duration::from_secs(1);
const VERIFY_PATIENCE_SECONDS: u32 = 120;

struct Sizes {
    records: u64,
    rate: u32,
    record_bytes: u32,
    /// The snapshot is taken when this share of the records is acknowledged.
    at_percent: u64,
}

impl Sizes {
    fn of(profile: Profile) -> Self {
        match profile {
            Profile::Laptop => Self { records: 30_000, rate: 250, record_bytes: 1024, at_percent: 20 },
            Profile::Full => Self { records: 1_000_000, rate: 2_000, record_bytes: 4096, at_percent: 50 },
        }
    }
}

impl Experiment for Clone {
    fn name(&self) -> &'static str {
        "clone"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "A second cluster from clones",
            question: "One command takes a snapshot of all volumes of a running Kafka cluster, and each volume is cloned. How long does this \
                       take? Does a second cluster on the clones serve every record acknowledged before, and does the first continue undisturbed?",
            method: "Three nodes, each with a volume of its own, are both broker and controller. While a producer writes to a topic with \
                     flush.messages=1, one command takes a snapshot of all three volumes at one instant, and each is cloned. A second cluster \
                     starts on the clones, in guests on a network of their own. Each cluster's topic is read from its beginning and compared \
                     with the acknowledged records.",
        }
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        *kind == StorageKind::Forebay
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let kind = request.storage()?;
        let sizes = Sizes::of(request.profile);
        let kafka = Distribution::open(&request.cache.folder, request.kafka, recorder.progress())?;
        recorder.version("kafka", kafka.version()?);
        recorder.stage("storage");
        let storage = storage::start(kind, environment)?;
        for (name, version) in storage.versions() {
            recorder.version(&name, version);
        }
        let work = Work { environment, kafka, storage, recorder, plan: plan(environment, &sizes) };
        work.run(&sizes)
    }
}

fn plan(environment: &Environment, sizes: &Sizes) -> RecordsPlan {
    let acknowledged = environment.out().join("acknowledged.bin");
    let plan = RecordsPlan::new(TOPIC, sizes.records, sizes.record_bytes, 6, acknowledged);
    RecordsPlan { rate: Some(sizes.rate), ..plan }
}

struct Work<'a> {
    environment: &'a Environment,
    kafka: Distribution,
    storage: Box<dyn Storage>,
    recorder: &'a Recorder,
    plan: RecordsPlan,
}

impl Work<'_> {
    fn run(self, sizes: &Sizes) -> Result<String> {
        let recorder = self.recorder;
        let names: Vec<String> = (1..=BROKERS).map(|id| format!("broker{id}")).collect();
        let copies: Vec<String> = (1..=BROKERS).map(|id| format!("copy{id}")).collect();
        for (key, value) in settings().all() {
            recorder.setting(&format!("node {key}"), value);
        }
        recorder.setting("records", sizes.records);
        recorder.setting("records per second", sizes.rate);
        let base =
            Base { environment: self.environment, kafka: &self.kafka, storage: &*self.storage, recorder };
        let volumes = self.storage.volumes()?;
        names.iter().try_for_each(|name| volumes.create(name))?;
        recorder.stage("first cluster");
        let first = base.start(&names, Side::First, true)?;
        recorder.stage("records written");
        first.create_topic(TOPIC, PARTITIONS, recorder)?;
        let production = first.cluster.tools().produce(&self.plan, recorder)?;
        combined::wait_for(&production, sizes.records * sizes.at_percent / 100)?;
        recorder.stage("snapshot and clones");
        let before = self.copy(&production, &names, &copies)?;
        recorder.stage("second cluster");
        let second = base.start(&copies, Side::Second, false)?;
        recorder.stage("second cluster read");
        self.read_copy(&second, before)?;
        let meanwhile = production.acknowledged();
        recorder.stage("records written");
        self.conclude_first(&first, production, meanwhile > before)?;
        self.check_nodes(&first, &second)?;
        std::fs::remove_file(&self.plan.acknowledged).context("remove the log of acknowledgements")?;
        Ok(format!(
            "A second cluster serves the {} records that were acknowledged before the snapshot; the first one continued.",
            number(before as f64)
        ))
    }

    /// Takes the snapshot and makes the clones. Returns the number of records that were acknowledged before.
    fn copy(&self, production: &Production, names: &[String], copies: &[String]) -> Result<u64> {
        let (recorder, volumes) = (self.recorder, self.storage.volumes()?);
        let running = !production.has_ended();
        let before = production.acknowledged();
        let snapshot = volumes.snapshot(names, SNAPSHOT)?;
        let mut slowest = Duration::ZERO;
        for (name, copy) in names.iter().zip(copies) {
            slowest = slowest.max(volumes.clone_snapshot(name, SNAPSHOT, copy)?);
        }
        recorder.event(
            Tone::Plain,
            format_args!("{} records were acknowledged before the snapshot", number(before as f64)),
        );
        recorder.figure("before_snapshot", "Acknowledged before the snapshot", before as f64, "");
        for (name, title, took) in [
            ("snapshot", "Snapshot of three volumes", snapshot),
            ("clone", "Clone of a volume, slowest of three", slowest),
        ] {
            recorder.figure(&format!("{name}_s"), title, took.as_secs_f64(), "s");
            let detail = format!("{:.0} ms", took.as_secs_f64() * 1e3);
            recorder.check(name, &format!("{title}: under a second"), took < TARGET, detail);
        }
        let detail =
            format!("{} of {} records acknowledged", number(before as f64), number(self.plan.records as f64));
        recorder.check("under_load", "The snapshot is taken while records are written", running, detail);
        Ok(before)
    }

    fn read_copy(&self, second: &Nodes, before: u64) -> Result<()> {
        let plan = RecordsPlan { first: Some(before), ..self.plan.clone() };
        let summary = second.cluster.tools().verify(&plan, VERIFY_PATIENCE_SECONDS, self.recorder)?;
        let (passed, detail) = describe_verification(&summary);
        let title =
            "The second cluster serves every record that was acknowledged before the snapshot, byte for byte";
        self.recorder.check("second_records", title, passed, detail);
        let later = figure(&summary, "unacknowledged");
        self.recorder.figure("later", "Records there that were acknowledged later, or never", later, "");
        Ok(())
    }

    fn conclude_first(&self, first: &Nodes, production: Production, went_on: bool) -> Result<()> {
        let recorder = self.recorder;
        let title = "The first cluster continued while the second started";
        recorder.check(
            "went_on",
            title,
            went_on,
            if went_on { "it did" } else { "nothing was acknowledged" },
        );
        let summary = production.wait()?;
        let acknowledged = figure(&summary, "acknowledged");
        let pause_s = figure(&summary, "pause_ms_max") / 1000.0;
        recorder.figure("pause_s_max", "Longest pause of the first cluster", pause_s, "s");
        let all = acknowledged as u64 == self.plan.records;
        let detail = format!("{} of {}", number(acknowledged), number(self.plan.records as f64));
        recorder.check("first_acknowledged", "The first cluster acknowledges every record", all, detail);
        recorder.stage("first cluster read");
        let summary = first.cluster.tools().verify(&self.plan, VERIFY_PATIENCE_SECONDS, recorder)?;
        let (passed, detail) = describe_verification(&summary);
        recorder.check(
            "first_records",
            "The first cluster serves every record, byte for byte",
            passed,
            detail,
        );
        Ok(())
    }

    fn check_nodes(&self, first: &Nodes, second: &Nodes) -> Result<()> {
        let ended = [first.ended()?, second.ended()?].concat();
        let detail = if ended.is_empty() { "all run".to_owned() } else { ended.join(", ") };
        self.recorder.check("processes", "No node ended", ended.is_empty(), detail);
        Ok(())
    }
}
