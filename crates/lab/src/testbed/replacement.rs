//! The replacement of a broker's machine.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::own_cluster::Testbed;
use super::target::Target as _;
use crate::cluster::SyncWatch;
use crate::host::Environment;
use crate::progress::Tone;
use crate::report::Recorder;

/// Time limit for the brokers to notice that one of them has ended.
const SHRINK_PATIENCE: Duration = Duration::from_secs(60);

/// How a broker's machine is replaced.
pub struct Replacement<'a> {
    /// The environment of the machines.
    pub environment: &'a Environment,
    /// Memory of the new machine.
    pub guest_memory_mib: u32,
    /// Time limit for replicas to get in sync.
    pub patience: Duration,
    /// The record.
    pub recorder: &'a Recorder,
}

impl Replacement<'_> {
    /// Stops a broker, and lets a new machine of this name take its place. Returns the time for which the cluster lacked it: from the end of
    /// its process until all replicas are in sync.
    pub fn run(&self, testbed: &mut Testbed, sync: &SyncWatch, broker: u32, name: &str) -> Result<Duration> {
        let recorder = self.recorder;
        let storage = testbed.name().to_owned();
        let standby = testbed.boot_standby(self.environment, name, self.guest_memory_mib, broker)?;
        sync.wait(Instant::now(), self.patience, |look| look.under_replicated == 0)?;
        testbed.cluster.stop_broker(broker)?;
        let ended = Instant::now();
        // Otherwise the wait below could end with the state from before the broker ended.
        sync.wait(ended, SHRINK_PATIENCE, |look| look.under_replicated > 0).with_context(|| {
            format!("{storage}: the cluster does not notice that broker {broker} has ended")
        })?;
        recorder.end(&testbed.actor(broker), Tone::Plain);
        recorder.detail(format_args!("{storage}: broker {broker} has ended; its standby starts"));
        testbed.move_broker(self.environment, broker, standby)?;
        let serving = ended.elapsed();
        recorder.begin(&testbed.actor(broker), "serving again", Tone::Good);
        recorder.detail(format_args!("{storage}: the standby serves; replicas catch up"));
        let in_sync = sync
            .wait(Instant::now(), self.patience, |look| look.under_replicated == 0 && look.leaderless == 0);
        let whole = testbed
            .explained(in_sync)
            .with_context(|| format!("{storage}: the replicas of broker {broker} do not get in sync"))?;
        let took = whole - ended;
        let words = format!(
            "{storage}: all replicas are in sync {:.1} s after the broker ended; its standby served after {:.1} s",
            took.as_secs_f64(),
            serving.as_secs_f64()
        );
        recorder.event(Tone::Plain, words);
        Ok(took)
    }
}
