//! Measures how fast consumers read a topic: the command `read` of the records tool.

use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;

use super::records::{Summary, follow};
use super::tools::Tools;

const MAIN: &str = "forebay.records.Main";
/// The memory of the tool without consumers.
const HEAP_MIB_MIN: u64 = 256;
/// The responses that a consumer holds at once, roughly.
const RESPONSES: u64 = 4;
/// Kafka's `fetch.max.bytes`, the most that a broker answers to one fetch.
const FETCH_BYTES_MAX: u64 = 50 << 20;
/// Time limit for a read to stop.
const STOP_PATIENCE: Duration = Duration::from_secs(30);

/// What to read.
#[derive(Debug, Clone)]
pub struct ReadPlan {
    /// The topic.
    pub topic: String,
    /// For each partition, the offset behind the last record to read.
    pub until: BTreeMap<u32, u64>,
    /// The number of consumers that share the partitions.
    pub consumers: u32,
    /// The consumers' `max.partition.fetch.bytes`.
    pub fetch_bytes: u64,
    /// The number of random offsets at which each consumer reads one record, and the seed of these offsets; `None` reads everything from
    /// the beginning.
    pub random: Option<(u32, u32)>,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ReadResult {
    /// The number of records.
    pub records: u64,
    /// The bytes of their values.
    pub bytes: u64,
    /// How long it took.
    pub seconds: f64,
    /// The number of reads at random offsets.
    pub fetches: u64,
    /// Half of these took at most so long.
    pub fetch_ms_p50: f64,
    /// 99 of 100 of them took at most so long.
    pub fetch_ms_p99: f64,
}

impl ReadResult {
    /// Bytes per second, in MB/s.
    pub fn mb_per_s(&self) -> f64 {
        self.bytes as f64 / 1e6 / self.seconds
    }
}

impl ReadPlan {
    fn heap_mib(&self) -> u32 {
        let response = self.fetch_bytes.saturating_mul(self.until.len() as u64).min(FETCH_BYTES_MAX);
        let consumers = u64::from(self.consumers).saturating_mul(response).saturating_mul(RESPONSES) >> 20;
        u32::try_from(HEAP_MIB_MIN.saturating_add(consumers)).unwrap_or(u32::MAX)
    }

    fn words(&self, bootstrap: &str) -> Vec<String> {
        let until: Vec<_> =
            self.until.iter().map(|(partition, offset)| format!("{partition}={offset}")).collect();
        let mut words = vec!["read".to_owned()];
        for (option, value) in [
            ("--bootstrap", bootstrap.to_owned()),
            ("--topic", self.topic.clone()),
            ("--until", until.join(",")),
            ("--consumers", self.consumers.to_string()),
            ("--property", format!("max.partition.fetch.bytes={}", self.fetch_bytes)),
        ] {
            words.extend([option.to_owned(), value]);
        }
        if let Some((count, seed)) = self.random {
            words.extend(["--random".to_owned(), count.to_string(), "--seed".to_owned(), seed.to_string()]);
        }
        words
    }
}

impl Tools {
    /// Reads a topic once.
    pub fn read_topic(&self, plan: &ReadPlan) -> Result<ReadResult> {
        self.start_read(plan, false)?.finish()
    }

    /// Starts to read a topic again and again.
    pub fn read_repeatedly(&self, plan: &ReadPlan) -> Result<RepeatedRead> {
        self.start_read(plan, true)
    }

    fn start_read(&self, plan: &ReadPlan, repeat: bool) -> Result<RepeatedRead> {
        let mut words = plan.words(&self.bootstrap());
        words.extend(repeat.then(|| "--repeat".to_owned()));
        let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
        let log_path = self.logs().join(format!("records-read-{}.log", plan.topic));
        let log =
            std::fs::File::create(&log_path).with_context(|| format!("create {}", log_path.display()))?;
        let mut command = self.java(MAIN, plan.heap_mib(), &arguments)?;
        command.stdout(Stdio::piped()).stderr(log);
        if repeat {
            command.stdin(Stdio::piped());
        }
        let mut child = command.spawn().context("start the records tool")?;
        let latest = Arc::new(Mutex::new(Summary::new()));
        let theirs = Arc::clone(&latest);
        let reader = follow(&mut child, move |line| {
            *theirs.lock().unwrap_or_else(PoisonError::into_inner) = line.clone();
        })?;
        Ok(RepeatedRead { child, reader: Some(reader), latest, log: log_path })
    }
}

/// A read that goes on until it is stopped. Dropping it ends it.
#[derive(Debug)]
pub struct RepeatedRead {
    child: Child,
    /// None once it has been waited for.
    reader: Option<JoinHandle<Option<Summary>>>,
    latest: Arc<Mutex<Summary>>,
    log: std::path::PathBuf,
}

impl RepeatedRead {
    /// The bytes read so far, as of about a second ago.
    pub fn bytes(&self) -> u64 {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        latest.get("bytes").and_then(Value::as_u64).unwrap_or(0)
    }

    /// Waits until something has been read.
    pub fn wait_for_bytes(&self, patience: Duration) -> Result<()> {
        let deadline = Instant::now() + patience;
        while self.bytes() == 0 {
            if Instant::now() > deadline || self.reader.as_ref().is_none_or(JoinHandle::is_finished) {
                bail!("nothing was read within {} s: {}", patience.as_secs(), self.complaint());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// Stops it.
    pub fn stop(mut self) -> Result<ReadResult> {
        drop(self.child.stdin.take());
        let deadline = Instant::now() + STOP_PATIENCE;
        while self.reader.as_ref().is_some_and(|reader| !reader.is_finished()) {
            if Instant::now() > deadline {
                bail!("the records tool did not stop within {} s", STOP_PATIENCE.as_secs());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        self.finish()
    }

    /// Waits for its end.
    fn finish(mut self) -> Result<ReadResult> {
        let summary = self.reader.take().and_then(|reader| reader.join().ok()).flatten();
        let status = self.child.wait().context("wait for the records tool")?;
        let Some(summary) = summary else { bail!("the topic was not read ({status}): {}", self.complaint()) };
        serde_json::from_value(Value::Object(summary)).context("parse what the records tool says")
    }

    fn complaint(&self) -> String {
        let said = std::fs::read_to_string(&self.log).unwrap_or_default();
        let reason = said.lines().rev().find(|line| line.starts_with("records: "));
        format!("{} (see {})", reason.unwrap_or("it gave no reason"), self.log.display())
    }
}

impl Drop for RepeatedRead {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> ReadPlan {
        ReadPlan {
            topic: "t".into(),
            until: BTreeMap::from([(0, 10), (3, 7)]),
            consumers: 2,
            fetch_bytes: 1 << 20,
            random: None,
        }
    }

    #[test]
    fn the_tool_gets_the_end_of_each_partition() {
        let words = plan().words("h:1").join(" ");
        let expected = "read --bootstrap h:1 --topic t --until 0=10,3=7 --consumers 2 --property max.partition.fetch.bytes=1048576";
        assert_eq!(words, expected);
        assert!(ReadPlan { random: Some((5, 9)), ..plan() }.words("h:1").ends_with(&[
            "--random".into(),
            "5".into(),
            "--seed".into(),
            "9".into()
        ]));
    }

    #[test]
    fn heap_holds_the_responses_of_all_consumers() {
        assert_eq!(plan().heap_mib(), 256 + 2 * 2 * 4);
        assert_eq!(ReadPlan { fetch_bytes: 1 << 30, ..plan() }.heap_mib(), 256 + 2 * 50 * 4);
    }

    #[test]
    fn the_tools_summary_is_read() {
        let text = r#"{"event":"summary","elapsed_ms":5,"records":2,"bytes":4000000,"fetches":0,"fetch_ms_p50":0.0,"fetch_ms_p99":0.0,"seconds":0.5}"#;
        let read: ReadResult = serde_json::from_str(text).unwrap();
        assert_eq!((read.records, read.mb_per_s()), (2, 8.0));
    }
}
