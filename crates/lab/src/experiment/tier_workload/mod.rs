//! `tier-workload`: do consumers that read old records from the tier slow down producers, and the consumers of new records? Test T4 of the
//! report on tiered storage.
//!
//! [`trials`] runs loads, and [`conclusion`] has the report and the checks.

mod conclusion;
mod trials;

use std::time::Duration;

use anyhow::{Result, ensure};

use super::definition::Experiment;
use super::throughput::reports_driver;
use super::tier_correctness::faults;
use crate::cluster::{Clients, Load, ReadPlan, Settings};
use crate::host::{Environment, ProcessorSplit};
use crate::report::{Recorder, Subject};
use crate::request::{Fault, Profile, Request, StorageKind};
use crate::testbed::{History, HistorySpec, Target, Testbed, TestbedSpec, Tier};
use trials::Trials;

/// The experiment.
pub struct TierWorkload;

/// The sizes of the experiment.
#[derive(Debug, Clone)]
struct Sizes {
    brokers: u32,
    partitions: u32,
    message_bytes: u32,
    producers: u32,
    head_consumers: u32,
    tail_consumers: u32,
    /// Messages per second of all producers.
    rate: u32,
    linger_ms: u32,
    segment_bytes: u64,
    history_partition_bytes: u64,
    /// `max.partition.fetch.bytes` of tail consumers.
    tail_fetch_bytes: u64,
    /// Pairs of loads without a fault, one with and one without tail consumers.
    pairs: u32,
    warmup: Duration,
    measured: Duration,
    /// The measurement of a load with a fault.
    measured_with_fault: Duration,
    guest_memory_mib: u32,
    heap_mib: u32,
    broker_settings: &'static [(&'static str, &'static str)],
}

impl Sizes {
    fn of(profile: Profile) -> Self {
        match profile {
            Profile::Laptop => Self {
                brokers: 3,
                partitions: 12,
                message_bytes: 2048,
                producers: 2,
                head_consumers: 2,
                tail_consumers: 1,
                rate: 1_000,
                linger_ms: 20,
                segment_bytes: 2 << 20,
                history_partition_bytes: 24 << 20,
                tail_fetch_bytes: 1 << 20,
                pairs: 5,
                warmup: Duration::from_secs(4),
                measured: Duration::from_secs(12),
                measured_with_fault: Duration::from_secs(40),
                guest_memory_mib: 1100,
                heap_mib: 512,
                broker_settings: &[],
            },
            Profile::Full => Self {
                brokers: 5,
                partitions: 80,
                message_bytes: 2048,
                producers: 20,
                head_consumers: 20,
                tail_consumers: 1,
                rate: 200_000,
                linger_ms: 1,
                segment_bytes: 512 << 20,
                history_partition_bytes: 8 << 30,
                // The report's 1,048,576,000 is more than a broker answers to one fetch. This is Kafka's `fetch.max.bytes`.
                tail_fetch_bytes: 50 << 20,
                pairs: 7,
                warmup: Duration::from_secs(60),
                measured: Duration::from_secs(300),
                measured_with_fault: Duration::from_secs(300),
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

    fn factor(&self) -> u32 {
        self.brokers.min(3)
    }

    fn settings(&self, tier: &Tier) -> Settings {
        let mut settings = Settings::for_loads(self.brokers, self.heap_mib, self.broker_settings);
        settings.more.extend(tier.settings_for(self.brokers));
        settings.metrics = true;
        settings
    }

    fn history(&self) -> HistorySpec {
        HistorySpec {
            topic: "history".to_owned(),
            tiered: true,
            brokers: self.brokers,
            factor: 1,
            partitions_per_broker: self.partitions.div_ceil(self.brokers),
            partition_bytes: self.history_partition_bytes,
            record_bytes: self.message_bytes,
            segment_bytes: self.segment_bytes.max(self.history_partition_bytes / 8),
        }
    }

    /// The plan of the tail consumers.
    fn tail(&self, history: &History) -> ReadPlan {
        ReadPlan {
            topic: history.topic.clone(),
            until: history.until.clone(),
            consumers: self.tail_consumers,
            fetch_bytes: self.tail_fetch_bytes,
            random: None,
        }
    }

    fn load(&self, fault: Fault) -> Load {
        Load {
            name: if fault == Fault::None { "tier".to_owned() } else { format!("tier-{fault}") },
            topics: 1,
            partitions: self.partitions,
            message_bytes: self.message_bytes,
            producers: self.producers,
            consumers: self.head_consumers,
            rate: self.rate,
            backlog_bytes: 0,
            warmup: self.warmup,
            measured: if fault == Fault::None { self.measured } else { self.measured_with_fault },
        }
    }

    /// The report's driver. The load's own topic goes to the tier too.
    fn clients(&self) -> Clients {
        let mut clients = reports_driver(false, self.factor()).lingering(self.linger_ms);
        for (key, value) in [
            ("remote.storage.enable", "true".to_owned()),
            ("segment.bytes", self.segment_bytes.to_string()),
            ("local.retention.bytes", self.segment_bytes.to_string()),
            ("file.delete.delay.ms", "1000".to_owned()),
        ] {
            clients.topic.insert(key.to_owned(), value);
        }
        clients
    }
}

impl Experiment for TierWorkload {
    fn name(&self) -> &'static str {
        "tier-workload"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Readers of the tier beside producers",
            question: "Do consumers that read old records from the tier slow down producers, and consumers of new records?",
            method: "Producers write to a topic with three replicas at a fixed rate, and head consumers read it as it is written. Its closed segments \
                     are copied to the tier meanwhile. Tail consumers read another topic, whose closed segments only the tier has, again and \
                     again, as fast as they can. Loads with and without tail consumers take turns. With a fault, it begins while a segment \
                     is copied. Head latency is the time from when a message is sent until a consumer has it.",
        }
    }

    fn takes_tiers(&self) -> bool {
        true
    }

    fn default_faults(&self) -> &'static [Fault] {
        &[Fault::None, Fault::S3Slow]
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        matches!(kind, StorageKind::Forebay | StorageKind::Local)
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let sizes = Sizes::of(request.profile);
        let tiering =
            request.tier.clone().unwrap_or_else(|| unreachable!("experiments with a tier have one"));
        let (tier, storage) = Tier::start(environment, request, recorder)?;
        for fault in &tiering.faults {
            ensure!(
                !matches!(fault, Fault::LeaderChange | Fault::Reassign | Fault::Errors)
                    && !matches!(fault, Fault::DamagedSegment | Fault::DamagedChunk),
                "fault {fault} is about topics that stay for a whole run and are compared; each load of {} has a topic of its own",
                self.name()
            );
            faults::check(*fault, &tier, storage.as_ref())?;
        }
        recorder.setting("tier", tier.kind().name());
        recorder.setting("messages per second", sizes.rate);
        recorder.setting("message size, bytes", sizes.message_bytes);
        recorder.setting("tail consumers", sizes.tail_consumers);
        recorder.setting("max.partition.fetch.bytes of tail consumers", sizes.tail_fetch_bytes);
        let processors = ProcessorSplit::of_machine()?;
        if let Some(split) = processors {
            split.leave_brokers_alone()?;
        }
        let spec = TestbedSpec::new(sizes.brokers, sizes.guest_memory_mib, sizes.settings(&tier));
        let spec = TestbedSpec { processors, ..spec };
        let mut testbed = Testbed::start_on(environment, request, storage, None, &spec, recorder)?;
        recorder.stage("history");
        let history = sizes.history().write(&testbed, environment.out(), recorder)?;
        let pairs = request.repetitions.unwrap_or(sizes.pairs);
        let mut trials = Trials::new(&tier, &sizes, &history, recorder);
        trials.run(&mut testbed, &tiering.faults, pairs)?;
        let ended = testbed.ended()?;
        let detail = if ended.is_empty() { "all run".to_owned() } else { ended.join(", ") };
        recorder.check("processes", "No broker and no storage server ended", ended.is_empty(), detail);
        Ok(conclusion::conclude(&trials.tally(), &sizes, &tiering.faults, testbed.name(), recorder))
    }
}
