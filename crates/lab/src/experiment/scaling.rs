//! `scaling`: does a cluster's throughput grow with its storage's limit? The storage reports' step from 2 to 4 GB/s (E5).
//!
//! Each broker has a volume of its own, and all volumes have the same limit in bytes per second, which is raised while the load runs.
//! The driver is *sync*, because data that the brokers' machines buffer would hide the limit.

use std::time::Duration;

use anyhow::{Context, Result};

use super::definition::Experiment;
use super::throughput::reports_driver;
use crate::cluster::{Load, Settings};
use crate::host::Environment;
use crate::report::{Axis, Better, CurveSpec, Recorder, Subject, number};
use crate::request::{Profile, Request, StorageKind};
use crate::testbed::{Layout, Tally, Target as _, Testbed, TestbedSpec, Title, Trial};

/// The experiment.
pub struct Scaling;

const BROKERS: u32 = 3;
const REPETITIONS: u32 = 3;
/// The tolerated deviation of the throughput from the limit, as a fraction.
const TOLERANCE: f64 = 0.15;

struct Sizes {
    /// Bytes per second of each broker's volume.
    limits: [u64; 3],
    factor: u32,
    node: Node,
}

/// The brokers of `scaling` and `sizing`, and the time of a measurement.
pub struct Node {
    pub guest_memory_mib: u32,
    pub heap_mib: u32,
    pub topics: u32,
    pub partitions: u32,
    pub clients: u32,
    pub warmup: Duration,
    pub measured: Duration,
}

impl Node {
    /// Its size in a profile.
    pub fn of(profile: Profile) -> Self {
        match profile {
            Profile::Laptop => Self {
                guest_memory_mib: 1100,
                heap_mib: 512,
                topics: 1,
                partitions: 12,
                clients: 2,
                warmup: Duration::from_secs(5),
                measured: Duration::from_secs(12),
            },
            Profile::Full => Self {
                guest_memory_mib: 8192,
                heap_mib: 4096,
                topics: 4,
                partitions: 100,
                clients: 40,
                warmup: Duration::from_secs(60),
                measured: Duration::from_secs(300),
            },
        }
    }

    /// Brokers with a volume of its own each.
    pub fn testbed(&self, brokers: u32) -> TestbedSpec {
        let settings = Settings::for_loads(brokers, self.heap_mib, &[]);
        let layout = Layout { volumes: 1, ..Layout::default() };
        TestbedSpec { layout, ..TestbedSpec::new(brokers, self.guest_memory_mib, settings) }
    }

    /// As fast as possible, with records that cannot be compressed or shared.
    pub fn load(&self, name: &str) -> Load {
        Load {
            name: name.to_owned(),
            topics: self.topics,
            partitions: self.partitions,
            message_bytes: 3072,
            producers: self.clients,
            consumers: self.clients,
            rate: Load::UNLIMITED,
            backlog_bytes: 0,
            warmup: self.warmup,
            measured: self.measured,
        }
    }
}

impl Sizes {
    fn of(profile: Profile) -> Self {
        let node = Node::of(profile);
        match profile {
            Profile::Laptop => Self { limits: [1_000_000, 2_000_000, 4_000_000], factor: 1, node },
            Profile::Full => Self { limits: [500_000_000, 1_000_000_000, 2_000_000_000], factor: 3, node },
        }
    }
}

/// Limits every broker's volume to this many bytes per second; `None`: no limit.
pub fn limit(testbed: &Testbed, bytes_per_second: Option<u64>) -> Result<()> {
    let volumes = testbed.storage.volumes().context("throughput cannot be limited")?;
    testbed.volume_names().iter().try_for_each(|name| volumes.limit(name, bytes_per_second))
}

impl Experiment for Scaling {
    fn name(&self) -> &'static str {
        "scaling"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Throughput grows with the storage",
            question: "The throughput limit of every broker's volume is doubled, and doubled again, while the cluster runs. Does the \
                       cluster's throughput double each time?",
            method: "Three brokers have a volume each, with a limit in bytes per second. Producers send as fast as the cluster accepts data. \
                     Every batch must be on the storage before it is acknowledged (flush.messages=1), because otherwise the brokers' machines \
                     would buffer the data that exceeds the limit. The limit of all volumes is changed while the brokers run.",
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
        let repetitions = request.repetitions.unwrap_or(REPETITIONS);
        recorder.setting("repetitions", repetitions);
        recorder.setting("limits of each broker's volume, bytes/s", sizes.limits.as_slice());
        let testbed = Testbed::start(environment, request, &sizes.node.testbed(BROKERS), recorder)?;
        let mut tally = Tally::default();
        let (load, clients) = (sizes.node.load("scaling"), reports_driver(true, sizes.factor));
        for repetition in 0..repetitions {
            for bytes in sizes.limits {
                recorder.stage(&format!("{} MB/s, {} of {repetitions}", megabytes(bytes), repetition + 1));
                limit(&testbed, Some(bytes))?;
                let label = format!("limit-{}-{}", bytes / 1_000, repetition + 1);
                let trial = Trial { target: &testbed, label, load: &load, clients: &clients };
                if let Some(outcome) = trial.run(recorder)? {
                    let produced = outcome.result.phase("steady")?.publish_bytes_per_second / 1e6;
                    tally.add(&name(bytes), testbed.name(), produced);
                }
                // Unsent records would count against the next measurement.
                limit(&testbed, None)?;
            }
        }
        Ok(conclude(&tally, &sizes, testbed.name(), recorder))
    }
}

/// Name of the drawing of throughput by limits.
const DRAWING: &str = "throughput_by_limit";

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn name(limit: u64) -> String {
    format!("produced_mb_per_s_at_{}", limit / 1_000)
}

fn conclude(tally: &Tally, sizes: &Sizes, storage: &str, recorder: &Recorder) -> String {
    recorder.curve(CurveSpec {
        drawing: DRAWING.to_owned(),
        title: "Throughput by limit of the storage".to_owned(),
        x: Axis::linear("Limit of each broker's volume", "MB/s"),
        y: Axis::linear("Produced", "MB/s"),
        references: Vec::new(),
    });
    for limit in sizes.limits {
        let name = name(limit);
        tally.curve_point(DRAWING, megabytes(limit), &name, &[storage.to_owned()], recorder);
        let whole = megabytes(limit) * f64::from(BROKERS) / f64::from(sizes.factor);
        let title = format!("Produced with a limit of {} MB/s for each broker's volume", megabytes(limit));
        let title = Title { name: &name, title: &title, unit: "MB/s", better: Better::Higher };
        tally.report(&title, &[storage.to_owned()], None, recorder);
        let produced = tally.median(&name, storage).unwrap_or(0.0);
        let near = (produced / whole - 1.0).abs() <= TOLERANCE;
        let title = format!(
            "With {} MB/s of storage for each broker, the cluster produces the possible {} MB/s",
            megabytes(limit),
            number(whole)
        );
        recorder.check(
            &format!("limit_{}", limit / 1_000),
            &title,
            near,
            format_args!("{} MB/s", number(produced)),
        );
    }
    let [smallest, .., largest] = sizes.limits;
    let grown = tally.ratio_of(&name(largest), &name(smallest), storage).unwrap_or(0.0);
    let times = largest as f64 / smallest as f64;
    let title = format!("With {times} times the storage the cluster produces {times} times as much");
    let linear = (grown / times - 1.0).abs() <= TOLERANCE;
    recorder.check("linear", &title, linear, format_args!("{grown:.2} times"));
    format!("With {times} times the storage throughput the cluster produces {grown:.2} times as much.")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::progress::Progress;

    fn verdict(produced: [f64; 3]) -> BTreeMap<String, bool> {
        let (sizes, recorder) = (Sizes::of(Profile::Laptop), Recorder::new(Progress::silent()));
        let mut tally = Tally::default();
        for (limit, value) in sizes.limits.into_iter().zip(produced) {
            tally.add(&name(limit), "forebay", value);
        }
        conclude(&tally, &sizes, "forebay", &recorder);
        let result = recorder.finish("scaling", "forebay", "laptop", "");
        result.checks.into_iter().map(|check| (check.name, check.passed)).collect()
    }

    #[test]
    fn throughput_that_does_not_follow_the_limit_fails() {
        assert!(verdict([3.0, 6.1, 11.8]).values().all(|passed| *passed));
        let bad = verdict([3.0, 6.0, 7.0]);
        assert_eq!((bad["limit_4000"], bad["linear"]), (false, false));
    }
}
