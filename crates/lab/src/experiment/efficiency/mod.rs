//! `efficiency`: how much space does the storage need for the brokers' data at replication factor 3? The storage reports' test of
//! efficiency (E4), with real brokers.
//!
//! There are four phases on one cluster. *Steady*: records that cannot be compressed, so all savings come from replicas. *Rebuilt*: the
//! start of a topic is deleted, and one broker loses its logs and copies them from the others, so that its segments begin at other offsets
//! than theirs. *Reports' payload*: half zeros, from a pool of 100, as the reports' load generator sends it. *Synced*: each broker flushes
//! its log after every batch, so that replicas are cut at different flushes.

pub(super) mod account;

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result};

use self::account::{Account, Settled};
use super::definition::Experiment;
use crate::cluster::{Assignment, Payload, RecordsPlan, Settings};
use crate::host::Environment;
use crate::progress::Tone;
use crate::report::{Recorder, Subject, number};
use crate::request::{Profile, Request, StorageKind};
use crate::testbed::{Ended, Testbed, TestbedSpec, describe_verification, figure};

/// The experiment.
pub struct Efficiency;

const BROKERS: u32 = 3;
const FACTOR: u32 = 3;
const PARTITIONS: u32 = 6;
const UNIQUE_TOPIC: &str = "unique";
const POOLED_TOPIC: &str = "pooled";
const SYNCED_TOPIC: &str = "synced";
/// The broker that loses its logs.
const WIPED: u32 = 3;
/// The share of each partition's records that is deleted, in percent.
const DELETED_PERCENT: u64 = 40;

/// The ratios of logical to physical bytes that must be reached.
const STEADY_RATIO: f64 = 2.9;
const REBUILT_RATIO: f64 = 2.75;
const POOLED_RATIO: f64 = 5.0;
const SYNCED_RATIO: f64 = 2.9;
/// The maximum number of bytes written to segments and metadata per byte of one replica's logs.
const WRITTEN_PER_UNIQUE: f64 = 1.10;
/// The tolerated deviation of the pool's count of logical bytes from that of clients, as a fraction.
const LOGICAL_TOLERANCE: f64 = 0.02;

const PATIENCE: Duration = Duration::from_secs(900);
const VERIFY_PATIENCE_SECONDS: u32 = 120;

struct Sizes {
    unique_records: u64,
    pooled_records: u64,
    synced_records: u64,
    segment_bytes: u64,
    guest_memory_mib: u32,
}

/// Bytes per record of the phases with unique payloads.
const RECORD_BYTES: u32 = 4096;
/// The maximum number of bytes per record of the phase with the reports' payload. The minimum is a third of it.
const POOLED_RECORD_BYTES: u32 = 3072;

impl Sizes {
    fn of(profile: Profile) -> Self {
        match profile {
            Profile::Laptop => Self {
                unique_records: 96_000,
                pooled_records: 60_000,
                synced_records: 24_000,
                segment_bytes: 16 << 20,
                guest_memory_mib: 1100,
            },
            Profile::Full => Self {
                unique_records: 5_000_000,
                pooled_records: 5_000_000,
                synced_records: 500_000,
                segment_bytes: 1 << 30,
                guest_memory_mib: 1600,
            },
        }
    }
}

impl Experiment for Efficiency {
    fn name(&self) -> &'static str {
        "efficiency"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Three replicas, stored once",
            question: "Kafka at replication factor 3 writes every byte three times to its storage. How much space does the storage need, also \
                       after a broker has lost its logs and copied them from the others?",
            method: "Three brokers at replication factor 3 keep all logs on one volume, without compression by Kafka. First they store \
                     records of random bytes, which cannot be compressed, so all savings come from replicas. Then 40 % of each partition is \
                     deleted, and one broker loses its logs and copies them from the others. Next they store the reports' payload: half random \
                     bytes, half zeros, from a pool of 100. Then records of random bytes again, and each broker flushes its log before it \
                     acknowledges (flush.messages=1). Before each count the clients write back their dirty data, and the experiment waits \
                     until the pool is idle. Logical is the size of the clients' files, with all replicas; physical is the space that they take \
                     in the pool. At the end every record is read back.",
        }
    }

    fn is_of_reports(&self) -> bool {
        true
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        *kind == StorageKind::Forebay
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let sizes = Sizes::of(request.profile);
        let mut work = Work::start(environment, request, &sizes, recorder)?;
        let steady = work.steady()?;
        let rebuilt = work.rebuilt()?;
        let pooled = work.pooled(&rebuilt)?;
        let synced = work.synced(&pooled)?;
        work.compare_with_clients(&synced)?;
        work.read_back(environment)?;
        Ok(format!(
            "The pool stores one byte for every {:.2} bytes of the three replicas; at the end, {} MB for {} MB.",
            steady.ratio(),
            number(synced.space.physical as f64 / 1e6),
            number(synced.space.logical as f64 / 1e6),
        ))
    }
}

struct Work<'a> {
    testbed: Testbed,
    account: Account,
    recorder: &'a Recorder,
    unique: RecordsPlan,
    pooled: RecordsPlan,
    synced: RecordsPlan,
}

impl<'a> Work<'a> {
    fn start(
        environment: &Environment,
        request: &Request,
        sizes: &Sizes,
        recorder: &'a Recorder,
    ) -> Result<Self> {
        let settings = Settings {
            heap_mib: 512,
            segment_bytes: sizes.segment_bytes,
            delete_delay_ms: 1_000,
            // Kafka removes deleted records at its next retention check. The default interval is five minutes.
            more: BTreeMap::from([
                ("log.retention.check.interval.ms".to_owned(), "5000".to_owned()),
                ("log.initial.task.delay.ms".to_owned(), "5000".to_owned()),
            ]),
            metrics: false,
        };
        let spec = TestbedSpec::new(BROKERS, sizes.guest_memory_mib, settings);
        let testbed = Testbed::start(environment, request, &spec, recorder)?;
        let unique = RecordsPlan::new(
            UNIQUE_TOPIC,
            sizes.unique_records,
            RECORD_BYTES,
            4,
            environment.out().join("acknowledged-unique.bin"),
        );
        let pooled = RecordsPlan {
            payload: Payload::Pool,
            // Like the reports' drivers.
            batch_bytes: 1 << 20,
            ..RecordsPlan::new(
                POOLED_TOPIC,
                sizes.pooled_records,
                POOLED_RECORD_BYTES,
                5,
                environment.out().join("acknowledged-pooled.bin"),
            )
        };
        let synced = RecordsPlan::new(
            SYNCED_TOPIC,
            sizes.synced_records,
            RECORD_BYTES,
            6,
            environment.out().join("acknowledged-synced.bin"),
        );
        let topic = format!(
            "{PARTITIONS} partitions, factor {FACTOR}, min.insync.replicas 2, acks all, compression none"
        );
        recorder.setting("topics", topic);
        for plan in [&unique, &pooled, &synced] {
            recorder.setting(&format!("{} records", plan.topic), plan.records);
            recorder.setting(&format!("{} batch, bytes", plan.topic), plan.batch_bytes);
        }
        Ok(Self { testbed, account: Account::new(recorder), recorder, unique, pooled, synced })
    }

    /// The phase with records that cannot be compressed.
    fn steady(&mut self) -> Result<Settled> {
        self.recorder.stage("unique records");
        let before = self.account.settle(&self.testbed)?;
        self.produce(&self.unique, &[])?;
        self.recorder.stage("settling");
        let after = self.account.settle(&self.testbed)?;
        let unique = account::replica_bytes(&self.testbed, UNIQUE_TOPIC)?;
        let stored = after.written.stored.saturating_sub(before.written.stored) as f64;
        let logged = after.written.logged.saturating_sub(before.written.logged) as f64;
        let written = stored / unique as f64;
        self.tell("steady", "With three replicas in step", &after, STEADY_RATIO, after.ratio());
        let recorder = self.recorder;
        recorder.figure("unique_mb", "One replica's logs", unique as f64 / 1e6, "MB");
        recorder.figure(
            "written_per_unique",
            "Written to segments and metadata per byte of them",
            written,
            "",
        );
        let title = "Written to the intent log per byte of them, for small syncs";
        recorder.figure("logged_per_unique", title, logged / unique as f64, "");
        let title = format!(
            "At most {WRITTEN_PER_UNIQUE} bytes are written to segments and metadata per byte of one replica's logs"
        );
        let detail =
            format!("{written:.3}: {} MB for {} MB", number(stored / 1e6), number(unique as f64 / 1e6));
        recorder.check("written", &title, written <= WRITTEN_PER_UNIQUE, detail);
        Ok(after)
    }

    /// The phase in which the start of a topic is deleted and a broker loses its logs.
    fn rebuilt(&mut self) -> Result<Settled> {
        self.recorder.stage("records deleted");
        let before = self.unique.records / u64::from(PARTITIONS) * DELETED_PERCENT / 100;
        self.unique.deleted_before = before;
        self.testbed.cluster.tools().delete_records(UNIQUE_TOPIC, PARTITIONS, Some(before))?;
        self.recorder
            .event(Tone::Plain, format_args!("records below offset {before} of each partition are deleted"));
        self.account.wait(&self.testbed, "old segments are deleted", PATIENCE, |testbed| {
            account::is_trimmed(testbed, UNIQUE_TOPIC, before)
        })?;
        self.recorder.stage("replica rebuilt");
        self.testbed.lose_logs(WIPED, self.recorder)?;
        self.account.wait(&self.testbed, "every replica is in sync", PATIENCE, |testbed| {
            Ok(testbed.cluster.tools().under_replicated(UNIQUE_TOPIC)? == 0)
        })?;
        self.recorder.event(Tone::Plain, format_args!("broker {WIPED} has copied its logs from the others"));
        self.recorder.stage("settling");
        let after = self.account.settle(&self.testbed)?;
        self.tell(
            "rebuilt",
            "After a replica was rebuilt and the start moved",
            &after,
            REBUILT_RATIO,
            after.ratio(),
        );
        Ok(after)
    }

    /// The phase with the reports' payload.
    fn pooled(&mut self, before: &Settled) -> Result<Settled> {
        self.recorder.stage("reports' payload");
        self.produce(&self.pooled, &[])?;
        self.recorder.stage("settling");
        let after = self.account.settle(&self.testbed)?;
        self.tell("pooled", "The reports' payload alone", &after, POOLED_RATIO, after.ratio_since(before));
        Ok(after)
    }

    /// The phase in which a broker flushes its log before each acknowledgement.
    fn synced(&mut self, before: &Settled) -> Result<Settled> {
        self.recorder.stage("flushed records");
        self.produce(&self.synced, &[("flush.messages", "1")])?;
        self.recorder.stage("settling");
        let after = self.account.settle(&self.testbed)?;
        self.tell("synced", "With a flush of every batch", &after, SYNCED_RATIO, after.ratio_since(before));
        Ok(after)
    }

    /// Writes the records of a topic, which has these settings besides the usual ones.
    fn produce(&self, plan: &RecordsPlan, settings: &[(&str, &str)]) -> Result<()> {
        let tools = self.testbed.cluster.tools();
        let assignment = Assignment::even(&plan.topic, PARTITIONS, FACTOR, BROKERS, 0);
        let settings: Vec<_> = [("min.insync.replicas", "2")]
            .iter()
            .chain(settings)
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect();
        tools.create_topic(&assignment, &settings)?;
        let production = tools.produce(plan, self.recorder)?;
        self.account.wait(&self.testbed, "records are written", PATIENCE, |_| Ok(production.has_ended()))?;
        let summary = production.wait()?;
        let acknowledged = figure(&summary, "acknowledged");
        let seconds = figure(&summary, "elapsed_ms") / 1000.0;
        let name = format!("{}_records_per_s", plan.topic);
        self.recorder.figure(
            &name,
            &format!("Records written, {}", plan.topic),
            acknowledged / seconds,
            "/s",
        );
        let all = acknowledged as u64 == plan.records;
        let detail = format!("{} of {} in {seconds:.0} s", number(acknowledged), number(plan.records as f64));
        let title = format!("Every {} record is acknowledged", plan.topic);
        self.recorder.check(&format!("{}_acknowledged", plan.topic), &title, all, detail);
        Ok(())
    }

    fn tell(&self, name: &str, title: &str, settled: &Settled, target: f64, ratio: f64) {
        let (recorder, space) = (self.recorder, &settled.space);
        recorder.figure(&format!("{name}_ratio"), &format!("{title}: logical to physical"), ratio, ": 1");
        for (what, bytes) in
            [("logical", space.logical), ("physical", space.physical), ("folder", space.folder)]
        {
            recorder.setting(&format!("{name} {what}, bytes"), bytes);
        }
        let detail = format!(
            "{ratio:.2}; the pool holds {} MB in {} MB, and its folder takes {} MB",
            number(space.logical as f64 / 1e6),
            number(space.physical as f64 / 1e6),
            number(space.folder as f64 / 1e6)
        );
        let title = format!("{title}, logical to physical is at least {target} : 1");
        recorder.check(&format!("{name}_ratio"), &title, ratio >= target, detail);
    }

    /// Checks that the pool's count of logical bytes agrees with the size of the clients' files.
    fn compare_with_clients(&self, settled: &Settled) -> Result<()> {
        // Clients cache a file's attributes for a while.
        self.testbed.drop_caches()?;
        let seen = account::allocated_bytes(&self.testbed)?;
        let logical = settled.space.logical;
        let difference = seen.abs_diff(logical) as f64 / logical as f64;
        let detail = format!(
            "{} MB, {} MB by the pool's count",
            number(seen as f64 / 1e6),
            number(logical as f64 / 1e6)
        );
        self.recorder.check(
            "logical",
            "The clients' files have the size that the pool counts as logical",
            difference <= LOGICAL_TOLERANCE,
            detail,
        );
        Ok(())
    }

    fn read_back(&mut self, environment: &Environment) -> Result<()> {
        self.recorder.stage("records read back");
        self.testbed.drop_caches()?;
        for plan in [&self.unique, &self.pooled, &self.synced] {
            let tools = self.testbed.cluster.tools();
            let (passed, detail) =
                describe_verification(&tools.verify(plan, VERIFY_PATIENCE_SECONDS, self.recorder)?);
            let title =
                format!("Every {} record that was not deleted is read back once, byte for byte", plan.topic);
            self.recorder.check(&format!("{}_records", plan.topic), &title, passed, detail);
            std::fs::remove_file(&plan.acknowledged).context("remove a log of acknowledgements")?;
        }
        let mut ended = Ended::default();
        ended.look(&self.testbed, self.recorder)?;
        ended.check(&self.testbed, environment, self.recorder);
        self.account.tell();
        Ok(())
    }
}
