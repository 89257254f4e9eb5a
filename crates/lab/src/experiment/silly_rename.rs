//! `silly-rename`: do brokers survive when partitions move away from them? The storage reports' functional validation (E1).
//!
//! Kafka deletes a partition that moved while its files are still open and mapped. An NFS client turns the removal of an
//! open file into a rename to `.nfs…`, unless the server promises to keep unlinked files; then the partition's folder
//! cannot be removed, Kafka declares the log directory failed, and the broker shuts down.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::definition::Experiment;
use crate::cluster::{Assignment, RecordsPlan, Settings};
use crate::host::Environment;
use crate::progress::Tone;
use crate::report::{Recorder, Subject, number};
use crate::request::{Profile, Request, StorageKind};
use crate::testbed::{Ended, Replicas, Testbed, TestbedSpec, figure, watch};

/// The experiment.
pub struct SillyRename;

const TOPIC: &str = "__a_demo_topic";
const BROKERS: u32 = 4;
const PARTITIONS: u32 = 4;
const FACTOR: u32 = 2;
const REASSIGNMENT_PATIENCE: Duration = Duration::from_secs(900);
/// Time limit for the deletion of moved replicas, after Kafka's own delay.
const DELETION_PATIENCE: Duration = Duration::from_secs(90);
/// How long to wait for further brokers to end after the first one.
const AFTERMATH: Duration = Duration::from_secs(12);

struct Sizes {
    records: u64,
    record_bytes: u32,
    segment_bytes: u64,
    delete_delay_ms: u64,
    guest_memory_mib: u32,
}

impl Sizes {
    fn of(profile: Profile) -> Self {
        match profile {
            Profile::Laptop => Self {
                records: 300_000,
                record_bytes: 1024,
                segment_bytes: 16 << 20,
                delete_delay_ms: 5_000,
                guest_memory_mib: 1100,
            },
            Profile::Full => Self {
                records: 3_000_000,
                record_bytes: 1024,
                segment_bytes: 1 << 30,
                delete_delay_ms: 60_000,
                guest_memory_mib: 1600,
            },
        }
    }
}

impl Experiment for SillyRename {
    fn name(&self) -> &'static str {
        "silly-rename"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Unlinking open files",
            question: "Kafka deletes partitions that moved to other brokers while their files are still open. Do the \
                       brokers keep running, are the old replicas really gone, and is every record still there?",
            method: "Four brokers keep their logs on one storage, each in a client of its own. A producer writes records to a topic of four \
                     partitions with two replicas each and logs every acknowledgement. Then every partition is moved to two other brokers. \
                     Kafka deletes the old replicas while their files are still open and mapped. The experiment waits until they are \
                     gone or a broker ends. At the end the clients drop their caches and the topic is read from its beginning: each \
                     acknowledged record must be there exactly once, with every byte.",
        }
    }

    fn needs_guests(&self) -> bool {
        false
    }

    fn disk_bytes(&self, profile: Profile) -> u64 {
        let Sizes { records, record_bytes, .. } = Sizes::of(profile);
        // Old and new replicas are there at the same time for a while; the third is for indexes, preallocated.
        records * u64::from(record_bytes) * u64::from(FACTOR) * 3
    }

    fn default_storages(&self) -> &'static [StorageKind] {
        &[StorageKind::KnfsdV3, StorageKind::Forebay]
    }

    fn is_of_reports(&self) -> bool {
        true
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let sizes = Sizes::of(request.profile);
        let settings = Settings {
            heap_mib: 512,
            segment_bytes: sizes.segment_bytes,
            delete_delay_ms: sizes.delete_delay_ms,
            more: BTreeMap::new(),
            metrics: false,
        };
        let spec = TestbedSpec::new(BROKERS, sizes.guest_memory_mib, settings);
        let testbed = Testbed::start(environment, request, &spec, recorder)?;
        let acknowledged = environment.out().join("acknowledged.bin");
        let plan = RecordsPlan::new(TOPIC, sizes.records, sizes.record_bytes, 1, acknowledged);
        produce(&testbed, &plan, recorder)?;
        move_and_check(&testbed, environment, &sizes, &plan, recorder)?;
        std::fs::remove_file(&plan.acknowledged)?;
        Ok(format!(
            "All {BROKERS} brokers run on, the old replicas are gone without a .nfs file, and all {} records are there.",
            number(sizes.records as f64)
        ))
    }
}

fn move_and_check(
    testbed: &Testbed,
    environment: &Environment,
    sizes: &Sizes,
    plan: &RecordsPlan,
    recorder: &Recorder,
) -> Result<()> {
    let target = Assignment::even(TOPIC, PARTITIONS, FACTOR, BROKERS, FACTOR);
    let (mut replicas, mut ended) = (Replicas::default(), Ended::default());
    let moved = reassign(testbed, &target, &mut replicas, &mut ended, recorder)?;
    recorder.stage("old replicas deleted");
    let patience = Duration::from_millis(sizes.delete_delay_ms) + DELETION_PATIENCE;
    watch_deletion(testbed, &target, patience, &mut replicas, &mut ended, recorder)?;
    recorder.stage("records read back");
    testbed.drop_caches()?;
    let (all_read, records) = read_back(testbed, plan, recorder);
    ended.look(testbed, recorder)?;
    ended.check(testbed, environment, recorder);
    check_ports(testbed, recorder);
    replicas.add_named_in_logs(testbed);
    replicas.check(recorder);
    let all_moved = moved == PARTITIONS as usize;
    let detail = format!("{moved} of {PARTITIONS} partitions moved");
    recorder.check("reassignment", "Every partition moves to other brokers", all_moved, detail);
    recorder.check(
        "records",
        "Every acknowledged record is read back once, byte for byte",
        all_read,
        records,
    );
    Ok(())
}

fn produce(testbed: &Testbed, plan: &RecordsPlan, recorder: &Recorder) -> Result<()> {
    recorder.stage("records written");
    recorder.setting("records", plan.records);
    recorder.setting("record size, bytes", plan.record_bytes);
    recorder.setting(
        "topic",
        format!("{PARTITIONS} partitions, factor {FACTOR}, min.insync.replicas 1, acks all"),
    );
    let tools = testbed.cluster.tools();
    let before = Assignment::even(TOPIC, PARTITIONS, FACTOR, BROKERS, 0);
    tools.create_topic(&before, &[("min.insync.replicas", "1".to_owned())])?;
    let summary = testbed.explained(tools.produce(plan, recorder)?.wait())?;
    let acknowledged = figure(&summary, "acknowledged");
    let seconds = figure(&summary, "elapsed_ms") / 1000.0;
    let megabytes = acknowledged * f64::from(plan.record_bytes) / 1e6;
    recorder.figure("acknowledged_records", "Records acknowledged", acknowledged, "");
    recorder.figure("produced_mb_per_s", "Produced", megabytes / seconds, "MB/s");
    recorder.figure(
        "latency_ms_p99",
        "Acknowledgement, 99th percentile",
        figure(&summary, "latency_ms_p99"),
        "ms",
    );
    let words = format!("{} records acknowledged in {seconds:.1} s", number(acknowledged));
    recorder.event(Tone::Plain, words);
    let answering = testbed.cluster.brokers().iter().filter(|broker| broker.answers()).count();
    let all = answering == testbed.cluster.brokers().len() && acknowledged as u64 == plan.records;
    let detail = format!(
        "{} of {} records acknowledged, {answering} of {BROKERS} ports answer",
        number(acknowledged),
        number(plan.records as f64)
    );
    recorder.check(
        "before",
        "Before the reassignment, all records are acknowledged and every port answers",
        all,
        detail,
    );
    Ok(())
}

/// Moves every replica to another broker; returns how many partitions have moved. Brokers may end meanwhile: Kafka deletes the
/// replicas of each partition a few seconds after that partition moved, not after all have.
fn reassign(
    testbed: &Testbed,
    target: &Assignment,
    replicas: &mut Replicas,
    ended: &mut Ended,
    recorder: &Recorder,
) -> Result<usize> {
    recorder.stage("reassignment");
    let begun = Instant::now();
    let reassignment = testbed.cluster.tools().begin_reassignment(target)?;
    let mut moved = 0;
    // The folders show a move before Kafka's tool does, and inspecting them is cheaper than starting the tool.
    while moved < target.partitions.len() && !ended.look(testbed, recorder)? {
        replicas.look(testbed, target)?;
        moved = replicas.moved(target);
        recorder.detail(format_args!("{moved} of {PARTITIONS} partitions moved"));
        ensure!(
            begun.elapsed() < REASSIGNMENT_PATIENCE,
            "only {moved} of {PARTITIONS} partitions moved within the time limit"
        );
        std::thread::sleep(Duration::from_millis(500));
    }
    let seconds = begun.elapsed().as_secs_f64();
    while ended.count() == 0 {
        match reassignment.moved() {
            Ok(confirmed) if reassignment.is_complete(confirmed) => {
                recorder.figure("reassignment_s", "Reassignment", seconds, "s");
                break;
            }
            // The tool may have asked a broker that has ended.
            Err(error) if !ended.wait_for_one(testbed, recorder)? => return Err(error),
            _ => {}
        }
        ended.look(testbed, recorder)?;
        ensure!(begun.elapsed() < REASSIGNMENT_PATIENCE, "Kafka does not confirm that the partitions moved");
    }
    let words = format!("{moved} of {PARTITIONS} partitions moved, each to {FACTOR} other brokers");
    recorder.event(Tone::Plain, words);
    Ok(moved)
}

/// Waits until all old replicas are deleted, a broker has ended, or the time is over.
fn watch_deletion(
    testbed: &Testbed,
    target: &Assignment,
    patience: Duration,
    replicas: &mut Replicas,
    ended: &mut Ended,
    recorder: &Recorder,
) -> Result<()> {
    let mut deadline = Instant::now() + if ended.count() == 0 { patience } else { AFTERMATH };
    loop {
        replicas.look(testbed, target)?;
        if ended.look(testbed, recorder)? && ended.count() == 1 {
            deadline = deadline.min(Instant::now() + AFTERMATH);
        }
        let left = replicas.old_count();
        recorder.detail(format_args!("{left} old replicas left, {} brokers ended", ended.count()));
        if ended.count() == testbed.nodes.len() || Instant::now() > deadline {
            return Ok(());
        }
        if left == 0 && ended.count() == 0 {
            recorder.event(Tone::Plain, "the old replicas' folders are gone");
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}

fn read_back(testbed: &Testbed, plan: &RecordsPlan, recorder: &Recorder) -> (bool, String) {
    let alive = testbed.cluster.brokers().iter().filter(|broker| broker.answers()).count();
    if alive == 0 {
        return (false, "no broker is left to read from".to_owned());
    }
    // If brokers have ended, partitions may have no leader: report that soon.
    let patience_seconds = if alive == testbed.cluster.brokers().len() { 120 } else { 15 };
    match testbed.cluster.tools().verify(plan, patience_seconds, recorder) {
        Ok(summary) => watch::describe_verification(&summary),
        Err(error) => (false, format!("could not be read: {error:#}")),
    }
}

fn check_ports(testbed: &Testbed, recorder: &Recorder) {
    let silent: Vec<String> = testbed
        .cluster
        .brokers()
        .iter()
        .filter(|broker| !broker.answers())
        .map(|broker| testbed.actor(broker.id()))
        .collect();
    let detail = match silent.as_slice() {
        [] => format!("{BROKERS} of {BROKERS}"),
        silent => format!("{} of {BROKERS}; none at {}", BROKERS as usize - silent.len(), silent.join(", ")),
    };
    recorder.check("ports", "Every broker's port answers", silent.is_empty(), detail);
}
