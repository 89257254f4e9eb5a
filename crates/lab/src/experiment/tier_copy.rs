//! `tier-copy`: what does a copy by reference cost the broker, compared with an upload, and is it whole if the segment has just been written?
//!
//! A guest with the mounted log directories runs the plugin as a broker does, and nothing else, so that all that the guest sends and computes
//! belongs to the copies.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::definition::Experiment;
use super::object_space::settle;
use crate::cluster::{CopyLine, CopyPlan, Distribution};
use crate::host::{Environment, Guest, GuestCommand, GuestSpec, Process};
use crate::progress::Tone;
use crate::report::{Recorder, Subject};
use crate::request::{Fault, Profile, Request, StorageKind};
use crate::storage::Storage;
use crate::testbed::{PLUGIN_CLASS, Tier};

/// The experiment.
pub struct TierCopy;

const TARGET: &str = "/mnt/kafka";
const GUEST_MEMORY_MIB: u32 = 1536;
const FRESH: &str = "fresh";
const COST: &str = "cost";
const PARTS: [&str; 2] = [FRESH, COST];
const MIB: u64 = 1 << 20;
/// Of the bytes that an upload sends, in percent.
const SENT_PERCENT_MAX: f64 = 1.0;
/// Of the processor time that an upload takes.
const CPU_RATIO_MAX: f64 = 0.15;
/// Of the size of the segments, in percent.
const ADDED_PERCENT_MAX: f64 = 1.0;
/// Time limit for the next line of the tool.
const PATIENCE: Duration = Duration::from_secs(300);
const PAUSE: Duration = Duration::from_millis(50);
const REFERENCE: &str = "reference";

/// The sizes of the experiment.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    fresh_segments: u32,
    fresh_bytes: u64,
    segments: u32,
    bytes: u64,
}

impl Sizes {
    fn of(profile: Profile) -> Self {
        let segments = match profile {
            Profile::Laptop => 2,
            Profile::Full => 8,
        };
        Self { fresh_segments: 100, fresh_bytes: 4 * MIB, segments, bytes: 512 * MIB }
    }
}

/// The cost of one kind of copy.
#[derive(Debug, Clone, Copy)]
struct Cost {
    bytes: u64,
    sent_bytes: u64,
    seconds: f64,
    cpu: Duration,
    /// How much the pool grew.
    added_bytes: i64,
    equal: u32,
}

impl Experiment for TierCopy {
    fn name(&self) -> &'static str {
        "tier-copy"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Copies by reference",
            question: "How many bytes does a copy by reference send, how much processor time does it take, and how much does the pool grow, \
                       compared with an upload? Is it whole if the segment has just been written?",
            method: "A guest has the log directories mounted, and runs the plugin as a broker does. It writes 100 segments of 4 MiB, and \
                     copies each at once, while its pages are in the guest's memory alone. Then it writes segments of 512 MiB and syncs them, \
                     and they are copied by reference; the same with others by upload. Each is read back from the tier and compared. The \
                     processor time is that of the guest, counted by the host; the bytes are those that the guest's network interface sent.",
        }
    }

    fn takes_tiers(&self) -> bool {
        true
    }

    fn default_faults(&self) -> &'static [Fault] {
        &[]
    }

    fn parts(&self) -> &'static [&'static str] {
        &PARTS
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        *kind == StorageKind::Forebay
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let sizes = Sizes::of(request.profile);
        let kafka = Distribution::open(&request.cache.folder, request.kafka, recorder.progress())?;
        recorder.version("kafka", kafka.version()?);
        recorder.stage("storage");
        let (tier, mut storage) = Tier::start(environment, request, recorder)?;
        ensure!(tier.is_by_reference(), "{} needs --tier forebay, which copies by reference", self.name());
        for (name, version) in storage.versions() {
            recorder.version(&name, version);
        }
        recorder.setting("guest's memory, MiB", GUEST_MEMORY_MIB);
        let mut spec = GuestSpec::new("copies", GUEST_MEMORY_MIB);
        storage.prepare(environment, &mut spec)?;
        let guests = environment.boot_all(&[spec])?;
        let guest = guests.first().context("one guest was asked for")?;
        storage.mount(guest, TARGET)?;
        let copies =
            Copies { guest, storage: storage.as_ref(), tier: &tier, kafka: &kafka, environment, recorder };
        if request.wants(FRESH) {
            copies.fresh(&sizes)?;
        }
        let mut conclusion = "Segments that were just written were copied whole.".to_owned();
        if request.wants(COST) {
            let by_reference = copies.cost("by-reference", "require", &sizes)?;
            let by_upload = copies.cost("by-upload", "never", &sizes)?;
            conclusion = conclude(&by_reference, &by_upload, sizes.segments, recorder);
        }
        recorder.stage("unmounting");
        guest.unmount(TARGET)?;
        guest.stop()?;
        storage.stop()?;
        Ok(conclusion)
    }
}

/// The machine that copies, and what it copies to.
struct Copies<'a> {
    guest: &'a Guest,
    storage: &'a dyn Storage,
    tier: &'a Tier,
    kafka: &'a Distribution,
    environment: &'a Environment,
    recorder: &'a Recorder,
}

impl Copies<'_> {
    fn start(&self, name: &str, plan: &CopyPlan<'_>) -> Result<Process> {
        let words = plan.words(self.kafka, self.tier.plugin());
        let log = self.environment.logs().join(format!("copies-{name}.log"));
        self.guest.spawn(&GuestCommand::from_words(words).log(log).with_input())
    }

    /// Waits for a line of the tool.
    fn wait_for(&self, process: &Process, is_it: impl Fn(&CopyLine) -> bool) -> Result<CopyLine> {
        let (mut known, mut last) = (0, Instant::now());
        loop {
            let exit = process.exit()?;
            let lines = CopyLine::all(&process.output().0);
            if let Some(found) = lines.iter().find(|line| is_it(line)) {
                return Ok(found.clone());
            }
            if lines.len() > known {
                (known, last) = (lines.len(), Instant::now());
            }
            if let Some(exit) = exit {
                let said = process.output().1;
                let why = said.lines().rev().find(|line| line.starts_with("records: "));
                bail!(
                    "the records tool ended ({exit}): {}",
                    why.unwrap_or("it gave no reason; see the logs")
                );
            }
            ensure!(last.elapsed() < PATIENCE, "the records tool said nothing for {} s", PATIENCE.as_secs());
            std::thread::sleep(PAUSE);
        }
    }

    /// Copies segments that have just been written.
    fn fresh(&self, sizes: &Sizes) -> Result<()> {
        self.recorder.stage("segments that have just been written");
        let settings = self.tier.plugin_settings();
        let plan = CopyPlan {
            class: PLUGIN_CLASS,
            settings: &settings,
            folder: &format!("{TARGET}/{FRESH}"),
            segments: sizes.fresh_segments,
            bytes: sizes.fresh_bytes,
            is_fresh: true,
        };
        let process = self.start(FRESH, &plan)?;
        let summary = self.wait_for(&process, |line| line.event == "summary")?;
        process.wait(PATIENCE)?;
        check_fresh(&summary, sizes.fresh_segments, self.recorder);
        Ok(())
    }

    /// Copies segments that are synced, and measures.
    fn cost(&self, name: &str, reference: &str, sizes: &Sizes) -> Result<Cost> {
        self.recorder.stage(&format!("segments of {} MiB, {name}", sizes.bytes / MIB));
        let mut settings = self.tier.plugin_settings();
        settings.retain(|(key, _)| key != REFERENCE);
        settings.push((REFERENCE.to_owned(), reference.to_owned()));
        let plan = CopyPlan {
            class: PLUGIN_CLASS,
            settings: &settings,
            folder: &format!("{TARGET}/{name}"),
            segments: sizes.segments,
            bytes: sizes.bytes,
            is_fresh: false,
        };
        let process = self.start(name, &plan)?;
        self.wait_for(&process, |line| line.ready)?;
        self.guest.sync()?;
        let space = || self.storage.space();
        let before = settle(space, self.recorder)?;
        let busy = self.guest.busy();
        process.feed(&b"\n"[..])?;
        let done = self.wait_for(&process, |line| line.done)?;
        let cpu = self.guest.busy().saturating_sub(busy);
        let after = settle(space, self.recorder)?;
        let summary = self.wait_for(&process, |line| line.event == "summary")?;
        process.wait(PATIENCE)?;
        self.recorder.event(
            Tone::Plain,
            format_args!(
                "{name}: {} MB in {:.1} s, {:.3} MB sent, {:.2} s of the guest's processor",
                done.bytes / 1_000_000,
                done.seconds,
                done.sent_bytes as f64 / 1e6,
                cpu.as_secs_f64()
            ),
        );
        Ok(Cost {
            bytes: done.bytes,
            sent_bytes: done.sent_bytes,
            seconds: done.seconds,
            cpu,
            added_bytes: after.physical.cast_signed().saturating_sub(before.physical.cast_signed()),
            equal: summary.equal,
        })
    }
}

fn check_fresh(summary: &CopyLine, segments: u32, recorder: &Recorder) {
    let CopyLine { dirty, equal, .. } = summary;
    let title = "Segments were copied while all their pages were dirty";
    // A guest may begin to write back by itself.
    let enough = *dirty >= segments - segments / 10;
    recorder.check("fresh_dirty", title, enough, format_args!("{dirty} of {segments}"));
    let title = "Segments that have just been written read back from the tier as they are";
    recorder.check("fresh_equal", title, *equal == segments, format_args!("{equal} of {segments}"));
}

/// Compares both kinds of copies.
fn conclude(by_reference: &Cost, by_upload: &Cost, segments: u32, recorder: &Recorder) -> String {
    let gibibytes = |cost: &Cost| cost.bytes as f64 / (1u64 << 30) as f64;
    let added = |cost: &Cost| cost.added_bytes as f64 * 100.0 / cost.bytes as f64;
    for (name, how, cost) in
        [("by_reference", "by reference", by_reference), ("by_upload", "by upload", by_upload)]
    {
        let figure = |what: &str, title: &str, value: f64, unit: &str| {
            recorder.figure(&format!("{what}_{name}"), &format!("{title}, {how}"), value, unit);
        };
        figure("sent_mb", "Sent for each GiB", cost.sent_bytes as f64 / 1e6 / gibibytes(cost), "MB");
        figure(
            "cpu_s",
            "Processor time of the broker's machine for each GiB",
            cost.cpu.as_secs_f64() / gibibytes(cost),
            "s",
        );
        figure("seconds", "Time for each GiB", cost.seconds / gibibytes(cost), "s");
        figure("added_percent", "Growth of the pool, of the segments' size", added(cost), "%");
        let title = format!("Segments copied {how} read back as they are");
        let detail = format!("{} of {segments}", cost.equal);
        recorder.check(&format!("equal_{name}"), &title, cost.equal == segments, detail);
    }
    let sent = by_reference.sent_bytes as f64 * 100.0 / by_upload.sent_bytes as f64;
    let title = format!("A copy by reference sends less than {SENT_PERCENT_MAX} % of an upload's bytes");
    // An upload sends at least what it uploads; else something else was counted.
    let is_good = sent < SENT_PERCENT_MAX && by_upload.sent_bytes >= by_upload.bytes;
    recorder.check("sent", &title, is_good, format_args!("{sent:.4} %"));
    let cpu = by_reference.cpu.as_secs_f64() / by_upload.cpu.as_secs_f64();
    let title = format!("A copy by reference takes at most {CPU_RATIO_MAX} of an upload's processor time");
    recorder.check("cpu", &title, cpu <= CPU_RATIO_MAX, format_args!("{cpu:.3}"));
    let grown = added(by_reference);
    let title = format!("The pool grows by less than {ADDED_PERCENT_MAX} % of what is copied by reference");
    recorder.check("added", &title, grown < ADDED_PERCENT_MAX, format_args!("{grown:.3} %"));
    format!(
        "A copy by reference sends {sent:.3} % of an upload's bytes, takes {cpu:.3} of its processor time, and the pool grows by {grown:.3} %."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;
    use crate::report::Verdict;

    fn cost(sent_bytes: u64, cpu_ms: u64, added_bytes: i64) -> Cost {
        let cpu = Duration::from_millis(cpu_ms);
        Cost { bytes: 1_000_000, sent_bytes, seconds: 1.0, cpu, added_bytes, equal: 2 }
    }

    fn verdict(by_reference: Cost) -> Verdict {
        let recorder = Recorder::new(Progress::silent());
        conclude(&by_reference, &cost(1_010_000, 1000, 5), 2, &recorder);
        recorder.finish("tier-copy", "forebay", "laptop", "").verdict
    }

    #[test]
    fn each_cost_has_its_bound() {
        assert_eq!(verdict(cost(10_000, 150, 9_999)), Verdict::Pass);
        assert_eq!(verdict(cost(10_200, 150, 9_999)), Verdict::Fail);
        assert_eq!(verdict(cost(10_000, 151, 9_999)), Verdict::Fail);
        assert_eq!(verdict(cost(10_000, 150, 10_000)), Verdict::Fail);
        assert_eq!(verdict(Cost { equal: 1, ..cost(10_000, 150, 0) }), Verdict::Fail);
    }

    #[test]
    fn segments_that_were_clean_prove_nothing() {
        let verdict = |dirty, equal| {
            let recorder = Recorder::new(Progress::silent());
            check_fresh(&CopyLine { dirty, equal, ..CopyLine::default() }, 100, &recorder);
            recorder.finish("tier-copy", "forebay", "laptop", "").verdict
        };
        assert_eq!(verdict(90, 100), Verdict::Pass);
        assert_eq!(verdict(89, 100), Verdict::Fail);
        assert_eq!(verdict(100, 99), Verdict::Fail);
    }
}
