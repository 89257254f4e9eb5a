//! `tier-fetch`: how fast do consumers read history from the tier, and how much is asked of the tier for it? Test T3 of the report on tiered
//! storage.
//!
//! [`turns`] has what is measured, and [`conclusion`] the report and the checks.

mod conclusion;
mod turns;

use std::collections::BTreeMap;

use anyhow::Result;

use super::definition::Experiment;
use crate::cluster::{Distribution, ObjectsTool, Settings};
use crate::host::{Environment, ProcessorSplit};
use crate::report::{Recorder, Subject};
use crate::request::{Fault, Profile, Request, StorageKind};
use crate::testbed::{History, HistorySpec, Target, Testbed, TestbedSpec, Tier};
use turns::{Histories, Turns};

/// The experiment.
pub struct TierFetch;

/// The sizes of the experiment.
#[derive(Debug, Clone)]
struct Sizes {
    /// The numbers of brokers whose partitions are read, in ascending order.
    brokers: &'static [u32],
    partitions_per_broker: u32,
    consumers_per_broker: u32,
    partition_bytes: u64,
    segment_bytes: u64,
    record_bytes: u32,
    /// `max.partition.fetch.bytes`.
    fetch_bytes: u64,
    /// How often everything is read from the beginning.
    sequential_turns: u32,
    /// How often it is read at random offsets.
    random_turns: u32,
    /// Random offsets for each consumer in a turn.
    random_fetches: u32,
    guest_memory_mib: u32,
    heap_mib: u32,
    broker_settings: &'static [(&'static str, &'static str)],
}

impl Sizes {
    fn of(profile: Profile) -> Self {
        match profile {
            Profile::Laptop => Self {
                brokers: &[1, 2],
                partitions_per_broker: 4,
                consumers_per_broker: 2,
                partition_bytes: 48 << 20,
                segment_bytes: 16 << 20,
                record_bytes: 2048,
                fetch_bytes: 1 << 20,
                sequential_turns: 7,
                random_turns: 3,
                random_fetches: 24,
                guest_memory_mib: 1100,
                heap_mib: 512,
                broker_settings: &[],
            },
            Profile::Full => Self {
                brokers: &[1, 2, 4],
                partitions_per_broker: 10,
                consumers_per_broker: 5,
                partition_bytes: 8 << 30,
                segment_bytes: 512 << 20,
                record_bytes: 2048,
                // The report's 1,048,576,000 is more than a broker answers to one fetch. This is Kafka's `fetch.max.bytes`.
                fetch_bytes: 50 << 20,
                sequential_turns: 7,
                random_turns: 7,
                random_fetches: 200,
                guest_memory_mib: 8192,
                heap_mib: 4096,
                broker_settings: &[
                    ("num.io.threads", "32"),
                    ("num.network.threads", "32"),
                    ("remote.log.manager.copier.thread.pool.size", "80"),
                    ("remote.log.reader.threads", "80"),
                    ("remote.log.reader.max.pending.tasks", "800"),
                ],
            },
        }
    }

    fn brokers_max(&self) -> u32 {
        self.brokers.iter().copied().max().unwrap_or(1)
    }

    fn settings(&self, tier: &Tier) -> Settings {
        let brokers = self.brokers_max();
        let mut settings = Settings::for_loads(brokers, self.heap_mib, self.broker_settings);
        settings.more.extend(tier.settings_for(brokers));
        settings.metrics = true;
        settings
    }

    fn history(&self, brokers: u32, tiered: bool) -> HistorySpec {
        HistorySpec {
            topic: format!("{}-{brokers}", if tiered { "tier" } else { "local" }),
            tiered,
            brokers,
            factor: 1,
            partitions_per_broker: self.partitions_per_broker,
            partition_bytes: self.partition_bytes,
            record_bytes: self.record_bytes,
            segment_bytes: self.segment_bytes,
        }
    }
}

impl Experiment for TierFetch {
    fn name(&self) -> &'static str {
        "tier-fetch"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Reading from the tier",
            question: "How fast do consumers read history that only the tier has, compared with local logs and cold caches, and how many bytes \
                       are asked of the tier for it?",
            method: "For each number of brokers there are two topics of the same size: of one, the tier alone has the closed segments; the other \
                     is in the log directories. Consumers read them from the beginning, in turns that alternate, and then single records at \
                     random offsets. Before each read, every broker's machine drops its caches, and the host its cached pages of the storage's \
                     files. The AWS SDK reads the same objects from the S3 server in ranges of the size of a fetch. The plugin counts the bytes that \
                     it asks of the tier. Each partition has one replica.",
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
        let sizes = Sizes::of(request.profile);
        let (tier, storage) = Tier::start(environment, request, recorder)?;
        recorder.setting("tier", tier.kind().name());
        recorder.setting("max.partition.fetch.bytes", sizes.fetch_bytes);
        recorder.setting("bytes of each partition", sizes.partition_bytes);
        recorder.setting("partitions of each broker", sizes.partitions_per_broker);
        recorder.setting("consumers for each broker", sizes.consumers_per_broker);
        let processors = ProcessorSplit::of_machine()?;
        if let Some(split) = processors {
            split.leave_brokers_alone()?;
        }
        let spec = TestbedSpec::new(sizes.brokers_max(), sizes.guest_memory_mib, sizes.settings(&tier));
        let spec = TestbedSpec { processors, ..spec };
        let testbed = Testbed::start_on(environment, request, storage, None, &spec, recorder)?;
        let kafka = Distribution::open(&request.cache.folder, request.kafka, recorder.progress())?;
        let objects = ObjectsTool::new(kafka, environment.logs(), environment.state_folder().to_owned());
        let mut histories = BTreeMap::new();
        for brokers in sizes.brokers.iter().copied() {
            recorder.stage(&format!("history on {brokers} broker(s)"));
            let write = |tiered| sizes.history(brokers, tiered).write(&testbed, environment.out(), recorder);
            let tier = write(true)?;
            // Both are read to the same offsets: the fixed part of a read weighs the same.
            let local = History { until: tier.until.clone(), ..write(false)? };
            histories.insert(brokers, Histories { tier, local });
        }
        let mut turns = Turns::new(&testbed, &tier, &objects, &sizes, request.repetitions, recorder);
        for (brokers, histories) in &histories {
            turns.run(*brokers, histories)?;
        }
        let ended = testbed.ended()?;
        let detail = if ended.is_empty() { "all run".to_owned() } else { ended.join(", ") };
        recorder.check("processes", "No broker and no storage server ended", ended.is_empty(), detail);
        conclusion::conclude(&turns.tally(), &sizes, testbed.name(), recorder)
    }
}
