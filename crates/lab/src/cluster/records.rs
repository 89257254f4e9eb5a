//! Writes records that can be verified, and verifies them: the records tool of the `kafka/lab` folder.
//!
//! The tool prints JSON lines: one per second, and last a summary. It ends with status 0 or 4 once it has a summary.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::tools::Tools;
use crate::report::Recorder;

/// The payload of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payload {
    /// Random bytes, different in each record.
    Unique,
    /// One of 100 payloads, half of them zeros, as OpenMessaging Benchmark has it; the sizes are between a third of the planned bytes
    /// and all of them.
    Pool,
}

impl Payload {
    /// Its name on the command line of the records tool.
    fn name(self) -> &'static str {
        match self {
            Self::Unique => "UNIQUE",
            Self::Pool => "POOL",
        }
    }
}

/// The records to write.
#[derive(Debug, Clone)]
pub struct RecordsPlan {
    /// The topic.
    pub topic: String,
    /// The number of records.
    pub records: u64,
    /// Bytes per record.
    pub record_bytes: u32,
    /// The kind of payload.
    pub payload: Payload,
    /// Maximum bytes per batch.
    pub batch_bytes: u32,
    /// The memory for records that are not acknowledged. With more records waiting, the producer sends no others.
    pub buffer_bytes: u32,
    /// Requests that one broker has not answered, at most.
    pub requests_in_flight: u32,
    /// The seed of the payloads.
    pub seed: u64,
    /// Records per second; `None` for as fast as the cluster accepts them.
    pub rate: Option<u32>,
    /// The log of acknowledged records.
    pub acknowledged: PathBuf,
    /// Records below this offset of each partition were deleted on purpose.
    pub deleted_before: u64,
    /// Whether retention deletes records: those below the first offset of their partition need not be there.
    pub retention: bool,
    /// Verification counts only this many acknowledgements, from the first; `None`: all of them.
    pub first: Option<u64>,
    /// Whether records have keys, headers and timestamps that are compared, and are looked up by time.
    pub envelope: bool,
    /// Records in each transaction; `None`: no transactions.
    pub transaction: Option<u32>,
    /// Each time after this many transactions, one is aborted and repeated; 0: never.
    pub abort_every: u32,
    /// The producer's compression, by Kafka's name; `None`: no compression.
    pub compression: Option<&'static str>,
    /// The name of the series with the rate of acknowledgements.
    pub series: &'static str,
}

impl RecordsPlan {
    /// Records with unique payloads, as fast as the cluster accepts them, in large batches because each request is expensive for brokers
    /// in guests.
    pub fn new(topic: &str, records: u64, record_bytes: u32, seed: u64, acknowledged: PathBuf) -> Self {
        Self {
            topic: topic.to_owned(),
            records,
            record_bytes,
            payload: Payload::Unique,
            batch_bytes: 256 << 10,
            buffer_bytes: 32 << 20,
            requests_in_flight: 5,
            seed,
            rate: None,
            acknowledged,
            deleted_before: 0,
            retention: false,
            first: None,
            envelope: false,
            transaction: None,
            abort_every: 5,
            compression: None,
            series: "Acknowledged records",
        }
    }
}

/// The number of times that are looked up in each partition.
const LOOKUPS: &str = "16";

/// The figures of a summary line.
pub type Summary = Map<String, Value>;

/// A run of the records tool.
#[derive(Debug)]
pub struct Production {
    child: Child,
    reader: JoinHandle<Option<Summary>>,
    latest: Arc<Mutex<Summary>>,
    log: PathBuf,
    gaps: Arc<Mutex<Gaps>>,
    /// While this file exists, nothing is sent.
    pause: PathBuf,
    /// Once this file exists, nothing more is sent.
    stop: PathBuf,
}

/// The longest times between two acknowledgements, by partition, in milliseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Over all reports since they were taken.
    pub longest_ms: Vec<u64>,
    /// In the last report, about a second ago at most.
    pub latest_ms: Vec<u64>,
}

impl Gaps {
    fn add(&mut self, reported: Vec<u64>) {
        self.longest_ms.resize(reported.len().max(self.longest_ms.len()), 0);
        for (longest, reported) in self.longest_ms.iter_mut().zip(&reported) {
            *longest = (*longest).max(*reported);
        }
        self.latest_ms = reported;
    }
}

impl Tools {
    /// Starts to write records. The rate of acknowledgements is recorded as a series.
    pub fn produce(&self, plan: &RecordsPlan, recorder: &Recorder) -> Result<Production> {
        let bootstrap = self.bootstrap();
        let (records, bytes) = (plan.records.to_string(), plan.record_bytes.to_string());
        let (seed, rate) = (plan.seed.to_string(), plan.rate.unwrap_or(0).to_string());
        let acknowledged = plan.acknowledged.to_string_lossy();
        let batch = format!("batch.size={}", plan.batch_bytes);
        let buffer = format!("buffer.memory={}", plan.buffer_bytes);
        let in_flight = format!("max.in.flight.requests.per.connection={}", plan.requests_in_flight);
        let (transaction, abort_every) =
            (plan.transaction.unwrap_or(0).to_string(), plan.abort_every.to_string());
        let compression = format!("compression.type={}", plan.compression.unwrap_or("none"));
        let mut arguments = vec![
            "produce",
            "--bootstrap",
            &bootstrap,
            "--topic",
            &plan.topic,
            "--records",
            &records,
            "--record-bytes",
            &bytes,
            "--payload",
            plan.payload.name(),
            "--property",
            &batch,
            "--property",
            &buffer,
            "--property",
            &in_flight,
            "--seed",
            &seed,
            "--rate",
            &rate,
            "--acknowledged",
            &acknowledged,
            "--transaction",
            &transaction,
            "--abort-every",
            &abort_every,
            "--property",
            &compression,
        ];
        arguments.extend(plan.envelope.then_some("--envelope"));
        let pause = plan.acknowledged.with_extension("pause");
        let stop = plan.acknowledged.with_extension("stop");
        let (pause_file, stop_file) = (pause.to_string_lossy(), stop.to_string_lossy());
        if plan.transaction.is_none() {
            arguments.extend(["--pause-file", &pause_file, "--stop-file", &stop_file]);
        }
        let (mut child, log) = self.start_records_named(&plan.topic, &arguments)?;
        let mut speed = Speed::default();
        let (recorder, planned, series) = (recorder.clone(), plan.records, plan.series);
        let latest = Arc::new(Mutex::new(Summary::new()));
        let gaps = Arc::<Mutex<Gaps>>::default();
        let (theirs, their_gaps) = (Arc::clone(&latest), Arc::clone(&gaps));
        let reader = follow(&mut child, move |line| {
            if let Some(reported) = line.get("gaps_ms").and_then(|gaps| Vec::deserialize(gaps).ok()) {
                their_gaps.lock().unwrap_or_else(PoisonError::into_inner).add(reported);
            }
            let acknowledged = line.get("acknowledged").and_then(Value::as_u64).unwrap_or(0);
            let elapsed_ms = line.get("elapsed_ms").and_then(Value::as_u64).unwrap_or(0);
            if let Some(rate) = speed.step(acknowledged, elapsed_ms) {
                recorder.point(series, "/s", rate);
                recorder.detail(format_args!(
                    "{acknowledged} of {planned} records acknowledged, {rate:.0} per second"
                ));
            }
            *theirs.lock().unwrap_or_else(PoisonError::into_inner) = line.clone();
        })?;
        Ok(Production { child, reader, latest, log, gaps, pause, stop })
    }

    /// Reads the whole topic back and checks every acknowledged record.
    ///
    /// # Errors
    /// If the tool could not do its work. Missing or wrong records are not an error; `passed` in the summary is false then.
    pub fn verify(&self, plan: &RecordsPlan, patience_seconds: u32, recorder: &Recorder) -> Result<Summary> {
        let (bootstrap, patience) = (self.bootstrap(), patience_seconds.to_string());
        let timeout = format!("default.api.timeout.ms={}", u64::from(patience_seconds) * 1000);
        let acknowledged = plan.acknowledged.to_string_lossy();
        let deleted_before = plan.deleted_before.to_string();
        let first = plan.first.unwrap_or(i32::MAX as u64).to_string();
        let lookups = if plan.envelope { LOOKUPS } else { "0" };
        let isolation = if plan.transaction.is_some() { "read_committed" } else { "read_uncommitted" };
        let isolation = format!("isolation.level={isolation}");
        let mut arguments = vec![
            "verify",
            "--first",
            &first,
            "--bootstrap",
            &bootstrap,
            "--topic",
            &plan.topic,
            "--acknowledged",
            &acknowledged,
            "--deleted-before",
            &deleted_before,
            "--patience-seconds",
            &patience,
            "--property",
            &timeout,
            "--property",
            &isolation,
            "--lookups",
            lookups,
        ];
        arguments.extend(plan.retention.then_some("--retention"));
        let (mut child, log) = self.start_records_named(&plan.topic, &arguments)?;
        let recorder = recorder.clone();
        let reader = follow(&mut child, move |line| {
            let read = line.get("read").and_then(Value::as_u64).unwrap_or(0);
            recorder.detail(format_args!("{read} records read back"));
        })?;
        let (pause, stop) = (PathBuf::new(), PathBuf::new());
        Production { child, reader, latest: Arc::default(), log, gaps: Arc::default(), pause, stop }.wait()
    }
}

impl Production {
    /// The number of acknowledged records, as of about a second ago.
    pub fn acknowledged(&self) -> u64 {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        latest.get("acknowledged").and_then(Value::as_u64).unwrap_or(0)
    }

    /// Sends no more records, until [`Production::resume`]. Those that were sent are answered. Transactions cannot be paused.
    pub fn pause(&self) -> Result<()> {
        std::fs::write(&self.pause, b"").with_context(|| format!("write {}", self.pause.display()))
    }

    /// Continues after [`Production::pause`].
    pub fn resume(&self) -> Result<()> {
        std::fs::remove_file(&self.pause).with_context(|| format!("remove {}", self.pause.display()))
    }

    /// Sends no more records. Those that were sent are answered, and the tool ends. Transactions cannot be stopped.
    pub fn stop(&self) -> Result<()> {
        std::fs::write(&self.stop, b"").with_context(|| format!("write {}", self.stop.display()))
    }

    /// The longest gaps since the last call, from the reports so far.
    pub fn take_gaps(&self) -> Gaps {
        let mut gaps = self.gaps.lock().unwrap_or_else(PoisonError::into_inner);
        Gaps {
            longest_ms: std::mem::take(&mut gaps.longest_ms),
            latest_ms: std::mem::take(&mut gaps.latest_ms),
        }
    }

    /// Whether the tool has written its summary.
    pub fn has_ended(&self) -> bool {
        self.reader.is_finished()
    }

    /// Waits for the summary.
    pub fn wait(mut self) -> Result<Summary> {
        let summary = self.reader.join();
        let status = self.child.wait().context("wait for the records tool")?;
        match summary {
            Ok(Some(summary)) => Ok(summary),
            _ => {
                let said = std::fs::read_to_string(&self.log).unwrap_or_default();
                let reason = said.lines().rev().find(|line| line.starts_with("records: "));
                let reason = reason.unwrap_or("it gave no reason");
                bail!(
                    "the records tool ended without a summary ({status}; see {}): {reason}",
                    self.log.display()
                )
            }
        }
    }
}

/// Reads the tool's lines in a thread of its own, which returns the summary.
pub(super) fn follow(
    child: &mut Child,
    mut progress: impl FnMut(&Summary) + Send + 'static,
) -> Result<JoinHandle<Option<Summary>>> {
    let stdout = child.stdout.take().context("the records tool has no output")?;
    Ok(std::thread::spawn(move || {
        let mut summary = None;
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            let Ok(figures) = serde_json::from_str::<Summary>(&line) else { continue };
            match figures.get("event").and_then(Value::as_str) {
                Some("progress") => progress(&figures),
                Some("summary") => {
                    progress(&figures);
                    summary = Some(figures);
                }
                _ => {}
            }
        }
        summary
    }))
}

/// Turns counts into rates.
#[derive(Debug, Default)]
struct Speed {
    count: u64,
    elapsed_ms: u64,
}

impl Speed {
    /// Per second since the last step; `None` if that was less than 200 ms ago.
    fn step(&mut self, count: u64, elapsed_ms: u64) -> Option<f64> {
        let ms = elapsed_ms.checked_sub(self.elapsed_ms).filter(|ms| *ms >= 200)?;
        let rate = count.saturating_sub(self.count) as f64 * 1000.0 / ms as f64;
        *self = Self { count, elapsed_ms };
        Some(rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_the_longest_of_each_partition() {
        let mut gaps = Gaps::default();
        gaps.add(vec![10, 2000]);
        gaps.add(vec![30, 20]);
        assert_eq!(gaps, Gaps { longest_ms: vec![30, 2000], latest_ms: vec![30, 20] });
    }

    #[test]
    fn speed_is_of_the_last_step_alone() {
        let mut speed = Speed::default();
        assert_eq!(speed.step(1000, 1000), Some(1000.0));
        assert_eq!(speed.step(1500, 1500), Some(1000.0));
        assert_eq!(speed.step(1600, 1600), None);
        assert_eq!(speed.step(1500, 2500), Some(0.0));
    }
}
