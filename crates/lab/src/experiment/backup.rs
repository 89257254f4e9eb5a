//! `backup`: backups while brokers write, and a cluster on the pool that is restored from one.
//!
//! Each node has a volume of its own and is both broker and controller. The topic is flushed at every message, so an acknowledged record is on
//! the server and not only in its host's memory, and each backup has every record that was acknowledged before it. Then the pool is deleted, and
//! the same nodes start on a pool that is restored from the last backup.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use super::combined::{self, BROKERS, Base, settings};
use super::definition::Experiment;
use crate::cluster::{Distribution, Production, RecordsPlan};
use crate::host::{Environment, Side};
use crate::progress::Tone;
use crate::report::{Recorder, Subject, number};
use crate::request::{Profile, Request, StorageKind};
use crate::storage::{Forebay, MadeBackup, Storage};
use crate::testbed::{describe_verification, figure};

/// The experiment.
pub struct Backup;

const TOPIC: &str = "flushed";
const PARTITIONS: u32 = 6;
const VERIFY_PATIENCE_SECONDS: u32 = 120;
/// The longest pause of the producers that is accepted: a backup holds writes only for an instant.
const PAUSE_MAX: Duration = Duration::from_secs(5);

struct Sizes {
    records: u64,
    rate: u32,
    record_bytes: u32,
    /// Backups are made when these shares of the records are acknowledged.
    at_percent: [u64; 2],
}

impl Sizes {
    fn of(profile: Profile) -> Self {
        match profile {
            Profile::Laptop => Self { records: 30_000, rate: 250, record_bytes: 4096, at_percent: [20, 60] },
            Profile::Full => {
                Self { records: 1_000_000, rate: 2_000, record_bytes: 4096, at_percent: [30, 70] }
            }
        }
    }
}

impl Experiment for Backup {
    fn name(&self) -> &'static str {
        "backup"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "A backup while brokers write",
            question: "The pool of a running Kafka cluster is backed up twice, and then it is lost. Does a cluster on the restored pool serve every \
                       record that was acknowledged before the last backup? How long do producers wait for a backup?",
            method: "Three nodes, each with a volume of its own, are both broker and controller. While a producer writes to a topic with \
                     flush.messages=1, the pool is backed up twice. When all records are acknowledged, the nodes and the daemon end, and the pool is \
                     deleted. The last backup is verified and restored. The same nodes start on the restored pool, and the topic is read from its \
                     beginning and compared with the records that were acknowledged before the backup began.",
        }
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        *kind == StorageKind::Forebay
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let sizes = Sizes::of(request.profile);
        let kafka = Distribution::open(&request.cache.folder, request.kafka, recorder.progress())?;
        recorder.version("kafka", kafka.version()?);
        recorder.stage("storage");
        let storage = Forebay::start(environment, &[])?;
        for (name, version) in storage.versions() {
            recorder.version(&name, version);
        }
        let acknowledged = environment.out().join("acknowledged.bin");
        let plan = RecordsPlan::new(TOPIC, sizes.records, sizes.record_bytes, 6, acknowledged);
        let plan = RecordsPlan { rate: Some(sizes.rate), ..plan };
        Work { environment, kafka, storage, recorder, plan }.run(&sizes)
    }
}

struct Work<'a> {
    environment: &'a Environment,
    kafka: Distribution,
    storage: Forebay,
    recorder: &'a Recorder,
    plan: RecordsPlan,
}

impl Work<'_> {
    fn base(&self) -> Base<'_> {
        Base {
            environment: self.environment,
            kafka: &self.kafka,
            storage: &self.storage,
            recorder: self.recorder,
        }
    }

    fn run(mut self, sizes: &Sizes) -> Result<String> {
        let recorder = self.recorder;
        let names: Vec<String> = (1..=BROKERS).map(|id| format!("broker{id}")).collect();
        for (key, value) in settings().all() {
            recorder.setting(&format!("node {key}"), value);
        }
        recorder.setting("records", sizes.records);
        recorder.setting("records per second", sizes.rate);
        let volumes = self.storage.volumes()?;
        names.iter().try_for_each(|name| volumes.create(name))?;
        let to = self.environment.fresh("backups")?;

        recorder.stage("cluster");
        let nodes = self.base().start(&names, Side::First, true)?;
        recorder.stage("records written, backups");
        nodes.create_topic(TOPIC, PARTITIONS, recorder)?;
        let production = nodes.cluster.tools().produce(&self.plan, recorder)?;
        let mut before = 0;
        for (number, percent) in (1..).zip(sizes.at_percent) {
            combined::wait_for(&production, sizes.records * percent / 100)?;
            before = self.back_up(&production, number, &to)?;
        }
        self.conclude(production, &nodes)?;
        recorder.stage("the pool is lost");
        drop(nodes);
        self.storage.lose()?;
        recorder.event(Tone::Bad, format_args!("the daemon ended, and the pool was deleted"));
        recorder.stage("restore");
        self.restore(&to)?;
        recorder.stage("cluster on the restored pool");
        let nodes = self.base().start(&names, Side::First, false)?;
        recorder.stage("records read");
        self.read(&nodes, before)?;
        std::fs::remove_file(&self.plan.acknowledged).context("remove the log of acknowledgements")?;
        Ok(format!(
            "A cluster on the restored pool serves the {} records that were acknowledged before the last backup.",
            number(before as f64)
        ))
    }

    /// Backs the pool up. Returns the number of records that were acknowledged before.
    fn back_up(&self, production: &Production, number_of: u32, to: &Path) -> Result<u64> {
        let recorder = self.recorder;
        let running = !production.has_ended();
        let before = production.acknowledged();
        let MadeBackup { took, bytes, bytes_copied, damaged } = self.storage.back_up(to)?;
        recorder.event(
            Tone::Good,
            format_args!(
                "backup {number_of} is finished; {} records were acknowledged before it",
                number(before as f64)
            ),
        );
        let figure = |name: &str, title: &str, value: f64, unit: &str| {
            recorder.figure(
                &format!("backup_{number_of}_{name}"),
                &format!("Backup {number_of}: {title}"),
                value,
                unit,
            );
        };
        figure("before", "records acknowledged before", before as f64, "");
        figure("s", "duration", took.as_secs_f64(), "s");
        figure("bytes", "size", bytes as f64, "B");
        figure("copied", "copied", bytes_copied as f64, "B");
        let title = format!("Backup {number_of} is made while records are written, and is whole");
        let detail = format!(
            "{} of {} records acknowledged, {damaged} damaged frames",
            number(before as f64),
            number(self.plan.records as f64)
        );
        recorder.check(&format!("backup_{number_of}"), &title, running && damaged == 0, detail);
        Ok(before)
    }

    fn conclude(&self, production: Production, nodes: &combined::Nodes) -> Result<()> {
        let recorder = self.recorder;
        let summary = production.wait()?;
        let acknowledged = figure(&summary, "acknowledged");
        let pause_s = figure(&summary, "pause_ms_max") / 1000.0;
        recorder.figure("pause_s_max", "Longest pause of the producers", pause_s, "s");
        let title = format!("Producers never wait longer than {} s", PAUSE_MAX.as_secs());
        recorder.check("pause", &title, pause_s < PAUSE_MAX.as_secs_f64(), format!("at most {pause_s:.1} s"));
        let all = acknowledged as u64 == self.plan.records;
        let detail = format!("{} of {}", number(acknowledged), number(self.plan.records as f64));
        recorder.check("acknowledged", "The cluster acknowledges every record", all, detail);
        let ended = nodes.ended()?;
        let detail = if ended.is_empty() { "all run".to_owned() } else { ended.join(", ") };
        recorder.check("processes", "No node ended", ended.is_empty(), detail);
        Ok(())
    }

    fn restore(&mut self, from: &Path) -> Result<()> {
        let recorder = self.recorder;
        let (verified, damaged) = self.storage.verify_backup(from)?;
        recorder.figure("verify_s", "Verification of the backup", verified.as_secs_f64(), "s");
        recorder.check("verified", "The backup is whole", damaged == 0, format!("{damaged} damaged frames"));
        let restored = self.storage.restore(from, &self.environment.fresh("restored")?)?;
        recorder.figure("restore_s", "Restore, with verification", restored.as_secs_f64(), "s");
        let differences = self.storage.check()?;
        let detail = differences.first().cloned().unwrap_or_else(|| "no differences".to_owned());
        recorder.check("consistent", "The restored pool is consistent", differences.is_empty(), detail);
        Ok(())
    }

    fn read(&self, nodes: &combined::Nodes, before: u64) -> Result<()> {
        let plan = RecordsPlan { first: Some(before), ..self.plan.clone() };
        let summary = nodes.cluster.tools().verify(&plan, VERIFY_PATIENCE_SECONDS, self.recorder)?;
        let (passed, detail) = describe_verification(&summary);
        let title =
            "The restored pool has every record that was acknowledged before the last backup, byte for byte";
        self.recorder.check("records", title, passed, detail);
        let later = figure(&summary, "unacknowledged");
        self.recorder.figure("later", "Records there that were acknowledged later, or never", later, "");
        Ok(())
    }
}
