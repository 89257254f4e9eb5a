//! `backlog`: how fast do consumers catch up with data that is in no broker's cache any more? The storage reports' test of steady state
//! and backlog (E6).
//!
//! There are three phases: producers alone build a backlog, consumers drain it while producers continue, and then both run steadily.
//! Before the drain, every broker's machine and the host below the storage drop their caches, so that consumers read from the disk.

use std::time::Duration;

use anyhow::Result;

use super::definition::Experiment;
use super::throughput::reports_driver;
use crate::cluster::{Load, Settings};
use crate::host::Environment;
use crate::report::{Better, Recorder, Subject, Target, number};
use crate::request::{Profile, Request, StorageKind};
use crate::testbed::{Outcome, Tally, TestbedSpec, Testbeds, Title, Trial};

/// The experiment.
pub struct Backlog;

const FACTOR: u32 = 3;
/// An even number, so that each storage is first equally often.
const REPETITIONS: u32 = 4;
/// Brokers that share a processor get faster from one drain to the next, on one storage for longer than on the other.
const WARM_UPS: u32 = 2;
/// The smallest ratio of the first storage's drain rate to that of the second.
const RATIO_MIN: f64 = 0.9;

struct Sizes {
    brokers: u32,
    topics: u32,
    partitions: u32,
    producers: u32,
    consumers: u32,
    rate: u32,
    /// Without a limit, because the rate is not under test.
    warm_up_rate: u32,
    linger_ms: u32,
    backlog_bytes: u64,
    warmup: Duration,
    measured: Duration,
    guest_memory_mib: u32,
    heap_mib: u32,
    broker_settings: &'static [(&'static str, &'static str)],
}

const MESSAGE_BYTES: u32 = 16_384;

impl Sizes {
    fn of(profile: Profile) -> Self {
        match profile {
            Profile::Laptop => Self {
                brokers: 3,
                topics: 1,
                partitions: 12,
                producers: 2,
                consumers: 2,
                // A rate that brokers can accept during a drain. A drain that starves producers is faster, and it starves them more on
                // one storage than on another. Producers linger, because a request for each message would use up the brokers' processor.
                rate: 500,
                warm_up_rate: 1000,
                linger_ms: 100,
                backlog_bytes: 320 << 20,
                warmup: Duration::from_secs(2),
                measured: Duration::from_secs(4),
                guest_memory_mib: 1100,
                heap_mib: 512,
                broker_settings: &[],
            },
            Profile::Full => Self {
                brokers: 8,
                topics: 4,
                partitions: 100,
                producers: 20,
                consumers: 20,
                rate: 250_000,
                warm_up_rate: 250_000,
                linger_ms: 1,
                backlog_bytes: 4096 << 30,
                warmup: Duration::from_secs(60),
                measured: Duration::from_secs(600),
                guest_memory_mib: 8192,
                heap_mib: 4096,
                broker_settings: &[
                    ("num.io.threads", "96"),
                    ("num.network.threads", "96"),
                    ("background.threads", "20"),
                    ("num.replica.alter.log.dirs.threads", "40"),
                    ("num.replica.fetchers", "20"),
                    ("queued.max.requests", "2000"),
                ],
            },
        }
    }

    fn testbed(&self) -> TestbedSpec {
        let settings = Settings::for_loads(self.brokers, self.heap_mib, self.broker_settings);
        TestbedSpec::new(self.brokers, self.guest_memory_mib, settings)
    }

    fn load(&self) -> Load {
        Load {
            name: "backlog".into(),
            topics: self.topics,
            partitions: self.partitions,
            message_bytes: MESSAGE_BYTES,
            producers: self.producers,
            consumers: self.consumers,
            rate: self.rate,
            backlog_bytes: self.backlog_bytes,
            warmup: self.warmup,
            measured: self.measured,
        }
    }
}

impl Experiment for Backlog {
    fn name(&self) -> &'static str {
        "backlog"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Backlog",
            question: "Consumers pause until the backlog is far larger than the memory of the brokers' machines, and then catch up while \
                       producers continue. How fast is each phase?",
            method: "Each storage has its own brokers, each in a Linux machine of its own. Producers write messages of 16 KiB at a fixed rate to \
                     a topic with three replicas of each partition. Consumers pause until the backlog has the planned size, and until every \
                     broker's machine has dropped its caches and the host its cached pages of the storage's files. Then the consumers read as \
                     fast as they can, while producers continue, until they have caught up. Each phase is timed separately. The storages \
                     take turns.",
        }
    }

    fn needs_guests(&self) -> bool {
        false
    }

    fn takes_clusters(&self) -> bool {
        true
    }

    fn disk_bytes(&self, profile: Profile) -> u64 {
        // Producers continue while consumers drain.
        Sizes::of(profile).backlog_bytes.saturating_mul(u64::from(FACTOR)).saturating_mul(2)
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
        recorder.setting("backlog, bytes", sizes.backlog_bytes);
        recorder.setting("messages per second", sizes.rate);
        recorder.setting("message size, bytes", MESSAGE_BYTES);
        recorder.setting("linger.ms", sizes.linger_ms);
        let testbeds = Testbeds::start(environment, request, sizes.testbed(), recorder)?;
        testbeds.require_brokers(FACTOR)?;
        let (load, clients) = (sizes.load(), reports_driver(false, FACTOR).lingering(sizes.linger_ms));
        // With a drain, because that is the work that Java must have compiled.
        let warm_up =
            Load { rate: sizes.warm_up_rate, backlog_bytes: sizes.backlog_bytes / 2, ..load.clone() };
        testbeds.warm_up(&warm_up, &clients, WARM_UPS, recorder)?;
        let mut tally = Tally::default();
        for repetition in 0..repetitions {
            recorder.stage(&format!("backlog, {} of {repetitions}", repetition + 1));
            for target in testbeds.in_turn(repetition) {
                let label = format!("{}-{}", target.name(), repetition + 1);
                let trial = Trial { target, label, load: &load, clients: &clients };
                if let Some(outcome) = trial.run(recorder)? {
                    take(&mut tally, target.name(), &outcome)?;
                }
            }
        }
        testbeds.check_brokers(recorder)?;
        conclude(&tally, &testbeds.names(), repetitions, recorder)
    }
}

fn take(tally: &mut Tally, storage: &str, outcome: &Outcome) -> Result<()> {
    let result = &outcome.result;
    let (build, drain) = (result.phase("build")?, result.phase("drain")?);
    tally.add("build_s", storage, build.seconds);
    tally.add("build_mb_per_s", storage, build.publish_bytes_per_second / 1e6);
    tally.add("drain_s", storage, drain.seconds);
    tally.add("drain_mb_per_s", storage, drain.consume_bytes_per_second / 1e6);
    tally.add("drain_publish_mb_per_s", storage, drain.publish_bytes_per_second / 1e6);
    tally.add("steady_mb_per_s", storage, result.phase("steady")?.consume_bytes_per_second / 1e6);
    tally.add("publish_ms_p99", storage, result.publish_ms_p99);
    Ok(())
}

/// The measurements: name, title, unit, and which direction is better.
const MEASURED: [(&str, &str, &str, Better); 7] = [
    ("build_s", "Build: time", "s", Better::Lower),
    ("build_mb_per_s", "Build: produced", "MB/s", Better::Higher),
    ("drain_s", "Drain: time", "s", Better::Lower),
    ("drain_mb_per_s", "Drain: consumed", "MB/s", Better::Higher),
    ("drain_publish_mb_per_s", "Drain: produced meanwhile", "MB/s", Better::Higher),
    ("steady_mb_per_s", "Afterwards: consumed", "MB/s", Better::Higher),
    ("publish_ms_p99", "Publish latency, p99 of all phases", "ms", Better::Lower),
];

fn conclude(tally: &Tally, storages: &[String], repetitions: u32, recorder: &Recorder) -> Result<String> {
    for (name, title, unit, better) in MEASURED {
        let target = (name == "drain_mb_per_s" && storages.len() > 1).then_some(Target::Ratio(RATIO_MIN));
        tally.report(&Title { name, title, unit, better }, storages, target, recorder);
    }
    for storage in storages {
        let count = tally.samples("drain_s", storage).map_or(0, |samples| samples.values.len());
        let title = format!("{storage}: consumers drain the backlog in every repetition");
        let all = count == repetitions as usize;
        recorder.check(&format!("drained_{storage}"), &title, all, format_args!("{count} of {repetitions}"));
    }
    if let [first, second, ..] = storages
        && let Some(found) = tally.mean_ratio(&["drain_mb_per_s".to_owned()], first, second)
    {
        let title = format!("Consumers drain {first} at least {RATIO_MIN} times as fast as {second}");
        recorder.check("drain_ratio", &title, found.mean >= RATIO_MIN, found);
    }
    let told = storages.iter().filter_map(|storage| {
        let drain = tally.median("drain_mb_per_s", storage)?;
        Some(format!("{} MB/s from {storage}", number(drain)))
    });
    Ok(format!("Consumers drain the backlog at {}.", told.collect::<Vec<_>>().join(", ")))
}
