//! `throughput`: how much can a cluster produce and consume on each storage? The storage reports' test of throughput (E5).
//!
//! There are two drivers, as in the reports: with *throughput* the brokers' kernels decide when to write, with *sync* every batch is written
//! before it is acknowledged (`flush.messages=1`). Both run with factors 1 and 3. Then the first driver runs again with several volumes for
//! each broker, and with more connections, each compared with one volume and the default number of connections on the same storage.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::Result;

use super::definition::Experiment;
use crate::cluster::{Clients, Load, Settings};
use crate::host::Environment;
use crate::report::{Axis, Better, CurveSpec, Recorder, Subject, Target};
use crate::request::{Profile, Request, StorageKind};
use crate::testbed::{Layout, Outcome, Tally, TestbedSpec, Testbeds, Title, Trial};

/// The experiment.
pub struct Throughput;

const BROKERS: u32 = 3;
/// The smallest ratio of the first storage's throughput to that of the second.
const RATIO_MIN: f64 = 0.9;
const REPETITIONS: u32 = 3;

struct Sizes {
    topics: u32,
    partitions: u32,
    producers: u32,
    consumers: u32,
    warmup: Duration,
    measured: Duration,
    guest_memory_mib: u32,
    heap_mib: u32,
    volumes: u32,
    connections: u32,
    brokers: &'static [(&'static str, &'static str)],
}

impl Sizes {
    fn of(profile: Profile) -> Self {
        match profile {
            Profile::Laptop => Self {
                topics: 1,
                partitions: 12,
                producers: 2,
                consumers: 2,
                warmup: Duration::from_secs(4),
                measured: Duration::from_secs(10),
                guest_memory_mib: 1100,
                heap_mib: 512,
                volumes: 3,
                connections: 16,
                brokers: &[],
            },
            Profile::Full => Self {
                topics: 4,
                partitions: 100,
                producers: 40,
                consumers: 80,
                warmup: Duration::from_secs(60),
                measured: Duration::from_secs(300),
                guest_memory_mib: 8192,
                heap_mib: 4096,
                volumes: 6,
                connections: 16,
                brokers: &[
                    ("num.network.threads", "64"),
                    ("num.io.threads", "64"),
                    ("background.threads", "20"),
                    ("num.replica.fetchers", "20"),
                    ("num.replica.alter.log.dirs.threads", "40"),
                    ("replica.fetch.max.bytes", "524288000"),
                ],
            },
        }
    }

    fn load(&self) -> Load {
        Load {
            name: "throughput".into(),
            topics: self.topics,
            partitions: self.partitions,
            message_bytes: 3072,
            producers: self.producers,
            consumers: self.consumers,
            rate: Load::UNLIMITED,
            backlog_bytes: 0,
            warmup: self.warmup,
            measured: self.measured,
        }
    }

    fn testbed(&self, layout: Layout) -> TestbedSpec {
        let settings = Settings::for_loads(BROKERS, self.heap_mib, self.brokers);
        TestbedSpec { layout, ..TestbedSpec::new(BROKERS, self.guest_memory_mib, settings) }
    }
}

/// The settings of the reports' drivers. With `sync`, every batch is on stable storage before it is acknowledged.
pub fn reports_driver(sync: bool, factor: u32) -> Clients {
    let map = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect::<BTreeMap<_, _>>()
    };
    let mut topic = map(&[("min.insync.replicas", if factor > 1 { "2" } else { "1" })]);
    if sync {
        topic.extend(map(&[("flush.messages", "1"), ("flush.ms", "0")]));
    }
    Clients {
        name: format!("{}-factor-{factor}", if sync { "sync" } else { "throughput" }),
        factor,
        topic,
        producer: map(&[
            ("acks", "all"),
            ("linger.ms", "1"),
            ("batch.size", "1048576"),
            ("request.timeout.ms", "1200000"),
            ("delivery.timeout.ms", "1300000"),
        ]),
        consumer: map(&[
            ("auto.offset.reset", "earliest"),
            ("enable.auto.commit", "false"),
            ("max.partition.fetch.bytes", "10485760"),
        ]),
    }
}

impl Experiment for Throughput {
    fn name(&self) -> &'static str {
        "throughput"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Throughput",
            question: "How much can a Kafka cluster produce and consume on a storage, with and without a flush of every batch before its \
                       acknowledgement, at replication factors 1 and 3, with one and several volumes for each broker?",
            method: "Each storage has three brokers, each in a Linux machine of its own. Producers send as fast as the cluster accepts data, and \
                     consumers read it. As in the reports' load, messages have 3 KiB, half random bytes and half zeros, from a pool of 100. The \
                     settings of topics and clients are those of the reports' two drivers. The result is the sum of the produced and the consumed \
                     data after a warm-up. Storages take turns within each repetition, and each repetition has new clusters. All brokers and \
                     the load share one machine's processors, so the storages are compared with the same CPU.",
        }
    }

    fn needs_guests(&self) -> bool {
        false
    }

    fn takes_clusters(&self) -> bool {
        true
    }

    fn disk_bytes(&self, profile: Profile) -> u64 {
        /// More than most storages take.
        const BYTES_PER_SECOND: u64 = 500_000_000;
        let Sizes { warmup, measured, .. } = Sizes::of(profile);
        // One load's topics, with three replicas; they are deleted before the next.
        (warmup + measured).as_secs().saturating_mul(3 * BYTES_PER_SECOND)
    }

    fn compares(&self) -> bool {
        true
    }

    fn default_storages(&self) -> &'static [StorageKind] {
        &[StorageKind::Forebay, StorageKind::Local]
    }

    fn parts(&self) -> &'static [&'static str] {
        &["drivers", "volumes", "connections"]
    }

    fn is_of_reports(&self) -> bool {
        true
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let sizes = Sizes::of(request.profile);
        let repetitions = request.repetitions.unwrap_or(REPETITIONS);
        recorder.setting("repetitions", repetitions);
        let mut work = Work {
            environment,
            request,
            recorder,
            sizes,
            repetitions,
            tally: Tally::default(),
            tried: BTreeSet::new(),
        };
        if request.wants("drivers") {
            work.drivers()?;
        }
        let volumes = Layout { volumes: work.sizes.volumes, ..Layout::default() };
        let connections = Layout { connections: Some(work.sizes.connections), ..Layout::default() };
        if request.wants("volumes") {
            work.variant("volumes", volumes)?;
        }
        if request.wants("connections") {
            work.variant("connections", connections)?;
        }
        work.conclude()
    }
}

struct Work<'a> {
    environment: &'a Environment,
    request: &'a Request,
    recorder: &'a Recorder,
    sizes: Sizes,
    repetitions: u32,
    tally: Tally,
    /// The name and the storage of every load that should have been measured.
    tried: BTreeSet<(String, String)>,
}

/// A driver and a replication factor.
const CELLS: [(bool, u32); 4] = [(false, 3), (true, 3), (false, 1), (true, 1)];

/// Name of the drawing of latencies, and the percentiles in it.
const LATENCY: &str = "latency_by_percentile";
const PERCENTILES: [f64; 5] = [50.0, 75.0, 90.0, 99.0, 99.9];

fn percentile_name(percentile: f64) -> String {
    format!("publish_ms_p{percentile}")
}

/// The name of a cell's measurements.
fn cell_name(sync: bool, factor: u32) -> String {
    format!("{}_factor_{factor}", if sync { "sync" } else { "throughput" })
}

/// The name of the rate that is produced and consumed under a load.
fn rate_name(load: &str) -> String {
    format!("{load}_mb_per_s")
}

impl Work<'_> {
    fn start(&self, request: &Request, layout: Layout) -> Result<Testbeds> {
        Testbeds::start(self.environment, request, self.sizes.testbed(layout), self.recorder)
    }

    /// Runs both drivers at both factors, on all storages in turns, with new clusters in each repetition. The code that Java's compiler
    /// generates in a broker's first seconds stays for the broker's life, so one cluster can be a third faster than another on the same
    /// storage.
    fn drivers(&mut self) -> Result<()> {
        for repetition in 0..self.repetitions {
            let testbeds = self.start(self.request, Layout::default())?;
            let cells: Vec<_> =
                CELLS.into_iter().filter(|(_, factor)| *factor <= testbeds.brokers()).collect();
            // Brokers that share a processor get faster for minutes, again for each factor.
            let load = Load { measured: self.sizes.measured / 2, ..self.sizes.load() };
            for (sync, factor) in cells.iter().filter(|(sync, _)| !sync) {
                testbeds.warm_up(&load, &reports_driver(*sync, *factor), 1, self.recorder)?;
            }
            self.recorder.stage(&format!("drivers, {} of {}", repetition + 1, self.repetitions));
            for (sync, factor) in &cells {
                let clients = reports_driver(*sync, *factor);
                self.measure(&testbeds, repetition, &clients, &cell_name(*sync, *factor))?;
            }
            testbeds.check_brokers(self.recorder)?;
        }
        Ok(())
    }

    /// Runs the throughput driver at factor 3 with other numbers of volumes and connections on Forebay. Other storages do not have both.
    fn variant(&mut self, name: &str, layout: Layout) -> Result<()> {
        if !self.request.storages.contains(&StorageKind::Forebay) {
            return Ok(());
        }
        let request = Request { storages: vec![StorageKind::Forebay], ..self.request.clone() };
        let testbeds = self.start(&request, layout)?;
        testbeds.warm_up(&self.sizes.load(), &reports_driver(false, 3), 1, self.recorder)?;
        for repetition in 0..self.repetitions {
            self.recorder.stage(&format!("{name}, {} of {}", repetition + 1, self.repetitions));
            self.measure(&testbeds, repetition, &reports_driver(false, 3), &format!("{name}_factor_3"))?;
        }
        testbeds.check_brokers(self.recorder)
    }

    fn measure(&mut self, testbeds: &Testbeds, repetition: u32, clients: &Clients, name: &str) -> Result<()> {
        let load = self.sizes.load();
        for target in testbeds.in_turn(repetition) {
            let label = format!("{}-{}-{}", target.name(), name.replace('_', "-"), repetition + 1);
            self.tried.insert((rate_name(name), target.name().to_owned()));
            let trial = Trial { target, label, load: &load, clients };
            if let Some(outcome) = trial.run(self.recorder)? {
                self.take(name, target.name(), &outcome)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, name: &str, storage: &str, outcome: &Outcome) -> Result<()> {
        let tally = &mut self.tally;
        tally.add(&rate_name(name), storage, outcome.total_mb_per_s()?);
        tally.add(&format!("{name}_publish_ms_p99"), storage, outcome.result.publish_ms_p99);
        if name == cell_name(false, 3) {
            for percentile in PERCENTILES {
                let value = outcome.result.publish_percentile(percentile);
                value.into_iter().for_each(|ms| tally.add(&percentile_name(percentile), storage, ms));
            }
        }
        if let Some(cpu) = outcome.mean_broker_cpu() {
            tally.add(&format!("{name}_broker_cpu_percent"), storage, cpu);
        }
        if let Some(server) = outcome.server_processors {
            tally.add(&format!("{name}_server_processors"), storage, server);
        }
        Ok(())
    }

    fn conclude(&self) -> Result<String> {
        let storages = self.request.names();
        self.recorder.curve(CurveSpec {
            drawing: LATENCY.to_owned(),
            title: "Publish latency at full load, factor 3".to_owned(),
            x: Axis::percentile(),
            y: Axis::log("Publish latency", "ms"),
            references: Vec::new(),
        });
        for storage in &storages {
            for percentile in PERCENTILES {
                let name = percentile_name(percentile);
                let Some(found) = self.tally.samples(&name, storage) else { continue };
                let (low, high) = (found.min, found.max);
                self.recorder.curve_point_spread(LATENCY, storage, percentile, found.median, low, high);
            }
        }
        for (sync, factor) in CELLS {
            let title = format!("{} driver, factor {factor}", if sync { "Sync" } else { "Throughput" });
            self.report(&cell_name(sync, factor), &title, &storages);
        }
        self.report(
            "volumes_factor_3",
            &format!("{} volumes for each broker, factor 3", self.sizes.volumes),
            &storages,
        );
        let title = format!("{} connections for each broker, factor 3", self.sizes.connections);
        self.report("connections_factor_3", &title, &storages);
        let together = self.check_together(&storages);
        self.check_measured();
        let Some(first) = self.median(false, 3, &storages) else { return Ok("Measured.".to_owned()) };
        let moved = format!("With factor 3 the cluster moves {first:.0} MB/s");
        Ok(match (together, storages.get(1)) {
            (Some(mean), Some(second)) => {
                format!(
                    "{moved}; over all drivers and factors it moves {mean:.2} of what it does on {second}."
                )
            }
            _ => format!("{moved}."),
        })
    }

    /// Checks the ratio of the first storage to the second over all loads. It varies less than the ratio of one load, which varies by a
    /// tenth and more.
    fn check_together(&self, storages: &[String]) -> Option<f64> {
        let [first, second, ..] = storages else { return None };
        let names = CELLS.map(|(sync, factor)| rate_name(&cell_name(sync, factor)));
        let found = self.tally.mean_ratio(&names, first, second)?;
        let title = format!(
            "All drivers and factors together: {first} moves at least {RATIO_MIN} of what {second} does"
        );
        self.recorder.check("together", &title, found.mean >= RATIO_MIN, found);
        Some(found.mean)
    }

    /// Checks that every load was measured in every repetition.
    fn check_measured(&self) {
        let measured = |(name, storage): &&(String, String)| {
            let count = self.tally.samples(name, storage).map_or(0, |samples| samples.values.len());
            count == self.repetitions as usize
        };
        let (count, all) = (self.tried.iter().filter(measured).count(), self.tried.len());
        let detail = format!("{count} of {all} loads, {} times", self.repetitions);
        self.recorder.check("measured", "Every load was measured", all > 0 && count == all, detail);
    }

    fn median(&self, sync: bool, factor: u32, storages: &[String]) -> Option<f64> {
        self.tally.median(&rate_name(&cell_name(sync, factor)), storages.first()?)
    }

    /// Records a cell's measurements and, with two storages, checks their ratio.
    fn report(&self, name: &str, title: &str, storages: &[String]) {
        for (end, what, unit, better) in [
            ("mb_per_s", "produced and consumed", "MB/s", Better::Higher),
            ("publish_ms_p99", "publish latency, p99", "ms", Better::Lower),
            ("broker_cpu_percent", "brokers' CPU", "%", Better::Lower),
            ("server_processors", "processors of the storage's server", "", Better::Lower),
        ] {
            let (name, title) = (format!("{name}_{end}"), format!("{title}: {what}"));
            let target = (end == "mb_per_s" && storages.len() > 1).then_some(Target::Ratio(RATIO_MIN));
            self.tally.report(
                &Title { name: &name, title: &title, unit, better },
                storages,
                target,
                self.recorder,
            );
        }
        let [first, second, ..] = storages else { return };
        let rate = rate_name(name);
        let ratios = self.tally.pair_ratios(&rate, first, second);
        if !ratios.is_empty() {
            let title = format!(
                "{title}: {first} does not move less than {RATIO_MIN} of what {second} does every time"
            );
            let each: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
            let passed = ratios.iter().any(|ratio| *ratio >= RATIO_MIN);
            self.recorder.check(&rate, &title, passed, each.join(", "));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sync_driver_differs_in_when_a_batch_counts_and_in_nothing_else() {
        let (fast, sync) = (reports_driver(false, 3), reports_driver(true, 3));
        assert_eq!(sync.topic.get("flush.messages").map(String::as_str), Some("1"));
        assert!(!fast.topic.contains_key("flush.messages"));
        assert_eq!((&fast.producer, &fast.consumer), (&sync.producer, &sync.consumer));
        assert_eq!(reports_driver(false, 1).topic.get("min.insync.replicas").map(String::as_str), Some("1"));
    }
}
