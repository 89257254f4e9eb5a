//! The faults. Each begins while a segment is being copied.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};

use super::damage;
use crate::cluster::{Assignment, TierWatch};
use crate::progress::Tone;
use crate::report::Recorder;
use crate::request::{Fault, StorageKind, TierKind};
use crate::storage::{Disturbance, Storage};
use crate::testbed::{BUCKET, Testbed, Tier};

/// How often most faults happen in a round.
const TIMES: u32 = 3;

/// Parts of the first line of the request during which a fault begins, by the number of the fault: the copy of a segment, of its
/// indexes, and any.
const MOMENTS: [&[&str]; TIMES as usize] = [&["PUT ", ".log"], &["PUT ", ".indexes"], &["PUT "]];
/// Time limit for a segment to be copied, so that a fault can begin.
const MOMENT_PATIENCE: Duration = Duration::from_secs(60);
/// The lengths of faults that end by the lab's doing.
const OUTAGE: Duration = Duration::from_secs(5);
/// Longer than the plugin waits for an answer.
const HANG: Duration = Duration::from_secs(40);
const DISTURBANCE: Duration = Duration::from_secs(30);
/// Records that a consumer reads from the tier while Errors are thrown.
const CONSUMED: u64 = 500;
const MOVE_PATIENCE: Duration = Duration::from_secs(180);

/// Why a fault cannot happen on this tier and storage.
pub fn check(fault: Fault, tier: &Tier, storage: &dyn Storage) -> Result<()> {
    match fault {
        Fault::DaemonKill | Fault::DaemonHang => {
            let shared =
                tier.kind().server() == Some(StorageKind::Forebay) && storage.kind() == StorageKind::Forebay;
            ensure!(
                shared,
                "fault {fault} needs log directories and tier on one daemon: --storage forebay --tier forebay"
            );
        }
        Fault::S3Errors | Fault::S3Slow if tier.kind() == TierKind::KafkaLocal => {
            bail!("fault {fault} needs a tier with an S3 server; kafka-local has none")
        }
        Fault::DiskFull => drop(tier.buckets()?),
        Fault::DamagedSegment | Fault::Errors => {
            ensure!(tier.relay().is_ok(), "fault {fault} needs the plugin; {} has its own", tier.kind());
        }
        Fault::DamagedChunk => ensure!(
            tier.is_by_reference(),
            "fault {fault} needs segments that are copied within the pool: --storage forebay --tier forebay"
        ),
        _ => {}
    }
    Ok(())
}

/// How often a fault happens in a round.
pub fn times(fault: Fault) -> u32 {
    match fault {
        // A copy that is refused is tried again and again.
        Fault::DamagedSegment | Fault::DamagedChunk => 1,
        _ => TIMES,
    }
}

/// Where partitions are during a round.
#[derive(Debug, Clone)]
pub struct Places {
    /// One for each topic.
    pub assignments: Vec<Assignment>,
}

/// One fault: waits for its moment, and returns when it has ended.
pub struct Strike<'a> {
    /// The kind.
    pub fault: Fault,
    /// Its number in the round, from 0.
    pub number: u32,
    /// The tier.
    pub tier: &'a Tier,
    /// The topics during the round. Faults that damage something need it.
    pub watch: Option<&'a TierWatch>,
    /// The record.
    pub recorder: &'a Recorder,
}

impl Strike<'_> {
    /// The topics during the round.
    pub fn watch(&self) -> Result<&TierWatch> {
        self.watch.with_context(|| format!("fault {} needs topics that are watched", self.fault))
    }

    /// Lets it happen.
    pub fn run(&self, testbed: &mut Testbed, places: &mut Places) -> Result<()> {
        if self.fault == Fault::None {
            return Ok(());
        }
        if let Ok(relay) = self.tier.relay() {
            let moment = MOMENTS.get(self.number as usize % MOMENTS.len()).copied().unwrap_or_default();
            ensure!(
                relay.wait_for(moment, MOMENT_PATIENCE),
                "no segment was copied for {} s, so fault {} had no moment to begin",
                MOMENT_PATIENCE.as_secs(),
                self.fault
            );
        }
        self.recorder.event(Tone::Bad, format_args!("{} begins, while a segment is copied", self.fault));
        match self.fault {
            Fault::None => {}
            Fault::DaemonKill => {
                testbed.storage.kill()?;
                std::thread::sleep(OUTAGE);
                testbed.storage.restart()?;
            }
            Fault::DaemonHang => hang(testbed)?,
            Fault::S3Errors => self.disturb(Disturbance::Errors)?,
            Fault::S3Slow => self.disturb(Disturbance::Slow)?,
            Fault::BrokerKill => self.kill_broker(testbed)?,
            Fault::LeaderChange => testbed.change_leaders(&mut places.assignments)?,
            Fault::Reassign => self.reassign(testbed, places)?,
            Fault::DiskFull => self.fill()?,
            Fault::DamagedSegment => damage::in_log_directory(self, testbed, places)?,
            Fault::DamagedChunk => damage::in_pool(self, testbed, places)?,
            Fault::Errors => self.throw_errors(testbed, places)?,
        }
        self.recorder.event(Tone::Plain, format_args!("{} is over", self.fault));
        Ok(())
    }

    fn disturb(&self, disturbance: Disturbance) -> Result<()> {
        let relay = self.tier.relay()?;
        relay.disturb(disturbance);
        std::thread::sleep(DISTURBANCE);
        relay.disturb(Disturbance::None);
        Ok(())
    }

    fn kill_broker(&self, testbed: &mut Testbed) -> Result<()> {
        let brokers = u32::try_from(testbed.nodes.len()).unwrap_or(1);
        let broker = self.number % brokers + 1;
        testbed.cluster.kill_broker(broker)?;
        self.recorder.begin(&testbed.actor(broker), "killed", Tone::Bad);
        std::thread::sleep(OUTAGE);
        testbed.restart_broker(broker)?;
        self.recorder.begin(&testbed.actor(broker), "serving", Tone::Good);
        Ok(())
    }

    fn reassign(&self, testbed: &Testbed, places: &mut Places) -> Result<()> {
        let brokers = u32::try_from(testbed.nodes.len()).unwrap_or(1);
        for assignment in &mut places.assignments {
            let (partitions, factor) =
                (assignment.partitions.len(), assignment.partitions.first().map_or(1, Vec::len));
            let (partitions, factor) = (u32::try_from(partitions)?, u32::try_from(factor)?);
            let target = Assignment::even(&assignment.topic, partitions, factor, brokers, self.number + 1);
            let reassignment = testbed.cluster.tools().begin_reassignment(&target)?;
            let deadline = Instant::now() + MOVE_PATIENCE;
            while !reassignment.is_complete(reassignment.moved()?) {
                ensure!(
                    Instant::now() < deadline,
                    "the replicas of {} did not move within {} s",
                    target.topic,
                    MOVE_PATIENCE.as_secs()
                );
            }
            *assignment = target;
        }
        Ok(())
    }

    /// Errors in all calls: copies go on, Kafka deletes what failed copies left, and a consumer fetches.
    fn throw_errors(&self, testbed: &Testbed, places: &Places) -> Result<()> {
        let topic = &places.assignments.first().context("a round has topics")?.topic;
        self.tier.throw_errors(testbed, true)?;
        let begun = Instant::now();
        let group = format!("errors-{topic}-{}", self.number);
        let consumed = testbed.cluster.tools().consume(&group, topic, CONSUMED);
        std::thread::sleep(DISTURBANCE.saturating_sub(begun.elapsed()));
        self.tier.throw_errors(testbed, false)?;
        consumed.context("consume while Errors are thrown")
    }

    fn fill(&self) -> Result<()> {
        let buckets = self.tier.buckets()?;
        buckets.fill(BUCKET)?;
        std::thread::sleep(DISTURBANCE);
        buckets.remove_limit(BUCKET)
    }
}

fn hang(testbed: &Testbed) -> Result<()> {
    let server = testbed.storage.host_server().context("the storage has no server")?;
    let pid = i32::try_from(server.pid).ok().and_then(Pid::from_raw).context("pid out of range")?;
    kill_process(pid, Signal::STOP).context("stop the daemon")?;
    std::thread::sleep(HANG);
    kill_process(pid, Signal::CONT).context("let the daemon continue")
}
