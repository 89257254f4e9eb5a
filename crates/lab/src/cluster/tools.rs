//! Kafka's own command-line tools, run on the host against the cluster.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::distribution::Distribution;
use super::java::{self, Size};

const SIZE: Size = Size { heap_mib: 256 };
const TOPIC_TOOL: &str = "org.apache.kafka.tools.TopicCommand";
const DELETION_TOOL: &str = "org.apache.kafka.tools.DeleteRecordsCommand";
const ELECTION_TOOL: &str = "org.apache.kafka.tools.LeaderElectionCommand";
const REASSIGNMENT_TOOL: &str = "org.apache.kafka.tools.reassign.ReassignPartitionsCommand";
const PRODUCER: &str = "org.apache.kafka.tools.VerifiableProducer";

/// A leader may miss that its followers have followed, and then never answers: it takes the request for one that nobody waits for, until it
/// has put it into the list of timeouts (`numDelayedDelete` in Kafka's `Partition.updateFollowerFetchState`). The next request is answered.
const DELETION_ATTEMPTS: u32 = 3;

/// The tools of one cluster.
#[derive(Debug, Clone)]
pub struct Tools {
    kafka: Distribution,
    endpoints: Vec<String>,
    logs: PathBuf,
    external: Option<ExternalSettings>,
}

/// Settings of tools for a cluster that the lab did not start.
#[derive(Debug, Clone)]
pub(super) struct ExternalSettings {
    /// A properties file for all clients.
    pub config: Option<PathBuf>,
    /// The prefix of all topic names.
    pub topic_prefix: String,
}

/// The brokers that hold the replicas of each partition of a topic, the preferred leader first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The topic.
    pub topic: String,
    /// For each partition, the ids of its brokers.
    pub partitions: Vec<Vec<u32>>,
}

impl Assignment {
    /// Spreads replicas evenly over brokers 1 to `brokers`. Partition `p` goes to `factor` consecutive brokers, beginning `shift`
    /// after the `p`-th.
    pub fn even(topic: &str, partitions: u32, factor: u32, brokers: u32, shift: u32) -> Self {
        let row =
            |partition| (0..factor).map(|replica| (partition + shift + replica) % brokers + 1).collect();
        Self { topic: topic.to_owned(), partitions: (0..partitions).map(row).collect() }
    }

    /// The partitions that a broker holds a replica of.
    pub fn held_by(&self, broker: u32) -> Vec<usize> {
        let partitions = self.partitions.iter().enumerate();
        partitions.filter(|(_, brokers)| brokers.contains(&broker)).map(|(partition, _)| partition).collect()
    }

    /// The same replicas, with the last of each partition as the preferred leader.
    pub fn with_other_leaders(&self) -> Self {
        let turned = |brokers: &Vec<u32>| brokers.iter().rev().copied().collect();
        Self { topic: self.topic.clone(), partitions: self.partitions.iter().map(turned).collect() }
    }

    fn for_topic_tool(&self) -> String {
        let join = |brokers: &Vec<u32>| brokers.iter().map(u32::to_string).collect::<Vec<_>>().join(":");
        self.partitions.iter().map(join).collect::<Vec<_>>().join(",")
    }

    fn for_reassignment_tool(&self) -> Value {
        let partition =
            |(index, replicas)| json!({"topic": self.topic, "partition": index, "replicas": replicas});
        let partitions: Vec<Value> = self.partitions.iter().enumerate().map(partition).collect();
        json!({"version": 1, "partitions": partitions})
    }
}

impl Tools {
    pub(super) fn new(kafka: Distribution, endpoints: Vec<String>, logs: PathBuf) -> Self {
        Self { kafka, endpoints, logs, external: None }
    }

    /// The tools for a cluster that the lab did not start.
    pub(super) fn visiting(
        kafka: Distribution,
        bootstrap: &str,
        config: Option<PathBuf>,
        topic_prefix: &str,
        logs: PathBuf,
    ) -> Self {
        let external = Some(ExternalSettings { config, topic_prefix: topic_prefix.to_owned() });
        Self { kafka, endpoints: vec![bootstrap.to_owned()], logs, external }
    }

    /// The settings for a cluster that the lab did not start.
    pub(super) fn external(&self) -> Option<&ExternalSettings> {
        self.external.as_ref()
    }

    /// Updates the brokers' addresses.
    pub(super) fn set_endpoints(&mut self, endpoints: Vec<String>) {
        self.endpoints = endpoints;
    }

    /// Kafka itself.
    pub(super) fn distribution(&self) -> &Distribution {
        &self.kafka
    }

    /// The folder of logs.
    pub(super) fn logs(&self) -> &Path {
        &self.logs
    }

    /// The bootstrap servers: every broker.
    pub fn bootstrap(&self) -> String {
        self.endpoints.join(",")
    }

    /// Creates a topic whose replicas are assigned as given.
    pub fn create_topic(&self, assignment: &Assignment, settings: &[(&str, String)]) -> Result<()> {
        let replicas = assignment.for_topic_tool();
        let settings: Vec<String> = settings.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let mut arguments = vec!["--create", "--topic", &assignment.topic, "--replica-assignment", &replicas];
        for setting in &settings {
            arguments.extend(["--config", setting]);
        }
        self.run(TOPIC_TOOL, &arguments)
            .map(drop)
            .with_context(|| format!("create topic {}", assignment.topic))
    }

    /// Deletes a topic.
    pub fn delete_topic(&self, topic: &str) -> Result<()> {
        self.run(TOPIC_TOOL, &["--delete", "--topic", topic])
            .map(drop)
            .with_context(|| format!("delete topic {topic}"))
    }

    /// Changes a setting of one broker while it runs.
    pub fn set_broker(&self, broker: u32, name: &str, value: &str) -> Result<()> {
        let (broker, setting) = (broker.to_string(), format!("{name}={value}"));
        let words =
            ["--alter", "--entity-type", "brokers", "--entity-name", &broker, "--add-config", &setting];
        let tool = self.kafka.kafka_version().config_tool();
        self.run(tool, &words).map(drop).with_context(|| format!("set {setting} at broker {broker}"))
    }

    /// Writes small records whose keys repeat, so that a compacted topic keeps only `keys` of them.
    pub fn produce_keyed(&self, topic: &str, records: u64, keys: u64) -> Result<()> {
        let (records, keys) = (records.to_string(), keys.to_string());
        let words = ["--topic", topic, "--max-messages", &records, "--repeating-keys", &keys];
        self.run(PRODUCER, &words).map(drop).with_context(|| format!("write to topic {topic}"))
    }

    /// Starts to move a topic's replicas.
    pub fn begin_reassignment(&self, to: &Assignment) -> Result<Reassignment<'_>> {
        let file = self.logs.join(format!("reassignment-{}.json", to.topic));
        fs::write(&file, to.for_reassignment_tool().to_string())
            .with_context(|| format!("write {}", file.display()))?;
        let reassignment = Reassignment { tools: self, file, partitions: to.partitions.len() };
        reassignment.run("--execute").context("begin the reassignment")?;
        Ok(reassignment)
    }

    /// Deletes the records below an offset in every one of a topic's partitions; `None` for all records.
    pub fn delete_records(&self, topic: &str, partitions: u32, before: Option<u64>) -> Result<()> {
        // -1 is the end.
        let before = before.map_or(json!(-1), |before| json!(before));
        let partition = |partition| json!({"topic": topic, "partition": partition, "offset": before});
        let partitions: Vec<Value> = (0..partitions).map(partition).collect();
        let file = self.logs.join(format!("deletion-{topic}.json"));
        fs::write(&file, json!({"version": 1, "partitions": partitions}).to_string())
            .with_context(|| format!("write {}", file.display()))?;
        for attempt in 1.. {
            let said = self
                .run(DELETION_TOOL, &["--offset-json-file", &file.to_string_lossy()])
                .with_context(|| format!("delete records of topic {topic}"))?;
            match said.lines().find(|line| line.contains("error")) {
                Some(line) if line.contains("TimeoutException") && attempt < DELETION_ATTEMPTS => {}
                Some(line) => bail!("records of topic {topic} were not deleted: {}", line.trim()),
                None => break,
            }
        }
        Ok(())
    }

    /// Gives every partition of all topics its preferred leader, the first of its replicas.
    pub fn elect_preferred_leaders(&self) -> Result<()> {
        self.run(ELECTION_TOOL, &["--election-type", "preferred", "--all-topic-partitions"])
            .map(drop)
            .context("elect the preferred leaders")
    }

    /// The number of partitions of a topic without all replicas in sync.
    pub fn under_replicated(&self, topic: &str) -> Result<usize> {
        let said =
            self.run(TOPIC_TOOL, &["--describe", "--under-replicated-partitions", "--topic", topic])?;
        Ok(said.lines().filter(|line| line.contains("Partition:")).count())
    }

    pub(super) fn run(&self, main: &str, arguments: &[&str]) -> Result<String> {
        let bootstrap = self.bootstrap();
        let config =
            self.external.as_ref().and_then(|external| external.config.as_deref()).map(Path::to_string_lossy);
        let config: Vec<&str> =
            config.iter().flat_map(|config| ["--command-config", config.as_ref()]).collect();
        let arguments = [&["--bootstrap-server", &bootstrap], config.as_slice(), arguments].concat();
        let output = self.command(main, "warn", &arguments)?.output().context("start java")?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            bail!("{main} failed ({}): {}", output.status, complaint(&said, &errors));
        }
        Ok(said)
    }

    fn command(&self, main: &str, log_level: &str, arguments: &[&str]) -> Result<Command> {
        self.sized_command(main, SIZE, log_level, arguments)
    }

    /// A Java program of the distribution, with the given heap size.
    pub(super) fn java(&self, main: &str, heap_mib: u32, arguments: &[&str]) -> Result<Command> {
        self.sized_command(main, Size { heap_mib }, "error", arguments)
    }

    /// Like [`Tools::java`], with more jars.
    pub(super) fn java_with(
        &self,
        class_path: &str,
        main: &str,
        heap_mib: u32,
        arguments: &[&str],
    ) -> Result<Command> {
        let mut words = java::words(&self.kafka, Size { heap_mib }, "error", main, arguments);
        // With other jars, Java would complain about the archive of classes.
        words.retain(|word| !word.starts_with(java::ARCHIVE_OPTION));
        let kafka = self.kafka.class_path();
        for word in words.iter_mut().filter(|word| **word == kafka) {
            *word = format!("{class_path}:{kafka}");
        }
        let (program, rest) = words.split_first().context("a command line has a program")?;
        let mut command = Command::new(program);
        command.args(rest).stdin(Stdio::null());
        Ok(command)
    }

    fn sized_command(&self, main: &str, size: Size, log_level: &str, arguments: &[&str]) -> Result<Command> {
        let words = java::words(&self.kafka, size, log_level, main, arguments);
        let (program, rest) = words.split_first().context("a command line has a program")?;
        let mut command = Command::new(program);
        command.args(rest).stdin(Stdio::null());
        Ok(command)
    }

    /// Starts the records tool. The caller reads its standard output. Its error output goes to a log named after its first argument.
    pub(super) fn start_records(&self, arguments: &[&str]) -> Result<(Child, PathBuf)> {
        self.start_records_named("", arguments)
    }

    /// Like [`Tools::start_records`], for runs at the same time: the log is also named for `what`.
    pub(super) fn start_records_named(&self, what: &str, arguments: &[&str]) -> Result<(Child, PathBuf)> {
        let command = arguments.first().unwrap_or(&"tool");
        let log_path = match what {
            "" => self.logs.join(format!("records-{command}.log")),
            _ => self.logs.join(format!("records-{command}-{what}.log")),
        };
        let log = File::create(&log_path).with_context(|| format!("create {}", log_path.display()))?;
        let mut command = self.command("forebay.records.Main", "warn", arguments)?;
        let child = command.stdout(Stdio::piped()).stderr(log).spawn().context("start the records tool")?;
        Ok((child, log_path))
    }
}

/// The line of a tool's output that describes the problem.
pub(super) fn complaint<'a>(said: &'a str, errors: &'a str) -> &'a str {
    let lines = || said.lines().chain(errors.lines()).filter(|line| !line.trim().is_empty());
    let telling = |line: &&str| line.contains("Error") || line.contains("Exception");
    lines().find(telling).or_else(|| lines().next()).unwrap_or("it said nothing")
}

/// A reassignment in progress.
pub struct Reassignment<'a> {
    tools: &'a Tools,
    file: PathBuf,
    partitions: usize,
}

impl Reassignment<'_> {
    /// The number of partitions that have moved.
    pub fn moved(&self) -> Result<usize> {
        Ok(self.run("--verify")?.lines().filter(|line| line.ends_with("is completed.")).count())
    }

    /// Whether all partitions have moved.
    pub fn is_complete(&self, moved: usize) -> bool {
        moved == self.partitions
    }

    fn run(&self, action: &str) -> Result<String> {
        let file = self.file.to_string_lossy();
        self.tools.run(REASSIGNMENT_TOOL, &["--reassignment-json-file", &file, action])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicas_are_spread_evenly_and_a_shift_by_the_factor_moves_every_one_of_them() {
        let before = Assignment::even("t", 4, 2, 4, 0);
        let after = Assignment::even("t", 4, 2, 4, 2);
        assert_eq!(before.for_topic_tool(), "1:2,2:3,3:4,4:1");
        assert_eq!(after.for_topic_tool(), "3:4,4:1,1:2,2:3");
        for broker in 1..=4 {
            assert_eq!(before.held_by(broker).len(), 2);
            assert!(before.held_by(broker).iter().all(|held| !after.held_by(broker).contains(held)));
        }
    }

    #[test]
    fn a_tools_complaint_is_found_behind_what_it_says_first() {
        let said = "Status of partition reassignment:\nError: timed out\nstack\n";
        assert_eq!(complaint(said, ""), "Error: timed out");
        assert_eq!(complaint("\n", "Missing option\n"), "Missing option");
    }

    #[test]
    fn a_plan_is_what_kafkas_tool_reads() {
        let plan = Assignment::even("t", 1, 2, 2, 1).for_reassignment_tool();
        assert_eq!(
            plan,
            json!({"version": 1, "partitions": [{"topic": "t", "partition": 0, "replicas": [2, 1]}]})
        );
    }
}
