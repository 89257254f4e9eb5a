//! `tier-retention`: do objects, metadata and space agree while retention deletes as many segments as Kafka can? Test T5 of the report on
//! tiered storage.
//!
//! [`load`] writes two topics, one with retention by size and one by time, and changes leaders. [`kept`] watches that retention deletes no
//! record too early. [`inspection`] compares Kafka's metadata, the bucket and the pool at each check.

mod inspection;
mod kept;
mod load;

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result};

use super::definition::Experiment;
use crate::cluster::{Settings, TierChecked};
use crate::host::Environment;
use crate::report::{Recorder, Subject, number};
use crate::request::{Fault, Profile, Request, StorageKind};
use crate::testbed::{Ended, Testbed, TestbedSpec, Tier};
use inspection::Inspector;
use load::Load;

/// The experiment.
pub struct TierRetention;

const BROKERS: u32 = 3;

/// The sizes.
#[derive(Debug, Clone)]
struct Sizes {
    /// Partitions of each topic.
    partitions: u32,
    /// The number of checks.
    checks: u32,
    /// Segments that retention deletes before each check, of both topics together.
    segments_per_check: u64,
    /// Segments of each topic besides: those that retention keeps, and some more.
    segments_besides: u64,
    segment_bytes: u64,
    record_bytes: u32,
    /// The most records of this size that a segment has.
    records_per_segment: u32,
    /// Records written per second, to each topic, if Kafka copies and deletes so fast.
    records_per_second: u32,
    /// `retention.bytes` of one topic.
    retention_bytes: u64,
    /// `retention.ms` of the other.
    retention: Duration,
    guest_memory_mib: u32,
}

impl Sizes {
    /// The sizes of a profile, with a number of checks if that is chosen.
    fn of(profile: Profile, checks: Option<u32>) -> Self {
        match profile {
            Profile::Laptop => Self {
                partitions: 12,
                checks: checks.unwrap_or(2),
                segments_per_check: 500,
                segments_besides: 160,
                segment_bytes: 16 << 10,
                record_bytes: 7_000,
                records_per_segment: 2,
                records_per_second: 20,
                retention_bytes: 128 << 10,
                retention: Duration::from_secs(15),
                guest_memory_mib: 1100,
            },
            Profile::Full => Self {
                partitions: 24,
                checks: checks.unwrap_or(20),
                segments_per_check: 5_000,
                segments_besides: 1_600,
                segment_bytes: 1 << 20,
                record_bytes: 64 << 10,
                records_per_segment: 15,
                records_per_second: 1_500,
                retention_bytes: 64 << 20,
                retention: Duration::from_secs(60),
                guest_memory_mib: 2048,
            },
        }
    }

    /// Records of each topic; a multiple of its partitions.
    fn records(&self) -> u64 {
        let segments = u64::from(self.checks) * self.segments_per_check / 2 + self.segments_besides;
        (segments * u64::from(self.records_per_segment)).next_multiple_of(u64::from(self.partitions))
    }

    /// Segments that retention must have deleted at the end.
    fn deleted_min(&self) -> u64 {
        u64::from(self.checks) * self.segments_per_check
    }
}

impl Experiment for TierRetention {
    fn name(&self) -> &'static str {
        "tier-retention"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Retention deletes segments from the tier",
            question: "While retention deletes segments as fast as Kafka can and leaders change, do the objects in the bucket, Kafka's \
                       metadata and the pool's space agree?",
            method: "Three brokers write two topics of small segments, which are copied to the tier and deleted locally at once. Retention \
                     deletes one topic's segments from the tier by size and the other's by time. Meanwhile leaders change. A client reads \
                     Kafka's metadata of segments all the time. At each check the producers pause until this metadata stays the same for \
                     some seconds; then `forebay-tier check` compares it with the bucket and reads every object, and the pool's space is \
                     compared with the sizes of objects and files. At the end all records that retention has kept are read back and compared. \
                     Then all records are deleted, and the bucket and the pool must have lost them.",
        }
    }

    fn takes_tiers(&self) -> bool {
        true
    }

    fn default_faults(&self) -> &'static [Fault] {
        &[]
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        matches!(kind, StorageKind::Forebay | StorageKind::Local)
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let sizes = Sizes::of(request.profile, request.repetitions);
        let (tier, storage) = Tier::start(environment, request, recorder)?;
        recorder.setting("tier", tier.kind().name());
        let how = if tier.is_by_reference() { "by reference" } else { "by upload" };
        recorder.setting("segments are copied", how);
        let spec = TestbedSpec::new(BROKERS, sizes.guest_memory_mib, settings(&tier, &sizes));
        let testbed = Testbed::start_on(environment, request, storage, None, &spec, recorder)?;
        let mut inspector = Inspector::start(&sizes, &tier, &testbed, recorder)?;
        let load = Load { sizes: &sizes, kafka: request.kafka, environment, recorder };
        let plans = load.run(&testbed, &mut inspector)?;
        recorder.stage("records that were kept are read back");
        let mut read = 0;
        testbed.drop_caches()?;
        for plan in &plans {
            read += load.read_back(&testbed, plan)?;
        }
        recorder.stage("all records are deleted");
        let deleted = inspector.deleted();
        load.delete_all(&testbed, &plans)?;
        inspector.conclude()?;
        let mut ended = Ended::default();
        ended.look(&testbed, recorder)?;
        ended.check(&testbed, environment, recorder);
        tell_counters(&tier, &testbed, recorder)?;
        Ok(format!(
            "Retention deleted {} segments, and objects, metadata and space agreed at each check; {} records were kept and are unchanged.",
            number(deleted as f64),
            number(read as f64)
        ))
    }
}

fn settings(tier: &Tier, sizes: &Sizes) -> Settings {
    let more = [
        ("offsets.topic.num.partitions", "3"),
        // Guests that share two processors with others may be very late.
        ("replica.lag.time.max.ms", "60000"),
        ("broker.session.timeout.ms", "20000"),
        // A segment needs several requests to the tier and to Kafka's topic with its metadata, one after the other.
        ("remote.log.manager.copier.thread.pool.size", "16"),
        ("remote.log.manager.expiration.thread.pool.size", "16"),
    ];
    let more = more.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    Settings {
        heap_mib: 512,
        // Kafka's own topics. The others have their own size.
        segment_bytes: sizes.segment_bytes.max(16 << 20),
        delete_delay_ms: 1_000,
        more: BTreeMap::from_iter(tier.settings().into_iter().chain(more)),
        metrics: true,
    }
}

fn tell_counters(tier: &Tier, testbed: &Testbed, recorder: &Recorder) -> Result<()> {
    let counters = tier.counters(testbed)?;
    for (name, key, title) in [
        ("Copies", "copies", "Segments copied"),
        ("CopiesByReference", "copies_by_reference", "Those by reference"),
        ("FailedCopies", "copies_failed", "Copies that failed, and were repeated"),
        ("Deletes", "deletes", "Deletes of segments"),
        ("FailedDeletes", "deletes_failed", "Deletes that failed, and were repeated"),
        ("DeleteRequests", "delete_requests", "Requests that deleted, each for one or more segments"),
    ] {
        if let Some(value) = counters.get(name) {
            recorder.figure(key, title, *value, "");
        }
    }
    Ok(())
}

/// The first problems that a check of the tier found.
fn findings_of(checked: &TierChecked) -> Result<String> {
    let first = checked.findings.first().context("nothing is wrong")?;
    let count = checked.findings.len();
    Ok(format!("{count} problems, such as {} {} ({})", first.problem, first.key, first.detail))
}
