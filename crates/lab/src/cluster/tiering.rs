//! What a cluster's tier holds: readings of the records tool, the check of the plugin, and the brokers' metrics.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Child;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;

use super::broker::Broker;
use super::plugin::Plugin;
use super::records::follow;
use super::tools::{Tools, complaint};

const CHECK: &str = "forebay.tiered.TierCommand";
const CHECK_HEAP_MIB: u32 = 256;
const METRICS_TOOL: &str = "org.apache.kafka.tools.JmxTool";

/// How far topics are in the tier; sums over all of their partitions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct TierReading {
    /// Offsets in the tier.
    pub tiered: u64,
    /// Offsets that are not in the leaders' log directories any more.
    pub local: u64,
    /// Offsets.
    pub end: u64,
    /// Partitions with records that are neither in the leader's log directory nor in the tier, in words.
    pub lost: Vec<String>,
    /// For each partition, such as `topic-0`, the first offset that is not in the tier.
    pub next: BTreeMap<String, u64>,
    /// For each partition, its first offset, in the tier or not.
    pub starts: BTreeMap<String, u64>,
    /// For each partition, the offset of its next record.
    pub ends: BTreeMap<String, u64>,
}

/// A watch on topics. Dropping it ends it.
#[derive(Debug)]
pub struct TierWatch {
    child: Child,
    latest: Arc<Latest>,
}

#[derive(Debug, Default)]
struct Latest {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    reading: Option<(Instant, TierReading)>,
    /// The first losses that any reading found.
    lost: Vec<String>,
}

/// The result of `forebay-tier check`.
#[derive(Debug, Clone, Deserialize)]
pub struct TierChecked {
    /// Segments that Kafka knows of.
    pub segments: u64,
    /// Objects in the bucket.
    pub objects: u64,
    /// Their size.
    pub bytes: u64,
    /// Objects of copies and deletes that Kafka has begun and not finished.
    pub unfinished_objects: u64,
    /// Objects that nothing in Kafka names, and that are too young to be called orphans.
    pub young_objects: u64,
    /// What is wrong.
    pub findings: Vec<TierFinding>,
}

/// One difference between Kafka's metadata and the bucket.
#[derive(Debug, Clone, Deserialize)]
pub struct TierFinding {
    /// The kind of problem.
    pub problem: String,
    /// The object's key.
    pub key: String,
    /// More about it.
    pub detail: String,
}

/// The values of a JMX bean by their names.
pub type Metrics = BTreeMap<String, f64>;

impl Tools {
    /// Starts to watch topics of so many partitions each, and calls `each` for every reading.
    pub fn watch_tiers(
        &self,
        topics: &[&str],
        partitions: u32,
        mut each: impl FnMut(&TierReading) + Send + 'static,
    ) -> Result<TierWatch> {
        let (bootstrap, partitions) = (self.bootstrap(), partitions.to_string());
        let mut arguments = vec!["tiers", "--bootstrap", &bootstrap, "--partitions", &partitions];
        topics.iter().for_each(|topic| arguments.extend(["--topic", topic]));
        let (mut child, _) = self.start_records(&arguments)?;
        let latest = Arc::<Latest>::default();
        let theirs = Arc::clone(&latest);
        // The thread ends with the program's output.
        follow(&mut child, move |line| {
            // Without an answer, the line has the reason instead.
            if let Ok(reading) = serde_json::from_value::<TierReading>(Value::Object(line.clone())) {
                each(&reading);
                theirs.take(reading);
            }
        })
        .map(drop)?;
        Ok(TierWatch { child, latest })
    }

    /// Compares Kafka's metadata with the bucket of a broker's configuration, and reads every object.
    pub fn check_tier(&self, plugin: &Plugin, config: &Path) -> Result<TierChecked> {
        let (bootstrap, config) = (self.bootstrap(), config.to_string_lossy());
        let arguments = ["check", "--bootstrap-server", &bootstrap, "--config", &config, "--read", "--json"];
        let mut command = self.java_with(&plugin.class_path(), CHECK, CHECK_HEAP_MIB, &arguments)?;
        let output = command.output().context("start forebay-tier check")?;
        let said = String::from_utf8_lossy(&output.stdout);
        // 4: something is wrong.
        if !matches!(output.status.code(), Some(0 | 4)) {
            let errors = String::from_utf8_lossy(&output.stderr);
            bail!("forebay-tier check failed ({}): {}", output.status, complaint(&said, &errors));
        }
        serde_json::from_str(&said).context("parse what forebay-tier check says")
    }

    /// The values of a bean of a broker that serves its metrics. Empty if it has no such bean.
    pub fn metrics(&self, broker: &Broker, bean: &str) -> Result<Metrics> {
        let address = format!("service:jmx:rmi:///jndi/rmi://{}/jmxrmi", broker.metrics_endpoint());
        let arguments =
            ["--jmx-url", &address, "--object-name", bean, "--one-time", "--report-format", "properties"];
        let output = self.java(METRICS_TOOL, CHECK_HEAP_MIB, &arguments)?.output().context("start java")?;
        let said = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            bail!("the metrics of broker {} cannot be read: {}", broker.id(), complaint(&said, &errors));
        }
        Ok(values_in(&said))
    }
}

/// The values in lines `BEAN:NAME=VALUE`.
fn values_in(said: &str) -> Metrics {
    let value = |line: &str| {
        let (name, value) = line.rsplit_once('=')?;
        Some((name.rsplit_once(':')?.1.to_owned(), value.trim().parse().ok()?))
    };
    said.lines().filter_map(value).collect()
}

impl Latest {
    fn take(&self, reading: TierReading) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.lost.is_empty() {
            state.lost.clone_from(&reading.lost);
        }
        state.reading = Some((Instant::now(), reading));
        self.changed.notify_all();
    }
}

impl TierWatch {
    /// The first reading after now.
    ///
    /// # Errors
    /// If there is none within `patience`.
    pub fn read(&self, patience: Duration) -> Result<TierReading> {
        self.wait(patience, |_| true)?.context("the cluster does not tell how far topics are in the tier")
    }

    /// Waits for a reading after now for which `holds` returns true. `None` if there is none within `patience`.
    pub fn wait(
        &self,
        patience: Duration,
        holds: impl Fn(&TierReading) -> bool,
    ) -> Result<Option<TierReading>> {
        let since = Instant::now();
        let deadline = since + patience;
        let mut state = self.latest.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some((at, reading)) = &state.reading
                && *at > since
                && holds(reading)
            {
                return Ok(Some(reading.clone()));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            state = self.latest.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The first records that were neither local nor in the tier at a reading.
    pub fn lost(&self) -> Vec<String> {
        self.latest.state.lock().unwrap_or_else(PoisonError::into_inner).lost.clone()
    }
}

impl Drop for TierWatch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_read_from_the_lines_of_kafkas_tool() {
        let said = "Trying to connect to JMX url\nforebay.tiered:type=RemoteStorageManager,broker=1:Copies=12\n\
                    forebay.tiered:type=RemoteStorageManager,broker=1:UploadsEmpty=0\ntime=1700000000000\n";
        let expected = [("Copies".to_owned(), 12.0), ("UploadsEmpty".to_owned(), 0.0)];
        assert_eq!(values_in(said), BTreeMap::from(expected));
    }

    #[test]
    fn records_that_were_lost_once_are_remembered() {
        let latest = Latest::default();
        latest.take(TierReading { lost: vec!["t-0".into()], ..TierReading::default() });
        latest.take(TierReading::default());
        assert_eq!(latest.state.into_inner().unwrap().lost, ["t-0"]);
    }
}
