//! Loads in the format of OpenMessaging Benchmark: the load driver of the `kafka/lab` folder, which runs on the host.
//!
//! A load consists of two YAML files, which stay with the results. They have the benchmark's format, so that a reader who doubts a figure
//! can repeat it with the benchmark. The driver prints lines of JSON while it runs, and writes a result file at the end.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::tools::Tools;
use crate::report::Recorder;

/// The minimum heap of the load driver.
const HEAP_MIB_MIN: u32 = 1024;
/// The largest amount of unsent data of a producer: Kafka's `buffer.memory`.
const PRODUCER_MIB: u32 = 32;
/// The memory of a consumer besides what it has fetched, roughly: one or two responses of a broker.
const CONSUMER_MIB: u32 = 8;
/// The setting for the amount that a consumer fetches from each partition, and its default in Kafka.
const FETCHED: (&str, u32) = ("max.partition.fetch.bytes", 1 << 20);
/// The driver gives up after this time without progress.
const STALL_SECONDS: u32 = 60;
/// The driver's exit status when it could not do its work.
const STATUS_COULD_NOT_RUN: i32 = 1;

/// The settings of topics and clients, as in a driver file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clients {
    /// Its name in reports.
    pub name: String,
    /// Replicas of each partition.
    pub factor: u32,
    /// Settings of the topics, by Kafka's names.
    pub topic: BTreeMap<String, String>,
    /// Settings of producers.
    pub producer: BTreeMap<String, String>,
    /// Settings of consumers.
    pub consumer: BTreeMap<String, String>,
}

/// A load, as in a workload file.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// Its name: letters, digits and `-`, because files are named after it.
    pub name: String,
    /// Number of topics.
    pub topics: u32,
    /// Partitions of each.
    pub partitions: u32,
    /// The size of a message in bytes: half random, half zeros, from a pool of 100, like the reports' load.
    pub message_bytes: u32,
    /// Producers of each topic.
    pub producers: u32,
    /// Consumers of each topic, in one group.
    pub consumers: u32,
    /// The target rate of all producers together, in messages per second; [`Load::UNLIMITED`] is more than any cluster accepts.
    pub rate: u32,
    /// The backlog that is built before consumers start, in bytes; 0 for none.
    pub backlog_bytes: u64,
    /// How long to run before the measurement.
    pub warmup: Duration,
    /// How long to measure.
    pub measured: Duration,
}

impl Load {
    /// The reports' rate for "as fast as possible".
    pub const UNLIMITED: u32 = 1_000_000;

    /// The heap of a driver that runs the load with these clients.
    fn heap_mib(&self, clients: &Clients) -> u32 {
        let fetched =
            clients.consumer.get(FETCHED.0).and_then(|bytes| bytes.parse().ok()).unwrap_or(FETCHED.1);
        let fetched_mib =
            self.partitions.div_ceil(self.consumers.max(1)).saturating_mul(fetched.div_ceil(1 << 20));
        let consumer_mib = fetched_mib.saturating_add(CONSUMER_MIB);
        let each = self
            .producers
            .saturating_mul(PRODUCER_MIB)
            .saturating_add(self.consumers.saturating_mul(consumer_mib));
        self.topics.saturating_mul(each).saturating_add(HEAP_MIB_MIN / 2).max(HEAP_MIB_MIN)
    }

    /// The workload file.
    fn yaml(&self) -> String {
        let minutes = |time: Duration| time.as_secs_f64() / 60.0;
        let backlog_gib = self.backlog_bytes as f64 / f64::from(1u32 << 30);
        let Self { name, topics, partitions, message_bytes, producers, consumers, rate, .. } = self;
        let (measured, warmup) = (minutes(self.measured), minutes(self.warmup));
        format!(
            "name: {name}\ntopics: {topics}\npartitionsPerTopic: {partitions}\nmessageSize: {message_bytes}\n\
             useRandomizedPayloads: true\nrandomBytesRatio: 0.5\nrandomizedPayloadPoolSize: 100\n\
             subscriptionsPerTopic: 1\nproducersPerTopic: {producers}\nconsumerPerSubscription: {consumers}\n\
             producerRate: {rate}\nconsumerBacklogSizeGB: {backlog_gib}\n\
             testDurationMinutes: {measured}\nwarmupDurationMinutes: {warmup}\n"
        )
    }
}

impl Clients {
    /// Sets how long producers wait for more messages to send. Requests are expensive in guests that share a processor.
    pub fn lingering(mut self, linger_ms: u32) -> Self {
        self.producer.insert("linger.ms".to_owned(), linger_ms.to_string());
        self
    }

    /// The driver file, with all groups, as the benchmark requires. The address on the command line overrides the one in the file.
    fn yaml(&self) -> String {
        let mut text = format!(
            "name: {}\ndriverClass: io.openmessaging.benchmark.driver.kafka.KafkaBenchmarkDriver\nreplicationFactor: {}\n",
            self.name, self.factor
        );
        let common = BTreeMap::from([("bootstrap.servers".to_owned(), "localhost:9092".to_owned())]);
        let groups = [
            ("topicConfig", &self.topic),
            ("commonConfig", &common),
            ("producerConfig", &self.producer),
            ("consumerConfig", &self.consumer),
        ];
        for (group, settings) in groups {
            let _ = writeln!(text, "{group}: {}", if settings.is_empty() { "''" } else { "|" });
            for (key, value) in settings {
                let _ = writeln!(text, "  {key}={value}");
            }
        }
        text
    }
}

/// A line of the driver's output.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Line {
    /// A part of the run begins.
    Phase { phase: String },
    /// A second has passed.
    Sample(Moment),
    /// The backlog has the requested size. The driver waits for a line on its standard input.
    Built {},
    /// The measurement is complete.
    Measured,
    /// A message for the reader of the output.
    Said {},
}

/// One second of a load.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Moment {
    phase: String,
    publish_rate: f64,
    publish_bytes_rate: f64,
    consume_bytes_rate: f64,
    backlog: u64,
    publish_latency_ms_p99: f64,
}

/// A point of a load at which an experiment can act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// This phase begins: `warmup`, `build`, `wait`, `drain`, `settle`, `steady`.
    Begins(String),
    /// The backlog is as large as it should be; consumers rest until this has been dealt with.
    Built,
    /// A second is over.
    Sampled,
    /// Everything has been measured; the driver cleans up.
    Measured,
}

/// The result of a load, from the driver's result file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct LoadResult {
    #[serde(rename = "aggregatedPublishLatencyQuantiles")]
    publish_quantiles: BTreeMap<String, f64>,
    /// 99 of 100 messages were acknowledged within this many milliseconds.
    #[serde(rename = "aggregatedPublishLatency99pct")]
    pub publish_ms_p99: f64,
    /// Half of the messages were.
    #[serde(rename = "aggregatedPublishLatency50pct")]
    pub publish_ms_p50: f64,
    /// 99 of 100 messages reached a consumer within this many milliseconds.
    #[serde(rename = "aggregatedEndToEndLatency99pct")]
    pub end_to_end_ms_p99: f64,
    forebay: More,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct More {
    phases: Vec<PhaseResult>,
    aggregated_intended_latency99pct: f64,
}

/// One phase of a load.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhaseResult {
    phase: String,
    /// How long it took.
    pub seconds: f64,
    /// Messages per second.
    #[serde(default)]
    pub publish_rate: f64,
    /// Bytes per second.
    #[serde(default)]
    pub publish_bytes_per_second: f64,
    /// Messages per second.
    #[serde(default)]
    pub consume_rate: f64,
    /// Bytes per second.
    #[serde(default)]
    pub consume_bytes_per_second: f64,
}

impl LoadResult {
    /// A phase of it: `build`, `drain` or `steady`.
    pub fn phase(&self, name: &str) -> Result<&PhaseResult> {
        let found = self.forebay.phases.iter().find(|phase| phase.phase == name);
        found.with_context(|| format!("the load has no phase {name}"))
    }

    /// 99 of 100 messages were acknowledged within this many milliseconds after they were meant to be sent. Unlike
    /// [`LoadResult::publish_ms_p99`] it counts the time that a message waited because others before it did.
    pub fn intended_ms_p99(&self) -> f64 {
        self.forebay.aggregated_intended_latency99pct
    }

    /// So many percent of all messages were acknowledged in this many milliseconds, or less.
    pub fn publish_percentile(&self, percent: f64) -> Option<f64> {
        let all = self.publish_quantiles.iter();
        let pairs = all.filter_map(|(percentile, ms)| Some((percentile.parse::<f64>().ok()?, *ms)));
        pairs.filter(|(at, _)| *at >= percent).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, ms)| ms)
    }
}

/// The files of a load, and the arguments of its driver.
struct Files {
    workload: PathBuf,
    driver: PathBuf,
    result: PathBuf,
    log: PathBuf,
}

impl Files {
    /// Writes what the driver reads. `label` tells this load from others of the run.
    fn write(folder: &Path, label: &str, load: &Load, clients: &Clients) -> Result<Self> {
        // A storage's name in it may be a path.
        let label = label.replace([':', '/'], "-");
        let file = |kind: &str| folder.join(format!("workload-{label}{kind}"));
        let files = Self {
            workload: folder.join(format!("{}.workload.yaml", load.name)),
            driver: folder.join(format!("{}.driver.yaml", clients.name)),
            result: file(".json"),
            log: file(".log"),
        };
        for (path, text) in [(&files.workload, load.yaml()), (&files.driver, clients.yaml())] {
            fs::write(path, text).with_context(|| format!("write {}", path.display()))?;
        }
        Ok(files)
    }
}

impl Tools {
    /// Runs a load to its end. Rates become series of the record, in drawings of their own, under the name of `subject` (a storage). `turned` is
    /// told of its phases as they begin, and of each second. With `keep_topics`, its topics stay when it is over.
    ///
    /// # Errors
    /// When the driver could not do its work: no cluster, no topics, nothing moved for a minute, messages that could not be published.
    pub fn run_load(
        &self,
        (label, subject, keep_topics): (&str, &str, bool),
        load: &Load,
        clients: &Clients,
        recorder: &Recorder,
        turned: &mut dyn FnMut(&Turn) -> Result<()>,
    ) -> Result<LoadResult> {
        let files = Files::write(self.logs(), label, load, clients)?;
        let mut child = self.start_load(&files, load.heap_mib(clients), keep_topics)?;
        let followed = follow(&mut child, (label, subject), recorder, turned);
        if followed.is_err() {
            // The topics go with the storage.
            let _ = child.kill();
        }
        let status = child.wait().context("wait for the load driver")?;
        require_success(status, &files.log, followed?)?;
        let text = fs::read(&files.result).with_context(|| format!("read {}", files.result.display()))?;
        serde_json::from_slice(&text).with_context(|| format!("parse {}", files.result.display()))
    }

    fn start_load(&self, files: &Files, heap_mib: u32, keep_topics: bool) -> Result<Child> {
        let log = File::create(&files.log).with_context(|| format!("create {}", files.log.display()))?;
        let (bootstrap, stall) = (self.bootstrap(), STALL_SECONDS.to_string());
        let [workload, driver, result] =
            [&files.workload, &files.driver, &files.result].map(|path| path.to_string_lossy());
        let mut arguments = vec![
            "--drivers",
            &driver,
            "--bootstrap-server",
            &bootstrap,
            "--output",
            &result,
            "--interval-seconds",
            "1",
            "--stall-seconds",
            &stall,
            "--await-drain",
            "--json",
            &workload,
        ];
        if keep_topics {
            arguments.push("--keep-topics");
        }
        let external = self.external();
        let config = external.and_then(|external| external.config.as_deref()).map(Path::to_string_lossy);
        arguments.extend(config.iter().flat_map(|config| ["--command-config", config.as_ref()]));
        arguments
            .extend(external.into_iter().flat_map(|external| ["--topic-prefix", &external.topic_prefix]));
        let mut command = self.java("forebay.workload.Main", heap_mib, &arguments)?;
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .context("start the load driver")
    }
}

/// Reads the driver's lines to their end. Returns the last that is not the driver's own but Java's: what Java died of.
fn follow(
    child: &mut Child,
    (label, subject): (&str, &str),
    recorder: &Recorder,
    turned: &mut dyn FnMut(&Turn) -> Result<()>,
) -> Result<Option<String>> {
    let mut foreign = None;
    let stdout = child.stdout.take().context("the load driver has no output")?;
    let mut stdin = child.stdin.take().context("the load driver has no input")?;
    for line in BufReader::new(stdout).lines().map_while(Result::ok) {
        match serde_json::from_str(&line) {
            Ok(Line::Phase { phase }) => turned(&Turn::Begins(phase))?,
            Ok(Line::Measured) => turned(&Turn::Measured)?,
            Ok(Line::Built {}) => {
                turned(&Turn::Built)?;
                // Consumers have waited for it. A driver that has ended says so by its status.
                let _ = stdin.write_all(b"\n");
            }
            Ok(Line::Sample(moment)) => {
                tell(&moment, (label, subject), recorder);
                turned(&Turn::Sampled)?;
            }
            Ok(Line::Said {}) => {}
            Err(_) => foreign = Some(line),
        }
    }
    Ok(foreign)
}

fn tell(moment: &Moment, (label, subject): (&str, &str), recorder: &Recorder) {
    const MB: f64 = 1e6;
    recorder.point_in("Produced", subject, "MB/s", moment.publish_bytes_rate / MB);
    recorder.point_in("Consumed", subject, "MB/s", moment.consume_bytes_rate / MB);
    recorder.point_in(
        "Publish latency, 99th percentile of each second",
        subject,
        "ms",
        moment.publish_latency_ms_p99,
    );
    recorder.detail(format_args!(
        "{label}, {}: {:.0} messages/s, {:.1} MB/s in, {:.1} MB/s out, {} behind",
        moment.phase,
        moment.publish_rate,
        moment.publish_bytes_rate / MB,
        moment.consume_bytes_rate / MB,
        moment.backlog
    ));
}

fn require_success(status: ExitStatus, log: &Path, foreign: Option<String>) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    let said = fs::read_to_string(log).unwrap_or_default();
    let mut lines = said.lines().rev();
    let own = lines.find_map(|line| line.strip_prefix("workload: "));
    let reason = own.or(foreign.as_deref()).unwrap_or("it did not say why");
    let what = if status.code() == Some(STATUS_COULD_NOT_RUN) { "could not run" } else { "failed" };
    bail!("the load {what} ({status}; see {}): {reason}", log.display())
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    fn load() -> Load {
        Load {
            name: "steady".into(),
            topics: 2,
            partitions: 4,
            message_bytes: 1024,
            producers: 1,
            consumers: 2,
            rate: 5000,
            backlog_bytes: 1 << 29,
            warmup: Duration::from_secs(3),
            measured: Duration::from_secs(90),
        }
    }

    fn clients() -> Clients {
        Clients {
            name: "sync".into(),
            factor: 3,
            topic: BTreeMap::from([("flush.messages".into(), "1".into())]),
            producer: BTreeMap::new(),
            consumer: BTreeMap::from([("auto.offset.reset".into(), "earliest".into())]),
        }
    }

    #[test]
    fn heap_holds_what_all_producers_have_not_sent() {
        assert_eq!(load().heap_mib(&clients()), HEAP_MIB_MIN);
        let many = Load { topics: 4, partitions: 400, producers: 40, consumers: 80, ..load() };
        assert_eq!(many.heap_mib(&clients()), 512 + 4 * (40 * 32 + 80 * (5 + 8)));
        let mut greedy = clients();
        greedy.consumer.insert(FETCHED.0.into(), "10485760".into());
        assert_eq!(many.heap_mib(&greedy), 512 + 4 * (40 * 32 + 80 * (50 + 8)));
    }

    #[test]
    fn a_driver_that_java_ended_says_what_java_said() {
        let log = tempfile::NamedTempFile::new().unwrap();
        let failed = ExitStatus::from_raw(3 << 8);
        let said = |foreign: Option<&str>| {
            require_success(failed, log.path(), foreign.map(str::to_owned)).unwrap_err().to_string()
        };
        assert!(
            said(Some("Terminating due to java.lang.OutOfMemoryError: Java heap space"))
                .ends_with("heap space")
        );
        assert!(said(None).ends_with("it did not say why"));
        fs::write(log.path(), "workload: no cluster\n").unwrap();
        assert!(said(Some("java")).ends_with("no cluster"));
    }

    #[test]
    fn files_are_what_the_benchmark_reads() {
        let yaml = load().yaml();
        assert!(yaml.contains("testDurationMinutes: 1.5\nwarmupDurationMinutes: 0.05\n"), "{yaml}");
        assert!(yaml.contains("consumerBacklogSizeGB: 0.5\n"), "{yaml}");
        let expected = "name: sync\ndriverClass: io.openmessaging.benchmark.driver.kafka.KafkaBenchmarkDriver\nreplicationFactor: 3\n\
                        topicConfig: |\n  flush.messages=1\ncommonConfig: |\n  bootstrap.servers=localhost:9092\nproducerConfig: ''\n\
                        consumerConfig: |\n  auto.offset.reset=earliest\n";
        assert_eq!(clients().yaml(), expected);
    }

    #[test]
    fn lines_of_the_driver_are_understood_and_others_passed_over() {
        let line: Line = serde_json::from_str(r#"{"event":"phase","phase":"drain","text":"x"}"#).unwrap();
        assert_eq!(line, Line::Phase { phase: "drain".into() });
        let sample = r#"{"event":"sample","phase":"steady","elapsed_s":3.0,"publish_rate":10.5,"publish_bytes_rate":1e6,
            "consume_rate":1.0,"consume_bytes_rate":2e6,"error_rate":0.0,"backlog":7,"publish_latency_ms_p50":1.0,
            "publish_latency_ms_p99":2.5,"intended_latency_ms_p99":3.0}"#;
        let Line::Sample(moment) = serde_json::from_str(sample).unwrap() else { panic!("a sample") };
        assert_eq!((moment.backlog, moment.publish_latency_ms_p99), (7, 2.5));
        assert_eq!(serde_json::from_str::<Line>(r#"{"event":"built"}"#).unwrap(), Line::Built {});
        assert!(serde_json::from_str::<Line>("workload: hello").is_err());
    }

    #[test]
    fn a_result_is_read_from_the_drivers_file() {
        let text = r#"{"aggregatedPublishLatency50pct":1.5,"aggregatedPublishLatency99pct":9.5,"aggregatedEndToEndLatency99pct":20.0,
            "aggregatedPublishLatencyQuantiles":{"100.0":30.0,"50.0":1.5,"99.0":9.5},
            "forebay":{"totals":{"publishErrors":0},"aggregatedIntendedLatency99pct":12.0,
            "phases":[{"phase":"warmup","seconds":3.0},{"phase":"steady","seconds":10.0,"publishRate":100.0,
            "publishBytesPerSecond":1000.0,"consumeRate":100.0,"consumeBytesPerSecond":1000.0,"publishErrors":0}]}}"#;
        let result: LoadResult = serde_json::from_str(text).unwrap();
        assert_eq!(result.phase("steady").unwrap().publish_rate, 100.0);
        assert!(result.phase("drain").unwrap_err().to_string().contains("no phase drain"));
        let percentile = |percent| result.publish_percentile(percent);
        assert_eq!([50.0, 90.0, 99.9].map(percentile), [Some(1.5), Some(9.5), Some(30.0)]);
        assert_eq!(result.intended_ms_p99(), 12.0);
    }
}
