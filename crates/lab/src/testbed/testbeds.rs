//! Several storages, each with a cluster of its own, and loads that run on them in turns.
//!
//! All clusters run from the beginning, and are idle during the turn of another one, so that disturbances of the machine affect all of them
//! alike. The ratio of two figures is therefore more reliable than either figure.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::external_target::ExternalTarget;
use super::own_cluster::{Testbed, TestbedSpec};
use super::target::{CpuTime, Target};
use crate::cluster::{Clients, Load, LoadResult, Turn};
use crate::host::{Environment, ProcessorSplit};
use crate::progress::Tone;
use crate::report::{Recorder, number};
use crate::request::Request;

/// The largest load of an idle broker's machine, in percent, and of an idle storage's server, in processors.
const AT_REST_PERCENT: f64 = 10.0;
const AT_REST_PROCESSORS: f64 = 0.1;
/// The time over which the load is measured.
const REST_WINDOW: Duration = Duration::from_secs(1);
/// Time limit for a cluster to become idle; after it the next load starts anyway.
const REST_PATIENCE: Duration = Duration::from_secs(15);

/// The clusters of a run.
pub struct Testbeds {
    targets: Vec<Box<dyn Target>>,
}

impl Testbeds {
    /// Starts a testbed on each requested storage. The brokers share one half of the machine's processors, and everything else the other half,
    /// the same on every storage. If the request names an existing cluster, it is used instead, and the load has all processors.
    pub fn start(
        environment: &Environment,
        request: &Request,
        spec: TestbedSpec,
        recorder: &Recorder,
    ) -> Result<Self> {
        if request.cluster.is_some() {
            return Ok(Self {
                targets: vec![Box::new(ExternalTarget::reach(environment, request, recorder)?)],
            });
        }
        let processors = ProcessorSplit::of_machine()?;
        if let Some(split) = processors {
            split.leave_brokers_alone()?;
        }
        Self::start_all(environment, request, &TestbedSpec { processors, ..spec }, recorder)
    }

    fn start_all(
        environment: &Environment,
        request: &Request,
        spec: &TestbedSpec,
        recorder: &Recorder,
    ) -> Result<Self> {
        let mut targets: Vec<Box<dyn Target>> = Vec::new();
        for (index, kind) in (0u16..).zip(&request.storages) {
            let testbed = Testbed::start_beside(environment, request, kind, Some(index), spec, recorder)
                .with_context(|| format!("start a cluster on {kind}"))?;
            targets.push(Box::new(testbed));
        }
        Ok(Self { targets })
    }

    /// Runs a load `times` times on each cluster without counting it: Java programs are slow at first, which would put the first cluster at a
    /// disadvantage.
    pub fn warm_up(&self, load: &Load, clients: &Clients, times: u32, recorder: &Recorder) -> Result<()> {
        recorder.stage("warm-up");
        for time in 0..times {
            for target in self.in_turn(time) {
                let label = format!("{}-warm-up-{}-{}", target.name(), clients.name, time + 1);
                let trial = Trial { target, label, load, clients };
                trial.run(recorder)?;
            }
        }
        Ok(())
    }

    /// The names of all, in the order they were asked for.
    pub fn names(&self) -> Vec<String> {
        self.targets.iter().map(|target| target.name().to_owned()).collect()
    }

    /// The number of brokers of the smallest cluster, which is the maximum number of replicas of a partition.
    pub fn brokers(&self) -> u32 {
        self.targets.iter().map(|target| target.brokers()).min().unwrap_or(0)
    }

    /// Fails if partitions cannot have this many replicas.
    pub fn require_brokers(&self, factor: u32) -> Result<()> {
        let brokers = self.brokers();
        ensure!(
            brokers >= factor,
            "topics with {factor} replicas need {factor} brokers, and {} has {brokers}",
            self.names().join(", ")
        );
        Ok(())
    }

    /// The clusters in the order of this repetition, which is reversed each time.
    pub fn in_turn(&self, repetition: u32) -> Vec<&dyn Target> {
        let mut targets: Vec<_> = self.targets.iter().map(AsRef::as_ref).collect();
        if repetition % 2 == 1 {
            targets.reverse();
        }
        targets
    }

    /// Checks that no broker and no server ended, if the lab started them.
    pub fn check_brokers(&self, recorder: &Recorder) -> Result<()> {
        if !self.targets.iter().any(|target| target.is_ours()) {
            return Ok(());
        }
        let mut ended = Vec::new();
        for target in &self.targets {
            ended.extend(target.ended()?);
        }
        let detail = if ended.is_empty() { "all run".to_owned() } else { ended.join(", ") };
        recorder.check("processes", "No broker and no storage server ended", ended.is_empty(), detail);
        Ok(())
    }
}

/// The result of a load on one cluster, and the processor time that it took.
#[derive(Debug)]
pub struct Outcome {
    /// What the load driver measured.
    pub result: LoadResult,
    /// The CPU of each broker's machine during the measurement, in percent; empty if it is not known.
    pub broker_cpu_percent: Option<Vec<f64>>,
    /// The number of processors that the storage's server used during the measurement.
    pub server_processors: Option<f64>,
}

impl Outcome {
    /// Bytes produced and consumed per second in the steady phase, in MB/s, as the reports count.
    pub fn total_mb_per_s(&self) -> Result<f64> {
        let steady = self.result.phase("steady")?;
        Ok((steady.publish_bytes_per_second + steady.consume_bytes_per_second) / 1e6)
    }

    /// The average CPU of the brokers' machines, in percent.
    pub fn mean_broker_cpu(&self) -> Option<f64> {
        let all = self.broker_cpu_percent.as_ref().filter(|all| !all.is_empty())?;
        Some(all.iter().sum::<f64>() / all.len() as f64)
    }
}

/// Processor times of a cluster at one moment.
struct Moment {
    at: Instant,
    brokers: Option<Vec<CpuTime>>,
    server: Option<Duration>,
}

impl Moment {
    fn take(target: &dyn Target) -> Result<Self> {
        Ok(Self { at: Instant::now(), brokers: target.cpu()?, server: target.server_cpu()? })
    }

    /// The CPU of each broker's machine since an earlier time, in percent.
    fn brokers_since(&self, before: &Self) -> Option<Vec<f64>> {
        let pairs = self.brokers.as_ref()?.iter().zip(before.brokers.as_ref()?);
        Some(pairs.map(|(now, before)| now.percent_since(before)).collect())
    }

    /// The number of processors that the storage's server has used since an earlier time.
    fn server_since(&self, before: &Self) -> Option<f64> {
        let busy = self.server?.saturating_sub(before.server?);
        Some(busy.as_secs_f64() / (self.at - before.at).as_secs_f64())
    }
}

/// A load on one cluster.
pub struct Trial<'a> {
    /// The cluster.
    pub target: &'a dyn Target,
    /// Distinguishes this load from others of the run.
    pub label: String,
    /// The load.
    pub load: &'a Load,
    /// Its clients' and topics' settings.
    pub clients: &'a Clients,
}

impl Trial<'_> {
    /// Runs the load, and waits until the cluster is idle, so that it does not disturb the next cluster's load. Returns `None` if the load
    /// failed, which is recorded as a failed check.
    pub fn run(&self, recorder: &Recorder) -> Result<Option<Outcome>> {
        let outcome = self.judge(recorder)?;
        if outcome.is_some() {
            self.target.sync()?;
            wait_for_rest(self.target)?;
        }
        Ok(outcome)
    }

    fn judge(&self, recorder: &Recorder) -> Result<Option<Outcome>> {
        let lost = self.target.lost()?;
        if !lost.is_empty() {
            // Otherwise each load would wait for a timeout of a minute.
            self.fail(format_args!("not run, because {}", lost.join(", ")), recorder);
            return Ok(None);
        }
        let measured = self.measure(recorder);
        let lost = self.target.lost()?.join(", ");
        match measured {
            Ok(outcome) if lost.is_empty() => {
                recorder.event(Tone::Plain, self.summary(&outcome)?);
                return Ok(Some(outcome));
            }
            // With fewer brokers, the figure would not be comparable.
            Ok(_) => self.fail(format_args!("meanwhile {lost}"), recorder),
            Err(error) if lost.is_empty() => self.fail(format_args!("{error:#}"), recorder),
            Err(error) => self.fail(format_args!("{error:#}; {lost}"), recorder),
        }
        Ok(None)
    }

    fn fail(&self, why: std::fmt::Arguments<'_>, recorder: &Recorder) {
        let title = "Every load runs to its end without an error";
        recorder.check("load", title, false, format_args!("{}: {why}", self.label));
    }

    fn summary(&self, outcome: &Outcome) -> Result<String> {
        let cpu =
            outcome.mean_broker_cpu().map(|cpu| format!(", brokers' CPU {cpu:.0} %")).unwrap_or_default();
        Ok(format!(
            "{}: {} MB/s produced and consumed, p99 {} ms{cpu}",
            self.label,
            number(outcome.total_mb_per_s()?),
            number(outcome.result.publish_ms_p99)
        ))
    }

    fn measure(&self, recorder: &Recorder) -> Result<Outcome> {
        let target = self.target;
        let (mut before, mut after) = (None, None);
        let result = target.tools().run_load(
            (&self.label, target.name(), target.keeps_topics()),
            self.load,
            self.clients,
            recorder,
            &mut |turn| {
                match turn {
                    // Consumers must read the backlog from the disk.
                    Turn::Built => target.forget()?,
                    Turn::Begins(phase) if phase == "steady" => before = Some(Moment::take(target)?),
                    Turn::Begins(_) => {}
                    // Clients may wait for a machine without power as long as their timeouts allow: with the reports' settings, 20 minutes.
                    Turn::Sampled => ensure!(target.ended()?.is_empty(), "the load was given up"),
                    Turn::Measured => after = Some(Moment::take(target)?),
                }
                Ok(())
            },
        )?;
        let (before, after) = before.zip(after).context("the load driver did not say when it measured")?;
        let broker_cpu_percent = after.brokers_since(&before);
        let server_processors = after.server_since(&before);
        Ok(Outcome { result, broker_cpu_percent, server_processors })
    }
}

/// Waits until a cluster's brokers and its storage's server are idle.
fn wait_for_rest(target: &dyn Target) -> Result<()> {
    let deadline = Instant::now() + REST_PATIENCE;
    let mut before = Moment::take(target)?;
    while Instant::now() < deadline {
        std::thread::sleep(REST_WINDOW);
        let now = Moment::take(target)?;
        let brokers = now.brokers_since(&before).unwrap_or_default();
        let server = now.server_since(&before).unwrap_or(0.0);
        if brokers.iter().all(|percent| *percent < AT_REST_PERCENT) && server < AT_REST_PROCESSORS {
            break;
        }
        before = now;
    }
    Ok(())
}
