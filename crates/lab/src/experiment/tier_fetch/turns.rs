//! What is measured: each turn reads a tiered topic, a local one, and the objects themselves.

use std::time::Duration;

use anyhow::{Result, ensure};

use super::Sizes;
use crate::cluster::{Metrics, ObjectsTool, RangesPlan, ReadPlan, ReadResult};
use crate::report::{Recorder, number};
use crate::testbed::{BUCKET, History, Tally, Target, Testbed, Tier};

/// The topics that are read with one number of brokers.
pub struct Histories {
    /// The one of which the tier alone has the closed segments.
    pub tier: History,
    /// The one in the log directories.
    pub local: History,
}

/// Names of the measurements of one number of brokers.
pub struct Names {
    brokers: u32,
}

impl Names {
    /// Those of this number of brokers.
    pub fn of(brokers: u32) -> Self {
        Self { brokers }
    }

    /// The name of a measurement.
    pub fn name(&self, what: &str) -> String {
        format!("{what}_at_{}", self.brokers)
    }
}

/// The measurements, by turns.
pub struct Turns<'a> {
    testbed: &'a Testbed,
    tier: &'a Tier,
    objects: &'a ObjectsTool,
    sizes: &'a Sizes,
    /// How often everything is read, if the user says so.
    repetitions: Option<u32>,
    recorder: &'a Recorder,
    tally: Tally,
}

/// Bytes and requests that the plugins have asked of the tier since brokers started.
#[derive(Debug, Clone, Copy, Default)]
struct Asked {
    bytes: f64,
    requests: f64,
}

impl Asked {
    fn of(metrics: &Metrics) -> Self {
        let value = |name: &str| metrics.get(name).copied().unwrap_or(0.0);
        Self { bytes: value("FetchedBytes"), requests: value("Requests") }
    }
}

/// Processor time since the start.
#[derive(Debug, Clone, Copy)]
struct Busy {
    /// Of all brokers' machines.
    brokers: Duration,
    /// Of the storage's server, if it has one.
    server: Duration,
}

impl Busy {
    fn of(testbed: &Testbed) -> Result<Self> {
        let brokers = testbed.cpu()?.unwrap_or_default().iter().map(|time| time.busy).sum();
        Ok(Self { brokers, server: testbed.server_cpu()?.unwrap_or_default() })
    }
}

impl<'a> Turns<'a> {
    /// No turn has been measured.
    pub fn new(
        testbed: &'a Testbed,
        tier: &'a Tier,
        objects: &'a ObjectsTool,
        sizes: &'a Sizes,
        repetitions: Option<u32>,
        recorder: &'a Recorder,
    ) -> Self {
        Self { testbed, tier, objects, sizes, repetitions, recorder, tally: Tally::default() }
    }

    /// The measurements.
    pub fn tally(self) -> Tally {
        self.tally
    }

    /// Measures with the topics of one number of brokers.
    pub fn run(&mut self, brokers: u32, histories: &Histories) -> Result<()> {
        self.recorder.stage(&format!("{brokers} broker(s), warm-up"));
        for history in [&histories.tier, &histories.local] {
            self.read(brokers, history, None)?;
        }
        let turns = self.repetitions.unwrap_or(self.sizes.sequential_turns);
        for turn in 0..turns {
            self.recorder.stage(&format!("{brokers} broker(s), sequential, {} of {turns}", turn + 1));
            if turn % 2 == 0 {
                self.sequential_tier(brokers, &histories.tier)?;
                self.sequential_local(brokers, &histories.local)?;
            } else {
                self.sequential_local(brokers, &histories.local)?;
                self.sequential_tier(brokers, &histories.tier)?;
            }
            self.ranges(brokers, &histories.tier, None)?;
        }
        if brokers == self.sizes.brokers_max() {
            self.random(brokers, histories)?;
        }
        Ok(())
    }

    fn random(&mut self, brokers: u32, histories: &Histories) -> Result<()> {
        let turns = self.repetitions.unwrap_or(self.sizes.random_turns);
        for turn in 0..turns {
            self.recorder.stage(&format!("{brokers} broker(s), random, {} of {turns}", turn + 1));
            let before = self.asked()?;
            let read = self.read(brokers, &histories.tier, Some(turn))?;
            let after = self.asked()?;
            ensure!(read.fetches > 0, "no record was read at a random offset");
            self.add_random(brokers, "tier", &read);
            self.add(brokers, "random_bytes_asked", (after.bytes - before.bytes) / read.fetches as f64);
            let read = self.read(brokers, &histories.local, Some(turn))?;
            self.add_random(brokers, "local", &read);
            self.ranges(brokers, &histories.tier, Some(turn))?;
        }
        Ok(())
    }

    fn sequential_tier(&mut self, brokers: u32, history: &History) -> Result<()> {
        let before = self.asked()?;
        let read = self.read_in_order(brokers, "tier", history)?;
        let after = self.asked()?;
        self.add(brokers, "tier_mb_per_s_per_broker", read.mb_per_s() / f64::from(brokers));
        let requests = after.requests - before.requests;
        if requests > 0.0 {
            let bytes = after.bytes - before.bytes;
            self.add(brokers, "bytes_asked_per_byte", bytes / read.bytes as f64);
            self.add(brokers, "kib_per_request", bytes / 1024.0 / requests);
        }
        Ok(())
    }

    fn sequential_local(&mut self, brokers: u32, history: &History) -> Result<()> {
        self.read_in_order(brokers, "local", history).map(drop)
    }

    /// Reads everything, and adds its speed and the processor time that brokers' machines and the storage's server took for it.
    fn read_in_order(&mut self, brokers: u32, what: &str, history: &History) -> Result<ReadResult> {
        self.testbed.forget()?;
        let before = Busy::of(self.testbed)?;
        let read = self.read_now(brokers, history, None)?;
        let busy = Busy::of(self.testbed)?;
        self.add(brokers, &format!("{what}_mb_per_s"), read.mb_per_s());
        let gigabytes = read.bytes as f64 / 1e9;
        for (machine, busy) in [
            ("broker", busy.brokers.saturating_sub(before.brokers)),
            ("server", busy.server.saturating_sub(before.server)),
        ] {
            self.add(brokers, &format!("{what}_{machine}_s_per_gb"), busy.as_secs_f64() / gigabytes);
        }
        Ok(read)
    }

    /// Reads a topic with cold caches: everything, or at random offsets.
    fn read(&self, brokers: u32, history: &History, random: Option<u32>) -> Result<ReadResult> {
        self.testbed.forget()?;
        self.read_now(brokers, history, random)
    }

    fn read_now(&self, brokers: u32, history: &History, random: Option<u32>) -> Result<ReadResult> {
        let plan = ReadPlan {
            topic: history.topic.clone(),
            until: history.until.clone(),
            consumers: self.sizes.consumers_per_broker * brokers,
            fetch_bytes: self.sizes.fetch_bytes,
            random: random.map(|turn| (self.sizes.random_fetches, turn + 1)),
        };
        let read = self.testbed.explained(self.testbed.cluster.tools().read_topic(&plan))?;
        if random.is_none() {
            let expected: u64 = history.until.values().sum();
            ensure!(
                read.records == expected,
                "{} of {expected} records of topic {} were read",
                read.records,
                history.topic
            );
        }
        self.recorder.detail(format_args!(
            "{}: {} MB/s, {} random reads in {:.1} ms each",
            history.topic,
            number(read.mb_per_s()),
            read.fetches,
            read.fetch_ms_p50
        ));
        Ok(read)
    }

    /// Reads the objects of a topic from the S3 server, if the tier has one.
    fn ranges(&mut self, brokers: u32, history: &History, random: Option<u32>) -> Result<()> {
        let Some(address) = self.tier.address() else { return Ok(()) };
        self.testbed.forget()?;
        let consumers = self.sizes.consumers_per_broker * brokers;
        let plan = RangesPlan {
            bucket: BUCKET,
            prefix: &format!("{}-", history.topic),
            suffix: ".log",
            range_bytes: self.sizes.fetch_bytes,
            threads: consumers,
            random: random.map(|turn| (self.sizes.random_fetches * consumers, turn + 1)),
        };
        let read = self.objects.read_ranges(address, &plan)?;
        if random.is_some() {
            self.add(brokers, "random_get_ms_p50", read.p50_ms);
            self.add(brokers, "random_get_ms_p99", read.p99_ms);
        } else {
            self.add(brokers, "get_mb_per_s", read.bytes as f64 / 1e6 / read.seconds);
        }
        Ok(())
    }

    fn asked(&self) -> Result<Asked> {
        Ok(Asked::of(&self.tier.counters(self.testbed)?))
    }

    fn add_random(&mut self, brokers: u32, what: &str, read: &ReadResult) {
        self.add(brokers, &format!("random_{what}_ms_p50"), read.fetch_ms_p50);
        self.add(brokers, &format!("random_{what}_ms_p99"), read.fetch_ms_p99);
    }

    fn add(&mut self, brokers: u32, what: &str, value: f64) {
        let name = Names::of(brokers).name(what);
        self.tally.add(&name, self.testbed.name(), value);
    }
}
