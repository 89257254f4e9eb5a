//! The object store tool of the `kafka/lab` folder, which runs on the host: it checks an object store, or measures several.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::distribution::Distribution;
use super::java::{self, QUICK_COMPILER, Size};
use crate::exec;
use crate::request::Profile;

const MAIN: &str = "forebay.objects.Main";
const SIZE: Size = Size { heap_mib: 1024 };
/// The tool prints a line for each part of its work. Time limit for one of them.
const STALL: Duration = Duration::from_secs(1800);

/// An object store, and the key for it.
#[derive(Debug, Clone, Serialize)]
pub struct StoreAddress {
    /// Its name in results.
    pub name: String,
    /// `http://HOST:PORT`.
    pub endpoint: String,
    /// Its region.
    pub region: String,
    /// The access key's id.
    pub access_key: String,
    /// Its secret.
    pub secret_key: String,
    /// The server's process, if it runs on this host.
    pub pid: Option<u32>,
}

/// The result of a check.
#[derive(Debug, Clone, Deserialize)]
pub struct Checked {
    /// The version of the AWS SDK.
    pub sdk: String,
    /// What was done, in the tool's words.
    pub sizes: String,
    /// What was checked.
    pub cases: Vec<Case>,
    /// How long operations took.
    pub operations: Vec<Operation>,
    /// How many requests the SDK sent again.
    pub requests_repeated: u64,
}

/// What a case is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The store answered, and not with an error.
    Answer,
    /// The bytes are those that were written.
    Content,
    /// The answer is what S3 answers.
    Rule,
}

/// One sentence that was checked.
#[derive(Debug, Clone, Deserialize)]
pub struct Case {
    /// The group of cases.
    pub group: String,
    /// What it is about.
    pub kind: Kind,
    /// The sentence, with its group.
    pub title: String,
    /// How often it was checked.
    pub checked: u64,
    /// How often it did not hold.
    pub failed: u64,
    /// The first differences.
    pub details: Vec<String>,
}

/// One kind of request.
#[derive(Debug, Clone, Deserialize)]
pub struct Operation {
    /// Its name.
    pub name: String,
    /// How many were answered.
    pub count: u64,
    /// The bytes that they moved.
    pub bytes: u64,
    /// Half of them took at most this long.
    pub p50_ms: f64,
    /// 99 of 100 of them took at most this long.
    pub p99_ms: f64,
    /// The bytes by the sum of the times.
    pub mb_per_s: f64,
}

/// One measurement of one store.
#[derive(Debug, Clone, Deserialize)]
pub struct Measured {
    /// What was measured.
    pub row: String,
    /// The store's name.
    pub store: String,
    /// How long it took.
    pub seconds: f64,
    /// The number of requests.
    pub operations: u64,
    /// The bytes that they moved.
    pub bytes: u64,
    /// The middle latency.
    pub p50_ms: f64,
    /// The 99th percentile.
    pub p99_ms: f64,
    /// Processor time of the tool.
    pub client_cpu_s: f64,
    /// Processor time of the server, if it runs on this host.
    pub server_cpu_s: Option<f64>,
}

/// The ranges of existing objects to read.
#[derive(Debug, Clone)]
pub struct RangesPlan<'a> {
    /// The bucket.
    pub bucket: &'a str,
    /// The objects whose keys begin with this.
    pub prefix: &'a str,
    /// And end with this.
    pub suffix: &'a str,
    /// The size of a range.
    pub range_bytes: u64,
    /// The number of requests at once.
    pub threads: u32,
    /// The number of ranges at random positions, and the seed of these positions; `None` reads each object from its beginning to its end.
    pub random: Option<(u32, u32)>,
}

/// How fast ranges were read.
#[derive(Debug, Clone, Deserialize)]
pub struct RangesRead {
    /// How long it took.
    pub seconds: f64,
    /// The bytes that were read.
    pub bytes: u64,
    /// The middle latency of a request.
    pub p50_ms: f64,
    /// The 99th percentile.
    pub p99_ms: f64,
}

#[derive(Deserialize)]
struct MeasuredAll {
    measured: Vec<Measured>,
}

#[derive(Deserialize)]
struct Uploaded {
    bytes: u64,
}

/// A line of the tool's output.
#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Line<S> {
    Progress { title: String },
    Summary(S),
}

/// The tool.
#[derive(Debug)]
pub struct ObjectsTool {
    kafka: Distribution,
    log: PathBuf,
    stores: PathBuf,
}

impl ObjectsTool {
    /// The tool, with its log in `logs`. `state` is a folder that is removed when the run ends.
    pub fn new(kafka: Distribution, logs: PathBuf, state: PathBuf) -> Self {
        Self { kafka, log: logs.join("objects.log"), stores: state.join("stores.json") }
    }

    /// Checks a store; `progress` gets the name of each part that begins.
    pub fn check(
        &self,
        store: &StoreAddress,
        profile: Profile,
        progress: impl FnMut(&str),
    ) -> Result<Checked> {
        let mut words = java::words(&self.kafka, SIZE, "warn", MAIN, &["check"]);
        words.extend(["--endpoint", &store.endpoint, "--region", &store.region].map(str::to_owned));
        words.extend(["--size", profile.name()].map(str::to_owned));
        self.run(&mut command_for(&words, store)?, progress)
    }

    /// Measures stores by turns.
    pub fn measure(
        &self,
        stores: &[StoreAddress],
        turns: u32,
        progress: impl FnMut(&str),
    ) -> Result<Vec<Measured>> {
        // It has secrets.
        let mut open = File::options();
        open.write(true).create(true).truncate(true).mode(0o600);
        let file = open.open(&self.stores).with_context(|| format!("create {}", self.stores.display()))?;
        serde_json::to_writer(file, stores)?;
        let mut words = java::words(&self.kafka, SIZE, "warn", MAIN, &["speed", "--stores"]);
        // It runs for minutes, and what it does itself should take as little of the processors as possible.
        words.retain(|word| word != QUICK_COMPILER);
        words.extend([self.stores.to_string_lossy().into_owned(), "--turns".into(), turns.to_string()]);
        let all: MeasuredAll = self.run(&mut command(&words)?, progress)?;
        Ok(all.measured)
    }

    /// Puts files of this host in parts, in a new bucket. Returns how many bytes they have.
    pub fn upload(
        &self,
        store: &StoreAddress,
        bucket: &str,
        part_mib: u32,
        files: &[PathBuf],
        progress: impl FnMut(&str),
    ) -> Result<u64> {
        let mut words = java::words(&self.kafka, SIZE, "warn", MAIN, &["upload", "--bucket", bucket]);
        words.extend(["--endpoint", &store.endpoint, "--region", &store.region].map(str::to_owned));
        words.extend(["--part-mib".to_owned(), part_mib.to_string()]);
        words.extend(files.iter().map(|file| file.to_string_lossy().into_owned()));
        let uploaded: Uploaded = self.run(&mut command_for(&words, store)?, progress)?;
        Ok(uploaded.bytes)
    }

    /// Reads ranges of existing objects.
    pub fn read_ranges(&self, store: &StoreAddress, plan: &RangesPlan<'_>) -> Result<RangesRead> {
        let mut words = java::words(&self.kafka, SIZE, "warn", MAIN, &["ranges"]);
        words.extend(["--endpoint", &store.endpoint, "--region", &store.region].map(str::to_owned));
        words.extend(
            ["--bucket", plan.bucket, "--prefix", plan.prefix, "--suffix", plan.suffix].map(str::to_owned),
        );
        words.extend(["--range-bytes".to_owned(), plan.range_bytes.to_string()]);
        words.extend(["--threads".to_owned(), plan.threads.to_string()]);
        if let Some((count, seed)) = plan.random {
            words.extend(["--random".to_owned(), count.to_string(), "--seed".to_owned(), seed.to_string()]);
        }
        self.run(&mut command_for(&words, store)?, |_| {})
    }

    /// Runs the tool, and returns its summary.
    fn run<S: for<'a> Deserialize<'a>>(
        &self,
        command: &mut Command,
        mut progress: impl FnMut(&str),
    ) -> Result<S> {
        let log = File::create(&self.log).with_context(|| format!("create {}", self.log.display()))?;
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn();
        let mut child = Running(child.context("start the object store tool (with java)")?);
        let lines = lines_of(&mut child.0)?;
        loop {
            let line = match lines.recv_timeout(STALL) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    bail!("the tool has said nothing for {} s", STALL.as_secs())
                }
                Err(RecvTimeoutError::Disconnected) => bail!("the tool ended early: {}", self.last_words()),
            };
            let line = line.context("read what the tool prints")?;
            match serde_json::from_str(&line).with_context(|| format!("parse {line:?}"))? {
                Line::Progress { title } => progress(&title),
                Line::Summary(summary) => {
                    child.0.wait().context("wait for the tool")?;
                    return Ok(summary);
                }
            }
        }
    }

    fn last_words(&self) -> String {
        exec::last_lines(&fs::read_to_string(&self.log).unwrap_or_default(), 3)
    }
}

/// The tool's process, which ends at the latest when this is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn command(words: &[String]) -> Result<Command> {
    let (program, rest) = words.split_first().context("a command line has a program")?;
    let mut command = Command::new(program);
    // Settings of the person who runs the lab are not the tool's: a profile, a region, another checksum mode.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("AWS_")) {
        command.env_remove(name);
    }
    command.env("AWS_CONFIG_FILE", "/dev/null").env("AWS_SHARED_CREDENTIALS_FILE", "/dev/null");
    command.env("AWS_EC2_METADATA_DISABLED", "true").args(rest);
    Ok(command)
}

/// The same, with the key of a store.
fn command_for(words: &[String], store: &StoreAddress) -> Result<Command> {
    let mut command = command(words)?;
    command.env("AWS_ACCESS_KEY_ID", &store.access_key).env("AWS_SECRET_ACCESS_KEY", &store.secret_key);
    Ok(command)
}

/// The lines of a program's output, as they come. The channel closes at the output's end.
fn lines_of(child: &mut Child) -> Result<Receiver<std::io::Result<String>>> {
    let output = child.stdout.take().context("the tool has no output")?;
    let (send, receive) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            // Nobody waits for the rest if the receiver is gone.
            if send.send(line).is_err() {
                return;
            }
        }
    });
    Ok(receive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_of_a_check_is_read() {
        let text = r#"{"event":"summary","sdk":"2.57.8","sizes":"Sizes[]","cases":[{"group":"list","kind":"rule",
            "title":"list: all","checked":3,"failed":1,"details":["no"]}],"operations":[{"name":"put","count":2,"bytes":10,
            "p50_ms":1.5,"p99_ms":2.0,"max_ms":2.0,"mb_per_s":0}],"requests_repeated":0}"#;
        let Ok(Line::Summary(checked)) = serde_json::from_str::<Line<Checked>>(text) else {
            panic!("it is a summary")
        };
        assert_eq!((checked.cases[0].kind, checked.cases[0].failed), (Kind::Rule, 1));
        assert_eq!((checked.operations[0].count, checked.operations[0].mb_per_s), (2, 0.0));
    }

    #[test]
    fn the_summary_of_ranges_is_read() {
        let text =
            r#"{"event":"summary","seconds":0.5,"operations":3,"bytes":3000,"p50_ms":1.5,"p99_ms":2.5}"#;
        let Ok(Line::Summary(read)) = serde_json::from_str::<Line<RangesRead>>(text) else {
            panic!("it is a summary")
        };
        assert_eq!((read.bytes, read.seconds), (3000, 0.5));
    }

    #[test]
    fn the_summary_of_measurements_is_read() {
        let text = r#"{"event":"summary","sdk":"2.57.8","measured":[{"row":"put_4_kib","store":"forebay","turn":1,
            "seconds":1.5,"operations":10,"bytes":40960,"p50_ms":1,"p99_ms":2,"client_cpu_s":0.5,"server_cpu_s":null}]}"#;
        let Ok(Line::Summary(all)) = serde_json::from_str::<Line<MeasuredAll>>(text) else {
            panic!("it is a summary")
        };
        assert_eq!((all.measured[0].operations, all.measured[0].server_cpu_s), (10, None));
    }
}
