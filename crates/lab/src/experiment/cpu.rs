//! `cpu`: how much CPU do brokers need at a given rate on each storage? The storage reports' test of broker CPU (E2).

use std::time::Duration;

use anyhow::Result;

use super::definition::Experiment;
use super::throughput::reports_driver;
use crate::cluster::{Clients, Load, Settings};
use crate::host::Environment;
use crate::report::{Axis, Better, CurveSpec, Recorder, Subject};
use crate::request::{Profile, Request, StorageKind};
use crate::testbed::{Outcome, Tally, TestbedSpec, Testbeds, Title, Trial};

/// The experiment.
pub struct Cpu;

const BROKERS: u32 = 3;
const FACTOR: u32 = 3;
const MESSAGE_BYTES: u32 = 1024;
const REPETITIONS: u32 = 3;
/// The share of a rate that must be published, in percent. With less, the measured CPU would be that of another rate. A measurement can end
/// with more messages in flight than it began with: with producers that linger 100 ms, up to 3 % of the messages of ten seconds. The
/// check uses the median, as for the CPU, because a machine that is slow for a minute can make one repetition fall short.
const SUSTAINED_PERCENT: f64 = 95.0;

struct Sizes {
    /// Messages per second.
    rates: &'static [u32],
    partitions: u32,
    /// Producers, and as many consumers.
    clients: u32,
    linger_ms: u32,
    warmup: Duration,
    measured: Duration,
    guest_memory_mib: u32,
    heap_mib: u32,
}

impl Sizes {
    fn of(profile: Profile) -> Self {
        match profile {
            // All of the brokers' guests share one processor of two, where requests are expensive. Producers that do not linger send a
            // request for each message; then 50 messages a second take 80 % of the processor. With ten requests a second from each producer,
            // 1,000 messages take 30 %.
            Profile::Laptop => Self {
                rates: &[500, 2_000, 5_000],
                partitions: 12,
                clients: 1,
                linger_ms: 100,
                warmup: Duration::from_secs(3),
                measured: Duration::from_secs(10),
                guest_memory_mib: 1100,
                heap_mib: 512,
            },
            Profile::Full => Self {
                rates: &[10_000, 40_000, 80_000, 100_000],
                partitions: 100,
                clients: 4,
                linger_ms: 1,
                warmup: Duration::from_secs(60),
                measured: Duration::from_secs(300),
                guest_memory_mib: 8192,
                heap_mib: 4096,
            },
        }
    }

    fn testbed(&self) -> TestbedSpec {
        TestbedSpec::new(BROKERS, self.guest_memory_mib, Settings::for_loads(BROKERS, self.heap_mib, &[]))
    }

    fn driver(&self) -> Clients {
        reports_driver(false, FACTOR).lingering(self.linger_ms)
    }

    fn load(&self, rate: u32) -> Load {
        Load {
            name: format!("cpu-{rate}"),
            topics: 1,
            partitions: self.partitions,
            message_bytes: MESSAGE_BYTES,
            producers: self.clients,
            consumers: self.clients,
            rate,
            backlog_bytes: 0,
            warmup: self.warmup,
            measured: self.measured,
        }
    }
}

impl Experiment for Cpu {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Broker CPU",
            question: "How much CPU do brokers need on each storage at each rate of messages?",
            method: "Each storage has three brokers, each in a Linux machine of its own with one processor. Producers and consumers \
                     use one topic with three replicas of each partition, at several fixed rates in turn. The storages take turns. When \
                     the rate is steady, the experiment reads the CPU time that each broker's machine has used on this host, waits, and \
                     reads it again. This includes the machine's kernel with its NFS client. A rate fails if less than 95 % of it was \
                     published in the median repetition.",
        }
    }

    fn needs_guests(&self) -> bool {
        false
    }

    fn takes_clusters(&self) -> bool {
        true
    }

    fn disk_bytes(&self, profile: Profile) -> u64 {
        let Sizes { rates, warmup, measured, .. } = Sizes::of(profile);
        let rates: u64 = rates.iter().copied().map(u64::from).sum();
        let messages = rates.saturating_mul((warmup + measured).as_secs());
        messages.saturating_mul(u64::from(MESSAGE_BYTES * FACTOR * REPETITIONS)).saturating_add(1 << 30)
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
        recorder.setting("rates, messages/s", sizes.rates);
        recorder.setting("producers, and as many consumers", sizes.clients);
        recorder.setting("linger.ms", sizes.linger_ms);
        let testbeds = Testbeds::start(environment, request, sizes.testbed(), recorder)?;
        testbeds.require_brokers(FACTOR)?;
        if let Some(highest) = sizes.rates.last() {
            testbeds.warm_up(&sizes.load(*highest), &sizes.driver(), 1, recorder)?;
        }
        let mut work = Work { recorder, sizes, tally: Tally::default() };
        for repetition in 0..repetitions {
            for rate in work.sizes.rates {
                recorder.stage(&format!("{rate}/s, {} of {repetitions}", repetition + 1));
                work.measure(&testbeds, repetition, *rate)?;
            }
        }
        testbeds.check_brokers(recorder)?;
        work.conclude(&testbeds.names(), repetitions)
    }
}

struct Work<'a> {
    recorder: &'a Recorder,
    sizes: Sizes,
    tally: Tally,
}

/// The drawings, and the curves in each.
const CURVES: [(&str, &str); 2] =
    [("cpu_by_rate", "broker_cpu_percent"), ("latency_by_rate", "publish_ms_p99")];

fn recorder_curves(recorder: &Recorder) {
    let rate = || Axis::linear("Rate", "messages/s");
    for (drawing, title, y) in [
        ("cpu_by_rate", "Brokers' CPU by rate of messages", Axis::linear("CPU of a broker's machine", "%")),
        ("latency_by_rate", "Publish latency by rate of messages", Axis::linear("99th percentile", "ms")),
    ] {
        let (drawing, title) = (drawing.to_owned(), title.to_owned());
        recorder.curve(CurveSpec { drawing, title, x: rate(), y, references: Vec::new() });
    }
}

fn name(what: &str, rate: u32) -> String {
    format!("{what}_at_{rate}")
}

impl Work<'_> {
    fn measure(&mut self, testbeds: &Testbeds, repetition: u32, rate: u32) -> Result<()> {
        let (load, clients) = (self.sizes.load(rate), self.sizes.driver());
        for target in testbeds.in_turn(repetition) {
            let label = format!("{}-{rate}-{}", target.name(), repetition + 1);
            let trial = Trial { target, label, load: &load, clients: &clients };
            if let Some(outcome) = trial.run(self.recorder)? {
                self.take(target.name(), rate, &outcome)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, storage: &str, rate: u32, outcome: &Outcome) -> Result<()> {
        let published = outcome.result.phase("steady")?.publish_rate / f64::from(rate) * 100.0;
        self.tally.add(&name("published_percent", rate), storage, published);
        self.tally.add(&name("publish_ms_p99", rate), storage, outcome.result.publish_ms_p99);
        self.tally.add(&name("intended_ms_p99", rate), storage, outcome.result.intended_ms_p99());
        if let Some(cpu) = outcome.mean_broker_cpu() {
            self.tally.add(&name("broker_cpu_percent", rate), storage, cpu);
        }
        if let Some(server) = outcome.server_processors {
            self.tally.add(&name("server_processors", rate), storage, server);
        }
        Ok(())
    }

    fn conclude(&self, storages: &[String], repetitions: u32) -> Result<String> {
        recorder_curves(self.recorder);
        for rate in self.sizes.rates {
            for (drawing, what) in CURVES {
                self.tally.curve_point(
                    drawing,
                    f64::from(*rate),
                    &name(what, *rate),
                    storages,
                    self.recorder,
                );
            }
            for (what, title, unit) in [
                ("broker_cpu_percent", "brokers' CPU", "%"),
                ("server_processors", "processors of the storage's server", ""),
                ("publish_ms_p99", "publish latency, p99", "ms"),
                ("intended_ms_p99", "latency from the intended time, p99", "ms"),
            ] {
                let (name, title) = (name(what, *rate), format!("{rate} messages/s: {title}"));
                let title = Title { name: &name, title: &title, unit, better: Better::Lower };
                self.tally.report(&title, storages, None, self.recorder);
            }
        }
        storages.iter().for_each(|storage| self.check(storage, repetitions));
        Ok(storages.iter().filter_map(|storage| self.told(storage)).collect::<Vec<_>>().join(" "))
    }

    /// Checks that every repetition was measured, and that every rate was sustained in the median repetition.
    fn check(&self, storage: &str, repetitions: u32) {
        let short: Vec<String> = self
            .sizes
            .rates
            .iter()
            .filter_map(|rate| {
                let samples = self.tally.samples(&name("published_percent", *rate), storage);
                let median = samples.as_ref().map_or(0.0, |samples| samples.median);
                let count = samples.map_or(0, |samples| samples.values.len());
                let enough = median >= SUSTAINED_PERCENT && count == repetitions as usize;
                (!enough).then(|| format!("{rate}/s: {median:.1} % in the median of {count} repetitions"))
            })
            .collect();
        let detail =
            if short.is_empty() { format!("{} rates", self.sizes.rates.len()) } else { short.join(", ") };
        let title = format!("{storage}: at least {SUSTAINED_PERCENT} % of every rate is published");
        self.recorder.check(&format!("sustained_{storage}"), &title, short.is_empty(), detail);
    }

    fn told(&self, storage: &str) -> Option<String> {
        let cpu = |rate: &u32| self.tally.median(&name("broker_cpu_percent", *rate), storage);
        let (low, high) = (self.sizes.rates.first()?, self.sizes.rates.last()?);
        Some(format!(
            "On {storage} brokers' CPU rises from {:.0} % at {low} to {:.0} % at {high} messages per second.",
            cpu(low)?,
            cpu(high)?
        ))
    }
}
