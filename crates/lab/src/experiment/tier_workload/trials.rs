//! The loads: pairs of one with and one without tail consumers.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};

use super::Sizes;
use crate::cluster::{LoadResult, ReadResult, RepeatedRead, Tools, Turn};
use crate::experiment::tier_correctness::faults::{Places, Strike};
use crate::progress::Tone;
use crate::report::{Recorder, number};
use crate::request::Fault;
use crate::testbed::{History, Tally, Target, Testbed, Tier};

/// Time limit for tail consumers to read something.
const TAIL_PATIENCE: Duration = Duration::from_secs(60);
/// Time limit for a load to begin its measurement.
const BEGIN_PATIENCE: Duration = Duration::from_secs(300);

/// The name of a measurement, with or without a fault and tail consumers.
pub fn name(what: &str, fault: Fault, with_tail: bool) -> String {
    let fault =
        if fault == Fault::None { String::new() } else { format!("_{}", fault.name().replace('-', "_")) };
    format!("{what}{fault}_{}", if with_tail { "with_tail" } else { "without_tail" })
}

/// All loads.
pub struct Trials<'a> {
    tier: &'a Tier,
    sizes: &'a Sizes,
    history: &'a History,
    recorder: &'a Recorder,
    tally: Tally,
}

/// The figures of one load.
struct Outcome {
    load: LoadResult,
    tail: Option<ReadResult>,
}

impl<'a> Trials<'a> {
    /// No load has run.
    pub fn new(tier: &'a Tier, sizes: &'a Sizes, history: &'a History, recorder: &'a Recorder) -> Self {
        Self { tier, sizes, history, recorder, tally: Tally::default() }
    }

    /// The measurements.
    pub fn tally(self) -> Tally {
        self.tally
    }

    /// Runs all loads: `pairs` pairs without a fault, and one pair with each fault.
    pub fn run(&mut self, testbed: &mut Testbed, faults: &[Fault], pairs: u32) -> Result<()> {
        self.recorder.stage("warm-up");
        // With both, because that is the work that Java must have compiled.
        self.load(testbed, Fault::None, true, "warm-up")?;
        for (number, fault) in (0u32..).zip(faults.iter().copied()) {
            let pairs = if fault == Fault::None { pairs } else { 1 };
            for pair in 0..pairs {
                self.recorder.stage(&format!("fault {fault}, pair {} of {pairs}", pair + 1));
                let first_with_tail = pair % 2 == 1;
                for with_tail in [first_with_tail, !first_with_tail] {
                    let tail = if with_tail { "with-tail" } else { "without-tail" };
                    let label = format!("{number}-{fault}-{tail}-{}", pair + 1);
                    if let Some(outcome) = self.judged(testbed, fault, with_tail, &label)? {
                        self.take(testbed.name(), fault, with_tail, &outcome)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Runs a load. One that fails is a failed check.
    fn judged(
        &self,
        testbed: &mut Testbed,
        fault: Fault,
        with_tail: bool,
        label: &str,
    ) -> Result<Option<Outcome>> {
        let measured = self.load(testbed, fault, with_tail, label);
        let lost = testbed.lost()?;
        match measured {
            Ok(outcome) if lost.is_empty() => Ok(Some(outcome)),
            measured => {
                let error = measured.err().map(|error| format!("{error:#}"));
                let why = error.into_iter().chain(lost).collect::<Vec<_>>().join("; ");
                let title = "Every load runs to its end without an error";
                self.recorder.check("load", title, false, format_args!("{label}: {why}"));
                Ok(None)
            }
        }
    }

    fn load(&self, testbed: &mut Testbed, fault: Fault, with_tail: bool, label: &str) -> Result<Outcome> {
        testbed.forget()?;
        let tools = testbed.cluster.tools().clone();
        let tail = with_tail.then(|| tools.read_repeatedly(&self.sizes.tail(self.history))).transpose()?;
        if let Some(tail) = &tail {
            tail.wait_for_bytes(TAIL_PATIENCE).context("tail consumers")?;
        }
        let storage = testbed.name().to_owned();
        let (begun, begins) = channel();
        let load = std::thread::scope(|scope| {
            let load = scope.spawn(|| self.drive(&tools, fault, (label, &storage), begun));
            // An error of the load is closer to the cause than that of the fault.
            let struck = match begins.recv_timeout(BEGIN_PATIENCE) {
                Ok(()) => self.strike(testbed, fault),
                Err(RecvTimeoutError::Disconnected) => Ok(()),
                Err(RecvTimeoutError::Timeout) => Err(anyhow!("the load did not begin")),
            };
            let load = load.join().unwrap_or_else(|_| Err(anyhow!("the thread of the load panicked")));
            load.and_then(|load| struck.map(|()| load))
        })?;
        let tail = tail.map(RepeatedRead::stop).transpose()?;
        testbed.sync()?;
        self.recorder.event(Tone::Plain, summary(label, &load, tail.as_ref())?);
        Ok(Outcome { load, tail })
    }

    /// Runs the load, and tells when its measurement begins.
    fn drive(
        &self,
        tools: &Tools,
        fault: Fault,
        (label, storage): (&str, &str),
        begun: Sender<()>,
    ) -> Result<LoadResult> {
        let (load, clients) = (self.sizes.load(fault), self.sizes.clients());
        tools.run_load((label, storage, false), &load, &clients, self.recorder, &mut |turn| {
            if matches!(turn, Turn::Begins(phase) if phase == "steady") {
                // Nobody waits any more if the experiment has given up.
                let _ = begun.send(());
            }
            Ok(())
        })
    }

    fn strike(&self, testbed: &mut Testbed, fault: Fault) -> Result<()> {
        let mut places = Places { assignments: Vec::new() };
        let strike = Strike { fault, number: 0, tier: self.tier, watch: None, recorder: self.recorder };
        strike.run(testbed, &mut places)
    }

    fn take(&mut self, storage: &str, fault: Fault, with_tail: bool, outcome: &Outcome) -> Result<()> {
        let steady = outcome.load.phase("steady")?;
        let mut add = |what: &str, value: f64| self.tally.add(&name(what, fault, with_tail), storage, value);
        add("head_ms_p99", outcome.load.end_to_end_ms_p99);
        add("publish_ms_p99", outcome.load.publish_ms_p99);
        add("produced_percent", steady.publish_rate * 100.0 / f64::from(self.sizes.rate));
        if let Some(tail) = &outcome.tail {
            if tail.bytes == 0 {
                bail!("tail consumers read nothing");
            }
            add("tail_mb_per_s", tail.mb_per_s());
        }
        Ok(())
    }
}

fn summary(label: &str, load: &LoadResult, tail: Option<&ReadResult>) -> Result<String> {
    let tail =
        tail.map(|tail| format!(", tail consumers {} MB/s", number(tail.mb_per_s()))).unwrap_or_default();
    Ok(format!(
        "{label}: {} messages/s, head latency p99 {} ms{tail}",
        number(load.phase("steady")?.publish_rate),
        number(load.end_to_end_ms_p99)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_are_named_for_their_faults() {
        assert_eq!(name("head_ms_p99", Fault::None, true), "head_ms_p99_with_tail");
        assert_eq!(name("head_ms_p99", Fault::S3Slow, false), "head_ms_p99_s3_slow_without_tail");
    }
}
