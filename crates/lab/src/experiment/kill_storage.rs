//! `kill-storage`: the storage server is killed (kill -9) and started again while brokers write with acks=all. Clients must
//! recover by themselves, with nothing worse than a pause, and every acknowledged record must be there.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::definition::Experiment;
use crate::cluster::{Assignment, Production, RecordsPlan, Settings, storage_errors};
use crate::host::Environment;
use crate::progress::Tone;
use crate::report::{Excerpt, Recorder, Subject, number};
use crate::request::{Profile, Request, StorageKind};
use crate::testbed::{Ended, Testbed, TestbedSpec, describe_verification, figure};

/// The experiment.
pub struct KillStorage;

const TOPIC: &str = "killed-storage";
const ACTOR: &str = "storage";
/// Time limit for the cluster to continue after the last kill: the server's grace period and the producer's timeouts.
const RECOVERY_PATIENCE: Duration = Duration::from_secs(300);
const VERIFY_PATIENCE_SECONDS: u32 = 120;

struct Sizes {
    brokers: u32,
    partitions: u32,
    records: u64,
    rate: u32,
    segment_bytes: u64,
    guest_memory_mib: u32,
    kills: &'static [Kill],
}

/// One kill of the server.
struct Kill {
    /// When this share of the records is acknowledged.
    at_percent: u64,
    /// The length of the outage.
    outage: Duration,
}

impl Sizes {
    fn of(profile: Profile) -> Self {
        const KILLS: [Kill; 3] = [
            Kill { at_percent: 20, outage: Duration::from_secs(1) },
            Kill { at_percent: 45, outage: Duration::from_secs(5) },
            Kill { at_percent: 70, outage: Duration::from_secs(15) },
        ];
        match profile {
            Profile::Laptop => Self {
                brokers: 2,
                partitions: 4,
                records: 150_000,
                rate: 3_000,
                segment_bytes: 16 << 20,
                guest_memory_mib: 1100,
                kills: KILLS.get(..2).unwrap_or_default(),
            },
            Profile::Full => Self {
                brokers: 3,
                partitions: 12,
                records: 3_000_000,
                rate: 10_000,
                segment_bytes: 256 << 20,
                guest_memory_mib: 1600,
                kills: const { &KILLS },
            },
        }
    }
}

impl Experiment for KillStorage {
    fn name(&self) -> &'static str {
        "kill-storage"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Killing the storage server under load",
            question: "The storage server is killed with kill -9 and started again while brokers write with acks=all. Do \
                       the brokers notice more than a pause, and is every acknowledged record there?",
            method: "Brokers write with acks=all. Under load the storage server is killed with kill -9 and started again after a while. The \
                     producer continues until all records are acknowledged. At the end the clients drop their caches and every record is \
                     read back. No broker's process may have ended, and the brokers' logs are searched for errors.",
        }
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        *kind == StorageKind::Forebay
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let sizes = Sizes::of(request.profile);
        // A pause of the storage is no reason to shrink the set of replicas in sync.
        let more = BTreeMap::from([("replica.lag.time.max.ms".to_owned(), "300000".to_owned())]);
        let settings = Settings {
            heap_mib: 512,
            segment_bytes: sizes.segment_bytes,
            delete_delay_ms: 5_000,
            more,
            metrics: false,
        };
        let spec = TestbedSpec::new(sizes.brokers, sizes.guest_memory_mib, settings);
        let mut testbed = Testbed::start(environment, request, &spec, recorder)?;
        recorder.begin(ACTOR, "serving", Tone::Good);
        let plan = plan(environment, &sizes);
        create_topic(&testbed, &sizes, recorder)?;
        recorder.stage("records written");
        let production = testbed.cluster.tools().produce(&plan, recorder)?;
        let kills = kill_while(&mut testbed, &production, &sizes, recorder)?;
        conclude_production(production, &plan, kills, &sizes, recorder)?;
        recorder.stage("records read back");
        testbed.drop_caches()?;
        let summary = testbed.cluster.tools().verify(&plan, VERIFY_PATIENCE_SECONDS, recorder)?;
        check_brokers(&testbed, environment, recorder)?;
        let (passed, detail) = describe_verification(&summary);
        recorder.check(
            "records",
            "Every acknowledged record is read back once, byte for byte",
            passed,
            detail,
        );
        std::fs::remove_file(&plan.acknowledged).context("remove the log of acknowledgements")?;
        Ok(format!(
            "The server was killed {kills} times; brokers only paused, and all {} records are there.",
            number(plan.records as f64)
        ))
    }
}

fn plan(environment: &Environment, sizes: &Sizes) -> RecordsPlan {
    let acknowledged = environment.out().join("acknowledged.bin");
    RecordsPlan { rate: Some(sizes.rate), ..RecordsPlan::new(TOPIC, sizes.records, 1024, 2, acknowledged) }
}

fn create_topic(testbed: &Testbed, sizes: &Sizes, recorder: &Recorder) -> Result<()> {
    recorder.setting("records", sizes.records);
    recorder.setting("records per second", sizes.rate);
    let (partitions, factor) = (sizes.partitions, sizes.brokers);
    recorder.setting(
        "topic",
        format!("{partitions} partitions, factor {factor}, min.insync.replicas {factor}, acks all"),
    );
    let assignment = Assignment::even(TOPIC, partitions, factor, sizes.brokers, 0);
    testbed.cluster.tools().create_topic(&assignment, &[("min.insync.replicas", factor.to_string())])
}

/// Kills and restarts the server as planned. Returns the number of kills before the last record was written.
fn kill_while(
    testbed: &mut Testbed,
    production: &Production,
    sizes: &Sizes,
    recorder: &Recorder,
) -> Result<usize> {
    let mut done = 0;
    for kill in sizes.kills {
        if !wait_for_share(production, sizes.records * kill.at_percent / 100, recorder)? {
            break;
        }
        testbed.storage.kill()?;
        recorder.begin(ACTOR, "killed", Tone::Bad);
        recorder.event(Tone::Plain, format_args!("kill -9 of the storage server at {} %", kill.at_percent));
        std::thread::sleep(kill.outage);
        testbed.storage.restart()?;
        recorder.begin(ACTOR, "serving", Tone::Good);
        recorder
            .event(Tone::Plain, format_args!("the storage server is back after {} s", kill.outage.as_secs()));
        done += 1;
    }
    Ok(done)
}

/// Waits until that many records are acknowledged; false if the producer ended before.
fn wait_for_share(production: &Production, share: u64, recorder: &Recorder) -> Result<bool> {
    let mut deadline = Instant::now() + RECOVERY_PATIENCE;
    let mut last = 0;
    while production.acknowledged() < share {
        if production.has_ended() {
            return Ok(false);
        }
        if production.acknowledged() > last {
            last = production.acknowledged();
            deadline = Instant::now() + RECOVERY_PATIENCE;
        }
        let seconds = RECOVERY_PATIENCE.as_secs();
        ensure!(
            Instant::now() < deadline,
            "no record was acknowledged for {seconds} s, after {last} that were"
        );
        recorder.detail(format_args!("{last} records acknowledged"));
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(true)
}

fn conclude_production(
    production: Production,
    plan: &RecordsPlan,
    kills: usize,
    sizes: &Sizes,
    recorder: &Recorder,
) -> Result<()> {
    let summary = production.wait()?;
    let acknowledged = figure(&summary, "acknowledged");
    let pause_s = figure(&summary, "pause_ms_max") / 1000.0;
    recorder.figure("acknowledged_records", "Records acknowledged", acknowledged, "");
    recorder.figure("kills", "Kills", kills as f64, "");
    recorder.figure("pause_s_max", "Longest pause", pause_s, "s");
    let planned = sizes.kills.len();
    let detail = format!("{kills} of {planned} kills while records were written");
    recorder.check("kills", "The server was killed under load", kills == planned, detail);
    let failure =
        summary.get("first_failure").and_then(|text| text.as_str()).map(|text| format!(" ({text})"));
    let detail = format!(
        "{} of {}, with a pause of {pause_s:.1} s at most{}",
        number(acknowledged),
        number(plan.records as f64),
        failure.unwrap_or_default()
    );
    let all = acknowledged as u64 == plan.records;
    recorder.check("acknowledged", "Every record is acknowledged in the end", all, detail);
    Ok(())
}

fn check_brokers(testbed: &Testbed, environment: &Environment, recorder: &Recorder) -> Result<()> {
    let mut ended = Ended::default();
    ended.look(testbed, recorder)?;
    ended.check(testbed, environment, recorder);
    let mut complaints = 0;
    for broker in testbed.cluster.brokers() {
        let lines = storage_errors(broker.log_file());
        complaints += lines.len();
        if !lines.is_empty() {
            let file = broker.log_file();
            let file = file.strip_prefix(environment.out()).unwrap_or(file).display().to_string();
            let title = format!("Log of broker {} about its storage", broker.id());
            recorder.excerpt(Excerpt { title, file, lines, highlight: String::new() });
        }
    }
    let detail = if complaints == 0 { "none".to_owned() } else { format!("{complaints} lines") };
    recorder.check("quiet", "No broker logged an error of its storage", complaints == 0, detail);
    Ok(())
}
