//! One loss of the owner: it happens, clients continue, and everything is checked.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::fault::{BUCKET_AWAY, Bars, DATABASE_AWAY, Fault, PAUSED};
use super::lane;
use super::load::Load;
use crate::cluster::{InSync, SyncWatch, storage_errors};
use crate::host::{Environment, Process};
use crate::probe::hold;
use crate::progress::Tone;
use crate::report::{Better, Recorder, Target as Bar};
use crate::storage::{Node, Pair};
use crate::testbed::{Ended, Tally, Testbed, Title};

/// The lane of the producer.
const PRODUCER: &str = "producer";
/// The storage's name in figures.
const STORAGE: &str = "forebay";
/// The broker whose machine is lost with the owner.
pub const LOST_BROKER: u32 = 1;
/// The name of the figure for partitions that also wait for Kafka.
const KAFKAS_PAUSE: &str = "pause_with_kafkas";
/// The default pause of systemd before it starts a service again.
const RESTART_PAUSE: Duration = Duration::from_millis(100);
/// How long the load runs before each loss.
const WORK: Duration = Duration::from_secs(3);
/// Gaps of a load that is not disturbed are shorter.
const QUIET_MS: u64 = 900;
/// So many reports without a long gap, one each second, mean that the load runs again.
const QUIET_REPORTS: u32 = 4;
/// Time limit for the load to run again.
const RECOVERY_PATIENCE: Duration = Duration::from_secs(180);
/// Time limit for a broker on a new machine to be in sync.
const SYNC_PATIENCE: Duration = Duration::from_secs(300);
/// So long after a loss every node may take the pool again: 30 s after the takeover.
const HOLD_DOWN: Duration = Duration::from_secs(40);
/// A process that learns that it was replaced ends within this time, with this status.
const END_MAX: Duration = Duration::from_secs(5);
const STATUS_DEPOSED: i32 = 75;
/// The interval between two looks.
const LOOK: Duration = Duration::from_millis(20);

/// The cluster on its pair of nodes, and the results so far.
pub struct Rounds<'a> {
    pub environment: &'a Environment,
    pub recorder: &'a Recorder,
    pub pair: Arc<Pair>,
    pub testbed: Testbed,
    pub sync: SyncWatch,
    /// The program with an unlinked open file.
    pub probe: Process,
    pub loads: Vec<Load>,
    pub guest_memory_mib: u32,
    /// New machines of the broker so far.
    pub replacements: u32,
    pub ended: Ended,
    pub tally: Tally,
}

impl Rounds<'_> {
    /// Waits until the load runs evenly.
    pub fn warm_up(&mut self) -> Result<()> {
        self.recorder.begin(PRODUCER, "writes", Tone::Good);
        self.wait_until_quiet().map(drop)
    }

    /// One loss.
    pub fn run(&mut self, fault: Fault) -> Result<()> {
        std::thread::sleep(WORK);
        let owner = self.pair.owner()?;
        let next = if fault.moves_the_pool() { owner.other() } else { owner };
        let held = hold::records_so_far(&self.probe.output().0);
        for load in &self.loads {
            load.production.take_gaps();
        }
        let lost = Instant::now();
        self.recorder.event(Tone::Bad, format_args!("{} ({})", fault.title(), owner.name()));
        self.recorder.begin(PRODUCER, "waits", Tone::Bad);
        let owners = self.owners()?;
        self.strike(fault, owner)?;
        let serves = self.follow(next, lost)?;
        let gaps = self.wait_until_quiet()?;
        self.recorder.begin(PRODUCER, "writes", Tone::Good);
        self.tell(fault, next, serves, &gaps)?;
        if fault.moves_the_pool() {
            self.bring_back(fault, owner, lost)?;
            self.recorder.begin(&lane(owner), "stands by", Tone::Plain);
        }
        if fault == Fault::Promotion {
            self.pair.elsewhere()?.rebuild_standby()?;
        }
        if fault.keeps_the_owner() {
            let now = self.owners()?;
            self.recorder.check(
                &format!("owner_{}", fault.part()),
                &format!("{}: the same process goes on to serve the pool", fault.title()),
                now == owners,
                format_args!(
                    "owners so far: {} before, {} after",
                    owners.unwrap_or_default(),
                    now.unwrap_or_default()
                ),
            );
        }
        if fault == Fault::Broker {
            self.replace_broker()?;
        }
        self.check(held)
    }

    /// Lets the fault happen.
    fn strike(&self, fault: Fault, owner: Node) -> Result<()> {
        let (pair, recorder) = (&self.pair, self.recorder);
        match fault {
            Fault::Restart => {
                pair.kill(owner)?;
                recorder.begin(&lane(owner), "killed", Tone::Bad);
                std::thread::sleep(RESTART_PAUSE);
                pair.restart_node(owner)
            }
            Fault::Vanish => {
                pair.vanish(owner)?;
                recorder.begin(&lane(owner), "vanished", Tone::Bad);
                Ok(())
            }
            Fault::Move => {
                recorder.begin(&lane(owner), "gives it up", Tone::Plain);
                pair.release(owner)
            }
            Fault::Partition => {
                pair.unplug(owner)?;
                recorder.begin(&lane(owner), "cut off", Tone::Bad);
                Ok(())
            }
            Fault::Pause => {
                pair.pause(owner)?;
                recorder.begin(&lane(owner), "stopped", Tone::Bad);
                Ok(())
            }
            Fault::Database => {
                pair.cut_off_from_database(owner)?;
                recorder.begin(&lane(owner), "without database", Tone::Bad);
                Ok(())
            }
            Fault::DatabaseRestart => pair.elsewhere()?.restart_database(DATABASE_AWAY),
            Fault::Promotion => pair.elsewhere()?.promote_standby(),
            Fault::Bucket => pair.elsewhere()?.silence_bucket(BUCKET_AWAY),
            Fault::Broker => {
                pair.vanish(owner)?;
                self.testbed.node(LOST_BROKER)?.kill()?;
                recorder.begin(&lane(owner), "vanished", Tone::Bad);
                recorder.begin(&self.testbed.actor(LOST_BROKER), "lost", Tone::Bad);
                Ok(())
            }
        }
    }

    /// How many owners there were, if the database counts them.
    fn owners(&self) -> Result<Option<u64>> {
        match self.pair.elsewhere() {
            Ok(elsewhere) => Ok(Some(elsewhere.owner()?.1)),
            Err(_) => Ok(None),
        }
    }

    /// Lets a node that was replaced come back, and become a standby.
    fn bring_back(&self, fault: Fault, node: Node, lost: Instant) -> Result<()> {
        let pair = &self.pair;
        if pair.elsewhere().is_err() {
            return pair.return_as_standby(node);
        }
        match fault {
            Fault::Vanish | Fault::Broker => {
                pair.lose_power(node)?;
                pair.plug(node)?;
            }
            Fault::Partition => {
                pair.plug(node)?;
                self.require_end(fault, node)?;
            }
            Fault::Pause => {
                std::thread::sleep(PAUSED.saturating_sub(lost.elapsed()));
                pair.resume(node)?;
                self.recorder.begin(&lane(node), "goes on", Tone::Bad);
                self.require_end(fault, node)?;
            }
            Fault::Database => {
                self.require_end(fault, node)?;
                pair.mend_to_database(node)?;
            }
            _ => drop(pair.wait_for_end(node)?),
        }
        pair.start_standby(node)?;
        // A node that was silent does not take the pool back before that.
        std::thread::sleep(HOLD_DOWN.saturating_sub(lost.elapsed()));
        Ok(())
    }

    /// A process that was replaced must end by itself, soon.
    fn require_end(&self, fault: Fault, node: Node) -> Result<()> {
        let (took, status) = self.pair.wait_for_end(node)?;
        self.recorder.check(
            &format!("end_{}", fault.part()),
            &format!("{}: the old owner's process ends within 5 s, with status 75", fault.title()),
            took <= END_MAX && status.code() == Some(STATUS_DEPOSED),
            format_args!("{status} after {:.1} s", took.as_secs_f64()),
        );
        Ok(())
    }

    /// Follows the takeover, and returns the time until the next owner served.
    fn follow(&self, next: Node, lost: Instant) -> Result<Duration> {
        let mut is_told = false;
        while !self.pair.serves(next) {
            if !is_told && self.pair.opens(next) {
                self.recorder.begin(&lane(next), "opens the pool", Tone::Plain);
                is_told = true;
            }
            ensure!(
                lost.elapsed() < RECOVERY_PATIENCE,
                "node {} does not serve the pool after {} s; see {}",
                next.name(),
                RECOVERY_PATIENCE.as_secs(),
                self.pair.log(next).display()
            );
            std::thread::sleep(LOOK);
        }
        self.recorder.begin(&lane(next), "serves", Tone::Good);
        Ok(lost.elapsed())
    }

    /// Waits until records of every partition are acknowledged again, and returns the longest gap of each partition of each load.
    fn wait_until_quiet(&self) -> Result<Vec<Vec<u64>>> {
        let deadline = Instant::now() + RECOVERY_PATIENCE;
        let mut longest = vec![Vec::new(); self.loads.len()];
        let mut quiet = vec![0; self.loads.len()];
        while quiet.iter().any(|quiet| *quiet < QUIET_REPORTS) {
            if Instant::now() > deadline {
                bail!("records are not acknowledged again; gaps of {longest:?} ms");
            }
            std::thread::sleep(LOOK);
            for (at, load) in self.loads.iter().enumerate() {
                ensure!(!load.production.has_ended(), "the load on topic {} ended", load.plan.topic);
                let gaps = load.production.take_gaps();
                if gaps.latest_ms.is_empty() {
                    continue;
                }
                let longest = &mut longest[at];
                longest.resize(gaps.longest_ms.len().max(longest.len()), 0);
                for (longest, gap) in longest.iter_mut().zip(&gaps.longest_ms) {
                    *longest = (*longest).max(*gap);
                }
                let is_quiet = gaps.latest_ms.iter().all(|gap| *gap < QUIET_MS);
                quiet[at] = if is_quiet { quiet[at] + 1 } else { 0 };
            }
        }
        Ok(longest)
    }

    fn tell(&mut self, fault: Fault, next: Node, serves: Duration, gaps: &[Vec<u64>]) -> Result<()> {
        let longest = |is_counted: fn(&Load) -> bool| {
            let counted = self.loads.iter().zip(gaps).filter(|(load, _)| is_counted(load));
            counted.flat_map(|(_, gaps)| gaps).max().map(|gap| *gap as f64 / 1000.0)
        };
        // What has replicas on the lost broker waits until Kafka takes that one for dead, whatever the storage does.
        let (pause, kafkas) = match fault {
            Fault::Broker => (longest(|load| load.is_spared), longest(|load| !load.is_spared)),
            _ => (longest(|_| true), None),
        };
        let pause_s = pause.context("there were no reports of the load")?;
        let part = fault.part();
        self.tally.add(&figure(part, "pause"), STORAGE, pause_s);
        if let Some(kafkas) = kafkas {
            self.tally.add(&figure(part, KAFKAS_PAUSE), STORAGE, kafkas);
        }
        if let Some(takeover) = self.pair.takeover()? {
            let ms = |value: Option<u64>| value.unwrap_or_default() as f64 / 1000.0;
            let phases = [
                ("silent", takeover.silent_ms as f64 / 1000.0),
                ("fence", ms(takeover.fence_ms)),
                ("open", ms(takeover.open_ms)),
                ("address", ms(takeover.address_ms)),
            ];
            for (phase, seconds) in phases {
                self.tally.add(&figure(part, phase), STORAGE, seconds);
            }
        }
        if !fault.keeps_the_owner() {
            self.tally.add(&figure(part, "serves"), STORAGE, serves.as_secs_f64());
        }
        let seconds = |gap: &u64| format!("{:.1}", *gap as f64 / 1000.0);
        let of_load = |(load, gaps): (&Load, &Vec<u64>)| {
            format!("{}: {} s", load.plan.topic, gaps.iter().map(seconds).collect::<Vec<_>>().join(", "))
        };
        let partitions: Vec<String> = self.loads.iter().zip(gaps).map(of_load).collect();
        self.recorder.event(
            Tone::Plain,
            format_args!(
                "node {} served after {:.1} s; the pause was {pause_s:.1} s (partitions of {})",
                next.name(),
                serves.as_secs_f64(),
                partitions.join("; ")
            ),
        );
        Ok(())
    }

    /// Lets a new machine take the lost broker's place.
    fn replace_broker(&mut self) -> Result<()> {
        self.replacements += 1;
        let name = format!("broker{LOST_BROKER}-{}", self.replacements);
        let standby =
            self.testbed.boot_standby(self.environment, &name, self.guest_memory_mib, LOST_BROKER)?;
        self.testbed.move_broker(self.environment, LOST_BROKER, standby)?;
        self.recorder.begin(&self.testbed.actor(LOST_BROKER), "serving", Tone::Good);
        let whole = |look: InSync| look.under_replicated == 0 && look.leaderless == 0;
        self.sync.wait(Instant::now(), SYNC_PATIENCE, whole).context("the replaced broker is not in sync")?;
        // Its partition must be led by it again.
        self.testbed.cluster.tools().elect_preferred_leaders()?;
        self.wait_until_quiet().map(drop)
    }

    /// Checks all that must hold after a loss.
    fn check(&mut self, held: u64) -> Result<()> {
        let recorder = self.recorder;
        self.ended.look(&self.testbed, recorder)?;
        self.testbed.drop_caches()?;
        for load in &self.loads {
            let (passed, detail) = load.verify(self.testbed.cluster.tools(), recorder)?;
            recorder.check(
                &format!("records_{}", load.plan.topic),
                &format!(
                    "After each loss, every acknowledged record of the topic {} is read back once, byte for byte",
                    load.plan.topic
                ),
                passed,
                detail,
            );
        }
        let differences = self.testbed.storage.check()?;
        let detail = differences.first().cloned().unwrap_or_else(|| "no differences".to_owned());
        recorder.check(
            "pool",
            "After each loss, the check of the pool finds no difference",
            differences.is_empty(),
            detail,
        );
        let complaints: usize =
            self.testbed.cluster.brokers().iter().map(|broker| storage_errors(broker.log_file()).len()).sum();
        recorder.check(
            "quiet",
            "No broker logged an error of its storage",
            complaints == 0,
            format_args!("{complaints} lines"),
        );
        if let Ok(elsewhere) = self.pair.elsewhere() {
            let late = elsewhere.late_groups()?;
            let title = "Nothing of an owner was committed after its successor had the pool";
            recorder.check("epochs", title, late == 0, format_args!("{late} commits"));
        }
        let now = hold::records_so_far(&self.probe.output().0);
        let goes_on = self.probe.exit()?.is_none() && now > held + 1;
        let detail = format!("{} records since before the loss", now.saturating_sub(held));
        recorder.check("held", "After each loss, an unlinked open file is read and written", goes_on, detail);
        Ok(())
    }

    /// Judges all losses of a kind.
    pub fn conclude(&self, fault: Fault) {
        let part = fault.part();
        let name = figure(part, "pause");
        let Some(pauses) = self.tally.samples(&name, STORAGE) else { return };
        let Bars { max, median } = fault.bars();
        let title = Title { name: &name, title: fault.title(), unit: "s", better: Better::Lower };
        self.tally.report(&title, &[STORAGE.to_owned()], Some(Bar::MedianMax(median)), self.recorder);
        for (phase, words) in [
            ("silent", "the owner was silent"),
            ("fence", "the fence program ran"),
            ("open", "the pool was opened"),
            ("address", "the address was acquired"),
            ("serves", "from the loss until the next owner served"),
            (
                KAFKAS_PAUSE,
                "a partition with a replica on the lost broker waited, which Kafka first must take for dead",
            ),
        ] {
            let (name, words) = (figure(part, phase), format!("{}: {words}", part));
            let title = Title { name: &name, title: &words, unit: "s", better: Better::Lower };
            self.tally.report(&title, &[STORAGE.to_owned()], None, self.recorder);
        }
        let detail = format!(
            "{} times: {:.1} s at most, median {:.1} s",
            pauses.values.len(),
            pauses.max,
            pauses.median
        );
        let title = format!(
            "{}: no pause is longer than {max} s, and half of them not than {median} s",
            fault.title()
        );
        let passed = pauses.max <= max && pauses.median <= median;
        self.recorder.check(&format!("pause_{part}"), &title, passed, detail);
    }
}

/// The name of a figure.
fn figure(part: &str, what: &str) -> String {
    format!("{part}_{what}_s")
}
